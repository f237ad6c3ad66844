"""Failures that go away where intermediate results are stored: after which instruction a store is enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from mmaspec.oracle.expectation import Step
from mmaspec.oracle.spec import AnySpec
from mmaspec.programs import tree
from mmaspec.programs.base import Place, Program
from mmaspec.suites.judging.blaming.trial import Trial

MOST = 16
"""Instructions after which a store is tried."""


@dataclass(frozen=True, slots=True)
class Hazard:
    """A store after ``stored`` is enough for ``step``, the next one that takes something from it, to be right."""

    stored: Place
    step: Step


def hazard(alone: Trial, spec: AnySpec, program: Program, base: Step, steps: Sequence[Step]) -> Hazard | None:
    """The last instruction before the store ``base`` after which one more store makes the item right; None if none."""
    instrumented = spec.instrumented(program)
    order = [step.place.path for step in steps]
    last = order.index(base.place.path)
    added = {place.path: name for name, place in instrumented.shows.items()}
    before = [path for path in reversed(order[:last]) if path in added]
    for path in list(dict.fromkeys(before))[:MOST]:
        name = added[path]
        kept = _with_one(instrumented.program, name, set(instrumented.shows))
        seen = alone.run(kept, f"a store after instruction {Place(path)}")
        if seen is not None and seen.legal:
            after = [step for step in steps[order.index(path) + 1 : last] if step.legal is not None]
            return Hazard(Place(path), after[0] if after else base)
    return None


def _with_one(instrumented: Program, name: str, added: set[str]) -> Program:
    """The instrumented program with one of the stores that were added, and its buffer."""
    gone = added - {name}
    kept = tree.keep(instrumented, lambda _, one: getattr(one, "buffer", "") not in gone)
    left = tuple(buffer for buffer in kept.buffers if buffer.name not in gone)
    return msgspec.structs.replace(kept, buffers=left)  # type: ignore[type-var]
