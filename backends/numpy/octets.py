"""Little-endian elements at any byte of an image, read and written in one pass."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.programs.base import Buffer
from mmaspec.programs.windows import image_places, within

Positions = NDArray[np.int64]


def read_placed(image: NDArray[np.uint8], buffer: Buffer, addresses: Positions, size: int) -> Bits:
    """Elements at bytes of a buffer's view; zeros where its image has none."""
    inside = within(buffer, addresses, size)
    if inside.all():
        return read(image, image_places(buffer, addresses), size)
    found = read(image, np.where(inside, image_places(buffer, addresses), 0), size)
    return np.asarray(np.where(inside, found, np.uint64(0)), np.uint64)


def write_placed(image: NDArray[np.uint8], buffer: Buffer, addresses: Positions, size: int, bits: Bits) -> None:
    """The same way back. What lies outside an allocation is lost; raises ``IndexError`` where it lies in no window."""
    inside = within(buffer, addresses, size)
    if not inside.all():
        if buffer.windows:
            lost = int(addresses[~inside].min())
            raise IndexError(f"a store to byte {lost} of {buffer.name}, which lies in no window")
        addresses, bits = addresses[inside], bits[:, inside]
    write(image, image_places(buffer, addresses), size, bits)


def _windows(image: NDArray[np.uint8], size: int) -> NDArray[Any]:
    """An element of ``size`` bytes from every byte on, ``(batch, total - size + 1)``: a view, unaligned."""
    batch, total = image.shape
    return np.ndarray((batch, max(0, total - size + 1)), f"<u{size}", image, strides=(total, 1))


def read(image: NDArray[np.uint8], positions: Positions, size: int) -> Bits:
    """Elements ``(batch, *positions.shape)`` that start at ``positions`` of a whole allocation."""
    elements = _windows(np.ascontiguousarray(image), size)[:, positions]
    return elements.astype(np.uint64)


def write(image: NDArray[np.uint8], positions: Positions, size: int, bits: Bits) -> None:
    """The same way back, into a contiguous image; of elements that overlap, the later one stays."""
    assert image.flags.c_contiguous
    _windows(image, size)[:, positions] = bits.astype(f"<u{size}")
