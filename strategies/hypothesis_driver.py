"""The grammar driven by Hypothesis, for property tests of users: the strategies ``cases``, ``programs`` and ``caps``.

``mmaspec check`` does not use it. Its case lists are enumerated, since what Hypothesis draws differs between versions.

Hypothesis mixes constants from whatever modules of the user are loaded into the integers, floats, texts and bytes that
it draws, so that a test of one backend would draw other cases than the same test of another. It has no public setting
against that, but Booleans have no constants: every choice here is made of bits. Nothing of Hypothesis is changed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from hypothesis import reject
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import resolve
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.base import Program
from mmaspec.programs.errors import BadInput
from mmaspec.strategies.any_case import any_recipe
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.enumerate import grammar_of
from mmaspec.strategies.recipe import Recipe, materialise

T = TypeVar("T")

SPARE_BITS = 3
"""Drawn on top where the number of options is no power of two: so many make all options about as likely."""

SEED_BITS = 32
"""Of the seed from which a case's data come."""

_BIT = st.booleans()


class Drawn:
    """Choices drawn by Hypothesis, bit by bit. Each shrinks towards the first option, the lowest integer, False."""

    def __init__(self, draw: DrawFn) -> None:
        self._draw = draw

    def integer(self, low: int, high: int) -> int:
        """An integer in ``[low, high]``."""
        if low > high:
            raise ValueError(f"no integer in [{low}, {high}]")
        count = high - low + 1
        bits = (count - 1).bit_length() + (SPARE_BITS if count & (count - 1) else 0)
        value = 0
        for _ in range(bits):
            value = value << 1 | self._draw(_BIT)
        return low + (value * count >> bits)

    def one_of(self, options: Sequence[T]) -> T:
        """One of the options."""
        return options[self.integer(0, len(options) - 1)]

    def weighted(self, options: Sequence[tuple[int, T]]) -> T:
        """One of the options by weight."""
        left = self.integer(0, sum(weight for weight, _ in options) - 1)
        for weight, option in options:
            if left < weight:
                return option
            left -= weight
        raise ValueError("weights must be positive integers")

    def chance(self, percent: int) -> bool:
        """True in about ``percent`` of 100 draws."""
        return self.integer(0, 99) >= 100 - percent


def cases(spec: str, caps: object = None) -> SearchStrategy[Case]:
    """Valid and defined cases of a specification: program, run-time arguments and data.

    ``spec`` is a name such as ``hlsl-wave-matrix``; ``caps`` the table of a device (default: the
    specification's own), every row of which may be drawn. About a quarter of the cases is framed by
    unrelated instructions, a twentieth is a free program. Data come from the regime that the template
    names, out of a drawn seed: shrinking simplifies the program and leaves the data random. Equal seeds draw
    equal cases whatever else is loaded, in one version of Hypothesis and of mmaspec.

    Raises ``BadInput`` for an unknown specification and for caps of another one.

    >>> from hypothesis import given
    >>> @given(cases("hlsl-wave-matrix"))
    ... def test_my_emulator(case): ...
    """
    return _recipes(spec, _caps_of(spec, caps)).map(materialise)


def programs(spec: str, caps: object = None) -> SearchStrategy[Any]:
    """Programs of a specification alone, of its own program type: those of the cases that ``cases`` draws.

    Arguments that a case loads at run time are literals in them, so that nothing is needed beside the program.

    Raises what ``cases`` raises.

    >>> from hypothesis import given
    >>> @given(programs("hlsl-wave-matrix"))
    ... def test_my_printer(program): ...
    """
    return _recipes(spec, _caps_of(spec, caps)).map(_resolved)


def _caps_of(spec: str, caps: object) -> object:
    """The caps to draw under: those given, else the specification's own. Raises ``BadInput``."""
    found = spec_named(spec)
    if caps is not None and not isinstance(caps, found.caps_type):
        raise BadInput(f"caps are {type(caps).__name__}; expected {found.caps_type.__name__}, the caps of {spec}")
    return found.default_caps if caps is None else caps


def _resolved(recipe: Recipe) -> Program:
    return resolve(recipe.program, recipe.words)


def caps(spec: str) -> SearchStrategy[Any]:
    """Caps that some device could report for a specification, of the type that ``Backend.caps`` returns.

    Every table keeps to the document: shapes, types, wave sizes and features in any combination that it allows. Draw
    from ``cases(spec, caps)`` with what is drawn here to have programs for devices that nobody has built.

    Raises ``BadInput`` for an unknown specification, and for one whose grammar draws no caps.

    >>> from hypothesis import given
    >>> @given(caps("hlsl-wave-matrix"))
    ... def test_my_caps_reader(caps): ...
    """
    make = grammar_of(spec).random_caps
    if make is None:
        raise BadInput(f"specification {spec!r} has no random caps")
    return _device_caps(make)


@st.composite
def _device_caps(draw: DrawFn, make: Callable[[Choices], Any]) -> Any:
    return make(Drawn(draw))


@st.composite
def _recipes(draw: DrawFn, spec_name: str, caps: object) -> Recipe:
    recipe = any_recipe(spec_named(spec_name), grammar_of(spec_name), caps, Drawn(draw), SEED_BITS)
    if recipe is None:
        reject()
    return recipe
