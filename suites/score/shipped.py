"""The stored sensitivity of the default smoke lists, so that a first run need not compute it.

There is one file a specification. It counts only for exactly the code that can change it (`code_path`): after a change
there it is stale, ignored, and computed as ever. To write the stale files anew, to be told of them, or to compute all
of it again and compare::

    python -m mmaspec.suites.score.shipped
    python -m mmaspec.suites.score.shipped --check
    python -m mmaspec.suites.score.shipped --compare
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec

from mmaspec.oracle.judge import expect_by_reading
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.enumerate import DEFAULT_SEED, whole_list
from mmaspec.strategies.recipe import Recipe, materialise
from mmaspec.suites.judging.cache import is_damaged, read_sensitivity
from mmaspec.suites.judging.sensitivity import sensitive_to
from mmaspec.suites.pool import processes
from mmaspec.suites.score.code_path import kept_path_hash, path_hash
from mmaspec.suites.score.stored import one_line, stored_in, table, write_stored
from mmaspec.suites.score.table_command import Table, run_command

COMMAND = "python -m mmaspec.suites.score.shipped"

Names = dict[str, tuple[str, ...]]


class Shipped(msgspec.Struct, frozen=True):
    """The contents of one file of stored sensitivities."""

    code: str
    """Hash of the code that it was computed with."""
    cases: Names
    """Case ID -> counterfactuals that fail it."""


def folder() -> Path:
    """The folder of these files in this installation."""
    return stored_in("mmaspec.suites.score", "sensitivity")


def read(spec: str, where: Path | None = None) -> Shipped:
    """The file of a specification in ``where``; an empty one if it is missing or damaged."""
    file = (where or folder()) / f"{spec}.json"
    try:
        return msgspec.json.decode(file.read_bytes(), type=Shipped)
    except (OSError, UnicodeDecodeError, msgspec.MsgspecError):
        return Shipped("", {})


def text(shipped: Shipped) -> bytes:
    """The text of a file: a line for each case, so that unrelated changes merge."""
    return f'{{"code":{one_line(shipped.code)},\n"cases":{table(shipped.cases)}}}\n'.encode()


@cache
def known(spec: str) -> Names:
    """The contents of the file if it was computed with exactly this code; else nothing."""
    return {} if is_stale(spec) else read(spec).cases


def is_stale(spec: str, where: Path | None = None) -> bool:
    """Whether the file was computed with other code, or is not there."""
    code = read(spec, where).code
    return not code or code != kept_path_hash(spec)


def doubt(spec: str, path: Path) -> str:
    """Why a file of the user's cache is not to be believed; empty if it is, or is not there.

    It has to have the hash of what it says, and to say what the stored sensitivities say of the cases that both have.
    """
    if is_damaged(path):
        return "its hash is not that of what it says"
    mine = read_sensitivity(path)
    ours_say = known(spec) if mine else {}
    wrong = [case for case, names in mine.items() if case in ours_say and names != ours_say[case]]
    return f"it says something else of case {wrong[0]} than mmaspec's own table" if wrong else ""


def computed(spec: str, workers: int) -> Shipped:
    """The contents that the file should have, computed anew."""
    recipes = whole_list(spec, "smoke", DEFAULT_SEED)
    found: Names = {}
    with processes(workers) as run:
        for part in run(_strip, [recipes[start :: 4 * workers] for start in range(4 * workers)], lambda *_: None):
            found |= part
    return Shipped(path_hash(spec), found)


def _strip(recipes: Sequence[Recipe]) -> Names:
    found: Names = {}
    for recipe in recipes:
        case = materialise(recipe)
        found[recipe.id] = sensitive_to(case, expect_by_reading(case, PRACTICE))
    return found


def differing(one: Names, other: Names) -> list[str]:
    """The cases in which the two files differ."""
    return sorted(case for case in {*one, *other} if one.get(case) != other.get(case))


def write(spec: str, workers: int) -> int:
    """Compute the file of a specification and store it; returns its number of cases."""
    fresh = computed(spec, workers)
    write_stored(folder(), spec, text(fresh))
    return len(fresh.cases)


def compared(spec: str, workers: int) -> list[str]:
    """The cases that come out otherwise when the file is computed again; none where it is stale."""
    return [] if is_stale(spec) else differing(read(spec).cases, computed(spec, workers).cases)


TABLE = Table(
    says="The sensitivity of the default smoke lists.",
    file="sensitivity/{}.json",
    command=COMMAND,
    entries="cases",
    is_stale=is_stale,
    write=write,
    differing=compared,
)
"""What the command works on."""

if __name__ == "__main__":
    raise SystemExit(run_command(TABLE))
