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
from mmaspec.suites.score.table_command import Table, run_command

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


def compared(spec: str, workers: int) -> list[str]:
    """The cases of which another result comes out when they are judged again; none where the file is stale."""
    wrong: list[str] = []
    for profile in profiles():
        stored = known(spec, profile)
        fresh = judged(spec, profile, workers) if stored else {}
        wrong += sorted(case for case in {*stored, *fresh} if stored.get(case) != fresh.get(case))
    return wrong


TABLE = Table(
    says="The results of the reference device's answers to the smoke lists.",
    file="answers/{}-*.xz",
    command=COMMAND,
    entries="results",
    is_stale=is_stale,
    write=write,
    differing=compared,
)
"""What the command works on."""

if __name__ == "__main__":
    raise SystemExit(run_command(TABLE))
