"""The kind of a failure: cases that fail alike are one finding, which lists the case files of some."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field

from mmaspec.suites.judging.record import Finding, Result, Symptom

BREAKDOWNS: frozenset[Symptom] = frozenset({"died", "raised", "bad reply", "refused"})
"""Symptoms in which there is no answer that could be wrong: what is said of it tells two kinds apart."""
LONGEST = 200
"""Characters of what is said that count."""

EXAMPLES = 3
"""How many failing cases of one test get a case file: the first of each kind."""

EVIDENCE = 5
"""How many case files a finding has besides the one that is shown."""

_LAST_WORDS = re.compile(r"; it last said: .*", re.DOTALL)
_NAMES = re.compile(r"""'[^']*'|"[^"]*"|`[^`]*`""")
_NUMBERS = re.compile(r"0x[0-9a-fA-F]+|[-+]?[0-9]+(\.[0-9]+)?")


def kind_of(finding: Finding) -> tuple[str, str]:
    """Blamed clause and cause; where no clause is blamed, the symptom, and what is said of a breakdown.

    What is right alone is a kind of its own among what is unstable.
    """
    if finding.blamed:
        return finding.blamed[0], finding.cause
    if finding.alone:
        return f"{finding.symptom}: right alone", ""
    return f"{finding.symptom}: {alike(finding.says)}" if finding.symptom in BREAKDOWNS else finding.symptom, ""


def shows(finding: Finding, kinds: set[tuple[str, str]], limit: int = EXAMPLES) -> bool:
    """Whether a failure gets a case file after those ``kinds`` of its test; its kind is one of them from then on."""
    kind = kind_of(finding)
    if kind in kinds or len(kinds) >= limit:
        return False
    kinds.add(kind)
    return True


def breaks_alike(one: Finding, other: Finding) -> bool:
    """Whether two failures show in one way, and say alike what broke down, if anything did."""
    if one.symptom != other.symptom:
        return False
    return one.symptom not in BREAKDOWNS or alike(one.says) == alike(other.says)


def alike(says: str) -> str:
    """What messages of one kind have in common: without numbers, quoted names and a process's last words."""
    return _NUMBERS.sub("0", _NAMES.sub("''", _LAST_WORDS.sub("", says)))[:LONGEST]


_Kind = tuple[str, bool, bool, tuple[str, str]]


@dataclass(slots=True)
class Listable:
    """The failing cases that left a case file, by kind, as far as one process of a run has seen them.

    A finding lists the first of its kind by case ID. So where as many with smaller IDs have been seen a case is surely
    not listed, whatever other processes find; otherwise it may be.
    """

    _seen: defaultdict[_Kind, list[str]] = field(default_factory=lambda: defaultdict(list))

    def may_list(self, result: Result, finding: Finding) -> bool:
        """Whether a finding may list the file of this case, which counts as seen from then on."""
        seen = self._seen[result.spec, result.explored, finding.profile_only, kind_of(finding)]
        before = sum(case < result.case for case in seen)
        seen.append(result.case)
        return before <= EVIDENCE
