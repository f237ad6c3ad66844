"""Devices that compute addresses in too few bits: the arrays of sparse buffers show each of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mmaspec.backends.numpy.hlsl_wave_matrix.device import WaveMatrixDevice
from mmaspec.backends.numpy.nv_coopmat2.device import CoopMat2Device
from mmaspec.programs.nv_coopmat2.program import StoreTensor

from .caught import caught, listed

NV, WM = "nv-coopmat2", "hlsl-wave-matrix"


def signed(value: Any, bits: int) -> Any:
    """Numbers in so many bits, the highest of which is a sign."""
    half = 1 << bits - 1
    return (value + half) % (1 << bits) - half


class Short:
    """What is short, and how many bits it has."""

    bits = 32
    stores = True
    """Whether stores are wrong, or loads."""


class Plain(Short, CoopMat2Device):
    """Line times stride is computed in bytes, in an int."""

    def lines(self, running: Any, access: Any, loop: int) -> Any:
        whole = super().lines(running, access, loop)
        if type(access).__name__ != ("Store" if self.stores else "Load"):
            return whole
        first = whole.min(axis=(1, 2), keepdims=True)
        return first + signed(whole - first, self.bits)


class PlainWhole(Short, CoopMat2Device):
    """The whole address is."""

    def lines(self, running: Any, access: Any, loop: int) -> Any:
        whole = super().lines(running, access, loop)
        mine = type(access).__name__ == ("Store" if self.stores else "Load")
        return signed(whole, self.bits) if mine else whole


class TensorIndex(Short, CoopMat2Device):
    """The index of a tensor is an int."""

    def locate(self, region: Any, number: Any, *, store: bool) -> Any:
        index, *rest = super().locate(region, number, store=store)
        return (signed(index, self.bits) if store == self.stores else index, *rest)


class TensorPace(Short, CoopMat2Device):
    """Strides are. Of 32 bits they are right: an index is taken modulo 2 to the 32."""

    def locate(self, region: Any, number: Any, *, store: bool) -> Any:
        if store == self.stores:
            region = replace(region, steps=[signed(step, self.bits) for step in region.steps])
        return super().locate(region, number, store=store)


class TensorBytes(Short, CoopMat2Device):
    """The byte offset of an element in the tensor is."""

    def places(self, running: Any, access: Any, loop: int) -> Any:
        found = super().places(running, access, loop)
        if isinstance(access, StoreTensor) == self.stores:
            step = self.index_bytes(running, access)
            found.index = signed(found.index * step, self.bits) // step
        return found


class TensorStart(Short, CoopMat2Device):
    """The byte at which the tensor starts is."""

    def places(self, running: Any, access: Any, loop: int) -> Any:
        found = super().places(running, access, loop)
        if isinstance(access, StoreTensor) == self.stores:
            found.start = signed(found.start, self.bits)
        return found


class TensorCoordinates(Short, CoopMat2Device):
    """Coordinates are."""

    def split(self, along: Any, clamped: Any) -> Any:
        mine = along.store == self.stores
        return super().split(along, signed(clamped, self.bits) if mine else clamped)


class WaveMatrixStride(Short, WaveMatrixDevice):
    """Line times stride is computed in an int."""

    def _short(self, whole: Any) -> Any:
        first = whole.min()
        return first + signed(whole - first, self.bits)

    def load_positions(self, rows: int, cols: int, size: int, arguments: Any) -> Any:
        whole = super().positions(rows, cols, size, arguments)
        return whole if self.stores else self._short(whole)

    def positions(self, rows: int, cols: int, size: int, arguments: Any) -> Any:
        whole = super().positions(rows, cols, size, arguments)
        return self._short(whole) if self.stores else whole


class WaveMatrixWhole(WaveMatrixStride):
    """The whole address is."""

    def _short(self, whole: Any) -> Any:
        return signed(whole, self.bits)


class WaveMatrixStart(WaveMatrixStride):
    """The offset loses what does not fit."""

    def _short(self, whole: Any) -> Any:
        first = whole.min()
        return whole - first + first % (1 << self.bits)


def variant(device: type[Any], bits: int, *, stores: bool) -> type[Any]:
    return type(f"{device.__name__}{bits}{'Store' if stores else 'Load'}", (device,), {"bits": bits, "stores": stores})


DEFECTS = [
    *((NV, "plain-far", device, bits) for device in (Plain, PlainWhole) for bits in (24, 31, 32)),
    *((NV, "tensor-far", device, bits) for device in (TensorIndex, TensorBytes) for bits in (24, 31, 32)),
    *((NV, "tensor-far", device, bits) for device in (TensorPace, TensorCoordinates) for bits in (24, 31)),
    *((NV, "tensor-far", TensorStart, bits) for bits in (24, 29)),
    *((WM, "vast-views", device, bits) for device in (WaveMatrixStride, WaveMatrixWhole) for bits in (24, 31, 32)),
    *((WM, "vast-views", WaveMatrixStart, bits) for bits in (24, 31)),
]


@pytest.mark.exhaustive(every=12)
@pytest.mark.parametrize("stores", [False, True], ids=["loads", "stores"])
@pytest.mark.parametrize(("spec", "array", "device", "bits"), DEFECTS, ids=lambda one: getattr(one, "__name__", None))
def test_addresses_of_too_few_bits_are_caught(
    spec: str, array: str, device: type[Any], bits: int, stores: bool
) -> None:
    assert next(caught(spec, array, variant(device, bits, stores=stores)), None) is not None


@pytest.mark.parametrize(("spec", "array"), [(NV, "plain-far"), (NV, "tensor-far"), (WM, "vast-views")])
def test_the_reference_device_gets_all_of_them_right(spec: str, array: str) -> None:
    assert not list(caught(spec, array, CoopMat2Device if spec == NV else WaveMatrixDevice))


@pytest.mark.parametrize(("spec", "array"), [(NV, "plain-far"), (NV, "tensor-far"), (WM, "vast-views")])
def test_their_views_are_too_large_to_be_whole_and_most_can_be_bound(spec: str, array: str) -> None:
    sizes = [max(buffer.size for buffer in case.program.buffers if buffer.windows) for case in listed(spec, array)]
    assert min(sizes) > 64 << 20
    assert sum(size >= 1 << 32 for size in sizes) <= 3
    assert all(case.batch == 1 for case in listed(spec, array))
