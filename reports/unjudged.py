"""The first clauses that are not judged, and why."""

from __future__ import annotations

from mmaspec.suites.verdict.model import Run

MOST = 3
"""Clauses that are named."""


def unjudged(run: Run) -> tuple[list[tuple[str, str]], int]:
    """The first clauses that are not judged, each with the reason, and how many more there are."""
    found = [
        (name, clause.why)
        for spec in run.specs.values()
        for name, clause in spec.clauses.items()
        if clause.status == "not judged"
    ]
    return found[:MOST], len(found[MOST:])
