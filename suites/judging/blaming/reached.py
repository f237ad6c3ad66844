"""In which items an instruction is wrong whatever went before it: nothing that it takes is wrong."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mmaspec.oracle.expectation import Step
from mmaspec.programs.base import Place, Program
from mmaspec.programs.tree import Path, at
from mmaspec.suites.judging.blaming.trial import Seen, Shows, names


def wrong_there(program: Program, steps: Sequence[Step], seen: Seen, shows: Shows, place: Place) -> set[int]:
    """The items in which the state after the instruction at a place is wrong, and none on which it depends is.

    ``steps`` are those of the program.
    """
    feeding = _feeding(program, steps, place.path)
    wrong: set[int] = set()
    spoilt: set[int] = set()
    for region, mask in zip(seen.expected.regions, seen.wrong.regions, strict=True):
        if region.buffer not in shows:
            continue
        path, items = shows[region.buffer].path, set(np.flatnonzero(mask.any(axis=(1, 2, 3))).tolist())
        if path == place.path:
            wrong |= items
        elif path in feeding:
            spoilt |= items
    return wrong - spoilt


def _feeding(program: Program, steps: Sequence[Step], path: Path) -> frozenset[Path]:
    """The instructions that write what the one at ``path`` takes, or what those take, as far back as that goes.

    Those behind it are among them where they stand in the same loop. More may be than matter: each that ever wrote it.
    """
    loop = path[:1] if len(path) > 1 else ()
    writers = {one.place.path: one.writes for one in steps if one.place.path < path or one.place.path[:1] == loop}
    needed = set(names(at(program, Place(path))))
    found: set[Path] = set()
    while fresh := [here for here, written in writers.items() if here not in {*found, path} and written in needed]:
        found.update(fresh)
        needed.update(name for here in fresh for name in names(at(program, Place(here))))
    return frozenset(found)
