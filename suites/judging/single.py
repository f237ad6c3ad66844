"""Judging one case outside a run: replay, and ``assert_conforms``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from msgspec.structs import replace

from mmaspec.backends.processes.child_backend import Died
from mmaspec.backends.protocol import Backend
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Rejected, Undefined
from mmaspec.oracle.judge import ByReading
from mmaspec.programs.input_file import naming
from mmaspec.programs.profile import Profile
from mmaspec.suites.judging.confirm import confirmed, since_edited, worded
from mmaspec.suites.judging.death import died_once, died_twice
from mmaspec.suites.judging.explain import Explaining, LiveExplainer
from mmaspec.suites.judging.judge_case import CaseJudge, expect_some
from mmaspec.suites.judging.recall import recalled
from mmaspec.suites.judging.record import Result
from mmaspec.suites.judging.repeats.unstable import after_legal
from mmaspec.suites.judging.telling.found import Found, edited, found_in

Told = TypeVar("Told")

UNSTABLE_TRIES = 50
"""How often at most a case is replayed whose answers differed, until one of them is wrong."""


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
    """Judge one case of many: a backend that dies is asked once more.

    ``where`` names the case in an error about it.
    """
    asked = _Asked.of(backend, case, profile, where)
    result, died = asked.answered(lambda: steadily(asked.case_judge, case, case.identity, asked.by_reading))
    return asked.told(died_once(result) if died else result)


def judge_one(backend: Backend, case: Case, profile: Profile | None = None, where: str = "") -> Verdict:
    """Judge one case on one backend. ``Died`` passes through, with what the run found, if anything.

    ``profile`` None means that by which a run of this backend found something in the case, or else the one that the
    backend declares. ``where`` names the case in an error about it.
    """
    asked = _Asked.of(backend, case, profile, where)
    result, _ = asked.answered(lambda: asked.case_judge.judge(case, case.identity, asked.by_reading))
    return asked.told(result)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A case that is put to a backend by itself, and what a run found in it."""

    case_judge: CaseJudge
    by_reading: ByReading
    found: Found | None
    before: Found | None = None
    """What the run found before somebody edited the case: it says nothing of the case as it is now."""

    @classmethod
    def of(cls, backend: Backend, case: Case, profile: Profile | None, where: str) -> _Asked:
        description = backend.describe()
        found, before = found_in(case, where), None
        chosen = description.profile
        if found is not None and found.backend == description.name:
            chosen = found.profile
        if found is not None and edited(case, found):
            found, before = None, found
        if profile is not None:
            chosen = profile
        with naming(where):
            by_reading = expect_some(case, chosen)
        explaining: Explaining = LiveExplainer if found is None else recalled(found)
        case_judge = CaseJudge(backend, description, chosen, {case.identity: ()}, limit=0, explaining=explaining)
        return cls(case_judge, by_reading, found, before)

    def answered(self, judged: Callable[[], tuple[Result, Told]]) -> tuple[Result, Told]:
        """One answer, judged; where the run found that answers differ, as many as it takes to see a wrong one.

        They may depend on what ran before: then the first answer of a new process may well be right.
        """
        most = UNSTABLE_TRIES if self.unsteady else 1
        tries, legal = 1, 0
        result, told = judged()
        while tries < most and result.outcome == "legal":
            tries, legal = tries + 1, legal + 1 + result.sampled
            result, told = judged()
        finding = result.finding
        if legal and finding is not None and finding.symptom == "unstable":
            result = replace(result, finding=after_legal(finding, legal))
        elif legal and finding is not None:
            says = f"{finding.says}; legal {legal} time{'s' * (legal > 1)} before"
            result = replace(result, finding=replace(finding, says=says))
        return result, told

    @property
    def unsteady(self) -> bool:
        """Whether the run found answers that differ: now right and now wrong, or each of them wrong in another way."""
        if self.found is None or self.found.finding.alone:
            return False
        return self.found.finding.symptom == "unstable" or self.found.finding.varies

    def told(self, result: Result) -> Verdict:
        """A result with the line that says it."""
        if self.found is None or isinstance(self.by_reading.first, Undefined):
            says = self._as_it_is(result)
            return Verdict(result, says if self.before is None else since_edited(self.before, says))
        result, says = confirmed(result, self.found, self.case_judge.description, self.case_judge.profile)
        if self.unsteady and result.outcome == "legal":
            says += f"; legal {UNSTABLE_TRIES} times here, where no other case ran before it"
        return Verdict(result, says)

    def _as_it_is(self, result: Result) -> str:
        """What is to be said of the case alone, whatever a run found."""
        first = self.by_reading.first
        if isinstance(first, Undefined):
            return f"undefined by {', '.join(sorted(first.clauses))}: never sent to a backend"
        if result.finding is not None:
            return worded(result.finding)
        if isinstance(first, Rejected):
            return f"invalid by {', '.join(sorted(first.clauses))}: {result.why or 'refused, as it has to be'}"
        return result.why or f"{result.judged} element{'s' * (result.judged != 1)} judged"
