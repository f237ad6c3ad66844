"""Running a case again: whether it fails each time, and whether answers to the same question differ.

A question is a case under one poison. A device that leaks state between the items of a batch answers it by their order;
so where only some orders fail, one that did is run again before the answers are called unstable.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from mmaspec.oracle.case import Case
from mmaspec.oracle.readings import Assignment
from mmaspec.oracle.wrong_elements import wrong_places
from mmaspec.strategies.choices import Counted
from mmaspec.suites.judging.ask import Answer, Order
from mmaspec.suites.judging.repeats.tries import AT_MOST, Repetition, Try, alike, fresh_order

ONE_IN = 16
"""Of so many passing cases one is run again."""


@dataclass(frozen=True, slots=True)
class Repeated:
    """What repetition showed of a case with wrong answers: the tries of the question that decided."""

    tries: tuple[Try, ...]
    readings: tuple[Assignment, ...]
    """Those that might have explained the case."""
    unstable: Assignment | None = None
    """The reading under which some tries are legal and some are not, or all wrong, but no place in each of them; None:
    under every reading it fails each time in the same place."""
    by_order: bool = False
    """What it answers depends on the order of the batch, and on nothing else."""
    order: Order | None = None
    """One in which it fails, where the order of the first run does not."""
    pattern: int = 0
    """The poison of the question."""

    @property
    def repeats(self) -> int:
        """How often the case was run, the first time included."""
        return len(self.tries)

    @property
    def varies(self) -> bool:
        """Whether answers to the same question differed, for another reason than the order of the batch."""
        return not self.by_order and not all(alike(self.tries[0], other) for other in self.tries[1:])

    @property
    def wrong(self) -> int:
        """How many of the answers are illegal, under that reading which explains most."""
        return min(_wrong(self.tries, name) for name in (self.readings if self.unstable is None else [self.unstable]))


def once_more(repetition: Repetition, found: Repeated, most: int = AT_MOST) -> Repeated:
    """What failed each time, run so many times in all: that it did, or that a variation did not, may be chance."""
    tries = list(found.tries)
    for one in repetition.more(found.pattern, tries, dying=False, most=most):
        if legal := one.legal.intersection(found.readings):
            return replace(found, tries=tuple(tries), unstable=min(legal))
    return replace(found, tries=tuple(tries)) if most > AT_MOST else found


def _decided(repetition: Repetition, questions: list[list[Try]], readings: Collection[Assignment]) -> Repeated:
    """Repeat every question that was answered wrongly, until each reading fails it each time or is mixed.

    ``questions`` has one try or more for each poison; ``readings`` are those that may explain the case.
    """
    left = set(readings)
    asked: list[list[Try]] = []
    order: Order | None = None
    by_order = False
    for pattern, tries in enumerate(questions):
        if all(left <= one.legal for one in tries):
            continue
        repetition.fill(pattern, tries)
        asked.append(tries)
        before, left = left, {reading for reading in left if any(reading in one.legal for one in tries)}
        if not left and order is None:
            return replace(_all_wrong(repetition, pattern, tries, before), readings=tuple(readings))
        for reading in sorted(left):
            wrong = next((one for one in tries if reading not in one.legal), None)
            if reading in left and wrong is not None and repetition.confirmed(pattern, wrong):
                by_order, order = True, wrong.order
                left &= wrong.legal
    if not left:
        return Repeated(tuple(asked[-1]), tuple(readings), None, by_order, order)
    by_reading = repetition.by_reading
    usual = next((name for name, variant in by_reading.variants if variant is by_reading.first), ())
    best = min(left, key=lambda reading: (sum(_wrong(tries, reading) for tries in asked), reading != usual, reading))
    return Repeated(tuple(next(tries for tries in asked if _wrong(tries, best))), tuple(readings), best)


def _all_wrong(repetition: Repetition, pattern: int, tries: list[Try], readings: Collection[Assignment]) -> Repeated:
    """What to make of tries that no reading explains, if they differ: the order of the batch, or chance."""
    if all(alike(tries[0], one) for one in tries):
        return Repeated(tuple(tries), tuple(readings), pattern=pattern)
    same_order = repetition.in_its_order(pattern, tries[0])
    if repetition.always(tries[0], same_order):
        return Repeated(tuple(tries), tuple(readings), by_order=True)
    for one in same_order:
        if legal := one.legal.intersection(readings):
            return Repeated((*tries, *same_order), tuple(readings), min(legal))
    moving = _moving(repetition, tries, readings)
    if moving is None and tries[-1].answer is not None:
        for one in repetition.more(pattern, tries):
            legal = one.legal.intersection(readings)
            moving = min(legal) if legal else _moving(repetition, tries, readings)
            if moving is not None or one.answer is None:
                break
    return Repeated(tuple(tries), tuple(readings), moving)


def _moving(repetition: Repetition, tries: Collection[Try], readings: Collection[Assignment]) -> Assignment | None:
    """The first reading under which no place is wrong in every try; None if there is none, or an answer is missing.

    A defect that is always there is somewhere each time, in one item or in one place of the batch: what is wrong
    here now and there then is left to chance.
    """
    runs = [(one.answer.before, one.answer.after) for one in tries if one.answer is not None]
    if len(runs) < len(tries):
        return None
    usual = np.arange(repetition.case.batch)
    orders = [usual if one.order is None else one.order for one in tries]
    for name, variant in repetition.by_reading.variants:
        if name in readings:
            wrong = [wrong_places(variant, run, repetition.where) for run in runs]
            placed = [flags[order] for flags, order in zip(wrong, orders, strict=True)]
            if not any(np.logical_and.reduce(same).any() for same in (wrong, placed)):
                return name
    return None


def _wrong(tries: Collection[Try], reading: Assignment) -> int:
    """How many of the answers are illegal under a reading."""
    return sum(reading not in one.legal for one in tries)


def after_breakdown(repetition: Repetition, told: str) -> Repeated | None:
    """The tries of a case to which there was no answer at first, if one is legal now; None if each try goes wrong."""
    tries = [Try(frozenset(), None, None, told)]
    repetition.fill(0, tries)
    legal = frozenset().union(*(one.legal for one in tries))
    readings = tuple(name for name, _ in repetition.by_reading.variants)
    return Repeated(tuple(tries), readings, min(legal)) if legal else None


def repeated(repetition: Repetition, answers: Collection[Answer]) -> Repeated:
    """Repeat a case whose first answers, one for each poison, no reading explains (in a part, some reading may).

    Raises ``Unasked`` and ``Unanswered``, of which nothing follows.
    """
    questions = [[repetition.tried(answer)] for answer in answers]
    readings = (name for name, _ in repetition.by_reading.variants)
    return _decided(
        repetition, questions, [name for name in readings if any(name not in one.legal for (one,) in questions)]
    )


@dataclass(frozen=True, slots=True)
class Sampled:
    """What running a passing case once more showed."""

    varies: bool
    """Whether the bytes differed."""
    repeated: Repeated | None = None
    """Where the answer was wrong, or there was none."""


def run_again(repetition: Repetition, answers: Collection[Answer], accepted: Collection[Assignment]) -> Sampled:
    """Run a case once more that its first answers pass under the readings in ``accepted``.

    ``Died`` passes through, as from a first run.
    """
    question, *others = ([Try(frozenset(accepted), answer)] for answer in answers)
    order = fresh_order(repetition.key, 1, repetition.case.batch)
    question.append(repetition.again(0, order, question, dying=False))
    if question[-1].legal & set(accepted):
        return Sampled(not alike(*question))
    return Sampled(varies=True, repeated=_decided(repetition, [question, *others], accepted))


def is_sampled(case: str) -> bool:
    """Whether a passing case is run again, by its ID alone: whoever runs it, and with whatever others."""
    return Counted(f"again {case}").integer(1, ONE_IN) == 1


def in_order(case: Case, order: Order) -> Case:
    """The case with its batch in another order."""
    return replace(case, values={name: bits[order] for name, bits in case.values.items()})
