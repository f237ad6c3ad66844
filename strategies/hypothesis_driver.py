"""The grammar driven by Hypothesis, for property tests of users: the strategies ``cases`` and ``device_caps``.

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
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.errors import BadInput
from mmaspec.strategies.array import drawn
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.enumerate import grammar_of, templates_of
from mmaspec.strategies.grammar import Array, Draft, DrawContext, Template
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
    found = spec_named(spec)
    if caps is not None and not isinstance(caps, found.caps_type):
        raise BadInput(f"caps are {type(caps).__name__}; expected {found.caps_type.__name__}, the caps of {spec}")
    return _cases(spec, found.default_caps if caps is None else caps)


def device_caps(spec: str) -> SearchStrategy[Any]:
    """Caps that some device could report for a specification, of the type that ``Backend.caps`` returns.

    Every table keeps to the document: shapes, types, wave sizes and features in any combination that it allows. Draw
    from ``cases(spec, caps)`` with what is drawn here to have programs for devices that nobody has built.

    Raises ``BadInput`` for an unknown specification, and for one whose grammar draws no caps.

    >>> from hypothesis import given
    >>> @given(device_caps("hlsl-wave-matrix"))
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
def _cases(draw: DrawFn, spec_name: str, caps: object) -> Case:
    spec, grammar, choices = spec_named(spec_name), grammar_of(spec_name), Drawn(draw)
    row = choices.one_of(spec.rows(caps))
    free = choices.chance(5)
    arrays = tuple(array for array in grammar.arrays if array.meets(row))
    options: tuple[Template | Array, ...] = (*templates_of(grammar, row), *arrays)
    template = None if free else choices.one_of(options)
    context = DrawContext(choices, row, caps)
    draft: Draft | None
    if template is None:
        draft = grammar.free(context)
    elif isinstance(template, Array):
        chosen = drawn(template, choices, row, caps)
        draft = None if chosen is None else template.build(context, chosen)
    else:
        draft = template.build(context)
    if draft is None:
        reject()
    framed = isinstance(template, Template) and choices.chance(25)
    if framed:
        draft = grammar.frame(context, draft)
    label = ("free",) if free else ("framed",) if framed else ()
    recipe = Recipe(
        spec=spec_name,
        revision=spec.catalogue.revision,
        row=row.name,
        template="free" if template is None else template.name,
        program=draft.program,
        caps=caps,
        words=draft.words,
        regime=draft.regime,
        seed=choices.integer(0, (1 << SEED_BITS) - 1),
        batch=draft.batch,
        labels=(draft.regime, *label),
    )
    return materialise(recipe)
