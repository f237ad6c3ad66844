"""The supervisor of a run: it plans, starts pytest, watches, restarts, merges and judges.

The backend never lives in this process: a crash or a hang of it costs at most the case in flight.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Any

from mmaspec.backends.processes.pipes import ending
from mmaspec.oracle.demands import may_widen, may_widen_apart
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.errors import Halted
from mmaspec.suites.judging.cache import is_damaged, sensitivity_path, write_sensitivity
from mmaspec.suites.judging.death import UNSEEN
from mmaspec.suites.judging.record import NOT_RUN, Abandoned, Result
from mmaspec.suites.judging.remembered.acceptance import acceptance_path, keep_acceptance
from mmaspec.suites.judging.remembered.answers import keep_answers
from mmaspec.suites.judging.reported import caps_results
from mmaspec.suites.planning.plan import Plan, recipe_of, reported_caps
from mmaspec.suites.pool import Progress
from mmaspec.suites.running.alone import ask_alone
from mmaspec.suites.running.as_listed import all_as_listed
from mmaspec.suites.running.awake import Awake
from mmaspec.suites.running.deaths import reduce_deaths
from mmaspec.suites.running.listed import kinds_shown
from mmaspec.suites.running.reconsidered import reconsidered
from mmaspec.suites.running.room import check_room, full, open_room
from mmaspec.suites.running.run_folder import RunFolder
from mmaspec.suites.running.session import Session
from mmaspec.suites.running.unjudged import died, undecided
from mmaspec.suites.score import shipped
from mmaspec.suites.score.spared import spared
from mmaspec.suites.verdict.assemble import assemble
from mmaspec.suites.verdict.model import Run

STALLED = 3
"""Passes in a row without a result after which a run ends: once or twice a worker may just have had bad luck."""
POLL = 0.2
"""Seconds between two looks at the rows."""
GRACE = 30.0
"""Seconds beyond the time limit of a case, for blame, reduction and sensitivity."""
SILENT = 300.0
"""Seconds without a row after which a session is ended though no case is in flight: it no longer hears its workers."""

CRASHED = "node down: "
"""What pytest-xdist says of a worker that is gone."""


def supervise(
    folder: RunFolder,
    workers: int,
    progress: Progress,
    *,
    here: bool = True,
    most: int | None = None,
    early: Session | None = None,
) -> tuple[Run, list[Result]]:
    """Run and judge every case of the plan in ``folder``, and compute the verdict of the run.

    What is already recorded there is kept, so an interrupted run goes on. ``here``: whether the backend is on this
    machine; of what was answered elsewhere nothing is asked again. ``most``: so many more failing cases end it.
    ``early``: a session for this run that was started before the plan was drawn. Raises ``Halted`` if the suites cannot
    be started.
    """
    plan = folder.plan
    started = time.monotonic()
    hints = drop_doubtful(folder)
    fresh = not folder.recorded().results
    results, passes = answer(folder, workers, progress, here=here, most=most, early=early)
    known = _known_answers(folder, results)
    if fresh:  # what others computed is not kept for this user's later runs
        _keep_sensitivity(folder, results)
        _keep_acceptance(plan, results)
        _keep_answers(folder, results)
    if not plan.shard:
        all_as_listed(folder, results)
    results = with_reported(plan, reconsidered(folder, results))
    facts = {
        "backend": plan.backend,
        "workers": workers,
        "isolated": plan.process == "isolated",
        "run": plan.run,
        "passes": passes,
        "time_limit": plan.time_limit,
        "seconds": round(time.monotonic() - started, 1),
    }
    facts |= {"known_answers": known} if known else {}
    told = environment(facts | ({"hints": hints} if hints else {}))
    return assemble(plan, results, told, folder.cases, folder.filed), results


def with_reported(plan: Plan, results: Sequence[Result]) -> list[Result]:
    """The results of cases with those of the caps that the backend reported, sorted by ID.

    The latter follow from the plan, so they are recorded nowhere: shards have them once, like a single run.
    """
    specs, borrowed = [spec_named(name) for name in {**plan.caps, **plan.reported}], plan.description.borrowed
    found = [result for spec in specs for result in caps_results(spec, reported_caps(plan, spec), borrowed)]
    return sorted([*results, *found], key=lambda result: result.case)


def answer(
    folder: RunFolder,
    workers: int,
    progress: Progress,
    *,
    here: bool = True,
    most: int | None = None,
    early: Session | None = None,
) -> tuple[list[Result], int]:
    """Run every pending case in ``folder``; returns the results by case ID, and the number of pytest sessions.

    A backend that took its process down once runs isolated from then on: a crash then costs its case and no session.
    A case that no worker lived to begin is inconclusive, and still pending for ``--resume``; so is every case that is
    left when ``most`` further ones fail. The first session is ``early``, where there is one.

    Raises ``Halted`` if the suites cannot be started or answers cannot be recorded.
    """
    drop_doubtful(folder)
    try:
        results, passes = _answered(folder, workers, progress, most, early)
        # Of what ended nothing is run here; of what was interrupted it may be left.
        if here and (passes or not folder.sealed) and folder.plan.recorded is None:
            reduce_deaths(folder, results, workers, partial(_after, len(results), progress))
            results = ask_alone(folder, results, workers, partial(_after, len(results), progress))
    except OSError as error:
        raise full(folder.path, error.strerror or str(error)) from error
    return results, passes


def _after(answered: int, progress: Progress, done: int, total: int) -> None:
    """What is done at the end of a run, counted as further cases."""
    progress(answered + done, answered + total)


def _answered(
    folder: RunFolder, workers: int, progress: Progress, most: int | None, early: Session | None
) -> tuple[list[Result], int]:
    cases = {planned.id: planned for planned in sorted(folder.own_cases, key=lambda planned: planned.id)}
    _forget_interrupted(folder)
    passes = stalled = 0
    isolate = False
    results = folder.recorded().results
    enough = None if most is None else folder.rows.failing + most
    while left := [case for case in cases if case not in results]:
        before = len(results)
        logged = folder.log.stat().st_size if folder.log.exists() else 0
        code = _walk(folder, workers, progress, None if passes else early, isolate=isolate, enough=enough)
        passes += 1
        recorded = folder.recorded()
        check_room(folder.path, ended=any(case not in recorded.results for case in left))
        isolate |= any(recorded.begun.values())
        _settle(folder)
        recorded = folder.recorded()
        results = recorded.results
        if enough is not None and folder.rows.failing >= enough:
            results = results | {
                case: undecided(recipe_of(cases[case]), NOT_RUN) for case in left if case not in results
            }
            break
        stalled = 0 if len(results) > before else stalled + 1
        if not stalled:
            continue
        said = folder.log.read_bytes()[logged:].decode(errors="replace")
        killed = _killed(code, said)
        if not killed and not any(recorded.begun.values()):
            raise Halted(f"the suites answered nothing; the end of {folder.log}: {_tail(said)}")
        if stalled == STALLED:
            why = f"{STALLED} times nobody lived to answer it: {killed or ending(code)}"
            if folder.plan.shard:
                raise Halted(f"{folder}: {len(left)} cases have no answer: {why}; repeat the command with --resume")
            results = results | {case: undecided(recipe_of(cases[case]), why) for case in left}
    folder.reach_disk()
    return [results[case] for case in cases], passes


def _killed(code: int, said: str) -> str:
    """How a session of pytest, or a worker of it, was killed; empty if it was not."""
    if code < 0:
        return f"its process was {ending(code)}"
    return "its worker process was killed" if CRASHED in said else ""


def _forget_interrupted(folder: RunFolder) -> None:
    """Cases that were running when an earlier supervisor was stopped are simply begun again.

    Of a case that was begun more than once only the last try can have been: the ones before it took the backend down.
    """
    if begun := +folder.recorded().begun:
        recorder = folder.recorder("supervisor")
        for case in sorted(begun):
            recorder.append(Abandoned(case))
        recorder.close()


def drop_doubtful(folder: RunFolder) -> list[str]:
    """Remove what this user's cache has for the run but cannot be believed, so that it is computed anew; the reasons.

    Raises ``Halted`` where such a file cannot be removed.
    """
    hints = []
    for spec in folder.plan.caps if folder.plan.cached else ():
        path = folder.sensitivity(spec)
        assert path is not None
        others = (acceptance_path(path, folder.plan.profile), folder.answers(spec))
        doubts = {path: shipped.doubt(spec, path)} | {
            other: "its hash is not that of what it says" if is_damaged(other) else "" for other in others if other
        }
        for file, why in doubts.items():
            if not why:
                continue
            try:
                file.unlink()
            except OSError as error:
                raise Halted(f"{file}: {why}, and it cannot be removed: {error.strerror}") from error
            hints.append(f"{file}: not used, and computed anew: {why}")
    return hints


def _keep_sensitivity(folder: RunFolder, results: list[Result]) -> None:
    """Write the cache of a specification if every case was judged to the end, and not under a wider profile.

    Of a list on whose cases not all counterfactuals were tried nothing is kept: it would be taken for the whole.
    """
    plan = folder.plan
    if may_widen(plan.profile) or may_widen_apart(plan.profile):
        return
    for path, mine in _kept(plan, results):
        whole = not spared(mine[0].spec, folder.listed_cases) if mine else False
        if whole and not path.exists() and all(result.examined for result in mine):
            write_sensitivity(path, {result.case: result.sensitive for result in mine})


def _keep_acceptance(plan: Plan, results: list[Result]) -> None:
    """Write the acceptance of all judged cases to its cache."""
    for path, mine in _kept(plan, results):
        keep_acceptance(acceptance_path(path, plan.profile), plan.profile, mine)


def _known_answers(folder: RunFolder, results: list[Result]) -> int:
    """How many results are those of answers that were judged before, byte for byte the same."""
    before: dict[str, Result] = {}
    for spec in folder.plan.caps:
        before |= folder.judged_before(spec)
    return sum(result.case in before and before[result.case].answer == result.answer for result in results)


def _keep_answers(folder: RunFolder, results: list[Result]) -> None:
    """Write the answers of all judged cases to their cache."""
    for spec in folder.plan.caps:
        if (path := folder.answers(spec)) is not None:
            keep_answers(path, (result for result in results if result.spec == spec and not result.explored))


def _kept(plan: Plan, results: list[Result]) -> Iterator[tuple[Path, list[Result]]]:
    """For each specification, where the sensitivity of its case list is kept, and the results, one for each case."""
    for spec in plan.caps if plan.cached else ():
        mine = [result for result in results if result.spec == spec and not result.explored]
        yield sensitivity_path(result.case for result in mine), mine


def environment(facts: Mapping[str, Any]) -> dict[str, Any]:
    """The environment, on which no verdict depends: versions, platform, how the work was distributed."""
    import platform
    from importlib.metadata import version

    packages = ("mmaspec", "numpy", "ml_dtypes", "hypothesis", "msgspec", "pytest", "pytest-xdist")
    return {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": {name: version(name) for name in packages},
        **facts,
    }


def _walk(
    folder: RunFolder, workers: int, progress: Progress, early: Session | None, *, isolate: bool, enough: int | None
) -> int:
    """Run one pytest session over the pending cases; returns its exit status. ``early``: one that was started before.

    It ends early when a case hangs, or the session itself, and when ``enough`` cases of the run have failed.
    """
    total = len(folder.own_cases)
    rows = folder.rows
    rows.look()
    ended = rows.files
    open_room(folder.path)
    session = early or Session(folder.path, folder.plan.run, workers, isolate=isolate)
    limit = folder.plan.time_limit + GRACE
    try:
        session.go()
        awake = Awake()
        heard, since = rows.position, awake.seconds
        while not session.over(POLL):
            rows.look()
            awake.look(rows.in_flight(ended))
            progress(rows.answered, total)
            check_room(folder.path)
            if rows.position != heard:
                heard, since = rows.position, awake.seconds
            if (hung := awake.longest(limit)) or awake.seconds - since > max(SILENT, limit):
                session.stop()
                _abandon(folder, ended, hung)
                break
            if enough is not None and rows.failing >= enough:
                session.stop()
                rows.look()
                _abandon(folder, ended, "")
                break
    finally:
        code = session.end(folder.log)
    rows.look()
    progress(rows.answered, total)
    return code


def _abandon(folder: RunFolder, ended: Collection[Path], hung: str) -> None:
    """Record that the other running cases were stopped because one hung."""
    answered = folder.recorded().results
    stopped = folder.rows.in_flight(ended)
    recorder = folder.recorder("supervisor")
    for case in stopped:
        if case != hung and case not in answered:
            recorder.append(Abandoned(case))
    recorder.close()


def _settle(folder: RunFolder) -> None:
    """Write the results of cases in which the backend died twice."""
    begun = folder.recorded().begun
    twice = [planned for planned in folder.own_cases if begun[planned.id] > 1]
    if not twice:
        return
    recorder = folder.recorder("supervisor")
    for planned in twice:
        earlier = takewhile(lambda one, until=planned.id: one.id != until, folder.own_cases)  # type: ignore[misc]
        kinds = kinds_shown((one for one in earlier if one.test == planned.test), folder.recorded())
        result, example = died(recipe_of(planned), folder.plan, UNSEEN, kinds)
        if example:
            recorder.example(result.example, example)
        recorder.append(result)
    recorder.close()


def _tail(said: str) -> str:
    return " | ".join(said.strip().splitlines()[-3:])
