"""Near misses of operations: one more instruction after a valid program, which breaks one clause."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import get_args

from msgspec.structs import replace

from mmaspec.programs.base import Literal
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import (
    REDUCE_2X2,
    REDUCE_ROW_AND_COLUMN,
    Arithmetic,
    Combine,
    Component,
    Convert,
    CoopMatProgram,
    ElementFunction,
    Matrix,
    Operation,
    PerElement,
    Reduce,
    Transpose,
)
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.grammar import Draft, DrawContext, NearMiss
from mmaspec.strategies.nv_coopmat2.builder.program import with_program

Maker = Callable[[Choices, tuple[Matrix, ...]], Operation]
"""From A, B, C and D of a product, an operation that is not valid."""


def _followed(make: Maker) -> NearMiss:
    """The draft with one more instruction at its end."""

    def near_miss(context: DrawContext[CoopMatCaps], draft: Draft) -> Draft:
        program: CoopMatProgram = draft.program
        wrong = make(context.choices, program.matrices[:4])
        return with_program(draft, replace(program, body=(*program.body, wrong)))

    return near_miss


def _other(choices: Choices, kind: Component) -> Component:
    return choices.one_of([other for other in get_args(Component) if other != kind])


def scalar_operator(choices: Choices, matrices: tuple[Matrix, ...]) -> Operation:
    """A scalar beside + - or /."""
    _, _, c, d = matrices
    return Arithmetic(d.name, c.name, choices.one_of(("+", "-", "/")), Literal(1), choices.chance(50))


def convert_types(choices: Choices, matrices: tuple[Matrix, ...]) -> Operation:
    """A conversion out of A or B, or between A and B."""
    a, b, _, d = matrices
    result, source = choices.one_of(((d, a), (d, b), (a, b), (b, a)))
    return Convert(result.name, source.name)


def transpose_types(choices: Choices, matrices: tuple[Matrix, ...]) -> Operation:
    """A transpose into an accumulator, or of something else than one."""
    a, b, c, d = matrices
    result, source = choices.one_of(((d, c), (b, a), (a, b)))
    return Transpose(result.name, source.name)


def reduce_use(choices: Choices, matrices: tuple[Matrix, ...]) -> Operation:
    """A reduction of A or B, or into one of them."""
    a, b, c, d = matrices
    result, source = choices.one_of(((a, a), (d, b), (a, c)))
    combine = Combine("max", (source.component,) * 2, source.component)
    return Reduce(result.name, source.name, REDUCE_ROW_AND_COLUMN, combine)


def reduce_mask(choices: Choices, matrices: tuple[Matrix, ...]) -> Operation:
    """2x2 beside rows or columns, or a combine function of other parameters, another result, or that may write."""
    _, _, c, d = matrices
    other = _other(choices, c.component)
    mask, combine = choices.one_of(
        (
            (choices.integer(5, 7), Combine("add")),
            (REDUCE_ROW_AND_COLUMN, Combine("add", (None, other))),
            (REDUCE_ROW_AND_COLUMN, Combine("min", (None, None), other)),
            (REDUCE_ROW_AND_COLUMN, Combine("max", (None, None, None))),
            (REDUCE_ROW_AND_COLUMN, Combine("max", qualifier=choices.one_of(("in", "inout")))),
        )
    )
    return Reduce(d.name, c.name, mask, combine)


def reduce_shape(choices: Choices, matrices: tuple[Matrix, ...]) -> Operation:
    """2x2 into a matrix of the same size."""
    _, _, c, d = matrices
    return Reduce(d.name, c.name, REDUCE_2X2, Combine(choices.one_of(("add", "min", "max"))))


def element_signature(choices: Choices, matrices: tuple[Matrix, ...]) -> Operation:
    """A function of another component or place, an extra too few or of another type, parameters that are not const.

    Or a result of another type.
    """
    a, _, c, d = matrices
    other = _other(choices, c.component)
    result, function, extras = choices.one_of(
        (
            (d, ElementFunction("triangle", other), ()),
            (d, ElementFunction("place", place=choices.one_of(("int32_t", "uint16_t"))), ()),
            (d, ElementFunction("triangle", qualifier=choices.one_of(("in", "inout"))), ()),
            (d, ElementFunction("place", None, (), other), ()),
            (d, ElementFunction("add", None, (None, None)), (c.name,)),
            (d, ElementFunction("add", None, (None,)), (a.name,)),
            (d, ElementFunction("select", None, (other,)), (c.name,)),
            (a, ElementFunction("triangle"), ()),
        )
    )
    return PerElement(result.name, c.name, function, extras)


def reduce_enums(choices: Choices, matrices: tuple[Matrix, ...]) -> Operation:
    """A reduce mask without a name: no bit, or one beyond those that there are."""
    _, _, c, d = matrices
    return Reduce(d.name, c.name, choices.one_of((0, 8, 9, 16)), Combine("max"))


NAMELESS_MASK = _followed(reduce_enums)
"""A near miss of NVCM2-ENUMS; clamp modes make others."""

OPERATION_NEAR_MISSES: Mapping[str, NearMiss] = MappingProxyType(
    {
        "KHRCM-ARITH-SCALAR": _followed(scalar_operator),
        "NVCM2-CONVERT-TYPES": _followed(convert_types),
        "NVCM2-TRANSPOSE-TYPES": _followed(transpose_types),
        "NVCM2-REDUCE-USE": _followed(reduce_use),
        "NVCM2-REDUCE-MASK": _followed(reduce_mask),
        "NVCM2-REDUCE-SHAPE": _followed(reduce_shape),
        "NVCM2-PERELEM-SIG": _followed(element_signature),
    }
)
"""Validity clause -> how to break just that one."""
