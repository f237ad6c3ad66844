"""Changes of JUnit XML by a gate: accepted failures are skipped, and the reasons of the gate are test cases."""

from __future__ import annotations

from mmaspec.reports.junit_text import attribute
from mmaspec.suites.gate.model import WRONG, Gate

SUITE = "gate"


def accepted(gate: Gate, spec: str, clause: str, row: str) -> str:
    """Why the failures of a clause in a row are no failures of the gate; empty if some are."""
    if any((one.spec, one.clause, one.row) == (spec, clause, row) for one in gate.new if not one.explored):
        return ""
    waivers = [
        state.waiver
        for state in gate.waivers
        if (state.spec, state.waiver.clause) == (spec, clause) and state.waiver.concerns(row)
    ]
    if waivers:
        first = waivers[0]
        return f"waived until {first.expires}: {first.reason} ({first.owner}, {first.link})"
    return "known from the baseline"


def gate_cases(gate: Gate) -> list[str]:
    """A test case for each waiver, for each clause and row that is no longer judged, and for what has no clause."""
    cases = [
        _case(
            f"waiver of {one.waiver.clause} ({one.waiver.case or 'what is reported'})",
            failure=f"{one.state}: {one.says}" if one.state in WRONG else "",
            skipped=f"{one.state}: {one.says}" if one.state in {"inconclusive", "not for this run"} else "",
        )
        for one in gate.waivers
    ]
    cases += [
        _case(f"{one.spec}: {one.clause} [{one.row}]", failure="judged in the baseline, and no longer")
        for one in gate.lost
    ]
    cases += [
        _case(f"{one.spec}: no clause [{one.row}]", failure=f"new failure: {one.says}")
        for one in gate.new
        if not one.clause and not one.explored
    ]
    return cases


def _case(name: str, *, failure: str = "", skipped: str = "") -> str:
    head = f'    <testcase classname="mmaspec.gate" name={attribute(name)} time="0"'
    if failure:
        return f'{head}>\n      <failure message={attribute(failure)} type="gate"/>\n    </testcase>\n'
    if skipped:
        return f"{head}>\n      <skipped message={attribute(skipped)}/>\n    </testcase>\n"
    return f"{head}/>\n"
