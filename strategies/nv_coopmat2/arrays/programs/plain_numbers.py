"""Plain accesses whose strides and offsets stand at powers of two and beside them, in views that end where they end."""

from __future__ import annotations

from functools import lru_cache
from math import lcm
from typing import Any

from msgspec.structs import replace

from mmaspec.oracle.nv_coopmat2.rows import rows
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
    EachComponent,
    Load,
    LoadTensor,
    Matrix,
    SetDimension,
    Store,
    StoreTensor,
)
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.arrays.tensor_access import USES
from mmaspec.strategies.nv_coopmat2.arrays.tensor_layout import ARRAYS
from mmaspec.strategies.nv_coopmat2.builder.program import LINE, ProgramBuilder
from mmaspec.strategies.nv_coopmat2.features import TENSORS, has
from mmaspec.strategies.nv_coopmat2.templates.plain import store

BITS = (3, 4, 5, 6, 8, 12, 15, 16, 17)

NUMBERS = {
    f"{side}-2-{bits}": (1 << bits) + more for bits in BITS for side, more in (("below", -1), ("at", 0), ("above", 1))
} | {"to-15-bits": 20_000, "to-16-bits": 50_000, "to-17-bits": 100_000, "to-24-bits": 200_000}
"""Class of ``plain-stride`` or ``plain-offset`` -> the number."""

TOGETHER: dict[str, tuple[str, ...]] = {
    "small": tuple(f"{side}-2-{bits}" for bits in (3, 4, 5, 6, 8) for side in ("below", "at", "above")),
    "large": (
        "below-2-12", "at-2-12", "above-2-12", "to-15-bits", "at-2-15", "to-16-bits", "at-2-16", "to-17-bits",
        "at-2-17", "to-24-bits",
    ),
    "beside-2-15": ("below-2-15", "above-2-15"),
    "beside-2-16": ("below-2-16", "above-2-16"),
    "below-2-17": ("below-2-17",),
    "above-2-17": ("above-2-17",),
}  # fmt: skip
"""Numbers that stand in one program: odd ones take long, as what is odd counts elements of 16 bytes."""
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


def drafted(builder: ProgramBuilder, buffers: tuple[Buffer, ...], regime: str = "distinct") -> Draft:
    """The finished program with views of just these sizes."""
    builder.used.update((buffer.name, buffer.size) for buffer in buffers)
    draft = builder.draft(regime, batch=1)
    own = {buffer.name: buffer for buffer in buffers}
    found = tuple(own.get(buffer.name, buffer) for buffer in draft.program.buffers)
    return Draft(replace(draft.program, buffers=found), regime, draft.batch, draft.words)


def _smallest(builder: ProgramBuilder, stride: int, offset: int) -> tuple[Matrix, int, ArrayType, int] | None:
    """The matrix, in the memory layout, that takes the fewest bytes with such a stride and offset; 0: any stride."""
    found = []
    for use in (USE_B, USE_A, USE_ACCUMULATOR):
        for layout in (ROW_MAJOR, COLUMN_MAJOR):
            matrix = builder.matrix(use)
            builder.matrices.pop()
            lines, line = lines_of(matrix, layout)
            for array in TYPES:
                unit = ARRAY_BYTES[array]
                apart = stride or -(-line // unit)
                grain = min(LINE, line)
                if not (apart * unit % grain or offset * unit % grain) and apart * unit >= line:
                    found.append((((lines - 1) * apart + offset) * unit + line, use, layout, array, apart))
                    break
    if not found or min(found)[0] > MOST:
        return None
    small = [one for one in found if one[0] <= max(min(found)[0], LINE << 10)]
    _, use, layout, array_type, apart = builder.choices.one_of(small)
    return builder.matrix(use), layout, array_type, apart


def _numbered(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    """Every number in a buffer of its own: loaded, changed and stored over what was there."""
    builder = ProgramBuilder(context, most_waves=1)
    buffers: list[Buffer] = []
    for name in TOGETHER[chosen["numbers"]]:
        number = NUMBERS[name]
        strides = chosen["of"] == "strides"
        offset = builder.choices.integer(0, 3) * LINE if strides else number
        found = _smallest(builder, number if strides else 0, offset)
        if found is None:
            return None
        matrix, layout, array, apart = found
        lines, line = lines_of(matrix, layout)
        unit = ARRAY_BYTES[array]
        size = ((lines - 1) * apart + offset) * unit + line
        where, stride = builder.argument(offset), builder.argument(apart)
        buffer = f"{name}-of-{len(buffers)}"
        builder.add(
            Load(matrix.name, buffer, where, stride, layout, array, builder.name("N")),
            store(builder, matrix),
            EachComponent(matrix.name, "negate"),
            Store(matrix.name, buffer, where, stride, layout, array),
        )
        buffers.append(Buffer(buffer, -(-size // LINE) * LINE))
        if not strides and name.endswith("2-17") and has(builder.caps, TENSORS):
            buffers.append(_tensor_at(builder, number))
    return drafted(builder, tuple(buffers))


def _tensor_at(builder: ProgramBuilder, number: int) -> Buffer:
    """A tensor at an offset of so many elements of 16 bytes, loaded, changed and stored; its buffer."""
    matrix, buffer = builder.matrix(USE_ACCUMULATOR), f"tensor-{number}"
    tensor = builder.layout((SetDimension((matrix.rows, matrix.cols)),))
    where, data = builder.argument(number), builder.name("N")
    builder.add(
        LoadTensor(matrix.name, buffer, where, tensor, "uvec4", data),
        store(builder, matrix),
        EachComponent(matrix.name, "negate"),
        StoreTensor(matrix.name, buffer, where, tensor, "uvec4"),
    )
    size = number * LINE + matrix.rows * matrix.cols * format_named(matrix.component).nbytes
    return Buffer(buffer, -(-size // LINE) * LINE)


def _few(row: Row[Any], caps: CoopMatCaps, _: str, __: str) -> bool:
    """The row with the fewest lines: the numbers are the same in all of them."""
    return bool(row.name == _shortest(caps))


@lru_cache(maxsize=16)
def _shortest(caps: CoopMatCaps) -> str:
    able = [row for row in rows(caps) if "arithmetic" in row.tags and row.entry.a != "bf16"]
    found = min(able or rows(caps), key=lambda row: (min(row.entry.m, row.entry.n, row.entry.k), row.name))
    return found.name


PLAIN_NUMBERS = Array(
    name="plain-numbers",
    focus=("KHRCM-STRIDE-UNITS", "KHRCM-LOAD-ROW", "KHRCM-LOAD-COL"),
    axes={"of": ("strides", "offsets"), "numbers": tuple(TOGETHER)},
    build=_numbered,
    fits=_few,
)
"""Loads and stores with strides, or offsets, of some numbers of bits, each in a buffer of its own."""


SIZES = {"line": 16, "small": 256, "page": 4096, "fifteen-bits": 1 << 15, "sixteen-bits": 1 << 16, "large": 1 << 17}
"""Bytes of a view, of which the last ones are elements; one that is too small for them is as large as they need."""

ENDS = {"exact": (0, 0), "exact-row-gap": (1, 0), "sub-word": (1, 3), "sub-line": (0, 4), "sub-half": (1, 6)}
"""Class of ``buffer-end`` -> lines of 16 bytes between rows, and bytes behind the last element."""


def _last_byte(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    """Loads and stores of single bytes that end just below a power of two."""
    builder = ProgramBuilder(context, most_waves=1)
    buffers: list[Buffer] = []
    for end in LAST[chosen["end"]]:
        matrix = builder.matrix(USE_B if format_named(builder.entry.b).nbytes == 1 else USE_A)
        line = matrix.cols
        grain = min(LINE, line)
        whole = matrix.rows * line
        buffer = f"to-{end}"
        start, stride = (end - whole, line) if whole <= end else (end - line, 0)
        if start < 0 or start % grain:
            return None
        builder.add(Load(matrix.name, buffer, start, stride, ROW_MAJOR, "uint8_t", builder.name("E")))
        builder.add(store(builder, matrix), EachComponent(matrix.name, "negate"))
        if stride:
            builder.add(Store(matrix.name, buffer, start, stride, ROW_MAJOR, "uint8_t"))
        buffers.append(Buffer(buffer, end))
    return drafted(builder, tuple(buffers))


LAST = {"bytes": (1 << 8, 1 << 12, 1 << 15, 1 << 16, 1 << 17)}
"""Sizes of views whose last byte is an element."""


@lru_cache(maxsize=16)
def _bytes_row(caps: CoopMatCaps) -> str | None:
    """The row with the smallest matrix of single bytes."""
    able = [row for row in rows(caps) if format_named(row.entry.b).nbytes == 1]
    return min(able, key=lambda row: (row.entry.k * row.entry.n, row.name)).name if able else None


LAST_BYTES = Array(
    name="plain-last-bytes",
    focus=("KHRCM-LOAD-ROW", "NVCM2-STORE-ONLY-ELEMS"),
    axes={"end": tuple(LAST)},
    build=_last_byte,
    fits=lambda row, caps, _, __: row.name == _bytes_row(caps),
)
"""Loads and stores whose last element stands at the last byte before a power of two."""


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
