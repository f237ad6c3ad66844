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
from mmaspec.strategies.grammar import Draft, DrawContext, Forms, NearMiss, in_forms
from mmaspec.strategies.nv_coopmat2.builder.program import with_program

Maker = Callable[[Choices, tuple[Matrix, ...]], tuple[Operation, ...]]
"""From A, B, C and D of a product, operations of which none is valid, in an order that does not depend on draws."""


def _followed(count: int, make: Maker) -> Forms:
    """The draft with one more instruction at its end, one of ``count``."""

    def near_miss(context: DrawContext[CoopMatCaps], draft: Draft, number: int) -> Draft:
        program: CoopMatProgram = draft.program
        wrong = make(context.choices, program.matrices[:4])
        assert len(wrong) == count
        return with_program(draft, replace(program, body=(*program.body, wrong[number])))

    return in_forms(near_miss, range(count))


def _other(choices: Choices, kind: Component) -> Component:
    return choices.one_of([other for other in get_args(Component) if other != kind])


def scalar_operator(choices: Choices, matrices: tuple[Matrix, ...]) -> tuple[Operation, ...]:
    """A scalar beside + - or /."""
    c, d = matrices[2:]
    first = choices.chance(50)
    return (
        Arithmetic(d.name, c.name, "+", Literal(1), first),
        Arithmetic(d.name, c.name, "-", Literal(1), first),
        Arithmetic(d.name, c.name, "/", Literal(1), first),
    )


def convert_types(_: Choices, matrices: tuple[Matrix, ...]) -> tuple[Operation, ...]:
    """A conversion out of A or B, or between A and B."""
    a, b, d = matrices[0], matrices[1], matrices[3]
    return tuple(Convert(result.name, source.name) for result, source in ((d, a), (d, b), (a, b), (b, a)))


def transpose_types(_: Choices, matrices: tuple[Matrix, ...]) -> tuple[Operation, ...]:
    """A transpose into an accumulator, or of something else than one."""
    a, b, c, d = matrices
    return tuple(Transpose(result.name, source.name) for result, source in ((d, c), (b, a), (a, b)))


def reduce_use(_: Choices, matrices: tuple[Matrix, ...]) -> tuple[Operation, ...]:
    """A reduction of A or B, or into one of them."""
    a, b, c, d = matrices
    return tuple(
        Reduce(
            result.name,
            source.name,
            REDUCE_ROW_AND_COLUMN,
            Combine("max", (source.component,) * 2, source.component),
        )
        for result, source in ((a, a), (d, b), (a, c))
    )


def reduce_mask(choices: Choices, matrices: tuple[Matrix, ...]) -> tuple[Operation, ...]:
    """2x2 beside rows or columns, or a combine function of other parameters, another result, or that may write."""
    c, d = matrices[2:]
    other = _other(choices, c.component)
    wrong = (
        (choices.integer(5, 7), Combine("add")),
        (REDUCE_ROW_AND_COLUMN, Combine("add", (None, other))),
        (REDUCE_ROW_AND_COLUMN, Combine("min", (None, None), other)),
        (REDUCE_ROW_AND_COLUMN, Combine("max", (None, None, None))),
        (REDUCE_ROW_AND_COLUMN, Combine("max", qualifier="in")),
        (REDUCE_ROW_AND_COLUMN, Combine("max", qualifier="inout")),
    )
    return tuple(Reduce(d.name, c.name, mask, combine) for mask, combine in wrong)


def reduce_shape(choices: Choices, matrices: tuple[Matrix, ...]) -> tuple[Operation, ...]:
    """2x2 into a matrix of the same size."""
    c, d = matrices[2:]
    return (Reduce(d.name, c.name, REDUCE_2X2, Combine(choices.one_of(("add", "min", "max")))),)


def element_signature(choices: Choices, matrices: tuple[Matrix, ...]) -> tuple[Operation, ...]:
    """A function of another component or place, an extra too few or of another type, parameters that are not const.

    Or a result of another type.
    """
    a, c, d = matrices[0], matrices[2], matrices[3]
    other = _other(choices, c.component)
    wrong: tuple[tuple[Matrix, ElementFunction, tuple[str, ...]], ...] = (
        (d, ElementFunction("triangle", other), ()),
        (d, ElementFunction("place", place=choices.one_of(("int32_t", "uint16_t"))), ()),
        (d, ElementFunction("triangle", qualifier="in"), ()),
        (d, ElementFunction("triangle", qualifier="inout"), ()),
        (d, ElementFunction("place", None, (), other), ()),
        (d, ElementFunction("add", None, (None, None)), (c.name,)),
        (d, ElementFunction("add", None, (None,)), (a.name,)),
        (d, ElementFunction("select", None, (other,)), (c.name,)),
        (a, ElementFunction("triangle"), ()),
    )
    return tuple(PerElement(result.name, c.name, function, extras) for result, function, extras in wrong)


def reduce_enums(_: Choices, matrices: tuple[Matrix, ...]) -> tuple[Operation, ...]:
    """A reduce mask without a name: no bit, or one beyond those that there are."""
    c, d = matrices[2:]
    return tuple(Reduce(d.name, c.name, mask, Combine("max")) for mask in (0, 9))


NAMELESS_MASKS = _followed(2, reduce_enums)
"""A near miss of NVCM2-ENUMS; clamp modes make others."""

OPERATION_NEAR_MISSES: Mapping[str, NearMiss] = MappingProxyType(
    {
        "KHRCM-ARITH-SCALAR": _followed(3, scalar_operator),
        "NVCM2-CONVERT-TYPES": _followed(4, convert_types),
        "NVCM2-TRANSPOSE-TYPES": _followed(3, transpose_types),
        "NVCM2-REDUCE-USE": _followed(3, reduce_use),
        "NVCM2-REDUCE-MASK": _followed(6, reduce_mask),
        "NVCM2-REDUCE-SHAPE": _followed(1, reduce_shape),
        "NVCM2-PERELEM-SIG": _followed(9, element_signature),
    }
)
"""Validity clause -> how to break just that one."""
