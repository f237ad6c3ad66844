"""The decision of a gate: the state of each waiver, failures old and new, what is not judged."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from mmaspec.suites.gate.waivers import Waiver

SCHEMA = "mmaspec.gate/1"

GateVerdict = Literal["passes", "fails", "inconclusive"]
EXIT_CODES: dict[GateVerdict, int] = {"passes": 0, "fails": 1, "inconclusive": 3}

State = Literal["holds", "remove me", "new failure", "expired", "unmatched", "inconclusive", "not for this run"]
"""holds: its pinned case still fails as waived. remove me: it passes. new failure: it fails otherwise. unmatched:
it can meet nothing of this backend. inconclusive: the backend died over its case once and not again, or there is no
recorded answer to it."""

WRONG: frozenset[State] = frozenset({"remove me", "new failure", "expired", "unmatched"})
"""States that fail the gate."""


class WaiverState(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A waiver and its state."""

    waiver: Waiver
    spec: str
    state: State
    says: str


class Failure(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Failing cases of one clause in one caps row with one symptom."""

    spec: str
    clause: str
    """Empty where no clause could be blamed."""
    row: str
    symptom: str
    cases: int
    by: str = ""
    """Who accepts it: ``waiver`` or ``baseline``; empty: nobody."""
    says: str = ""
    """One of them, in a line."""
    explored: bool = False
    """Whether these cases lie beyond the case list."""


class Place(Struct, frozen=True, forbid_unknown_fields=True, order=True):
    """A clause in a caps row of a specification."""

    spec: str
    clause: str
    row: str


class Gate(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The contents of ``gate.json``."""

    schema: str
    verdict: GateVerdict
    headline: str
    waivers: list[WaiverState]
    new: list[Failure]
    """Failures that nobody accepts."""
    accepted: list[Failure]
    lost: list[Place]
    """Judged in the baseline, and no longer."""
    unproved: list[Place]
    """Not judged, for a reason other than accepted failures, and neither so in the baseline nor ``lost``."""
    masked: list[Place]
    """Not judged because accepted failures stand before it."""
    fixed: list[Failure]
    """Failures that the baseline accepts and that are gone; their places pass now."""
