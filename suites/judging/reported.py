"""Judging what a device reports of itself: a result for each clause of caps and row, as of a case.

Nothing is run. A clause passes in a row where some counterfactual, which makes something else of the same answers,
would have failed there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import Any

from mmaspec.backends.faults import faults_of
from mmaspec.oracle.caps_report import Breach, CapsReport
from mmaspec.oracle.case import content_hash
from mmaspec.oracle.spec import AnySpec
from mmaspec.suites.judging.plain import not_borrowed
from mmaspec.suites.judging.record import Finding, Result

TEMPLATE = "caps"
"""Stands where the results of cases have their template."""


def caps_results(spec: AnySpec, caps: object, borrowed: Collection[str] = ()) -> list[Result]:
    """The results for caps as a device reported them, sorted by their IDs. They depend on nothing else.

    Of ``borrowed`` clauses there is none: what reports for a backend that only computes leaves out rows that it lacks.
    """
    report = spec.reported(caps)
    results = [
        _result(spec.name, row, breach.clause, finding=_finding(row, breach)) for row, breach in report.breaches()
    ]
    results += [
        _result(spec.name, row, clause, sensitive=tuple(sorted(names)))
        for (clause, row), names in sensitive_rows(spec, caps, report).items()
    ]
    own = (result for result in results if not borrowed or not_borrowed(result.clauses, borrowed))
    return sorted(own, key=lambda result: result.case)


def sensitive_rows(
    spec: AnySpec, caps: object, report: CapsReport[Any] | None = None
) -> dict[tuple[str, str], set[str]]:
    """(clause, row) -> the counterfactuals that would fail there with these caps, without what fails anyway."""
    report = spec.reported(caps) if report is None else report
    broken = {(breach.clause, row) for row, breach in report.breaches()}
    tags = {row.name: row.tags for row in spec.rows(report.usable)}
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for fault in faults_of(spec.name):
        if fault.misreports is None:
            continue
        changed = spec.reported(fault.misreports(caps))
        for rows in _broken(report, changed, fault.clause):
            for row in rows:
                here = row in tags and spec.catalogue.applies(fault.clause, tags[row])
                if here and (fault.clause, row) not in broken:
                    found[fault.clause, row].add(fault.name)
    return dict(found)


def _broken(report: CapsReport[Any], changed: CapsReport[Any], clause: str) -> Iterator[tuple[str, ...]]:
    """The rows of ``report`` in whose answers the changed report breaks a clause.

    An answer is known by its rows, or by its position where the change gave it others.
    """
    known = set(report.rows())
    for index, after in enumerate(changed.answers):
        if any(breach.clause == clause for breach in after.breaches):
            if known.issuperset(after.rows):
                yield after.rows
            elif index < len(report.answers):
                yield report.answers[index].rows


def _finding(row: str, breach: Breach) -> Finding:
    return Finding(
        symptom="reported",
        blamed=(breach.clause,),
        how="reported",
        says=f"row {row} {breach.says}" if breach.spoils else f"the device {breach.says} (row {row})",
        reported=breach.reported,
        demanded=breach.demanded,
    )


def _result(
    spec: str, row: str, clause: str, *, finding: Finding | None = None, sensitive: tuple[str, ...] = ()
) -> Result:
    return Result(
        case=content_hash("\0".join((TEMPLATE, spec, row, clause)).encode()),
        spec=spec,
        row=row,
        template=TEMPLATE,
        outcome="legal" if finding is None else "illegal",
        clauses=(clause,),
        sensitive=sensitive,
        finding=finding,
    )
