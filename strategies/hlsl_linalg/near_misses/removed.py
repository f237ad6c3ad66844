"""Near misses of the later text: every operation that it has no more, as the text of 2025-09-19 would take it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, get_args

from mmaspec.programs.base import Literal
from mmaspec.programs.hlsl_linalg.components import COMPONENTS
from mmaspec.programs.hlsl_linalg.program import Scope, Use, Vector
from mmaspec.programs.hlsl_linalg.removed import (
    FromThreadVectors,
    GetThreadVector,
    Operate,
    Operator,
    SumAccumulate,
    Unary,
    UnaryOperation,
)
from mmaspec.strategies.hlsl_linalg.near_misses.edits import Change, Edit, forms

USES: tuple[Use, ...] = ("A", "B")


def _operated(op: Operator, scope: Scope, edit: Edit) -> Edit:
    a = edit.matrix("A", scope=scope)
    scalar: Any = COMPONENTS[a.component].scalar
    return edit.more(Operate("X", op, scalar, Literal(1)), matrices=(a,))


def _changed(op: UnaryOperation, scope: Scope, edit: Edit) -> Edit:
    return edit.more(Unary("X", op, "Y"), matrices=(edit.matrix("B", scope=scope), edit.matrix("B", "Y", scope=scope)))


def _summed(scope: Scope, edit: Edit) -> Edit:
    """Three matrices as high as they are wide."""
    side = edit.program.matrix("A").m
    square = {"X": "C", "Y": "A", "Z": "B"}
    matrices = tuple(edit.matrix(like, name, m=side, n=side, scope=scope) for name, like in square.items())
    return edit.more(SumAccumulate("X", "Y", "Z"), matrices=matrices)


def _of_vectors(use: Use, scope: Scope, edit: Edit, *, into: bool) -> Edit:
    """Columns of an A, or rows of a B, in a vector of every thread."""
    matrix = edit.matrix("A", use=use, scope=scope)
    vector = Vector("u", matrix.component, matrix.m if use == "A" else matrix.n)
    step = FromThreadVectors("X", "u") if into else GetThreadVector("u", "X")
    return edit.more(step, matrices=(matrix,), vectors=(vector,))


_NATIVE: Mapping[str, Change] = MappingProxyType(
    {
        **{f"the operator {op}": partial(_operated, op, "Wave") for op in get_args(Operator)},
        **{f"FromThreadVectors into {use}": partial(_of_vectors, use, "Wave", into=True) for use in USES},
        **{f"GetThreadVector of {use}": partial(_of_vectors, use, "Wave", into=False) for use in USES},
        "an operator of a group's matrix": partial(_operated, "add", "ThreadGroup"),
        "FromThreadVectors into a group's matrix": partial(_of_vectors, "A", "ThreadGroup", into=True),
        "GetThreadVector of a group's matrix": partial(_of_vectors, "B", "ThreadGroup", into=False),
    }
)
"""What needs a type that HLSL has itself: of the scalar, and of the vectors."""

_ANY: Mapping[str, Change] = MappingProxyType(
    {
        **{f"the unary operation {op}": partial(_changed, op, "Wave") for op in get_args(UnaryOperation)},
        "SumAccumulate": partial(_summed, "Wave"),
        "a unary operation of a group's matrix": partial(_changed, "nop", "ThreadGroup"),
        "SumAccumulate of a group's matrices": partial(_summed, "ThreadGroup"),
    }
)

NAMES: tuple[str, ...] = (*_NATIVE, *_ANY)
"""Those of the forms."""

REMOVED = (
    *forms(_NATIVE, rows=("untyped",), possible=lambda row, _: COMPONENTS[row.entry.answer.component].native),
    *forms(_ANY, rows=("untyped",)),
)
"""LINALG-SCOPE-TABLE: what is not in the later text's table at any scope."""
