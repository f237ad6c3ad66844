"""Plain loads and stores in which every two classes of strides, offsets, memory and use meet."""

from __future__ import annotations

from math import lcm
from typing import Any

from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Affine, Index
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import COLUMN_MAJOR, ROW_MAJOR, Load, Matrix, Store
from mmaspec.programs.nv_coopmat2.well_formed_arrays import MAX_SHARED
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.arrays.tensor_access import LARGEST, USES
from mmaspec.strategies.nv_coopmat2.arrays.tensor_layout import ARRAYS
from mmaspec.strategies.nv_coopmat2.builder.program import LINE, ProgramBuilder
from mmaspec.strategies.nv_coopmat2.templates.plain import load, store

MOST_SHARED = MAX_SHARED // 4 * 3
"""Bytes of a shared array: blame needs room besides."""

MAJORS = {"row": ROW_MAJOR, "column": COLUMN_MAJOR}

_AXES = {
    "use": tuple(USES),
    "plain-major": tuple(MAJORS),
    "line-distance": ("exact", "padded-line", "padded-odd-lines", "twice", "power", "large"),
    "array-element": tuple(ARRAYS),
    "region-start": ("zero", "one-line", "later"),
    "offset-form": ("literal", "wave", "loop", "wave-and-loop", "run-time"),
    "stride-form": ("literal", "wave", "loop", "run-time"),
    "shared-memory": ("buffer", "shared"),
}


_RULES = ("shared-memory=shared with array-element=component",)
"""A shared array is declared with its elements, which have a name of their own."""


def _fits(row: Row[Any], _: CoopMatCaps, axis: str, name: str) -> bool:
    return not (axis == "shared-memory" and name == "shared") or "shared" in row.tags


def _stride(chosen: Chosen, line: int, unit: int, lines: int) -> int:
    """Bytes from line to line; ``line``: bytes of one. Whole array elements, and aligned as rows have to be."""
    grain = lcm(min(LINE, line), unit)
    exact = -(-line // grain) * grain
    power = 1 << (exact * 2 - 1).bit_length()
    more = {
        "exact": 0, "padded-line": grain, "padded-odd-lines": 3 * grain, "twice": exact, "power": power - exact,
        "large": 4096 // lines // grain * grain * 4,
    }  # fmt: skip
    return exact + more[chosen["line-distance"]]


def _placed(
    builder: ProgramBuilder, matrix: Matrix, chosen: Chosen, stem: str, passes: int
) -> tuple[str, Index, Index] | None:
    """Buffer, offset and stride of an access of its own: no wave or pass shares memory with another."""
    array = ARRAYS[chosen["array-element"]]
    unit, width = builder.unit(array, matrix), format_named(matrix.component).nbytes
    column = chosen["plain-major"] == "column"
    lines, line = (matrix.cols, matrix.rows) if column else (matrix.rows, matrix.cols)
    stride = _stride(chosen, line * width, unit, lines)
    grain = lcm(min(LINE, line * width), unit)
    form = chosen["stride-form"]
    per_wave, per_pass = (grain if form == "wave" else 0), (grain if form == "loop" else 0)
    widest = stride + per_wave * (builder.waves - 1) + per_pass * (passes - 1)
    extent = -(-((lines - 1) * widest + line * width) // lcm(LINE, unit)) * lcm(LINE, unit)
    spread = chosen["offset-form"]
    waves = builder.waves if spread in {"wave", "wave-and-loop"} else 1
    turns = passes if spread in {"loop", "wave-and-loop"} else 1
    shared = chosen["shared-memory"] == "shared"
    buffer = builder.shared_array(stem) if shared else builder.name(f"{stem}-own")
    start = {"zero": 0, "one-line": 1, "later": builder.choices.integer(2, 5)}[chosen["region-start"]] * lcm(LINE, unit)
    builder.used[buffer] = start + extent * waves * turns
    if builder.used[buffer] > (MOST_SHARED if shared else LARGEST):
        return None
    if spread == "literal":
        offset: Index = start // unit
    elif spread == "run-time":
        offset = builder.run_time(start // unit)
    else:
        per_turn = extent * waves // unit if turns > 1 else 0
        offset = Affine(start // unit, wave=extent // unit if waves > 1 else 0, loop=per_turn)
    if form == "run-time":
        return buffer, offset, builder.run_time(stride // unit)
    if form == "literal":
        return buffer, offset, stride // unit
    return buffer, offset, Affine(stride // unit, wave=per_wave // unit, loop=per_pass // unit)


def _started(context: DrawContext[CoopMatCaps], chosen: Chosen) -> tuple[ProgramBuilder, Matrix, int]:
    """A program with as many waves as the classes need, its matrix, and the number of passes."""
    forms = (chosen["offset-form"], chosen["stride-form"])
    builder = ProgramBuilder(context, most_waves=2)
    builder.waves = 2 if any("wave" in form for form in forms) else 1
    return builder, builder.matrix(USES[chosen["use"]]), 2 if any("loop" in form for form in forms) else 1


def _loaded(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder, matrix, passes = _started(context, chosen)
    placed = _placed(builder, matrix, chosen, "in", passes)
    if placed is None or builder.odd_lines(short=True):
        return None
    buffer, offset, stride = placed
    major, array = MAJORS[chosen["plain-major"]], ARRAYS[chosen["array-element"]]
    access = Load(matrix.name, buffer, offset, stride, major, array, builder.name("T"))
    after = store(builder, matrix, passes=passes)
    if passes > 1:
        builder.repeat(passes, access, after)
    else:
        builder.add(access, after)
    return builder.draft("distinct")


def _stored(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder, matrix, passes = _started(context, chosen)
    placed = _placed(builder, matrix, chosen, "out", passes)
    if placed is None or builder.odd_lines(short=True):
        return None
    buffer, offset, stride = placed
    before = load(builder, matrix, passes=passes)
    access = Store(matrix.name, buffer, offset, stride, MAJORS[chosen["plain-major"]], ARRAYS[chosen["array-element"]])
    if passes > 1:
        builder.repeat(passes, before, access)
    else:
        builder.add(before, access)
    return builder.draft("distinct")


PLAIN_LOADS = Array(
    name="plain-loads",
    focus=("KHRCM-LOAD-ROW", "KHRCM-LOAD-COL", "KHRCM-STRIDE-UNITS"),
    axes=_AXES,
    build=_loaded,
    rules=_RULES,
    rows=("addresses",),
    fits=_fits,
)
"""Loads."""

PLAIN_STORES = Array(
    name="plain-stores",
    focus=("KHRCM-LOAD-ROW", "KHRCM-LOAD-COL", "KHRCM-STRIDE-UNITS", "NVCM2-STORE-ONLY-ELEMS"),
    axes=_AXES,
    build=_stored,
    rules=(
        *_RULES,
        # Waves and passes that store do it apart from each other.
        "stride-form=wave with offset-form=literal|loop|run-time",
        "stride-form=loop with offset-form=literal|wave|run-time",
    ),
    rows=("addresses",),
    fits=_fits,
)
"""Stores."""
