"""A backend that takes only listed programs: what blame could not run is said, and nothing is concluded from it."""

from __future__ import annotations

from collections.abc import Collection
from itertools import islice
from typing import Any

import pytest

from mmaspec.backends.faults.amd_rdna3_wmma.devices import ClampsUnsigned
from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.backends.protocol import Images, Refused
from mmaspec.programs.base import Program
from mmaspec.programs.profile import PRACTICE
from mmaspec.reports.html import render_report
from mmaspec.reports.junit import render_junit
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.judging.record import Finding, Result

from .ten_failures import SPEC, judged, planned, run_of

CLAUSE = "RDNA3-IU-CLAMP"
OBSERVED = "a store after every instruction"
WHY = "refused: not on the list"


class Listed(NumpyBackend):
    """Clamps wrongly, and refuses every program but some."""

    def __init__(self, programs: Collection[Program] | None = None) -> None:
        super().__init__(SequentialUnit(), {SPEC: ClampsUnsigned}, name="listed", profile=PRACTICE)
        self.programs = programs

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        if self.programs is not None and program not in self.programs:
            raise Refused("not on the list")
        return super().run(spec, program, inputs)


def failing(taken: Collection[Program] | None, recipes: list[Recipe]) -> list[Finding]:
    backend = Listed(taken)
    plan, _ = planned(backend, 1)
    results: list[Result] = judged(backend, plan, recipes)
    return [result.finding for result in results if result.finding is not None]


@pytest.fixture(scope="module")
def recipes() -> list[Recipe]:
    """Some that fail, with arguments loaded at run time and without."""
    backend = Listed()
    plan, listed = planned(backend, 1)
    valid = (one for one in listed if one.template == "sums-clamp")
    return list(islice((one for one in valid if judged(backend, plan, [one])[0].finding is not None), 4))


def test_a_refused_variation_is_said_and_the_store_is_not_blamed_for_it(recipes: list[Recipe]) -> None:
    free, bound = failing(None, recipes), failing([one.program for one in recipes], recipes)
    assert len(free) == len(bound) == len(recipes) > 3
    for found, limited in zip(free, bound, strict=True):
        assert found.unrun == ()
        assert (found.how, found.blamed) == ("toggle", (CLAUSE,))
        assert all(line.endswith(f"({WHY})") for line in limited.unrun)
        assert f"{OBSERVED} ({WHY})" in limited.unrun
        assert limited.how == "not observed"
        assert {CLAUSE, "RDNA3-MMA", "RDNA3-STORE-ONLY"} <= set(limited.blamed)
        assert limited.says.startswith(f"wrong where instruction {limited.place} stores it, what led to it unseen: ")
        assert "unseen" not in found.says
        assert f"variations could not be run, the first one {limited.unrun[0][:20]}" in limited.says
    assert any("literal arguments" in line for limited in bound for line in limited.unrun)


def test_reports_say_what_could_not_be_tried(recipes: list[Recipe]) -> None:
    backend = Listed([one.program for one in recipes])
    plan, _ = planned(backend, 1)
    results = judged(backend, plan, recipes)
    run = run_of(plan, results)
    for report in (render_report(run, results, {}), render_junit(run, results)):
        assert OBSERVED in report
        assert WHY in report
