"""Catalogues are decoded strictly: an ambiguity has readings or is a decision, and nothing in between."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mmaspec.oracle.clauses import Catalogue, load_catalogue
from mmaspec.oracle.expect import default_readings
from mmaspec.oracle.spec import SPECS, spec_named
from mmaspec.programs.errors import BadInput
from mmaspec.programs.profile import PRACTICE, Pin, Profile
from mmaspec.suites.planning.prepare import check_pins

HEAD = 'spec = "s"\ntitle = "t"\nrevision = "1"\ndocument = "d"\n[clause]\n'
READINGS = '[ambiguity.S-AMB-01]\nstatement = "s"\ndefault = "x"\n[ambiguity.S-AMB-01.readings]\n'
DECISION = '[ambiguity.S-AMB-01]\nstatement = "s"\n'


def loaded(folder: Path, name: str, text: str) -> Catalogue:
    """The catalogue with that text, read from a package of its own."""
    package = folder / name
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "clauses.toml").write_text(HEAD + text)
    sys.path.insert(0, str(folder))
    try:
        return load_catalogue(name)
    finally:
        sys.path.remove(str(folder))
        sys.modules.pop(name, None)


def test_two_readings_or_a_decision_with_its_reason(tmp_path: Path) -> None:
    read = loaded(tmp_path, "catalogue_with_readings", READINGS + 'x = "this"\ny = "that"\n')
    assert list(read.open_points) == ["S-AMB-01"]
    assert not read.decisions
    decided = loaded(tmp_path, "catalogue_with_a_decision", DECISION + 'decision = "this"\nreason = "why"\n')
    assert list(decided.decisions) == ["S-AMB-01"]
    assert not decided.open_points


BETWEEN = {
    "one_reading": (READINGS + 'x = "this"\n', "S-AMB-01 has x; expected two readings or more, or a decision"),
    "nothing": (DECISION, "S-AMB-01 has no reading; expected two"),
    "no_reason": (DECISION + 'decision = "this"\n', "S-AMB-01 has a decision and no reason"),
    "no_decision": (DECISION + 'reason = "this"\n', "S-AMB-01 has a reason and no decision"),
    "default_of_a_decision": (DECISION + 'decision = "x"\nreason = "y"\ndefault = "x"\n', "S-AMB-01 is a decision"),
    "clause_of_a_decision": (DECISION + 'decision = "x"\nreason = "y"\nclause = "S-X"\n', "S-AMB-01 is a decision"),
    "both": (
        READINGS.replace("default", 'decision = "x"\nreason = "y"\ndefault') + 'x = "this"\ny = "that"\n',
        "S-AMB-01 is a decision",
    ),
    "other_default": (READINGS + 'y = "this"\nz = "that"\n', "S-AMB-01 has the default 'x', which is none of"),
}


@pytest.mark.parametrize("name", sorted(BETWEEN))
def test_anything_between_is_refused_by_name(tmp_path: Path, name: str) -> None:
    text, says = BETWEEN[name]
    with pytest.raises(BadInput, match=says) as refused:
        loaded(tmp_path, f"catalogue_{name}", text)
    assert str(refused.value).startswith(f"catalogue_{name}: clauses.toml: ")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("spec", SPECS)
def test_every_ambiguity_is_open_or_decided(spec: str) -> None:
    catalogue = spec_named(spec).catalogue
    assert set(catalogue.open_points).isdisjoint(catalogue.decisions)
    assert {*catalogue.open_points, *catalogue.decisions} == set(catalogue.ambiguity)
    assert set(default_readings(spec_named(spec), PRACTICE)) == set(catalogue.open_points)


def test_ambiguities_of_rdna3_are_complete() -> None:
    catalogue = spec_named("amd-rdna3-wmma").catalogue
    assert [int(name[-2:]) for name in catalogue.ambiguity] == list(range(1, 9))
    assert list(catalogue.open_points) == ["RDNA3-AMB-04"]


def test_nobody_chooses_or_pins_a_reading_of_a_decision() -> None:
    spec = spec_named("amd-rdna3-wmma")
    with pytest.raises(
        BadInput, match=r"RDNA3-AMB-06: is decided, so there is no reading to choose; see mmaspec explain"
    ):
        default_readings(spec, PRACTICE, {"RDNA3-AMB-06": "four"})
    with pytest.raises(BadInput, match=r"^mine: pins RDNA3-AMB-06, which is decided; see mmaspec explain RDNA3-AMB-06"):
        check_pins(Profile(name="p", pins=(Pin("RDNA3-AMB-06", "four"),)), "mine")
    with pytest.raises(BadInput, match=r"pins 'RDNA3-AMB-99'; there are NVCM2") as refused:
        check_pins(Profile(name="p", pins=(Pin("RDNA3-AMB-99", "four"),)), "mine")
    assert "RDNA3-AMB-04" in str(refused.value)
    assert "RDNA3-AMB-06" not in str(refused.value)
