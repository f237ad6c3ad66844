"""The share of a test in the case list, run in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mmaspec.backends.failures import Died
from mmaspec.backends.processes.isolated import IsolatedBackend
from mmaspec.backends.protocol import Runner
from mmaspec.backends.resolve import isolated, resolve
from mmaspec.oracle.acceptance import Acceptance
from mmaspec.oracle.readings import Assignment
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.judging.cache import read_sensitivity
from mmaspec.suites.judging.death import UNSEEN, died_once
from mmaspec.suites.judging.explain import LiveExplainer
from mmaspec.suites.judging.judge_case import CaseJudge
from mmaspec.suites.judging.kind import Listable
from mmaspec.suites.judging.record import Begin, Result
from mmaspec.suites.judging.remembered.acceptance import acceptance_path, read_acceptance
from mmaspec.suites.planning.plan import Plan, Planned, recipe_of
from mmaspec.suites.running.listed import kinds_shown
from mmaspec.suites.running.prefetch import prefetch_answers
from mmaspec.suites.running.room import give_up
from mmaspec.suites.running.run_folder import RunFolder
from mmaspec.suites.running.unjudged import died, failed_here
from mmaspec.suites.score import shipped
from mmaspec.suites.score.spared import spared
from mmaspec.suites.vectors.answers import Replayed
from mmaspec.suites.vectors.recorded_run import RecordedExplainer


class Worker:
    """The state of one pytest process: the plan, its backend, the cases already answered, its recorder."""

    def __init__(self, folder: RunFolder, name: str, *, isolate: bool = False) -> None:
        plan = folder.plan
        self.plan: Plan = plan
        self._isolate = isolate or plan.process == "isolated"
        self.cases: list[Planned] = folder.own_cases
        self._recorded = folder.recorded()
        self._folder = folder.path
        try:
            self._recorder = folder.recorder(name)
        except OSError as error:
            give_up(self._folder, error)
        self.known: dict[str, tuple[str, ...]] = {}
        self._spared: dict[tuple[str, str], frozenset[str]] = {}
        self._accepted: dict[str, Mapping[Assignment, Acceptance]] = {}
        self._before: dict[str, Result] = {}
        for spec in plan.caps:
            # What is kept for this user is of the whole list; the code need not be hashed then.
            path = folder.sensitivity(spec)
            kept = read_sensitivity(path) if path is not None else {}
            self.known |= kept or shipped.known(spec)
            if not kept:
                self._spared |= spared(spec, folder.listed_cases)
            if path is not None:
                self._accepted |= read_acceptance(acceptance_path(path, plan.profile))
                self._before |= folder.judged_before(spec)
        # What lies beyond the list proves nothing, so it need not be known what it would.
        self.known |= {planned.id: () for planned in self.cases if planned.explored}
        # What a shard lists depends on the other shards.
        self._listable = None if plan.shard else Listable()
        self._backend: Runner | None = None

    @property
    def backend(self) -> Runner:
        """The backend under test, made when first needed: in this process, or in a child of it."""
        if self._backend is None:
            if self.plan.recorded is not None:
                self._backend = Replayed(*map(Path, self.plan.recorded))
            elif self._isolate:
                self._backend = isolated(self.plan.backend, timeout_s=self.plan.time_limit)
            else:
                self._backend = resolve(self.plan.backend)
        return self._backend

    @cached_property
    def _unsteady(self) -> set[str]:
        """Cases that were answered now rightly and now wrongly, also by an earlier process of the run."""
        results = self._recorded.results.values()
        return {one.case for one in results if one.finding is not None and one.finding.symptom == "unstable"}

    def walk(self, test: str) -> list[Result]:
        """Judge every case of ``test`` that has no result yet; returns the results that are failures."""
        mine = [planned for planned in self.cases if planned.test == test]
        shown = kinds_shown(mine, self._recorded)
        explaining = LiveExplainer if self.plan.recorded is None else RecordedExplainer
        plan = self.plan
        case_judge = CaseJudge(
            self.backend,
            plan.description,
            plan.profile,
            self.known,
            shown,
            listable=self._listable,
            explaining=explaining,
            spared=self._spared,
            accepted=self._accepted,
            before=self._before,
            unsteady=self._unsteady,
        )
        failures = []
        begun, results = self._recorded.begun, self._recorded.results
        pending = [planned for planned in mine if planned.id not in results and begun[planned.id] <= 1]
        asked = 0
        for number, planned in enumerate(pending):
            if number >= asked:
                asked = number + self._prefetch_answers(pending[number:])
            try:
                result = self._one(case_judge, planned)
            except OSError as error:  # only recording raises it here
                give_up(self._folder, error)
            if result.outcome in {"illegal", "refused", "died"}:
                failures.append(result)
        return failures

    def _prefetch_answers(self, pending: Sequence[Planned]) -> int:
        """Ask the backend several of these cases at once; returns how many."""
        if not isinstance(self.backend, IsolatedBackend) or "executes" not in self.plan.description.roles:
            return 0
        return prefetch_answers(self.backend, pending, self.plan.profile, self.plan.description)

    def _one(self, case_judge: CaseJudge, planned: Planned) -> Result:
        recipe = recipe_of(planned)
        self._recorder.append(Begin(planned.id))
        deaths: list[Died] = []
        try:
            result, example = self._survived(case_judge, recipe, deaths)
        except Died:
            how = next(death for death in deaths if not death.shared)
            result, example = died(recipe, self.plan, f"{how}", case_judge.shown)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - a fault of ours must not be put down to the backend
            result, example = failed_here(recipe, error), b""
        if deaths or self._recorded.begun[planned.id] > 0:
            result = died_once(result, deaths[0] if deaths else UNSEEN)
        if example:
            self._recorder.example(result.example, example)
        self._recorder.append(result)
        return result

    def _survived(self, case_judge: CaseJudge, recipe: Recipe, deaths: list[Died]) -> tuple[Result, bytes]:
        """The result of the first try in which the backend does not die; ``Died`` if it dies in two.

        A death among several requests makes a case inconclusive, but is not one of the two.
        """
        own = 0
        while True:
            try:
                return case_judge.judge_listed(recipe)
            except Died as error:
                deaths.append(error)
                own += not error.shared
                if own == 2:
                    raise

    def close(self) -> None:
        """Stop the child process, if there is one."""
        self._recorder.close()
        if isinstance(self._backend, IsolatedBackend):
            self._backend.close()


@dataclass(frozen=True, slots=True)
class Share:
    """One test's part of the plan."""

    worker: Worker
    test: str

    def run(self) -> list[Result]:
        """Judge the share and return its failures."""
        return self.worker.walk(self.test)
