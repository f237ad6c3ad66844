"""The reasons for the decision of a gate, as all reports show them."""

from __future__ import annotations

from dataclasses import dataclass

from mmaspec.reports.code_spans import without_reasons
from mmaspec.suites.gate.baseline import EVERY
from mmaspec.suites.gate.model import WRONG, Failure, Gate


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason why the gate fails a run. ``row`` is empty where the reason is a whole waiver."""

    what: str
    clause: str
    row: str
    says: str


def reasons(gate: Gate) -> list[Reason]:
    """Everything that keeps the gate from passing, worst first."""
    told = [
        Reason(f"waiver: {one.state}", one.waiver.clause, "", one.says)
        for one in gate.waivers
        if one.state in WRONG or one.state == "inconclusive"
    ]
    told += [
        Reason(called(one), one.clause, "" if one.row == EVERY else one.row, without_reasons(one.says))
        for one in gate.new
    ]
    told += [Reason("no longer judged", one.clause, one.row, "") for one in gate.lost]
    told += [Reason("not judged", one.clause, one.row, "") for one in gate.unproved]
    return told


def called(failure: Failure) -> str:
    """What a failure that nobody accepts is called."""
    return "new failure in exploration" if failure.explored else "new failure"
