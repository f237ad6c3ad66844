"""Scenes of opaque layouts and of conversions: in loops and branches, of waves apart, stored by a shader."""

from __future__ import annotations

from typing import Any

from mmaspec.programs.base import Affine, Literal
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, ComponentType
from mmaspec.programs.hlsl_linalg.program import (
    Barrier,
    Branch,
    ConvertLayout,
    InterlockedAccumulate,
    Layout,
    Load,
    MultiplyVector,
    OuterProduct,
    Repeat,
    Simple,
    Splat,
    Store,
    VectorLoad,
)
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.hlsl_linalg.arrays.scenes.places import alone
from mmaspec.strategies.hlsl_linalg.arrays.scenes.scene import Scene, array_of
from mmaspec.strategies.hlsl_linalg.arrays.workshop import CannotBeMade, Workshop
from mmaspec.strategies.hlsl_linalg.builder.accesses import lines_of, store
from mmaspec.strategies.hlsl_linalg.builder.optimal import (
    STRIDE_UNIT,
    TARGET_UNIT,
    optimal_sizes,
    put,
    put_several,
    take,
)
from mmaspec.strategies.hlsl_linalg.builder.program import up
from mmaspec.strategies.hlsl_linalg.builder.vectors import vector_load, vector_store
from mmaspec.strategies.hlsl_linalg.revisions import EARLIER
from mmaspec.strategies.hlsl_linalg.templates.parts import small_regime

Context = DrawContext[Any]
BATCH = 2
LANES = 2
"""Lanes of each wave that a group has or a branch takes: what all threads do takes long."""


def _size(context: Context, component: ComponentType, layout: Layout) -> tuple[int, int]:
    found = optimal_sizes(context.caps, component, layout, packed=0 if layout.startswith("Outer") else 1)
    if not found:
        raise CannotBeMade
    return found[0]


def _few(context: Context) -> Workshop:
    """A group of a whole wave and a few threads of another one."""
    shop = Workshop(context, 2)
    if shop.b.waves < 2:
        raise CannotBeMade
    shop.b.threads = shop.b.wave_size + LANES
    return shop


def loads(context: Context) -> Draft | None:
    """Matrices of waves apart loaded in a loop, in a branch of all, and in one of some lanes of a wave."""
    shop, answer = _few(context), context.row.entry.answer
    b = shop.b
    m, k = size = _size(context, answer.matrix, "MulOptimal")
    middle = b.room("optimal", read_only=True)
    b.room("data")
    held = put_several(b, answer.matrix, size, "MulOptimal", "data", middle, "W", 2)
    shop.add(*(one.conversion for one in held))
    source = b.vector("x", answer.vector, k)
    shop.add(vector_load(b, source, "in", own=True))
    apart = Affine(held[0].offset, wave=held[1].offset - held[0].offset)

    def taken() -> tuple[Simple, ...]:
        matrix = b.matrix(shop.name("M"), answer.matrix, size, "A", "Thread")
        result = b.vector(shop.name("y"), answer.result, m)
        return (
            Load(matrix.name, middle, apart, 0, "MulOptimal"),
            MultiplyVector(result.name, matrix.name, source.name),
            vector_store(b, result, "out"),
        )

    with b.loop(2) as passes:
        shop.add(Repeat(passes, taken()))
    shop.add(Branch(b.wave_size, taken()), Branch(LANES, taken(), 1))
    return shop.draft(small_regime(answer.result), BATCH)


def of_sums(context: Context) -> Draft | None:
    """A matrix in the layout of sums of outer products that a product takes."""
    shop = Workshop(context, 1, LANES)
    b, answer = shop.b, context.row.entry.answer
    layout: Layout = "OuterProductOptimal"
    m, k = size = _size(context, answer.matrix, layout)
    middle = b.room("optimal", read_only=True)
    b.room("data")
    held = put(b, answer.matrix, size, layout, "data", middle, "W")
    matrix, source = b.matrix("M", answer.matrix, size, "A", "Thread"), b.vector("x", answer.vector, k)
    result = b.vector("y", answer.result, m)
    shop.add(held.conversion, Load(matrix.name, middle, held.offset, 0, layout), vector_load(b, source, "in", own=True))
    shop.add(MultiplyVector(result.name, matrix.name, source.name), vector_store(b, result, "out"))
    return shop.draft(small_regime(answer.result), BATCH)


def sums(context: Context) -> Draft | None:
    """Outer products added in branches of all, of a wave and of some lanes, by waves apart, and three times over."""
    shop, answer = _few(context), context.row.entry.answer
    b = shop.b
    size = _size(context, answer.matrix, "OuterProductOptimal")
    middle = b.room("sum")
    held = put_several(b, answer.matrix, size, "OuterProductOptimal", "in", middle, "W", 2)
    shop.add(*(one.conversion for one in held))
    first, step = held[0].offset, held[1].offset - held[0].offset
    column, row = b.vector("c", answer.vector, size[0]), b.vector("r", answer.vector, size[1])
    shop.add(vector_load(b, column, "in", own=True), vector_load(b, row, "in", own=True))
    matrix = b.matrix("O", answer.matrix, size, "Accumulator", "Thread")
    made = OuterProduct(matrix.name, column.name, row.name)
    added = InterlockedAccumulate(matrix.name, middle, Affine(first, wave=step), 0, "OuterProductOptimal")
    # Few threads add more than once: it takes long.
    shop.add(Branch(b.wave_size, (made, added)), Branch(LANES, (made, added, added), 1))
    shop.add(*(take(b, one, middle, "out") for one in held))
    return shop.draft("small", BATCH)


def converted(context: Context) -> Draft | None:
    """A matrix that the shader stored, converted from row- to column-major after it."""
    shop = Workshop(context)
    b, component = shop.b, context.row.entry.answer.a
    matrix = shop.matrix(component, "A", "Wave")
    shop.give(matrix, "load")
    lines, line = lines_of(matrix, "RowMajor")
    pitch = up(line, STRIDE_UNIT) + STRIDE_UNIT
    room = alone(shop, "stored", (lines - 1) * pitch + line)
    shop.add(Store(matrix.name, room, 0, pitch))
    turned = up(lines_of(matrix, "ColMajor")[1], STRIDE_UNIT)
    target = b.taken("out", matrix.n * turned, TARGET_UNIT)
    sides = (room, 0, "RowMajor", "out", target, "ColMajor", pitch, turned)
    shop.add(ConvertLayout(component, matrix.m, matrix.n, *sides))  # type: ignore[arg-type]
    return shop.draft("distinct", BATCH)


def ends(context: Context) -> Draft | None:
    """Outer products of integers at the ends of their range, of which some leave it, and of zeros."""
    shop = Workshop(context)
    b, answer = shop.b, context.row.entry.answer
    product, zeros = (shop.matrix(answer.matrix, "Accumulator", "Wave") for _ in range(2))
    column, row = b.vector("c", answer.vector, product.m), b.vector("r", answer.vector, product.n)
    nothing = shop.matrix(answer.vector, "Accumulator", "Wave")
    room = alone(shop, "zeros", nothing.m * lines_of(nothing, "RowMajor")[1])
    shop.add(Splat(nothing.name, COMPONENTS[answer.vector].scalar, Literal(0)))  # type: ignore[arg-type]
    shop.add(Store(nothing.name, room, 0, lines_of(nothing, "RowMajor")[1]), Barrier())
    shop.add(vector_load(b, column, "in", own=False), vector_load(b, row, "in", own=False))
    shop.add(OuterProduct(product.name, column.name, row.name), store(b, product, "out"))
    shop.add(VectorLoad(column.name, room, 0))
    shop.add(OuterProduct(zeros.name, column.name, row.name), store(b, zeros, "out"))
    return shop.draft("edges", BATCH)


OPTIMAL = array_of(
    "rare-layouts",
    ("LINALG-OPT-LOAD", "LINALG-OUTER-SUM", "LINALG-LAYOUT-CONVERT", "LINALG-OUTER"),
    {
        "optimal-loads": Scene(loads, "optimal", lambda answer: COMPONENTS[answer.matrix].native),
        "layout-of-sums": Scene(of_sums, "optimal", lambda answer: COMPONENTS[answer.matrix].native),
        "thread-sums": Scene(sums, "thread-outer", lambda answer: answer.matrix == "F32"),
        "ends-of-outer-products": Scene(ends, "outer", lambda answer: answer.vector == answer.matrix == "I32", EARLIER),
        "stored-conversions": Scene(converted, "wave", lambda answer: answer.a == "BFloat16"),
    },
)
"""Opaque layouts and conversions."""
