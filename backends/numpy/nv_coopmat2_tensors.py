"""Tensor layouts for the numpy machine: setters that act on a small record, and addressing by whole arrays."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.nv_coopmat2.program import CLAMP_TO_EDGE, CONSTANT, MIRROR_REPEAT, REPEAT, UNDEFINED

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass
class Region:
    """What a tensor layout knows: the tensor in memory and the part of it that is accessed."""

    mode: int
    sizes: list[int]
    steps: list[int]
    """Strides, in elements."""
    starts: list[int]
    """Offsets of the accessed part; signed."""
    spans: list[int]
    fill: int = 0
    """The clamp value."""
    history: list[str] = field(default_factory=list)
    """Names of the setters that were called."""

    def copy(self) -> Region:
        """The same in lists of its own."""
        return Region(
            self.mode,
            list(self.sizes),
            list(self.steps),
            list(self.starts),
            list(self.spans),
            self.fill,
            list(self.history),
        )


class TensorAddressing:
    """Every rule a method of its own, so that a deviation can replace just one."""

    def create(self, rank: int, mode: int) -> Region:
        """All zero."""
        return Region(mode, [0] * rank, [0] * rank, [0] * rank, [0] * rank)

    def start_from(self, region: Region) -> Region:
        """The value that setters on another name begin with."""
        return region.copy()

    def set_dimension(self, region: Region, sizes: list[int]) -> None:
        """Sizes and spans; offsets back to zero; strides such that nothing lies between elements."""
        region.sizes, region.spans = list(sizes), list(sizes)
        region.starts = [0] * len(sizes)
        region.steps = self.packed(sizes)

    def packed(self, sizes: list[int]) -> list[int]:
        """Strides of a tensor without gaps, the last dimension next to itself."""
        inner = np.cumprod([1, *reversed(sizes[1:])], dtype=np.uint64) & np.uint64(0xFFFF_FFFF)
        return [int(step) for step in reversed(inner)][: len(sizes)] if sizes else []

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
        for axis, span in enumerate(region.spans):
            below = min(int(np.prod(region.spans[axis + 1 :], dtype=object)), 1 << 32)
            found.append(self.wrapped(number // max(below, 1), span, axis))
        return found

    def wrapped(self, coordinate: Ints, span: int, axis: int) -> Ints:  # noqa: ARG002 - for deviations
        """A coordinate modulo its span."""
        return coordinate % max(span, 1)

    def outside(self, region: Region, axis: int, coordinate: Ints) -> Mask:
        """Where a coordinate of the tensor leaves it."""
        return (coordinate < 0) | (coordinate >= region.sizes[axis])

    def locate(self, region: Region, rows: int, cols: int, *, store: bool) -> tuple[Ints, Mask]:
        """Index of every element in the tensor, and where there is none."""
        number = self.number(rows, cols)
        index = np.zeros_like(number)
        none = np.zeros(number.shape, np.bool_)
        left = np.zeros(number.shape, np.bool_)
        for axis, within in enumerate(self.unravel(region, number)):
            coordinate = within + region.starts[axis]
            out = self.outside(region, axis, coordinate)
            coordinate, ended = self.bring_in(region, axis, coordinate, out, left, store=store)
            none |= ended
            left |= out
            index += coordinate * self.pace(region, axis)
        return index & 0xFFFF_FFFF, none

    def pace(self, region: Region, axis: int) -> int:
        """How far apart neighbours along an axis are."""
        return region.steps[axis]

    def bring_in(
        self,
        region: Region,
        axis: int,
        coordinate: Ints,
        out: Mask,
        left: Mask,  # noqa: ARG002 - for deviations: where an outer coordinate was out already
        *,
        store: bool,
    ) -> tuple[Ints, Mask]:
        """Coordinates with those that are out brought back, and where the element is none instead."""
        nowhere = np.zeros(out.shape, np.bool_)
        mode, size = region.mode, region.sizes[axis]
        if mode == UNDEFINED or not out.any():
            return coordinate, nowhere
        if store:
            return self.stored_outside(region, axis, coordinate, out)
        if mode == CONSTANT:
            return self.constant(region, axis, coordinate, out)
        return np.where(out, self.folded(mode, coordinate, size), coordinate), nowhere

    def folded(self, mode: int, coordinate: Ints, size: int) -> Ints:
        """Coordinates by one of the modes that find another element."""
        if mode == CLAMP_TO_EDGE:
            return self.edge(coordinate, size)
        if mode == REPEAT:
            return self.repeat(coordinate, size)
        if mode == MIRROR_REPEAT:
            return self.mirror(coordinate, size)
        raise ValueError(f"clamp mode {mode}")

    def stored_outside(self, region: Region, axis: int, coordinate: Ints, out: Mask) -> tuple[Ints, Mask]:  # noqa: ARG002
        """A store drops what is out, whatever the mode."""
        return coordinate, out

    def constant(self, region: Region, axis: int, coordinate: Ints, out: Mask) -> tuple[Ints, Mask]:  # noqa: ARG002
        """What is out takes the clamp value."""
        return coordinate, out

    def edge(self, coordinate: Ints, size: int) -> Ints:
        """The nearest coordinate inside."""
        return np.clip(coordinate, 0, size - 1)

    def repeat(self, coordinate: Ints, size: int) -> Ints:
        """Copies of the tensor side by side."""
        return np.mod(coordinate, size)

    def mirror(self, coordinate: Ints, size: int) -> Ints:
        """A triangle wave with its corners at the first and the last element."""
        last = size - 1
        folded: Ints = last - np.abs(np.mod(coordinate, 2 * last) - last)
        return folded
