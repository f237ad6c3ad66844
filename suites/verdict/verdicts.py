"""Computing verdicts from results: per clause and caps row, per clause, per run."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from mmaspec.backends.faults import faults_of
from mmaspec.backends.protocol import Description
from mmaspec.oracle.clauses import Catalogue, Clause
from mmaspec.oracle.spec import AnySpec, Row, spec_named
from mmaspec.suites.judging.near_miss import unenforced
from mmaspec.suites.judging.record import Result
from mmaspec.suites.verdict.model import Cell, CellStatus, ClauseResult, ClauseStatus

FIRST = 5
"""How many case IDs a clause lists."""

MEANINGLESS = "has no meaning in this row"
DISAGREE = "the catalogue says that it has no meaning in this row, a failing case that it has: one of them is wrong"
ELSEWHERE = "is shown in other rows, and a case of this one fails it all the same"
BESIDE = "concerns other rows, and a failing case of this one has a program that it is about as well"
"""Why a clause fails in a row where it should not matter; of ``DISAGREE`` alone the fault may be the catalogue's."""

_REACH = {
    "document": {"document", "companion", "language", "derived"},
    "practice": {"document", "companion", "language", "derived", "practice"},
    "profile": {"document", "companion", "language", "derived", "practice", "profile"},
}

FAILURES = frozenset({"illegal", "refused", "died"})
"""Outcomes that break the specification, or what was declared."""

_NO_ANSWER = frozenset({"died", "raised", "bad reply", "refused"})
"""Symptoms of failures in which there is no answer that could prove anything."""


@dataclass(slots=True)
class _Evidence:
    """The evidence of the results about one clause in one row."""

    failed: list[Result]
    suspected: list[Result]
    proved: list[Result]
    weak: list[Result]
    missing: list[Result]
    excused: list[Result]
    """Refused, as one reading of an ambiguity allows."""
    unstable: list[Result]
    """Answered both legally and illegally."""
    elsewhere: list[Result]
    """Wrong for a reason that is not this clause."""
    silent: list[Result]
    """Broken down over, or refused: no answer."""
    beyond: list[Result]
    """Never sent: not possible on this backend."""
    planned: bool = False
    """A near miss of the clause is on the case list, or a program in which it acts."""

    @property
    def sensitive(self) -> bool:
        """Whether a case would show a mistake, whatever came of it here."""
        return bool(self.proved or self.unstable or self.elsewhere)


def judge_clauses(
    spec: AnySpec,
    caps: object,
    description: Description,
    authority: str,
    results: Sequence[Result],
    broken: Mapping[str, str],
) -> dict[str, ClauseResult]:
    """The verdict of every clause of a specification.

    ``caps`` are those that the backend reported, None where it does not support it. ``broken`` maps clauses that no
    single reading explains to the reason. A row that breaks a clause, so that no case of it runs, has a cell for that
    clause alone.
    """
    catalogue = spec.catalogue
    report = None if caps is None else spec.reported(caps)
    usable = None if report is None else report.usable
    rows = () if report is None else spec.rows(report.usable)
    spoilt = [row for row in (() if report is None else report.rows()) if row not in {row.name for row in rows}]
    evidence = _collect(spec.name, results)
    verdicts = {}
    for name, clause in sorted(catalogue.clause.items()):
        if not clause.testable:
            verdicts[name] = ClauseResult(
                status="not testable", basis=clause.basis, why=clause.why_not, rows={}, cases=()
            )
            continue
        outside = not_applicable(catalogue, name, clause, description, authority, caps)
        concerned = _concerned(catalogue, name, rows, evidence)
        cells = {
            row.name: _cell(
                catalogue,
                name,
                outside or _out_of_reach(spec, usable, evidence[name, row.name]),
                evidence[name, row.name],
                broken.get(name, ""),
                concerned=row.name in concerned,
            )
            for row in rows
        }
        for row_name in spoilt:
            if failed := evidence[name, row_name].failed:
                cells[row_name] = (
                    Cell(status="not applicable", why=outside) if outside else Cell(status="fail", failed=len(failed))
                )
        shown = [result.case for row in cells for result in _shown(evidence[name, row])]
        status, why = _clause_status(cells, outside)
        verdicts[name] = ClauseResult(
            status=status, basis=clause.basis, why=why, rows=cells, cases=tuple(sorted(shown)[:FIRST])
        )
    return verdicts


def within_reach(clause: Clause, authority: str) -> bool:
    """Whether a clause counts for verdicts on ``authority``."""
    return clause.basis in _REACH[authority]


def fails(result: Result, authority: str) -> bool:
    """Whether a result fails the run: not if it breaks only what the chosen authority leaves out."""
    finding = result.finding
    if result.outcome in FAILURES and finding is not None and finding.symptom == "unstable":
        return authority != "document" or not finding.practice_only
    by_clause = finding is not None and finding.symptom in {"value", "reported"}
    if result.outcome in FAILURES and finding is not None and by_clause and finding.blamed:
        clause = spec_named(result.spec).catalogue.clause.get(finding.blamed[0])
        return clause is None or within_reach(clause, authority)
    return result.outcome in FAILURES


def pointless(cell: Cell) -> bool:
    """Whether the clause has no meaning in the row of a cell, and nothing there fails it."""
    return cell.status == "not applicable" and cell.why == MEANINGLESS


def acting(result: Result) -> tuple[str, ...]:
    """The clauses that a case is about: the one that a near miss breaks, those that acted in any other."""
    return (result.target,) if result.target else result.clauses


def sensitive_clauses(result: Result) -> tuple[str, ...]:
    """The clauses whose counterfactuals the case would have caught."""
    clause_of = {fault.name: fault.clause for fault in faults_of(result.spec)}
    return tuple(dict.fromkeys(clause_of[name] for name in result.sensitive if name in clause_of))


def _collect(spec: str, results: Iterable[Result]) -> dict[tuple[str, str], _Evidence]:
    clause_of = {fault.name: fault.clause for fault in faults_of(spec)}
    evidence: dict[tuple[str, str], _Evidence] = defaultdict(lambda: _Evidence([], [], [], [], [], [], [], [], [], []))
    for result in results:
        for clause in acting(result):
            evidence[clause, result.row].planned = True
        if result.outcome in FAILURES and result.finding is not None and result.finding.symptom != "unstable":
            for rank, clause in enumerate(result.finding.blamed):
                found = evidence[clause, result.row]
                (found.suspected if rank else found.failed).append(result)
            none = result.finding.symptom in _NO_ANSWER
            for clause in sensitive_clauses(result) if result.examined else result.clauses:
                found = evidence[clause, result.row]
                (found.silent if none else found.elsewhere).append(result)
            continue
        for clause in dict.fromkeys(clause_of[name] for name in result.sensitive if name in clause_of):
            found = evidence[clause, result.row]
            if result.outcome == "legal":
                (found.weak if result.weak else found.proved).append(result)
            elif result.finding is not None:
                found.unstable.append(result)
            elif result.outcome == "inconclusive":
                found.missing.append(result)
            elif result.accepted:
                found.excused.append(result)
            else:
                found.beyond.append(result)
    return evidence


def _shown(evidence: _Evidence) -> list[Result]:
    return (evidence.failed or evidence.proved)[:FIRST]


def not_applicable(
    catalogue: Catalogue, name: str, clause: Clause, description: Description, authority: str, caps: object
) -> str:
    """Why a clause is not applicable in any row; empty if it is."""
    if caps is None:
        return "the backend does not support the specification"
    if name in description.borrowed:
        return "borrowed: carried out by code that is not the backend's own"
    if not within_reach(clause, authority):
        return f"its basis is {clause.basis}, which was not asked for"
    if clause.kind == "V":
        return unenforced(catalogue, name, description)
    return "" if "executes" in description.roles else "the backend does not execute"


def _out_of_reach(spec: AnySpec, caps: object, evidence: _Evidence) -> str:
    """Why no case concerns a clause under caps that are not of the specification's devices; empty if some does.

    A device with one datatype has no program that mixes two. Under those every cell has a case.
    """
    if caps in spec.devices or evidence.planned or evidence.failed:
        return ""
    return "no program reaches it under these caps"


def _concerned(
    catalogue: Catalogue, name: str, rows: Sequence[Row[object]], evidence: Mapping[tuple[str, str], _Evidence]
) -> set[str]:
    """The rows that a clause has a meaning in.

    Where the catalogue knows none among those of a device, programs of other rows may do what the clause is about: then
    those in which a case is sensitive to it. Conversions of integers, say, that a device has in fills alone.
    """
    if found := {row.name for row in rows if catalogue.applies(name, row.tags)}:
        return found
    return {row.name for row in rows if evidence[name, row.name].sensitive}


def _cell(catalogue: Catalogue, name: str, outside: str, evidence: _Evidence, broken: str, *, concerned: bool) -> Cell:
    if outside:
        return Cell(status="not applicable", why=outside)
    if not concerned:
        if not evidence.failed:
            return Cell(status="not applicable", why=MEANINGLESS)
        return Cell(status="fail", failed=len(evidence.failed), why=_all_the_same(catalogue, name, evidence.failed))
    status, why = _cell_status(evidence, broken)
    judged = sum(result.judged for result in evidence.proved)
    return Cell(status=status, judged=judged, failed=len(evidence.failed), weak=len(evidence.weak), why=why)


def _all_the_same(catalogue: Catalogue, name: str, failed: Sequence[Result]) -> str:
    """Why a clause fails in a row that it does not concern: programs may also do what is typical of other rows."""
    if catalogue.shown_in_some(name):
        return ELSEWHERE
    return BESIDE if any(name in acting(result) for result in failed) else DISAGREE


def _cell_status(evidence: _Evidence, broken: str) -> tuple[CellStatus, str]:
    if evidence.failed:
        return "fail", ""
    if broken:
        return "fail", broken
    if evidence.suspected:
        return "not judged", "a failing case may be due to this clause"
    if evidence.proved:
        return "pass", ""
    if evidence.unstable:
        return "not judged", "the sensitive cases are unstable"
    if evidence.missing:
        return "not judged", evidence.missing[0].why
    if evidence.excused:
        return "not applicable", evidence.excused[0].why
    if evidence.elsewhere or evidence.silent:
        return "not judged", _fruitless(evidence)
    if evidence.weak:
        return "not judged", "only cases whose legal sets accept too much"
    return "not judged", evidence.beyond[0].why if evidence.beyond else "no sensitive case ran"


def _fruitless(evidence: _Evidence) -> str:
    """What became of the sensitive cases of a clause that neither prove it nor are blamed on it."""
    counts = [
        (len(evidence.elsewhere), f"failed for another reason{_blamed(evidence.elsewhere)}"),
        (len(evidence.silent), "had no answer"),
        (len(evidence.weak), "accepted too much"),
    ]
    # Where the backend died it is not known whether the case is sensitive; the clause acts in it.
    kind = "sensitive case" if all(result.examined for result in evidence.silent) else "case"
    told = [(count, what) for count, what in counts if count]
    total = sum(count for count, _ in told)
    if len(told) == 1:
        return f"its {f'{total} {kind}s' if total > 1 else f'only {kind}'} {told[0][1]}"
    return f"of its {total} {kind}s {', '.join(f'{count} {what}' for count, what in told)}"


def _blamed(results: Iterable[Result]) -> str:
    """The clauses that are blamed instead, the two most frequent ones."""
    counted = Counter(result.finding.blamed[0] for result in results if result.finding and result.finding.blamed)
    named = [name for name, _ in sorted(counted.items(), key=lambda one: (-one[1], one[0]))]
    return f" ({', '.join([*named[:2], *(['...'] if len(named) > 2 else [])])})" if named else ""


def _clause_status(cells: Mapping[str, Cell], outside: str) -> tuple[ClauseStatus, str]:
    statuses = [cell.status for cell in cells.values()]
    if "fail" in statuses:
        reasons = [cell.why for cell in cells.values() if cell.status == "fail"]
        told = next((why for why in reasons if why and why != BESIDE), "") or ("" if "" in reasons else reasons[0])
        return "fail", told or f"fails in {len(reasons)} of {len(cells)} rows"
    if "not judged" in statuses:
        row, cell = next((row, cell) for row, cell in cells.items() if cell.status == "not judged")
        return "not judged", f"{row}: {cell.why}"
    if "pass" in statuses:
        return "pass", ""
    return "not applicable", outside or "has no meaning in the rows of these caps"
