"""Findings in reports are waived, known or new, as the gate has them; without a gate nothing is said of it."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from mmaspec.reports.html import render_report
from mmaspec.reports.markdown import MOST_LINES, summary
from mmaspec.reports.standing import standing
from mmaspec.suites.gate.decide import decide
from mmaspec.suites.gate.model import Gate, WaiverState
from mmaspec.suites.verdict.verdicts import fails

from .test_gate_reports import SPEC, WAIVER

SAYS = "Waived until 2030-01-01: known (owner someone, https://example.org/1)."


def held(failing: Any, clause: str = "WM-ADDR-ROW") -> Gate:
    """A gate with one waiver."""
    state = WaiverState(waiver=replace(WAIVER, clause=clause), spec=SPEC, state="holds", says="still fails")
    return decide(failing.run, failing.results, [state])


def test_without_a_gate_nothing_is_marked(failing: Any) -> None:
    for group in failing.run.findings:
        assert not standing(group, failing.results, None).badges
    page = render_report(failing.run, failing.results, failing.examples, failing.catalogues)
    assert 'class="standing"' not in page
    assert "finding accepted" not in page
    assert "**waived**" not in summary(failing.run, failing.results)


def test_a_waived_finding_says_so_and_the_others_are_new(failing: Any) -> None:
    told = held(failing)
    marks = {group.title: standing(group, failing.results, told) for group in failing.run.findings}
    waived = marks.pop("WM-ADDR-ROW")
    assert (waived.badges, waived.says, waived.accepted) == (("waived",), SAYS, True)
    assert marks
    page = render_report(failing.run, failing.results, failing.examples, failing.catalogues, told)
    assert SAYS in page
    assert '<article class="finding accepted"' in page
    text = summary(failing.run, failing.results, told)
    assert "**waived**" in text
    assert "Waived until 2030" in text
    assert len(text.splitlines()) < MOST_LINES


def test_what_the_baseline_has_is_known(failing: Any) -> None:
    told = held(failing)
    known = [replace(one, by="baseline") for one in told.new]
    marks = [
        standing(group, failing.results, replace(told, new=[], accepted=[*told.accepted, *known]))
        for group in failing.run.findings
    ]
    assert all(mark.accepted for mark in marks if mark.badges)
    assert "Known from the baseline." in {mark.says for mark in marks}


def test_where_cases_of_one_finding_differ_they_are_counted(failing: Any) -> None:
    group = next(one for one in failing.run.findings if one.title == "WM-ADDR-ROW")
    first = next(one for one in failing.results if one.finding and one.finding.blamed[:1] == ("WM-ADDR-ROW",))
    both = [first, replace(first, case="other", row="another-row")]
    state = WaiverState(waiver=replace(WAIVER, rows=(first.row,)), spec=SPEC, state="holds", says="still fails")
    mark = standing(group, both, decide(failing.run, both, [state]))
    assert mark.badges == ("waived", "new")
    assert mark.says.startswith("Waived (1 case) until 2030-01-01: known")
    assert mark.says.endswith("New (1 case): neither waived nor known from the baseline.")
    assert not mark.accepted


@pytest.mark.parametrize("authority", ["document", "practice"])
def test_what_fails_no_run_is_not_marked(failing: Any, authority: str) -> None:
    run = replace(failing.run, authority=authority)
    told = decide(run, failing.results)
    for group in run.findings:
        own = [one for one in failing.results if one.finding and one.finding.blamed[:1] == (group.clause,)]
        if own and not any(fails(one, authority) for one in own):
            assert not standing(group, failing.results, told).badges
