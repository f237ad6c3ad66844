"""The random stream behind the data: raw words of SFC64, whose values no version of numpy changes."""

from __future__ import annotations

import hashlib
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Words = NDArray[np.uint64]
Flags = NDArray[np.bool_]
ArrayShape = tuple[int, ...]


class Stream:
    """Uniform draws keyed by any texts and numbers; equal keys give equal draws on every machine.

    Only ``SFC64.random_raw`` is used: numpy promises that stream, but not those of its distributions.
    """

    def __init__(self, *key: object) -> None:
        text = "\x1f".join(str(part) for part in key)
        digest = hashlib.blake2b(text.encode(), digest_size=16).digest()
        # The words of the number that the digest is, least first: as numpy splits the number, but at once.
        seed = np.random.SeedSequence(np.frombuffer(digest, "<u4").astype(np.uint32))
        self._generator = np.random.SFC64(seed)

    def raw(self, shape: ArrayShape) -> Words:
        """64 random bits per element."""
        return np.asarray(self._generator.random_raw(math.prod(shape)), np.uint64).reshape(shape)

    def words(self, width: int, count: int) -> NDArray[np.unsignedinteger[Any]]:
        """So many unsigned numbers of 16, 32 or 64 random bits, out of as few 64-bit words: those are what costs."""
        raw = np.asarray(self._generator.random_raw(-(-count * width // 64)), "<u8")
        return raw.view(f"<u{width // 8}")[:count]

    def _halves(self, shape: ArrayShape) -> NDArray[np.unsignedinteger[Any]]:
        return self.words(32, math.prod(shape)).reshape(shape)

    def below(self, count: int | Ints, shape: ArrayShape) -> Ints:
        """Integers in ``[0, count)``; ``count`` is at most 2^32 and broadcasts to ``shape``."""
        scaled = self._halves(shape) * np.asarray(count, np.uint64)
        scaled >>= np.uint64(32)
        return scaled.astype(np.int64)

    def between(self, low: int | Ints, high: int | Ints, shape: ArrayShape) -> Ints:
        """Integers in ``[low, high]``, both included; at most 2^32 of them."""
        return np.asarray(low, np.int64) + self.below(np.asarray(high, np.int64) - np.asarray(low, np.int64) + 1, shape)

    def percent(self, share: int, shape: ArrayShape) -> Flags:
        """True in ``share`` of 100 elements."""
        return np.asarray(self._halves(shape) < (share << 32) // 100, np.bool_)

    def sign(self, shape: ArrayShape) -> Ints:
        """+1 or -1."""
        return 1 - ((self._halves(shape) >> np.uint32(31)) << np.uint32(1)).astype(np.int64)
