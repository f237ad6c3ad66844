"""The argument of the rules of the sub-group matrix functions: a program and caps, and which function a call means."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from mmaspec.oracle.intel_subgroup_mma.functions import Signature, overloads
from mmaspec.oracle.rule_context import RuleContext
from mmaspec.programs.intel_subgroup_mma.caps import Caps
from mmaspec.programs.intel_subgroup_mma.program import Fragment, Mad, MadProgram
from mmaspec.programs.tree import walk

_SIGNED = {"uint": "int", "ushort": "short"}
"""A scalar of one of these is converted to the other, bit for bit, where the function takes that one."""


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


def meant(program: MadProgram, mad: Mad) -> Signature | None:
    """The function that a call means: that of its name whose vectors are those of the arguments, for either size.

    The language converts integer scalars without a change of their bits, so a call with one row may have the sign of
    a component wrong; vectors it does not convert.
    """
    given = types(program, mad)
    for signature in overloads(mad.function):
        if all(map(converts, given, (signature.a, signature.b, signature.acc, signature.acc))):
            return signature
    return None


def converts(given: tuple[str, int], taken: tuple[str, int]) -> bool:
    """Whether a vector can be given where another is taken, without a change of bits."""
    return given == taken or (given[1] == taken[1] == 1 and _signed(given[0]) == _signed(taken[0]))


def _vector(fragment: Fragment) -> tuple[str, int]:
    return fragment.component, fragment.count


def _signed(component: str) -> str:
    return _SIGNED.get(component, component)


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
