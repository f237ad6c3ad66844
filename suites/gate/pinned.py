"""Replaying the pinned case of each waiver: it alone decides whether the waiver is still needed."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from mmaspec.backends.protocol import Runner
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Undefined
from mmaspec.oracle.judge import ByReading, expect_by_reading
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.errors import BadInput
from mmaspec.suites.gate.model import State, WaiverState
from mmaspec.suites.gate.waivers import Pinned
from mmaspec.suites.judging.confirm import confirmed
from mmaspec.suites.judging.explain import Explaining, LiveExplainer
from mmaspec.suites.judging.judge_case import CaseJudge
from mmaspec.suites.judging.parts import TOGETHER
from mmaspec.suites.judging.recall import recalled
from mmaspec.suites.judging.record import Result
from mmaspec.suites.judging.reported import caps_results
from mmaspec.suites.judging.single import steadily
from mmaspec.suites.judging.telling.found import Found, found_in
from mmaspec.suites.planning.plan import Plan, reported_caps
from mmaspec.suites.vectors.recorded_run import RecordedExplainer
from mmaspec.suites.verdict.verdicts import FAILURES, acting, not_applicable, within_reach


def replay_pinned(backend: Runner, plan: Plan, pinned: Iterable[Pinned], today: date) -> list[WaiverState]:
    """The state of each waiver, in order. Raises ``BadInput`` for a pinned case that cannot be used."""
    states = []
    for one in pinned:
        state, says = _state(backend, plan, one, today)
        states.append(WaiverState(waiver=one.waiver, spec=one.spec, state=state, says=says))
    return states


def _state(backend: Runner, plan: Plan, pinned: Pinned, today: date) -> tuple[State, str]:
    if reason := _elsewhere(plan, pinned):
        return "not for this run", reason
    if today > pinned.waiver.expires:
        return "expired", f"it held until {pinned.waiver.expires}"
    if reason := _unmatched(plan, pinned):
        return "unmatched", reason
    if pinned.case is None:
        return _of_report(plan, pinned)
    try:
        by_reading = expect_by_reading(pinned.case, plan.profile)
    except BadInput as error:
        raise BadInput(f"{pinned.waiver.case}: {error}") from error
    if isinstance(by_reading.first, Undefined):
        return "unmatched", "its case is undefined by the specification"
    found = found_in(pinned.case, pinned.waiver.case)
    result, died = _asked(backend, plan, pinned.case, by_reading, found)
    if found is not None:
        result, _ = confirmed(result, found, plan.description, plan.profile)
    return _told(pinned, result, died)


def _elsewhere(plan: Plan, pinned: Pinned) -> str:
    """Why a waiver does not apply to this run; empty if it does."""
    waiver = pinned.waiver
    if pinned.spec not in plan.specs:
        return f"{pinned.spec} is not part of it"
    if not waiver.is_for(plan.description):
        return f"it is for backend {waiver.backend}, version {waiver.version}"
    clause = spec_named(pinned.spec).catalogue.clause[waiver.clause]
    return "" if within_reach(clause, plan.authority) else f"its basis is {clause.basis}, which was not asked for"


def _unmatched(plan: Plan, pinned: Pinned) -> str:
    """Why a waiver cannot apply to this backend; empty if it can."""
    spec = spec_named(pinned.spec)
    caps = reported_caps(plan, spec)
    name = pinned.waiver.clause
    clause = spec.catalogue.clause[name]
    if outside := not_applicable(spec.catalogue, name, clause, plan.description, plan.authority, caps):
        return outside
    report = spec.reported(caps)
    if pinned.case is None:
        return "" if any(map(pinned.waiver.concerns, report.rows())) else "the backend reports no such caps row"
    rows = {row.name: row for row in spec.rows(report.usable)}
    if pinned.case.row not in rows:
        return f"the backend reports no caps row {pinned.case.row}, which its case is about"
    met = [row for row in rows.values() if pinned.waiver.concerns(row.name) and spec.catalogue.applies(name, row.tags)]
    return "" if met else "it has no meaning in any of its caps rows"


def _of_report(plan: Plan, pinned: Pinned) -> tuple[State, str]:
    """The state of a waiver of what the backend reports: it was asked when the plan was made."""
    spec = spec_named(pinned.spec)
    for result in caps_results(spec, reported_caps(plan, spec), plan.description.borrowed):
        if result.finding is not None and pinned.waiver.concerns(result.row) and pinned.waiver.explains(result.finding):
            return "holds", result.finding.says
    return "remove me", "the backend reports nothing wrong there now"


def _asked(backend: Runner, plan: Plan, case: Case, by_reading: ByReading, found: Found | None) -> tuple[Result, bool]:
    """The result of a pinned case, and whether the backend died in it; dying twice is a failure.

    A failure is blamed on what the run blamed that found it, if the case says so.
    """
    identity = case.identity
    explaining: Explaining = LiveExplainer if plan.recorded is None else RecordedExplainer
    if found is not None:
        explaining = recalled(found, reruns=plan.recorded is None)
    # What was recorded was recorded in one batch.
    together = TOGETHER if plan.recorded is None else case.batch
    case_judge = CaseJudge(
        backend, plan.description, plan.profile, {identity: ()}, limit=0, explaining=explaining, together=together
    )
    return steadily(case_judge, case, identity, by_reading)


def _told(pinned: Pinned, result: Result, died: bool) -> tuple[State, str]:
    """The state of a waiver after this result of its pinned case."""
    if result.outcome in FAILURES and result.finding is not None:
        blamed = result.finding.blamed[0] if result.finding.blamed else "no clause"
        if pinned.waiver.explains(result.finding, acting(result)):
            return "holds", result.finding.says
        return "new failure", f"its case fails otherwise ({result.finding.symptom}, {blamed}): {result.finding.says}"
    if died:
        return "inconclusive", "the backend died over its case once and not again"
    if result.outcome == "inconclusive":
        return "inconclusive", f"nothing is known of its case: {result.why}"
    if result.outcome == "legal":
        return "remove me", "its case passes now"
    return "unmatched", f"its case is {result.outcome}: {result.why}"
