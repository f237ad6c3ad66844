"""Which elements of what an instruction leaves depend on operands that have classes of data.

A look answers for whole matrices. So it is asked again about a case in which only some elements are left: those of
other batch items are cut off, other waves, rows and columns replaced by copies of those that are left, and nothing
changes its shape. As long as a class is still seen in one half, it is that half that has it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.expectation import Defined, Step
from mmaspec.oracle.numerics.legal import Legal
from mmaspec.strategies.axes.observation import WHOLE, Dependence, Dims, Subject

Range = tuple[int, int]
"""From, and up to but without."""
ITEMS, WAVES, ROWS, COLUMNS = range(4)


@dataclass(frozen=True, slots=True)
class Block:
    """Elements of a result: of some batch items and waves, in some rows and columns."""

    sides: tuple[Range, Range, Range, Range]

    @property
    def key(self) -> tuple[slice, ...]:
        """What selects them from ``(batch, waves, rows, cols)``."""
        return tuple(slice(*side) for side in self.sides)

    def halves(self, side: int) -> list[Block]:
        """Cut along one side; nothing, of one that is as short as can be."""
        start, stop = self.sides[side]
        middle = (start + stop) // 2
        return [self._with(side, part) for part in ((start, middle), (middle, stop))] if stop - start > 1 else []

    def at(self, part: Sequence[int | None]) -> Block:
        """Only those of one item, wave, row or column, where a number is given."""
        found = self
        for side, number in enumerate(part):
            if number is not None:
                found = found._with(side, (number, number + 1))
        return found

    def _with(self, side: int, part: Range) -> Block:
        items, waves, rows, cols = (part if n == side else one for n, one in enumerate(self.sides))
        return Block((items, waves, rows, cols))


def block_of(shape: tuple[int, ...]) -> Block:
    """All elements of ``(batch, waves, rows, cols)``."""
    batch, waves, rows, cols = shape
    return Block(((0, batch), (0, waves), (0, rows), (0, cols)))


Holds = Callable[[Block], bool]
"""Whether a class is seen in some elements alone."""


def meeting(conditions: Sequence[Holds], block: Block, sides: Sequence[int]) -> Iterator[Block]:
    """The smallest blocks within one in which all conditions hold, if they hold in all of it.

    A condition that neither half meets is one of the whole side: rows that are alike, an operand that is all zeros.
    It stays with everything there. If others are met in some half, they have to be met in the same one.
    """
    for number, side in enumerate(sides):
        halves = block.halves(side)
        there = [(condition, [condition(half) for half in halves]) for condition in conditions]
        narrow = [(condition, met) for condition, met in there if any(met)]
        if narrow:
            for at, half in enumerate(halves):
                if all(met[at] for _, met in narrow):
                    yield from meeting([condition for condition, _ in narrow], half, sides[number:])
            return
    yield block


class Narrowed(Subject):
    """A case with only those operands left on which some elements of a result depend."""

    def __init__(self, whole: Subject, dependence: Dependence, block: Block, data: str | None = None) -> None:
        self.case = whole.case.items(slice(*block.sides[ITEMS]))
        self.spec, self.program, self.caps = whole.spec, whole.program, whole.caps
        self._whole, self._block = whole, block
        self._operands = dependence.operands
        if data is not None and data in self.case.values:
            values = _cut(self.case.values[data], self._operands.get(dependence.result, WHOLE), block, 1)
            self.case = replace(self.case, values={**self.case.values, data: values})
        expected = whole.expectation
        self.expectation = self._left(expected) if isinstance(expected, Defined) else expected

    @property
    def whole(self) -> Subject:
        """The case that it is part of."""
        return self._whole.whole

    def _left(self, expected: Defined) -> Defined:
        some = slice(*self._block.sides[ITEMS])
        images = {name: image[some] for name, image in expected.images.items()}
        regions = tuple(region.items(some) for region in expected.regions)
        return replace(expected, images=images, regions=regions, steps=tuple(self._step(one) for one in expected.steps))

    def _step(self, step: Step) -> Step:
        if step.legal is None:
            return step
        legal = step.legal.index(slice(*self._block.sides[ITEMS]))
        if step.writes in self._operands:
            legal = _legal(legal, self._operands[step.writes], self._block)
        return replace(step, legal=legal)


def roles(operands: Iterable[tuple[str, Dims]]) -> dict[str, Dims]:
    """What is needed of each matrix. Where one has two roles, such as A and B of one product, elements are not told."""
    found: dict[str, Dims] = {}
    alike = True
    for name, dims in operands:
        alike &= found.setdefault(name, dims) == dims
    return found if alike else dict.fromkeys(found, WHOLE)


def sides_of(dependence: Dependence) -> tuple[int, ...]:
    """Along which sides of the result elements can be told apart."""
    used = {side for dims in dependence.operands.values() for side in dims if side is not None}
    return (ITEMS, WAVES, *(side for side, number in ((ROWS, 0), (COLUMNS, 1)) if number in used))


def _legal(legal: Legal, dims: Dims, block: Block) -> Legal:
    fields = (legal.lo, legal.hi, legal.nan, legal.why, legal.moved, legal.bits, legal.ends)
    return Legal(legal.fmt, *(_cut(one, dims, block, 1) for one in fields))


def _cut(some: NDArray[Any], dims: Dims, block: Block, waves: int) -> NDArray[Any]:
    """``(batch, waves, ..., rows, cols)`` with copies of what is left; sides of another length stay as they are."""
    sides = ((waves, WAVES), *((some.ndim - 2 + n, ROWS + side) for n, side in enumerate(dims) if side is not None))
    for axis, side in sides:
        start, stop = block.sides[side]
        extent = some.shape[axis]
        if extent >= stop and extent > stop - start:
            some = np.take(some, start + np.arange(extent) % (stop - start), axis=axis)
    return some
