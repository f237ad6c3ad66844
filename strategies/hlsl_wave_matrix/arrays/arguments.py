"""Arguments that waves, passes, lanes and words of memory decide, in every way that leaves them legal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from mmaspec.oracle.hlsl_wave_matrix.addresses import memory_row_bytes
from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Affine, FromBuffer, Index, Literal, RunTime, Word
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import (
    Fill,
    Instruction,
    Load,
    Matrix,
    Repeat,
    ScalarAdd,
    ScalarDivide,
    ScalarMultiply,
    Simple,
    Store,
)
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.hlsl_wave_matrix.arrays.buffer_places import end
from mmaspec.strategies.hlsl_wave_matrix.arrays.operations import regime_of
from mmaspec.strategies.hlsl_wave_matrix.arrays.packed import one_of_each
from mmaspec.strategies.hlsl_wave_matrix.builder.constants import encoded
from mmaspec.strategies.hlsl_wave_matrix.builder.program import ProgramBuilder, Room

PASSES = 3
FAR = 1 << 16
LANES: Mapping[str, int] = MappingProxyType({"legal": 8, "illegal": 1, "large": 4096, "descending": -4})
"""Classes of ``affine-lane``, and what each further lane adds to a stride."""


def _loaded(builder: ProgramBuilder, matrix: Matrix, offset: Index, stride: Index, last: int, most: int) -> Load:
    """A Load, row-major, from a buffer of its own in which the last access begins at ``last`` with stride ``most``."""
    name = f"{matrix.name}-in"
    builder.rooms[name] = Room(name, 16 * builder.choices.integer(0, 6), end(matrix, last, most, 0) + 8, read_only=True)
    return Load(matrix.name, name, offset, stride, 0, 0, matrix.name)


def _steps(builder: ProgramBuilder) -> list[Instruction]:
    """Offsets of waves and passes: rows and whole matrices on, far on, and by the place of the wave in a grid."""
    waves, body = builder.waves, list[Instruction]()
    for number, kind in enumerate(("left", "right", "accumulator", "left")):
        matrix = builder.matrix(kind, f"M{number}")  # type: ignore[arg-type]
        row = memory_row_bytes(matrix, 0) + (8 if number == 0 else 0)
        tile = matrix.rows * row
        down = -(-waves // 3)
        offset, last = (
            (Affine(4, row, row), row * (waves + PASSES)),
            (Affine(8, tile, FAR + tile * waves, waves), tile * waves * PASSES + FAR * PASSES),
            (Affine(12, tile, 3 * tile * down, 3, 3 * tile), 3 * tile * down * PASSES),
            (Affine((waves - 1) * row + 2 * tile, -row, -tile), waves * row + 2 * tile),
        )[number]
        if number in (0, 3):
            # Rows that waves share are data of none of them, but of loads that come before.
            start, laid = offset.base % row, -(-(last // row + matrix.rows) // matrix.rows)
            load = replace(_loaded(builder, matrix, offset, row, start + (laid - 1) * tile, row), data=None)
            for part in range(laid):
                other = builder.matrix(kind, f"M{number}-{part}")  # type: ignore[arg-type]
                body.append(replace(load, matrix=other.name, offset=start + part * tile, data=other.name))
        else:
            load = _loaded(builder, matrix, offset, row, last + 12, row)
        builder.passes = PASSES
        body.append(Repeat(PASSES, (load, builder.store(matrix, "out"))))
        builder.passes = 1
    fixed = builder.matrix("accumulator", "fixed")
    row = memory_row_bytes(fixed, 0)
    # Outside loops the pass is 0, whatever its factor.
    straight = builder.matrix("left-col-acc", "straight")
    size = FORMATS[straight.element].nbytes
    return [
        *body,
        _loaded(builder, fixed, Affine(20), Affine(row), 20, row),
        builder.store(fixed, "out"),
        _loaded(builder, straight, Affine(24, loop=1), Affine(size, loop=-1), 24, size),
        builder.store(straight, "out"),
    ]


def _lanes(builder: ProgramBuilder) -> list[Instruction]:
    """Strides that only the first lane has, alone and with those of waves and passes."""
    body = list[Instruction]()
    for name, lane in LANES.items():
        for kind in ("left", "accumulator"):
            matrix = builder.matrix(kind, f"{kind}-{name}")
            row = memory_row_bytes(matrix, 0)
            most = row + 4 * max(builder.waves, PASSES)
            tile = most * matrix.rows
            if kind == "left":
                stride = Affine(row, 4, lane=lane)
                body.append(_loaded(builder, matrix, Affine(4, tile), stride, tile * builder.waves, most))
                body.append(builder.store(matrix, "out"))
                continue
            by_pass, stride = Affine(4, loop=tile), Affine(row, loop=4, lane=lane)
            load = _loaded(builder, matrix, by_pass, stride, tile * PASSES, most)
            builder.passes = PASSES
            body.append(Repeat(PASSES, (load, builder.store(matrix, "out"))))
            builder.passes = 1
    return body


def _words(builder: ProgramBuilder) -> list[Instruction]:
    """Words in the buffers of the matrices themselves, far from their start, and for several arguments at once."""
    left, right = builder.matrix("left", "A"), builder.matrix("right", "B")
    rows = {matrix.name: memory_row_bytes(matrix, 0) for matrix in (left, right)}

    def word(buffer: str, offset: int, value: int) -> RunTime:
        builder.words.append(Word(buffer, offset, value))
        return RunTime(buffer, offset)

    builder.rooms["all"] = Room("all", 16, FAR + 1024, read_only=False)
    stride = word("all", FAR + 600, rows["A"])
    body: list[Instruction] = [
        Load("A", "all", word("all", 300, 8192), stride, 0, 0, "A"),
        Store("A", "all", word("all", 5000, 32768), stride),
    ]
    for name, read_only in (("with-in", True), ("with-out", False)):
        builder.rooms[name] = Room(name, 32, end(right, rows["B"], rows["B"], 0) + 64, read_only)
        both = word(name, 4, rows["B"])
        access = Load("B", name, both, both, 0, 0, "B")
        body.append(access if read_only else Store("B", name, both, both))
    return body


def _scalars(builder: ProgramBuilder) -> list[Instruction]:
    """Scalars at the start and far from it, those that are elements of a matrix, and those that lanes disagree on."""
    left, total = builder.matrix("left", "A"), builder.matrix("accumulator", "C")
    other = builder.matrix("accumulator", "D")
    fmt = FORMATS[total.element]
    row = memory_row_bytes(total, 0)
    body: list[Instruction] = [
        _loaded(builder, total, 0, row, 0, row), builder.load(other, "in"),
        ScalarAdd("D", FromBuffer("C-in", row + 2 * fmt.nbytes)),
    ]  # fmt: skip
    for name, matrix in (("fills", left), ("sums", total)):
        builder.rooms[name] = Room(name, 48, FAR + 64, builder.choices.chance(50))
        for place in (0, 4100, FAR + 20):
            value = FromBuffer(name, place, f"{name}-{place}")
            if matrix is left:
                passes: tuple[Simple, ...] = (Fill("A", value), builder.store(left, "out"))
                body += passes if place else [Repeat(2, (Fill("A", value),)), builder.store(left, "out")]
            else:
                body.append(ScalarAdd("C", value))
    three, sign = encoded(fmt, 3), fmt.sign_bit
    bad = (0 if not fmt.is_float else fmt.mask & ~sign) - three & fmt.mask
    alone = builder.matrix("accumulator", "E")  # a neighbour of the scalar shows in products of small numbers alone
    return [
        *body,
        ScalarAdd("D", Literal(three), sign),
        ScalarDivide("C", Literal(three), bad),
        builder.load(alone, "in"),
        ScalarMultiply("E", Literal(three), 1),
        *(builder.store(matrix, "out") for matrix in (total, other, alone)),
    ]


Scene = Callable[[ProgramBuilder], list[Instruction]]
SCENES: Mapping[str, tuple[Scene, tuple[int, ...]]] = MappingProxyType(
    {"steps": (_steps, (4, 5, 7)), "lanes": (_lanes, (1, 2, 3)), "words": (_words, (1,)), "scalars": (_scalars, (1,))}
)
"""Name -> how it is built, and for how many waves."""


def _built(context: DrawContext[WaveMmaCaps], chosen: Chosen) -> Draft:
    scene, waves = SCENES[chosen["scene"]]
    builder = ProgramBuilder(context, context.choices.one_of(waves))
    builder.room("in", read_only=context.choices.chance(50))
    builder.room("out")
    return builder.draft(scene(builder), "distinct" if scene is not _scalars else regime_of(context.row), batch=2)


def _fits(row: Row[Any], caps: WaveMmaCaps, axis: str, name: str) -> bool:
    return axis != "scene" or row in one_of_each(caps, [*SCENES].index(name) % 2)


ARGUMENTS = Array(
    name="arguments",
    focus=("WM-FIRST-LANE", "WM-ADDR-ROW", "WM-ONE-PER-WAVE", "WM-LOAD-OFFSET-DWORD", "WM-SCALAR-OPS", "WM-FILL"),
    axes={"scene": tuple(SCENES)},
    build=_built,
    fits=_fits,
)
"""What decides arguments."""
