"""Scenes of vectors: far places, sums that leave their buffer or meet in part, and what results are used for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from mmaspec.programs.base import GUARD, Affine
from mmaspec.programs.hlsl_linalg.components import COMPONENTS
from mmaspec.programs.hlsl_linalg.program import (
    Barrier,
    Branch,
    Convert,
    MultiplyVector,
    Repeat,
    Vector,
    VectorAccumulate,
    VectorLoad,
    VectorStore,
)
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.hlsl_linalg.arrays.scenes.places import alone, ended
from mmaspec.strategies.hlsl_linalg.arrays.scenes.scene import Scene, array_of
from mmaspec.strategies.hlsl_linalg.arrays.workshop import CannotBeMade, Workshop
from mmaspec.strategies.hlsl_linalg.builder.accesses import Style, load
from mmaspec.strategies.hlsl_linalg.builder.program import element_bytes, up
from mmaspec.strategies.hlsl_linalg.builder.shared_arrays import held
from mmaspec.strategies.hlsl_linalg.builder.vectors import SUM_UNIT, vector_bytes, vector_load, vector_store

Context = DrawContext[Any]
BATCH = 2
FAR = (1 << 16, 1 << 31, (1 << 31) + (1 << 20))
"""Offsets of more than 16 bits, of the first number that 31 bits do not hold, and further."""
MIDDLE = (128, 1 << 12)
THREADS = 4
LENGTH = 4


def _sparse(draft: Draft | None, windows: Mapping[str, tuple[int, int]]) -> Draft | None:
    """The draft with buffers of which nothing but so many bytes from a byte on is there."""
    if draft is None:
        return None
    buffers = tuple(
        replace(one, size=sum(windows[one.name]) + GUARD, windows=(windows[one.name],)) if one.name in windows else one
        for one in draft.program.buffers
    )
    return Draft(replace(draft.program, buffers=buffers), draft.regime, draft.batch, draft.words)


def far(context: Context) -> Draft | None:
    """Vectors of a few threads stored at far places, and loaded from there again."""
    shop = Workshop(context, 1, THREADS)
    b = shop.b
    component = context.row.entry.answer.vector
    nbytes = vector_bytes(Vector("", component, LENGTH))
    windows = {}
    found = []
    for first in (*MIDDLE, *FAR):
        vector = b.vector(shop.name("x"), component, LENGTH)
        offset = Affine(first, lane=nbytes)
        room = alone(shop, "far", first + nbytes * THREADS)
        shop.add(vector_load(b, vector, "in", own=True), VectorStore(vector.name, room, offset))
        found.append((vector, VectorLoad(vector.name, room, offset)))
        if first >= FAR[1]:
            windows[room] = (first - GUARD, nbytes * THREADS + 2 * GUARD)
    shop.add(Barrier())
    for vector, again in found:
        shop.add(again, vector_store(b, vector, "out"))
    return _sparse(shop.draft("distinct", BATCH), windows)


def far_sums(context: Context) -> Draft | None:
    """Sums of vectors of a few threads at far places, of which those of 2 GiB and more lie outside."""
    shop = Workshop(context, 1, THREADS)
    b = shop.b
    vector = b.vector("x", context.row.entry.answer.component, 3)
    shop.add(vector_load(b, vector, "in"))
    for first in (MIDDLE[1], *FAR):
        there = first < FAR[1]
        room = alone(shop, "sum", (first if there else 0) + SUM_UNIT)
        if there:
            shop.add(held(b, vector.component, room, first, vector_bytes(vector)), Barrier())
        shop.add(VectorAccumulate(vector.name, room, first))
    # All threads add to the same place, and of halves only the sums of such numbers are exact in every order.
    return shop.draft("whole", BATCH)


def cut_sums(context: Context) -> Draft | None:
    """Sums of vectors of every thread's own of which some, one, or parts lie outside their buffer."""
    shop = Workshop(context, 1, THREADS)
    b = shop.b
    vector = b.vector("x", context.row.entry.answer.component, 16)
    shop.add(vector_load(b, vector, "in"))
    nbytes, step = vector_bytes(vector), SUM_UNIT
    last = step * (THREADS - 1)
    kept = {"part": last + nbytes - 8, "half": last + nbytes // 2, "none": 0}
    ends = {}
    for kind, left in kept.items():
        first = 0 if left else 2 * step
        room = alone(shop, kind, left or step)
        ends[room] = left or step
        if left:
            shop.add(held(b, vector.component, room, 0, left), Barrier())
        shop.add(VectorAccumulate(vector.name, room, Affine(first, lane=step)))
    return ended(shop.draft("small", BATCH), ends)


def ends_of_sums(context: Context) -> Draft | None:
    """One thread that adds integers at the ends of their range."""
    shop = Workshop(context, 1, 1)
    vector = shop.b.vector("x", context.row.entry.answer.component, 16)
    _met(shop, vector, "ends", Affine(0, lane=0), 1)
    return shop.draft("edges", BATCH)


def meeting(context: Context) -> Draft | None:
    """Threads that add vectors which meet in part."""
    shop = Workshop(context, 1, THREADS)
    component = context.row.entry.answer.component
    vector = shop.b.vector("x", component, 3 * SUM_UNIT // 2 // element_bytes(component))
    _met(shop, vector, "meeting", Affine(0, lane=SUM_UNIT), THREADS)
    return shop.draft("small", BATCH)


def _met(shop: Workshop, vector: Vector, name: str, offset: Affine, threads: int) -> None:
    b = shop.b
    end = offset.base + offset.lane * (threads - 1) + vector_bytes(vector)
    room = alone(shop, name, end)
    shop.add(vector_load(b, vector, "in"), held(b, vector.component, room, offset.base, end - offset.base), Barrier())
    shop.add(VectorAccumulate(vector.name, room, offset if offset.lane else offset.base))


def results(context: Context) -> Draft | None:
    """Results that nothing uses, that are added to memory, that some threads forget, and that a loop carries on."""
    shop = Workshop(context, 1, THREADS)
    b, answer = shop.b, context.row.entry.answer
    if not context.caps.native_16_bit or not any(
        one.component == answer.result and one.buffers for one in context.caps.atomics
    ):
        raise CannotBeMade
    m, k = 4, 8
    matrix = b.matrix("M", answer.matrix, (m, k), "A", "Thread")
    source = b.vector("x", answer.vector, k)
    shop.add(load(b, matrix, b.room("matrix", read_only=True), Style(own=True)), vector_load(b, source, "in", own=True))

    def result() -> Vector:
        return b.vector(shop.name("y"), answer.result, m)

    unused, summed, forgotten = (result() for _ in range(3))
    shop.add(*(MultiplyVector(one.name, matrix.name, source.name) for one in (unused, summed, forgotten)))
    _sum(shop, summed)
    _forgotten(shop, forgotten)
    narrow = b.vector(shop.name("n"), "I16" if answer.result == "I32" else "F16", m)
    wide, bias, lost = (result() for _ in range(3))
    shop.add(vector_load(b, narrow, "in", own=True))
    shop.add(*(Convert(one.name, narrow.name) for one in (wide, bias, lost)))
    _sum(shop, wide)
    _forgotten(shop, lost)
    carried = result()
    shop.add(MultiplyVector(carried.name, matrix.name, source.name, bias.name))
    for passes in (1, 6, 9):
        shop.add(Repeat(passes, (MultiplyVector(carried.name, matrix.name, source.name, carried.name),)))
    shop.add(vector_store(b, carried, "out"))
    return shop.draft("small", BATCH)


def _forgotten(shop: Workshop, vector: Vector) -> None:
    """Some threads load another vector over what they have; then all is stored."""
    over = vector_load(shop.b, vector, "in", own=True)
    shop.add(Branch(THREADS // 2, (over,)), vector_store(shop.b, vector, "out"))


def _sum(shop: Workshop, vector: Vector) -> None:
    """A sum in memory, for every thread apart."""
    b, nbytes = shop.b, vector_bytes(vector)
    step = up(nbytes, SUM_UNIT)
    room = alone(shop, "sum", step * (THREADS - 1) + nbytes)
    count = step * (THREADS - 1) + nbytes
    shop.add(held(b, vector.component, room, 0, count), Barrier())
    shop.add(VectorAccumulate(vector.name, room, Affine(0, lane=step)))


def _is_int(answer: Any) -> bool:
    return not COMPONENTS[answer.component].format.is_float


VECTORS = array_of(
    "rare-vectors",
    ("LINALG-VEC-OWN", "LINALG-VEC-ACC", "LINALG-OOB-ACC", "LINALG-VECMUL", "LINALG-VECMULADD"),
    {
        "far-vectors": Scene(far, "vector", lambda answer: COMPONENTS[answer.vector].native),
        "far-vector-sums": Scene(far_sums, "buffer-sums"),
        "cut-vector-sums": Scene(cut_sums, "buffer-sums"),
        "ends-of-vector-sums": Scene(ends_of_sums, "buffer-sums", _is_int),
        "meeting-vector-sums": Scene(meeting, "buffer-sums"),
        "results": Scene(results, "bias", lambda answer: answer.result == "I32"),
    },
)
"""Vectors in memory, and results of products."""
