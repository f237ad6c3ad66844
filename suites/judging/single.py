"""Judging one case outside a run: replay, and ``assert_conforms``."""

from __future__ import annotations

from dataclasses import dataclass

from mmaspec.backends.processes.child_backend import Died
from mmaspec.backends.protocol import Backend
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Undefined
from mmaspec.oracle.judge import ByReading
from mmaspec.programs.input_file import naming
from mmaspec.programs.profile import Profile
from mmaspec.suites.judging.death import died_once, died_twice
from mmaspec.suites.judging.judge_case import CaseJudge, expect_some
from mmaspec.suites.judging.record import Result


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of one case, and one line that says it."""

    result: Result
    says: str

    @property
    def failed(self) -> bool:
        """Whether the backend broke the specification or its profile."""
        return self.result.outcome in {"illegal", "refused", "died"}


def steadily(case_judge: CaseJudge, case: Case, identity: str, by_reading: ByReading) -> tuple[Result, bool]:
    """The result of a case, and whether the backend died in it. After a death it is tried again; dying twice fails."""
    try:
        return case_judge.judge(case, identity, by_reading)[0], False
    except Died:
        pass
    try:
        return case_judge.judge(case, identity, by_reading)[0], True
    except Died as error:
        return died_twice(case, identity, by_reading, error), True


def replayed(backend: Backend, case: Case, profile: Profile | None = None, where: str = "") -> Verdict:
    """Judge one case of many: nothing is reduced, and a backend that dies is asked once more.

    ``where`` names the case in an error about it.
    """
    description = backend.describe()
    chosen = description.profile if profile is None else profile
    with naming(where):
        by_reading = expect_some(case, chosen)
    identity = case.identity
    result, died = steadily(
        CaseJudge(backend, description, chosen, {identity: ()}, limit=0), case, identity, by_reading
    )
    return _told(died_once(result) if died else result, by_reading)


def judge_one(backend: Backend, case: Case, profile: Profile | None = None, where: str = "") -> Verdict:
    """Judge one case on one backend; ``profile`` None means what the backend declares. ``Died`` passes through.

    ``where`` names the case in an error about it.
    """
    description = backend.describe()
    chosen = description.profile if profile is None else profile
    with naming(where):
        by_reading = expect_some(case, chosen)
    identity = case.identity
    case_judge = CaseJudge(backend, description, chosen, {identity: ()})
    result, _ = case_judge.judge(case, identity, by_reading)
    return _told(result, by_reading)


def _told(result: Result, by_reading: ByReading) -> Verdict:
    """A result with the line that says it."""
    if isinstance(by_reading.first, Undefined):
        return Verdict(result, f"undefined by {', '.join(sorted(by_reading.first.clauses))}: never sent to a backend")
    if result.finding is not None:
        finding = result.finding
        blamed = f"{finding.blamed[0]}: " if finding.blamed else ""
        cause = f"; behaves as if {finding.cause}" if finding.cause else ""
        return Verdict(result, f"{blamed}{finding.says}{cause}")
    return Verdict(result, result.why or f"{result.outcome}, {result.judged} elements judged")
