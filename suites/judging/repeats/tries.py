"""Tries: one case asked again and again, and whether the answers are the same.

A question is a case under one poison.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from mmaspec.backends.checked import BadReply, Raised
from mmaspec.backends.failures import Died, Unanswered, error_line
from mmaspec.backends.protocol import Refused, Runner
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.judge import ByReading
from mmaspec.oracle.readings import Assignment
from mmaspec.oracle.wrong_elements import Buffers, is_legal
from mmaspec.strategies.choices import Counted
from mmaspec.suites.judging.ask import Answer, Order, ask_once, buffers_of
from mmaspec.suites.judging.plain import without_answer

REPEATS = 5
"""How often a failing case is run in all."""
AT_MOST = 12
"""How often where answers differ and are wrong in the same place each time: that may be chance."""
DOUBTED = 25
"""How often once the backend was seen to answer another case now rightly and now wrongly."""
CONFIRMED = 3
"""The same of one order of the batch that has to fail with the same bytes where others do not fail, at first."""

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


@dataclass(slots=True)
class Repetition:
    """A case that is run again, by the one who knows how to ask for it.

    ``key`` is any text, from which fresh orders of the batch are drawn.
    """

    case: Case
    by_reading: ByReading
    key: str
    ask_again: AskAgain
    confirmations: int = CONFIRMED
    """How often one order of the batch has to fail with the same bytes before the order is taken for the reason."""
    where: Buffers = field(init=False)

    def __post_init__(self) -> None:
        self.where = buffers_of(self.case.program)

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
        for _ in range(self.confirmations):
            tries.append(self.again(pattern, wrong.order, [wrong, *tries]))
            if not _confirms(wrong, tries):
                break
        return tries

    def confirmed(self, pattern: int, wrong: Try) -> bool:
        """Whether the order of a wrong try fails each time with the same bytes."""
        return self.always(wrong, self.in_its_order(pattern, wrong))

    def always(self, wrong: Try, tries: Sequence[Try]) -> bool:
        """Whether tries in the order of a wrong one were each as wrong as that."""
        return len(tries) == self.confirmations and _confirms(wrong, tries)

    def more(self, pattern: int, tries: list[Try], *, dying: bool = True, most: int = AT_MOST) -> Iterator[Try]:
        """Tries in fresh orders, taken in as they are made, until there are so many."""
        while len(tries) < most and not tries[-1].died:
            tries.append(self.again(pattern, fresh_order(self.key, len(tries), self.case.batch), tries, dying=dying))
            yield tries[-1]


def _confirms(wrong: Try, tries: Sequence[Try]) -> bool:
    """Whether the last try is as wrong as that one, with the same bytes as the tries before it."""
    last = tries[-1]
    return last.answer is not None and last.legal == wrong.legal and alike(tries[0], last)


def fresh_order(key: str, number: int, batch: int) -> Order:
    """The order of the batch in a repetition."""
    draw = Counted(f"order {key} {number}")
    order = list(range(batch))
    for last in range(batch - 1, 0, -1):
        other = draw.integer(0, last)
        order[last], order[other] = order[other], order[last]
    return np.array(order, np.intp)


def alike(one: Try, other: Try) -> bool:
    """Whether two answers to one question are the same, to the bit."""
    if one.answer is None or other.answer is None:
        return one.error == other.error and one.answer is other.answer
    return same(one.answer, other.answer)


def same(one: Answer, other: Answer) -> bool:
    """Whether two answers have the same bytes."""
    return one is other or all(np.array_equal(one.after[name], image) for name, image in other.after.items())
