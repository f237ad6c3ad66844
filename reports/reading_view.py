"""Readings and decisions as the reports and the end of a run show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from mmaspec.oracle.ambiguity import Ambiguity
from mmaspec.oracle.clauses import Catalogue
from mmaspec.reports.catalogues import Catalogues
from mmaspec.reports.plain import plural
from mmaspec.suites.verdict.model import ClauseResult, Run

State = Literal["unexplained", "narrowed", "declared", "open"]
"""What a run found out: no reading explains it, some are ruled out, the profile pins one, or all are still possible."""


@dataclass(frozen=True, slots=True)
class ReadingView:
    """One ambiguity that is open by its document: every reading, and whether it agrees with the whole run."""

    name: str
    statement: str
    options: tuple[tuple[str, str, bool], ...]
    says: str
    state: State


@dataclass(frozen=True, slots=True)
class DecisionView:
    """One ambiguity that is decided by mmaspec, as only one reading can be executed."""

    name: str
    statement: str
    decision: str
    reason: str


def reading_views(run: Run, catalogues: Catalogues) -> list[ReadingView]:
    """What a run says of each open ambiguity of the specifications that its backend supports.

    What this version calls a decision is left out, whatever an older run says of it.
    """
    pinned = pinned_readings(run.profile)
    shown = []
    for name, left in run.readings.items():
        spec, entry = _owner(name, catalogues)
        supported = spec not in run.specs or run.specs[spec].caps is not None
        if supported and not (entry is not None and entry.decided):
            shown.append(_reading(name, left, entry, pinned.get(name, "")))
    return shown


def decision_views(run: Run, catalogues: Catalogues) -> list[DecisionView]:
    """The decisions about the specifications that the backend supports."""
    return [
        DecisionView(name, entry.statement, entry.decision, entry.reason)
        for spec, result in run.specs.items()
        if result.caps is not None and spec in catalogues
        for name, entry in catalogues[spec].decisions.items()
    ]


def still_open(views: Sequence[ReadingView]) -> str:
    """One line for all ambiguities about which a run says nothing; empty if there are none."""
    count = sum(view.state == "open" for view in views)
    if not count:
        return ""
    return f"{plural(count, 'ambiguity', 'ambiguities')} left open: this run could not tell their readings apart"


def passes_by(clause: ClauseResult, catalogue: Catalogue | None) -> str:
    """By which readings a clause passes, where others are ruled out: ``passes: flag ignored, RDNA3-AMB-04 wrap``."""
    said = []
    for ambiguity, left in clause.readings.items():
        entry = None if catalogue is None else catalogue.ambiguity.get(ambiguity)
        text = "" if entry is None or len(left) != 1 else entry.readings.get(left[0], "").partition(":")[0]
        said.append(f"{text + ', ' if text else ''}{ambiguity} {' or '.join(left)}")
    return f"passes: {'; '.join(said)}" if said else ""


def clause_lines(run: Run, catalogues: Catalogues) -> list[str]:
    """A line for each clause that passes by one reading of an ambiguity alone."""
    return [
        f"{name} {passes_by(clause, catalogues.get(spec))}"
        for spec, result in run.specs.items()
        for name, clause in result.clauses.items()
        if any(len(left) == 1 for left in clause.readings.values())
    ]


def _owner(name: str, catalogues: Catalogues) -> tuple[str, Ambiguity | None]:
    for spec, known in catalogues.items():
        if name in known.ambiguity:
            return spec, known.ambiguity[name]
    return "", None


def pinned_readings(profile: Any) -> dict[str, str]:
    """The readings that a profile declares; it was only decoded as JSON."""
    pins = profile.get("pins") if isinstance(profile, Mapping) else None
    found = [pin for pin in (pins if isinstance(pins, Sequence) else ()) if isinstance(pin, Mapping)]
    return {str(pin.get("ambiguity")): str(pin.get("reading")) for pin in found}


def _reading(name: str, left: Sequence[str], entry: Ambiguity | None, pinned: str) -> ReadingView:
    known = {} if entry is None else entry.readings
    options = {**known, **{reading: "" for reading in left if reading not in known}}
    state: State = "narrowed"
    if not left:
        state, says = "unexplained", "No single reading explains this run."
    elif pinned:
        state, says = "declared", f"The profile declares {pinned}."
    elif len(left) == len(options):
        state, says = "open", "This run could not tell them apart."
    elif len(left) == 1:
        says = f"Only {left[0]} explains this run."
    else:
        says = f"Either {' or '.join(left)} explains this run: the text leaves this open, which fails nothing."
    statement = "" if entry is None else entry.statement
    shown = tuple((option, text, option in left) for option, text in options.items())
    return ReadingView(name, statement, shown, says, state)
