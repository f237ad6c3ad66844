"""How much the verdicts of each test accept, as a report shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from mmaspec.reports.plain import compact, thousands
from mmaspec.suites.verdict.model import Sharpness, SpecResult

_MOST_TESTS = 120


@dataclass(frozen=True, slots=True)
class TestView:
    """One template over all its caps rows: counts, and the shares that its legal sets accept."""

    name: str
    rows: str
    cases: str
    judged: str
    unjudged: str
    median: str
    widest: str
    weak: str
    loose: bool
    """At least half of its cases accept so much that they prove nothing by themselves."""


def sharpness_views(spec: SpecResult) -> tuple[TestView, ...]:
    """The tests of a specification, those whose usual verdict accepts most first."""
    tests = [(name, list(rows.values())) for name, rows in spec.sharpness.items() if rows]
    tests.sort(key=lambda test: (-_usual(test[1]), test[0]))
    return tuple(_view(name, rows) for name, rows in tests[:_MOST_TESTS])


def _usual(rows: Sequence[Sharpness]) -> float:
    return median(row.median for row in rows)


def _view(name: str, rows: Sequence[Sharpness]) -> TestView:
    weak, cases = (sum(counts) for counts in zip(*((row.weak, row.cases) for row in rows), strict=True))
    return TestView(
        name=name,
        rows=str(len(rows)),
        cases=thousands(cases),
        judged=compact(sum(row.judged for row in rows)),
        unjudged=compact(sum(row.unjudged for row in rows)),
        median=share_text(_usual(rows)),
        widest=share_text(max(row.widest for row in rows)),
        weak=str(weak) if weak else "",
        loose=2 * weak >= cases,
    )


def share_text(share: float) -> str:
    """A share of the representable results: ``1 in 16M`` where it is small, ``45 %`` where it is not."""
    if share <= 0:
        return "none"
    return f"{share:.0%}" if share > 0.1 else f"1 in {compact(int(1 / share))}"
