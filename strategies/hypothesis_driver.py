"""The grammar driven by Hypothesis, and the measures that make such tests the same on every machine.

Hypothesis mines constants from whatever local modules are loaded, so that another backend would change the
cases; failures inside a property start its own shrinking; one global seed gives every test the same stream.
``SETTINGS`` and ``seed_of`` cure these; our own reducer shrinks what is found.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import TypeVar

from hypothesis import Phase, reject, settings
from hypothesis import strategies as st
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider
from hypothesis.strategies import DrawFn, SearchStrategy

from mmaspec.oracle.case import Case
from mmaspec.oracle.spec import spec_named
from mmaspec.strategies.enumerate import grammar_of, templates_of
from mmaspec.strategies.grammar import DrawContext
from mmaspec.strategies.recipe import Recipe, materialise

T = TypeVar("T")

PROVIDER = "mmaspec"
"""Name of the provider of choices without mined constants."""


class NoMinedConstants(HypothesisProvider):
    """Hypothesis's own provider, except that it never draws a constant found in loaded modules."""

    def _maybe_draw_constant(self, *_arguments: object, **_keywords: object) -> None:
        return None


AVAILABLE_PROVIDERS[PROVIDER] = f"{__name__}.{NoMinedConstants.__name__}"

SETTINGS = settings(backend=PROVIDER, phases=[Phase.generate], database=None, deadline=None, print_blob=False)
"""Settings of every Hypothesis-driven test of the suites. Collect findings, fail after the property returned."""


def seed_of(run_seed: int, test: str) -> int:
    """A seed for one test of a run, for ``hypothesis.seed``. ``test`` is its key, the same on every machine."""
    return zlib.crc32(f"{run_seed}/{test}".encode())


class Drawn:
    """Choices drawn by Hypothesis. Each shrinks towards the first option, the lowest integer, False."""

    def __init__(self, draw: DrawFn) -> None:
        self._draw = draw

    def integer(self, low: int, high: int) -> int:
        """An integer in ``[low, high]``."""
        if low > high:
            raise ValueError(f"no integer in [{low}, {high}]")
        # Anchored at 0, since Hypothesis shrinks towards zero, not towards the lower end.
        return low + self._draw(st.integers(0, high - low))

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
    names, out of a drawn seed: shrinking simplifies the program, ``mmaspec.strategies.reducer`` the data.

    Raises ``BadInput`` for an unknown specification.

    >>> from hypothesis import given
    >>> @given(cases("hlsl-wave-matrix"))
    ... def test_my_emulator(case): ...
    """
    found = spec_named(spec)
    return _cases(spec, found.default_caps if caps is None else caps)


@st.composite
def _cases(draw: DrawFn, spec_name: str, caps: object) -> Case:
    spec, grammar, choices = spec_named(spec_name), grammar_of(spec_name), Drawn(draw)
    row = draw(st.sampled_from(spec.rows(caps)))
    free = choices.chance(5)
    template = None if free else draw(st.sampled_from(templates_of(grammar, row)))
    context = DrawContext(choices, row, caps)
    draft = grammar.free(context) if template is None else template.build(context)
    if draft is None:
        reject()
    framed = template is not None and choices.chance(25)
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
        seed=draw(st.integers(0, (1 << 63) - 1)),
        batch=draft.batch,
        labels=(draft.regime, *label),
    )
    return materialise(recipe)
