"""Scenes of what is read and written at once, of copies that live on, and of numbers that another format would lose."""

from __future__ import annotations

from typing import Any

from mmaspec.programs.base import Literal
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, SCALARS, ArrayType, ScalarType
from mmaspec.programs.hlsl_linalg.program import (
    Barrier,
    Cast,
    InterlockedAccumulate,
    Matrix,
    MultiplyAccumulate,
    MultiplyVector,
    OuterProduct,
    Repeat,
    Scope,
    Store,
    Use,
    VectorAccumulate,
)
from mmaspec.programs.hlsl_linalg.removed import Operate, Unary
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.hlsl_linalg.arrays.scenes.places import alone
from mmaspec.strategies.hlsl_linalg.arrays.scenes.scene import Scene, array_of
from mmaspec.strategies.hlsl_linalg.arrays.workshop import CannotBeMade, Workshop
from mmaspec.strategies.hlsl_linalg.builder.accesses import Style, load, read_elements, store, write_elements
from mmaspec.strategies.hlsl_linalg.builder.constants import encoded
from mmaspec.strategies.hlsl_linalg.builder.optimal import optimal_sizes, put, take
from mmaspec.strategies.hlsl_linalg.builder.shared_arrays import (
    OWN,
    SharedRoom,
    converting_elements,
    held,
)
from mmaspec.strategies.hlsl_linalg.builder.vectors import vector_bytes, vector_load, vector_store
from mmaspec.strategies.hlsl_linalg.revisions import EARLIER
from mmaspec.strategies.hlsl_linalg.templates.parts import small_regime

Context = DrawContext[Any]
BATCH = 2
THREADS = 6
SIDES = (4, 8)
LARGEST = 128
"""Rows and columns of the largest matrix: a thread of 32 holds 512 of its elements."""
FAR = (1 << 16, (1 << 16) + 384, 1 << 17, 3 << 18)


def _square(answer: Any) -> bool:
    return bool(answer.vector == answer.result and COMPONENTS[answer.vector].native)


def vectors(context: Context) -> Draft | None:
    """Vectors that are replaced by their product with a matrix, once and in a loop, and biases that become results."""
    return _vectors(context, "A", ("Thread",) * 2)


def rows(context: Context) -> Draft | None:
    """The same with B matrices of a thread, a wave and a group."""
    return _vectors(context, "B", ("Thread", "Wave", "ThreadGroup"))


def _vectors(context: Context, use: Use, scopes: tuple[Scope, ...]) -> Draft | None:
    shop = Workshop(context, 2, THREADS if use == "A" else 0)
    b, answer = shop.b, context.row.entry.answer
    biased = answer.result in answer.biases
    for number, scope in enumerate(scopes):
        if scope == "Thread":
            size = SIDES[number], SIDES[number]
            matrix = b.matrix(shop.name("M"), answer.matrix, size, use, scope)
            shop.add(load(b, matrix, b.room(shop.name("matrix"), read_only=True), Style(own=True)))
        else:
            matrix = shop.matrix(answer.matrix, use, scope)
            shop.give(matrix, "load")
        once, looped, bias = (b.vector(shop.name(stem), answer.vector, matrix.m) for stem in ("x", "y", "z"))
        shop.add(*(vector_load(b, one, "in", own=True) for one in (once, looped, bias)))
        shop.add(MultiplyVector(once.name, matrix.name, once.name))
        shop.add(Repeat(2, (MultiplyVector(looped.name, matrix.name, looped.name),)))
        shop.add(vector_store(b, once, "out"), vector_store(b, looped, "out"))
        if biased:
            shop.add(MultiplyVector(bias.name, matrix.name, once.name, bias.name), vector_store(b, bias, "out"))
            shop.add(MultiplyVector(once.name, matrix.name, once.name, once.name), vector_store(b, once, "out"))
    return shop.draft("small" if small_regime(answer.result) == "small" else "whole", BATCH)


def loaded_places(context: Context) -> Draft | None:
    """Sums of vectors at places of more than 16 bits that are read at run time."""
    shop = Workshop(context, 1, THREADS)
    b = shop.b
    vector = b.vector("x", context.row.entry.answer.component, 3)
    shop.add(vector_load(b, vector, "in"))
    for first in FAR:
        room = alone(shop, "sum", first + vector_bytes(vector))
        shop.add(held(b, vector.component, room, first, vector_bytes(vector)), Barrier())
        shop.add(VectorAccumulate(vector.name, room, b.argument(first, 100)))
    return shop.draft("whole", BATCH)


def least_products(context: Context) -> Draft | None:
    """Outer products of small numbers, which the factors' format does not have, added to zeros."""
    shop = Workshop(context, 1, 1)
    b, answer = shop.b, context.row.entry.answer
    sizes = optimal_sizes(context.caps, answer.matrix, "OuterProductOptimal", packed=0)
    if not sizes:
        raise CannotBeMade
    middle, target = b.room("sum"), b.room("out")
    size = sizes[0]
    b.room("data")
    there = put(b, answer.matrix, size, "OuterProductOptimal", "data", middle, "W")
    column, row = b.vector("c", answer.vector, size[0]), b.vector("r", answer.vector, size[1])
    matrix = b.matrix("O", answer.matrix, size, "Accumulator", "Thread")
    shop.add(there.conversion, vector_load(b, column, "in"), vector_load(b, row, "in"))
    shop.add(OuterProduct(matrix.name, column.name, row.name))
    shop.add(InterlockedAccumulate(matrix.name, middle, there.offset, 0, "OuterProductOptimal"))
    shop.add(take(b, there, middle, target))
    return shop.draft("least-products", 4)


def copies(context: Context) -> Draft | None:
    """Matrices that were cast to their own type; then operators and unary operations change each of the two."""
    shop = Workshop(context, 2)
    component = context.row.entry.answer.component
    scalar: ScalarType = COMPONENTS[component].scalar  # type: ignore[assignment]
    one = Literal(encoded(FORMATS[SCALARS[scalar]], 1))
    uses: tuple[tuple[Use, Use], ...] = (("A", "A"), ("Accumulator", "Accumulator"), ("A", "B"), ("B", "Accumulator"))
    for number, (use, other) in enumerate(uses):
        size = shop.sides("square", (component, use), (component, other))
        source, target = (shop.matrix(component, way, "Wave", size) for way in (use, other))
        shop.give(source, "load")
        shop.add(Cast(target.name, source.name))
        changed = source if number % 2 == 0 else target
        shop.add(Operate(changed.name, "add", scalar, one), *_stored(shop, source, target))
        shop.add(Unary(target.name, "nop", target.name), Operate(target.name, "mul", scalar, one))
        shop.add(Operate(source.name, "sub", scalar, one), *_stored(shop, source, target))
    return shop.draft("small" if small_regime(component) == "small" else "whole", BATCH)


def _stored(shop: Workshop, *matrices: Matrix) -> tuple[Store, ...]:
    return tuple(store(shop.b, matrix, "out") for matrix in matrices)


def used_otherwise(context: Context) -> Draft | None:
    """Casts that change nothing but the use, of which the source or the result is then an accumulator of products."""
    shop = Workshop(context, 2)
    component = context.row.entry.answer.accumulator
    for use in ("A", "B"):
        for changed_first in (True, False):
            total = shop.matrix(component, "Accumulator", "Wave")
            other = shop.matrix(component, use, "Wave", (total.m, total.n))
            factors = shop.factors(total)
            source, target = (total, other) if changed_first else (other, total)
            shop.give(source, "load")
            shop.add(Cast(target.name, source.name), MultiplyAccumulate(total.name, *factors))
            shop.add(store(shop.b, other, "out"), store(shop.b, total, "out"))
    return shop.draft("whole" if small_regime(component) == "window" else "small", BATCH)


def many_elements(context: Context) -> Draft | None:
    """Get and Set of every element of matrices of which a thread holds hundreds."""
    shop = Workshop(context, 1)
    for use in ("Accumulator", "A"):
        matrix = shop.matrix(context.row.entry.answer.component, use, "Wave", (LARGEST, LARGEST))
        shop.give(matrix, "load")
        shop.add(write_elements(shop.b, matrix, "in", 3, 1), Barrier(), read_elements(shop.b, matrix, "out"))
    return shop.draft("distinct", 1)


def large_integers(context: Context) -> Draft | None:
    """Integers over their whole range in arrays of which matrices of floats are loaded, in both layouts."""
    shop = Workshop(context, 2)
    component = context.row.entry.answer.component
    elements: list[ArrayType] = [one for one in converting_elements(component) if not FORMATS[SCALARS[one]].is_float]
    if not elements:
        raise CannotBeMade
    for element in elements:
        for layout in ("RowMajor", "ColMajor"):
            matrix = shop.matrix(component, "Accumulator", "Wave")
            room = SharedRoom(shop.b, shop.name("array"), element)
            found = room.load(matrix, layout)
            shop.add(room.stage("in"), Barrier(), found, store(shop.b, matrix, "out"))
            room.finish()
    return shop.draft("edges", BATCH)


def large_factors(context: Context) -> Draft | None:
    """Rows of integers of the full width, of which few meet anything but zeros."""
    shop = Workshop(context, 1, THREADS)
    b, answer = shop.b, context.row.entry.answer
    matrix = b.matrix("M", answer.matrix, (16, 16), "B", "Thread")
    source, result = b.vector("x", answer.vector, 16), b.vector("y", answer.result, 16)
    shop.add(load(b, matrix, b.room("matrix", read_only=True), Style(own=True)), vector_load(b, source, "in", own=True))
    shop.add(MultiplyVector(result.name, matrix.name, source.name), vector_store(b, result, "out"))
    return shop.draft("few-terms", 4)


IN_PLACE = array_of(
    "rare-operands",
    ("LINALG-VECMUL", "LINALG-VECMULADD", "LINALG-VEC-ACC", "LINALG-OUTER", "LINALG-CAST-COPY"),
    {
        "vectors-in-place": Scene(vectors, "vector", lambda answer: _square(answer) and answer.matrix == "F16"),
        "loaded-places-of-sums": Scene(loaded_places, "buffer-sums", lambda answer: answer.component in OWN),
        "least-outer-products": Scene(
            least_products, "outer", lambda answer: (answer.vector, answer.matrix) == ("F16", "F32")
        ),
        "used-otherwise": Scene(used_otherwise, "wave", lambda answer: answer.accumulator == "F16"),
        "many-elements": Scene(many_elements, "elements", lambda answer: answer.component == "F16"),
        "rows-in-place": Scene(rows, "vector", lambda answer: _square(answer) and answer.matrix == "F16", EARLIER),
        "copies-that-are-changed": Scene(copies, "elements", lambda answer: answer.component == "F16", EARLIER),
        "whole-copies": Scene(copies, "elements", lambda answer: answer.component == "I32", EARLIER),
        "large-integers-in-arrays": Scene(
            large_integers, "elements", lambda answer: answer.component == "F32", EARLIER
        ),
        "large-factors-of-rows": Scene(
            large_factors, "vector", lambda answer: (answer.vector, answer.matrix) == ("U32", "PackedU8x32"), EARLIER
        ),
    },
)
"""Operands that are results, copies, and numbers of the whole range."""
