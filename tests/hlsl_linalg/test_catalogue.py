"""The catalogue of linear algebra matrices is complete in itself, whichever of its parts an entry stands in."""

from __future__ import annotations

from importlib import resources

from tests.hlsl_linalg.catalogue import PACKAGE, catalogue, parts

LINES = 500


def test_names_in_entries_are_those_of_entries() -> None:
    found = catalogue()
    for identity, clause in found.clause.items():
        assert set(clause.entails) | set(clause.refines) <= set(found.clause), identity
        assert set(clause.readings) <= set(found.ambiguity), identity
        assert identity not in (*clause.entails, *clause.refines)
    for identity, entry in found.ambiguity.items():
        assert not entry.clause or entry.clause in found.clause, identity


def test_every_ambiguity_touches_a_clause_or_another_revision() -> None:
    found = catalogue()
    used = {name for clause in found.clause.values() for name in clause.readings}
    elsewhere = {name for name, entry in found.ambiguity.items() if "2025-09-19" in entry.statement}
    assert set(found.ambiguity) - used <= elsewhere


def test_the_ambiguities_are_numbered_without_gaps() -> None:
    numbers = sorted(int(name.rpartition("-")[2]) for name in catalogue().ambiguity)
    assert numbers == list(range(1, len(numbers) + 1))


def test_every_publication_is_used() -> None:
    found = catalogue()
    assert {clause.publication for clause in found.clause.values()} - {""} == set(found.publication)


def test_places_are_whole() -> None:
    """In the later text with a section, in that of 2025-09-19 as a publication with a place: both have a locator."""
    for identity, clause in catalogue().clause.items():
        here = clause.basis == "document"
        source = here and clause.revision == "2025-09-19"
        assert (bool(clause.locator), bool(clause.digest)) == (here, here), identity
        assert bool(clause.section) == (here and not source), identity
        assert not source or (clause.publication == "source" and clause.place), identity


def test_what_one_revision_has_names_it() -> None:
    for identity, clause in catalogue().clause.items():
        assert clause.revision in ("", "later", "2025-09-19"), identity
        assert (identity in parts()["clauses-source.toml"]["clause"]) == (clause.revision == "2025-09-19"), identity


def test_columns_fit_the_kind() -> None:
    for identity, clause in catalogue().clause.items():
        assert bool(clause.visible) == (clause.kind == "V"), identity
        if clause.testable:
            assert bool(clause.carried_by) == (clause.kind in ("X", "D")), identity
        if clause.kind == "U":
            assert not clause.testable, identity


def test_the_parts_are_short() -> None:
    folder = resources.files(PACKAGE)
    for name in parts():
        assert len(folder.joinpath(name).read_text(encoding="utf-8").splitlines()) < LINES, name
