"""The HTML report: well formed, escaped, self-contained, bounded, the answer first."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import msgspec
import pytest

from mmaspec.commands.check import _finding_lines
from mmaspec.oracle.ambiguity import Ambiguity
from mmaspec.programs.profile import PROFILES
from mmaspec.reports import words
from mmaspec.reports.finding_view import finding_views, replay_command, see_also
from mmaspec.reports.html import MAX_BYTES, MOST_FINDINGS, render_report
from mmaspec.reports.markdown import summary
from mmaspec.suites.verdict.model import FindingGroup

VOID = {"meta", "img", "br", "input", "link", "hr"}
MADE = ["passing", "failing", "inconclusive", "hostile"]


class Checker(HTMLParser):
    """Keeps the stack of open elements; notes what does not balance, and what was seen."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> at {self.getpos()}")

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] not in {"style", "script"}:
            self.text.append(data)


def page(made: Any) -> str:
    return render_report(made.run, made.results, made.examples, made.catalogues)


def parsed(html: str) -> Checker:
    checker = Checker()
    checker.feed(html)
    checker.close()
    return checker


@pytest.mark.parametrize("name", MADE)
def test_tags_balance_and_ids_are_unique(name: str, request: pytest.FixtureRequest) -> None:
    checker = parsed(page(request.getfixturevalue(name)))
    assert not checker.wrong
    assert not checker.open
    if name != "hostile":  # the hostile run lists the same specification twice
        ids = [attrs["id"] for _, attrs in checker.tags if "id" in attrs]
        assert len(ids) == len(set(ids))


@pytest.mark.parametrize("name", MADE)
def test_nothing_is_loaded_from_elsewhere(name: str, request: pytest.FixtureRequest) -> None:
    checker = parsed(page(request.getfixturevalue(name)))
    for tag, attrs in checker.tags:
        assert tag not in {"img", "link", "iframe", "object", "embed", "base"}
        assert "src" not in attrs
        assert "style" not in attrs
        assert not any(attr.startswith("on") for attr in attrs)
        assert attrs.get("href", "#").startswith("#")
    assert sum(tag == "script" for tag, _ in checker.tags) == 1


def test_whatever_has_a_name_is_escaped(hostile: Any) -> None:
    html = page(hostile)
    assert "<script>alert" not in html
    assert "<img" not in html
    assert "\x07" not in html
    assert "\u202e" not in html
    assert '<script>alert("x")</script>' in " ".join(parsed(html).text)


def test_same_arguments_same_text(failing: Any) -> None:
    assert page(failing) == page(failing)


@pytest.mark.parametrize(
    ("name", "verdict"), [("passing", "Conformant"), ("failing", "Not conformant"), ("inconclusive", "Inconclusive")]
)
def test_the_answer_comes_first(name: str, verdict: str, request: pytest.FixtureRequest) -> None:
    html = page(request.getfixturevalue(name))
    heading = re.search(r"<h1>.*?</svg>(.*?)</h1>", html, re.DOTALL)
    assert heading is not None
    assert heading.group(1).strip() == verdict
    assert html.index("<h1>") < html.index("<h2")


def test_a_finding_shows_all_there_is(failing: Any) -> None:
    text = " ".join(" ".join(parsed(page(failing)).text).split())
    for wanted in (
        "WM-ADDR-ROW",
        "It behaves as if the stride were counted in elements.",
        "wave 0, row 4, column 5, batch item 3",
        "s32 0x0000004d",
        "0xfffffff4 = -12, and nothing else",
        "89 representable values away",
        "0x3f7ffffe",
        "0x1.fffffcp-1",
        "or NaN",
        "its old contents, 0xa7",
        "c.Store(result, 32, 96, false);",
        "mmaspec replay cases/wm-addr-row-1.json --backend fault:wm-stride-in-elements",
        "no text says so, but every known device does it",
        'HLSL Shader Model 6.x WaveMatrix: Loading and storing, at "row stride in bytes between"',
        "No single reading explains this run.",
        "generators only have to avoid it",
        "python",
        "3.11.7",
    ):
        assert wanted in text, wanted


@pytest.mark.parametrize(("limit", "asked"), [(60.0, ""), (2.5, " --time-limit 2.5"), (900.0, " --time-limit 900")])
def test_a_replay_waits_as_long_as_the_run_did(failing: Any, changed: Any, limit: float, asked: str) -> None:
    run = changed(failing.run, environment={"backend": "numpy", "time_limit": limit})
    assert replay_command(run, "a.json") == f"mmaspec replay cases/a.json --backend numpy{asked}"


def test_an_unstable_finding_says_so_once(failing: Any, changed: Any) -> None:
    found = next(result for result in failing.results if result.finding is not None and result.example)
    unstable = changed(found, finding=changed(found.finding, symptom="unstable", blamed=()), example="")
    group = FindingGroup(clause="", cause="", says="s", cases=1, example="", case=found.case, symptom="unstable")
    run = changed(failing.run, findings=[group])
    (view,) = finding_views(run, [unstable], {}, failing.catalogues, most=1)
    assert (view.clause, view.symptom) == ("unstable", "")


@pytest.mark.parametrize("pinned", [False, True])
def test_what_is_legal_by_one_of_several_readings_is_said_to_be(failing: Any, changed: Any, pinned: bool) -> None:
    file = "wm-addr-row-1.json"
    group = FindingGroup(clause="WM-INT-EXACT", cause="", says="s", cases=1, example=file)
    profile = {"name": "p", "pins": [{"ambiguity": "WM-AMB-07", "reading": "wrap"}] if pinned else []}
    run = changed(failing.run, findings=[group], profile=profile)
    (view,) = finding_views(run, failing.results, failing.examples, failing.catalogues, most=1)
    first, *rest = dict(view.facts)["Legal"].splitlines()
    assert first == "0xfffffff4  =  -12, and nothing else"
    assert rest == ([] if pinned else ["by the reading of WM-AMB-07 that explains most; others are open"])


def test_what_is_legal_as_mmaspec_decided_is_said_to_be_decided_and_not_open(failing: Any, changed: Any) -> None:
    (spec,) = failing.catalogues
    known = failing.catalogues[spec]
    decided = Ambiguity(statement="s", decision="sums keep their low 32 bits", reason="nothing else can be executed")
    catalogues = {spec: changed(known, ambiguity={"WM-AMB-07": decided})}
    group = FindingGroup(clause="WM-INT-EXACT", cause="", says="s", cases=1, example="wm-addr-row-1.json")
    run = changed(failing.run, findings=[group], readings={})
    (view,) = finding_views(run, failing.results, failing.examples, catalogues, most=1)
    _, *rest = dict(view.facts)["Legal"].splitlines()
    assert rest == ["as decided (WM-AMB-07): sums keep their low 32 bits"]


@pytest.mark.parametrize(
    ("drawn", "changes", "told"),
    [
        (None, {}, '<h4>The program</h4> <p class="quiet">Numbers'),
        (False, {}, '<h4>The reduced program</h4> <p class="quiet">Numbers'),
        (True, {}, '<h4>The program as drawn</h4> <p class="quiet">No smaller one was found that fails so. Numbers'),
        (True, {"varies": True}, '<h4>The program as drawn</h4> <p class="quiet">It was not reduced. Numbers'),
    ],
)
def test_only_a_smaller_program_is_called_reduced(
    drawn: bool | None, changes: dict[str, bool], told: str, failing: Any, changed: Any
) -> None:
    examples = {
        file: replace(example, drawn=drawn, finding=changed(example.finding, **changes))
        for file, example in failing.examples.items()
    }
    page = " ".join(render_report(failing.run, failing.results, examples, failing.catalogues).split())
    assert page.count(told) == len(examples)


def test_findings_of_one_mistake_point_at_each_other_in_every_report(failing: Any, changed: Any) -> None:
    first, second, *others = failing.run.findings
    groups = [changed(first, case="a", related=("b",)), changed(second, case="b", related=("a",)), *others]
    run = changed(failing.run, findings=groups)
    html = render_report(run, failing.results, failing.examples, failing.catalogues)
    assert f'See also <a href="#finding-2">finding 2</a> (<code>{second.clause}</code>), which may be' in html
    assert html.count("See also") == 2
    told = f"see also finding 1 ({first.clause}), which may be of the same mistake"
    assert see_also(groups[1], run) == told
    assert f"  {told[0].upper()}{told[1:]}." in summary(run, failing.results).splitlines()
    assert f"    {told}" in list(_finding_lines(run, groups))


def test_authority_of_failures_is_counted(failing: Any, changed: Any) -> None:
    text = " ".join("".join(parsed(page(failing)).text).split())
    assert "3 clauses where it breaks the document" in text
    assert "1 clause where it breaks practice" in text
    found = [changed(result, finding=changed(result.finding, profile_only=True)) for result in failing.results]
    html = render_report(failing.run, found, {}, failing.catalogues)
    assert "3 clauses where it breaks its declared profile" in " ".join("".join(parsed(html).text).split())


def test_many_findings_are_counted_and_the_size_is_bounded(failing: Any, changed: Any) -> None:
    file = "wm-addr-row-1.json"
    big = failing.examples[file]
    big = type(big)(file, "x" * 500_000, None, big.finding, big.memory)
    group = FindingGroup(clause="WM-ADDR-ROW", cause="c" * 5000, says="s" * 5000, cases=1, example=file)
    run = changed(failing.run, findings=[group] * 500)
    html = render_report(run, failing.results, {file: big}, failing.catalogues)
    assert len(html.encode()) < MAX_BYTES
    assert html.count('<article class="finding"') == MOST_FINDINGS
    assert "460 more are in" in html


def test_a_specification_that_this_version_does_not_know_is_still_reported(passing: Any) -> None:
    html = render_report(passing.run, (), {}, {})
    assert "This version of mmaspec has no statement for it." in html


def test_it_is_told_how_much_each_test_accepts(passing: Any) -> None:
    text = " ".join(" ".join(parsed(page(passing)).text).split())
    assert "How much each test accepts" in text
    assert "mac 1 3 4k 12 25% 50% 2" in text


def test_a_declared_arithmetic_is_told_in_words(passing: Any, changed: Any) -> None:
    hopper = msgspec.to_builtins(PROFILES["nvidia-hopper-wgmma"])
    text = " ".join(parsed(page(type(passing)(changed(passing.run, profile=hopper), (), {}, {}))).text)
    assert "fused blocks of 16 products of f16, bf16 that keep 25 fraction bits, aligned on 2^-133 at least" in text
    assert "aligned on 2^-133 at least, rounded into f32 toward-zero" in text
    assert "aligned on 2^-21 at least, rounded into f16 nearest-even" in text
    assert "fused blocks of 32 products of e4m3, e5m2 that keep 13 fraction bits, aligned on 2^-133 at least" in text
    assert "rounded into f32 toward-zero, f16 nearest-even, sums of 13 fraction bits" in text
    assert words.declared({"model": "sequential", "kept_fraction_bits": 13}) == [
        "results equal IEEE 754 products and sums, one after the other",
        "kept fraction bits: 13",
    ]
    assert words.declared({"model": {"rounding": 3}})
    assert words.declared({"model": [{"rounding": 3}, 4]})  # what an unknown version wrote is no reason to stop
