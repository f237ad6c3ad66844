"""JUnit XML, Markdown, and the words underneath."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

import pytest
from msgspec.structs import replace

from mmaspec.reports.junit import render_junit
from mmaspec.reports.markdown import MOST_LINES, code, plain, summary
from mmaspec.reports.plain import compact, shorten, single_line, visible
from mmaspec.suites.verdict.model import Cell, FindingGroup
from mmaspec.suites.verdict.verdicts import BESIDE

MADE = ["passing", "failing", "inconclusive", "hostile"]


@pytest.mark.parametrize("name", MADE)
def test_junit_parses_and_counts_itself(name: str, request: pytest.FixtureRequest) -> None:
    made = request.getfixturevalue(name)
    text = render_junit(made.run, made.results)
    assert text == render_junit(made.run, made.results)
    root = ET.fromstring(text.encode())  # noqa: S314 - our own text
    assert root.tag == "testsuites"
    for suite in root:
        cases = suite.findall("testcase")
        assert int(suite.attrib["tests"]) == len(cases)
        assert int(suite.attrib["failures"]) == len(suite.findall("testcase/failure"))
        assert int(suite.attrib["skipped"]) == len(suite.findall("testcase/skipped"))
        assert all(case.attrib["name"] and case.attrib["classname"] for case in cases)
    assert "timestamp" not in text


def test_junit_tells_what_failed_and_how_to_see_it_again(failing: Any) -> None:
    root = ET.fromstring(render_junit(failing.run, failing.results).encode())  # noqa: S314
    failures = {case.attrib["name"]: case.find("failure") for case in root.iter("testcase")}
    found = failures["WM-ADDR-ROW [byte-16x16-s32]"]
    assert found is not None
    assert found.attrib["message"].startswith("breaks the document: ")
    assert "behaves as if the stride were counted in elements" in (found.text or "")
    assert "mmaspec replay cases/wm-addr-row-1.json" in (found.text or "")
    assert root.attrib["failures"] == str(sum(one is not None for one in failures.values())) != "0"


@pytest.mark.parametrize("own", [True, False])
def test_junit_fails_a_row_for_a_clause_of_others_only_where_these_do_not(failing: Any, *, own: bool) -> None:
    """A case may run what is typical of other rows: where these fail, its own row is not said to."""
    (name, spec), *_ = failing.run.specs.items()
    clause = spec.clauses["WM-ADDR-ROW"]
    mine = next(row for row, cell in clause.rows.items() if cell.status == "fail")
    cells = {mine: clause.rows[mine]} if own else {}
    cells["another"] = Cell(status="fail", failed=1, why=BESIDE)
    clauses = {**spec.clauses, "WM-ADDR-ROW": replace(clause, rows=cells)}
    run = replace(failing.run, specs={name: replace(spec, clauses=clauses)})
    root = ET.fromstring(render_junit(run, failing.results).encode())  # noqa: S314
    case = next(one for one in root.iter("testcase") if one.attrib["name"] == "WM-ADDR-ROW [another]")
    skipped = case.find("skipped")
    assert (case.find("failure") is None) is own
    told = f"told in WM-ADDR-ROW [{mine}]: 1 failing case of this row run the same as well"
    assert (skipped.attrib["message"] if skipped is not None else "") == (told if own else "")


def test_junit_skips_with_the_reason(inconclusive: Any) -> None:
    root = ET.fromstring(render_junit(inconclusive.run, inconclusive.results).encode())  # noqa: S314
    reasons = [skipped.attrib["message"] for skipped in root.iter("skipped")]
    assert any(reason.startswith("not judged: no sensitive case ran") for reason in reasons)
    assert any(reason.startswith("not testable: ") for reason in reasons)


@pytest.mark.parametrize("name", MADE)
def test_the_summary_is_short_and_escaped(name: str, request: pytest.FixtureRequest) -> None:
    made = request.getfixturevalue(name)
    text = summary(made.run, made.results)
    assert len(text.splitlines()) < MOST_LINES
    table = [line for line in text.splitlines() if line.startswith("| `")]
    assert table
    assert all(line.count("|") == 7 for line in table)
    outside = [part for part in text.split("`") if "script" in part]
    assert name == "hostile" or not outside


def test_the_summary_tells_a_finding_to_its_end(failing: Any, changed: Any) -> None:
    """What it goes away with stands behind long numbers, and two lines of a program follow."""
    says = f"wrong after instruction 5: {'legal is much ' * 20}; goes away with {'one line ' * 15}instead of another"
    group = FindingGroup(clause="C", cause="", says=says, cases=1, example="")
    assert "instead of another" in summary(changed(failing.run, findings=[group]))


def test_the_summary_is_short_however_much_there_is(failing: Any, changed: Any) -> None:
    group = FindingGroup(clause="C", cause="c\n" * 900, says="s\n" * 900, cases=1, example="e\n" * 900)
    specs = {f"spec-{number}": spec for number in range(40) for spec in failing.run.specs.values()}
    readings = {f"AMB-{number}": ["wrap"] * 90 for number in range(90)}
    run = changed(failing.run, findings=[group] * 99, specs=specs, readings=readings)
    assert len(summary(run).splitlines()) < MOST_LINES


def test_the_summary_names_what_is_not_judged_and_why(inconclusive: Any, changed: Any) -> None:
    assert "\n### Not judged\n\n- `WM-FP-SUM`: " in summary(inconclusive.run)
    assert "no sensitive case ran" in summary(inconclusive.run)
    run = inconclusive.run
    (name, spec), *_ = run.specs.items()
    gap = spec.clauses["WM-FP-SUM"]
    five = changed(run, specs={name: changed(spec, clauses=dict.fromkeys("abcde", gap))})
    assert "- `c`: " in summary(five)
    assert "- `d`: " not in summary(five)
    assert "- and 2 more in the report" in summary(five)


def test_the_summary_says_whose_word_counts_unless_all_do(failing: Any, changed: Any) -> None:
    assert "authority" not in summary(failing.run)
    text = summary(changed(failing.run, authority="document"))
    assert "Held to the authority `document`: what the documents say, and nothing else." in text


def test_code_spans_cannot_be_left() -> None:
    assert code("a`b``c", 50) == "```a`b``c```"
    assert code("`a`", 50) == "`` `a` ``"
    assert "|" not in code("a|b", 50)
    assert code("", 50) == "` `"


def test_plain_words_carry_no_markup() -> None:
    assert plain("<b> & @you #1 https://x www.y", 90) == ("&#60;b&#62; &#38; &#64;you &#35;1 https&#58;//x www&#46;y")
    assert plain("*a* [b](c) `d` e|f", 90) == r"\*a\* \[b\](c) \`d\` e\|f"


def test_hidden_characters_become_visible() -> None:
    assert visible("a\x00b\x1b[31m\u202e\ud800\U000e0001") == r"a\x00b\x1b[31m\u202e\ud800\U000e0001"
    assert visible("tab\tline\nümläut ✓") == "tab\tline\nümläut ✓"


def test_counts_are_rounded_down() -> None:
    assert [compact(number) for number in (0, 999, 1000, 1999, 15_999, 1_250_000, 10**12)] == [
        "0", "999", "1k", "1.9k", "15k", "1.2M", "1T",
    ]  # fmt: skip
    assert shorten("abcdef", 4) == "abc…"


def test_no_word_is_cut_that_is_not_very_long() -> None:
    assert shorten("some words here", 12) == "some words…"
    assert shorten("some words here", 11) == "some words…"
    assert shorten("some words", 10) == "some words"
    assert shorten(f"some {'w' * 50}", 50) == f"some {'w' * 44}…"
    assert single_line(" a\n b\t") == "a b"
