"""One assignment of readings has to explain a whole run."""

from __future__ import annotations

from mmaspec.oracle.readings import Readings, combinations
from tests.readings_left import still_possible

OPTIONS = {"AMB-1": ("wrap", "saturate"), "AMB-2": ("x", "y")}


def test_everything_is_possible_at_first() -> None:
    assert still_possible(OPTIONS, []) == set(combinations(OPTIONS))


def test_cases_narrow_what_is_possible() -> None:
    left = still_possible(OPTIONS, [((("AMB-1", "wrap"),),)])
    assert left == {(("AMB-1", "wrap"), ("AMB-2", "x")), (("AMB-1", "wrap"), ("AMB-2", "y"))}


def test_inconsistent_backend_leaves_nothing() -> None:
    assert not still_possible(OPTIONS, [((("AMB-1", "wrap"),),), ((("AMB-1", "saturate"),),)])


def test_readings_are_tied_across_ambiguities() -> None:
    tied = ((("AMB-1", "wrap"), ("AMB-2", "x")), (("AMB-1", "saturate"), ("AMB-2", "y")))
    assert not still_possible(OPTIONS, [tied, ((("AMB-1", "wrap"),),), ((("AMB-2", "y"),),)])


def test_order_of_cases_does_not_matter() -> None:
    cases = [((("AMB-1", "wrap"),), (("AMB-1", "saturate"),)), ((("AMB-2", "y"),),)]
    assert still_possible(OPTIONS, cases) == still_possible(OPTIONS, cases[::-1])


def test_choosing_is_noted() -> None:
    readings = Readings({"AMB-1": "wrap"})
    assert not readings.consulted
    assert readings.choose("AMB-1") == "wrap"
    assert readings.consulted == {"AMB-1"}
