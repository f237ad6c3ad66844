"""``mmaspec check`` and ``mmaspec report``."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from mmaspec.backends.failures import BadReply, Died, Raised
from mmaspec.backends.given_caps import with_files
from mmaspec.backends.processes.isolated import IsolatedBackend
from mmaspec.backends.protocol import Refused
from mmaspec.backends.resolve import isolated
from mmaspec.commands.gate import NOTHING, Expectations, exit_code, hold_to, print_gate, replay_waived
from mmaspec.commands.profile_file import profile_named
from mmaspec.commands.progress import progress
from mmaspec.commands.same_options import check_same
from mmaspec.commands.silent import never_said
from mmaspec.given_json import telling_json
from mmaspec.options import worker_count
from mmaspec.oracle.spec import SPECS, specs_at_hand
from mmaspec.programs.errors import BadInput, one_line, unwritable
from mmaspec.reports.catalogues import catalogues_of
from mmaspec.reports.code_spans import bare
from mmaspec.reports.explored_view import explored_lines
from mmaspec.reports.finding_view import replay_command, see_also
from mmaspec.reports.plain import plural
from mmaspec.reports.reading_view import clause_lines, reading_views, still_open
from mmaspec.reports.run_folder import located, read_gate, read_run, write_reports
from mmaspec.reports.unjudged import unjudged
from mmaspec.strategies.enumerate import DEFAULT_SEED
from mmaspec.strategies.grammar import EXPLORATION
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.gate.model import Gate, WaiverState
from mmaspec.suites.judging.cache import code_hash
from mmaspec.suites.judging.confirm import as_if
from mmaspec.suites.judging.record import Result
from mmaspec.suites.planning.drawing import draw_spread
from mmaspec.suites.planning.lists import drawn_once
from mmaspec.suites.planning.plan import Plan
from mmaspec.suites.planning.prepare import Wanted, check_names, prepare
from mmaspec.suites.planning.unchanged import check_unchanged
from mmaspec.suites.running.cluster import answer_on_cluster
from mmaspec.suites.running.intact import check_intact
from mmaspec.suites.running.listed import keep_listed
from mmaspec.suites.running.owner import locked_before
from mmaspec.suites.running.run_folder import RunFolder
from mmaspec.suites.running.session import Session
from mmaspec.suites.running.supervisor import answer, supervise
from mmaspec.suites.score.stored_lists import stored_text
from mmaspec.suites.verdict.model import FindingGroup, Run

MOST_FINDINGS = 10
"""Findings that are printed, of the case list and of exploration."""
MOST_ROWS = 10
"""Rows not covered that are printed."""


def wanted(
    backend: str,
    spec: list[str] | None,
    profile: str | None,
    authority: str,
    tier: str,
    seed: int | None,
    *,
    isolate: bool,
    time_limit: float,
    shard: str = "",
    explore: bool = True,
    afresh: bool = False,
    caps: Sequence[str] = (),
) -> Wanted:
    """The command's options, checked. Raises ``BadInput``."""
    asked = Wanted(
        backend=_with_caps(backend, spec or (), caps) if caps else backend,
        specs=tuple(spec or ()),
        profile=profile_named(profile) if profile is not None else None,
        authority=authority,
        tier=tier,
        seed=DEFAULT_SEED if seed is None else seed,
        isolate=isolate,
        time_limit=time_limit,
        shard=shard,
        explore=explore,
        afresh=afresh,
    )
    check_names(asked)
    return asked


def _with_caps(backend: str, specs: Sequence[str], caps: Sequence[str]) -> str:
    """The backend's name with the files of caps that it is to report. Raises ``BadInput``."""
    with ExitStack() as told:
        for given in caps:
            named, _, path = given.partition("=")
            path, spec = (path, named) if named in SPECS else (given, next(iter(specs), "a specification"))
            told.enter_context(telling_json(Path(path), f"caps of {spec} as JSON"))
        return with_files(backend, specs, caps)


def _plan(asked: Wanted, workers: int) -> tuple[Plan, tuple[Recipe, ...]]:
    """Ask the backend, in a child process, what it is and what it supports, and draw the cases."""
    with _asked(asked) as backend, progress("drawing the cases") as show:
        backend.begin()
        code_hash()  # what is needed anyway, while the child starts
        tuple(specs_at_hand())
        return prepare(asked, backend, drawn_once(partial(draw_spread, workers=workers, progress=show), stored_text))


@contextmanager
def _asked(asked: Wanted) -> Iterator[IsolatedBackend]:
    """The backend in a child process, to be asked what it is and supports; it raises only ``BadInput``."""
    backend = isolated(asked.backend, timeout_s=asked.time_limit)
    try:
        yield backend
    except (Died, Raised, BadReply, Refused) as error:
        raise never_said(asked.backend, error) from error
    finally:
        backend.close()


def list_cases(asked: Wanted, of_runs: Mapping[str, object]) -> None:
    """Print one line a case: ID, specification, row, template, target, labels.

    ``of_runs`` are options that only a run has, by name; raises ``BadInput`` if one is given.
    """
    if given := [name for name, value in of_runs.items() if value]:
        raise BadInput(f"--list runs nothing; leave out {', '.join(given)}")
    plan, recipes = _plan(asked, worker_count(None))
    for recipe in sorted(recipes, key=lambda recipe: recipe.id):
        target = f" breaks {recipe.target}" if recipe.target else ""
        labels = f" [{', '.join(recipe.labels)}]" if recipe.labels else ""
        sys.stdout.write(f"{recipe.id} {recipe.spec} {recipe.row} {recipe.template}{target}{labels}\n")
    sys.stdout.write("".join(f"{name} could not be used: {why}\n" for name, why in plan.broken.items()))
    beyond = sum(recipe.template == EXPLORATION for recipe in recipes)
    more = f"; {plural(beyond, 'explored case')} beyond it" if beyond else ""
    sys.stdout.write(f"{len(recipes) - beyond} cases, case list {plan.case_list}{more}\n")


def run(
    asked: Wanted,
    folder: Path,
    workers: int | None,
    *,
    resume: bool,
    accepted: Expectations = NOTHING,
    scheduler: str | None = None,
    max_failures: int | None = None,
    early: Session | None = None,
) -> int:
    """Check and report, and hold the run to what was accepted before; the exit code.

    ``max_failures``: when so many more cases have failed, the rest is not run, and left to a run that goes on.
    ``early``: a session for a new run in this folder, started to be ready once its cases are drawn.
    """
    home = RunFolder(folder.absolute())
    count = worker_count(workers)
    if asked.shard and accepted.given:
        raise BadInput("a shard judges nothing by itself; give --waivers and --baseline to mmaspec merge")
    if asked.shard and scheduler is not None:
        raise BadInput("--scheduler makes the shards itself; leave out --shard")
    if max_failures is not None and (asked.shard or scheduler is not None):
        raise BadInput("--max-failures is for a run on this machine as a whole; leave out --shard and --scheduler")
    with ExitStack() as ownership:
        if resume:
            plan = _resumed(home, asked, ownership)
            waivers = replay_waived(plan, accepted)
        else:
            home.check()
            if locked := locked_before(home.path):  # to lock it now leaves nothing behind if there is a mistake
                ownership.enter_context(home.owned())
            plan, recipes = _plan(asked, count)
            waivers = replay_waived(plan, accepted)
            if not locked:
                ownership.enter_context(home.owned())
            home.clear()  # last, so that no mistake costs an earlier run
            home.write_plan(replace(plan, run=early.run) if early else plan, recipes)
        with resumable():
            return _carry_out(asked, home, plan, waivers, accepted, count, scheduler, max_failures, early)


def _resumed(home: RunFolder, asked: Wanted, ownership: ExitStack) -> Plan:
    """The plan with which a run goes on, whose folder is this process's from here on. Raises ``BadInput``."""
    if not home.planned:
        raise BadInput(f"{home}: no run was begun there, so there is nothing to resume; leave out --resume")
    ownership.enter_context(home.owned())
    check_same(home.plan, asked, str(home))
    check_intact(home)
    with _asked(asked) as backend:
        check_unchanged(home.plan, home.cases, asked, backend, str(home))
    answered = home.recorded().results
    if home.own_cases and all(planned.id in answered for planned in home.own_cases):
        sys.stderr.write(f"{home}: every case was answered before; leave out --resume to ask the backend again\n")
    return home.plan


def _carry_out(
    asked: Wanted,
    home: RunFolder,
    plan: Plan,
    waivers: Sequence[WaiverState],
    accepted: Expectations,
    count: int,
    scheduler: str | None,
    max_failures: int | None,
    early: Session | None,
) -> int:
    """Answer what is pending in a planned run, and report; the exit code."""
    if asked.shard:
        with progress(f"checking {plan.description.name}") as show:
            results, _ = answer(home, count, show, early=early)
        home.seal()
        failed = sum(result.finding is not None for result in results)
        sys.stdout.write(f"shard {asked.shard}: {len(results)} cases answered, {failed} of them wrong; now merge\n")
        return 0
    with progress(f"checking {plan.description.name}") as show:
        if scheduler is not None:
            answer_on_cluster(home, scheduler, show)
        judged, results = supervise(home, count, show, here=scheduler is None, most=max_failures, early=early)
    return report(home.path, judged, results, waivers, accepted)


@contextmanager
def resumable() -> Iterator[None]:
    """An interrupt in this block says how to go on."""
    try:
        yield
    except KeyboardInterrupt as stop:
        stop.args = ("what was answered is kept; go on with the same command and --resume",)
        raise


def report(
    folder: Path, judged: Run, results: Sequence[Result], waivers: Sequence[WaiverState], accepted: Expectations
) -> int:
    """Hold a judged run to what was accepted, write its reports and print it; the exit code."""
    try:
        results = keep_listed(RunFolder(folder), judged, results)
    except OSError as error:
        raise unwritable(error.filename or folder, error) from error
    gate = hold_to(judged, results, waivers, accepted)
    write_reports(folder, judged, results, gate=gate)
    say(judged, folder, gate)
    return exit_code(judged, gate)


def rewrite(folder: Path) -> None:
    """Write the reports of a finished run again."""
    with RunFolder(folder).owned() if locked_before(folder) else nullcontext():
        judged, results = read_run(folder)
        gate = read_gate(folder)
        write_reports(folder, judged, results, gate=gate)
    say(judged, folder, gate)


def say(judged: Run, folder: Path, gate: Gate | None = None) -> None:
    """The verdict, the first findings and clauses not judged, readings told apart, where the report is, the gate."""
    lines = [judged.headline]
    shown = located(judged, folder)
    lines += _finding_lines(shown, judged.findings)
    named, more = unjudged(judged)
    lines += [f"  not judged: {name}: {one_line(why)}" for name, why in named]
    lines += [f"  and {more} more not judged"] if more else []
    lines += left_out(judged)
    known = catalogues_of(judged.specs)
    readings = reading_views(judged, known)
    lines += [f"  {view.name}: {view.says}" for view in readings if view.state != "open"]
    lines += [f"  {line}" for line in clause_lines(judged, known)]
    lines += [f"  {left}"] if (left := still_open(readings)) else []
    hints = judged.environment.get("hints")
    lines += [f"  note: {one_line(str(hint))}" for hint in (hints if isinstance(hints, list) else [])]
    if judged.exploration:
        lines.append("exploration:")
        lines += [f"  {name}: {says}" for name, says in explored_lines(judged)]
        lines += _finding_lines(shown, judged.explored_findings)
    lines.append(f"report: {folder / 'report.html'}")
    sys.stdout.write("\n".join(lines) + "\n")
    if gate is not None:
        print_gate(gate)


def _finding_lines(shown: Run, groups: Sequence[FindingGroup]) -> Iterator[str]:
    """The first findings of the case list, or of exploration."""
    for group in groups[:MOST_FINDINGS]:
        grade = f"; {group.grade}" if group.grade else ""
        yield f"  {group.title}: {bare(group.says)} ({plural(group.cases, group.noun)}{grade})"
        if group.suspects:
            yield f"    suspected as well: {', '.join(group.suspects)}"
        if guess := as_if(group.cause, group.candidates):
            yield f"    it {guess}"
        if group.shares:
            yield f"    in common: {bare(group.shares)}"
        if also := see_also(group, shown):
            yield f"    {also}"
        if group.sum:
            yield f"    in the case file: {group.sum}"
        if group.example:
            yield f"    {replay_command(shown, group.example)}"
    if (more := len(groups) - MOST_FINDINGS) > 0:
        yield f"  and {plural(more, 'more finding')} in the report"


def left_out(judged: Run) -> list[str]:
    """A line for each specification that could not be used, and for the first rows that are not covered."""
    lines = [f"  {name} could not be used: {spec.broken}" for name, spec in judged.specs.items() if spec.broken]
    rows = [(row, why) for spec in judged.specs.values() for row, why in spec.not_covered.items()]
    lines += [f"  not covered: {row}: {why}" for row, why in rows[:MOST_ROWS]]
    return [*lines, f"  and {len(rows) - MOST_ROWS} more rows not covered"] if len(rows) > MOST_ROWS else lines
