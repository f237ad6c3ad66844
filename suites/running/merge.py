"""Merging shards: making the run folder that a single run would have left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from mmaspec.programs.errors import BadInput
from mmaspec.suites.judging.cache import code_hash
from mmaspec.suites.judging.kind import shows
from mmaspec.suites.judging.record import Result
from mmaspec.suites.planning.plan import Plan, Planned, recipe_of, shard_of
from mmaspec.suites.running.run_folder import RunFolder

_SAME = (
    "description",
    "profile",
    "authority",
    "tier",
    "seed",
    "specs",
    "caps",
    "reported",
    "broken",
    "case_list",
    "explore",
    "code",
)
"""What shards of one run have in common; where and how long each was run may differ."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """All shards of one run, read and checked to fit together; nothing is written yet."""

    plan: Plan
    """That of the run as one undivided."""
    cases: list[Planned]
    answers: list[tuple[Result, bytes]]
    """What one run would have recorded, each with its case file, empty where there is none."""

    def write(self, out: RunFolder) -> None:
        """Write into ``out``, which is empty, the plan, the rows and the case files of one undivided run."""
        out.write_plan(self.plan, map(recipe_of, self.cases))
        recorder = out.recorder("merged")
        for result, example in self.answers:
            if result.example:
                recorder.example(result.example, example)
            recorder.append(result)
        recorder.close()


def gather(folders: Sequence[RunFolder]) -> Gathered:
    """Read ``folders``.

    Raises ``BadInput`` unless they are all the shards of one run, each complete and as it was written.
    """
    shards = [folder.verified() for folder in folders]
    _check(shards)
    first = shards[0]
    results: dict[str, Result] = {}
    origin: dict[str, RunFolder] = {}
    for shard in shards:
        recorded = shard.recorded()
        for planned in shard.own_cases:
            if planned.id not in recorded.results:
                raise BadInput(f"{shard}: case {planned.id} has no answer; go on with mmaspec check --resume")
            results[planned.id] = recorded.results[planned.id]
            origin[planned.id] = shard
    answers = [
        (result, origin[result.case].example(result) if result.example else b"")
        for result in _as_one(first.cases, results)
    ]
    isolate = all(shard.plan.isolate for shard in shards)  # one that shared its process had to be trusted
    return Gathered(replace(first.plan, shard="", run="", isolate=isolate), first.cases, answers)


def _check(shards: Sequence[RunFolder]) -> None:
    """Raise ``BadInput`` unless these are all the shards of one run."""
    first = shards[0]
    for shard in shards[1:]:
        for name in _SAME:
            if getattr(shard.plan, name) != getattr(first.plan, name):
                what = {
                    "code": "version of mmaspec",
                    "description": "backend",
                    "case_list": "case list",
                    "explore": "choice of --no-explore",
                }.get(name, name)
                raise BadInput(f"{shard}: another {what} than {first}; shards of two runs do not mix")
        if shard.cases != first.cases:
            raise BadInput(f"{shard}: another case list than {first}; shards of two runs do not mix")
    if first.plan.code != code_hash():
        raise BadInput(f"{first}: holds a run of another version of mmaspec; merge it with that one")
    count = shard_of(first.plan.shard)[1]
    by_number: dict[int, RunFolder] = {}
    for shard in shards:
        number, of = shard_of(shard.plan.shard)
        if of != count:
            raise BadInput(f"{shard}: shard {shard.plan.shard}, but {first} is {first.plan.shard}")
        if number in by_number and shard.path.resolve() == by_number[number].path.resolve():
            raise BadInput(f"{shard}: given twice; expected each shard once")
        if number in by_number:
            raise BadInput(f"{shard}: shard {shard.plan.shard}, as {by_number[number]} is")
        by_number[number] = shard
    if missing := [str(number) for number in range(1, count + 1) if number not in by_number]:
        raise BadInput(f"shard {missing[0]}/{count} is missing ({len(missing)} of {count} in all)")


def _as_one(cases: Sequence[Planned], results: Mapping[str, Result]) -> Iterator[Result]:
    """The results as a single run has them: only the first failure of each kind in a test has a case file.

    A shard sees fewer failures before each, so it reduces all of those and some more.
    """
    shown: dict[str, set[tuple[str, str]]] = {}
    for planned in cases:
        result = results[planned.id]
        if result.finding is None or not result.example:
            yield result
            continue
        seen = shown.setdefault(planned.test, set())
        yield result if shows(result.finding, seen) else replace(result, example="")
