"""Which mutants are drawn: of those that some case can notice, the first by a hash of place, operator and seed."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mmaspec.suites.score.mutants.sites import Mutation, constants_read, mutations, readers

Reach = Mapping[str, Mapping[int, int]]
"""Module -> line -> the cases that execute it, a bit for each."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one module."""

    module: str
    """Its full name."""
    mutation: Mutation
    text: str
    """The line on which it begins, without indentation."""


@dataclass(frozen=True, slots=True)
class Reached:
    """A mutant, and the cases that execute what it changes: the only ones whose answer can be another."""

    mutant: Mutant
    cases: tuple[int, ...]


def every_mutant(module: str, source: str) -> Iterator[Mutant]:
    """All mutants of a module."""
    lines = source.splitlines()
    for mutation in mutations(source):
        yield Mutant(module, mutation, lines[mutation.line - 1].strip())


def drawn(sources: Mapping[str, str], reach: Reach, seed: int) -> list[Reached]:
    """All mutants that can be drawn, one for each operator in each place, in the order in which they are drawn.

    What an operator makes of a place, where there is a choice, follows from the hash too.
    """
    constants = _constants(sources, reach)
    ranked: list[tuple[str, Reached]] = []
    for module, source in sources.items():
        lines = reach.get(module, {})
        places: dict[tuple[object, ...], list[Mutant]] = defaultdict(list)
        for mutant in every_mutant(module, source):
            change = mutant.mutation
            places[(*change.place, change.operator)].append(mutant)
        for place, choice in places.items():
            first = choice[0].mutation
            cases = 0 if first.lines else constants.get((module, first.function), 0)
            for line in first.lines:
                cases |= lines.get(line, 0)
            if cases:
                digest = hashlib.sha256(repr((module, place, seed)).encode()).hexdigest()
                chosen = choice[int(digest[:8], 16) % len(choice)]
                ranked.append((digest, Reached(chosen, _bits(cases))))
    return [reached for _, reached in sorted(ranked, key=lambda entry: entry[0])]


def _bits(cases: int) -> tuple[int, ...]:
    return tuple(at for at in range(cases.bit_length()) if cases >> at & 1)


def _constants(sources: Mapping[str, str], reach: Reach) -> dict[tuple[str, str], int]:
    """Module and constant -> the cases that execute a line where it is read, in its module or one that imports it.

    A constant that others are computed from reaches what they reach. Names alone are compared, so of two constants
    of one name in different modules each may seem to reach too much, which costs time and nothing else.
    """
    reads: dict[str, int] = defaultdict(int)
    uses: dict[str, set[str]] = defaultdict(set)
    for module, source in sources.items():
        for name, lines in readers(source).items():
            for line in lines:
                reads[name] |= reach.get(module, {}).get(line, 0)
        for name, read in constants_read(source).items():
            for other in read:
                uses[other].add(name)
    found: dict[tuple[str, str], int] = {}
    for module, source in sources.items():
        for mutation in mutations(source):
            if not mutation.lines:
                found[module, mutation.function] = _reached(mutation.function, reads, uses)
    return found


def _reached(name: str, reads: Mapping[str, int], uses: Mapping[str, set[str]]) -> int:
    cases, waiting, seen = 0, [name], {name}
    while waiting:
        one = waiting.pop()
        cases |= reads.get(one, 0)
        fresh = uses.get(one, set()) - seen
        seen |= fresh
        waiting.extend(fresh)
    return cases
