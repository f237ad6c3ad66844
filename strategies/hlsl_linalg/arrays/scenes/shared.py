"""Scenes of groupshared arrays: where matrices come from and go to, long strides, parts that are copied alone."""

from __future__ import annotations

from typing import Any

from mmaspec.programs.base import Affine, Index
from mmaspec.programs.hlsl_linalg.components import ArrayType
from mmaspec.programs.hlsl_linalg.program import (
    Barrier,
    Branch,
    InterlockedAccumulate,
    Load,
    Matrix,
    SharedArray,
    Stage,
    Unstage,
)
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.hlsl_linalg.arrays.scenes.places import TILE, span
from mmaspec.strategies.hlsl_linalg.arrays.scenes.scene import Scene, array_of
from mmaspec.strategies.hlsl_linalg.arrays.workshop import CannotBeMade, Workshop
from mmaspec.strategies.hlsl_linalg.builder.accesses import lines_of, store
from mmaspec.strategies.hlsl_linalg.builder.program import element_bytes
from mmaspec.strategies.hlsl_linalg.builder.shared_arrays import OWN, available
from mmaspec.strategies.hlsl_linalg.revisions import EARLIER

Context = DrawContext[Any]
BATCH = 2
WIDE = 16
"""Elements of the vectors of an array: more than any matrix of HLSL has rows or columns."""
FAR = 1 << 12
"""Elements before a matrix."""
GOES = ("nothing", "cast", "elements", "overwritten")
FROM = ("splat", "cast", "elements")


def ways(context: Context) -> Draft | None:
    """Loads of arrays that go to whatever may use a matrix, and Stores of whatever gives one content."""
    shop = Workshop(context, 2)
    component = context.row.entry.answer.component
    for goes in GOES:
        matrix = shop.matrix(component, "Accumulator", "Wave")
        shop.give(matrix, "array-load")
        shop.use(matrix, goes)
    for origin in FROM:
        matrix = shop.matrix(component, "Accumulator", "Wave")
        shop.give(matrix, origin)
        shop.use(matrix, "array-store")
    return shop.draft("small", BATCH)


def parts(context: Context) -> Draft | None:
    """An array of wide vectors, filled and copied out in parts, the last of them unknown; Loads that overlap.

    Another one is filled in parts that are all known, and nothing but copied out.
    """
    shop = Workshop(context, 2)
    b, component = shop.b, context.row.entry.answer.component
    matrix = shop.matrix(component, "Accumulator", "Wave")
    lines, line = lines_of(matrix, "RowMajor")
    size = element_bytes(component)
    stride = TILE // 4 if line <= TILE // 4 else TILE
    last = TILE + span(matrix, "RowMajor", stride)
    # Waves apart by less than a matrix has bytes.
    places = Affine(0, wave=TILE // size)
    half, count = lines // 2 * stride // size, -(-last // size)
    name = shop.name("array")
    b.arrays.append(SharedArray(name, OWN[component], -(-count // WIDE) + 1, WIDE))
    total = b.arrays[-1].length * WIDE
    cuts = ((0, half), (half, count - half), (count, total - count))
    for number, (first, taken) in enumerate(cuts):
        unknown = number == len(cuts) - 1
        start = b.taken("in", taken * size, max(size, 4))
        shop.add(Stage(name, "in", start, taken, first, None if unknown else shop.name("part")))
    shop.add(Barrier(), Load(matrix.name, name, places, stride // size), store(b, matrix, "out"))
    for first, taken in ((half, count - half), (count, total - count)):
        shop.add(Unstage(name, "out", b.taken("out", taken * size, max(size, 4)), taken, first))
    _copied(shop, OWN[component], size)
    return shop.draft("distinct", BATCH)


def _copied(shop: Workshop, element: ArrayType, size: int) -> None:
    """An array of elements of so many bytes that is filled in two parts, and copied out."""
    b, name = shop.b, shop.name("array")
    b.arrays.append(SharedArray(name, element, 3 * WIDE))
    for first, taken in ((0, WIDE), (WIDE, 2 * WIDE)):
        start = b.taken("in", taken * size, max(size, 4))
        shop.add(Stage(name, "in", start, taken, first, shop.name("part")))
    shop.add(Barrier(), Unstage(name, "out", b.taken("out", 3 * WIDE * size, max(size, 4)), 3 * WIDE))


def sums(context: Context) -> Draft | None:
    """Sums far into arrays and of lines far apart, of waves that alternate and that overlap, and in a branch."""
    shop = Workshop(context, 3)
    component = context.row.entry.answer.component
    matrix = shop.matrix(component, "Accumulator", "Wave")
    shop.give(matrix, "load")
    line, tile = lines_of(matrix, "RowMajor")[1] // element_bytes(component), TILE // element_bytes(component)
    if line > tile:
        raise CannotBeMade
    waves = shop.b.waves
    _summed(shop, matrix, FAR, max(tile, 64))
    _summed(shop, matrix, Affine(0, wave=tile), tile * (waves + 1))
    _summed(shop, matrix, Affine(tile, wave=tile), max(2 * line, tile // 4))
    _summed(shop, matrix, Affine(0, wave=2 * tile), 96, branch=True)
    return shop.draft("small", BATCH)


def _summed(shop: Workshop, matrix: Matrix, offset: Index, stride: int, *, branch: bool = False) -> None:
    """A sum in an array of its own, all of which is filled before and copied out after."""
    b, size = shop.b, element_bytes(matrix.component)
    step = offset.wave * (b.waves - 1) if isinstance(offset, Affine) else 0
    first = offset.base if isinstance(offset, Affine) else offset
    assert isinstance(first, int)
    count = first + step + span(matrix, "RowMajor", stride * size) // size
    name = shop.name("array")
    b.arrays.append(SharedArray(name, OWN[matrix.component], count))
    shop.add(Stage(name, "in", b.taken("in", count * size, max(size, 4)), count, 0, name), Barrier())
    added = InterlockedAccumulate(matrix.name, name, offset, stride)
    shop.add(Branch(0, (added,), b.waves - 1) if branch else added)
    shop.add(Barrier(), Unstage(name, "out", b.taken("out", count * size, max(size, 4)), count))


def converted(context: Context) -> Draft | None:
    """An array of half loaded into a matrix of single: all lines are one, so that nothing depends on units."""
    if not available("half", context.caps):
        raise CannotBeMade
    shop = Workshop(context, 2)
    b = shop.b
    matrix = shop.matrix(context.row.entry.answer.component, "Accumulator", "Wave")
    b.arrays.append(SharedArray("array", "half", matrix.n))
    shop.add(Stage("array", "in", b.taken("in", 2 * matrix.n, 4), matrix.n, 0, "array"), Barrier())
    shop.add(Load(matrix.name, "array", 0, 0), store(b, matrix, "out"))
    return shop.draft("distinct", BATCH)


SHARED = array_of(
    "rare-array-accesses",
    ("LINALG-GS-UNITS", "LINALG-GS-NOCONV", "LINALG-ACC-GS-ADD", "LINALG-LOAD-GS-CONV"),
    {
        "array-ways": Scene(ways, "elements"),
        "array-parts": Scene(parts, "elements"),
        "array-sums": Scene(sums, "array-sums", lambda answer: answer.component in OWN),
        "array-of-half": Scene(converted, "elements", lambda answer: answer.component == "F32", EARLIER),
    },
)
"""Accesses of groupshared arrays."""
