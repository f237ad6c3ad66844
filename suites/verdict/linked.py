"""Findings that may come of one mistake point at each other; nothing is blamed otherwise for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

from msgspec.structs import replace

from mmaspec.suites.judging.record import Result
from mmaspec.suites.verdict.model import FindingGroup

PAIRED = 6
"""Of how many findings it is looked at what two of them share: the largest ones, as it takes a search for each pair."""

Together = Callable[[Sequence[Result]], str]
"""What failing cases have in common and no passing one has, in words; empty if nothing."""


def linked(
    groups: Sequence[FindingGroup], members: Sequence[Sequence[Result]], together: Together
) -> list[FindingGroup]:
    """The findings, each with those to which it is close: the cases of a finding are in ``members``.

    Two are close where the clause of one is suspected in most cases of the other, or where the cases of both have
    something in common that no passing case has. Where a finding by itself has too few cases to say what they share,
    what they share with those of the other is told.
    """
    close: dict[int, set[int]] = {}
    shares: dict[int, str] = {}
    for one, other in combinations(range(len(groups)), 2):
        if not _comparable(groups[one], groups[other]) or _near_misses(members[one]) != _near_misses(members[other]):
            continue
        common = ""
        if other < PAIRED and not (groups[one].shares and groups[other].shares):
            common = together([*members[one], *members[other]])
        same = groups[one].shares and _condition(groups[one].shares) == _condition(groups[other].shares)
        if not (
            common
            or same
            or _suspected(groups[one].clause, members[other])
            or _suspected(groups[other].clause, members[one])
        ):
            continue
        for mine, theirs in ((one, other), (other, one)):
            close.setdefault(mine, set()).add(theirs)
            if common and not groups[mine].shares:
                shares.setdefault(mine, f"with the cases of {_named(groups, mine, theirs)}, {common}")
    return [
        replace(
            group,
            related=tuple(groups[other].case for other in sorted(close.get(number, ()))),
            shares=shares.get(number, group.shares),
        )
        for number, group in enumerate(groups)
    ]


def _named(groups: Sequence[FindingGroup], mine: int, theirs: int) -> str:
    other = groups[theirs].title
    return f"the other finding of {other}" if other == groups[mine].title else other


def _near_misses(cases: Sequence[Result]) -> set[bool]:
    """Whether these are near misses, which are compared with near misses."""
    return {bool(case.target) for case in cases}


def _comparable(one: FindingGroup, other: FindingGroup) -> bool:
    """Whether they are of one specification, and which cases they hit is no chance."""
    return one.spec == other.spec and "unstable" not in (one.symptom, other.symptom)


def _suspected(clause: str, cases: Sequence[Result]) -> bool:
    """Whether a clause is suspected in most of these cases, which are blamed on another."""
    found = [case.finding.blamed for case in cases if case.finding is not None]
    if not clause or any(blamed[:1] == (clause,) for blamed in found):
        return False
    return 2 * sum(clause in blamed[1:] for blamed in found) > len(cases)


def _condition(shares: str) -> str:
    """What is shared, without the numbers of cases."""
    return shares.partition(" have ")[2].rpartition("; ")[0]
