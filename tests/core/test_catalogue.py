"""Catalogues are decoded strictly: ambiguities are open or decided, texts beside the document are named."""

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

HEAD = 'spec = "s"\ntitle = "t"\nrevision = "1"\ndocument = "d"\n'
READINGS = '[ambiguity.S-AMB-01]\nstatement = "s"\ndefault = "x"\n[ambiguity.S-AMB-01.readings]\n'
DECISION = '[ambiguity.S-AMB-01]\nstatement = "s"\n'


def loaded(folder: Path, name: str, text: str) -> Catalogue:
    """The catalogue with that text, read from a package of its own."""
    package = folder / name
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "clauses.toml").write_text(HEAD + ("" if "[clause" in text else "[clause]\n") + text)
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


CLAUSE = 'kind = "M"\nstatement = "s"\n'
TEXT = '[publication.p]\npublisher = "P"\ntitle = "T"\nrevision = "3"\n'
UNNAMED = {
    "companion": (
        CLAUSE + 'basis = "companion"\n',
        "S-X has the basis companion; expected the publication that says so",
    ),
    "language": (CLAUSE + 'basis = "language"\n', "S-X has the basis language; expected the publication that says so"),
    "unknown": (
        CLAUSE + 'basis = "companion"\npublication = "q"\nplace = "1"\n' + TEXT,
        "S-X rests on the publication 'q'; there are p",
    ),
    "no_place": (CLAUSE + 'basis = "companion"\npublication = "p"\n' + TEXT, "S-X has a publication and a place in it"),
    "no_revision": (
        CLAUSE + 'basis = "companion"\npublication = "p"\nplace = "1"\n' + TEXT.replace('"3"', '""'),
        "p has no revision",
    ),
}


@pytest.mark.parametrize("name", sorted(UNNAMED))
def test_another_text_is_named_with_its_edition_and_the_place(tmp_path: Path, name: str) -> None:
    text, says = UNNAMED[name]
    with pytest.raises(BadInput, match=says):
        loaded(tmp_path, f"catalogue_{name}", "[clause.S-X]\n" + text)


def test_a_clause_says_where_its_texts_are(tmp_path: Path) -> None:
    named = CLAUSE + 'basis = "companion"\npublication = "p"\nplace = "chapter 1"\n' + TEXT
    read = loaded(tmp_path, "catalogue_with_a_companion", "[clause.S-X]\n" + named)
    assert read.places(read.clause["S-X"]) == ["T, 3 (P): chapter 1"]
    rdna3 = spec_named("amd-rdna3-wmma").catalogue
    (calculator,) = rdna3.places(rdna3.clause["RDNA3-CD-W64"])
    assert calculator.startswith("AMD Matrix Instruction Calculator, commit 2ef9189 (AMD): ")
    document, compiler = rdna3.places(rdna3.clause["RDNA3-SIG"])
    assert document.startswith(rdna3.document)
    assert compiler.startswith("LLVM and Clang")
    assert rdna3.places(rdna3.clause["RDNA3-IU-NOCLAMP"]) == []


@pytest.mark.parametrize("spec", SPECS)
def test_every_publication_is_used(spec: str) -> None:
    catalogue = spec_named(spec).catalogue
    assert {clause.publication for clause in catalogue.clause.values()} - {""} == set(catalogue.publication)


@pytest.mark.parametrize("spec", SPECS)
def test_every_ambiguity_is_open_or_decided(spec: str) -> None:
    catalogue = spec_named(spec).catalogue
    assert set(catalogue.open_points).isdisjoint(catalogue.decisions)
    assert {*catalogue.open_points, *catalogue.decisions} == set(catalogue.ambiguity)
    assert set(default_readings(spec_named(spec), PRACTICE)) == set(catalogue.open_points)


@pytest.mark.parametrize(("spec", "count"), [("amd-rdna3-wmma", 9), ("hlsl-wave-matrix", 18), ("nv-coopmat2", 20)])
def test_the_known_ambiguities_all_stand_there(spec: str, count: int) -> None:
    assert sorted(int(name[-2:]) for name in spec_named(spec).catalogue.ambiguity) == list(range(1, count + 1))


def test_what_clamp_does_is_the_one_open_point_of_rdna3() -> None:
    assert list(spec_named("amd-rdna3-wmma").catalogue.open_points) == ["RDNA3-AMB-04"]


def test_ambiguities_of_wave_matrix_are_complete() -> None:
    catalogue = spec_named("hlsl-wave-matrix").catalogue
    assert [int(name[-2:]) for name in catalogue.ambiguity] == list(range(1, 19))
    assert list(catalogue.open_points) == ["WM-AMB-07", "WM-AMB-16", "WM-AMB-18"]


def test_nobody_chooses_or_pins_a_reading_of_a_decision() -> None:
    spec = spec_named("amd-rdna3-wmma")
    with pytest.raises(
        BadInput, match=r"RDNA3-AMB-06: is decided, so there is no reading to choose; see mmaspec explain"
    ):
        default_readings(spec, PRACTICE, {"RDNA3-AMB-06": "four"})
    with pytest.raises(BadInput, match=r"^mine: pins RDNA3-AMB-06, which is decided; see mmaspec explain RDNA3-AMB-06"):
        check_pins(Profile(name="p", pins=(Pin("RDNA3-AMB-06", "four"),)), "mine")
    with pytest.raises(BadInput, match=r"pins 'RDNA3-AMB-99'; there are LINALG-AMB-07, ") as refused:
        check_pins(Profile(name="p", pins=(Pin("RDNA3-AMB-99", "four"),)), "mine")
    assert "RDNA3-AMB-04" in str(refused.value)
    assert "RDNA3-AMB-06" not in str(refused.value)
