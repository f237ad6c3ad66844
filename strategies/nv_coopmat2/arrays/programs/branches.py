"""Uniform branches that are taken and passed by, and loops that are passed once and never."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mmaspec.oracle.nv_coopmat2.caps_support import other_kinds
from mmaspec.oracle.nv_coopmat2.program_support import beside
from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Literal, RunTime
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import (
    REDUCE_COLUMN,
    REDUCE_ROW,
    USE_A,
    USE_ACCUMULATOR,
    USE_B,
    Arithmetic,
    Barrier,
    Branch,
    Combine,
    Convert,
    EachComponent,
    ElementFunction,
    Matrix,
    PerElement,
    Reduce,
    Repeat,
    Simple,
    Splat,
)
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.arrays.destinations import tensor_store
from mmaspec.strategies.nv_coopmat2.arrays.loops import found_in
from mmaspec.strategies.nv_coopmat2.arrays.origins import number
from mmaspec.strategies.nv_coopmat2.arrays.programs.flows import flowing_row
from mmaspec.strategies.nv_coopmat2.builder.program import ProgramBuilder
from mmaspec.strategies.nv_coopmat2.features import PER_ELEMENT, REDUCING, TENSORS, Feature, has
from mmaspec.strategies.nv_coopmat2.templates.operations import like
from mmaspec.strategies.nv_coopmat2.templates.plain import store

BODIES = (
    "load", "tensor-access", "store", "product", "barrier",
    "splat", "conversion", "operator", "components", "reduction", "element-function",
)  # fmt: skip
"""Classes of ``branch-body``."""

_NEEDS: Mapping[str, tuple[Feature, ...]] = {
    "tensor-access": TENSORS, "reduction": REDUCING, "element-function": PER_ELEMENT,
}  # fmt: skip


def _source(builder: ProgramBuilder, kind: str, matrix: Matrix) -> Matrix | None:
    """A matrix from which that operation makes another one of this type; None where it needs none, or has none."""
    if kind in ("operator", "reduction", "element-function"):
        return like(builder, matrix)
    found = other_kinds(beside(builder.caps, builder.entry), matrix) if kind == "conversion" else []
    return builder.typed(builder.choices.one_of(found), matrix.rows, matrix.cols, matrix.use) if found else None


def _operation(builder: ProgramBuilder, kind: str, matrix: Matrix, source: Matrix) -> Simple:
    """The operation whose result is this matrix."""
    if kind == "conversion":
        return Convert(matrix.name, source.name)
    if kind == "operator":
        return Arithmetic(matrix.name, source.name, "+", matrix.name)
    if kind == "reduction":
        return Reduce(matrix.name, source.name, builder.choices.one_of((REDUCE_ROW, REDUCE_COLUMN)), Combine("max"))
    return PerElement(matrix.name, source.name, ElementFunction("triangle"))


def _steps(
    builder: ProgramBuilder, kind: str, matrix: Matrix, factors: tuple[Matrix, Matrix], source: Matrix | None
) -> list[Simple]:
    """What a branch or a loop does to a matrix that has something before."""
    if kind == "load":
        return [found_in(builder, matrix)]
    if kind == "tensor-access":
        return tensor_store(builder, matrix, viewed=False) or []
    if kind == "store":
        return [store(builder, matrix)]
    if kind == "product":
        return [builder.mul_add(matrix, *factors, matrix)]
    if kind == "barrier":
        return [store(builder, matrix), Barrier(), store(builder, matrix)]
    if kind == "splat":
        return [Splat(matrix.name, Literal(number(matrix)))]
    if kind != "components":
        return [] if source is None else [_operation(builder, kind, matrix, source)]
    return [EachComponent(matrix.name, "negate"), EachComponent(matrix.name, "add", Literal(number(matrix)))]


def _branched(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder = ProgramBuilder(context, most_waves=2)
    kind = chosen["branch-body"]
    a, b, matrix = builder.matrix(USE_A), builder.matrix(USE_B), builder.matrix(USE_ACCUMULATOR)
    builder.add(found_in(builder, matrix))
    if kind == "product":
        builder.add(found_in(builder, a), found_in(builder, b))
    source = _source(builder, kind, matrix)
    if source is not None:
        builder.add(found_in(builder, source))
    conditions: list[int | RunTime] = [0, 1, builder.run_time(0), builder.run_time(1 << 31)]
    order = builder.choices.integer(0, 3)
    for taken in (*conditions[order:], *conditions[:order]):
        steps = _steps(builder, kind, matrix, (a, b), source)
        if not steps:
            return None
        if kind == "splat" or source is not None:  # once more it would be the same, whether or not that is executed
            builder.add(found_in(builder, matrix))
        builder.add(Branch(taken, tuple(steps)), store(builder, matrix))
    builder.add(Repeat(0, tuple(_steps(builder, kind, matrix, (a, b), source))), store(builder, matrix))
    builder.add(Repeat(1, tuple(_steps(builder, kind, matrix, (a, b), source))), store(builder, matrix))
    # What a branch leaves in one matrix is overwritten.
    other = like(builder, matrix)
    inside: list[Simple] = [found_in(builder, other), store(builder, other)]
    builder.add(Branch(builder.run_time(1), tuple(inside)), Splat(other.name, Literal(number(other))))
    builder.add(store(builder, other))
    if kind != "product":
        builder.matrices = [one for one in builder.matrices if one not in (a, b)]
    return builder.draft("whole", batch=2)


def _fits(row: Row[Any], caps: CoopMatCaps, _: str, name: str) -> bool:
    return row.name == flowing_row(caps) and has(caps, _NEEDS.get(name, ()))


BRANCHES = Array(
    name="branches",
    focus=("KHRCM-LOAD-ROW", "KHRCM-MULADD", "NVCM2-STORE-ONLY-ELEMS"),
    axes={"branch-body": BODIES},
    build=_branched,
    fits=_fits,
)
"""One after the other, a branch of each condition and loops of no and of one pass; in between, what they leave."""
