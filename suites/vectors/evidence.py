"""Choosing among several suspects with the evidence of a whole run of recorded answers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from mmaspec.backends.faults import faults_of
from mmaspec.suites.judging.record import Result
from mmaspec.suites.vectors.recorded_run import EXPLAINED, NOT_RERUN


def weighed(results: Sequence[Result]) -> list[Result]:
    """The results; where a finding has several suspects, the one with the most evidence against it comes first.

    A clause is the likelier to be broken the more other findings a counterfactual of it explains; then, the more
    failing cases it acted in, and the fewer cases that would have caught it broken were answered legally (Ochiai's
    coefficient). The order of equals stays.
    """
    named = Counter(
        (result.spec, result.finding.blamed[0])
        for result in results
        if result.finding is not None and result.finding.how in EXPLAINED
    )
    failed = [result for result in results if _open(result)]
    acted: Counter[tuple[str, str]] = Counter((result.spec, name) for result in failed for name in result.clauses)
    cleared: Counter[tuple[str, str]] = Counter()
    clause_of = {fault.name: fault.clause for spec in {r.spec for r in results} for fault in faults_of(spec)}
    for result in results:
        if result.outcome == "legal" and not result.target:
            cleared.update((result.spec, name) for name in {clause_of[fault] for fault in result.sensitive})

    def weight(spec: str, clause: str) -> tuple[int, float]:
        ran = acted[spec, clause]
        coefficient = ran / math.sqrt(len(failed) * (ran + cleared[spec, clause])) if ran else 0.0
        return named[spec, clause], coefficient

    return [_ordered(result, weight) for result in results]


def _open(result: Result) -> bool:
    return result.finding is not None and result.finding.how == NOT_RERUN


def _ordered(result: Result, weight: Callable[[str, str], tuple[int, float]]) -> Result:
    if result.finding is None or not _open(result):
        return result
    blamed = sorted(result.finding.blamed, key=lambda clause: weight(result.spec, clause), reverse=True)
    return replace(result, finding=replace(result.finding, blamed=tuple(blamed)))
