"""Which clause to blame for a byte that was changed outside every stored element.

A store that ought to have left something alone, as where one of its elements lies outside, changes bytes that no store
owns. They are not next to what was stored, but what was not to be stored. It is told from a store that writes beside
its elements by a program in which the same store may write all of them.
"""

from __future__ import annotations

from collections.abc import Collection

from mmaspec.oracle.expectation import Step
from mmaspec.oracle.judge import Wrong
from mmaspec.oracle.spec import spec_named
from mmaspec.programs import tree
from mmaspec.programs.base import Program
from mmaspec.suites.judging.ask import Held
from mmaspec.suites.judging.blaming.blamed import Blame
from mmaspec.suites.judging.blaming.instead import instead
from mmaspec.suites.judging.blaming.suspects import by_refinement
from mmaspec.suites.judging.blaming.trial import Trial


def touching(alone: Trial, program: Program, held: Held, worst: Wrong, borrowed: Collection[str]) -> Blame:
    """The blame for a changed byte; ``alone`` is a trial of the item that has it, ``program`` has literal arguments.

    The clause that says what is stored at all, where the byte stays as it was without some store, and under the same
    store once nothing keeps it from writing; else the one on bytes beside what is stored.
    """
    spec = spec_named(alone.case.spec).of(alone.case.caps)
    stores = _stores(held, worst.buffer)
    plainly = Blame((spec.untouched,), "symptom", stores[-1].place if stores else None)
    seen = alone.run(program, "one item of the batch with literal arguments")
    if seen is None or seen.legal:
        return plainly
    for step in stores:
        if len(stores) > 1 and not _needed(alone, program, step):
            continue
        own = by_refinement(spec.catalogue, step.clauses)
        for ablation in spec.ablations(program, step.place):
            if ablation.clause not in own or ablation.clause in (spec.untouched, *borrowed) or ablation.others:
                continue
            if tree.at(ablation.program, ablation.place or step.place) != tree.at(program, step.place):
                continue  # where it stores somewhere else, what lies beside that is another matter
            seen = alone.run(ablation.program, f"without {ablation.clause}")
            if seen is not None and seen.legal:
                told = instead(spec, program, alone.case.caps, ablation)
                return Blame((ablation.clause, spec.untouched), "toggle", step.place, own, instead=told)
    return plainly


def _stores(held: Held, buffer: str) -> list[Step]:
    """The steps that store to a buffer, the first pass of each, whether or not they left anything there."""
    left = {region.step for region in held.expected.regions if region.buffer == buffer}
    some = [step for at, step in enumerate(held.expected.steps) if at in left or step.writes == buffer]
    steps = {step.place.path: step for step in reversed(some)}
    return [steps[path] for path in sorted(steps)]


def _needed(alone: Trial, program: Program, step: Step) -> bool:
    """Whether all is well without a store; so it is taken to be where the program cannot be run without it."""
    seen = alone.run(tree.drop(program, {step.place.path}), "one store left out")
    return seen is None or seen.legal
