"""Elements of fewer bits than a byte: put into the bytes of an image, and taken out of them again.

An element begins at one of the bits of a byte, counted from the lowest; none reaches into another byte.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def gather_parts(
    image: NDArray[np.uint8], positions: NDArray[np.int64], first_bits: NDArray[np.int64], bits: int
) -> NDArray[np.uint64]:
    """Elements of ``bits`` bits at ``positions`` (...shape) of each image: ``(batch, *shape)``."""
    whole = image[:, positions].astype(np.uint64)
    found: NDArray[np.uint64] = (whole >> first_bits.astype(np.uint64)) & np.uint64((1 << bits) - 1)
    return found


def scatter_parts(
    image: NDArray[np.uint8],
    positions: NDArray[np.int64],
    first_bits: NDArray[np.int64],
    codes: NDArray[np.uint64],
    bits: int,
) -> None:
    """Write the elements of ``gather_parts`` in place; the other bits of their bytes stay as they are."""
    codes = np.broadcast_to(codes, (len(codes), *positions.shape))
    # Neighbours share a byte, so those that begin at the same bit go together: no byte has two of them.
    for first in np.flatnonzero(np.bincount(first_bits.ravel())):
        mine = first_bits == first
        where = positions[mine]
        kept = image[:, where] & np.uint8(0xFF ^ (((1 << bits) - 1) << int(first)))
        image[:, where] = kept | (codes[:, mine] << np.uint64(first)).astype(np.uint8)


def packed(codes: NDArray[np.uint64], bits: int) -> NDArray[np.uint64]:
    """Neighbours along the last axis put together into bytes, the first in the lowest bits."""
    each = 8 // bits
    split = codes.reshape(*codes.shape[:-1], -1, each)
    found: NDArray[np.uint64] = (split << (np.arange(each, dtype=np.uint64) * np.uint64(bits))).sum(
        axis=-1, dtype=np.uint64
    )
    return found
