"""Every counterfactual is caught and blamed on its own clause; no legal variant ever fails."""

from __future__ import annotations

from collections import Counter

import pytest

from mmaspec.backends.faults import all_faults
from mmaspec.backends.faults.registry import Fault
from mmaspec.backends.legal import LEGAL, LegalVariant
from mmaspec.backends.protocol import Backend
from mmaspec.oracle.profile import PRACTICE
from mmaspec.suites.examine import Examiner
from mmaspec.suites.record import Result

from .conftest import every_recipe, sensitivity, smoke_case

SAMPLE = 5
"""How many of the cases that catch a counterfactual are blamed here, spread over the list."""


def judged(backend: Backend, identity: str) -> Result:
    """One smoke case on one backend, without a case file."""
    examiner = Examiner(backend, backend.describe(), PRACTICE, {identity: ()})
    examiner.limit = 0
    listed = smoke_case(identity)
    return examiner.judge(listed.case, identity, listed.expected)[0]


@pytest.mark.parametrize("fault", all_faults(), ids=lambda fault: fault.name)
def test_counterfactual_fails_and_its_own_clause_is_named(fault: Fault) -> None:
    catching = sorted(case for case, names in sensitivity().items() if fault.name in names)
    assert catching, "no smoke case is sensitive to it"
    backend = fault.make()
    results = [judged(backend, case) for case in catching[:: max(1, len(catching) // SAMPLE)][:SAMPLE]]
    assert all(result.outcome in {"illegal", "refused"} for result in results)
    named = Counter(result.finding.blamed[0] for result in results if result.finding and result.finding.blamed)
    assert named.most_common(1)[0][0] == fault.clause, named


@pytest.mark.parametrize("variant", LEGAL.values(), ids=lambda variant: variant.name)
def test_legal_variant_never_fails(variant: LegalVariant) -> None:
    backend = variant.make()
    valid = [recipe for recipe in every_recipe() if recipe.spec in variant.specs and not recipe.target]
    results = [judged(backend, recipe.id) for recipe in valid[::4]]
    failed = [(result.case, result.finding) for result in results if result.outcome != "legal"]
    assert not failed, failed[0]
