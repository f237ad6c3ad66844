"""``mmaspec clauses SPEC --verify-source TEXT``: places that are not there; of which text a clause is."""

from __future__ import annotations

from pathlib import Path

import pytest

from mmaspec.commands.source_places import fits_better, report_places
from mmaspec.oracle.clauses import Catalogue, Clause
from mmaspec.oracle.publication import Publication
from mmaspec.oracle.source_text import digest
from mmaspec.oracle.spec import spec_named

from .in_process import mmaspec

TEXT = "Loads are aligned. A stride counts bytes. Stores are aligned. A stride counts bytes."


def catalogue(**places: tuple[str, str]) -> Catalogue:
    """Clauses with a locator and the sentence that it should find, and one that has no place."""
    clauses = {
        name: Clause(kind="M", basis="document", statement="s", section="s", locator=locator, digest=digest(sentence))
        for name, (locator, sentence) in places.items()
    }
    clauses["NOWHERE"] = Clause(kind="M", basis="derived", statement="s")
    return Catalogue(spec="s", title="t", revision="r", document="d", clause=clauses)


FINE = {"LOAD": ("Loads are", "Loads are aligned.")}


@pytest.mark.parametrize(
    ("locator", "sentence", "state"),
    [
        ("stride counts", "A stride counts bytes.", "repeated"),
        ("stride counts words", "A stride counts words.", "missing"),
        ("Stores are", "Stores may be aligned.", "changed"),
    ],
)
def test_what_is_not_found_is_a_line_and_fails(
    capsys: pytest.CaptureFixture[str], locator: str, sentence: str, state: str
) -> None:
    assert report_places(catalogue(**FINE, WRONG=(locator, sentence)), TEXT) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f'WRONG: {state}: "{locator}"'
    assert sorted(lines[1].split(", ")) == sorted(["1 found", f"1 {state}", "1 without a place"])


def test_places_that_are_all_there_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    beside = ("aligned. A stride counts bytes. Stores", "A stride counts bytes.")
    assert report_places(catalogue(**FINE, BESIDE=beside), TEXT) == 0
    assert capsys.readouterr().out == "2 found, 1 without a place\n"


def test_the_command_passes_the_exit_code_on(tmp_path: Path) -> None:
    text = tmp_path / "document.txt"
    text.write_text(TEXT)
    finished = mmaspec("clauses", "hlsl-wave-matrix", "--verify-source", text)
    assert finished.code == 1
    clauses = spec_named("hlsl-wave-matrix").catalogue.clause.values()
    placed = sum(bool(clause.locator) for clause in clauses)
    assert f"{placed} missing, {len(clauses) - placed} without a place" in finished.out


def test_places_in_another_text_are_looked_for_there(capsys: pytest.CaptureFixture[str]) -> None:
    """A clause of another revision has a place in that text, and none in the document."""
    known = catalogue(**FINE)
    older = Publication(publisher="p", title="t", revision="first")
    rests = {"kind": "M", "basis": "document", "statement": "s", "publication": "older", "place": "Loads"}
    clauses = {
        **known.clause,
        "OLDER": Clause(**rests, locator="Stores are", digest=digest("Stores are aligned.")),  # type: ignore[arg-type]
        "SAID": Clause(**rests),  # type: ignore[arg-type]
    }
    both = Catalogue(spec="s", title="t", revision="r", document="d", clause=clauses, publication={"older": older})
    assert report_places(both, "Loads are aligned.") == 0
    assert capsys.readouterr().out == "1 found, 3 without a place\n"
    assert report_places(both, "Stores are aligned.", "older") == 0
    assert capsys.readouterr().out == "1 found, 1 without a place\n"
    assert report_places(both, "Stores may be aligned.", "older") == 1
    assert capsys.readouterr().out == 'OLDER: missing: "Stores are"\n1 missing, 1 without a place\n'
    says = fits_better(both, "Stores are aligned.", "", ["older"])
    assert says == "seems to be another text, t, first (p), where 1 of 1 clauses are found; use --publication older"
    says = fits_better(both, "Loads are aligned.", "older", ["older"])
    assert says == "seems to be another text, d, where 1 of 1 clauses are found; leave out --publication"
    assert not fits_better(both, "Stores may be aligned.", "", ["older"])
    assert not fits_better(both, "Loads are aligned. Stores are aligned.", "older", ["older"])
    assert both.places(both.clause["OLDER"]) == ['t, first (p): Loads, at "Stores are"']


def test_the_command_asks_for_a_text_that_places_are_in(tmp_path: Path) -> None:
    text = tmp_path / "document.txt"
    text.write_text(TEXT)
    finished = mmaspec("clauses", "hlsl-linalg", "--verify-source", text, "--publication", "source")
    older = [one for one in spec_named("hlsl-linalg").catalogue.clause.values() if one.publication == "source"]
    assert finished.code == 1
    assert f"{len(older)} missing" in finished.out
    finished = mmaspec("clauses", "hlsl-linalg", "--verify-source", text, "--publication", "runtime")
    assert finished.code == 2
    assert "no clause of hlsl-linalg has its place in a publication 'runtime'; expected one of: source" in finished.err
    assert mmaspec("clauses", "hlsl-linalg", "--publication", "source").code == 2


def test_what_is_of_one_text_alone_says_so() -> None:
    assert ", 2025-09-19)" in mmaspec("explain", "LINALG-LOAD-OOB-ZERO").out.splitlines()[0]
    catalogue = spec_named("hlsl-linalg").catalogue
    listed = mmaspec("clauses", "hlsl-linalg").out.splitlines()
    assert listed[0].split("  ")[0] == "CLAUSE"
    (older,) = (line for line in listed if line.startswith("LINALG-LOAD-OOB-ZERO "))
    assert "  2025-09-19  " in older
    assert "ONLY IN" not in mmaspec("clauses", "hlsl-wave-matrix").out
    of_one = [
        name
        for name in catalogue.ambiguity
        if {clause.revision for clause in catalogue.clause.values() if name in clause.readings} == {"2025-09-19"}
    ]
    table = mmaspec("explain", "hlsl-linalg").out.splitlines()
    assert of_one
    for name in of_one:
        assert "only in    the text of 2025-09-19 " in mmaspec("explain", name).out
        assert any(line.startswith(f"{name}  2025-09-19  ") for line in table)
