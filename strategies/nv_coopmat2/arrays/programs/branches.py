"""Uniform branches that are taken and passed by, and loops that are passed once and never."""

from __future__ import annotations

from typing import Any

from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Literal, RunTime
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import (
    USE_A,
    USE_ACCUMULATOR,
    USE_B,
    Barrier,
    Branch,
    EachComponent,
    Matrix,
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
from mmaspec.strategies.nv_coopmat2.features import TENSORS, has
from mmaspec.strategies.nv_coopmat2.templates.operations import like
from mmaspec.strategies.nv_coopmat2.templates.plain import store

BODIES = ("load", "tensor-access", "store", "product", "operation", "barrier")
"""Classes of ``branch-body``."""


def _steps(builder: ProgramBuilder, kind: str, matrix: Matrix, factors: tuple[Matrix, Matrix]) -> list[Simple]:
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
    return [EachComponent(matrix.name, "negate"), EachComponent(matrix.name, "add", Literal(number(matrix)))]


def _branched(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder = ProgramBuilder(context, most_waves=2)
    kind = chosen["branch-body"]
    a, b, matrix = builder.matrix(USE_A), builder.matrix(USE_B), builder.matrix(USE_ACCUMULATOR)
    builder.add(found_in(builder, matrix))
    if kind == "product":
        builder.add(found_in(builder, a), found_in(builder, b))
    conditions: list[int | RunTime] = [0, 1, builder.run_time(0), builder.run_time(1 << 31)]
    order = builder.choices.integer(0, 3)
    for taken in (*conditions[order:], *conditions[:order]):
        steps = _steps(builder, kind, matrix, (a, b))
        if not steps:
            return None
        builder.add(Branch(taken, tuple(steps)), store(builder, matrix))
    builder.add(Repeat(0, tuple(_steps(builder, kind, matrix, (a, b)))), store(builder, matrix))
    builder.add(Repeat(1, tuple(_steps(builder, kind, matrix, (a, b)))), store(builder, matrix))
    # What a branch leaves in one matrix is overwritten.
    other = like(builder, matrix)
    inside: list[Simple] = [found_in(builder, other), store(builder, other)]
    builder.add(Branch(builder.run_time(1), tuple(inside)), Splat(other.name, Literal(number(other))))
    builder.add(store(builder, other))
    if kind != "product":
        builder.matrices = [one for one in builder.matrices if one not in (a, b)]
    return builder.draft("whole", batch=2)


def _fits(row: Row[Any], caps: CoopMatCaps, _: str, name: str) -> bool:
    return row.name == flowing_row(caps) and (name != "tensor-access" or has(caps, TENSORS))


BRANCHES = Array(
    name="branches",
    focus=("KHRCM-LOAD-ROW", "KHRCM-MULADD", "NVCM2-STORE-ONLY-ELEMS"),
    axes={"branch-body": BODIES},
    build=_branched,
    fits=_fits,
)
"""One after the other, a branch of each condition and loops of no and of one pass; in between, what they leave."""
