"""Which failing cases have a case file: the first of each kind in a test, and at the end those that a finding lists."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress

from msgspec.structs import replace

from mmaspec.suites.judging.kind import kind_of
from mmaspec.suites.judging.record import Dropped, Result
from mmaspec.suites.planning.plan import Planned
from mmaspec.suites.running.rows import Recorded
from mmaspec.suites.running.run_folder import EXAMPLES, RunFolder
from mmaspec.suites.verdict.model import Run


def kinds_shown(cases: Iterable[Planned], recorded: Recorded) -> set[tuple[str, str]]:
    """The kinds of failures that have left a case file in some cases of a test, whether or not it was kept."""
    found = set()
    for planned in cases:
        result = recorded.results.get(planned.id)
        if result is not None and result.finding is not None and f"{planned.id}.json" in recorded.examples:
            found.add(kind_of(result.finding))
    return found


def keep_listed(folder: RunFolder, run: Run, results: Sequence[Result]) -> list[Result]:
    """Remove the case files that no finding of a judged run lists; the results of the run without them.

    Which ones they are is known when every case is judged: the workers leave one of each kind in each test. Rows say
    that they are gone, so that the run can go on. Raises ``OSError``.
    """
    listed = {name for group in run.every_finding for name in (group.example, *group.evidence)}
    gone = [result for result in results if result.example and result.example not in listed]
    if not gone:
        return list(results)
    recorder = folder.recorder("listed")
    for result in gone:
        recorder.append(Dropped(result.example))
    recorder.close()
    for result in gone:
        with suppress(FileNotFoundError):
            (folder.path / EXAMPLES / result.example).unlink()
    cases = {result.case for result in gone}
    return [replace(result, example="") if result.case in cases else result for result in results]
