"""Defects, a few of each kind here: the smoke list catches them and the clause they break is named."""

from __future__ import annotations

from collections import Counter

import pytest

from mmaspec.backends.faults import defects_of
from mmaspec.backends.faults.fault import Fault
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.spec import SPECS, spec_named
from mmaspec.programs.profile import PRACTICE
from mmaspec.suites.judging.judge_case import CaseJudge
from mmaspec.suites.judging.sensitivity import escapes

from .conftest import every_recipe, smoke_case

STEP = 133
"""Every so many defects are tried here; `mmaspec score` tries all of them."""
KILLS = 3
"""Of how many cases the finding is looked at."""
LIMIT = 40
"""Cases that are tried at most."""

SAMPLE = [defect for spec in SPECS for defect in defects_of(spec)[::STEP]]


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("defect", SAMPLE, ids=lambda defect: defect.name)
def test_a_defect_is_caught_and_its_clause_is_named(defect: Fault) -> None:
    backend = defect.make()
    spec = spec_named(defect.spec)
    named: Counter[str] = Counter()
    tried = 0
    for recipe in every_recipe():
        tags = spec.row(spec.default_caps, recipe.row).tags if recipe.spec == defect.spec else frozenset()
        if recipe.target or not tags or (defect.rows and tags.isdisjoint(defect.rows)):
            continue
        listed = smoke_case(recipe.id)
        if not isinstance(listed.expected.first, Defined) or defect.clause not in listed.expected.first.clauses:
            continue
        tried += 1
        if escapes(backend, listed.case, listed.expected):
            case_judge = CaseJudge(backend, backend.describe(), PRACTICE, {recipe.id: ()})
            case_judge.limit = 0
            result = case_judge.judge(listed.case, recipe.id, listed.expected)[0]
            assert result.finding is not None
            named[result.finding.blamed[0]] += 1
        if named.total() == KILLS or tried == LIMIT:
            break
    assert named, f"none of {tried} cases catches it"
    right = {defect.clause, *defect.also}
    assert 2 * sum(count for name, count in named.items() if name in right) > named.total(), named
