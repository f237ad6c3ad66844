"""The folder of a run: its files are read once, and written so that a killed run can be resumed."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path

from mmaspec.oracle.case import MAX_FILE, Case, decode_case
from mmaspec.programs.errors import BadInput, writing
from mmaspec.programs.input_file import read_plain
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.judging.cache import sensitivity_path
from mmaspec.suites.judging.record import Result
from mmaspec.suites.judging.remembered.answers import answers_path, read_answers, remembers
from mmaspec.suites.planning.manifest import MANIFEST, reach_disk, verify, within, write_manifest
from mmaspec.suites.planning.plan import (
    CASES,
    PLAN,
    Plan,
    Planned,
    pending_here,
    read_cases,
    read_plan,
    spec_of,
    write_plan,
)
from mmaspec.suites.running.owner import HELD, owning, refuse_at_work
from mmaspec.suites.running.recorder import Recorder
from mmaspec.suites.running.rows import Recorded, Rows
from mmaspec.suites.score import stored_answers

WORK = "work"
ROWS = "work/rows"
EXAMPLES = "cases"
SHARDS = "work/shards"
LOG = "work/pytest.log"

WRITTEN = (
    WORK,
    EXAMPLES,
    "run.json",
    "results.jsonl",
    "report.html",
    "junit.xml",
    "summary.md",
    "gate.json",
    MANIFEST,
)
"""What a run folder holds; nothing else is ever removed from one."""


class RunFolder:
    """One run's folder, or one shard's.

    The plan and the case list are read when first asked for and then kept, since nothing changes them while a run goes
    on; rows are read on from where the last look ended. Not shared between processes: each makes its own.
    """

    def __init__(self, path: Path) -> None:
        self.path: Path = path

    def __str__(self) -> str:
        return str(self.path)

    @cached_property
    def plan(self) -> Plan:
        """The plan. Raises ``BadInput`` if it is missing, damaged or edited."""
        return read_plan(self.path)

    @cached_property
    def rows(self) -> Rows:
        """The rows of this run."""
        return Rows(self.path / ROWS, self.plan.run)

    @cached_property
    def cases(self) -> list[Planned]:
        """The case list, in its order, and then the explored cases.

        Raises ``BadInput`` if they are missing, damaged, edited or of another plan.
        """
        return read_cases(self.path, self.plan)

    @cached_property
    def listed_cases(self) -> list[Planned]:
        """The case list without the explored cases."""
        return [planned for planned in self.cases if not planned.explored]

    @cached_property
    def own_cases(self) -> list[Planned]:
        """The cases that have to be answered here: those of the shard, or all."""
        return pending_here(self.plan, self.cases)

    def sensitivity(self, spec: str) -> Path | None:
        """Where this user keeps the sensitivity of a specification's case list; None if the run uses nothing kept.

        It is computed anew each time: no path is taken from a file of the folder.
        """
        if not self.plan.cached:
            return None
        return sensitivity_path(planned.id for planned in self.listed_cases if spec_of(planned) == spec)

    def answers(self, spec: str) -> Path | None:
        """Where this user keeps the answers to that list; None if the run uses nothing kept, or keeps none."""
        path = self.sensitivity(spec) if remembers(self.plan.profile) else None
        return None if path is None else answers_path(path, self.plan.profile, self.plan.backend)

    def judged_before(self, spec: str) -> dict[str, Result]:
        """The results of answers that were judged before: by mmaspec's own stored table, and in runs of this user."""
        path = self.answers(spec)
        return {} if path is None else stored_answers.known(spec, self.plan.profile) | read_answers(path)

    @property
    def planned(self) -> bool:
        """Whether a plan was written to the folder."""
        with writing(self):
            return (self.path / PLAN).exists()

    @property
    def log(self) -> Path:
        """The output of pytest."""
        return self.path / LOG

    def write_plan(self, plan: Plan, recipes: Iterable[Recipe]) -> None:
        """Begin a run by writing its plan. Raises ``BadInput`` if it cannot be written."""
        write_plan(self.path, plan, recipes)
        self._forget()

    def recorded(self) -> Recorded:
        """All rows so far. Raises ``BadInput`` where they are not as they were written."""
        self.rows.look()
        return self.rows.recorded()

    def recorder(self, worker: str) -> Recorder:
        """A recorder that appends rows to a file of this process, and writes case files."""
        return Recorder(self.path / ROWS, self.path / EXAMPLES, worker, self.plan.run)

    def example(self, result: Result) -> bytes:
        """The case file of a result. Raises ``BadInput``."""
        if result.example != f"{result.case}.json":
            raise BadInput(f"{self}: case {result.case} has a case file called {result.example!r}")
        return read_plain(self.path / EXAMPLES / result.example, MAX_FILE, links=False)

    def filed(self, result: Result) -> Case | None:
        """The case in the file of a result; None where it has none. Raises ``BadInput``."""
        return decode_case(self.example(result), result.example) if result.example else None

    def shard(self, number: int) -> RunFolder:
        """The folder within this one for a shard that was answered on a cluster."""
        return RunFolder(self.path / SHARDS / str(number))

    def shards(self) -> list[RunFolder]:
        """All such folders that are there."""
        return [RunFolder(path) for path in sorted((self.path / SHARDS).glob("*"))]

    @property
    def sealed(self) -> bool:
        """Whether there is a manifest."""
        return (self.path / MANIFEST).exists()

    def reach_disk(self) -> None:
        """Have the rows reach the disk, those of killed workers too: what is built on them may not outlive them."""
        for path in (self.path / ROWS).glob("*.jsonl"):
            reach_disk(path)

    def seal(self) -> None:
        """Write the manifest of a shard that has answered all its cases."""
        write_manifest(self.path, self.files())

    def verified(self) -> RunFolder:
        """The folder itself. Raises ``BadInput`` unless it is a sealed, unchanged shard that no run is writing."""
        for name in (PLAN, CASES, ROWS, EXAMPLES):
            within(self.path, name)
        if not self.plan.shard:
            raise BadInput(f"{self}: holds a whole run, not a shard of one")
        refuse_at_work(self.path)
        if self.plan.recorded is not None:
            raise BadInput(f"{self}: holds answers that were recorded elsewhere; those are not merged")
        verify(self.path, self.files())
        _ = self.cases
        return self

    def files(self) -> list[str]:
        """The files of a shard by name: plan, case list, rows, case files."""
        rows = (f"{ROWS}/{path.name}" for path in (self.path / ROWS).glob("*.jsonl"))
        examples = (f"{EXAMPLES}/{path.name}" for path in (self.path / EXAMPLES).glob("*.json"))
        return [PLAN, CASES, *rows, *examples]

    def packed(self) -> dict[str, bytes]:
        """The same files with their contents."""
        return {name: (self.path / name).read_bytes() for name in self.files()}

    def unpack(self, files: Mapping[str, bytes]) -> None:
        """Write files of a shard; only names of such files may be given."""
        for name, data in files.items():
            (self.path / name).parent.mkdir(parents=True, exist_ok=True)
            (self.path / name).write_bytes(data)
        self._forget()

    def forget_answers(self) -> None:
        """Remove every row and case file."""
        for name in (ROWS, EXAMPLES):
            shutil.rmtree(self.path / name, ignore_errors=True)
        self._forget()

    def check(self) -> None:
        """Raise ``BadInput`` for a folder that contains anything but an earlier run, or that nobody may look into."""
        with writing(self):
            if not self.path.exists():
                return
            if not self.path.is_dir():
                raise BadInput(f"{self}: is not a folder; expected a run folder, or none")
            if any(self.path.iterdir()) and not self._begun():
                raise BadInput(f"{self}: is not empty and not a run folder; choose another with --report")

    def owned(self) -> AbstractContextManager[None]:
        """Keep every other run out of this folder until the block, or this process, ends. Raises ``BadInput``."""
        return owning(self.path)

    def clear(self) -> None:
        """Remove an earlier run; raises ``BadInput`` if the folder contains anything else.

        The caller owns the folder; what says so is left.
        """
        self.check()
        if not self.path.exists():
            return
        with writing(self):
            self._remove_run()
        self._forget()

    def _remove_run(self) -> None:
        """Remove all that a run writes, but for what says who owns the folder."""
        work = self.path / WORK
        inside = [] if work.is_symlink() or not work.is_dir() else [f"{WORK}/{path.name}" for path in work.iterdir()]
        kept = [name for name in inside if name in HELD]
        for name in (*inside, *WRITTEN):
            path = self.path / name
            if name in kept or (name == WORK and kept):
                continue
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)

    def take(self, other: RunFolder) -> None:
        """Have what another folder on the same disk holds, instead of an earlier run; that folder is left empty.

        The caller owns this folder. Raises ``BadInput`` as ``clear`` does.
        """
        self.clear()
        for path in sorted(other.path.iterdir()):
            for part in sorted(path.iterdir()) if path.name == WORK else (path,):
                name = part.relative_to(other.path)
                if name.as_posix() not in HELD:
                    (self.path / name).parent.mkdir(parents=True, exist_ok=True)
                    part.replace(self.path / name)
        self._forget()

    def _begun(self) -> bool:
        """Whether a run was planned here, or killed while it was."""
        if self.planned or (self.path / CASES).exists():
            return True
        work = self.path / WORK
        return list(self.path.iterdir()) == [work] and {f"{WORK}/{path.name}" for path in work.glob("*")} <= HELD

    def _forget(self) -> None:
        """Forget what was read, so that it is read again."""
        for name in ("plan", "cases", "listed_cases", "own_cases", "rows"):
            self.__dict__.pop(name, None)
