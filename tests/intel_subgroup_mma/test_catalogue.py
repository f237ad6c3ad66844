"""The catalogue of the specification: the code carries out what it has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mmaspec.oracle import intel_subgroup_mma
from mmaspec.oracle.intel_subgroup_mma import SPEC
from mmaspec.oracle.intel_subgroup_mma.rows import rows
from mmaspec.oracle.intel_subgroup_mma.undefined import RULES as UNDEFINED
from mmaspec.oracle.intel_subgroup_mma.validity import RULES
from mmaspec.programs.intel_subgroup_mma.caps import FORMS_OF, Caps

CATALOGUE = SPEC.catalogue
ORACLE = Path(intel_subgroup_mma.__file__).parent


def test_every_rule_is_a_clause_and_every_clause_of_its_kind_has_a_rule() -> None:
    for kind, rules in (("V", RULES), ("U", UNDEFINED)):
        assert set(rules) == {name for name, clause in CATALOGUE.clause.items() if clause.kind == kind}


@pytest.mark.parametrize("room", ["coverage", "blame", "addresses", "semantics"])
def test_the_rooms_name_clauses_of_the_catalogue(room: str) -> None:
    text = (ORACLE / f"{room}.py").read_text(encoding="utf-8")
    named = set(re.findall(r"ISGMMA-[A-Z0-9]+(?:-[A-Z0-9]+)*", text))
    assert named
    assert named <= CATALOGUE.clause.keys() | CATALOGUE.ambiguity.keys()


def test_every_testable_clause_that_is_no_rule_is_a_coverage_point() -> None:
    text = (ORACLE / "coverage.py").read_text(encoding="utf-8")
    silent = {
        name
        for name, clause in CATALOGUE.clause.items()
        if clause.testable and clause.kind in "XMD" and name not in text
    }
    # Both are seen of data alone: what sums leave the range, where NaN was due.
    assert silent == {"ISGMMA-INT-WRAP", "ISGMMA-FP-NAN"}


def test_rows_have_the_tags_that_clauses_name() -> None:
    tags = {tag for size in (8, 16) for row in rows(Caps(size, FORMS_OF[size])) for tag in row.tags}
    assert {tag for clause in CATALOGUE.clause.values() for tag in clause.rows} <= tags


def test_all_eight_points_that_can_be_read_in_several_ways_are_decided() -> None:
    assert list(CATALOGUE.decisions) == ["-".join(("ISGMMA", "AMB", f"{number:02}")) for number in range(1, 9)]
