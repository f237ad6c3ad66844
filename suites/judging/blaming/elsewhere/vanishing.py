"""Failures that go away where intermediate results are stored: after which instruction a store is enough, or needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec

from mmaspec.oracle.expectation import Step
from mmaspec.oracle.spec import AnySpec
from mmaspec.programs import tree
from mmaspec.programs.base import Place, Program
from mmaspec.programs.tree import Path
from mmaspec.suites.judging.blaming.trial import Seen, Trial

MOST = 16
"""Instructions after which a store is tried, and after which one is left out."""


@dataclass(frozen=True, slots=True)
class Hazard:
    """Between ``stored`` and ``step``, the next instruction that takes something from it, a store decides."""

    stored: Place
    """Of an instruction in a loop the first pass, though there is a store in every pass."""
    step: Step
    enough: bool
    """Whether this one store is; else it is needed beside others, as the same happens in several places."""


@dataclass(frozen=True, slots=True)
class _Places:
    """The places before the store of the wrong element after which an instrumented program has a store."""

    steps: Sequence[Step]
    program: Program
    added: dict[Path, str]
    """-> the buffer into which the store goes."""
    base: Step

    @property
    def order(self) -> list[Path]:
        return [step.place.path for step in self.steps]

    def last_first(self) -> Iterator[Path]:
        """The last ones, which are nearest to what is wrong."""
        before = self.order[: self.order.index(self.base.place.path)]
        yield from list(dict.fromkeys(path for path in reversed(before) if path in self.added))[:MOST]

    def after(self, path: Path) -> Step:
        """The next step that makes something, the store of the wrong element at last; of a loop the one behind it."""
        order = self.order
        last = len(order) - order[::-1].index(self.base.place.path) - 1
        passes = [number for number, one in enumerate(order[:last]) if one == path]
        between = self.steps[passes[-1] + 1 : last]
        return next((step for step in between if step.legal is not None), self.base)

    def without(self, gone: set[str]) -> Program:
        """The instrumented program without some of the stores that were added, and their buffers."""
        kept = tree.keep(self.program, lambda _, one: getattr(one, "buffer", "") not in gone)
        left = tuple(buffer for buffer in kept.buffers if buffer.name not in gone)
        return msgspec.structs.replace(kept, buffers=left)  # type: ignore[type-var]


def hazard(alone: Trial, spec: AnySpec, program: Program, base: Step, steps: Sequence[Step]) -> Hazard | None:
    """Where a store decides: the last place before ``base`` at which one alone is enough, or else one is needed.

    None where there is neither, or where the backend takes no such program. ``steps`` are those of the program.
    """
    instrumented = spec.instrumented(program)
    every = set(instrumented.shows)
    added = {place.path: name for name, place in instrumented.shows.items()}
    places = _Places(steps, instrumented.program, added, base)

    def tried(path: Path, gone: set[str], what: str) -> Seen | None:
        return alone.run(places.without(gone), f"{what} instruction {Place(path)}")

    for path in places.last_first():
        seen = tried(path, every - {added[path]}, "a store after")
        if seen is not None and seen.legal:
            return Hazard(Place(path), places.after(path), enough=True)
    for path in places.last_first():
        seen = tried(path, {added[path]}, "no store after")
        if seen is not None and not seen.legal:
            return Hazard(Place(path), places.after(path), enough=False)
    return None
