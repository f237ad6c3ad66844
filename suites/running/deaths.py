"""Case files of deaths are made small at the end: seeing one costs a process, and only few of them are kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from mmaspec.backends.resolve import isolated
from mmaspec.oracle.case import encode_case
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.judging.deadly import smallest_deadly
from mmaspec.suites.judging.kind import EVIDENCE, kind_of
from mmaspec.suites.judging.record import Result
from mmaspec.suites.judging.telling.found import found_by, with_found
from mmaspec.suites.planning.plan import Plan, Planned, recipe_of
from mmaspec.suites.pool import Progress
from mmaspec.suites.running.run_folder import RunFolder
from mmaspec.suites.suited import suited


def reduce_deaths(folder: RunFolder, results: Iterable[Result], workers: int, progress: Progress) -> None:
    """Put smaller cases into the files of those over which the backend died; ``results`` are sorted by case ID.

    Those that a finding could list are made smaller, of a shard as well: what a run lists is among what its shards
    would. Their results are recorded, so whatever happens here costs no answer and no time limit of a case.
    """
    written = folder.recorded().examples
    todo = [result for result in listed_deaths(results) if len(written.get(result.example, ())) == 1]
    if not todo:
        return
    planned = {one.id: one for one in folder.own_cases}
    recorder = folder.recorder("deaths")
    with ThreadPoolExecutor(max(1, workers)) as pool:
        texts = pool.map(partial(_smaller, folder.plan), [planned[result.case] for result in todo], todo)
        for done, (result, text) in enumerate(zip(todo, texts, strict=True), 1):
            if text:
                recorder.smaller(result.example, text)
            progress(done, len(todo))
    recorder.close()


def listed_deaths(results: Iterable[Result]) -> Sequence[Result]:
    """The first deaths of each kind that have a case file."""
    kinds: dict[tuple[str, bool, tuple[str, str]], list[Result]] = {}
    for result in results:
        if result.outcome == "died" and result.example and result.finding is not None:
            kinds.setdefault((result.spec, result.explored, kind_of(result.finding)), []).append(result)
    return [result for found in kinds.values() for result in found[: 1 + EVIDENCE]]


def _smaller(plan: Plan, planned: Planned, result: Result) -> bytes:
    """The text of a smaller case over which the backend dies; empty if there is none."""
    try:
        case = suited(materialise(recipe_of(planned)), plan.description)
        if case is None:
            return b""
        smallest = smallest_deadly(
            case, plan.profile, lambda seconds: isolated(plan.backend, timeout_s=seconds), plan.time_limit
        )
    except Exception:  # noqa: BLE001 - the failure stands; only its smallest form was not found
        return b""
    if smallest is case or result.finding is None:
        return b""
    drawn = smallest.program == case.program
    found = found_by(plan.description, plan.profile, result.outcome, result.finding, drawn=drawn)
    return encode_case(with_found(smallest, found))
