"""Whether a finding is waived, known from the baseline or new, as the gate of the run has it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mmaspec.reports.plain import plural
from mmaspec.suites.gate.baseline import READINGS, where
from mmaspec.suites.gate.decide import active, waived_by
from mmaspec.suites.gate.model import Failure, Gate
from mmaspec.suites.gate.waivers import Waiver
from mmaspec.suites.judging.kind import kind_of
from mmaspec.suites.judging.record import Result
from mmaspec.suites.verdict.model import FindingGroup

WAIVED, KNOWN, NEW = "waived", "known", "new"
MOST_WAIVERS = 3
"""So many waivers of one finding are told."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How the failing cases of a finding stand before the gate; empty where the run has none."""

    badges: tuple[str, ...] = ()
    """``waived``, ``known``, ``new``: those that occur."""
    says: str = ""
    """The same in sentences, with the waivers."""

    @property
    def accepted(self) -> bool:
        """Whether the gate accepts all of it."""
        return bool(self.badges) and NEW not in self.badges


def standing(group: FindingGroup, results: Sequence[Result], gate: Gate | None, *, explored: bool = False) -> Standing:
    """How the cases of ``group`` stand; ``results`` are those of the run."""
    if gate is None:
        return Standing()
    counts: Counter[str] = Counter()
    waivers: dict[int, Waiver] = {}
    for result in _members(group, results, explored=explored):
        there = _states(result, gate)
        by = [one for one in active(gate.waivers) if one.spec == result.spec] if WAIVED in there else []
        if by := waived_by(result, by):
            waivers |= {id(one.waiver): one.waiver for one in by}
        counts.update([WAIVED] if by else sorted(there - {WAIVED})[:1])
    if not counts:  # nothing is failed by a case where no single reading explains a run
        counts.update(_state(one) for one in (*gate.new, *gate.accepted) if _of_readings(one, group))
    badges = tuple(name for name in (WAIVED, KNOWN, NEW) if counts[name])
    return Standing(badges, " ".join(_sentences(counts, badges, list(waivers.values()), group.noun)))


def _sentences(counts: Counter[str], badges: Sequence[str], waivers: Sequence[Waiver], noun: str) -> Iterator[str]:
    """A sentence for each badge; with how many cases where they differ."""
    for name in badges:
        some = f" ({plural(counts[name], noun)})" if len(badges) > 1 else ""
        if name == WAIVED:
            for one in waivers[:MOST_WAIVERS]:
                yield f"Waived{some} until {one.expires}: {one.reason} (owner {one.owner}, {one.link})."
            if (left := len(waivers) - MOST_WAIVERS) > 0:
                yield f"And by {plural(left, 'more waiver')}."
        elif name == KNOWN:
            yield f"Known from the baseline{some}."
        else:
            yield f"New{some}: neither waived nor known from the baseline."


def _members(group: FindingGroup, results: Sequence[Result], *, explored: bool) -> Iterator[Result]:
    """The failing results that a finding is of."""
    shown = next((one for one in results if one.case == group.case and one.finding is not None), None)
    for result in results:
        finding = result.finding
        if finding is None or group.spec not in ("", result.spec) or result.explored != explored:
            continue
        if group.clause:
            same = finding.blamed[:1] == (group.clause,) and group.cause in ("", finding.cause)
        else:
            alike = shown is not None and shown.finding is not None and kind_of(shown.finding) == kind_of(finding)
            same = not finding.blamed and alike
        if same:
            yield result


def _states(result: Result, gate: Gate) -> set[str]:
    """How the gate has failures in the place of a failing result; none where it fails no run."""
    assert result.finding is not None
    clause, symptom = (result.finding.blamed or ("",))[0], result.finding.symptom
    place = (result.spec, clause, where(result.row, symptom), symptom, result.explored)
    listed = (*gate.accepted, *gate.new)
    return {_state(one) for one in listed if (one.spec, one.clause, one.row, one.symptom, one.explored) == place}


def _state(failure: Failure) -> str:
    return {"waiver": WAIVED, "baseline": KNOWN}.get(failure.by, NEW)


def _of_readings(failure: Failure, group: FindingGroup) -> bool:
    return (failure.clause, failure.symptom) == (group.clause, READINGS)
