"""Tensor loads and stores of the reference device: from declared layouts and views to bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.numpy.nv_coopmat2.decoding import Decoding
from mmaspec.backends.numpy.nv_coopmat2.execution import Ints, Mask, Running
from mmaspec.backends.numpy.nv_coopmat2.tensors import Region
from mmaspec.backends.numpy.nv_coopmat2.views import ViewAddressing, Window
from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.programs.base import Index
from mmaspec.programs.nv_coopmat2.program import (
    LoadTensor,
    SetBlockSize,
    SetClip,
    SetDimension,
    SetStride,
    Setter,
    SetViewDimensions,
    Slice,
    StoreTensor,
    ViewSetter,
)


@dataclass
class Places:
    """Where the elements of a matrix lie: arrays ``(waves, rows, cols)``, after the axes before these, if any."""

    start: Ints
    """Byte of the tensor in the view of the buffer, ``(waves, 1, 1)``."""
    index: Ints
    none: Mask
    """No index: a load takes the clamp value, a store drops the element."""
    skipped: Mask
    """Outside the clip: nothing happens."""
    block: Ints
    within: Ints
    fill: NDArray[np.uint64]
    """The clamp value, ``(waves, 1, 1)``."""


class TensorAccess(ViewAddressing, Decoding):
    """Loads and stores through a layout, and a view if there is one."""

    def regions(self, running: Running, wave: int, loop: int) -> dict[str, Region]:
        """Every declared layout; worked out once where waves and passes make no difference."""
        key = ("layouts", wave, loop) if running.moving else ("layouts", 0, 0)
        if key not in running.evaluated:
            running.evaluated[key] = self.evaluated_regions(running, wave, loop)
        found: dict[str, Region] = running.evaluated[key]
        return found

    def evaluated_regions(self, running: Running, wave: int, loop: int) -> dict[str, Region]:
        """Every declared layout, evaluated in the order of declaration."""
        found: dict[str, Region] = {}
        for layout in running.program.layouts:
            if layout.start is None:
                region = self.create(layout.rank, layout.clamp_mode)
            else:
                region = self.start_from(found[layout.start])
            for call in layout.calls:
                self.call(running, region, call, wave, loop)
            found[layout.name] = region
        return found

    def call(self, running: Running, region: Region, call: Setter, wave: int, loop: int) -> None:
        """One setter on a record."""

        def words(arguments: tuple[Index, ...]) -> list[int]:
            return [running.value(argument, wave, loop) & 0xFFFF_FFFF for argument in arguments]

        if isinstance(call, SetBlockSize):
            self.set_block(region, words(call.sizes))
        elif isinstance(call, SetDimension):
            self.set_dimension(region, words(call.dimensions))
        elif isinstance(call, SetStride):
            self.set_stride(region, words(call.strides))
        elif isinstance(call, Slice):
            signed = [word - (1 << 32) if word >> 31 else word for word in words(call.offsets)]
            self.cut(region, signed, words(call.spans))
        else:
            self.set_fill(region, words((call.value,))[0])
        region.history.append(type(call).__name__)

    def windows(self, running: Running, wave: int, loop: int) -> dict[str, Window]:
        """Every declared view, as ``regions`` finds layouts."""
        key = ("views", wave, loop) if running.moving else ("views", 0, 0)
        if key not in running.evaluated:
            running.evaluated[key] = self.evaluated_windows(running, wave, loop)
        found: dict[str, Window] = running.evaluated[key]
        return found

    def evaluated_windows(self, running: Running, wave: int, loop: int) -> dict[str, Window]:
        """Every declared view, evaluated in the order of declaration."""
        found: dict[str, Window] = {}
        for view in running.program.views:
            if view.start is None:
                window = self.create_view(view.rank, list(view.permutation), own_sizes=view.has_dimensions)
            else:
                window = self.view_from(found[view.start])
            for call in view.calls:
                self.view_call(running, window, call, wave, loop)
            found[view.name] = window
        return found

    def view_call(self, running: Running, window: Window, call: ViewSetter, wave: int, loop: int) -> None:
        """One setter on a view."""

        def words(*arguments: Index) -> list[int]:
            return [running.value(argument, wave, loop) & 0xFFFF_FFFF for argument in arguments]

        if isinstance(call, SetClip):
            row, rows, col, cols = words(call.row_offset, call.row_span, call.col_offset, call.col_span)
            self.set_clip(window, (row, rows), (col, cols))
        elif isinstance(call, SetViewDimensions):
            self.set_view_dimensions(window, words(*call.dimensions))
        else:
            self.set_view_stride(window, words(*call.strides))
        window.history.append(type(call).__name__)

    def index_bytes(self, running: Running, access: LoadTensor | StoreTensor) -> int:
        """Bytes that one step of a tensor's index stands for."""
        if isinstance(access, LoadTensor) and access.decode is not None:
            return access.decode.struct_bytes
        return self.width(running, access)

    def numbers(self, region: Region, window: Window | None, rows: int, cols: int) -> tuple[Ints, Mask]:
        """The number of every element in the slice, and which are skipped."""
        if window is None:
            return self.number(rows, cols), np.zeros((rows, cols), np.bool_)
        skipped = self.skipped(window, rows, cols)
        number = np.where(skipped, 0, self.clip_number(window, rows, cols))
        return self.through(region, window, number), skipped

    def places(self, running: Running, access: LoadTensor | StoreTensor, loop: int) -> Places:
        """Addresses of every element for every wave."""
        waves = [self.places_of(running, access, wave, loop) for wave in range(running.program.waves)]
        if len(waves) == 1:
            return Places(*(part[..., np.newaxis, :, :] for part in waves[0]))
        return Places(*(np.stack(parts, axis=-3) for parts in zip(*waves, strict=True)))

    def places_of(self, running: Running, access: LoadTensor | StoreTensor, wave: int, loop: int) -> tuple[Any, ...]:
        """The fields of ``Places`` for one wave, without its axis."""
        matrix = running.program.matrix(access.matrix)
        region = self.regions(running, wave, loop)[access.tensor]
        window = None if access.view is None else self.windows(running, wave, loop)[access.view]
        number, skipped = self.numbers(region, window, matrix.rows, matrix.cols)
        index, none, block, within = self.locate(region, number, store=isinstance(access, StoreTensor))
        start = running.value(access.offset, wave, loop) * self.unit_bytes(running, access)
        fill = np.full((1, 1), region.fill, np.uint64)
        return np.full((1, 1), start, np.int64), index, none & ~skipped, skipped, block, within, fill

    def load_tensor(self, running: Running, access: LoadTensor, loop: int) -> Bits:
        """Every element from memory or a decode function, or the clamp value; skipped ones as they were."""
        places = self.places(running, access, loop)
        width = self.width(running, access)
        where = places.start + np.where(places.none | places.skipped, 0, places.index) * self.index_bytes(
            running, access
        )
        if access.decode is None:
            loaded = self.fetch(running, access.buffer, where, width)
        else:
            loaded = self.decoded(running, access, access.decode, where, places.block, places.within)
        found = self.filled(running, access, loaded, places)
        return self.kept(running, access, found, places.skipped)

    def clamp_bits(self, running: Running, access: LoadTensor, places: Places) -> Bits:
        """The low bits of the clamp value, ``(waves, 1, 1)``."""
        return np.asarray(places.fill & np.uint64((1 << 8 * self.width(running, access)) - 1), np.uint64)

    def filled(self, running: Running, access: LoadTensor, loaded: Bits, places: Places) -> Bits:
        """Elements that have no index take the clamp value."""
        return np.asarray(np.where(places.none, self.clamp_bits(running, access, places), loaded), np.uint64)

    def kept(self, running: Running, access: LoadTensor, found: Bits, skipped: Mask) -> Bits:
        """Elements outside the clip stay as they were."""
        if not skipped.any():
            return found
        old = running.matrices.get(access.matrix, np.zeros_like(found))
        return np.asarray(np.where(skipped, old, found), np.uint64)

    def store_tensor(self, running: Running, access: StoreTensor, loop: int) -> None:
        """Elements that have no index, and those outside the clip, are not written."""
        places = self.places(running, access, loop)
        where = places.start + places.index * self.index_bytes(running, access)
        bits = running.matrices[access.matrix]
        keep = ~(places.none | places.skipped)
        self.put(running, access.buffer, np.where(keep, where, -1), bits, self.width(running, access), keep)
