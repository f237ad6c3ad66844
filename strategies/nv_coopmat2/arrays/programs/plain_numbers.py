"""Plain accesses whose strides and offsets stand at powers of two and beside them, in views that end where they end."""

from __future__ import annotations

from math import lcm
from typing import Any

from msgspec.structs import replace

from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Buffer, Index
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import (
    ARRAY_BYTES,
    COLUMN_MAJOR,
    ROW_MAJOR,
    USE_A,
    USE_ACCUMULATOR,
    USE_B,
    ArrayType,
    Load,
    Matrix,
    Store,
)
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.arrays.tensor_access import USES
from mmaspec.strategies.nv_coopmat2.arrays.tensor_layout import ARRAYS
from mmaspec.strategies.nv_coopmat2.builder.program import LINE, ProgramBuilder

BITS = (3, 4, 5, 6, 8, 12, 15, 16, 17)

NUMBERS = {
    f"{side}-2-{bits}": (1 << bits) + more for bits in BITS for side, more in (("below", -1), ("at", 0), ("above", 1))
} | {"to-15-bits": 20_000, "to-16-bits": 50_000, "to-17-bits": 100_000}
"""Class of ``plain-stride`` or ``plain-offset`` -> the number."""

TOO_LONG = ("below-2-16", "above-2-16", "below-2-17", "above-2-17")
"""Strides that are left to offsets: they take as long as those one or two below, and show the same."""
LONG = 1 << 14
"""A stride from which on an access takes many bytes."""
MOST = 1 << 24
"""Bytes of a view: more takes too long to run."""

BASES = {
    "zero": 0, "sixteen": 16, "thirty-two": 48, "sixty-four": 64, "one-hundred-twenty-eight": 128, "odd-sixteens": 240,
}  # fmt: skip
"""Class of ``buffer-base`` -> where the view starts."""

TYPES: tuple[ArrayType, ...] = ("uint8_t", "uint16_t", "uint", "uvec2", "uvec4")


def lines_of(matrix: Matrix, layout: int) -> tuple[int, int]:
    """How many rows (columns) lie in memory one after the other, and bytes of each."""
    lines, line = (matrix.cols, matrix.rows) if layout == COLUMN_MAJOR else (matrix.rows, matrix.cols)
    return lines, line * format_named(matrix.component).nbytes


def array_of(matrix: Matrix, layout: int, *numbers: int) -> tuple[ArrayType, int] | None:
    """The smallest elements in which these numbers are aligned strides and offsets of a matrix, and their bytes."""
    line = lines_of(matrix, layout)[1]
    for array in TYPES:
        unit = ARRAY_BYTES[array]
        if not any(number * unit % min(LINE, line) for number in numbers) and numbers[0] * unit >= line:
            return array, unit
    return None


def drafted(builder: ProgramBuilder, buffers: tuple[Buffer, ...], regime: str = "distinct") -> Draft:
    """The finished program with views of just these sizes."""
    builder.used.update((buffer.name, buffer.size) for buffer in buffers)
    draft = builder.draft(regime, batch=1)
    own = {buffer.name: buffer for buffer in buffers}
    found = tuple(own.get(buffer.name, buffer) for buffer in draft.program.buffers)
    return Draft(replace(draft.program, buffers=found), regime, draft.batch, draft.words)


def _smallest(builder: ProgramBuilder, numbers: tuple[int, int]) -> tuple[Matrix, int, ArrayType, int] | None:
    """The matrix, in the memory layout, that takes the fewest bytes with such a stride and offset."""
    stride, offset = numbers
    found = []
    for use in (USE_B, USE_A, USE_ACCUMULATOR):
        for layout in (ROW_MAJOR, COLUMN_MAJOR):
            matrix = builder.matrix(use)
            builder.matrices.pop()
            array = array_of(matrix, layout, stride, offset)
            if array is not None:
                lines, line = lines_of(matrix, layout)
                found.append((((lines - 1) * stride + offset) * array[1] + line, use, layout, *array))
    if not found or min(found)[0] > MOST:
        return None
    small = [one for one in found if one[0] <= max(min(found)[0], LINE << 12)]
    _, use, layout, array_type, unit = builder.choices.one_of(small)
    return builder.matrix(use), layout, array_type, unit


def _numbered(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder = ProgramBuilder(context, most_waves=1)
    names = tuple(NUMBERS)
    stride = NUMBERS[chosen["plain-stride"]]
    # Offsets are other numbers than the strides, and for long ones on the same side of a power: elements stay small.
    if chosen["plain-stride"].startswith("to-"):
        names = tuple(name for name in names if name.startswith("to-"))
    shift = (10, 4)[int(chosen["offset-turn"])] if stride < LONG else (3, 6)[int(chosen["offset-turn"])]
    offset = NUMBERS[names[(names.index(chosen["plain-stride"]) + shift) % len(names)]]
    found = _smallest(builder, (stride, offset))
    if found is None:
        return None
    matrix, layout, array, unit = found
    lines, line = lines_of(matrix, layout)
    size = ((lines - 1) * stride + offset) * unit + line
    where, apart = builder.argument(offset), builder.argument(stride)
    stem = matrix.name.upper()
    exact = line // format_named(matrix.component).nbytes
    # Those that take long come once, in a load and a store.
    both = stride >= LONG and unit == LINE
    loads, stores = both or chosen["access"] == "load", both or chosen["access"] == "store"
    builder.add(
        Load(matrix.name, "in", where, apart, layout, array, stem)
        if loads
        else Load(matrix.name, "in", 0, exact, layout, "", stem),
        Store(matrix.name, "out", where, apart, layout, array)
        if stores
        else Store(matrix.name, "out", 0, exact, layout),
    )
    sizes = {"in": size if loads else lines * line, "out": size if stores else lines * line}
    return drafted(builder, tuple(Buffer(name, -(-size // LINE) * LINE) for name, size in sizes.items()))


def _few(row: Row[Any], _: CoopMatCaps, __: str, ___: str) -> bool:
    """Rows with few lines: the numbers are the same in all of them."""
    return bool(min(row.entry.m, row.entry.n, row.entry.k) <= 8)


PLAIN_NUMBERS = Array(
    name="plain-numbers",
    focus=("KHRCM-STRIDE-UNITS", "KHRCM-LOAD-ROW", "KHRCM-LOAD-COL"),
    axes={
        "plain-stride": tuple(name for name in NUMBERS if name not in TOO_LONG),
        "offset-turn": ("0", "1"),
        "access": ("load", "store"),
    },
    build=_numbered,
    rows=("shared",),
    fits=_few,
    costly=tuple(f"plain-stride={one}" for one in ("below-2-15", "above-2-15")),
)
"""One load or store with a stride and an offset of some number of bits."""


SIZES = {"line": 16, "small": 256, "page": 4096, "fifteen-bits": 1 << 15, "sixteen-bits": 1 << 16, "large": 1 << 17}
"""Bytes of a view, of which the last ones are elements; one that is too small for them is as large as they need."""

ENDS = {"exact": (0, 0), "exact-row-gap": (1, 0), "sub-word": (1, 3), "sub-line": (0, 4), "sub-half": (1, 6)}
"""Class of ``buffer-end`` -> lines of 16 bytes between rows, and bytes behind the last element."""


def _ended(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder = ProgramBuilder(context, most_waves=1)
    matrix = builder.matrix(USES[chosen["use"]])
    array = ARRAYS[chosen["array-element"]]
    unit = builder.unit(array, matrix)
    layout = builder.choices.one_of((ROW_MAJOR, COLUMN_MAJOR))
    other = COLUMN_MAJOR if layout == ROW_MAJOR else ROW_MAJOR
    accesses: list[tuple[str, Index, Index, int, ArrayType]] = []
    buffers: list[Buffer] = []
    for name, major, base in (("in", layout, chosen["base-in"]), ("out", other, chosen["buffer-base"])):
        lines, line = lines_of(matrix, major)
        grain = lcm(min(LINE, line), unit)
        gap, behind = ENDS[chosen["end"]]
        stride = -(-line // grain) * grain + gap * grain
        extent = (lines - 1) * stride + line
        end = max(SIZES[chosen["size"]], extent)
        start = (end - extent) // grain * grain
        accesses.append((name, builder.argument(start // unit), builder.argument(stride // unit), major, array))
        buffers.append(Buffer(name, start + extent + behind, BASES[base]))
    builder.add(Load(matrix.name, *accesses[0], matrix.name.upper()), Store(matrix.name, *accesses[1]))
    arguments = Buffer("args", 4 * len(builder.words) + 4, BASES[chosen["buffer-base"]])
    return drafted(builder, (*buffers, *((arguments,) if builder.words else ())))


PLAIN_ENDS = Array(
    name="plain-ends",
    focus=("NVCM2-STORE-ONLY-ELEMS", "KHRCM-ALIGN"),
    axes={
        "buffer-base": tuple(BASES),
        "base-in": tuple(BASES),
        "end": tuple(ENDS),
        "size": tuple(SIZES),
        "use": tuple(USES),
        "array-element": tuple(ARRAYS),
    },
    build=_ended,
    rows=("addresses",),
)
"""A load and a store whose last elements end the views, or stand just before their end."""
