"""Calls with nothing between them: C is the half that OPSEL names, whatever the call before wrote."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from mmaspec.backends.numpy.amd_rdna3_wmma.device import State, WmmaDevice
from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.oracle.amd_rdna3_wmma import SPEC
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.oracle.spec import Row
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.axes.observation import observer_of, seen
from mmaspec.strategies.axes.space import space_of
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.judging.ask import ask, hold
from tests.case_lists import case_list

ROWS: tuple[Row[Any], ...] = tuple(SPEC.rows(SPEC.default_caps))
HALVES = [row.name for row in ROWS if row.entry.halves]
TIED = [name for name in HALVES if "tied" in name]
LEAST = 2
"""Cases of every row that show a half which is handed on."""


class Forwarding(WmmaDevice):
    """C of a call right after another one is read from the half that this one wrote: of all calls, or of fed ones."""

    fed = True
    last: Any = None

    def step(self, state: State, step: Any) -> None:
        super().step(state, step)
        self.last = step if type(step).__name__.endswith("Wmma") else None

    def addends(self, step: Any, words: Any) -> Any:
        last = self.last
        taken = last is not None and last.opsel is not None and (last.d == step.c or not self.fed)
        return super().addends(last if taken else step, words)


class Lasting(Forwarding):
    """The same whatever the call before wrote."""

    fed = False


def _listed(row: str) -> Iterator[Case]:
    every = case_list(SPEC.name, SPEC.default_caps, "smoke")
    yield from (materialise(one) for one in every if (one.template, one.row) == ("back-to-back", row))


def _illegal(device: type[WmmaDevice], row: str) -> int:
    backend, found = NumpyBackend(SequentialUnit(), {SPEC.name: device}), 0
    for case in _listed(row):
        by_reading = expect_by_reading(case, PRACTICE)
        assert isinstance(by_reading.first, Defined)
        found += not hold(case, by_reading, ask(backend, case, by_reading.first)).legal
    return found


@pytest.mark.parametrize("row", TIED)
def test_the_half_that_was_just_written_is_no_c(row: str) -> None:
    assert _illegal(Forwarding, row) >= LEAST


@pytest.mark.parametrize("row", HALVES)
def test_opsel_of_another_sum_does_not_last(row: str) -> None:
    assert _illegal(Lasting, row)


@pytest.mark.parametrize("row", TIED)
def test_what_is_seen(row: str) -> None:
    """OPSEL either way after the other one, with the result before for C and with something else."""
    observer, space = observer_of(SPEC.name), space_of(SPEC.name)
    met = set()
    for case in _listed(row):
        for one in seen(case, observer, space):
            met |= {(a, b) for a in one.classes.get("opsel-before", ()) for b in one.classes.get("opsel", ())}
    assert {(fed, half) for fed in ("other-fed", "other-apart") for half in ("low", "high")} <= met
    assert ("none", "low") in met or ("none", "high") in met
