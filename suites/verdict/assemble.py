"""Making the run model from a plan and its results: readings, findings, totals, headline, verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from mmaspec.oracle.spec import AnySpec, spec_named
from mmaspec.strategies.enumerate import TIERS
from mmaspec.suites.judging.record import NOT_RUN, Result
from mmaspec.suites.judging.reported import TEMPLATE
from mmaspec.suites.planning.plan import Plan, Planned, reported_caps
from mmaspec.suites.suited import NOT_POSSIBLE
from mmaspec.suites.verdict.consistency import consistency
from mmaspec.suites.verdict.explored import beyond, exploration_of
from mmaspec.suites.verdict.groups import Filed, findings_of, no_files
from mmaspec.suites.verdict.model import SCHEMA, ClauseResult, FindingGroup, Run, RunVerdict, SpecResult, Totals
from mmaspec.suites.verdict.sharpness import sharpness
from mmaspec.suites.verdict.verdicts import fails, judge_clauses

TRUST = {
    "in-process": "backend trusted (in-process)",
    "isolated": "backend isolated",
    "recorded": "answers recorded elsewhere",
}
"""What the headline says of the place where the backend ran."""


def assemble(
    plan: Plan,
    results: Sequence[Result],
    environment: Mapping[str, Any],
    cases: Sequence[Planned] = (),
    filed: Filed = no_files,
) -> Run:
    """The run. ``results`` has one entry per planned case, sorted by case ID; ``cases`` is the case list.

    Without the case list a finding says nothing of what its cases share. Explored cases are in both. ``filed`` gives
    the case files of failing results.
    """
    explored = [result for result in results if result.explored]
    results = [result for result in results if not result.explored]
    told, results = _told(plan, results), _within(plan, results)
    specs: dict[str, SpecResult] = {}
    readings: dict[str, list[str]] = {}
    unexplained: list[FindingGroup] = []
    for name in plan.specs:
        if name in plan.broken:
            specs[name] = SpecResult(title=name, revision="", caps=None, clauses={}, broken=plan.broken[name])
            continue
        spec = spec_named(name)
        mine = [result for result in results if result.spec == name]
        told_together = consistency(
            spec.catalogue.open_points, {pin.ambiguity: pin.reading for pin in plan.profile.pins}, mine
        )
        possible, broken = told_together.readings, told_together.broken
        readings.update(possible)
        mine = [replace(one, weak=True, accepted=()) if one.case in told_together.odd else one for one in mine]
        caps = reported_caps(plan, spec)
        judged = judge_clauses(spec, caps, plan.description, plan.authority, mine, broken)
        clauses = {clause: _by_reading(spec, clause, found, possible) for clause, found in judged.items()}
        unexplained.extend(
            FindingGroup(clause=clause, cause="", says=why, cases=sum(bool(r.accepted) for r in mine), example="")
            for clause, why in sorted(broken.items())
        )
        specs[name] = SpecResult(
            title=spec.catalogue.title,
            revision=(spec if caps is None else spec.of(caps)).catalogue.revision,
            caps=plan.reported.get(name, plan.caps.get(name)),
            clauses=clauses,
            rows=0 if caps is None else len(spec.reported(caps).rows()),
            not_covered=plan.not_covered.get(name, {}),
            not_possible=sum(result.why.startswith(NOT_POSSIBLE) for result in mine),
            sharpness=sharpness(mine),
        )
    totals = _totals(results, specs)
    failed = [result for result in results if fails(result, plan.authority)]
    ran = any(result.template != TEMPLATE for result in results)
    exploration = exploration_of(_told(plan, explored), _within(plan, explored), specs, plan.authority, cases)
    verdict = _verdict(specs, totals, failed=bool(failed or beyond(exploration)), ran=ran)
    trust = TRUST[plan.process]
    return Run(
        schema=SCHEMA,
        verdict=verdict,
        headline="".join(
            (
                _headline(verdict, specs, _asked(totals, results), failed),
                _stopped([*results, *explored]),
                no_gate(plan.tier) if verdict == "conformant" else "",
                beyond(exploration),
                f"; {trust}",
            )
        ),
        backend=msgspec.to_builtins(plan.description),
        profile=msgspec.to_builtins(plan.profile),
        authority=plan.authority,
        readings=readings,
        seed=plan.seed,
        tier=plan.tier,
        case_list=plan.case_list,
        environment=dict(environment),
        specs=specs,
        findings=[*findings_of(told, specs, plan.authority, cases, filed), *unexplained],
        totals=totals,
        process=plan.process,
        exploration=exploration,
    )


def _told(plan: Plan, results: Sequence[Result]) -> list[Result]:
    """Results as findings speak of them: what breaks only a declared profile is none where profiles do not count."""
    if plan.authority == "profile":
        return list(results)
    return [
        replace(result, outcome="legal", finding=None, example="")
        if result.finding and result.finding.profile_only
        else result
        for result in results
    ]


def _steady(results: Sequence[Result]) -> Sequence[Result]:
    """Results that rule out readings by most of their answers where cases are unstable: any may be wrong once."""
    if not any(result.finding and result.finding.symptom == "unstable" for result in results):
        return results
    return [result if result.usual is None else replace(result, accepted=result.usual) for result in results]


def _within(plan: Plan, results: Sequence[Result]) -> list[Result]:
    """Results under the chosen authority.

    What breaks practice alone is told on the authority of documents, and no failure there. It proves nothing either:
    its sets are so wide without practice that they accept too much.
    """
    told = _told(plan, _steady(results))
    if plan.authority != "document":
        return told
    return [
        replace(result, outcome="legal", finding=None, example="", weak=True, accepted=())
        if result.finding and result.finding.practice_only
        else result
        for result in told
    ]


def _by_reading(spec: AnySpec, clause: str, found: ClauseResult, possible: Mapping[str, Sequence[str]]) -> ClauseResult:
    """The clause with the readings by which it passes, where the run or the profile ruled out others."""
    points = spec.catalogue.open_points
    touching = [name for name in spec.catalogue.clause[clause].readings if name in points]
    told = {name: list(possible[name]) for name in touching if 0 < len(possible[name]) < len(points[name].readings)}
    return replace(found, readings=told) if found.status == "pass" and told else found


def _totals(results: Sequence[Result], specs: Mapping[str, SpecResult]) -> Totals:
    outcomes = Counter(result.outcome for result in results)
    statuses = Counter(clause.status for spec in specs.values() for clause in spec.clauses.values())
    return Totals(
        cases=len(results),
        legal=outcomes["legal"],
        illegal=outcomes["illegal"],
        refused=outcomes["refused"],
        died=outcomes["died"],
        not_applicable=outcomes["not applicable"],
        inconclusive=outcomes["inconclusive"],
        elements=sum(result.judged for result in results),
        clauses=dict(sorted(statuses.items())),
        unstable=sum(_is_unstable(result) for result in results),
        sampled=sum(result.sampled for result in results if result.outcome == "legal"),
        varied=sum(result.varied for result in results if result.outcome == "legal"),
    )


def _is_unstable(result: Result) -> bool:
    return result.finding is not None and result.finding.symptom == "unstable"


def _verdict(specs: Mapping[str, SpecResult], totals: Totals, *, failed: bool, ran: bool) -> RunVerdict:
    """The verdict; what a device reports rightly proves nothing of it where no case ``ran``."""
    statuses = {clause.status for spec in specs.values() for clause in spec.clauses.values()}
    if "fail" in statuses or failed:
        return "not conformant"
    unused = any(spec.broken for spec in specs.values())
    if "not judged" in statuses or totals.inconclusive or "pass" not in statuses or unused or not ran:
        return "inconclusive"
    return "conformant"


def _borrowed(clause: ClauseResult) -> bool:
    return clause.status == "not applicable" and clause.why.startswith("borrowed")


def _headline(verdict: RunVerdict, specs: Mapping[str, SpecResult], totals: Totals, failed: Sequence[Result]) -> str:
    silent = [name for name, spec in specs.items() if spec.caps is None and not spec.broken]
    if silent and not totals.cases:
        return f"{verdict}: no case: the backend reports no caps for {', '.join(silent)}{_left_out(specs)}"
    clauses = [clause for spec in specs.values() for clause in spec.clauses.values()]
    borrowed = sum(_borrowed(clause) for clause in clauses)
    judged = totals.clauses.get("pass", 0)
    applicable = judged + totals.clauses.get("fail", 0) + totals.clauses.get("not judged", 0)
    text = f"{verdict}: {judged} of {applicable} clauses pass" if verdict != "conformant" else ""
    text = text or f"conformant on {judged} of {applicable + borrowed} clauses"
    if failing := totals.clauses.get("fail", 0):
        text += f", {failing} fail"
    if unjudged := totals.clauses.get("not judged", 0):
        text += f", {unjudged} not judged"
    text = f"{text}, {borrowed} borrowed" if borrowed else text
    return text + _of_no_clause(specs, failed) + _unanswered(verdict, totals, unjudged) + _left_out(specs)


def _asked(totals: Totals, results: Sequence[Result]) -> Totals:
    """The totals without cases that were not run, of which the headline says so."""
    return replace(totals, inconclusive=totals.inconclusive - sum(result.why == NOT_RUN for result in results))


def _stopped(results: Sequence[Result]) -> str:
    """How many cases were not run, where enough had failed before them."""
    left = sum(result.why == NOT_RUN for result in results)
    return f"; stopped when enough cases had failed: {left} of {len(results)} not run" if left else ""


def _unanswered(verdict: RunVerdict, totals: Totals, unjudged: int) -> str:
    """Why a run is inconclusive where no clause says so."""
    if totals.inconclusive:
        return f"; {totals.inconclusive} case{'s' * (totals.inconclusive != 1)} without an answer that counts"
    return "; no case to judge" if verdict == "inconclusive" and not unjudged and not totals.cases else ""


def no_gate(tier: str) -> str:
    """What a reader of good news should know of a list without arrays, which leaves most programs out."""
    listed = TIERS.get(tier)
    return "" if listed is None or listed.strength else f"; the {tier} list is no gate"


def _shown_by_clause(specs: Mapping[str, SpecResult], result: Result) -> bool:
    """Whether the counts of clauses show a failing case: some clause fails for it."""
    blamed = result.finding.blamed[:1] if result.finding is not None else ()
    found = specs[result.spec].clauses if result.spec in specs else {}
    return any(name in found and found[name].status == "fail" for name in blamed)


def _of_no_clause(specs: Mapping[str, SpecResult], failed: Sequence[Result]) -> str:
    """Failing cases by which no clause fails: the counts of clauses show nothing of them."""
    mine = [result for result in failed if not _shown_by_clause(specs, result)]
    refused = sum(result.outcome == "refused" for result in mine)
    died = sum(result.outcome == "died" for result in mine)
    text = f"; {refused} valid program{'s' * (refused != 1)} refused" if refused else ""
    text += f"; died over {died} case{'s' * (died != 1)}" if died else ""
    unstable = sum(map(_is_unstable, mine))
    text += f"; {unstable} case{'s' * (unstable != 1)} unstable" if unstable else ""
    left = [result for result in mine if result.outcome not in {"refused", "died"} and not _is_unstable(result)]
    nobody = sum(result.finding is None or not result.finding.blamed for result in left)
    text += f"; {nobody} failing case{'s' * (nobody != 1)} blamed on no clause" if nobody else ""
    if others := len(left) - nobody:
        text += f"; {others} failing case{'s' * (others != 1)} blamed on clauses that are not applicable"
    return text


def _left_out(specs: Mapping[str, SpecResult]) -> str:
    """What was reported or asked for, and not judged at all."""
    text = ""
    if left := sum(len(spec.not_covered) for spec in specs.values()):
        text += f"; {left} of {sum(spec.rows for spec in specs.values())} rows not covered"
    if never := sum(spec.not_possible for spec in specs.values()):
        text += f"; {never} case{'s' * (never != 1)} {NOT_POSSIBLE}"
    if broken := [name for name, spec in specs.items() if spec.broken]:
        text += f"; could not be used: {', '.join(broken)}"
    return text
