"""What a gate says in every report: accepted failures are not red, and its own reasons are."""

from __future__ import annotations

from datetime import date
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from mmaspec.commands.gate import print_gate
from mmaspec.reports.html import render_report
from mmaspec.reports.junit import render_junit
from mmaspec.reports.markdown import MOST_LINES, summary
from mmaspec.suites.gate.model import SCHEMA, Failure, Gate, Place, WaiverState
from mmaspec.suites.gate.waivers import Waiver

from .conftest import HOSTILE, ROWS

SPEC = "hlsl-wave-matrix"
WAIVER = Waiver(
    clause="WM-ADDR-ROW", reason="known", link="https://example.org/1", owner="someone", expires=date(2030, 1, 1),
    case="case.json",
)  # fmt: skip


def gate(**changed: Any) -> Gate:
    fields: dict[str, Any] = {
        "schema": SCHEMA, "verdict": "fails", "headline": "the gate fails: 1 new failures", "waivers": [], "new": [],
        "accepted": [], "lost": [], "unproved": [], "masked": [], "fixed": [], **changed,
    }  # fmt: skip
    return Gate(**fields)


def failure(clause: str, row: str) -> Failure:
    return Failure(spec=SPEC, clause=clause, row=row, symptom="value", cases=1, says="it is wrong")


def test_the_console_tells_of_waivers_that_are_not_for_this_run(capsys: pytest.CaptureFixture[str]) -> None:
    """One whose pattern is mistyped would never be missed."""
    states = [WaiverState(waiver=WAIVER, spec=SPEC, state="not for this run", says=f"it is for {n}") for n in "ab"]
    print_gate(gate(waivers=states))
    assert "  2 waivers not for this run; that of WM-ADDR-ROW: it is for a\n" in capsys.readouterr().out
    print_gate(gate())
    assert "not for this run" not in capsys.readouterr().out


@pytest.fixture
def cases(failing: Any) -> dict[str, Any]:
    state = WaiverState(waiver=WAIVER, spec=SPEC, state="remove me", says="its case passes now")
    told = gate(waivers=[state], new=[failure("WM-FP-SUM", ROWS[0])], lost=[Place(SPEC, "WM-FILL", ROWS[0])])
    tree = ET.fromstring(render_junit(failing.run, failing.results, told))  # noqa: S314 - our own text
    return {str(case.get("name")): case for case in tree.iter("testcase")}


def test_junit_fails_for_what_the_gate_does_not_accept(cases: dict[str, Any]) -> None:
    red = {name for name, case in cases.items() if case.find("failure") is not None}
    assert red == {
        f"WM-FP-SUM [{ROWS[0]}]",
        "waiver of WM-ADDR-ROW (case.json)",
        f"{SPEC}: WM-FILL [{ROWS[0]}]",
    }


def test_junit_says_why_a_failure_is_accepted(cases: dict[str, Any]) -> None:
    messages = {
        name: skipped.get("message") for name, case in cases.items() if (skipped := case.find("skipped")) is not None
    }
    waived = [says for name, says in messages.items() if name.startswith("WM-ADDR-ROW [")]
    assert "waived until 2030-01-01: known (someone, https://example.org/1)" in waived
    assert "known from the baseline" in messages.values()


def test_findings_stand_before_the_reasons_of_the_gate(failing: Any) -> None:
    told = gate(new=[failure("WM-FP-SUM", ROWS[0])])
    page = render_report(failing.run, failing.results, failing.examples, failing.catalogues, told)
    assert page.index('id="gate"') < page.index('id="findings"') < page.index("it is wrong")
    text = summary(failing.run, failing.results, told)
    assert text.index("the gate fails") < text.index("### Findings") < text.index("it is wrong")


def test_the_console_leaves_to_findings_what_mends_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    new = Failure(spec=SPEC, clause="WM-FILL", row="r", symptom="value", cases=1, says="0 for `x`; goes away with y")
    print_gate(gate(new=[new]))
    assert capsys.readouterr().out.endswith('  new failure: WM-FILL [r]: 0 for "x"\n')


def test_every_report_tells_the_reasons(failing: Any) -> None:
    told = gate(new=[failure("WM-FP-SUM", ROWS[0])])
    page = render_report(failing.run, failing.results, failing.examples, failing.catalogues, told)
    for text in (page, summary(failing.run, failing.results, told)):
        assert "the gate fails: 1 new failures" in text
        assert "new failure" in text
        assert "it is wrong" in text


def test_hostile_text_stays_text_and_short(hostile: Any) -> None:
    many = [failure(HOSTILE, HOSTILE) for _ in range(100)]
    told = gate(headline=HOSTILE, new=many, lost=[Place(HOSTILE, HOSTILE, HOSTILE)])
    page = render_report(hostile.run, hostile.results, hostile.examples, hostile.catalogues, told)
    text = summary(hostile.run, hostile.results, told)
    assert "<script>alert" not in page
    assert len(text.splitlines()) < MOST_LINES
    ET.fromstring(render_junit(hostile.run, hostile.results, told))  # noqa: S314 - our own text
