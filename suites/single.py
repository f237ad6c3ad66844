"""Judging one case outside a run: replay, and ``assert_conforms``."""

from __future__ import annotations

from dataclasses import dataclass

from mmaspec.backends.protocol import Backend
from mmaspec.oracle.case import Case, content_hash, encode_case
from mmaspec.oracle.expectation import Undefined
from mmaspec.oracle.judge import expectations
from mmaspec.oracle.profile import Profile
from mmaspec.suites.examine import Examiner
from mmaspec.suites.record import Result


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one case, and one line that says it."""

    result: Result
    says: str

    @property
    def failed(self) -> bool:
        """Whether the backend broke the specification or its profile."""
        return self.result.outcome in {"illegal", "refused", "died"}


def judge_one(backend: Backend, case: Case, profile: Profile | None = None) -> Verdict:
    """Judge one case on one backend; ``profile`` None means what the backend declares. ``Died`` passes through."""
    description = backend.describe()
    chosen = description.profile if profile is None else profile
    expected = expectations(case, chosen)
    identity = case.origin or content_hash(encode_case(case))
    examiner = Examiner(backend, description, chosen, {identity: ()})
    result, _ = examiner.judge(case, identity, expected)
    if isinstance(expected.first, Undefined):
        return Verdict(result, f"undefined by {', '.join(sorted(expected.first.clauses))}: never sent to a backend")
    if result.finding is not None:
        finding = result.finding
        blamed = f"{finding.blamed[0]}: " if finding.blamed else ""
        cause = f"; behaves as if {finding.cause}" if finding.cause else ""
        return Verdict(result, f"{blamed}{finding.says}{cause}")
    return Verdict(result, result.why or f"{result.outcome}, {result.judged} elements judged")
