"""Code in sentences is code in HTML and Markdown, and has no marks of Markdown in a terminal."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from mmaspec.commands.check import _finding_lines
from mmaspec.reports.code_spans import bare, marked, without_reasons
from mmaspec.reports.html import render_report
from mmaspec.reports.markdown import prose, summary

SAYS = "wrong after instruction 3: it is 0; goes away with `d = f(a, <x>);` instead of `d = f(a, b_c);`"


def test_a_terminal_has_no_backticks() -> None:
    assert bare(SAYS).endswith('goes away with "d = f(a, <x>);" instead of "d = f(a, b_c);"')


def test_html_has_code_and_escapes_it() -> None:
    assert marked(SAYS).endswith("with <code>d = f(a, &lt;x&gt;);</code> instead of <code>d = f(a, b_c);</code>")
    assert marked("cut `of\x07f") == "cut <code>of\\x07f</code>"


def test_markdown_has_code_spans_and_escapes_the_rest() -> None:
    assert prose("a_b `c_d` *e*", 99) == "a\\_b `c_d` \\*e\\*"
    assert prose("cut `off here`", 12) == "cut `off…`"


def test_the_first_words_are_what_is_wrong() -> None:
    assert without_reasons(SAYS) == "wrong after instruction 3: it is 0"


def test_reports_show_code_as_code(failing: Any) -> None:
    groups = [replace(failing.run.findings[0], says=SAYS, shares="all have `x`"), *failing.run.findings[1:]]
    run = replace(failing.run, findings=groups)
    page = render_report(run, failing.results, failing.examples, failing.catalogues)
    assert "instead of <code>d = f(a, b_c);</code>" in page
    assert "instead of `d = f(a, b_c);`" in summary(run, failing.results)
    lines = "\n".join(_finding_lines(run, run.findings))
    assert 'instead of "d = f(a, b_c);"' in lines
    assert 'all have "x"' in lines
    assert "`" not in lines
