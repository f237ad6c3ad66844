"""An instruction that changes a matrix which it only reads: what it writes itself is right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from mmaspec.oracle.expectation import Step
from mmaspec.oracle.spec import spec_named
from mmaspec.programs import tree
from mmaspec.programs.base import Place, Program
from mmaspec.suites.judging.blaming.culprit import Culprit
from mmaspec.suites.judging.blaming.trial import names

MOST = 6
"""Instructions between writing a matrix and reading it behind which it is stored instead."""


def clobbering(culprit: Culprit, program: Program, steps: Sequence[Step]) -> tuple[Step, str] | None:
    """The step behind which a matrix that the first wrong step reads is no longer what it was, and the matrix, if any.

    The matrix is stored behind the instructions that read it, and right behind the one that wrote it, where it has to
    be right. ``steps`` are those of the program.
    """
    path = culprit.step.place.path
    buffers = {buffer.name for buffer in program.buffers}
    before = [(place.path, one) for place, one, _ in tree.walk(program) if place.path < path]
    for name in dict.fromkeys(names(tree.at(program, culprit.step.place))):
        writing = [step.place.path for step in steps if step.writes == name and step.legal is not None]
        # What nothing has written is what it was at the beginning.
        last = max((one for one in writing if one < path), default=())
        reading = [
            here
            for here, one in before
            if here > last and here not in writing and name in names(one) and not _written_again(here, last, writing)
        ][:MOST]
        shown = None if name in buffers or not reading else _shown(culprit, program, last)
        # Mostly it is right to the end.
        if (
            shown is None
            or not shown.wrong_behind(culprit, reading[-1])
            or shown.wrong_behind(culprit, last) is not False
        ):
            continue
        for here in reading:
            if shown.wrong_behind(culprit, here):
                found = next((step for step in steps if step.place.path == here and step.points), None)
                return None if found is None else (found, name)
    return None


def _written_again(here: tree.Path, last: tree.Path, writing: Sequence[tree.Path]) -> bool:
    """Whether a body around an instruction, which begins behind ``last``, writes the matrix too.

    In a loop that is before the instruction as well, from the second pass on.
    """
    around = [here[:depth] for depth in range(1, len(here)) if here[:depth] != last[:depth]]
    return any(one[: len(body)] == body for body in around for one in writing)


@dataclass(frozen=True, slots=True)
class _Shown:
    """A program without the store of one matrix, and that store."""

    program: Program
    store: Any

    def wrong_behind(self, culprit: Culprit, path: tree.Path) -> bool | None:
        """Whether the matrix is wrong in the store behind an instruction; None where that cannot be run."""
        place = Place((*path[:-1], path[-1] + 1) if path else (0,))
        try:
            tree.at(self.program, place)
        except IndexError:
            stored = tree.append(self.program, Place(path), self.store)
        else:
            stored = tree.insert(self.program, place, self.store)
        seen = culprit.trial.run(stored, "a matrix stored behind another instruction")
        return None if seen is None else place.path in seen.wrong_paths


def _shown(culprit: Culprit, program: Program, last: tree.Path) -> _Shown | None:
    """The store of a matrix: the wrong step itself where that is one, else what diagnosis stores of its last state."""
    if culprit.step.legal is None:
        return _Shown(tree.drop(program, {culprit.step.place.path}), tree.at(program, culprit.step.place))
    added = spec_named(culprit.trial.case.spec).of(culprit.trial.case.caps).instrumented(program)
    taken = {buffer for buffer, place in added.shows.items() if place.path == last}
    store = next((one for one in _flat(added.program) if taken.intersection(names(one))), None)
    return None if store is None else _Shown(replace(added.program, body=program.body), store)  # type: ignore[type-var]


def _flat(program: Program) -> Iterator[Any]:
    return (one for _, one, _ in tree.walk(program))
