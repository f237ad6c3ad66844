"""The results of the reference device's answers to the default smoke lists.

With them a first run need not judge what is byte for byte the same. There is one file a specification and profile,
compressed. It counts only for exactly this code, that which judges included: after a change anywhere there it is stale
and ignored, and every answer is judged as ever. So it is written last. To write the files
of some specifications or those that are stale, to be told of these, or to judge all of it again and compare::

    python -m mmaspec.suites.score.stored_answers [SPEC ...]
    python -m mmaspec.suites.score.stored_answers --check
    python -m mmaspec.suites.score.stored_answers --compare
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from mmaspec.backends.resolve import resolve
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.profile import PRACTICE, Profile
from mmaspec.programs.specifications import ours
from mmaspec.strategies.enumerate import DEFAULT_SEED
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.judging.cache import own_hash
from mmaspec.suites.judging.judge_case import CaseJudge
from mmaspec.suites.judging.record import Result
from mmaspec.suites.judging.remembered.answers import decoded, encoded, profile_identity, worth_keeping
from mmaspec.suites.planning.lists import listed
from mmaspec.suites.pool import processes
from mmaspec.suites.score.packed import read_packed, write_packed
from mmaspec.suites.score.stored import stored_in

COMMAND = "python -m mmaspec.suites.score.stored_answers"
REFERENCE = "numpy"

Results = dict[str, Result]


def profiles() -> tuple[Profile, ...]:
    """Those under which the answers are stored: what the reference device declares, and what any device is held to."""
    return resolve(REFERENCE).describe().profile, PRACTICE


def folder() -> Path:
    """The folder of these files in this installation."""
    return stored_in("mmaspec.suites.score", "answers")


def _file(spec: str, profile: Profile, where: Path | None) -> Path:
    return (where or folder()) / f"{spec}-{profile.name}.xz"


@cache
def known(spec: str, profile: Profile, where: Path | None = None) -> Results:
    """Case ID -> the result of the answer, if it was judged under this profile by exactly this code; else nothing."""
    if spec not in ours():
        return {}
    code, texts = read_packed(_file(spec, profile, where))
    return decoded(texts.get(profile_identity(profile), b"")) if code == own_hash() else {}


def is_stale(spec: str, where: Path | None = None) -> bool:
    """Whether a file was made by other code, or is not there."""
    return any(read_packed(_file(spec, profile, where))[0] != own_hash() for profile in profiles())


def judged(spec: str, profile: Profile, workers: int) -> Results:
    """The results that the file should have, every answer judged."""
    recipes = {one.id: one for caps in spec_named(spec).devices for one in listed(spec, caps, "smoke", DEFAULT_SEED)}
    every = list(recipes.values())
    found: Results = {}
    with processes(workers) as run:
        tasks = [(profile, every[start :: 4 * workers]) for start in range(4 * workers)]
        for part in run(_judged, tasks, lambda *_: None):
            found |= part
    return found


def _judged(task: tuple[Profile, Sequence[Recipe]]) -> Results:
    return judged_of(*task)


def judged_of(profile: Profile, recipes: Sequence[Recipe]) -> Results:
    """The same for some of the cases."""
    backend = resolve(REFERENCE)
    case_judge = CaseJudge(
        backend, backend.describe(), profile, dict.fromkeys((one.id for one in recipes), ()), limit=0
    )
    return worth_keeping(case_judge.judge_listed(recipe)[0] for recipe in recipes)


def write(spec: str, workers: int, where: Path | None = None) -> int:
    """Judge the answers and store the results; returns their number."""
    number = 0
    for profile in profiles():
        found = judged(spec, profile, workers)
        store(spec, profile, found, where)
        number += len(found)
    return number


def store(spec: str, profile: Profile, found: Results, where: Path | None = None) -> None:
    """Write one file."""
    write_packed(_file(spec, profile, where), own_hash(), {profile_identity(profile): encoded(found)})


def compare(specs: Sequence[str], workers: int) -> int:
    """Judge what is not stale again, and print the cases that differ; returns 1 if any does."""
    wrong: list[str] = []
    for spec in specs:
        for profile in profiles():
            stored, fresh = known(spec, profile), judged(spec, profile, workers)
            wrong += sorted(case for case in {*stored, *fresh} if stored and stored.get(case) != fresh.get(case))
    sys.stdout.write(f"different: {' '.join(wrong) or 'none'}\n")
    return 1 if wrong else 0


def main() -> int:
    """Write files, list stale ones, or compare; returns the exit code."""
    parser = argparse.ArgumentParser(description="The results of the reference device's answers to the smoke lists.")
    parser.add_argument("spec", nargs="*", help="specifications; those whose file is stale if none is named")
    parser.add_argument("--check", action="store_true", help="only say which files are stale; 1 if any is")
    parser.add_argument("--compare", action="store_true", help="judge again and compare; 1 if it differs")
    wanted = parser.parse_args()
    workers = max(1, min(os.cpu_count() or 1, 8))
    for spec in wanted.spec:
        spec_named(spec)
    if wanted.compare:
        return compare(wanted.spec or ours(), workers)
    stale = [spec for spec in ours() if is_stale(spec)]
    if wanted.check:
        for spec in stale:
            sys.stdout.write(f"answers/{spec}-*.xz are of other code: they are ignored; write them with {COMMAND}\n")
        return 1 if stale else 0
    for spec in wanted.spec or stale:
        sys.stdout.write(f"{spec}: {write(spec, workers)} results\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
