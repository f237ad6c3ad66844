"""Which case files a finding of the run may list: the others need not be made small."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from mmaspec.suites.judging.kind import kind_of
from mmaspec.suites.judging.record import Finding, Result

EVIDENCE = 5
"""How many case files a finding has besides the one that is shown."""

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
