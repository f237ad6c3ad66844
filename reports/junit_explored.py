"""Exploration in JUnit XML: a suite of its own, with a test case for each specification and clause that fails there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from mmaspec.reports.explored_view import counted
from mmaspec.reports.junit_text import attribute, content, failing_lines
from mmaspec.suites.gate.model import Gate
from mmaspec.suites.judging.record import Result
from mmaspec.suites.verdict.model import Run
from mmaspec.suites.verdict.verdicts import fails

SUITE = "exploration"


def explored_cases(run: Run, results: Sequence[Result], gate: Gate | None) -> list[str]:
    """The test cases of the suite: none where nothing was explored. What a gate accepts is skipped."""
    failing: dict[str, dict[str, list[Result]]] = defaultdict(lambda: defaultdict(list))
    for result in results:
        if result.explored and fails(result, run.authority):
            blamed = result.finding.blamed if result.finding is not None else ()
            failing[result.spec][blamed[0] if blamed else "no clause"].append(result)
    cases = []
    for spec in run.exploration:
        cases += [_failed(run, spec, clause, mine, gate) for clause, mine in sorted(failing[spec].items())]
        if not failing[spec]:
            cases.append(f"{_head(spec)}/>\n")
    return cases


def _head(name: str) -> str:
    return f'    <testcase classname="mmaspec.{SUITE}" name={attribute(name)} time="0"'


def _failed(run: Run, spec: str, clause: str, failing: Sequence[Result], gate: Gate | None) -> str:
    head = _head(f"{spec}: {clause}")
    new = gate is None or any(
        one.explored and (one.spec, one.clause or "no clause") == (spec, clause) for one in gate.new
    )
    if not new:
        return f'{head}>\n      <skipped message="accepted by the gate"/>\n    </testcase>\n'
    says = failing[0].finding.says if failing[0].finding is not None else ""
    text = "\n".join((counted(run.exploration[spec]), *failing_lines(run, len(failing), failing)))
    return (
        f'{head}>\n      <failure message={attribute(says)} type="{SUITE}">{content(text)}</failure>\n    </testcase>\n'
    )
