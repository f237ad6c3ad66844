"""Texts in JUnit XML: what a failing test case says, and attributes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from mmaspec.reports.finding_view import replay_command
from mmaspec.reports.plain import plural, shorten, single_line, visible
from mmaspec.suites.judging.confirm import as_if
from mmaspec.suites.judging.record import Result
from mmaspec.suites.verdict.model import Run

_MOST_SHOWN = 3


def failing_lines(run: Run, failed: int, failing: Sequence[Result]) -> Iterator[str]:
    """How many cases fail, and what is known of the first ones."""
    if failed:
        yield plural(failed, "failing case")
    # Cases with a reduced example first: those are the ones that can be replayed.
    for result in sorted(failing, key=lambda result: not result.example)[:_MOST_SHOWN]:
        if result.finding is None:
            continue
        yield f"case {result.case}: {shorten(single_line(result.finding.says), 400)}"
        if guess := as_if(result.finding.cause, result.finding.candidates):
            yield f"  {shorten(single_line(guess), 300)}"
        if result.finding.unrun:
            yield f"  not run: {shorten(single_line('; '.join(result.finding.unrun)), 400)}"
        if result.example:
            yield f"  {replay_command(run, result.example)}"


def attribute(text: str) -> str:
    """A value of an attribute, on one line and not too long."""
    # Not the escapes of xml.sax: its import, with all of urllib, would be a tenth of the start of a run.
    return f'"{escape(shorten(single_line(visible(text)), 400))}"'


def content(text: str) -> str:
    """A text between two tags, whole."""
    return escape(visible(text), quote=False)
