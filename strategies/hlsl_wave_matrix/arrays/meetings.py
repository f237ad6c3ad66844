"""Waves and passes that meet in groupshared arrays: what one stored another one loads, whole, across or in part."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Affine, Literal
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import (
    Barrier,
    Branch,
    Fill,
    Instruction,
    Load,
    Matrix,
    Repeat,
    ScalarAdd,
    SharedArray,
    Stage,
    Store,
    Unstage,
)
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.hlsl_wave_matrix.arrays.operations import regime_of
from mmaspec.strategies.hlsl_wave_matrix.arrays.packed import one_of_each
from mmaspec.strategies.hlsl_wave_matrix.builder.constants import encoded
from mmaspec.strategies.hlsl_wave_matrix.builder.program import FRAGMENT_NAMES, ProgramBuilder
from mmaspec.strategies.hlsl_wave_matrix.builder.shared_arrays import fitting

EVERYBODY = 1 << 10
"""More lanes than any wave has."""
PASSES = 3


def _array(builder: ProgramBuilder, name: str, matrix: Matrix, parts: int = 1) -> SharedArray:
    array = SharedArray(name, matrix.element, parts * matrix.rows * matrix.cols)
    builder.arrays.append(array)
    return array


def _row(matrix: Matrix) -> int:
    """The stride of a matrix without padding, in elements of an array."""
    return 1 if matrix.is_fragment else matrix.cols


def _copied(builder: ProgramBuilder, array: SharedArray, kind: type[Stage | Unstage], name: str) -> Stage | Unstage:
    """The whole array from or to a place of its own."""
    room = builder.rooms["in" if kind is Stage else "out"]
    start = -(-room.used // 4) * 4 + 8
    room.used = start + array.length * FORMATS[array.element].nbytes
    if kind is Stage:
        return Stage(array.name, "in", start, array.length, data=name)
    return Unstage(array.name, "out", start, array.length)


def _exchanged(builder: ProgramBuilder) -> list[Instruction]:
    """Every wave stores into its part, and loads that of the wave opposite: from the other end of the array."""
    last, body = builder.waves - 1, list[Instruction]()
    for kind in ("accumulator", "left-col-acc", "right-row-acc"):
        given, taken = builder.matrix(kind, f"{kind}-given"), builder.matrix(kind, f"{kind}-taken")
        size = given.rows * given.cols
        if builder.waves * size * FORMATS[given.element].nbytes > 1 << 14:
            builder.matrices = builder.matrices[:-2]
            continue
        array = _array(builder, f"{kind}-parts", given, builder.waves)
        body += [
            builder.load(given, "in"),
            Store(given.name, array.name, Affine(0, size), _row(given)),
            Barrier(),
            Load(taken.name, array.name, Affine(last * size, -size), _row(taken)),
            builder.store(taken, "out"),
        ]
    return body


def _crossed(builder: ProgramBuilder) -> list[Instruction]:
    """Fragments stored behind each other and loaded across them: an element of every wave in turn."""
    body = list[Instruction]()
    for kind, name in FRAGMENT_NAMES:
        given, taken = builder.matrix(kind, f"{name}-given"), builder.matrix(kind, f"{name}-taken")
        array = _array(builder, f"{name}-parts", given, builder.waves)
        body += [
            builder.load(given, "in"),
            Store(given.name, array.name, Affine(0, given.rows * given.cols), 1),
            Barrier(),
            Load(taken.name, array.name, Affine(0, 1), builder.waves),
            builder.store(taken, "out"),
        ]
    return body


def _over(builder: ProgramBuilder) -> list[Instruction]:
    """Fragments stored over parts of what was staged, and the whole loaded; stores over NaN and over themselves."""
    total, body = builder.matrix("accumulator", "total"), list[Instruction]()
    array = _array(builder, "total-array", total)
    body += [_copied(builder, array, Stage, "total-staged"), Barrier()]
    for number, (kind, name) in enumerate(FRAGMENT_NAMES):
        some, again = builder.matrix(kind, name), builder.matrix(kind, f"{name}-again")
        body.append(builder.load(some, "in"))
        # The first column, then the last row: both in the matrix, and an element in both.
        place = (total.rows - 1) * total.cols if number else 0
        body += [Store(some.name, array.name, place, 1 if number else total.cols), Barrier()]
        every = _array(builder, f"{name}-array", some, 2)
        body += [_copied(builder, every, Stage, f"{name}-staged"), Barrier()]
        body += [Store(some.name, every.name, 0, 2), Barrier(), Load(again.name, every.name, 1, 1), Barrier()]
        body.append(builder.store(again, "out"))
        body += _again(builder, some, every)
    body += [Load(total.name, array.name, 0, total.cols), builder.store(total, "out")]
    return body


def _again(builder: ProgramBuilder, matrix: Matrix, array: SharedArray) -> list[Instruction]:
    """Stored where NaN, or other extreme bits, were stored, changed and stored there once more."""
    fmt = FORMATS[matrix.element]
    extreme = fmt.mask & ~fmt.sign_bit
    other = builder.matrix(matrix.kind, f"{matrix.name}-extreme")
    return [
        Fill(other.name, Literal(extreme)),
        Store(other.name, array.name, 0, 2),
        Barrier(),
        Store(matrix.name, array.name, 0, 2),
        Barrier(),
        Branch(EVERYBODY, (_copied(builder, array, Unstage, ""), Barrier())),
        ScalarAdd(matrix.name, Literal(encoded(fmt, 1))),
        Store(matrix.name, array.name, 0, 2),
        Barrier(),
        Barrier(),
        _copied(builder, array, Unstage, ""),
        Barrier(),
    ]


def _rounds(builder: ProgramBuilder) -> list[Instruction]:
    """Loops that store what their next pass loads: in place, and a part of an array further on in every pass."""
    body = list[Instruction]()
    for kind, name in FRAGMENT_NAMES:
        one = builder.matrix(kind, name)
        size, more = one.rows * one.cols, ScalarAdd(one.name, Literal(encoded(FORMATS[one.element], 2)))
        place, parts = _array(builder, f"{name}-place", one), _array(builder, f"{name}-parts", one, PASSES + 1)
        body += [builder.load(one, "in"), Store(one.name, place.name, 0, 1)]
        body.append(Repeat(PASSES, (Barrier(), Load(one.name, place.name, 0, 1), more, Barrier(),
                                    Store(one.name, place.name, 0, 1))))  # fmt: skip
        body.append(Store(one.name, parts.name, PASSES * size, 1))
        here, below = Affine(PASSES * size, loop=-size), Affine((PASSES - 1) * size, loop=-size)
        loaded, stored = Load(one.name, parts.name, here, 1), Store(one.name, parts.name, below, 1)
        body.append(Repeat(PASSES, (Barrier(), loaded, more, stored)))
        body += [Barrier(), _copied(builder, parts, Unstage, ""), builder.store(one, "out")]
    total = builder.matrix("accumulator", "total")
    if 2 * total.rows * total.cols * FORMATS[total.element].nbytes <= 1 << 14:
        body.append(builder.load(total, "in"))
        for col_major in (0, 1):
            array = _array(builder, f"turned-{col_major}", total)
            stride = total.rows if col_major else total.cols
            body += [Store(total.name, array.name, 0, stride, col_major), Barrier()]
            body.append(_copied(builder, array, Unstage, ""))
    return body


Scene = Callable[[ProgramBuilder], list[Instruction]]
SCENES: Mapping[str, tuple[Scene, tuple[int, ...]]] = MappingProxyType(
    {
        "exchanged": (_exchanged, (2,)),
        "crossed": (_crossed, (2, 3, 4)),
        "over": (_over, (1,)),
        "rounds": (_rounds, (1,)),
    }
)
"""Name -> how it is built, and for how many waves."""


def _built(context: DrawContext[WaveMmaCaps], chosen: Chosen) -> Draft | None:
    scene, waves = SCENES[chosen["scene"]]
    builder = ProgramBuilder(context, context.choices.one_of(waves))
    builder.room("in", read_only=context.choices.chance(50))
    builder.room("out")
    body = list[Instruction]()
    if not builder.agrees():
        factor = builder.matrix("left", "A")
        body.append(builder.load(factor, "in"))
    return fitting(builder.draft([*body, *scene(builder)], regime_of(context.row), batch=2))


def _fits(row: Row[Any], caps: WaveMmaCaps, axis: str, name: str) -> bool:
    return axis != "scene" or row in one_of_each(caps, [*SCENES].index(name) % 2)


MEETINGS = Array(
    name="meetings",
    focus=("WM-ADDR-GS", "WM-ONE-PER-WAVE", "WM-SCALAR-OPS"),
    axes={"scene": tuple(SCENES)},
    build=_built,
    fits=_fits,
)
"""What waves and passes leave each other in arrays."""
