"""Products in which every two classes of addend, operands' origins, identity, chain and data meet."""

from __future__ import annotations

from typing import Any

from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Literal
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import (
    COLUMN_MAJOR,
    CONSTANT,
    ROW_MAJOR,
    USE_A,
    USE_ACCUMULATOR,
    USE_B,
    LoadTensor,
    Matrix,
    Simple,
    Splat,
)
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.arrays.origins import made
from mmaspec.strategies.nv_coopmat2.builder.program import ProgramBuilder
from mmaspec.strategies.nv_coopmat2.features import DECODING, TENSORS, has
from mmaspec.strategies.nv_coopmat2.templates.plain import load, store
from mmaspec.strategies.nv_coopmat2.templates.tensors import base, dimensions, slice_at

ORIGINS = ("plain-load", "plain-load-columns", "tensor-load", "view-load", "decoded-load")
"""Classes of ``matrix-origin`` for factors."""

_FLOAT_DATA = ("window", "cancelling", "near-tie", "specials", "subnormal", "overflow-edge", "wild", "edges")
_INT_DATA = ("small", "wild", "overflow", "edges")


def _fits(row: Row[Any], caps: CoopMatCaps, axis: str, name: str) -> bool:
    if axis in {"origin-a", "origin-b"} and name in {"tensor-load", "view-load", "decoded-load"}:
        return has(caps, DECODING if name == "decoded-load" else TENSORS)
    if axis == "data":
        return name in (_FLOAT_DATA if "float" in row.tags else _INT_DATA)
    return True


def _factor(builder: ProgramBuilder, matrix: Matrix, origin: str, passes: int) -> Simple:
    if origin == "plain-load":
        return load(builder, matrix, layout=ROW_MAJOR, passes=passes)
    if origin == "plain-load-columns":
        return load(builder, matrix, layout=COLUMN_MAJOR, passes=passes)
    if origin == "decoded-load":
        return made(builder, matrix, origin)[-1]
    turned = origin == "view-load"
    spans = (matrix.cols, matrix.rows) if turned else (matrix.rows, matrix.cols)
    offset = (builder.choices.integer(0, 2), builder.choices.integer(1, 3))
    sizes = (offset[0] + spans[0], offset[1] + spans[1] + builder.choices.integer(0, 2))
    tensor = builder.layout((dimensions(builder, sizes), slice_at(builder, offset, spans)), mode=CONSTANT)
    buffer = builder.buffer("in")
    where = base(builder, buffer, matrix, sizes[0] * sizes[1])
    view = builder.view(permutation=(1, 0)) if turned else None
    return LoadTensor(matrix.name, buffer, where, tensor, data=builder.name("T"), view=view)


def _multiplied(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder = ProgramBuilder(context, most_waves=2)
    a, b = builder.matrix(USE_A), builder.matrix(USE_B)
    c = builder.matrix(USE_ACCUMULATOR)
    passes = 3 if chosen["chaining"] == "loop" else 1
    factors = [_factor(builder, a, chosen["origin-a"], passes), _factor(builder, b, chosen["origin-b"], passes)]
    addend = chosen["product-addend"]
    first: list[Simple] = []
    if addend == "zero-splat":
        first.append(Splat(c.name, Literal(0)))
    elif addend == "splat":
        first.append(Splat(c.name, Literal(_near_end(c) if chosen["data"] in ("overflow", "edges") else _one(c))))
    else:
        # Without an addend it holds what must not come in.
        first.append(load(builder, c))
    if addend == "product":
        first += [_factor(builder, a, "plain-load", 1), _factor(builder, b, "plain-load", 1)]
        first.append(builder.mul_add(c, a, b, c))
    result = c if chosen["result-variable"] == "c-and-result" else builder.matrix(USE_ACCUMULATOR)
    third = None if addend == "without" else c
    chain = chosen["chaining"]
    if chain == "loop":
        # In a loop the accumulator carries on where it is the result as well.
        builder.add(*first)
        builder.repeat(passes, *factors, builder.mul_add(result, a, b, third))
    else:
        builder.add(*first, *factors, builder.mul_add(result, a, b, third))
        if chain == "through-c":
            builder.add(builder.mul_add(result, a, b, result))
        if chain == "independent":
            other = builder.matrix(USE_ACCUMULATOR)
            builder.add(builder.mul_add(other, a, b, c if chosen["result-variable"] == "none" else None))
            builder.add(store(builder, other))
    builder.add(store(builder, result))
    if result is not c and chosen["addend-afterwards"] == "stored":
        builder.add(store(builder, c))
    return builder.draft(chosen["data"], batch=2 if builder.slow else 8)


def _near_end(matrix: Matrix) -> int:
    """The bits of a number from which few small products lead out of an integer's range; of a float, of 1."""
    fmt = format_named(matrix.component)
    return _one(matrix) if fmt.is_float else fmt.max_value - 3


def _one(matrix: Matrix) -> int:
    """The bits of 1, or of a small integer whose bytes are not all zero."""
    fmt = format_named(matrix.component)
    return fmt.bias << fmt.fraction_bits if fmt.is_float else 0x0102 & fmt.mask


PRODUCTS = Array(
    name="products",
    focus=("KHRCM-MULADD", "KHRCM-INT-EXT"),
    axes={
        "product-addend": ("without", "zero-splat", "splat", "loaded", "product"),
        "result-variable": ("none", "c-and-result"),
        "addend-afterwards": ("dead", "stored"),
        "chaining": ("single", "through-c", "loop", "independent"),
        "origin-a": ORIGINS,
        "origin-b": ORIGINS,
        "data": tuple(dict.fromkeys((*_FLOAT_DATA, *_INT_DATA))),
    },
    build=_multiplied,
    rules=("result-variable=c-and-result with addend-afterwards=stored",),
    fits=_fits,
)
"""One product or several, with an addend of any origin, or without one."""
