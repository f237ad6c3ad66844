"""The argument of the rules of the sub-group matrix functions: a program and caps, and which function a call means."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

from mmaspec.oracle.intel_subgroup_mma.functions import Signature, overloads
from mmaspec.oracle.rule_context import RuleContext
from mmaspec.programs.intel_subgroup_mma.caps import Caps
from mmaspec.programs.intel_subgroup_mma.program import Fragment, Mad, MadProgram
from mmaspec.programs.tree import walk


class Types(NamedTuple):
    """Component and count of the vectors of a call; ``acc`` is that of the result where zeros are written for it."""

    a: tuple[str, int]
    b: tuple[str, int]
    acc: tuple[str, int]
    result: tuple[str, int]


def types(program: MadProgram, mad: Mad) -> Types:
    """The vectors of a call's fragments."""
    a, b, result = (_vector(program.fragment(name)) for name in (mad.a, mad.b, mad.d))
    return Types(a, b, result if mad.c is None else _vector(program.fragment(mad.c)), result)


_SUM_GIVEN = {"uint": "int"}
_RESULT_TAKEN = {"uint": "int", "ushort": "short"}
"""Scalars of the one are taken for the other, bit for bit, whatever functions are declared (ISGMMA-AMB-05).

A ushort among the arguments would fit two functions of sub-groups of 16: short and float both are conversions.
"""


def meant(program: MadProgram, mad: Mad) -> Signature | None:
    """The function that a call means: that of its name whose vectors are those of the arguments, for either size.

    An accumulator and a result of one component may have the sign of it wrong.
    """
    given = types(program, mad)
    for signature in overloads(mad.function):
        if (
            (given.a, given.b) == (signature.a, signature.b)
            and _bits(given.acc, _SUM_GIVEN) == signature.acc
            and _bits(given.result, _RESULT_TAKEN) == signature.acc
        ):
            return signature
    return None


def _bits(given: tuple[str, int], taken: Mapping[str, str]) -> tuple[str, int]:
    component, count = given
    return (taken.get(component, component), count) if count == 1 else given


def converted(program: MadProgram, mad: Mad) -> Signature | None:
    """A function of its name that a call fits by the language's conversions alone, for either size.

    OpenCL C converts a scalar to any other, and spreads one over a vector; vectors it does not convert
    (ISGMMA-AMB-05).
    """
    given = types(program, mad)
    for signature in overloads(mad.function):
        arguments = zip(given[:3], (signature.a, signature.b, signature.acc), strict=True)
        if all(_converts(*each) for each in arguments) and _converts(signature.acc, given.result):
            return signature
    return None


def _converts(value: tuple[str, int], wanted: tuple[str, int]) -> bool:
    """Whether the language takes a value for a variable of a type, or makes it one of that type."""
    return value[1] == 1 or value == wanted


def _vector(fragment: Fragment) -> tuple[str, int]:
    return fragment.component, fragment.count


class Context(RuleContext[MadProgram, Caps]):
    """A resolved kernel for a device of one minimum sub-group size."""

    @cached_property
    def calls(self) -> tuple[Mad, ...]:
        """Every call of a function, in the order of the text."""
        return tuple(step for _, step, _ in walk(self.program) if isinstance(step, Mad))

    @cached_property
    def meant(self) -> tuple[Signature | None, ...]:
        """What each of these calls means."""
        return tuple(meant(self.program, mad) for mad in self.calls)
