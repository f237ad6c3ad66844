"""Which instructions of a case matter: spoil what one of them writes, and see whether the case is still legal.

Many are looked at in one run, each in items of the batch of its own that hold the same data.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from mmaspec.backends.faults.spoiling import spoiling
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.judge import ByReading, expect_by_reading
from mmaspec.oracle.wrong_elements import legal_items
from mmaspec.programs import tree
from mmaspec.programs.arguments import loaded_arguments
from mmaspec.programs.base import Place
from mmaspec.programs.profile import PRACTICE
from mmaspec.suites.judging.ask import ask, buffers_of, lawful

MOST_ITEMS = 256
"""Items of the batch of one run, beyond those that a single instruction takes."""
MOST_BYTES = 8 << 20
"""The same for what the buffers of one run hold."""


def shown(case: Case) -> frozenset[tree.Path]:
    """The instructions of a case whose corruption, in some pass, makes it illegal under every reading.

    None of a near miss, or of a case that the specification leaves undefined.
    """
    return shown_under(case, expect_by_reading(case, PRACTICE))


def shown_under(case: Case, by_reading: ByReading) -> frozenset[tree.Path]:
    """The same, where it is known what is demanded of the case."""
    if not isinstance(by_reading.first, Defined):
        return frozenset()
    # What is wrong in one item of the batch is wrong, and mostly it is in the first.
    first = case.item(0)
    looks = [(first, expect_by_reading(first, PRACTICE))] if case.batch > 1 else []
    looks.append((case, by_reading))
    # What a later pass writes is stored more often.
    places = [place for place, _ in tree.unrolled(case.program)][::-1]
    found: set[tree.Path] = set()
    for look, expected in looks:
        found |= _shown(look, expected, [place for place in places if place.path not in found])
    return frozenset(found)


def _shown(case: Case, by_reading: ByReading, places: Sequence[Place]) -> set[tree.Path]:
    """The instructions of which some execution among these places shows; first things first."""
    found: set[tree.Path] = set()
    passes, most, waiting = 1, _at_once(case), list(places)
    while waiting:
        taken: Counter[tree.Path] = Counter()
        now: list[Place] = []
        later: list[Place] = []
        for place in waiting:
            mine = now if taken[place.path] < passes and len(now) < most else later
            mine.append(place)
            taken[place.path] += mine is now
        found.update(place.path for place, shows in zip(now, each_shows(case, by_reading, now), strict=True) if shows)
        passes, waiting = 2 * passes, [place for place in later if place.path not in found]
    return found


def _at_once(case: Case) -> int:
    """How many executions one run looks at."""
    held = case.batch * sum(buffer.total for buffer in case.program.buffers)
    return max(1, min(MOST_ITEMS // case.batch, MOST_BYTES // max(held, 1)))


def each_shows(case: Case, by_reading: ByReading, places: Sequence[Place]) -> list[bool]:
    """Of each place what `shows` says of it."""
    expected = by_reading.first
    if len(places) < 2 or not isinstance(expected, Defined) or _reads_what_it_stores(case, expected):
        return [shows(case, by_reading, place) for place in places]
    again = np.tile(np.arange(case.batch), len(places))
    many = replace(case, batch=len(again))  # its values are in the images already
    backend = spoiling(case.spec, case.program, case.caps, *places, share=case.batch)
    try:
        (answer,) = ask(backend, many, expected.items(again), runs=1)
    except Exception:  # noqa: BLE001 - it is told alone for which of them it breaks down
        return [shows(case, by_reading, place) for place in places]
    where = buffers_of(case.program)
    legal = [
        legal_items(variant.items(again), answer.before, answer.after, where).reshape(len(places), -1).all(axis=1)
        for _, variant in by_reading.variants
    ]
    return [not one for one in np.logical_or.reduce(legal).tolist()]


def _reads_what_it_stores(case: Case, expected: Defined) -> bool:
    """Whether arguments lie where something is stored: all items of a batch have those of the first."""
    loaded: Iterable[str] = {one.buffer for one in loaded_arguments(case.program)}
    return any(expected.owned[name].any() for name in loaded if name in expected.owned)


def shows(case: Case, by_reading: ByReading, place: Place) -> bool:
    """Whether the corruption of what the instruction at a place writes is seen."""
    if not isinstance(by_reading.first, Defined):
        return False
    backend = spoiling(case.spec, case.program, case.caps, place)
    try:
        return not lawful(case, by_reading, ask(backend, case, by_reading.first, runs=1))
    except Exception:  # noqa: BLE001 - whatever breaks down over it shows it as well
        return True
