"""Copies of whole groups between buffers and arrays: every thing an array, copied in and out again without a matrix."""

from __future__ import annotations

from typing import Any

from mmaspec.oracle.hlsl_wave_matrix.addresses import cells
from mmaspec.oracle.spec import Row
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import (
    Barrier,
    ElementType,
    Instruction,
    Load,
    SharedArray,
    Stage,
    Store,
    Unstage,
)
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.hlsl_wave_matrix.arrays.numbers import within
from mmaspec.strategies.hlsl_wave_matrix.arrays.packed import Packed, one_of_each
from mmaspec.strategies.hlsl_wave_matrix.builder.program import ProgramBuilder, Room
from mmaspec.strategies.hlsl_wave_matrix.builder.shared_arrays import GROUP_BYTES, array_bytes

STARTS = {"zero": range(1), "even": range(2, 10, 2), "odd": range(3, 9, 2)}
"""Classes of ``copy-start``."""
OFFSETS = {
    "zero": range(1), "dword": range(4, 120, 8), "sixteen": range(16, 256, 16), "beyond-12-bits": range(4096, 4300, 4),
    "beyond-16-bits": range(65536, 65800, 4),
}  # fmt: skip
"""Classes of ``copy-offset``."""
ELEMENTS: dict[str, ElementType] = {"f16": "f16", "f32": "f32", "s8": "s8", "u8": "u8", "s32": "s32"}


def _program(context: DrawContext[WaveMmaCaps], things: tuple[Chosen, ...]) -> Draft | None:
    """Every copy with an array and buffers of its own."""
    builder, body, choices = ProgramBuilder(context), list[Instruction](), context.choices
    for number, thing in enumerate(things):
        element = ELEMENTS[thing["array-element"]]
        size = FORMATS[element].nbytes * cells(element)
        rows, columns, gap = _runs(choices, thing, size)
        first = choices.one_of(STARTS[thing["copy-start"]])
        array = SharedArray(f"array-{number}", element, first + rows * columns + choices.integer(0, 5))
        pitch = (columns + gap) * size
        if size < 4 and rows > 1 and pitch % 4:
            return None
        builder.arrays.append(array)
        start = choices.one_of(OFFSETS[thing["copy-offset"]])
        for name in (f"in-{number}", f"out-{number}"):
            end = start + (rows - 1) * pitch + columns * size
            builder.rooms[name] = Room(name, 16 * choices.integer(0, 6), end + end % 4, read_only=name.startswith("in"))
        told = (start, columns, rows, pitch, first)
        body += [Stage(array.name, f"in-{number}", *told, data=f"copied-{number}"), Barrier()]
        body.append(Unstage(array.name, f"out-{number}", *told))
    body += _in_halves(builder)
    if sum(map(array_bytes, builder.arrays)) > GROUP_BYTES:
        return None
    return builder.draft(body, "distinct", batch=2)


def _in_halves(builder: ProgramBuilder) -> list[Instruction]:
    """A fragment by way of an array that is copied in and out in two parts."""
    matrix = builder.matrix("left-col-acc", "F")
    array, half = SharedArray("halves", matrix.element, matrix.rows), matrix.rows // 2
    builder.arrays.append(array)
    size = half * FORMATS[matrix.element].nbytes
    factor = builder.matrix("left", "A")
    factor_load = builder.load(factor, builder.room("A-in", read_only=True))
    for name in ("parts-in", "parts-out"):
        builder.rooms[name] = Room(name, 32, 2 * size + 12, read_only=name == "parts-in")
    parts = ((size + 8, half, 1, 0, 0), (0, half, 1, 0, half))
    return [
        factor_load,
        builder.store(factor, builder.room("A-out")),
        *(Stage(array.name, "parts-in", *part) for part in parts),
        Barrier(),
        Load(matrix.name, array.name, 0, 1, data="halves"),
        Barrier(),
        Store(matrix.name, array.name, 0, 1),
        Barrier(),
        *(Unstage(array.name, "parts-out", *part) for part in parts),
    ]


def _runs(choices: Choices, thing: Chosen, size: int) -> tuple[int, int, int]:
    """Runs, elements of each, and elements between two; of halves a dword at least."""
    rows = choices.one_of(within("copy-rows", thing["copy-rows"])[:9])
    least = 2 if size < 4 else 1
    few = max(1, min(8, 300 // rows // least))
    columns = 1 if thing["copy-columns"] == "one-column" else least * choices.integer(1 if least == 2 else 2, few + 1)
    return rows, columns, {"gap-one": 1, "gap": 2 * choices.integer(1, 4)}.get(thing["copy-columns"], 0)


COPIES = Packed(
    "copies",
    ("WM-ADDR-GS",),
    {
        "copy-rows": ("one", "few", "sixteen", "to-63", "sixty-four", "more"),
        "copy-columns": ("whole-pitch", "gap-one", "gap", "one-column"),
        "copy-start": tuple(STARTS),
        "copy-offset": tuple(OFFSETS),
        "array-element": tuple(ELEMENTS),
    },
    _program,
    ("stage", "unstage"),
    8,
    (
        "copy-rows=one with copy-columns=gap-one|gap|one-column",
        # Halves are copied in whole dwords.
        "array-element=f16 with copy-columns=one-column|gap-one",
    ),
)  # fmt: skip
"""Copies."""

LENGTHS = (
    "below-8-bits", "above-8-bits", "below-12-bits", "at-12-bits", "above-12-bits", "dwords-of-32k", "halves-of-32k",
)  # fmt: skip


def _whole(context: DrawContext[WaveMmaCaps], chosen: Chosen) -> Draft:
    """An array of a length with a fragment at its end, staged and copied out as a whole."""
    builder = ProgramBuilder(context)
    length = within("array-length", chosen["array-length"])[0]
    matrix = builder.matrix("left-col-acc", "F")
    builder.arrays.append(SharedArray("whole", matrix.element, length))
    size = FORMATS[matrix.element].nbytes
    for name in ("in", "out"):
        builder.rooms[name] = Room(name, 16, length * size + 12, read_only=name == "in")
    last = length - matrix.rows
    even = length - length % (4 // size)  # halves are copied in whole dwords
    factor = builder.matrix("left", "A")
    body: list[Instruction] = [builder.load(factor, builder.room("A-in")), builder.store(factor, builder.room("A-out"))]
    body += [Stage("whole", "in", 4, even, data="whole"), Barrier(), Load(matrix.name, "whole", last - last % 2, 1)]
    body += [Barrier(), Store(matrix.name, "whole", 0, 1), Barrier(), Unstage("whole", "out", 8, even)]
    return builder.draft(body, "distinct", batch=1)


def _holds(row: Row[Any], caps: WaveMmaCaps, axis: str, name: str) -> bool:
    """One row with elements of four bytes, and for what only halves reach one with these."""
    rows = one_of_each(caps, 0)
    own = [one for one in rows if (one.entry.accumulator == "f16") == (name == "halves-of-32k")]
    return axis != "array-length" or row in own[:1]


ARRAY_LENGTHS = Array(
    name="array-lengths",
    focus=("WM-ADDR-GS",),
    axes={"array-length": LENGTHS},
    build=_whole,
    fits=_holds,
)
"""Arrays up to all of the memory that a group has."""
