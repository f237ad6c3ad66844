"""Counterfactuals: the smallest wrong implementation of a clause, as a backend; and known defects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from mmaspec.backends.numpy.backend import NumpyBackend

Family = Literal["clause", "arithmetic", "integer", "state"]
"""``clause``: a wrong reading of one clause; the others: defects of float sums, of integer sums, of memory."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A deviation of the reference backend that breaks exactly one clause.

    ``behaves_as_if`` completes the sentence "behaves as if ..."; ``rows`` are tags of caps rows in which
    it differs at all (none: every row to which the clause applies).
    """

    name: str
    spec: str
    clause: str
    behaves_as_if: str
    make: Callable[[], NumpyBackend]
    rows: tuple[str, ...] = ()
    family: Family = "clause"
    imitates: str = ""
    """What in the world a defect is modelled on."""
    also: frozenset[str] = frozenset()
    """Other clauses that a defect breaks as much; to name one of them is right too."""
    misreports: Callable[[Any], Any] | None = None
    """What it makes of the caps that it should report; None: it reports them as they are. No case catches one that
    only misreports: it is caught where its answers are judged."""
