"""Findings that need no explanation: refusals, exceptions, replies that cannot be used."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from msgspec.structs import replace

from mmaspec.backends.failures import BadReply, Raised, error_line
from mmaspec.backends.protocol import Refused
from mmaspec.oracle.judge import ByReading
from mmaspec.oracle.spec import spec_named
from mmaspec.suites.judging.record import Finding, Result, Symptom


def plain(symptom: Symptom, blamed: tuple[str, ...], says: str) -> Finding:
    """A finding that its symptom explains."""
    return Finding(symptom=symptom, blamed=blamed, how="symptom", says=" ".join(says.split()))


def not_borrowed(clauses: Iterable[str], borrowed: Collection[str]) -> tuple[str, ...]:
    """The clauses that the backend carries out itself, each once, in the order given."""
    return tuple(dict.fromkeys(name for name in clauses if name not in borrowed))


def without_answer(error: Raised | BadReply) -> str:
    """What is said of an exception, or of a reply that cannot be used."""
    return (
        f"the backend raised {error}" if isinstance(error, Raised) else f"the backend's reply cannot be used: {error}"
    )


def unexplained(symptom: Symptom, blamed: tuple[str, ...], error: Exception) -> Finding:
    """The finding of wrong bytes over whose explanation something broke down."""
    says = f"wrong bytes, which could not be explained: {type(error).__name__}: {error_line(error)}"
    return plain(symptom, blamed, says)


def allowed(by_reading: ByReading, facts: Result) -> Result:
    """The result of a program that was refused and is invalid under some reading: no failure, and no proof either."""
    told = " or ".join(
        ", ".join(f"{name} ({reading})" for name, reading in assignment) for assignment in by_reading.refusals
    )
    return replace(facts, outcome="not applicable", accepted=by_reading.refusals, why=f"refused, as {told} allows")


def refused(spec: str, refusal: Refused, borrowed: Collection[str] = ()) -> Finding:
    """The finding of a valid program that was refused: it blames the rules that the refusal names, if any."""
    known = spec_named(spec).catalogue.clause
    named = not_borrowed((clause for clause in refusal.clauses if clause in known), borrowed)
    return plain("refused", named, f"a valid program was refused: {refusal.reason}")
