"""Which case of the default smoke list notices each class mutant: stored, so that a class that none proves shows.

There is one file a specification. A change of the lists may take a case away, or a change of the axes add a class;
tests notice both. To bring the files up to date, which tries what is stored first and the rest of the list only for
what that does not prove any more::

    python -m mmaspec.suites.score.classes.proofs [SPEC...]
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec

from mmaspec.programs.specifications import ours
from mmaspec.strategies.axes.observation import observer_of
from mmaspec.strategies.axes.space import space_of
from mmaspec.strategies.enumerate import DEFAULT_SEED
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.planning.lists import listed_whole
from mmaspec.suites.pool import Mapper, Progress, processes
from mmaspec.suites.score.classes.mutant import Mutant, every
from mmaspec.suites.score.classes.reviewed import why_none
from mmaspec.suites.score.classes.scoring import Reason, tried_on, try_some
from mmaspec.suites.score.stored import stored_in, table, write_stored

COMMAND = "python -m mmaspec.suites.score.classes.proofs"


class Proofs(msgspec.Struct, frozen=True):
    """What became of the class mutants of one specification, by their text."""

    proved: dict[str, str] = {}
    """-> the ID of a case of the smoke list that ends illegal on the mutant."""
    unproved: dict[str, Reason] = {}
    """-> why no case does. Those that were judged to be no mistake are in neither."""


def folder() -> Path:
    """The folder of these files in this installation."""
    return stored_in(__package__ or "", "proofs")


def read(spec: str) -> Proofs:
    """The file of a specification; an empty one where there is none yet."""
    file = folder() / f"{spec}.json"
    return msgspec.json.decode(file.read_bytes(), type=Proofs) if file.exists() else Proofs()


def text(proofs: Proofs) -> bytes:
    """The text of a file: a line for each class, so that unrelated changes merge."""
    return f'{{"proved":{table(proofs.proved)},"unproved":{table(proofs.unproved)}}}\n'.encode()


def mistakes(spec: str) -> tuple[Mutant, ...]:
    """Every class mutant that was not judged to be none."""
    return tuple(one for one in every(space_of(spec), observer_of(spec)) if not why_none(spec, one))


@cache
def smoke(spec: str) -> tuple[Recipe, ...]:
    """The list that is to prove them."""
    return listed_whole(spec, "smoke", DEFAULT_SEED)


def still_proved(
    spec: str, mutants: Sequence[Mutant], over: Mapper, progress: Progress = lambda *_: None
) -> dict[Mutant, str]:
    """Those of the mutants that the stored case notices, with the case."""
    stored, recipes = read(spec).proved, {recipe.id: recipe for recipe in smoke(spec)}
    by_case: dict[str, list[tuple[Mutant, int]]] = {}
    for mutant in mutants:
        if (case := stored.get(mutant.text, "")) in recipes:
            by_case.setdefault(case, []).append((mutant, 0))
    tasks = [((recipes[case],), tuple(some)) for case, some in sorted(by_case.items())]
    found = over(try_some, tasks, progress)
    return {mutant: case for outcome in found for mutant, (_, case) in outcome.killed.items()}


def computed(spec: str, workers: int, progress: Progress) -> Proofs:
    """The contents that the file should have."""
    wanted = mistakes(spec)
    with processes(workers) as over:
        proved = {one.text: case for one, case in still_proved(spec, wanted, over, progress).items()}
        left = [one for one in wanted if one.text not in proved]
        rest = tried_on(smoke(spec), left, over, progress)
    found = dict(zip((one.text for one in left), rest, strict=True))
    proved |= {name: one.case for name, one in found.items() if one.kind}
    return Proofs(proved, {name: one.reason for name, one in found.items() if not one.kind})


def _told(done: int, total: int) -> None:
    sys.stderr.write(f"\r{done} of {total} groups of cases")


def main() -> int:
    """Write the files of some specifications, or of all; returns the exit code."""
    parser = argparse.ArgumentParser(description="Which case of the smoke list proves each class.")
    parser.add_argument("spec", nargs="*", help="specifications; all if none is named")
    for spec in parser.parse_args().spec or ours():
        found = computed(spec, max(1, min(os.cpu_count() or 1, 8)), _told)
        write_stored(folder(), spec, text(found))
        sys.stderr.write("\n")
        sys.stdout.write(f"{spec}: {len(found.proved)} classes proved, {len(found.unproved)} not\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
