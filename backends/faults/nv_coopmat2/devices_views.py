"""Devices that deviate in one rule of tensor views."""

# ruff: noqa: D102 - each class says what its one method does

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mmaspec.backends.numpy.nv_coopmat2.device import CoopMat2Device
from mmaspec.backends.numpy.nv_coopmat2.execution import Ints, Mask, Running
from mmaspec.backends.numpy.nv_coopmat2.tensors import Region
from mmaspec.backends.numpy.nv_coopmat2.views import Window
from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.programs.nv_coopmat2.program import LoadTensor


class ViewStartsClipped(CoopMat2Device):
    """A new view leaves out what is beyond seven rows and columns."""

    def create_view(self, rank: int, order: list[int], *, own_sizes: bool) -> Window:
        window = super().create_view(rank, order, own_sizes=own_sizes)
        window.rows = window.cols = (0, 7)
        return window


class ViewSetterChangesArgument(CoopMat2Device):
    """Names of views share one record."""

    def view_from(self, window: Window) -> Window:
        return window


class ViewStepsOutermostFirst(CoopMat2Device):
    """The first axis of a view is next to itself."""

    def set_view_dimensions(self, window: Window, sizes: list[int]) -> None:
        super().set_view_dimensions(window, sizes)
        window.steps = self.inner_products(sizes[::-1])[::-1]


class ViewStrideIgnored(CoopMat2Device):
    """Strides of a view stay implicit."""

    def set_view_stride(self, window: Window, steps: list[int]) -> None:
        """Nothing happens."""


class ClipIgnored(CoopMat2Device):
    """A clip cannot be set."""

    def set_clip(self, window: Window, rows: tuple[int, int], cols: tuple[int, int]) -> None:
        """Nothing happens."""


class ClipColumnsFirst(CoopMat2Device):
    """Columns are given before rows."""

    def set_clip(self, window: Window, rows: tuple[int, int], cols: tuple[int, int]) -> None:
        super().set_clip(window, cols, rows)


class ClipZeroes(CoopMat2Device):
    """Elements outside the clip become zero."""

    def kept(self, running: Running, access: LoadTensor, found: Bits, skipped: Mask) -> Bits:
        return np.where(skipped, np.uint64(0), super().kept(running, access, found, skipped))


class ClipEndIsSpan(CoopMat2Device):
    """The span of a clip is taken for its end."""

    def skipped(self, window: Window, rows: int, cols: int) -> Mask:
        ends = [(offset, end - offset) for offset, end in (window.rows, window.cols)]
        return super().skipped(replace(window, rows=ends[0], cols=ends[1]), rows, cols)


class ClipWidthOfMatrix(CoopMat2Device):
    """Rows of a clip are as wide as the matrix."""

    def clip_number(self, window: Window, rows: int, cols: int) -> Ints:
        return super().clip_number(replace(window, cols=(window.cols[0], cols)), rows, cols)


class ClipWidthInMatrix(CoopMat2Device):
    """Rows of a clip end where the matrix does."""

    def clip_width(self, window: Window, cols: int) -> int:
        return min(cols - window.cols[0], window.cols[1])


class ClipCountsFromMatrix(CoopMat2Device):
    """Rows and columns are counted from the corner of the matrix."""

    def clip_number(self, window: Window, rows: int, cols: int) -> Ints:
        row, col = np.indices((rows, cols), dtype=np.int64)
        return row * self.clip_width(window, cols) + col


class PermutationInverted(CoopMat2Device):
    """The permutation says where an axis goes, not where it comes from."""

    def view_places(self, region: Region, window: Window, number: Ints) -> dict[int, Ints]:
        turned = window.copy()
        turned.order = [window.order.index(axis) for axis in range(len(window.order))]
        return super().view_places(region, turned, number)


class NotPermuted(CoopMat2Device):
    """The axes of a view stay in their order."""

    def view_places(self, region: Region, window: Window, number: Ints) -> dict[int, Ints]:
        turned = window.copy()
        turned.order = list(range(len(window.order)))
        return super().view_places(region, turned, number)


class SpanStepsCanBeSet(CoopMat2Device):
    """Steps that were set on a view without sizes of its own are taken."""

    def view_steps(self, region: Region, window: Window) -> list[int]:
        return window.steps if "SetViewStride" in window.history else super().view_steps(region, window)


class IdentityByRowsAndColumns(CoopMat2Device):
    """Through a view that changes nothing, rows of the matrix are taken for rows of the slice."""

    def numbers(self, region: Region, window: Window | None, rows: int, cols: int) -> tuple[Ints, Mask]:
        found, skipped = super().numbers(region, window, rows, cols)
        plain = window is not None and not window.own_sizes and window.order == sorted(window.order)
        if not plain or len(region.spans) != 2 or skipped.any():
            return found, skipped
        row, col = np.indices((rows, cols), dtype=np.int64)
        return row * region.spans[1] + col, skipped


class TransposeKeepsOffsets(CoopMat2Device):
    """Through exchanged axes the offsets of a slice are taken for those of the matrix."""

    def numbers(self, region: Region, window: Window | None, rows: int, cols: int) -> tuple[Ints, Mask]:
        if window is not None and not window.own_sizes and window.order == [1, 0]:
            region.starts.reverse()
        return super().numbers(region, window, rows, cols)


class TransposeIgnoresClip(CoopMat2Device):
    """Through exchanged axes a column of the matrix is a row of the slice, whatever the clip."""

    def numbers(self, region: Region, window: Window | None, rows: int, cols: int) -> tuple[Ints, Mask]:
        found, skipped = super().numbers(region, window, rows, cols)
        if window is None or window.own_sizes or window.order != [1, 0] or not skipped.any():
            return found, skipped
        row, col = np.indices((rows, cols), dtype=np.int64)
        return col * region.spans[1] + row, skipped


class PatchesColumnsFirst(CoopMat2Device):
    """Patches of pixels become channels column by column."""

    def view_places(self, region: Region, window: Window, number: Ints) -> dict[int, Ints]:
        turned = window.copy()
        if window.own_sizes and window.order == [0, 2, 1, 3, 4]:
            turned.order = [0, 2, 3, 1, 4]
        return super().view_places(region, turned, number)


class SpanStepsFromDimensions(CoopMat2Device):
    """A view without dimensions takes its steps from those of the layout."""

    def view_steps(self, region: Region, window: Window) -> list[int]:
        return window.steps if window.own_sizes else self.inner_products(region.sizes)
