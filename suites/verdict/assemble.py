"""Making the run model from a plan and its results: readings, findings, totals, headline, verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from mmaspec.oracle.readings import still_possible
from mmaspec.oracle.spec import AnySpec, spec_named
from mmaspec.suites.judging.record import Result
from mmaspec.suites.judging.reported import TEMPLATE
from mmaspec.suites.planning.plan import Plan, reported_caps
from mmaspec.suites.verdict.model import SCHEMA, ClauseResult, FindingGroup, Run, RunVerdict, SpecResult, Totals
from mmaspec.suites.verdict.sharpness import sharpness
from mmaspec.suites.verdict.verdicts import fails, judge_clauses

TRUST = {
    "in-process": "backend trusted (in-process)",
    "isolated": "backend isolated",
    "recorded": "answers recorded elsewhere",
}
"""What the headline says of the place where the backend ran."""


def assemble(plan: Plan, results: Sequence[Result], environment: Mapping[str, Any]) -> Run:
    """The run. ``results`` has one entry per planned case, sorted by case ID."""
    results = _within(plan, results)
    specs: dict[str, SpecResult] = {}
    readings: dict[str, list[str]] = {}
    unexplained: list[FindingGroup] = []
    for name in plan.specs:
        if name in plan.broken:
            specs[name] = SpecResult(title=name, revision="", caps=None, clauses={}, broken=plan.broken[name])
            continue
        spec = spec_named(name)
        mine = [result for result in results if result.spec == name]
        possible = _readings(spec, plan, mine)
        readings.update(possible)
        broken = _unexplained(spec, possible, mine)
        caps = reported_caps(plan, spec)
        judged = judge_clauses(spec, caps, plan.description, plan.authority, mine, broken)
        clauses = {clause: _by_reading(spec, clause, found, possible) for clause, found in judged.items()}
        unexplained.extend(
            FindingGroup(clause=clause, cause="", says=why, cases=sum(bool(r.accepted) for r in mine), example="")
            for clause, why in sorted(broken.items())
        )
        specs[name] = SpecResult(
            title=spec.catalogue.title,
            revision=spec.catalogue.revision,
            caps=plan.reported.get(name, plan.caps.get(name)),
            clauses=clauses,
            rows=0 if caps is None else len(spec.reported(caps).rows()),
            not_covered=plan.not_covered.get(name, {}),
            sharpness=sharpness(mine),
        )
    totals = _totals(results, specs)
    failed = [result for result in results if fails(result, plan.authority)]
    ran = any(result.template != TEMPLATE for result in results)
    verdict = _verdict(specs, totals, failed=bool(failed), ran=ran)
    return Run(
        schema=SCHEMA,
        verdict=verdict,
        headline=f"{_headline(verdict, specs, totals, failed)}; {TRUST[plan.process]}",
        backend=msgspec.to_builtins(plan.description),
        profile=msgspec.to_builtins(plan.profile),
        authority=plan.authority,
        readings=readings,
        seed=plan.seed,
        tier=plan.tier,
        case_list=plan.case_list,
        environment=dict(environment),
        specs=specs,
        findings=[*_findings(results, specs, plan.authority), *unexplained],
        totals=totals,
        process=plan.process,
    )


def _within(plan: Plan, results: Sequence[Result]) -> list[Result]:
    """Results under the chosen authority: without declared profiles, what breaks only these does not count."""
    if plan.authority == "profile":
        return list(results)
    return [
        replace(result, outcome="legal", finding=None, example="")
        if result.finding and result.finding.profile_only
        else result
        for result in results
    ]


def _readings(spec: AnySpec, plan: Plan, results: Sequence[Result]) -> dict[str, list[str]]:
    """Per ambiguity, the readings that agree with every case of the run."""
    pinned = {pin.ambiguity: [pin.reading] for pin in plan.profile.pins}
    options = {
        name: pinned.get(name, sorted(entry.readings)) for name, entry in sorted(spec.catalogue.open_points.items())
    }
    accepted = [result.accepted for result in results if result.accepted]
    involved = sorted({name for case in accepted for assignment in case for name, _ in assignment})
    possible = still_possible({name: options[name] for name in involved}, accepted)
    left = {name: sorted({dict(assignment)[name] for assignment in possible}) for name in involved}
    return {name: left.get(name, options[name]) for name in options}


def _by_reading(spec: AnySpec, clause: str, found: ClauseResult, possible: Mapping[str, Sequence[str]]) -> ClauseResult:
    """The clause with the readings by which it passes, where the run or the profile ruled out others."""
    points = spec.catalogue.open_points
    touching = [name for name in spec.catalogue.clause[clause].readings if name in points]
    told = {name: list(possible[name]) for name in touching if 0 < len(possible[name]) < len(points[name].readings)}
    return replace(found, readings=told) if found.status == "pass" and told else found


def _unexplained(spec: AnySpec, possible: Mapping[str, Sequence[str]], results: Sequence[Result]) -> dict[str, str]:
    """Clauses that fail because no single reading explains the run, and why."""
    broken = {}
    for name, left in possible.items():
        clause = spec.catalogue.ambiguity[name].clause
        if not left and clause:
            cases = sum(bool(result.accepted) for result in results)
            broken[clause] = f"no single reading of {name} explains all {cases} cases that depend on it"
    return broken


def _findings(results: Sequence[Result], specs: Mapping[str, SpecResult], authority: str) -> list[FindingGroup]:
    """Failing cases grouped by first blamed clause and cause, largest first; those that fail no run say so."""
    groups: dict[tuple[str, str], list[Result]] = {}
    for result in results:
        if result.finding is not None:
            clause = result.finding.blamed[0] if result.finding.blamed else ""
            groups.setdefault((clause, result.finding.cause), []).append(result)
    listed = []
    for (clause, cause), members in groups.items():
        shown = next((member for member in members if member.example), members[0])
        assert shown.finding is not None
        says = shown.finding.says
        found = specs[shown.spec].clauses.get(clause) if shown.spec in specs else None
        if found is not None and not any(fails(member, authority) for member in members):
            says += f"; it does not count: {found.why}"
        listed.append(FindingGroup(clause=clause, cause=cause, says=says, cases=len(members), example=shown.example))
    return sorted(listed, key=lambda group: (-group.cases, group.clause, group.cause))


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
    )


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
    return text + _of_no_clause(failed) + _left_out(specs)


def _of_no_clause(failed: Sequence[Result]) -> str:
    """Failing cases that no clause is blamed for: the counts of clauses show nothing of them."""
    mine = [result for result in failed if result.finding is None or not result.finding.blamed]
    refused = sum(result.outcome == "refused" for result in mine)
    text = f"; {refused} valid program{'s' * (refused != 1)} refused" if refused else ""
    if others := len(mine) - refused:
        text += f"; {others} failing case{'s' * (others != 1)} blamed on no clause"
    return text


def _left_out(specs: Mapping[str, SpecResult]) -> str:
    """What was reported or asked for, and not judged at all."""
    text = ""
    if left := sum(len(spec.not_covered) for spec in specs.values()):
        text += f"; {left} of {sum(spec.rows for spec in specs.values())} rows not covered"
    if broken := [name for name, spec in specs.items() if spec.broken]:
        text += f"; could not be used: {', '.join(broken)}"
    return text
