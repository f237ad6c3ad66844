"""What failing cases have in common and no passing case has: the smallest conjunction of at most three features.

The search is exact up to ``MOST_PAIRS``: it depends on the cases alone, and takes no sample of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mmaspec.suites.verdict.attributes import Attribute
from mmaspec.suites.verdict.attributes import one as one_of
from mmaspec.suites.verdict.chance import Holders, bits
from mmaspec.suites.verdict.features import LISTED, Features, Said
from mmaspec.suites.verdict.kinds import Kind

MOST_PAIRS = 200_000
"""Pairs of features that are looked at for a third one before the search gives up."""
MOST_SAID = 64
"""Things said of the same kind of instruction that are combined with each other, the most telling first."""
BOUND = 5
"""The rank of a bound on a number."""


class Term(NamedTuple):
    """A feature that every failing case has, or several of one and the same instruction. Better ones are less."""

    size: int
    rank: int
    text: str
    passing: int
    """The passing cases that have it too, a bit for each."""


def shared(
    known: Holders,
    failing: Sequence[int],
    passing: Sequence[int],
    sizes: Collection[int] | None = None,
    smallest: Features | None = None,
) -> str:
    """What all failing cases have and no passing case, in words; empty if nothing, or nothing to compare with.

    Of two conjunctions the smaller one is told, of equally long ones the one that is easier to read. One failing case
    has nothing in common with another. ``sizes`` are those that are told; those that are hardly chance unless given.
    What only the list says of cases is told where their programs have nothing in common. ``smallest`` is what is left
    of one of them after reduction, and still fails: what it lacks is not what makes the others fail.
    """
    if len(failing) < 2 or not passing:
        return ""
    compared = _Compared(known, failing, passing, smallest)
    told = known.unlikely(failing, passing) if sizes is None else sizes
    single = list(_single(compared))
    of_programs = [term for term in single if term.rank != LISTED]
    found = _smallest(compared, told, of_programs) or _smallest(compared, told, single)
    if found is None:
        return ""
    *first, last = [term.text for term in sorted(found, key=lambda term: (-term.size, term))]
    said = f"{', '.join(first)} and {last}" if first else last
    return f"all {len(failing)} have {said}; 0 of {len(passing)} others"


class _Compared:
    """The cases of a finding, and those that pass."""

    def __init__(
        self, known: Holders, failing: Sequence[int], passing: Sequence[int], smallest: Features | None
    ) -> None:
        self.known, self.numbers, self.wrong = known, passing, failing
        self.failing = [known.cases[number] for number in failing]
        if smallest is not None:
            self.failing.append(smallest)
        self.smallest = smallest
        self.others = bits(passing)

    def common(self) -> frozenset[Said]:
        """What is true of a part of every failing case."""
        return frozenset.intersection(*(case.said for case in self.failing))

    def left(self, called: str, attributes: Iterable[Attribute]) -> bool:
        """Whether the smallest case, if there is one, has a part with all of these."""
        wanted = frozenset(attributes)
        return self.smallest is None or any(name == called and wanted <= has for name, has in self.smallest.parts)


def _smallest(compared: _Compared, sizes: Collection[int], single: Iterable[Term]) -> tuple[Term, ...] | None:
    """The best of the smallest conjunctions, if it is of one of these sizes; ``single``: features of all failing."""
    if not sizes:
        return None
    single = _best(single)
    if alone := [term for term in single if not term.passing]:
        return (min(alone),) if 1 in sizes else None
    longest = max(sizes)
    together = _together(compared, longest) if longest > 1 else []
    for size in range(2, longest + 1):
        found = [(term,) for term in together if term.size == size and not term.passing]
        several = _pair(single) if size == 2 else _three(single, [term for term in together if term.size == 2])
        if found or several is not None:
            return min([*found, *([] if several is None else [several])], key=_rank) if size in sizes else None
    return None


def _single(compared: _Compared) -> Iterator[Term]:
    """Every feature that all failing cases have."""
    known, failing, others = compared.known, compared.failing, compared.others
    for fact in frozenset.intersection(*(case.facts for case in failing)):
        yield Term(1, fact.rank, fact.text, known.facts[fact] & others)
    for called, attribute in compared.common():
        rank = 1 if attribute is None else attribute.rank
        yield Term(1, rank, _told(called, (attribute,)), known.said[called][attribute] & others)
    for amount in frozenset.intersection(*(frozenset(case.amounts) for case in failing)):
        numbers = [case.amounts[amount] for case in failing]
        least, most = min(numbers), max(numbers)
        if least > 1:
            at_least = amount.format(f"at least {least}")
            yield Term(1, BOUND, at_least, known.at_least(amount, least) & others)
        yield Term(1, BOUND + 1, amount.format(f"at most {most}"), known.at_most(amount, most) & others)


def _told(called: str, attributes: Iterable[Attribute | None]) -> str:
    said = [attribute.text for attribute in attributes if attribute is not None]
    return one_of(called) + (f" with {' and '.join(said)}" if said else "")


def _together(compared: _Compared, longest: int) -> list[Term]:
    """Two features, or up to ``longest``, of one and the same instruction that all failing cases have."""
    common = compared.common()
    terms: list[Term] = []
    for called in sorted({called for called, attribute in common if attribute is not None}):
        said = sorted(attribute for name, attribute in common if name == called and attribute is not None)
        terms += _of_one(called, said, compared, longest)
    return terms


def _of_one(called: str, said: Sequence[Attribute], compared: _Compared, longest: int) -> Iterator[Term]:
    """The same for the instructions of one kind."""
    kind = compared.known.kind(called)
    mine, theirs = (_Table(kind, said, numbers) for numbers in (compared.wrong, compared.numbers))

    def term(chosen: Sequence[int]) -> Term:
        attributes = [said[number] for number in chosen]
        rank = sum(attribute.rank for attribute in attributes) - 1  # it says more than the same of any instructions
        having = np.zeros(len(compared.known.cases), dtype=bool)
        having[compared.numbers] = theirs.having(chosen)
        return Term(len(chosen), rank, _told(called, attributes), _bits(having))

    kept = _distinct(mine, theirs)[:MOST_SAID]
    pairs = [
        pair
        for pair in combinations(kept, 2)
        if mine.having(pair).all() and compared.left(called, (said[number] for number in pair))
    ]
    yield from map(term, pairs)
    known = set(pairs)
    if longest < 3:
        return
    for one, other, third in combinations(kept, 3):
        of_pairs = {(one, other), (one, third), (other, third)} <= known
        left = of_pairs and compared.left(called, (said[number] for number in (one, other, third)))
        if left and mine.having((one, other, third)).all():
            yield term((one, other, third))


class _Table:
    """Which of some attributes each part of a kind has, in some of the cases, and in which of these the parts are."""

    def __init__(self, kind: Kind, said: Sequence[Attribute], numbers: Sequence[int]) -> None:
        place = np.full(kind.cases, -1)
        place[list(numbers)] = np.arange(len(numbers))
        mine = place[kind.owner] >= 0
        self.owner = place[kind.owner[mine]]
        columns = np.array([kind.column[attribute] for attribute in said], np.intp)
        self.has: NDArray[np.bool_] = kind.has[mine][:, columns]
        self.cases = len(numbers)

    def having(self, chosen: Collection[int]) -> NDArray[np.bool_]:
        """The cases in which one part has all the chosen attributes."""
        found = np.zeros(self.cases, dtype=bool)
        found[self.owner[self.has[:, list(chosen)].all(axis=1)]] = True
        return found


def _distinct(mine: _Table, theirs: _Table) -> list[int]:
    """The attributes but those that hold of the same parts as a more telling one, or of every part."""
    seen: set[bytes] = set()
    kept = []
    for number in range(mine.has.shape[1]):
        column = np.concatenate([mine.has[:, number], theirs.has[:, number]])
        if not column.all() and column.tobytes() not in seen:
            seen.add(column.tobytes())
            kept.append(number)
    return kept


def _bits(flags: NDArray[np.bool_]) -> int:
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")


def _best(terms: Iterable[Term]) -> list[Term]:
    """The terms, best first, without those that a better one makes needless: it leaves no passing case more."""
    kept: list[Term] = []
    for term in sorted(terms):
        if all(other.passing & ~term.passing for other in kept):
            kept.append(term)
    return kept


def _pair(terms: Sequence[Term]) -> tuple[Term, ...] | None:
    """The best two terms that no passing case has both of."""
    found = [pair for pair in combinations(terms, 2) if not pair[0].passing & pair[1].passing]
    return min(found, key=_rank, default=None)


def _three(singles: Sequence[Term], pairs: Sequence[Term]) -> tuple[Term, ...] | None:
    """The best three features: two of one instruction and another one, else three that may stand anywhere."""
    mixed = [(pair, single) for pair in pairs for single in singles if not pair.passing & single.passing]
    if mixed:
        return min(mixed, key=_rank)
    looked = 0
    best: tuple[Term, ...] | None = None
    for number, one in enumerate(singles):
        for middle in range(number + 1, len(singles)):
            looked += 1
            if looked > MOST_PAIRS:
                return best
            left = one.passing & singles[middle].passing
            third = next((term for term in singles[middle + 1 :] if not term.passing & left), None)
            if third is not None and (best is None or _rank((one, singles[middle], third)) < _rank(best)):
                best = (one, singles[middle], third)
    return best


def _rank(terms: Iterable[Term]) -> tuple[int, list[str]]:
    terms = list(terms)
    return sum(term.rank for term in terms), [term.text for term in terms]
