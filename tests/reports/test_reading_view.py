"""Readings that a run told apart stand first, those that it did not are counted, and a decision is never possible."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mmaspec.commands.check import MOST_FINDINGS, say
from mmaspec.reports.catalogues import catalogues_of
from mmaspec.reports.html import render_report
from mmaspec.reports.markdown import summary
from mmaspec.reports.reading_view import decision_views, reading_views, still_open

DECIDED, OPEN, OTHER = "WM-AMB-02", "WM-AMB-07", "WM-AMB-16"


@pytest.fixture
def told(passing: Any, changed: Any) -> Any:
    """A run under the real catalogue: one reading told apart, one open, one that is a decision by now."""
    readings = {DECIDED: ["any-multiple"], OPEN: ["undefined", "wrap"], OTHER: ["highest-first", "lowest-first"]}
    return changed(passing.run, readings=readings)


def test_states(told: Any, changed: Any) -> None:
    known = catalogues_of(told.specs)
    views = {view.name: view for view in reading_views(told, known)}
    assert {name: view.state for name, view in views.items()} == {OPEN: "narrowed", OTHER: "open"}
    assert still_open(list(views.values())).startswith("1 ambiguity left open")
    assert [view.name for view in decision_views(told, known)] == list(known["hlsl-wave-matrix"].decisions)
    (broken,) = (view for view in reading_views(changed(told, readings={OPEN: []}), known))
    assert broken.state == "unexplained"
    pinned = changed(
        told, profile={"pins": [{"ambiguity": OTHER, "reading": "lowest-first"}]}, readings={OTHER: ["lowest-first"]}
    )
    assert [view.state for view in reading_views(pinned, known)] == ["declared"]


def test_an_unsupported_specification_has_none(told: Any, changed: Any) -> None:
    specs = {name: changed(spec, caps=None) for name, spec in told.specs.items()}
    run = changed(told, specs=specs)
    assert not reading_views(run, catalogues_of(run.specs))
    assert not decision_views(run, catalogues_of(run.specs))


def test_the_end_of_a_run_has_what_it_told_apart(told: Any, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    say(told, tmp_path)
    lines = capsys.readouterr().out.splitlines()
    says = "Either undefined or wrap explains this run: the text leaves this open, which fails nothing."
    assert f"  {OPEN}: {says}" in lines
    assert "  1 ambiguity left open: this run could not tell their readings apart" in lines
    assert not [line for line in lines if DECIDED in line or OTHER in line]


def test_the_end_of_a_run_names_what_is_not_judged(
    inconclusive: Any, changed: Any, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (name, spec), *_ = inconclusive.run.specs.items()
    gap = spec.clauses["WM-FP-SUM"]
    say(changed(inconclusive.run, specs={name: changed(spec, clauses=dict.fromkeys("abcde", gap))}), tmp_path)
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if "not judged" in line][1:] == [
        *(f"  not judged: {clause}: {gap.why}" for clause in "abc"),
        "  and 2 more not judged",
    ]


@pytest.mark.parametrize(("more", "said"), [(0, []), (1, ["  and 1 more finding in the report"])])
def test_the_end_of_a_run_says_how_many_findings_it_leaves_out(
    more: int, said: list[str], failing: Any, changed: Any, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    say(changed(failing.run, findings=failing.run.findings[:1] * (MOST_FINDINGS + more)), tmp_path)
    assert [line for line in capsys.readouterr().out.splitlines() if "more finding" in line] == said


def test_the_summary_has_the_same(told: Any) -> None:
    text = summary(told)
    assert f"- `{OPEN}`: `wrap` or `undefined`" in text
    assert "1 ambiguity left open" in text
    assert DECIDED not in text
    assert OTHER not in text


def test_the_report_has_decisions_apart_from_readings(told: Any) -> None:
    html = render_report(told, (), {})
    readings, _, decisions = html.partition("decisions of mmaspec")
    assert decisions
    assert readings.index(OPEN) < readings.index("left open") < readings.index(OTHER)
    assert f"<code>{DECIDED}</code>" not in readings
    assert f"<code>{DECIDED}</code>" in decisions
