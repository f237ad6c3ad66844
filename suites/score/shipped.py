"""The sensitivity of the default smoke lists, kept with the code it was computed with, so that a first run need not.

It counts only for exactly that code: after any change it is ignored, and computed as ever. To write it anew, or to
compute it again and compare::

    python -m mmaspec.suites.score.shipped
    python -m mmaspec.suites.score.shipped --check
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from functools import cache
from importlib import resources
from pathlib import Path

import msgspec

from mmaspec.oracle.judge import expectations
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.profile import PRACTICE
from mmaspec.programs.specifications import ours
from mmaspec.strategies.enumerate import DEFAULT_SEED, case_list
from mmaspec.strategies.recipe import Recipe, materialise
from mmaspec.suites.judging.cache import own_hash
from mmaspec.suites.judging.sensitivity import sensitive_to
from mmaspec.suites.pool import processes

NAME = "sensitivity.json"

Names = dict[str, tuple[str, ...]]


class Shipped(msgspec.Struct, frozen=True):
    """The file."""

    code: str
    """Hash of the code that it was computed with."""
    cases: Names
    """Case ID -> counterfactuals that fail it."""


def read(folder: Path | None = None) -> Shipped:
    """The file of this installation, or in ``folder``; an empty one where it is missing or damaged."""
    file = (folder or Path(str(resources.files("mmaspec.suites.score")))) / NAME
    try:
        return msgspec.json.decode(file.read_bytes(), type=Shipped)
    except (OSError, UnicodeDecodeError, msgspec.MsgspecError):
        return Shipped("", {})


@cache
def known() -> Names:
    """What the file says, if it was computed with this very code; else nothing."""
    shipped = read()
    return shipped.cases if shipped.code == own_hash() else {}


def computed(workers: int) -> Shipped:
    """What the file ought to be."""
    recipes = [
        recipe for spec in ours() for recipe in case_list(spec, spec_named(spec).default_caps, "smoke", DEFAULT_SEED)
    ]
    found: Names = {}
    with processes(workers) as run:
        for part in run(_strip, [recipes[start :: 4 * workers] for start in range(4 * workers)], lambda *_: None):
            found |= part
    return Shipped(own_hash(), dict(sorted(found.items())))


def _strip(recipes: Sequence[Recipe]) -> Names:
    found: Names = {}
    for recipe in recipes:
        case = materialise(recipe)
        found[recipe.id] = sensitive_to(case, expectations(case, PRACTICE))
    return found


def differing(one: Names, other: Names) -> list[str]:
    """The cases of which the two do not say the same."""
    return sorted(case for case in {*one, *other} if one.get(case) != other.get(case))


def main() -> int:
    """Write the file beside this module, or compare."""
    parser = argparse.ArgumentParser(description="The sensitivity of the default smoke lists.")
    parser.add_argument("--check", action="store_true", help="compute it again and compare; 1 if it differs")
    wanted = parser.parse_args()
    shipped = read()
    if wanted.check and shipped.code != own_hash():
        sys.stdout.write("computed with other code: it is ignored\n")
        return 0
    fresh = computed(max(1, min(os.cpu_count() or 1, 8)))
    if wanted.check:
        wrong = differing(shipped.cases, fresh.cases)
        sys.stdout.write(f"{len(fresh.cases)} cases computed again; different: {' '.join(wrong) or 'none'}\n")
        return 1 if wrong else 0
    text = msgspec.json.format(msgspec.json.encode(fresh), indent=0)
    Path(__file__).with_name(NAME).write_bytes(text + b"\n")
    sys.stdout.write(f"{len(fresh.cases)} cases\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
