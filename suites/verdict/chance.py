"""Whether what failing cases have in common may be chance: how likely as many cases drawn blindly have as much.

A draw of some cases has a thing in common that no other case has only if they are exactly those that have it. So of
all draws of ``f`` cases from ``n`` at most as many share something of a size as there are conjunctions of that size.
Single things are counted, as the sets of cases that have them. Conjunctions of ``k`` things are fewer than ``m ** k``,
where ``m`` is the number of such sets with at least ``f`` cases.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import reduce
from math import comb
from operator import or_

from mmaspec.suites.verdict.attributes import Attribute
from mmaspec.suites.verdict.features import Features
from mmaspec.suites.verdict.kinds import Kind

UNLIKELY = Fraction(1, 100)
"""What has this chance or more is not said."""
MOST = 3
"""Things that are said of failing cases at most."""


class Holders:
    """Cases that are compared, by what can be said of them: sets of cases are whole numbers, with a bit for each."""

    def __init__(self, cases: Sequence[Features]) -> None:
        self.cases = cases
        self._all = (1 << len(cases)) - 1
        self.facts: defaultdict[Attribute, int] = defaultdict(int)
        """What is true of a case as a whole -> the cases."""
        self.said: defaultdict[str, defaultdict[Attribute | None, int]] = defaultdict(lambda: defaultdict(int))
        """What a part is called, and what is true of some one such (None: there is one) -> the cases."""
        self.amounts: defaultdict[str, defaultdict[int, int]] = defaultdict(lambda: defaultdict(int))
        """What can be counted, and the number -> the cases."""
        for number, case in enumerate(cases):
            bit = 1 << number
            for fact in case.facts:
                self.facts[fact] |= bit
            for called, attributes in case.parts:
                of_part = self.said[called]
                of_part[None] |= bit
                for attribute in attributes:
                    of_part[attribute] |= bit
            for amount, value in case.amounts.items():
                self.amounts[amount][value] |= bit
        self._sets = frozenset(self._each())
        self._kinds: dict[str, Kind] = {}

    def kind(self, called: str) -> Kind:
        """The parts that are called so, in all cases."""
        if called not in self._kinds:
            self._kinds[called] = Kind.of(called, self.cases)
        return self._kinds[called]

    def unlikely(self, failing: Collection[int], passing: Collection[int]) -> tuple[int, ...]:
        """The sizes of conjunctions that so many failing cases hardly ever share by chance, and no passing case has.

        Cases are given by their number; the others are left out.
        """
        every = bits({*failing, *passing})
        draws = comb(every.bit_count(), len(failing))
        told = {held & every for held in self._sets} - {every}
        alone = sum(held.bit_count() == len(failing) for held in told)
        some = sum(held.bit_count() >= len(failing) for held in told)
        ways = [alone, *(some**size for size in range(2, MOST + 1))]
        return tuple(size for size, number in enumerate(ways, start=1) if Fraction(number, draws) < UNLIKELY)

    def at_least(self, amount: str, least: int) -> int:
        """The cases in which a number is so large."""
        return _union(held for value, held in self.amounts[amount].items() if value >= least)

    def at_most(self, amount: str, most: int) -> int:
        """The cases in which a number is no larger than that, or there is none."""
        return self._all & ~self.at_least(amount, most + 1)

    def _each(self) -> Iterator[int]:
        """The cases that have something, for each thing that can be said."""
        yield from self.facts.values()
        for held in self.said.values():
            yield from held.values()
        for values in self.amounts.values():
            above = 0
            for value in sorted(values, reverse=True):
                yield self._all & ~above
                above |= values[value]
                if value > 1:
                    yield above


def bits(numbers: Collection[int]) -> int:
    """A set of cases."""
    return _union(1 << number for number in numbers)


def _union(sets: Iterable[int]) -> int:
    return reduce(or_, sets, 0)
