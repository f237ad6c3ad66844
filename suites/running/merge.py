"""Merging shards: the run folder that one undivided run would have left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from mmaspec.oracle.case import MAX_FILE
from mmaspec.programs.errors import BadInput
from mmaspec.programs.input_file import read_plain
from mmaspec.suites.judging.cache import code_hash, sensitivity_path
from mmaspec.suites.judging.judge_case import EXAMPLES as MOST_EXAMPLES
from mmaspec.suites.judging.judge_case import kind_of
from mmaspec.suites.judging.record import Finding, Result
from mmaspec.suites.planning.manifest import verify, write_manifest
from mmaspec.suites.planning.plan import (
    CASES,
    PLAN,
    Plan,
    Planned,
    case_list_hash,
    pending_here,
    read_cases,
    read_plan,
    recipe_of,
    shard_of,
    write_plan,
)
from mmaspec.suites.running.recorder import EXAMPLES, ROWS, Recorder, read_rows

_SAME = ("description", "profile", "authority", "tier", "seed", "specs", "caps", "case_list", "code")
"""What shards of one run have in common; where and how long each was run may differ."""


@dataclass(frozen=True, slots=True)
class _Shard:
    folder: Path
    plan: Plan
    cases: list[Planned]


def seal(folder: Path) -> None:
    """Write the manifest of a shard that has answered all its cases."""
    write_manifest(folder, _files(folder))


def _files(folder: Path) -> list[str]:
    rows = (f"{ROWS}/{path.name}" for path in (folder / ROWS).glob("*.jsonl"))
    examples = (f"{EXAMPLES}/{path.name}" for path in (folder / EXAMPLES).glob("*.json"))
    return [PLAN, CASES, *rows, *examples]


@dataclass(frozen=True, slots=True)
class Gathered:
    """All the shards of one run, read and found to fit; nothing is written yet."""

    plan: Plan
    """That of the run as one undivided."""
    cases: list[Planned]
    answers: list[tuple[Result, bytes]]
    """What one run would have recorded, each with its case file, empty where there is none."""

    def write(self, out: Path) -> None:
        """Write into ``out``, which is empty, the plan, the rows and the case files of one undivided run."""
        write_plan(out, self.plan, map(recipe_of, self.cases))
        recorder = Recorder(out, "merged")
        for result, example in self.answers:
            if result.example:
                recorder.example(result.example, example)
            recorder.append(result)
        recorder.close()


def gather(folders: Sequence[Path]) -> Gathered:
    """Read ``folders``.

    Raises ``BadInput`` unless they are all the shards of one run, each complete and as it was written.
    """
    shards = [_read(folder) for folder in folders]
    _check(shards)
    first = shards[0]
    results: dict[str, Result] = {}
    unreduced: dict[str, Finding] = {}
    origin: dict[str, Path] = {}
    for shard in shards:
        recorded = read_rows(shard.folder)
        for planned in pending_here(shard.plan, shard.cases):
            if planned.id not in recorded.results:
                raise BadInput(f"{shard.folder}: case {planned.id} has no answer; go on with mmaspec check --resume")
            results[planned.id] = recorded.results[planned.id]
            origin[planned.id] = shard.folder
        unreduced.update(recorded.unreduced)
    specs = {planned.id: planned.test.partition("/")[0] for planned in first.cases}
    cached = {
        name: str(sensitivity_path(case for case, spec in specs.items() if spec == name)) for name in first.plan.caps
    }
    answers = [
        (result, _example(origin[result.case], result) if result.example else b"")
        for result in _as_one(first.cases, results, unreduced)
    ]
    return Gathered(replace(first.plan, shard="", sensitivity=cached), first.cases, answers)


def _read(folder: Path) -> _Shard:
    plan = read_plan(folder)
    if not plan.shard:
        raise BadInput(f"{folder}: holds a whole run, not a shard of one")
    verify(folder, _files(folder))
    cases = read_cases(folder)
    if case_list_hash(planned.id for planned in cases) != plan.case_list:
        raise BadInput(f"{folder / CASES}: is not the case list of {PLAN}")
    return _Shard(folder, plan, cases)


def _check(shards: Sequence[_Shard]) -> None:
    """Raise ``BadInput`` unless these are all the shards of one run."""
    first = shards[0]
    for shard in shards[1:]:
        for name in _SAME:
            if getattr(shard.plan, name) != getattr(first.plan, name):
                what = {"code": "version of mmaspec", "description": "backend", "case_list": "case list"}.get(
                    name, name
                )
                raise BadInput(f"{shard.folder}: another {what} than {first.folder}; shards of two runs do not mix")
        if shard.cases != first.cases:
            raise BadInput(f"{shard.folder}: another case list than {first.folder}; shards of two runs do not mix")
    if first.plan.code != code_hash():
        raise BadInput(f"{first.folder}: holds a run of another version of mmaspec; merge it with that one")
    count = shard_of(first.plan.shard)[1]
    by_number: dict[int, _Shard] = {}
    for shard in shards:
        number, of = shard_of(shard.plan.shard)
        if of != count:
            raise BadInput(f"{shard.folder}: shard {shard.plan.shard}, but {first.folder} is {first.plan.shard}")
        if number in by_number:
            raise BadInput(f"{shard.folder}: shard {shard.plan.shard}, as {by_number[number].folder} is")
        by_number[number] = shard
    if missing := [str(number) for number in range(1, count + 1) if number not in by_number]:
        raise BadInput(f"shard {missing[0]}/{count} is missing ({len(missing)} of {count} in all)")


def _as_one(
    cases: Sequence[Planned], results: Mapping[str, Result], unreduced: Mapping[str, Finding]
) -> Iterator[Result]:
    """The results as one run gives them: of a test's failures the first of each kind have a case file.

    A shard sees fewer failures before each, so it reduces all of those and some more.
    """
    shown: dict[str, set[tuple[str, str]]] = {}
    for planned in cases:
        result = results[planned.id]
        if result.finding is None or result.outcome == "died" or not result.example:
            yield result
            continue
        seen = shown.setdefault(planned.test, set())
        finding = unreduced.get(planned.id, result.finding)
        if kind_of(finding) in seen or len(seen) >= MOST_EXAMPLES:
            yield replace(result, finding=finding, example="")
        else:
            seen.add(kind_of(finding))
            yield result


def _example(folder: Path, result: Result) -> bytes:
    """The case file of a result."""
    if result.example != f"{result.case}.json":
        raise BadInput(f"{folder}: case {result.case} has a case file called {result.example!r}")
    path = folder / EXAMPLES / result.example
    return read_plain(path, MAX_FILE)
