"""Undefined behaviour of the text of 2025-09-19 alone: one function for each clause."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from mmaspec.oracle.hlsl_linalg.participants import executed
from mmaspec.oracle.hlsl_linalg.races import race
from mmaspec.oracle.hlsl_linalg.rule_context import Context
from mmaspec.oracle.hlsl_linalg.undefined.memory import epochs, sizes_of
from mmaspec.oracle.hlsl_linalg.undefined.threads import Rule
from mmaspec.oracle.hlsl_linalg.validity.arrays import PACKED, array_accesses
from mmaspec.oracle.hlsl_linalg.validity.removed import moves
from mmaspec.oracle.hlsl_linalg.validity.removed import sums as sum_accumulates
from mmaspec.programs.base import Literal
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, NATIVE
from mmaspec.programs.hlsl_linalg.operands import reads, writes
from mmaspec.programs.hlsl_linalg.program import MultiplyVector
from mmaspec.programs.hlsl_linalg.removed import Operate, Unary

FUNCTIONS = ("sin", "cos", "tan")
OF_FUNCTIONS = ("F16", "F32")
"""The component types of which HLSL has these as intrinsics."""


def gs_packed(context: Context) -> bool:
    """LINALG-GS-PACKED: a packed matrix in an array, or any in an array of packed words."""
    return any(
        array.element == PACKED or not COMPONENTS[matrix.component].native
        for _, matrix, array, _ in array_accesses(context)
    )


def acc_apart(context: Context) -> bool:
    """LINALG-ACC-APART: two additions to one element without a barrier between."""
    buffers = {buffer.name: buffer for buffer in context.program.buffers}
    return any(
        race(
            buffers,
            sizes_of(context),
            [replace(touch, effect="store") for touch in epoch if touch.effect == "add"],
        )
        for epoch in epochs(context)
    )


def _operators(context: Context) -> Iterator[tuple[Operate, str, str]]:
    """Every operator with the scope and component type of its matrix."""
    for one, _ in context.each(Operate):
        matrix = context.program.matrix(one.matrix)
        yield one, matrix.scope, matrix.component


def elemwise_uniform(context: Context) -> bool:
    """LINALG-ELEMWISE-UNIFORM: lanes that disagree, or waves of a ThreadGroup matrix."""
    waves = context.program.waves > 1
    return any(one.lane or (one.wave and waves and scope == "ThreadGroup") for one, scope, _ in _operators(context))


def elemwise_scalar(context: Context) -> bool:
    """LINALG-ELEMWISE-SCALAR: a scalar of another type than the elements, or a constant zero that divides integers."""
    for one, _, component in _operators(context):
        if NATIVE[one.scalar] != component:
            return True
        divides = one.op == "div" and not COMPONENTS[component].format.is_float
        if divides and isinstance(one.value, Literal) and one.value.bits == 0:
            return True
    return False


def unary_source(context: Context) -> bool:
    """LINALG-UNARY-SOURCE: the matrix of a unary operation is used after it, where the result is another one."""
    spoilt: set[str] = set()
    for _, one, _ in executed(context.program):
        if not spoilt.isdisjoint(reads(one)):
            return True
        if isinstance(one, Unary) and one.source != one.matrix:
            spoilt.add(one.source)
        if (target := writes(one)) is not None:
            spoilt.discard(target)
    return False


def unary_types(context: Context) -> bool:
    """LINALG-UNARY-TYPES: what has no stated result on a component type."""
    for one, _ in context.each(Unary):
        component = COMPONENTS[context.program.matrix(one.matrix).component]
        if one.op == "nop":
            continue
        if not component.native:
            return True
        if one.op in FUNCTIONS and component.name not in OF_FUNCTIONS:
            return True
        if one.op not in FUNCTIONS and not (component.format.is_float or component.format.signed):
            return True
    return False


def sumacc_square(context: Context) -> bool:
    """LINALG-SUMACC-SQUARE: M, N and K that are not equal, or component types that differ."""
    return any(
        len({matrix.m, matrix.n, a.n}) > 1 or len({matrix.component, a.component, b.component}) > 1
        for matrix, a, b in sum_accumulates(context)
    )


def threadvec_group(context: Context) -> bool:
    """LINALG-THREADVEC-GROUP: threads' vectors of a ThreadGroup matrix in a group of several waves."""
    return context.program.waves > 1 and any(matrix.scope == "ThreadGroup" for matrix, _ in moves(context))


def bias_type(context: Context) -> bool:
    """LINALG-BIAS-TYPE: a bias of another type than the result."""
    program = context.program
    return any(
        isinstance(one.bias, str) and program.vector(one.bias).component != program.vector(one.vector).component
        for one, _ in context.each(MultiplyVector)
    )


SOURCE_RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "LINALG-GS-PACKED": gs_packed,
        "LINALG-ACC-APART": acc_apart,
        "LINALG-ELEMWISE-UNIFORM": elemwise_uniform,
        "LINALG-ELEMWISE-SCALAR": elemwise_scalar,
        "LINALG-UNARY-SOURCE": unary_source,
        "LINALG-UNARY-TYPES": unary_types,
        "LINALG-SUMACC-SQUARE": sumacc_square,
        "LINALG-THREADVEC-GROUP": threadvec_group,
        "LINALG-BIAS-TYPE": bias_type,
    }
)
"""Clause -> whether a program crosses it."""
