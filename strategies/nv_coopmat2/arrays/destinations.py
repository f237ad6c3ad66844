"""Where the result of an operation goes: one use of a matrix for every class of ``result-destination``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Literal as Word

from mmaspec.oracle.nv_coopmat2.caps_support import other_kinds
from mmaspec.oracle.nv_coopmat2.program_support import beside
from mmaspec.programs.base import Literal
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.program import (
    COLUMN_MAJOR,
    REDUCE_COLUMN,
    ROW_MAJOR,
    USE_A,
    USE_ACCUMULATOR,
    USE_B,
    Arithmetic,
    Combine,
    Convert,
    EachComponent,
    ElementFunction,
    Matrix,
    Negate,
    PerElement,
    Reduce,
    SetClip,
    SetDimension,
    Simple,
    Slice,
    Splat,
    StoreTensor,
    Transpose,
)
from mmaspec.strategies.nv_coopmat2.arrays.origins import TRIES, has_operators, number, of_type
from mmaspec.strategies.nv_coopmat2.builder.program import LINE, ProgramBuilder
from mmaspec.strategies.nv_coopmat2.features import CONVERTING, PER_ELEMENT, REDUCING, TENSORS, has
from mmaspec.strategies.nv_coopmat2.templates.operations import like
from mmaspec.strategies.nv_coopmat2.templates.plain import load, store

Found = list[Simple] | None


def _shared(builder: ProgramBuilder, matrix: Matrix) -> Found:
    if builder.entry.scope != "subgroup":
        return None  # how much memory workgroup scope leaves, every device has its own
    return [store(builder, matrix, array="uint", buffer=builder.shared_array("shared-out"))]


def tensor_store(builder: ProgramBuilder, matrix: Matrix, *, viewed: bool) -> Found:
    """A store into a tensor, inside it; under a view that turns it or clips it."""
    if not has(builder.caps, TENSORS):
        return None
    turned = viewed and builder.choices.chance(60)
    spans = (matrix.cols, matrix.rows) if turned else (matrix.rows, matrix.cols)
    sizes = (spans[0] + 1, spans[1] + builder.choices.integer(1, 3))
    tensor = builder.layout((SetDimension(sizes), Slice((0, 1), spans)))
    width = format_named(matrix.component).nbytes
    extent = -(-sizes[0] * sizes[1] * width // LINE) * LINE
    buffer = builder.buffer("out")
    where = builder.spread(builder.region(buffer, extent * builder.waves) // width, extent // width)
    view = None
    if turned:
        view = builder.view(permutation=(1, 0))
    elif viewed:
        view = builder.view((SetClip(1, matrix.rows - 1, 0, matrix.cols - 1),))
    return [StoreTensor(matrix.name, buffer, where, tensor, view=view)]


def _factor(builder: ProgramBuilder, matrix: Matrix, use: int) -> Found:
    m, n, k = builder.sizes
    component, rows, cols = (builder.entry.a, m, k) if use == USE_A else (builder.entry.b, k, n)
    if (matrix.use, matrix.component, matrix.rows, matrix.cols) != (use, component, rows, cols):
        return None
    other = builder.matrix(USE_B if use == USE_A else USE_A)
    result = builder.matrix(USE_ACCUMULATOR)
    a, b = (matrix, other) if use == USE_A else (other, matrix)
    return [load(builder, other), builder.mul_add(result, a, b, None), store(builder, result)]


def _addend(builder: ProgramBuilder, matrix: Matrix) -> Found:
    m, n, _ = builder.sizes
    if (matrix.use, matrix.component, matrix.rows, matrix.cols) != (USE_ACCUMULATOR, builder.entry.c, m, n):
        return None
    a, b, result = builder.matrix(USE_A), builder.matrix(USE_B), builder.matrix(USE_ACCUMULATOR)
    return [load(builder, a), load(builder, b), builder.mul_add(result, a, b, matrix), store(builder, result)]


def _conversion(builder: ProgramBuilder, matrix: Matrix) -> Found:
    kinds = other_kinds(beside(builder.caps, builder.entry), matrix)
    if not kinds:
        return None
    result = builder.typed(builder.choices.one_of(kinds), matrix.rows, matrix.cols, matrix.use)
    return [Convert(result.name, matrix.name), store(builder, result)]


def _arithmetic(builder: ProgramBuilder, matrix: Matrix, *, left: bool) -> Found:
    if not has_operators(matrix):
        return None
    other, result = like(builder, matrix), like(builder, matrix)
    op: Word["+", "-", "*"] = builder.choices.one_of(("+", "-", "*"))
    names = (matrix.name, other.name) if left else (other.name, matrix.name)
    before: Simple = load(builder, other)
    if builder.choices.chance(30):
        before = Splat(other.name, Literal(number(other)))
    return [before, Arithmetic(result.name, names[0], op, names[1]), store(builder, result)]


def _negation(builder: ProgramBuilder, matrix: Matrix) -> Found:
    if not has_operators(matrix):
        return None
    result = like(builder, matrix)
    return [Negate(result.name, matrix.name), store(builder, result)]


def _each(builder: ProgramBuilder, matrix: Matrix) -> Found:
    if not has_operators(matrix):
        return None
    return [EachComponent(matrix.name, "add", Literal(number(matrix))), store(builder, matrix)]


def _reduction(builder: ProgramBuilder, matrix: Matrix) -> Found:
    known = format_named(matrix.component).is_float and matrix.use == USE_ACCUMULATOR
    if not known or not has(builder.caps, REDUCING):
        return None
    result = like(builder, matrix)
    return [Reduce(result.name, matrix.name, REDUCE_COLUMN, Combine("min")), store(builder, result)]


def _per_element(builder: ProgramBuilder, matrix: Matrix, *, extra: bool) -> Found:
    if not has(builder.caps, PER_ELEMENT):
        return None
    other, result = like(builder, matrix), like(builder, matrix)
    names = (other.name, matrix.name) if extra else (matrix.name, other.name)
    function = ElementFunction("select", None, (None,))
    return [
        load(builder, other), PerElement(result.name, names[0], function, (names[1],)), store(builder, result)
    ]  # fmt: skip


def _transpose(builder: ProgramBuilder, matrix: Matrix) -> Found:
    if matrix.use != USE_ACCUMULATOR or not has(builder.caps, CONVERTING):
        return None
    turned = Matrix("", matrix.component, matrix.cols, matrix.rows, USE_B, matrix.scope)
    result = of_type(builder, matrix.component, turned, USE_B)
    return None if result is None else [Transpose(result.name, matrix.name), store(builder, result)]


def _several(builder: ProgramBuilder, matrix: Matrix) -> Found:
    return [store(builder, matrix, layout=ROW_MAJOR), store(builder, matrix, layout=COLUMN_MAJOR)]


Destination = Callable[[ProgramBuilder, Matrix], Found]

DESTINATIONS: Mapping[str, Destination] = MappingProxyType(
    {
        "plain-store": lambda builder, matrix: [store(builder, matrix, layout=ROW_MAJOR)],
        "plain-store-columns": lambda builder, matrix: [store(builder, matrix, layout=COLUMN_MAJOR)],
        "shared-store": _shared,
        "tensor-store": lambda builder, matrix: tensor_store(builder, matrix, viewed=False),
        "view-store": lambda builder, matrix: tensor_store(builder, matrix, viewed=True),
        "product-a": lambda builder, matrix: _factor(builder, matrix, USE_A),
        "product-b": lambda builder, matrix: _factor(builder, matrix, USE_B),
        "product-c": _addend,
        "conversion": _conversion,
        "arithmetic-left": lambda builder, matrix: _arithmetic(builder, matrix, left=True),
        "arithmetic-right": lambda builder, matrix: _arithmetic(builder, matrix, left=False),
        "negation": _negation,
        "reduction": _reduction,
        "per-element": lambda builder, matrix: _per_element(builder, matrix, extra=False),
        "per-element-extra": lambda builder, matrix: _per_element(builder, matrix, extra=True),
        "transpose": _transpose,
        "each-component": _each,
        "two-stores-differ": _several,
    }
)
"""Class of ``result-destination`` -> the instructions that use a matrix so; None where the row has no such thing."""

STORES = ("plain-store", "plain-store-columns", "shared-store", "tensor-store", "view-store", "two-stores-differ")
"""Those that show the result itself."""


def used(builder: ProgramBuilder, matrix: Matrix, name: str) -> list[Simple]:
    """The instructions that use a matrix in the way of a class; it is stored besides, unless they show it."""
    found = DESTINATIONS[name](builder, matrix)
    if found is None:
        return [store(builder, matrix)]
    return found if name in STORES else [store(builder, matrix), *found]


def drawn(builder: ProgramBuilder, matrix: Matrix) -> list[Simple]:
    """Any way that the row has."""
    for _ in range(TRIES):
        name = builder.choices.one_of(tuple(DESTINATIONS))
        found = DESTINATIONS[name](builder, matrix)
        if found is not None:
            return found if name in STORES else [store(builder, matrix), *found]
    return [store(builder, matrix)]
