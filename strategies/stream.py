"""The random stream behind the data: raw Philox words, whose values no version of numpy changes."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Words = NDArray[np.uint64]
Flags = NDArray[np.bool_]
Shape = tuple[int, ...]


class Stream:
    """Uniform draws keyed by any texts and numbers; equal keys give equal draws on every machine.

    Only ``Philox.random_raw`` is used: numpy promises that stream, but not those of its distributions.
    """

    def __init__(self, *key: object) -> None:
        text = "\x1f".join(str(part) for part in key)
        digest = hashlib.blake2b(text.encode(), digest_size=16).digest()
        self._philox = np.random.Philox(key=int.from_bytes(digest, "little"))

    def raw(self, shape: Shape) -> Words:
        """64 random bits per element."""
        count = 1
        for extent in shape:
            count *= extent
        return np.asarray(self._philox.random_raw(count), np.uint64).reshape(shape)

    def _halves(self, shape: Shape) -> NDArray[np.uint32]:
        """32 random bits per element, two elements from a word: generation is what costs."""
        count = 1
        for extent in shape:
            count *= extent
        words = np.asarray(self._philox.random_raw((count + 1) // 2), "<u8")
        return words.view("<u4")[:count].reshape(shape)

    def below(self, count: int | Ints, shape: Shape) -> Ints:
        """Integers in ``[0, count)``; ``count`` is at most 2^32 and broadcasts to ``shape``."""
        scaled = self._halves(shape) * np.asarray(count, np.uint64)
        scaled >>= np.uint64(32)
        return scaled.astype(np.int64)

    def between(self, low: int | Ints, high: int | Ints, shape: Shape) -> Ints:
        """Integers in ``[low, high]``, both included; at most 2^32 of them."""
        return np.asarray(low, np.int64) + self.below(np.asarray(high, np.int64) - np.asarray(low, np.int64) + 1, shape)

    def percent(self, share: int, shape: Shape) -> Flags:
        """True in ``share`` of 100 elements."""
        return np.asarray(self._halves(shape) < (share << 32) // 100, np.bool_)

    def sign(self, shape: Shape) -> Ints:
        """+1 or -1."""
        return 1 - ((self._halves(shape) >> np.uint32(31)) << np.uint32(1)).astype(np.int64)
