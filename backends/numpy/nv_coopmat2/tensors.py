"""Tensor layouts for the reference device: setters that change a small record, and addressing of whole arrays."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import accumulate
from math import prod

import numpy as np

from mmaspec.backends.numpy.nv_coopmat2.execution import Ints, Mask
from mmaspec.programs.nv_coopmat2.program import CLAMP_TO_EDGE, CONSTANT, MIRROR_REPEAT, REPEAT, UNDEFINED


@dataclass
class Region:
    """The state of a tensor layout: the tensor in memory and the part of it that is accessed."""

    mode: int
    sizes: list[int]
    steps: list[int]
    """Strides, in blocks."""
    starts: list[int]
    """Offsets of the accessed part; signed."""
    spans: list[int]
    blocks: list[int]
    """Extent of a block along every axis."""
    fill: int = 0
    """The clamp value."""
    history: list[str] = field(default_factory=list)
    """Names of the setters that were called."""

    def copy(self) -> Region:
        """A copy with its own lists."""
        return Region(
            self.mode,
            list(self.sizes),
            list(self.steps),
            list(self.starts),
            list(self.spans),
            list(self.blocks),
            self.fill,
            list(self.history),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Along:
    """Coordinates of elements along one axis of a tensor, before clamping.

    ``out``: where they leave the tensor; ``left``: where a coordinate of an outer axis did; ``store``: of a store.
    """

    region: Region
    axis: int
    coordinate: Ints
    out: Mask
    left: Mask
    store: bool


class TensorAddressing:
    """Tensor addressing, one method for each rule, so that a counterfactual can replace just one."""

    def create(self, rank: int, mode: int) -> Region:
        """All zero, but blocks of one element."""
        return Region(mode, [0] * rank, [0] * rank, [0] * rank, [0] * rank, [1] * rank)

    def start_from(self, region: Region) -> Region:
        """The value that setters on another name begin with."""
        return region.copy()

    def set_block(self, region: Region, blocks: list[int]) -> None:
        """Other blocks; whatever was made of the old ones stays."""
        region.blocks = list(blocks)

    def set_dimension(self, region: Region, sizes: list[int]) -> None:
        """Sizes and spans; offsets back to zero; strides such that nothing lies between blocks."""
        region.sizes, region.spans = list(sizes), list(sizes)
        region.starts = [0] * len(sizes)
        region.steps = self.packed([self.blocks_along(*pair) for pair in zip(sizes, region.blocks, strict=True)])

    def blocks_along(self, size: int, block: int) -> int:
        """The number of blocks along an axis; a partial one counts."""
        return (size + block - 1) // max(block, 1)

    def packed(self, counts: list[int]) -> list[int]:
        """Strides of so many blocks along every axis without gaps, the last axis innermost."""
        inner = accumulate(reversed(counts[1:]), lambda step, count: step * count & 0xFFFF_FFFF, initial=1)
        return list(inner)[::-1][: len(counts)]

    def set_stride(self, region: Region, steps: list[int]) -> None:
        """All strides anew."""
        region.steps = list(steps)

    def cut(self, region: Region, starts: list[int], spans: list[int]) -> None:
        """A slice of a slice starts where both offsets lead."""
        region.starts = [old + new for old, new in zip(region.starts, starts, strict=True)]
        region.spans = list(spans)

    def set_fill(self, region: Region, value: int) -> None:
        """The clamp value, 32 bits."""
        region.fill = value

    def number(self, rows: int, cols: int) -> Ints:
        """The number of every matrix element, ``(rows, cols)``: along the rows."""
        return np.arange(rows * cols, dtype=np.int64).reshape(rows, cols)

    def unravel(self, region: Region, number: Ints) -> list[Ints]:
        """Coordinates inside the accessed part, outermost first; each wraps at its own span."""
        found = []
        for axis in range(len(region.spans)):
            below = min(prod(region.spans[axis + 1 :]), 1 << 32)
            found.append(self.wrapped(region, axis, number // max(below, 1)))
        return found

    def wrapped(self, region: Region, axis: int, coordinate: Ints) -> Ints:
        """A coordinate modulo its span."""
        return coordinate % max(region.spans[axis], 1)

    def outside(self, region: Region, axis: int, coordinate: Ints) -> Mask:
        """Elements whose coordinate lies outside the tensor."""
        return (coordinate < 0) | (coordinate >= region.sizes[axis])

    def locate(self, region: Region, number: Ints, *, store: bool) -> tuple[Ints, Mask, Ints, Ints]:
        """For every number: index in the tensor, whether there is none, block and place in it ``(axes, ...)``."""
        index = np.zeros_like(number)
        none = np.zeros(number.shape, np.bool_)
        left = np.zeros(number.shape, np.bool_)
        blocks, places = [], []
        for axis, within in enumerate(self.unravel(region, number)):
            coordinate = within + region.starts[axis]
            out = self.outside(region, axis, coordinate)
            along = Along(region, axis, coordinate, out, left, store)
            found, ended = self.bring_in(along)
            none |= ended
            block, place = self.split(along, found)
            left = left | out
            index += block * self.pace(region, axis)
            blocks.append(block)
            places.append(place)
        return index & 0xFFFF_FFFF, none, np.array(blocks), np.array(places)

    def split(self, along: Along, clamped: Ints) -> tuple[Ints, Ints]:
        """The block of a clamped coordinate and the place in it."""
        found = np.divmod(clamped, max(along.region.blocks[along.axis], 1))
        return found[0], found[1]

    def pace(self, region: Region, axis: int) -> int:
        """The distance between neighbours along an axis."""
        return region.steps[axis]

    def bring_in(self, along: Along) -> tuple[Ints, Mask]:
        """Coordinates with those that are out brought back, and where the element is none instead."""
        nowhere = np.zeros(along.out.shape, np.bool_)
        mode, size = along.region.mode, along.region.sizes[along.axis]
        if mode == UNDEFINED or not along.out.any():
            return along.coordinate, nowhere
        if along.store:
            return self.stored_outside(along)
        if mode == CONSTANT:
            return self.constant(along)
        return np.where(along.out, self.folded(mode, along.coordinate, size), along.coordinate), nowhere

    def folded(self, mode: int, coordinate: Ints, size: int) -> Ints:
        """Coordinates by one of the modes that find another element."""
        if mode == CLAMP_TO_EDGE:
            return self.edge(coordinate, size)
        if mode == REPEAT:
            return self.repeat(coordinate, size)
        if mode == MIRROR_REPEAT:
            return self.mirror(coordinate, size)
        raise ValueError(f"clamp mode {mode}")

    def stored_outside(self, along: Along) -> tuple[Ints, Mask]:
        """A store drops elements out of bounds, in every mode."""
        return along.coordinate, along.out

    def constant(self, along: Along) -> tuple[Ints, Mask]:
        """Elements out of bounds take the clamp value."""
        return along.coordinate, along.out

    def edge(self, coordinate: Ints, size: int) -> Ints:
        """The nearest coordinate inside."""
        return np.clip(coordinate, 0, size - 1)

    def repeat(self, coordinate: Ints, size: int) -> Ints:
        """Copies of the tensor side by side."""
        return np.mod(coordinate, max(size, 1))  # nothing is outside where there is nothing to repeat

    def mirror(self, coordinate: Ints, size: int) -> Ints:
        """A triangle wave with its corners at the first and the last element."""
        last = max(size - 1, 1)
        folded: Ints = last - np.abs(np.mod(coordinate, 2 * last) - last)
        return folded
