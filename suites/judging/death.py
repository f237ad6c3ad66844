"""Cases in which a backend died: a failure if it dies again in the second try, otherwise inconclusive."""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from mmaspec.backends.failures import error_line
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.judge import ByReading
from mmaspec.suites.judging.plain import all_own
from mmaspec.suites.judging.record import Finding, Result


def died_twice(case: Case, identity: str, by_reading: ByReading, borrowed: Collection[str], how: object) -> Result:
    """The failure, blamed on every clause that acts in the case and is not borrowed."""
    clauses: tuple[str, ...] = (case.target,) if case.target else ()
    if isinstance(by_reading.first, Defined):
        clauses = all_own(by_reading.first, borrowed)
    says = f"the backend died twice: {error_line(how)}"
    return Result(
        case=identity,
        spec=case.spec,
        row=case.row,
        template=case.template,
        target=case.target,
        clauses=tuple(sorted(clauses)),
        outcome="died",
        finding=Finding(symptom="died", blamed=clauses, how="symptom", says=says),
    )


def died_once(result: Result) -> Result:
    """The result of the second try: a legal answer proves nothing after a death."""
    if result.outcome != "legal":
        return result
    return replace(result, outcome="inconclusive", why="the backend died over it once and not again")
