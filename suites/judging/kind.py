"""The kind of a failure: cases that fail alike are one finding."""

from __future__ import annotations

import re

from mmaspec.suites.judging.record import Finding, Symptom

BREAKDOWNS: frozenset[Symptom] = frozenset({"died", "raised", "bad reply", "refused"})
"""Symptoms in which there is no answer that could be wrong: what is said of it tells two kinds apart."""
LONGEST = 200
"""Characters of what is said that count."""

_LAST_WORDS = re.compile(r"; it last said: .*", re.DOTALL)
_NAMES = re.compile(r"""'[^']*'|"[^"]*"|`[^`]*`""")
_NUMBERS = re.compile(r"0x[0-9a-fA-F]+|[-+]?[0-9]+(\.[0-9]+)?")


def kind_of(finding: Finding) -> tuple[str, str]:
    """Blamed clause and cause; where no clause is blamed, the symptom and what is said of a breakdown."""
    if finding.blamed:
        return finding.blamed[0], finding.cause
    return f"{finding.symptom}: {alike(finding.says)}" if finding.symptom in BREAKDOWNS else finding.symptom, ""


def alike(says: str) -> str:
    """What messages of one kind have in common: without numbers, quoted names and a process's last words."""
    return _NUMBERS.sub("0", _NAMES.sub("''", _LAST_WORDS.sub("", says)))[:LONGEST]
