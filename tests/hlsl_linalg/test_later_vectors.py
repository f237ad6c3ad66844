"""Vectors that threads take from matrices at a later index (2025-09-19); matrices of several waves made of vectors."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from mmaspec.backends.numpy.hlsl_linalg.device import LinalgDevice
from mmaspec.backends.numpy.units.exact import ExactUnit
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.hlsl_linalg import SOURCE_CAPS
from mmaspec.strategies.array import ROW, tuples
from mmaspec.strategies.enumerate import DEFAULT_SEED, Lister, arrays_of, grammar_of
from mmaspec.strategies.grammar import Draft
from tests.hlsl_linalg.drawing import Held, held

SPEC = spec_named("hlsl-linalg")
TAKEN, MADE = "vectors-of-matrices-in-waves", "matrices-of-vectors-in-waves"


@cache
def cases(name: str) -> tuple[Held, ...]:
    array, found = arrays_of(SPEC.name)[name], []
    lister = Lister(SPEC, grammar_of(SPEC.name), SOURCE_CAPS, DEFAULT_SEED)
    for chosen in tuples(array, SOURCE_CAPS, SPEC.rows(SOURCE_CAPS), 2):
        row = SPEC.row(SOURCE_CAPS, chosen[ROW])
        recipe = lister.met(row, array, chosen)
        assert recipe is not None
        draft = Draft(recipe.program, recipe.regime, recipe.batch, recipe.words)
        found.append(held(draft, row, recipe.seed, recipe.batch, revision="2025-09-19"))
    return tuple(found)


def wrong(kind: type[LinalgDevice], name: str) -> int:
    """In how many cases of an array."""
    device = kind(ExactUnit())
    device.caps = SOURCE_CAPS
    return sum(bool(one.left(device)) for one in cases(name))


class Grouped(LinalgDevice):
    """The index counts the threads of the group, not of the wave."""

    def line_of(self, running: Any, index: int, place: Any) -> Any:
        return super().line_of(running, index * running.program.waves, place)


class Empty(LinalgDevice):
    """Whatever is at a later index is zeros."""

    def line_of(self, running: Any, index: int, place: Any) -> Any:
        return super().line_of(running, index << 20, place)


class First(LinalgDevice):
    """The index is ignored."""

    def line_of(self, running: Any, index: int, place: Any) -> Any:  # noqa: ARG002 - that is the mistake
        return super().line_of(running, 0, place)


class Far(LinalgDevice):
    """Two is as far as an index goes."""

    def line_of(self, running: Any, index: int, place: Any) -> Any:
        return super().line_of(running, min(index, 2), place)


def test_the_device_is_right() -> None:
    assert wrong(LinalgDevice, TAKEN) == wrong(LinalgDevice, MADE) == 0


@pytest.mark.parametrize("kind", [Grouped, Empty, First], ids=lambda kind: kind.__name__)
def test_a_mistake_about_later_vectors_is_noticed_for_every_type(kind: type[LinalgDevice]) -> None:
    assert wrong(kind, TAKEN) == len(cases(TAKEN))


def test_indices_beyond_the_second_are_there() -> None:
    assert wrong(Far, TAKEN)
