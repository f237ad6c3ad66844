"""Tensor views for the reference device: the clip rectangle, and renumbering the elements of the slice."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mmaspec.backends.numpy.nv_coopmat2.execution import Ints, Mask
from mmaspec.backends.numpy.nv_coopmat2.tensors import Region, TensorAddressing

WORD = 1 << 32
"""Unsigned arithmetic is modulo this."""


@dataclass
class Window:
    """The state of a tensor view. ``order`` lists axes, the one that varies slowest first."""

    own_sizes: bool
    """Whether sizes and steps are the view's own, or those of the slice."""
    order: list[int]
    sizes: list[int]
    steps: list[int]
    rows: tuple[int, int] = (0, WORD - 1)
    """Offset and span of the clip."""
    cols: tuple[int, int] = (0, WORD - 1)
    history: list[str] = field(default_factory=list)

    def copy(self) -> Window:
        """A copy with its own lists."""
        lists = (list(self.order), list(self.sizes), list(self.steps))
        return Window(self.own_sizes, *lists, self.rows, self.cols, list(self.history))


class ViewAddressing(TensorAddressing):
    """Addressing through views, one method for each rule."""

    def create_view(self, rank: int, order: list[int], *, own_sizes: bool) -> Window:
        """Zeros, and a clip that takes everything."""
        return Window(own_sizes, order or list(range(rank)), [0] * rank, [0] * rank)

    def view_from(self, window: Window) -> Window:
        """The value that setters on another name begin with."""
        return window.copy()

    def set_view_dimensions(self, window: Window, sizes: list[int]) -> None:
        """Sizes of its own, and steps that number them without gaps."""
        window.sizes, window.steps = list(sizes), self.inner_products(sizes)

    def inner_products(self, sizes: list[int]) -> list[int]:
        """For every axis the number of places in all axes after it."""
        found = np.ones(len(sizes), object)
        found[:-1] = np.cumprod(np.array(sizes[:0:-1], object))[::-1]
        return [int(step) % WORD for step in found]

    def set_view_stride(self, window: Window, steps: list[int]) -> None:
        """All steps anew."""
        window.steps = list(steps)

    def set_clip(self, window: Window, rows: tuple[int, int], cols: tuple[int, int]) -> None:
        """Another rectangle."""
        window.rows, window.cols = rows, cols

    def clip_end(self, offset: int, span: int) -> int:
        """One past the last row or column inside, in 32 bits."""
        return (offset + span) % WORD

    def skipped(self, window: Window, rows: int, cols: int) -> Mask:
        """Elements outside the clip."""
        inside = []
        for count, (offset, span) in ((rows, window.rows), (cols, window.cols)):
            place = np.arange(count)
            inside.append((place >= offset) & (place < self.clip_end(offset, span)))
        return ~np.logical_and.outer(*inside)

    def clip_width(self, window: Window, cols: int) -> int:
        """The number of columns in a row of the clip."""
        return min(cols, window.cols[1])

    def clip_number(self, window: Window, rows: int, cols: int) -> Ints:
        """The number of every element, counted from the corner of the clip; anything outside it."""
        row, col = np.indices((rows, cols), dtype=np.int64)
        return ((row - window.rows[0]) * self.clip_width(window, cols) + (col - window.cols[0])) % WORD

    def view_sizes(self, region: Region, window: Window) -> list[int]:
        """The extents by which numbers are unravelled."""
        return window.sizes if window.own_sizes else region.spans

    def view_steps(self, region: Region, window: Window) -> list[int]:
        """The amount that a step along each axis adds."""
        return window.steps if window.own_sizes else self.inner_products(region.spans)

    def view_places(self, region: Region, window: Window, number: Ints) -> dict[int, Ints]:
        """The coordinate on every axis: the last one in the order varies fastest."""
        sizes = self.view_sizes(region, window)
        below = self.inner_products_exact([sizes[axis] for axis in window.order])
        return {
            axis: number // min(max(count, 1), WORD) % max(sizes[axis], 1)
            for axis, count in zip(window.order, below, strict=True)
        }

    def inner_products_exact(self, sizes: list[int]) -> list[int]:
        """The same as ``inner_products`` without losing anything: a quotient of quotients does not wrap."""
        found = [1]
        for size in reversed(sizes[1:]):
            found.append(found[-1] * size)
        return found[::-1]

    def through(self, region: Region, window: Window, number: Ints) -> Ints:
        """From a number in the view to one in the slice."""
        steps = self.view_steps(region, window)
        places = self.view_places(region, window, number)
        total = sum((place * (steps[axis] % WORD) % WORD for axis, place in places.items()), np.zeros_like(number))
        return np.asarray(total % WORD, np.int64)
