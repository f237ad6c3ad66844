"""Whether what failing cases have in common may be chance: how likely as many cases drawn blindly have as much.

A draw of some cases has a thing in common that no other case has only if they are exactly those that have it. So of
all draws of ``f`` cases from ``n`` at most as many share something of a size as there are conjunctions of that size.
Single things are counted, as the sets of cases that have them. Conjunctions of ``k`` things are fewer than ``m ** k``,
where ``m`` is the number of such sets with at least ``f`` cases.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from math import comb

from mmaspec.suites.verdict.features import Features

UNLIKELY = Fraction(1, 100)
"""What has this chance or more is not said."""
MOST = 3
"""Things that are said of failing cases at most."""


class Holders:
    """Cases that are compared, by what can be said of them: sets of cases are whole numbers, with a bit for each."""

    def __init__(self, cases: Sequence[Features]) -> None:
        self._sets = frozenset(_sets(cases))

    def unlikely(self, failing: Collection[int], passing: Collection[int]) -> tuple[int, ...]:
        """The sizes of conjunctions that so many failing cases hardly ever share by chance, and no passing case has.

        Cases are given by their number; the others are left out.
        """
        every = sum(1 << number for number in {*failing, *passing})
        draws = comb(every.bit_count(), len(failing))
        told = {held & every for held in self._sets} - {every}
        alone = sum(held.bit_count() == len(failing) for held in told)
        some = sum(held.bit_count() >= len(failing) for held in told)
        ways = [alone, *(some**size for size in range(2, MOST + 1))]
        return tuple(size for size, number in enumerate(ways, start=1) if Fraction(number, draws) < UNLIKELY)


def _sets(cases: Sequence[Features]) -> Iterator[int]:
    """Of everything that can be said of a case, the cases of which it can."""
    found: defaultdict[object, int] = defaultdict(int)
    amounts: defaultdict[str, defaultdict[int, int]] = defaultdict(lambda: defaultdict(int))
    for number, case in enumerate(cases):
        bit = 1 << number
        for fact in case.facts:
            found[fact] |= bit
        for said in case.said:
            found[said] |= bit
        for amount, value in case.amounts.items():
            amounts[amount][value] |= bit
    yield from found.values()
    every = (1 << len(cases)) - 1
    for values in amounts.values():
        yield from _bounded(values, every)


def _bounded(values: Mapping[int, int], every: int) -> Iterator[int]:
    """The cases in which a number is at least, or at most, any that it is; where it is none, it is at most all."""
    above = 0
    for value in sorted(values, reverse=True):
        yield every & ~above
        above |= values[value]
        if value > 1:
            yield above
