"""Failures that go away where all calls have the flags of one: what an earlier call left on, or handed on, decides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mmaspec.oracle.expectation import Step
from mmaspec.oracle.spec import Ablation, AnySpec
from mmaspec.programs.base import Program
from mmaspec.programs.tree import Path
from mmaspec.suites.judging.blaming.trial import Trial

MOST = 8
"""Programs that are tried."""


def left_on(
    alone: Trial, spec: AnySpec, program: Program, steps: Sequence[Step], first: Step
) -> tuple[Step, Ablation] | None:
    """The step whose flags all others had to have for the item to be right, and the ablation that gave them these.

    Nothing is added to such a program, so that what stands back to back in it still does. The step ``first`` is tried
    first, then the ones before it, the nearest first.
    """
    before = steps[: steps.index(first)] if first in steps else steps
    tried: list[Program] = []
    for step, ablation in _alike(spec, program, (first, *reversed(before))):
        if ablation.program in tried:
            continue
        if len(tried) == MOST:
            return None
        tried.append(ablation.program)
        seen = alone.run(ablation.program, ablation.says)
        if seen is not None and seen.legal:
            return step, ablation
    return None


def _alike(spec: AnySpec, program: Program, steps: Sequence[Step]) -> Iterator[tuple[Step, Ablation]]:
    """The ablations of each instruction that change others alone."""
    looked_at: set[Path] = set()
    for step in steps:
        if step.place.path not in looked_at:
            looked_at.add(step.place.path)
            yield from ((step, one) for one in spec.ablations(program, step.place) if one.others)
