"""Scenes of many waves and threads: rows of waves, words that waves share, indices beyond in loops, large groups."""

from __future__ import annotations

from typing import Any

from mmaspec.programs.base import Affine
from mmaspec.programs.hlsl_linalg.program import (
    AccumulatorLayout,
    Barrier,
    Beyond,
    CountElements,
    Load,
    Matrix,
    Multiply,
    MultiplyAccumulate,
    Repeat,
    Simple,
    VectorLoad,
)
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.hlsl_linalg.arrays.scenes.places import alone, span, up_to_tile
from mmaspec.strategies.hlsl_linalg.arrays.scenes.scene import Scene, array_of
from mmaspec.strategies.hlsl_linalg.arrays.workshop import CannotBeMade, Workshop
from mmaspec.strategies.hlsl_linalg.builder.accesses import STRIDE_UNIT, lines_of, store
from mmaspec.strategies.hlsl_linalg.builder.program import up
from mmaspec.strategies.hlsl_linalg.builder.shared_arrays import held
from mmaspec.strategies.hlsl_linalg.builder.vectors import vector_load, vector_store
from mmaspec.strategies.hlsl_linalg.templates.parts import unit_for

Context = DrawContext[Any]
BATCH = 2
WORD = 4
BESIDE = 16
"""Bytes that a thread writes about an index beyond."""
PASSES = 2
LARGE = 10
"""Waves of a group that is larger than most."""


def rows_of_waves(context: Context) -> Draft | None:
    """Four waves in rows of two load a matrix each."""
    shop = Workshop(context, 4)
    if shop.b.waves < 4:
        raise CannotBeMade
    matrix = shop.matrix(context.row.entry.answer.component, "Accumulator", "Wave")
    line = up(lines_of(matrix, "RowMajor")[1], STRIDE_UNIT)
    step = up_to_tile(span(matrix, "RowMajor", line))
    room = alone(shop, "rows", 5 * step)
    shop.add(Load(matrix.name, room, Affine(0, wave=step, grid=2, row=3 * step), line, data=matrix.name))
    shop.add(store(shop.b, matrix, "out"))
    return shop.draft("distinct", BATCH)


def words(context: Context) -> Draft | None:
    """Two waves count in one word, in every pass of a loop, and say apart where accumulators lie."""
    shop = Workshop(context, 2)
    b = shop.b
    matrix = shop.matrix(context.row.entry.answer.component, "Accumulator", "Wave")
    counts, answers = b.room(shop.name("counts")), b.room(shop.name("answers"))
    shop.give(matrix, "load")
    shop.add(Repeat(PASSES, (CountElements(matrix.name, counts, b.taken(counts, WORD, WORD), "counted"),)))
    shop.add(AccumulatorLayout(answers, Affine(b.taken(answers, 2 * WORD * b.waves, WORD), wave=2 * WORD)))
    shop.add(store(b, matrix, "out"))
    return shop.draft("small", BATCH)


def beyond(context: Context) -> Draft | None:
    """Indices beyond a factor in a loop, beyond an accumulator that is added to, and beyond one that nothing uses."""
    shop = Workshop(context)
    answer = context.row.entry.answer
    m, k, n = answer.shapes[0]
    a, c = shop.matrix(answer.a, "A", "Wave", (m, k)), shop.matrix(answer.accumulator, "Accumulator", "Wave", (m, n))
    other = shop.matrix(answer.b, "B", "Wave", (k, n))
    for matrix in (a, other, c):
        unit = unit_for(context, matrix.component, matrix.use)
        if unit is None or matrix.m % unit.rows or matrix.n % unit.columns:
            raise CannotBeMade
    for matrix in (a, other):
        shop.give(matrix, "load")
    with shop.b.loop(PASSES):
        looked = _beyond(shop, a)
    shop.add(Repeat(PASSES, (looked,)), Barrier(), Multiply(c.name, a.name, other.name))
    shop.add(_beyond(shop, c), Barrier(), MultiplyAccumulate(c.name, a.name, other.name))
    shop.add(store(shop.b, c, "out"), _beyond(shop, c))
    return shop.draft("small" if not answer.accumulator.startswith("F") else "window", BATCH)


def _beyond(shop: Workshop, matrix: Matrix) -> Simple:
    b = shop.b
    nbytes = BESIDE * b.group
    where = b.stepped("out", [("loop", b.passes)], nbytes, nbytes, BESIDE)
    return Beyond(matrix.name, "out", where, b.choices.integer(0, 3), b.choices.integer(1, 255))


def large(context: Context) -> Draft | None:
    """A group of many waves, of which the last one lacks a lane; their vectors overlap where they are loaded."""
    size = context.caps.wave_sizes[0]
    lanes = min(LARGE * size, context.caps.largest_group) - 1
    count = -(-lanes // size)
    shop = Workshop(context, count, lanes - (count - 1) * size)
    b = shop.b
    if b.waves < count or b.wave_size != size or size < 2:
        raise CannotBeMade
    vector = b.vector("x", "I32", 2)
    room = alone(shop, "near", (lanes + 1) * WORD)
    shop.add(vector_load(b, vector, "in"), vector_store(b, vector, "out"))
    shop.add(held(b, vector.component, room, 0, (lanes + 1) * WORD))
    shop.add(VectorLoad(vector.name, room, Affine(0, lane=WORD, wave=WORD * size)), vector_store(b, vector, "out"))
    return shop.draft("distinct", BATCH)


THREADS = array_of(
    "rare-groups",
    ("LINALG-SCOPE-OWN", "LINALG-LENGTH", "LINALG-ACCLAYOUT", "LINALG-COORD-BEYOND", "LINALG-VEC-OWN"),
    {
        "rows-of-waves": Scene(rows_of_waves, "matrix"),
        "words-of-waves": Scene(words, "elements"),
        "beyond-in-loops": Scene(beyond, "wave", lambda answer: answer.a == answer.b == "F16"),
        "large-group": Scene(large, "vector"),
    },
)
"""Groups of several waves, and what their threads do apart."""
