"""Cases in which a backend died: a failure if it dies again in the second try, otherwise inconclusive."""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.backends.failures import error_line
from mmaspec.oracle.case import Case
from mmaspec.oracle.judge import ByReading
from mmaspec.suites.judging.plain import plain
from mmaspec.suites.judging.record import Result

UNSEEN = "it took its whole process down, or never answered"
"""How a backend died in a worker that nobody lived to tell of."""


def died_twice(case: Case, identity: str, by_reading: ByReading, how: object) -> Result:
    """The failure. It blames no clause: nothing follows from it about any that acts in the case."""
    clauses = {case.target} if case.target else by_reading.first.clauses
    return Result(
        case=identity,
        spec=case.spec,
        row=case.row,
        template=case.template,
        target=case.target,
        clauses=tuple(sorted(clauses)),
        outcome="died",
        finding=plain("died", (), died_of(how)),
    )


def died_of(how: object) -> str:
    """What a finding says of such a failure."""
    return f"the backend died twice: {error_line(how)}"


def died_once(result: Result, how: object = None) -> Result:
    """The result of the second try: a legal answer proves nothing after a death. ``how`` it died the first time."""
    if result.outcome != "legal":
        return result
    told = "" if how is None else f": {error_line(how)}"
    return replace(result, outcome="inconclusive", why=f"the backend died over it once and not again{told}")
