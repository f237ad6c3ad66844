"""JUnit XML for continuous integration systems: a test case for every clause and caps row."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from mmaspec.reports.junit_explored import SUITE as EXPLORATION
from mmaspec.reports.junit_explored import explored_cases
from mmaspec.reports.junit_gate import SUITE, accepted, gate_cases
from mmaspec.reports.junit_text import attribute, content, failing_lines
from mmaspec.reports.plain import plural
from mmaspec.reports.words import BREAKS, authority_of
from mmaspec.suites.gate.model import Gate
from mmaspec.suites.judging.record import Result
from mmaspec.suites.verdict.model import Cell, ClauseResult, Run, SpecResult
from mmaspec.suites.verdict.verdicts import BESIDE, fails


def render_junit(run: Run, results: Sequence[Result], gate: Gate | None = None) -> str:
    """The run as XML text: one ``testsuite`` a specification, the same text for the same run.

    There are no time stamps, and ``time`` is always 0: nothing in it depends on who did the work. Not judged,
    not applicable and not testable are ``skipped`` with the reason. An inconclusive run has no failure here;
    the exit code of ``mmaspec check`` tells it apart. What a gate accepts is skipped, and its own reasons to fail
    are a ``testsuite`` of their own, and so is exploration. What fails without a clause is a test case for each
    caps row. A case may run what is typical of other rows: where these fail as well, its own row is skipped.
    """
    failing: dict[tuple[str, str, str], list[Result]] = defaultdict(list)
    unstable: dict[str, list[Result]] = defaultdict(list)
    for result in results:
        finding = None if result.explored else result.finding
        if finding is not None and finding.symptom == "unstable":
            if fails(result, run.authority):
                unstable[result.spec].append(result)
        elif finding is not None:
            failing[result.spec, (*finding.blamed, "")[0], result.row].append(result)
    suites = []
    total = [0, 0, 0]
    listed = {
        name: [
            _case(run, name, clause, row, found, cell, failing[name, clause, row], gate)
            for clause, found in spec.clauses.items()
            for row, cell in _cells(found)
        ]
        for name, spec in run.specs.items()
    }
    # What a gate does not accept is a test case of its own.
    told = (
        {one.spec for one in gate.new if one.symptom == "unstable" and not one.explored}
        if gate is not None
        else set[str]()
    )
    for name, cases in listed.items():
        if unstable[name] and name not in told:
            cases.append(_unstable(run, name, unstable[name], known=gate is not None))
    if gate is not None:
        listed[SUITE] = gate_cases(gate)
    else:
        for (spec, clause, row), mine in sorted(failing.items()):
            if not clause and spec in listed:
                listed[spec].append(_of_no_clause(run, spec, row, mine))
    if explored := explored_cases(run, results, gate):
        listed[EXPLORATION] = explored
    for name, cases in listed.items():
        counts = [len(cases), sum("<failure" in case for case in cases), sum("<skipped" in case for case in cases)]
        total = [a + b for a, b in zip(total, counts, strict=True)]
        inside = _properties(run, run.specs.get(name)) + "".join(cases)
        suites.append(f"  <testsuite name={attribute(name)} {_counts(counts)}>\n{inside}  </testsuite>\n")
    head = f'<testsuites name="mmaspec" {_counts(total)}>'
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{head}\n{"".join(suites)}</testsuites>\n'


def _properties(run: Run, spec: SpecResult | None) -> str:
    """The headline, and what is no test case: rows that are not covered, a specification that could not be used."""
    told = {"headline": run.headline}
    if spec is not None and spec.broken:
        told["could not be used"] = spec.broken
    if spec is not None and spec.not_covered:
        told["rows not covered"] = f"{len(spec.not_covered)} of {spec.rows}"
        told |= {f"not covered: {row}": why for row, why in spec.not_covered.items()}
    lines = [f"      <property name={attribute(name)} value={attribute(value)}/>\n" for name, value in told.items()]
    return f"    <properties>\n{''.join(lines)}    </properties>\n"


def _counts(counts: Sequence[int]) -> str:
    tests, failures, skipped = counts
    return f'tests="{tests}" failures="{failures}" errors="0" skipped="{skipped}" time="0"'


def _cells(clause: ClauseResult) -> Iterator[tuple[str, Cell | None]]:
    """The rows of a clause; a clause without rows is one test case."""
    if clause.rows:
        yield from clause.rows.items()
    else:
        yield "", None


def _case(
    run: Run,
    spec: str,
    name: str,
    row: str,
    clause: ClauseResult,
    cell: Cell | None,
    failing: Sequence[Result],
    gate: Gate | None,
) -> str:
    title = f"{name} [{row}]" if row else name
    head = f'    <testcase classname={attribute(f"mmaspec.{spec}")} name={attribute(title)} time="0"'
    status = clause.status if cell is None else cell.status
    if status == "pass":
        return f"{head}/>\n"
    why = (cell.why if cell is not None else "") or clause.why
    if status != "fail":
        message = f"{status}: {why}" if why else status
        return f"{head}>\n      <skipped message={attribute(message)}/>\n    </testcase>\n"
    if gate is not None and (reason := accepted(gate, spec, name, row)):
        return f"{head}>\n      <skipped message={attribute(reason)}/>\n    </testcase>\n"
    if cell is not None and (other := _told_in(clause, cell)):
        told = f"told in {name} [{other}]: {plural(cell.failed, 'failing case')} of this row run the same as well"
        return f"{head}>\n      <skipped message={attribute(told)}/>\n    </testcase>\n"
    says = failing[0].finding.says if failing and failing[0].finding else why
    message = f"{BREAKS[authority_of(clause.basis)]}: {says}" if says else BREAKS[authority_of(clause.basis)]
    text = "\n".join(failing_lines(run, cell.failed if cell is not None else 0, failing))
    return (
        f"{head}>\n      <failure message={attribute(message)} type={attribute(clause.basis)}>"
        f"{content(text)}</failure>\n    </testcase>\n"
    )


def _told_in(clause: ClauseResult, cell: Cell) -> str:
    """A failing row that the clause is about, where a cell fails that it is not; empty where there is none."""
    if cell.why != BESIDE:
        return ""
    return next((row for row, one in clause.rows.items() if one.status == "fail" and one.why != BESIDE), "")


def _of_no_clause(run: Run, spec: str, row: str, failing: Sequence[Result]) -> str:
    """The failing cases of a caps row that no clause is blamed for: crashes, exceptions, refusals."""
    says = failing[0].finding.says if failing[0].finding else ""
    text = "\n".join(failing_lines(run, 0, failing))
    return (
        f"    <testcase classname={attribute(f'mmaspec.{spec}')} name={attribute(f'no clause [{row}]')} "
        f'time="0">\n      <failure message={attribute(says)} type="breakdown">{content(text)}</failure>\n'
        "    </testcase>\n"
    )


def _unstable(run: Run, spec: str, failing: Sequence[Result], *, known: bool) -> str:
    """The test case of a specification of which some cases were answered both legally and illegally."""
    head = f'    <testcase classname={attribute(f"mmaspec.{spec}")} name="unstable" time="0"'
    if known:
        return f'{head}>\n      <skipped message="known from the baseline"/>\n    </testcase>\n'
    message = f"{plural(len(failing), 'case')} unstable: some answers are legal and some are not"
    text = "\n".join(failing_lines(run, len(failing), failing))
    return (
        f'{head}>\n      <failure message={attribute(message)} type="unstable">'
        f"{content(text)}</failure>\n    </testcase>\n"
    )
