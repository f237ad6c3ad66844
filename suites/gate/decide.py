"""The gate: whether a judged run has only failures that were accepted before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from mmaspec.suites.gate.baseline import READINGS, Baseline, where
from mmaspec.suites.gate.model import SCHEMA, WRONG, Failure, Gate, GateVerdict, Place, WaiverState
from mmaspec.suites.judging.record import Result
from mmaspec.suites.verdict.assemble import no_gate
from mmaspec.suites.verdict.model import Cell, Run
from mmaspec.suites.verdict.verdicts import acting, fails, pointless, sensitive_clauses


@dataclass(slots=True)
class _Sorted:
    """Failing results: accepted by waivers, accepted by the baseline, new."""

    new: list[Result] = field(default_factory=list)
    waived: list[Result] = field(default_factory=list)
    known: list[Result] = field(default_factory=list)


def decide(
    run: Run, results: Sequence[Result], waivers: Sequence[WaiverState] = (), baseline: Baseline | None = None
) -> Gate:
    """Compare a judged run with the accepted failures. ``results`` are those of the run.

    A waived clause is accepted whether or not this case list meets its failure; that the failure is still there is
    for the pinned case to show. So the answer does not depend on what a seed happens to draw.

    A failure of explored cases is accepted where the same one of listed cases would be; it masks nothing.
    """
    found = _accepted(run, results, waivers, baseline)
    broken = list(_unexplained(run))
    known = [
        one for one in broken if baseline is not None and baseline.accepts(one.spec, one.clause, one.row, READINGS)
    ]
    new = [*_failures(found.new, ""), *(one for one in broken if one not in known)]
    accepted = [*_failures(found.waived, "waiver"), *_failures(found.known, "baseline"), *known]
    lost = _lost(run, baseline)
    masked, unproved = _unjudged(run, [*found.waived, *found.known], waivers, baseline)
    unproved = [place for place in unproved if place not in lost]  # which says more of it
    wrong = [state for state in waivers if state.state in WRONG]
    verdict = _verdict(run, failed=bool(new or lost or wrong), unproved=unproved, waivers=waivers)
    return Gate(
        schema=SCHEMA,
        verdict=verdict,
        headline="".join(
            (
                _headline(verdict, wrong, new, accepted, lost, unproved, masked),
                no_gate(run.tier) if verdict == "passes" else "",
                _of_another_list(run, baseline),
            )
        ),
        waivers=list(waivers),
        new=new,
        accepted=accepted,
        lost=lost,
        unproved=unproved,
        masked=masked,
        fixed=_fixed(run, results, baseline),
    )


def active(waivers: Sequence[WaiverState]) -> list[WaiverState]:
    """Waivers that accept something: stale ones too, so that what is new is not hidden among what was known."""
    return [state for state in waivers if state.state not in {"not for this run", "expired", "unmatched"}]


def _accepted(
    run: Run, results: Sequence[Result], waivers: Sequence[WaiverState], baseline: Baseline | None
) -> _Sorted:
    states = active(waivers)
    found = _Sorted()
    for result in results:
        if not fails(result, run.authority):
            continue
        here = [one for one in states if one.spec == result.spec]
        clause, symptom = _first(result)
        if waived_by(result, here):
            found.waived.append(result)
        elif baseline is not None and baseline.accepts(result.spec, clause, result.row, symptom):
            found.known.append(result)
        else:
            found.new.append(result)
    return found


def waived_by(result: Result, states: Sequence[WaiverState]) -> list[WaiverState]:
    """The waivers of a result's specification that explain it: some by themselves, or else several together.

    If two failures meet in a case, removing one circumstance does not make it legal, so other clauses get the blame.
    """
    finding = result.finding
    if finding is None or finding.symptom == "unstable":  # it is nobody's clause
        return []
    here = [one for one in states if one.waiver.concerns(result.row)]
    if found := [one for one in here if one.waiver.explains(finding, acting(result))]:
        return found
    acted = [
        one for one in here if one.waiver.symptom in (None, finding.symptom) and one.waiver.clause in result.clauses
    ]
    unsure = finding.how not in {"toggle", "symptom"} and not finding.cause
    return acted if unsure and len({one.waiver.clause for one in acted}) > 1 else []


def _first(result: Result) -> tuple[str, str]:
    """The clause that is named first, and how the failure shows."""
    finding = result.finding
    if finding is None:
        return "", result.outcome
    return (finding.blamed[0] if finding.blamed else ""), finding.symptom


def _failures(results: Sequence[Result], by: str) -> list[Failure]:
    """Failing results by place and symptom, sorted."""
    groups: dict[tuple[str, str, str, str, bool], list[Result]] = {}
    for result in results:
        clause, symptom = _first(result)
        key = (result.spec, clause, where(result.row, symptom), symptom, result.explored)
        groups.setdefault(key, []).append(result)
    return [
        Failure(
            spec=key[0], clause=key[1], row=key[2], symptom=key[3], cases=len(members), by=by,
            says=members[0].finding.says if members[0].finding else "", explored=key[4],
        )
        for key, members in sorted(groups.items())
    ]  # fmt: skip


def _cells(run: Run) -> Iterator[tuple[Place, Cell]]:
    for spec, judged in run.specs.items():
        for clause, found in judged.clauses.items():
            for row, cell in found.rows.items():
                yield Place(spec, clause, row), cell


def _unexplained(run: Run) -> Iterator[Failure]:
    """Cells that fail without a failing case: no single reading explains the run."""
    for place, cell in _cells(run):
        if cell.status == "fail" and not cell.failed:
            yield Failure(spec=place.spec, clause=place.clause, row=place.row, symptom=READINGS, cases=0, says=cell.why)


def _unjudged(
    run: Run, accepted: Sequence[Result], waivers: Sequence[WaiverState], baseline: Baseline | None
) -> tuple[list[Place], list[Place]]:
    """Places not judged because of accepted failures, and those not judged for another reason."""
    behind = set()
    for result in accepted:
        if result.explored:
            continue
        blamed = result.finding.blamed if result.finding is not None else ()
        # Where the backend died it is not known what the case would have proved: anything that acts in it.
        lost = sensitive_clauses(result) if result.examined else acting(result)
        for clause in {*blamed, *lost}:
            behind.add(Place(result.spec, clause, result.row))
    masked, unproved = [], []
    for place, cell in _cells(run):
        if cell.status != "not judged":
            continue
        here = any(
            one.spec == place.spec and one.waiver.clause == place.clause and one.waiver.concerns(place.row)
            for one in active(waivers)
        )
        if here or place in behind:
            masked.append(place)
        elif baseline is None or not baseline.unjudged(place.spec, place.clause, place.row):
            unproved.append(place)
    return sorted(masked), sorted(unproved)


def _lost(run: Run, baseline: Baseline | None) -> list[Place]:
    """Places that the baseline judged, and that this run does not; without a failure some have no meaning."""
    if baseline is None:
        return []
    now = {place for place, cell in _cells(run) if cell.status in {"pass", "fail"} or pointless(cell)}
    return sorted(Place(*place) for place in baseline.judged_places() if Place(*place) not in now)


def _fixed(run: Run, results: Sequence[Result], baseline: Baseline | None) -> list[Failure]:
    """The failures that the baseline accepts and this run no longer has, where the place, if it is one, passes.

    None where the baseline is of another case list: nothing says that the cases that failed were run. Nor where cases
    in which the clause acts fail in a way that is new: with another mistake the old one may have another name.
    """
    if baseline is None or baseline.case_list != run.case_list:
        return []
    failing = [(result, *_first(result)) for result in results if fails(result, run.authority)]
    seen = {(result.spec, clause, symptom, where(result.row, symptom)) for result, clause, symptom in failing}
    passing = {place for place, cell in _cells(run) if cell.status == "pass" or pointless(cell)}
    known = {(spec, clause, symptom, row) for spec, clause, row, symptom in baseline.failures()}
    renamed = {
        Place(result.spec, acted, result.row)
        for result, clause, symptom in failing
        if (result.spec, clause, symptom, where(result.row, symptom)) not in known
        for acted in result.clauses
    }
    return [
        Failure(spec=spec, clause=clause, row=row, symptom=symptom, cases=0)
        for spec, clause, row, symptom in baseline.failures()
        if (spec, clause, symptom, row) not in seen and (not clause or Place(spec, clause, row) in passing - renamed)
    ]


def _verdict(run: Run, *, failed: bool, unproved: Sequence[Place], waivers: Sequence[WaiverState]) -> GateVerdict:
    if failed:
        return "fails"
    statuses = {cell.status for _, cell in _cells(run)}
    undecided = any(state.state == "inconclusive" for state in waivers)
    if unproved or undecided or run.totals.inconclusive or not statuses & {"pass", "fail"}:
        return "inconclusive"
    return "passes"


def _of_another_list(run: Run, baseline: Baseline | None) -> str:
    """What the gate cannot say, where the baseline is of another case list."""
    if baseline is None or baseline.case_list == run.case_list:
        return ""
    other = f"tier {baseline.tier}, seed {baseline.seed}"
    return f"; the baseline is of another case list ({other}), so nothing is reported as fixed"


def _headline(
    verdict: GateVerdict,
    wrong: Sequence[WaiverState],
    new: Sequence[Failure],
    accepted: Sequence[Failure],
    lost: Sequence[Place],
    unproved: Sequence[Place],
    masked: Sequence[Place],
) -> str:
    states = Counter(state.state for state in wrong)
    accepting: Mapping[str, int] = Counter(failure.by for failure in accepted)
    parts = [
        (len(new), "new failure", "new failures"),
        (len(lost), "no longer judged", "no longer judged"),
        *((count, f"waiver: {state}", f"waivers: {state}") for state, count in sorted(states.items())),
        (accepting["waiver"], "failure waived", "failures waived"),
        (accepting["baseline"], "failure known from the baseline", "failures known from the baseline"),
        (len(unproved), "not judged", "not judged"),
    ]
    told = ", ".join(f"{count} {one if count == 1 else many}" for count, one, many in parts if count)
    hidden = len({(place.spec, place.clause) for place in masked})
    clauses = f"clause{'s' * (hidden > 1)}"
    behind = f"; {hidden} {clauses} not judged in full behind accepted failures: other mistakes there are not seen"
    ends = verdict if verdict != "inconclusive" else "is inconclusive"
    return f"the gate {ends}{f': {told}' if told else ''}{behind if hidden else ''}"
