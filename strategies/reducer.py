"""The reducer: makes the program and data of a failing case as small as they can be while they fail in the same way."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from mmaspec.oracle.case import Bits, Case
from mmaspec.oracle.expect import resolve
from mmaspec.oracle.program_facts import facts_of
from mmaspec.oracle.source import Source
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.errors import BadInput
from mmaspec.programs.formats import Format
from mmaspec.programs.tree import Path, drop, keep, paths, unrolled
from mmaspec.strategies.reducer_program import fewer_waves, leading_to, pruned, simpler_loops, without_flags
from mmaspec.strategies.regimes.encoding import scaled, two_complement

BLOCKS = (32, 16, 8, 4, 2, 1)
"""Side lengths of the blocks of elements that are set to zero, largest first."""

SIMPLE = (1, -1, 2, 3)
"""Values that are tried for what is left, best first."""

FEW = 2
"""Up to so many batch items have blocks of their own."""

MANY = 64
"""Above so many elements left in a source they are not simplified one by one."""

STEPS = 5_000
"""So many instructions are executed by all calls together, one in a loop once per pass: loops may be long."""

CALLS = 100
"""The same for programs that are written long: so many calls of what is written of them."""

PATIENCE = 6
"""So many calls in a row that leave out instructions in vain: shorter runs of them are tried no more."""

SHARE = 4
"""Of a long program so many calls in vain are one for each of so many instructions: runs of fewer are tried as well."""


def reduce_case(
    case: Case, still_fails: Callable[[Case], bool], *, wrong: Path | None = None, budget: int = 300
) -> Case:
    """A smaller case for which ``still_fails`` holds, found with at most ``budget`` calls of it, and ``STEPS``.

    ``case`` itself must fail. In turn: one batch item; fewer passes, waves and instructions; zeros instead of
    blocks of values; 1, -1, 2 or 3 instead of the values left. ``still_fails`` gets candidates that may be
    invalid or fail in another way, and must say no to those. Equal arguments give equal results.
    ``wrong`` is the instruction that stores what is wrong, if that is known: it and what leads to it are tried first.
    """
    search = _Search(case, still_fails, budget)
    search.batch()
    program = search.best.program
    alone = wrong is not None and search.only(leading_to(case.program, wrong))
    search.rounds()  # what is tried after it takes less time
    search.program(longest=1 if alone else None)
    if search.values() and search.best.program != program:
        # With zeros an instruction may matter no longer. Where none could be left out before that is hardly so, and of
        # runs of them seldom: each is a call.
        search.program(longest=1)
    return search.best


def reduce_program(case: Case, still_fails: Callable[[Case], bool], *, budget: int = 150) -> Case:
    """A case with a smaller program for which ``still_fails`` holds, by as few calls that hold as can be.

    For failures that are costly to see, and seldom depend on the data, such as deaths: one batch item; fewer
    instructions, passes and waves; no flags, literal arguments; zeros. Otherwise as ``reduce_case``.
    """
    search = _Search(case, still_fails, budget)
    if case.batch > 1 and not search.accept(case.item(0)):
        search.batch()
    search.program()
    search.plain()
    for name in case.values:
        search.zero(name)
    return search.best


class _Search:
    """The smallest failing case so far, and the calls that are left."""

    def __init__(self, case: Case, still_fails: Callable[[Case], bool], budget: int) -> None:
        self.best = case
        self.left = budget
        written = len(paths(case.program))
        self._steps = max(STEPS, CALLS * written)
        self._patience = max(PATIENCE, written // SHARE)
        self._still_fails = still_fails

    def accept(self, candidate: Case | None) -> bool:
        """Keep a candidate if it still fails; False when there is none or no call is left."""
        if candidate is None or self.left <= 0 or self._steps <= 0:
            return False
        self.left -= 1
        self._steps -= sum(1 for _ in unrolled(candidate.program))
        if not self._still_fails(candidate):
            return False
        self.best = candidate
        return True

    def batch(self) -> None:
        """Halve the batch down to one item; of a failure that needs several, drop those that it does not need."""
        while self.best.batch > 1:
            middle = self.best.batch // 2
            if not self.accept(_items(self.best, 0, middle)) and not self.accept(
                _items(self.best, middle, self.best.batch)
            ):
                break
        length = self.best.batch // 2 if self.best.batch > 2 else 0
        while length:
            start = self.best.batch - length
            while start >= 0 and self.best.batch > 2:
                self.accept(_without_items(self.best, start, start + length))
                start = min(start, self.best.batch) - length
            length //= 2

    def program(self, longest: int | None = None) -> None:
        """Drop runs of instructions, halving their length (the ``longest`` first), then passes and waves."""
        length = max(len(paths(self.best.program)) // 2, 1) if longest is None else longest
        vain = 0
        while length and vain < self._patience:
            start = len(paths(self.best.program)) - length
            while start >= 0 and vain < self._patience:
                chosen = paths(self.best.program)[start : start + length]
                vain = 0 if self.accept(_with(self.best, drop(self.best.program, chosen))) else vain + 1
                start = min(start, len(paths(self.best.program))) - length
            length //= 2
        self.rounds()

    def rounds(self) -> None:
        """Fewer passes, then fewer waves."""
        for smaller in (simpler_loops, fewer_waves):
            while any(self.accept(_with(self.best, program)) for program in smaller(self.best.program)):
                pass

    def only(self, chosen: Container[Path]) -> bool:
        """Keep these instructions alone; whether it fails with them."""
        return self.accept(_with(self.best, keep(self.best.program, lambda path, _: path in chosen)))

    def plain(self) -> None:
        """Make all arguments literal, then take back every flag."""
        self.accept(_with(self.best, _resolved(self.best)))
        for path in paths(self.best.program):
            while any(self.accept(_with(self.best, program)) for program in without_flags(self.best.program, path)):
                pass

    def zero(self, name: str) -> None:
        """Set all values of a source to zero."""
        bits = self.best.values.get(name)
        if bits is not None and bits.any():
            self._put(name, np.zeros_like(bits))

    def values(self) -> bool:
        """Zero and simplify the data; whether anything changed."""
        before = self.best
        names = tuple(self.best.values)
        # Where no data matter, one call says so.
        if len(names) > 1 and self.accept(
            replace(self.best, values={name: np.zeros_like(bits) for name, bits in self.best.values.items()})
        ):
            return True
        for rank, name in enumerate(names):
            share = self.left // (len(names) - rank)
            self._zero(name, self.left - share)
        for source in _sources(self.best) or ():
            self._simplify(source.name, source.fmt)
        return self.best is not before

    def _put(self, name: str, bits: Bits) -> bool:
        return self.accept(replace(self.best, values={**self.best.values, name: bits}))

    def _zero(self, name: str, floor: int) -> None:
        """Set blocks to zero until ``floor`` calls are left; blocks that matter are split further."""
        bits = self.best.values[name]
        if not bits.any() or self._put(name, np.zeros_like(bits)):
            return
        for block in _blocks(bits.shape):
            if self.left <= floor:
                return
            now = self.best.values[name]
            if now[block].any():
                smaller = now.copy()
                smaller[block] = 0
                self._put(name, smaller)

    def _simplify(self, name: str, fmt: Format) -> None:
        bits = self.best.values[name]
        spots = np.argwhere(bits)
        if not len(spots) or len(spots) > MANY:
            return
        codes = simple_codes(fmt)
        if any(
            self._put(name, np.where(bits != 0, code, np.uint64(0)))
            for code in codes[:1]
            if (bits[bits != 0] != code).any()
        ):
            return
        for spot in spots:
            now = self.best.values[name]
            for code in codes:
                if now[tuple(spot)] == code:
                    break
                smaller = now.copy()
                smaller[tuple(spot)] = code
                if self._put(name, smaller):
                    break


def simple_codes(fmt: Format) -> tuple[np.uint64, ...]:
    """The bits of 1, -1, 2 and 3, as far as the format has them."""
    if fmt.is_float:
        return tuple(scaled(fmt, np.array(SIMPLE), 0))
    return tuple(two_complement(fmt, np.array([v for v in SIMPLE if fmt.min_value <= v <= fmt.max_value])))


def _blocks(shape: tuple[int, ...]) -> Iterator[tuple[slice | int, ...]]:
    """Blocks of ``(batch, waves, passes, rows, cols)``: whole matrices, then squares of falling size."""
    batch, waves, passes, rows, cols = shape
    items = [*range(batch)] if batch <= FEW else [slice(None)]
    matrices = [(item, wave, turn) for item in items for wave in range(waves) for turn in range(passes)]
    if len(matrices) > 1:
        yield from matrices
    for size in BLOCKS:
        if size < max(rows, cols):
            for matrix in matrices:
                for row in range(0, rows, size):
                    for col in range(0, cols, size):
                        yield (*matrix, slice(row, row + size), slice(col, col + size))


def _items(case: Case, start: int, stop: int) -> Case:
    values = {name: bits[start:stop] for name, bits in case.values.items()}
    return replace(case, batch=stop - start, values=values)


def _without_items(case: Case, start: int, stop: int) -> Case:
    kept = [item for item in range(case.batch) if not start <= item < stop]
    values = {name: bits[kept] for name, bits in case.values.items()}
    return replace(case, batch=len(kept), values=values)


def _resolved(case: Case) -> Any:
    try:
        return resolve(case.program, case.words)
    except BadInput:
        return case.program


def _sources(case: Case) -> tuple[Source, ...] | None:
    try:
        return facts_of(spec_named(case.spec), case.program, case.words, case.caps).sources
    except BadInput:
        return None


def _with(case: Case, program: Any) -> Case | None:
    """The case under a smaller program, with the values that it still loads; None if that makes no sense."""
    if not program.body or program == case.program:
        return None
    program, words = pruned(program, case.words)
    changed = replace(case, program=program, words=words)
    sources = _sources(changed)
    if sources is None:
        return None
    values = _fitted(case.values, case.batch, sources)
    return None if values is None else replace(changed, values=values)


def _fitted(values: Mapping[str, Bits], batch: int, sources: tuple[Source, ...]) -> dict[str, Bits] | None:
    """Values cut to the shapes that are left, such as fewer waves or passes."""
    fitted = {}
    for source in sources:
        bits = values.get(source.name)
        if bits is None or any(have < want for have, want in zip(bits.shape[1:], source.shape, strict=True)):
            return None
        fitted[source.name] = bits[(slice(batch), *(slice(extent) for extent in source.shape))]
    return fitted
