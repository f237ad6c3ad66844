"""Likely causes that the rest of a run refutes: a case or two look like a counterfactual that the backend is not.

A counterfactual is wrong in every case that is sensitive to it. Where the backend is right in such a case, of the same
caps row, it does not behave as that one does. It may still do so under some circumstance; then more than a few failing
cases look like it, and it is told as something that might be. What only a few do is chance: they keep the blame that
follows from their ablations alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec.structs import replace

from mmaspec.backends.faults import faults_of
from mmaspec.suites.judging.record import Finding, Result

FEW = 2
"""So many failing cases may look like a counterfactual by chance."""

SOMETIMES = ", in some programs only"
"""What is said of a cause that others of its row refute."""


def without_refuted(results: Sequence[Result]) -> list[Result]:
    """The results of a whole run, in their order, with findings that claim no cause that the run refutes."""
    refuted = _refuted(results)
    if not refuted:
        return list(results)
    like = Counter((result.spec, text) for result in results for text in _texts(result.finding))
    chance = {(spec, row, text) for spec, row, text in refuted if like[spec, text] <= FEW}
    return [_doubted(_without(result, chance), refuted) for result in results]


def _texts(finding: Finding | None) -> tuple[str, ...]:
    if finding is None:
        return ()
    return (finding.cause,) if finding.cause else finding.candidates


def _refuted(results: Sequence[Result]) -> set[tuple[str, str, str]]:
    """Specification, row and cause where some case is right that the counterfactual fails."""
    found: set[tuple[str, str, str]] = set()
    for spec in sorted({result.spec for result in results if _texts(result.finding)}):
        texts = {fault.name: fault.behaves_as_if for fault in faults_of(spec)}
        found |= {
            (spec, result.row, texts[name])
            for result in results
            if result.spec == spec and result.outcome == "legal" and not result.target
            for name in result.sensitive
            if name in texts
        }
    return found


def _without(result: Result, chance: set[tuple[str, str, str]]) -> Result:
    finding = result.finding
    texts = _texts(finding)
    left = tuple(text for text in texts if (result.spec, result.row, text) not in chance)
    if finding is None or left == texts:
        return result
    if left:
        return replace(result, finding=replace(finding, candidates=left))
    plain = replace(finding, cause="", candidates=(), blamed=finding.otherwise or finding.blamed, otherwise=())
    return replace(result, finding=plain)


def _doubted(result: Result, refuted: set[tuple[str, str, str]]) -> Result:
    """The result with a cause that cases of its row refute told as a candidate."""
    finding = result.finding
    if finding is None or (result.spec, result.row, finding.cause) not in refuted:
        return result
    return replace(result, finding=replace(finding, cause="", candidates=(f"{finding.cause}{SOMETIMES}",)))
