"""Running a case again: whether it fails each time, and whether answers to the same question differ.

A question is a case under one poison. A device that leaks state between the items of a batch answers it by their order;
so where only some orders fail, one that did is run again before the answers are called unstable.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from mmaspec.backends.checked import BadReply, Raised
from mmaspec.backends.failures import Died, Unanswered, error_line
from mmaspec.backends.protocol import Refused, Runner
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.judge import ByReading, is_legal, wrong_places
from mmaspec.oracle.readings import Assignment
from mmaspec.strategies.choices import Counted
from mmaspec.suites.judging.ask import Answer, Order, ask_once, bases

REPEATS = 5
"""How often a failing case is run in all."""
AT_MOST = 12
"""How often where answers differ and are wrong in the same place each time: that may be chance."""
CONFIRMED = 3
"""How often one order of the batch has to fail with the same bytes where others do not fail."""
ONE_IN = 16
"""Of so many passing cases one is run again."""

AskAgain = Callable[[int, Order | None], Answer]
"""Runs the case under a poison, with its batch in the given order; None: in that of its first run."""


@dataclass(frozen=True, slots=True)
class Try:
    """One run: the readings under which its answer is legal, the answer, or in words why there is none."""

    legal: frozenset[Assignment]
    answer: Answer | None
    order: Order | None = None
    error: str = ""
    died: bool = False


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


@dataclass(slots=True)
class Repetition:
    """A case that is run again, by the one who knows how to ask for it.

    ``key`` is any text, from which fresh orders of the batch are drawn.
    """

    case: Case
    by_reading: ByReading
    key: str
    ask_again: AskAgain
    where: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        self.where = bases(self.case.program)

    @classmethod
    def of(cls, backend: Runner, case: Case, by_reading: ByReading, key: str) -> Repetition:
        """The repetition of a defined case on a backend."""
        first = by_reading.first
        assert isinstance(first, Defined)
        return cls(case, by_reading, key, lambda pattern, order: ask_once(backend, case, first, pattern, order))

    def tried(self, answer: Answer, earlier: Collection[Try] = (), order: Order | None = None) -> Try:
        """An answer with the readings under which it is legal; none is judged twice."""
        for one in earlier:
            if one.answer is not None and same(one.answer, answer):
                return Try(one.legal, one.answer, order)
        legal = (
            name
            for name, variant in self.by_reading.variants
            if is_legal(variant, answer.before, answer.after, self.where)
        )
        return Try(frozenset(legal), answer, order)

    def again(self, pattern: int, order: Order | None, earlier: Collection[Try], *, dying: bool = True) -> Try:
        """One more run. What is raised instead of an answer is a wrong one; a death only where it is ``dying``."""
        try:
            answer = self.ask_again(pattern, order)
        except Unanswered:
            raise
        except Died as death:
            if not dying:
                raise
            return Try(frozenset(), None, order, f"the backend died: {error_line(death)}", died=True)
        except Refused as refusal:
            return Try(frozenset(), None, order, f"a valid program was refused: {refusal.reason}")
        except (Raised, BadReply) as error:
            return Try(frozenset(), None, order, without_answer(error))
        return self.tried(answer, earlier, order)

    def fill(self, pattern: int, tries: list[Try]) -> None:
        """Run a question again until it was run as often as a failing case is; a death ends it."""
        while len(tries) < REPEATS and not tries[-1].died:
            tries.append(self.again(pattern, fresh_order(self.key, len(tries), self.case.batch), tries))

    def in_its_order(self, pattern: int, wrong: Try) -> list[Try]:
        """More runs in the order of a wrong try, until one is not as wrong as that, or differs from the others."""
        tries: list[Try] = []
        if wrong.answer is None:
            return tries
        for _ in range(CONFIRMED):
            tries.append(self.again(pattern, wrong.order, [wrong, *tries]))
            if not _confirms(wrong, tries):
                break
        return tries

    def confirmed(self, pattern: int, wrong: Try) -> bool:
        """Whether the order of a wrong try fails each time with the same bytes."""
        tries = self.in_its_order(pattern, wrong)
        return len(tries) == CONFIRMED and _confirms(wrong, tries)

    def moving(self, tries: Collection[Try], readings: Collection[Assignment]) -> Assignment | None:
        """The first reading under which no place is wrong in every try; None if there is none, or an answer is missing.

        A defect that is always there is somewhere each time, in one item or in one place of the batch: what is wrong
        here now and there then is left to chance.
        """
        runs = [(one.answer.before, one.answer.after) for one in tries if one.answer is not None]
        if len(runs) < len(tries):
            return None
        usual = np.arange(self.case.batch)
        orders = [usual if one.order is None else one.order for one in tries]
        for name, variant in self.by_reading.variants:
            if name in readings:
                wrong = [wrong_places(variant, run, self.where) for run in runs]
                placed = [flags[order] for flags, order in zip(wrong, orders, strict=True)]
                if not any(np.logical_and.reduce(same).any() for same in (wrong, placed)):
                    return name
        return None

    def all_wrong(self, pattern: int, tries: list[Try], readings: Collection[Assignment]) -> Repeated:
        """What to make of tries that no reading explains, if they differ: the order of the batch, or chance."""
        if all(alike(tries[0], one) for one in tries):
            return Repeated(tuple(tries), tuple(readings), pattern=pattern)
        same_order = self.in_its_order(pattern, tries[0])
        if len(same_order) == CONFIRMED and _confirms(tries[0], same_order):
            return Repeated(tuple(tries), tuple(readings), by_order=True)
        for one in same_order:
            if legal := one.legal.intersection(readings):
                return Repeated((*tries, *same_order), tuple(readings), min(legal))
        while (
            (moving := self.moving(tries, readings)) is None and len(tries) < AT_MOST and tries[-1].answer is not None
        ):
            tries.append(self.again(pattern, fresh_order(self.key, len(tries), self.case.batch), tries))
            if legal := tries[-1].legal.intersection(readings):
                moving = min(legal)
                break
        return Repeated(tuple(tries), tuple(readings), moving)

    def once_more(self, found: Repeated) -> Repeated:
        """What failed with the same bytes each time, run as often as what varies: that it went away may be chance."""
        tries, left = list(found.tries), found.readings
        while len(tries) < AT_MOST and not tries[-1].died:
            tries.append(
                self.again(found.pattern, fresh_order(self.key, len(tries), self.case.batch), tries, dying=False)
            )
            if legal := tries[-1].legal.intersection(left):
                return replace(found, tries=tuple(tries), unstable=min(legal))
        return found

    def decide(self, questions: list[list[Try]], readings: Collection[Assignment]) -> Repeated:
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
            self.fill(pattern, tries)
            asked.append(tries)
            before, left = left, {reading for reading in left if any(reading in one.legal for one in tries)}
            if not left and order is None:
                return replace(self.all_wrong(pattern, tries, before), readings=tuple(readings))
            for reading in sorted(left):
                wrong = next((one for one in tries if reading not in one.legal), None)
                if reading in left and wrong is not None and self.confirmed(pattern, wrong):
                    by_order, order = True, wrong.order
                    left &= wrong.legal
        if not left:
            return Repeated(tuple(asked[-1]), tuple(readings), None, by_order, order)
        usual = next((name for name, variant in self.by_reading.variants if variant is self.by_reading.first), ())
        best = min(
            left, key=lambda reading: (sum(_wrong(tries, reading) for tries in asked), reading != usual, reading)
        )
        return Repeated(tuple(next(tries for tries in asked if _wrong(tries, best))), tuple(readings), best)


def _confirms(wrong: Try, tries: Sequence[Try]) -> bool:
    """Whether the last try is as wrong as that one, with the same bytes as the tries before it."""
    last = tries[-1]
    return last.answer is not None and last.legal == wrong.legal and alike(tries[0], last)


def _wrong(tries: Collection[Try], reading: Assignment) -> int:
    """How many of the answers are illegal under a reading."""
    return sum(reading not in one.legal for one in tries)


def without_answer(error: Raised | BadReply) -> str:
    """What is said of an exception, or of a reply that cannot be used."""
    return (
        f"the backend raised {error}" if isinstance(error, Raised) else f"the backend's reply cannot be used: {error}"
    )


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
    return repetition.decide(
        questions, [name for name in readings if any(name not in one.legal for (one,) in questions)]
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
    return Sampled(varies=True, repeated=repetition.decide([question, *others], accepted))


def is_sampled(case: str) -> bool:
    """Whether a passing case is run again, by its ID alone: whoever runs it, and with whatever others."""
    return Counted(f"again {case}").integer(1, ONE_IN) == 1


def fresh_order(key: str, number: int, batch: int) -> Order:
    """The order of the batch in a repetition."""
    draw = Counted(f"order {key} {number}")
    order = list(range(batch))
    for last in range(batch - 1, 0, -1):
        other = draw.integer(0, last)
        order[last], order[other] = order[other], order[last]
    return np.array(order, np.intp)


def in_order(case: Case, order: Order) -> Case:
    """The case with its batch in another order."""
    return replace(case, values={name: bits[order] for name, bits in case.values.items()})


def alike(one: Try, other: Try) -> bool:
    """Whether two answers to one question are the same, to the bit."""
    if one.answer is None or other.answer is None:
        return one.error == other.error and one.answer is other.answer
    return same(one.answer, other.answer)


def same(one: Answer, other: Answer) -> bool:
    """Whether two answers have the same bytes."""
    return one is other or all(np.array_equal(one.after[name], image) for name, image in other.after.items())
