"""Running a case on a backend: twice, so that reads of padding and state that leaks between items are detected."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.checked import call
from mmaspec.backends.protocol import Runner
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined, Images, Start
from mmaspec.oracle.judge import ByReading, Judgement, judge, poisoned
from mmaspec.oracle.readings import Assignment
from mmaspec.oracle.wrong_elements import is_legal
from mmaspec.programs.base import Buffer, Program

Order = NDArray[np.intp]
"""The items of a batch, in the order in which a backend sees them."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The memory before and after one run of a backend, both in the batch order of the case."""

    before: Images
    after: Images


def digest_of(answers: Sequence[Answer]) -> str:
    """32 hexadecimal digits over what a backend was given first, and over its answers, in their order."""
    told = hashlib.sha256()
    for images in (answers[0].before, *(answer.after for answer in answers)):
        for name in sorted(images):
            told.update(f"\0{name}\0{images[name].shape}\0".encode())
            told.update(np.ascontiguousarray(images[name]).data)
    return told.hexdigest()[:32]


def frozen(images: Images, order: slice | Order = slice(None)) -> Images:
    """Read-only copies in batch order ``order``.

    Copies, since native code need not know of the flag: what it writes must not reach what is judged.
    """
    given = {}
    for name, image in images.items():
        copied = image[order].copy()
        copied.flags.writeable = False
        given[name] = copied
    return given


RUNS = 2
"""How often a case is run: once as it is, and once under the other poison with its batch in reverse order."""


def ask(backend: Runner, case: Case, expected: Defined | Start, *, runs: int = RUNS) -> list[Answer]:
    """Run ``case`` once as it is, and once under the other poison with its batch in reverse order.

    Raises what ``mmaspec.backends.checked.call`` raises: ``Refused``, ``Died``, ``Raised``, ``BadReply``.
    """
    return [ask_once(backend, case, expected, pattern) for pattern in range(runs)]


def ask_once(
    backend: Runner, case: Case, expected: Defined | Start, pattern: int, order: Order | None = None
) -> Answer:
    """One of these runs, with the batch in its own order or in another; raises what ``ask`` raises."""
    before = poisoned(expected, pattern)
    ordered = frozen(before, _own_order(pattern) if order is None else order)
    after = call(backend, case.spec, case.program, ordered, case.batch)
    # Copied at once: a backend may return the same buffers from every run.
    back = _own_order(pattern) if order is None else np.argsort(order)
    return Answer(before, {name: np.array(image[back], order="C") for name, image in after.items()})


def given(expected: Defined | Start, pattern: int, order: Order | None = None) -> Images:
    """The input of a backend in one of these runs, read-only."""
    return frozen(poisoned(expected, pattern), _own_order(pattern) if order is None else order)


def _own_order(pattern: int) -> slice:
    """The order of the batch in one of these runs."""
    return slice(None, None, -1) if pattern else slice(None)


@dataclass(frozen=True, slots=True)
class Held:
    """A judged case: the readings under which it is legal; if none, what is wrong under that which explains most."""

    accepted: tuple[Assignment, ...]
    judgement: Judgement
    expected: Defined
    run: int
    """The run that the judgement is about: the first failing one."""
    reading: Assignment = ()
    """What the expectation was made under; empty for the default readings."""

    @property
    def legal(self) -> bool:
        """Whether some reading explains every run."""
        return bool(self.accepted)

    @property
    def amount(self) -> int:
        """How much is wrong, elements and bytes."""
        return sum(wrong.count for wrong in self.judgement.wrong)


def buffers_of(program: Program) -> dict[str, Buffer]:
    """The buffers of a program, by name."""
    return {buffer.name: buffer for buffer in program.buffers}


def lawful(case: Case, by_reading: ByReading, answers: Sequence[Answer]) -> bool:
    """Whether one combination of readings explains all answers: `hold` without saying what is wrong."""
    where = buffers_of(case.program)
    return any(
        all(is_legal(variant, answer.before, answer.after, where) for answer in answers)
        for _, variant in by_reading.variants
    )


def hold(case: Case, by_reading: ByReading, answers: list[Answer]) -> Held:
    """Judge the answers under every combination of readings; one combination must explain all runs."""
    where = buffers_of(case.program)
    accepted: list[Assignment] = []
    failed: Held | None = None
    passed: Held | None = None
    # The default reading first: of those that explain as much it is the one that a finding shows.
    for assignment, variant in sorted(by_reading.variants, key=lambda entry: entry[1] is not by_reading.first):
        reading = () if variant is by_reading.first else assignment
        good: Held | None = None
        bad: Held | None = None
        for run, answer in enumerate(answers):
            settled = answers[0].after if run else None
            judgement = judge(variant, answer.before, answer.after, where, settled=settled)
            if judgement.wrong:
                bad = Held((), judgement, variant, run, reading)
                break
            good = Held((), judgement, variant, 0, reading)
        if bad is None:
            accepted.append(assignment)
            passed = passed or good
        if bad is not None and (failed is None or bad.amount < failed.amount):
            failed = bad
    shown = passed or failed
    if shown is None:
        raise ValueError("only a defined case can be held")
    return replace(shown, accepted=tuple(sorted(accepted)))
