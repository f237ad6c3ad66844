"""The fewest clauses that explain a run: of suspects that would each explain a failure, one that explains others too.

A single case often cannot tell whose mistake it shows: rows of a product stand in wrong places where a row of A does,
and where results do; without a product every mistake about a factor is gone. Other cases can. So a clause that is
blamed in some cases only, and in all of these beside another one that more cases blame, is only suspected beside that
one. As with every suspect, such a case proves nothing for it; what is left when the larger mistake is mended is blamed
then.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from mmaspec.oracle.clauses import Clause
from mmaspec.oracle.spec import spec_named
from mmaspec.suites.judging.blaming.blame import NAN_DUE
from mmaspec.suites.judging.record import Finding, Result


def by_fewest(results: Sequence[Result]) -> list[Result]:
    """The results of a whole run, in their order, blamed on as few clauses as explain them."""
    first = _replaced(results)
    return [_told(result, first) for result in results] if first else list(results)


def _replaced(results: Sequence[Result]) -> dict[tuple[str, str], str]:
    """Specification and blamed clause -> the suspect that is blamed instead of it."""
    blamed: defaultdict[str, defaultdict[str, list[Finding]]] = defaultdict(lambda: defaultdict(list))
    for result in results:
        if result.finding is not None and result.finding.symptom == "value" and result.finding.blamed:
            blamed[result.spec][result.finding.blamed[0]].append(result.finding)
    return {
        (spec, clause): other
        for spec, findings in sorted(blamed.items())
        for clause, other in _of_one(spec_named(spec).catalogue.clause, findings)
    }


def _of_one(known: Mapping[str, Clause], findings: Mapping[str, Sequence[Finding]]) -> Iterator[tuple[str, str]]:
    """Of one specification the clauses that another explains, and that one; ``findings`` by blamed clause."""
    counts = Counter({clause: len(some) for clause, some in findings.items()})
    for clause, some in sorted(findings.items(), key=lambda one: (len(one[1]), one[0])):
        if not all(map(_open, some)):
            continue
        suspected = set.intersection(*(set(finding.blamed[1:]) for finding in some))
        others = [
            other
            for other in some[0].blamed[1:]
            if other in suspected and counts[other] > counts[clause] and not _wider(known, other, clause)
        ]
        if others:
            other = max(others, key=lambda name: counts[name])
            counts[other] += counts.pop(clause)
            yield clause, other


def _open(finding: Finding) -> bool:
    """Whether another clause may be broken: a counterfactual that leaves the same bytes says which one it is."""
    return not finding.cause and finding.how != NAN_DUE


def _wider(known: Mapping[str, Clause], name: str, clause: str) -> bool:
    """Whether a clause is refined by another one, so that it says less of what is wrong."""
    refined = known[clause].refines if clause in known else ()
    return any(name == other or _wider(known, name, other) for other in refined)


def _told(result: Result, first: Mapping[tuple[str, str], str]) -> Result:
    finding = result.finding
    if finding is None or finding.symptom != "value":
        return result
    blamed = finding.blamed
    seen = set(blamed[:1])
    while blamed and (other := first.get((result.spec, blamed[0]))) is not None and other not in seen:
        blamed = (other, *(name for name in blamed if name != other))
        seen.add(other)
    return result if blamed == finding.blamed else replace(result, finding=replace(finding, blamed=blamed))
