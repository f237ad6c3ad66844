"""Which readings explain a whole run: one choice for all its cases, and what does not agree with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from mmaspec.oracle.ambiguity import Ambiguity
from mmaspec.oracle.readings import Assignment, explained
from mmaspec.suites.judging.record import Result


@dataclass
class Consistency:
    """What the cases of one specification say together."""

    readings: dict[str, list[str]]
    """Ambiguity -> the readings that agree with every case; none where no single one does."""
    broken: dict[str, str] = field(default_factory=dict)
    """Clauses that fail because no single reading explains the run, and why."""
    odd: set[str] = field(default_factory=set)
    """Cases that no reading explains which explains the others, where a clause acts for which other cases fail: what is
    wrong there may be it, and fit a reading by chance. They prove nothing."""


def consistency(points: Mapping[str, Ambiguity], pinned: Mapping[str, str], results: Sequence[Result]) -> Consistency:
    """What the judged cases of a specification say of its open ambiguities."""
    options = {
        name: [pinned[name]] if name in pinned else sorted(entry.readings) for name, entry in sorted(points.items())
    }
    found = Consistency(dict(options))
    failing = {one.finding.blamed[0] for one in results if one.finding is not None and one.finding.blamed}
    for names, cases in _linked([result for result in results if result.accepted]):
        best = _best({name: options[name] for name in names}, cases)
        agreeing = [whole for whole in best if all(failing & {*one.clauses} for one in _against(whole, cases))]
        if agreeing:
            found.odd |= {one.case for one in cases if not any(_explains(whole, one) for whole in agreeing)}
        else:
            for name, (reading, against) in _conflicts(best, cases).items():
                _break(found, name, points[name].clause, reading, against, cases)
        for name in (name for name in names if found.readings[name]):
            found.readings[name] = sorted({dict(whole)[name] for whole in agreeing or best})
    return found


def _break(
    found: Consistency, name: str, clause: str, reading: str, against: Sequence[Result], cases: Sequence[Result]
) -> None:
    found.readings[name] = []
    if clause:
        depend = sum(any(name in dict(one) for one in case.accepted) for case in cases)
        found.broken[clause] = (
            f"no single reading of {name} explains all {depend} cases that depend on it: "
            f"{reading} does not explain {_and_more([one.case for one in against])}"
        )


def _and_more(names: Sequence[str]) -> str:
    return names[0] + (f" and {len(names) - 1} more" if len(names) > 1 else "")


def _linked(cases: Sequence[Result]) -> Iterator[tuple[list[str], list[Result]]]:
    """Ambiguities that cases tie together, and these cases: what nothing explains there says nothing of the others."""
    groups: list[tuple[set[str], list[Result]]] = []
    for case in cases:
        names, own = {name for assignment in case.accepted for name, _ in assignment}, [case]
        apart = [group for group in groups if group[0].isdisjoint(names)]
        for others, earlier in (group for group in groups if not group[0].isdisjoint(names)):
            names, own = names | others, earlier + own
        groups = [*apart, (names, own)]
    return ((sorted(names), own) for names, own in groups)


def _best(options: Mapping[str, Sequence[str]], cases: Sequence[Result]) -> list[Assignment]:
    """The assignments that explain most of the cases: all of them, where one does."""
    counted = explained(options, [case.accepted for case in cases])
    most = max(counted.values())
    return [whole for whole, count in counted.items() if count == most]


def _explains(whole: Assignment, case: Result) -> bool:
    return any({*whole}.issuperset(partial) for partial in case.accepted)


def _against(whole: Assignment, cases: Sequence[Result]) -> list[Result]:
    return [case for case in cases if not _explains(whole, case)]


def _conflicts(best: Sequence[Assignment], cases: Sequence[Result]) -> dict[str, tuple[str, list[Result]]]:
    """Ambiguity -> its reading among those that explain most, and the cases that need another.

    Of a case that several of its readings would explain, those that differ least.
    """
    found: dict[str, tuple[str, list[Result]]] = {}
    for whole in best:
        chosen = dict(whole)
        for case in _against(whole, cases):
            differ = [[name for name, reading in partial if chosen[name] != reading] for partial in case.accepted]
            for name in min(differ, key=len):
                found.setdefault(name, (chosen[name], []))[1].append(case)
    return found
