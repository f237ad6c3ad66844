"""What exploration did, in words that all reports share."""

from __future__ import annotations

from mmaspec.reports.plain import plural, thousands
from mmaspec.suites.verdict.model import Exploration, Run

OUTCOMES = ("legal", "illegal", "refused", "died", "not applicable", "inconclusive")
SAYS = "Random cases beyond the case list. They may fail the run; no clause passes or fails by them."


def explored_lines(run: Run) -> list[tuple[str, str]]:
    """A specification, and how many explored cases it had with which outcomes; for each that had some."""
    return [(name, counted(explored)) for name, explored in run.exploration.items()]


def counted(explored: Exploration) -> str:
    """How many cases there were, and what became of them."""
    told = [f"{thousands(explored.outcomes[one])} {one}" for one in OUTCOMES if explored.outcomes.get(one)]
    return f"{plural(explored.cases, 'case')} beyond the list: {', '.join(told)}"
