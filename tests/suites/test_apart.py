"""What practice alone demands is told apart from what documents do: a verdict has two strengths."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from mmaspec.backends.faults import fault_named
from mmaspec.backends.legal import LEGAL
from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.nv_coopmat2.device import CoopMat2Device
from mmaspec.backends.numpy.nv_coopmat2.variants import DOUBLES
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.oracle.demands import may_widen, may_widen_apart
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.oracle.spec import SPECS, spec_named
from mmaspec.programs.formats import Format
from mmaspec.programs.profile import DOCUMENT, PRACTICE, Profile
from mmaspec.strategies.recipe import Recipe, materialise
from mmaspec.suites.judging.judge_case import CaseJudge
from mmaspec.suites.judging.record import Result
from mmaspec.suites.planning.prepare import effective
from mmaspec.suites.verdict.verdicts import fails
from tests.case_lists import case_list


class CoarseDoubles(CoopMat2Device):
    """Operators on f64 keep sixteen bits, less than single precision has."""

    def apply(self, op: str, fmt: Format, left: Bits, right: Bits) -> Bits:
        """Cut toward zero."""
        found = super().apply(op, fmt, left, right)
        return found & ~np.uint64((1 << 37) - 1) if fmt.name == "f64" else found


def coarse() -> NumpyBackend:
    return NumpyBackend(SequentialUnit(), {"nv-coopmat2": CoarseDoubles}, name="coarse", profile=PRACTICE)


@cache
def recipes(clause: str) -> tuple[Recipe, ...]:
    """Some listed cases in which a clause acts."""
    spec = next(spec for spec in SPECS if clause in spec_named(spec).catalogue.clause)
    caps = DOUBLES if clause == "KHRCM-F64" else spec_named(spec).default_caps
    wanted = spec_named(spec).catalogue.clause[clause].rows
    tags = {row.name: row.tags for row in spec_named(spec).rows(caps)}
    found = []
    for recipe in case_list(spec, caps, "quick"):
        if recipe.target or tags[recipe.row].isdisjoint(wanted):
            continue
        first = expect_by_reading(materialise(recipe), PRACTICE).first
        if isinstance(first, Defined) and clause in first.clauses:
            found.append(recipe)
        if len(found) == 3:
            break
    assert found
    return tuple(found)


def results(make: Callable[[], NumpyBackend], clause: str, profile: Profile) -> list[Result]:
    backend = make()
    for recipe in recipes(clause)[:1]:
        backend.report(recipe.spec, recipe.caps)
    judge = CaseJudge(backend, backend.describe(), profile, {recipe.id: () for recipe in recipes(clause)})
    return [judge.judge_listed(recipe)[0] for recipe in recipes(clause)]


PRACTICE_ALONE = [
    ("KHRCM-F64", LEGAL["f64-single"].make),
    ("KHRCM-DIVIDE-INT", fault_named("cm-quotient-rounded-down").make),
    ("KHRCM-DIVIDE-INT", fault_named("cm-quotient-to-nearest").make),
    ("WM-DIVIDE-INT", fault_named("wm-quotient-rounded-down").make),
    ("WM-DIVIDE-INT", fault_named("wm-quotient-to-nearest").make),
]


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize(("clause", "make"), PRACTICE_ALONE, ids=lambda given: given if isinstance(given, str) else "")
def test_what_breaks_practice_breaks_no_document(clause: str, make: Callable[[], NumpyBackend]) -> None:
    found = results(make, clause, PRACTICE)
    failed = [result for result in found if result.outcome != "legal"]
    assert failed
    for result in failed:
        assert result.outcome == "illegal"
        assert result.finding is not None
        assert result.finding.blamed == (clause,)
        assert fails(result, "practice")
        assert not fails(result, "document")
    assert {result.outcome for result in results(make, clause, DOCUMENT)} == {"legal"}


DOCUMENTS = [
    ("KHRCM-F64", coarse),
    ("KHRCM-F64", fault_named("cm-subtracts-backwards").make),
    ("WM-DIVIDE-INT", fault_named("wm-scalar-divide-multiplies").make),
    ("WM-DIVIDE-INT", fault_named("wm-scalar-subtract-reversed").make),
]


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize(("clause", "make"), DOCUMENTS, ids=lambda given: given if isinstance(given, str) else "")
def test_what_breaks_a_document_is_not_blamed_on_practice(clause: str, make: Callable[[], NumpyBackend]) -> None:
    for profile in (PRACTICE, DOCUMENT):
        failed = [result for result in results(make, clause, profile) if result.outcome != "legal"]
        assert failed
        for result in failed:
            assert result.finding is not None
            known = spec_named(result.spec).catalogue.clause
            assert not any(known[name].apart for name in result.finding.blamed)
            assert fails(result, "document")


def test_the_authority_decides_on_the_profile() -> None:
    declared = Profile(name="mine", window="reported")
    assert effective(declared, None, "profile") == declared
    assert effective(declared, None, "practice") == PRACTICE
    assert effective(declared, None, "document") == PRACTICE


def test_only_practice_is_told_apart_and_documents_demand_no_more() -> None:
    for spec in SPECS:
        for clause in spec_named(spec).catalogue.clause.values():
            assert clause.basis == "practice" or not clause.apart
    assert may_widen_apart(DOCUMENT)
    assert may_widen(DOCUMENT)
    assert not may_widen(PRACTICE)
    assert not may_widen_apart(PRACTICE)
