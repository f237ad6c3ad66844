"""What counts for reach: what an instruction carries out that matters, or a store that would be seen if it wrote."""

from __future__ import annotations

from typing import Any

import pytest

from mmaspec.generators.golden import case_of as case_of_golden
from mmaspec.generators.golden import golden_of
from mmaspec.oracle.case import Case
from mmaspec.programs import tree
from mmaspec.programs.base import Literal
from mmaspec.programs.hlsl_wave_matrix.program import Fill
from mmaspec.programs.specifications import ours
from mmaspec.strategies.axes.observation import Seen, Subject, observer_of, seen_in
from mmaspec.strategies.axes.space import space_of
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.score import counted
from mmaspec.suites.score.classes import proofs, uses
from mmaspec.suites.score.counted import judged_things
from mmaspec.suites.score.depends import shown

from .test_corruption import STORE, case_of

IDLE = ["LINALG-STORE-OOB-NOOP", "LINALG-ACC-OOB-NOOP"]
"""Examples of which the last instruction writes nothing, as all of it lies out of bounds."""


def judged_of(case: Case) -> list[tuple[Seen, bool]]:
    """Everything in a case that has classes, and whether it counts."""
    subject = Subject(case)
    found = tuple(seen_in(subject, observer_of(case.spec), space_of(case.spec)))
    return list(zip(found, judged_things(subject, found), strict=True))


def counts(case: Case) -> dict[tree.Path, set[bool]]:
    """Path of an instruction -> whether what is seen in it counts."""
    told: dict[tree.Path, set[bool]] = {}
    for one, judged in judged_of(case):
        if one.thing.place is not None:
            told.setdefault(one.thing.place.path, set()).add(judged)
    return told


ELSEWHERE = sorted((spec, group) for spec in ours() for group in uses.table()[spec] if group != "invalid")
"""Groups of which other instructions carry out what is seen: loops, barriers, layouts. A near miss executes none."""


def proved_first(spec: str, group: str) -> str:
    """The first class of a group that is no other axis of near misses, and is proved."""
    return next(text for text in proofs.read(spec).proved if text.startswith(f"{group}: ") and "&" not in text)


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        *((spec, proved_first(spec, group)) for spec, group in ELSEWHERE),
        # Stored where it was loaded: what is written is there already.
        ("hlsl-wave-matrix", "fragment-shared-store: shared-offset=at-8-bits"),
        ("hlsl-wave-matrix", "fragment-shared-store: shared-offset=at-12-bits"),
        ("hlsl-linalg", "write-elements: kept=all"),
        # A sum of lengths, of which the text gives but the least.
        ("hlsl-linalg", "count: element-from=splat"),
    ],
)
def test_what_proves_a_class_counts_for_it(spec: str, text: str) -> None:
    """Whatever has the class, in the case of the list that is known to prove it."""
    (recipe,) = (one for one in proofs.smoke(spec) if one.id == proofs.read(spec).proved[text])
    group, _, written = text.partition(": ")
    axis, _, name = written.partition("=")
    told = judged_of(materialise(recipe))
    assert any(judged for one, judged in told if one.thing.group == group and name in one.classes.get(axis, ()))


@pytest.mark.parametrize("clause", IDLE)
def test_a_store_that_writes_nothing_counts_where_a_stray_byte_is_seen(
    clause: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = case_of_golden(golden_of(clause))
    assert (4,) not in shown(case), "to spoil what it writes changes nothing"
    assert counts(case)[4,] == {True}

    class Quiet(counted.Deviation):
        def __init__(self, *given: Any, stray: tuple[str, int], **named: Any) -> None:
            strayed.append(stray[0])
            super().__init__(*given, **named)

    strayed: list[str] = []
    monkeypatch.setattr(counted, "Deviation", Quiet)
    assert counts(case)[4,] == {False}, "it is the stray byte that is seen"
    assert "out" in strayed


def test_what_nobody_stores_does_not_count() -> None:
    told = counts(case_of(Fill("d", Literal(7)), Fill("c", Literal(5)), STORE))
    assert told[0,] == {False}
    assert told[1,] == told[2,] == {True}


def test_what_is_demanded_is_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many stores write nothing."""
    asked: list[Case] = []
    real = counted.expect_by_reading
    monkeypatch.setattr(counted, "expect_by_reading", lambda case, profile: asked.append(case) or real(case, profile))
    case = case_of_golden(golden_of(IDLE[0]))
    assert counts(case)
    assert asked == [case]
