"""Case files that are not small for certain show the listed case: what a run leaves depends on no history of it.

A worker makes the case of a file small unless it has seen enough others of its kind before, a worker of a shard always.
So whatever workers there were, the first few of each kind are small. Others may be, in one run and not in another, and
a finding lists some of them after all where the whole run blames a kind on something else (`reconsidered`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mmaspec.oracle.case import decode_case, encode_case
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.judging.kind import EVIDENCE, kind_of
from mmaspec.suites.judging.record import Result
from mmaspec.suites.judging.telling.found import found_by, found_in, with_found
from mmaspec.suites.planning.plan import Planned, recipe_of
from mmaspec.suites.running.run_folder import RunFolder
from mmaspec.suites.suited import suited


def all_as_listed(folder: RunFolder, results: Sequence[Result]) -> None:
    """Put the listed case into each file that another history of the run would not have made small.

    ``results`` are those of the whole run, as its cases were judged. Raises ``OSError``.
    """
    planned = {one.id: one for one in folder.cases}
    told = [(result.example, _whole(folder, planned[result.case], result)) for result in _doubtful(results)]
    if changed := [(name, text) for name, text in told if text]:
        recorder = folder.recorder("as-listed")
        for name, text in changed:
            recorder.smaller(name, text)
        recorder.close()


def _doubtful(results: Iterable[Result]) -> Iterator[Result]:
    """Those with a case file that come after the first few of their kind, by case ID."""
    seen: dict[tuple[str, bool, bool, tuple[str, str]], int] = {}
    for result in sorted(results, key=lambda one: one.case):
        if result.finding is None or not result.example:
            continue
        kind = result.spec, result.explored, result.finding.profile_only, kind_of(result.finding)
        seen[kind] = seen.get(kind, 0) + 1
        if seen[kind] > 1 + EVIDENCE:
            yield result


def _whole(folder: RunFolder, planned: Planned, result: Result) -> bytes:
    """The text of the file with the listed case; empty where it is there already."""
    found = found_in(decode_case(folder.example(result), result.example), result.example)
    if found is None or (found.here is None and found.drawn is not False):
        return b""
    plan = folder.plan
    case = suited(materialise(recipe_of(planned)), plan.description)
    assert case is not None, "the backend has answered it"
    told = found_by(plan.description, plan.profile, result.outcome, found.finding)
    return encode_case(with_found(case, told))
