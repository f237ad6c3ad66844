"""The interface through which a grammar makes choices, and its counter-based driver.

The same grammar is driven by our own generator, which enumerates the cases of a tier and never changes
with a library's version, and by Hypothesis (``mmaspec.strategies.hypothesis_driver``).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Protocol, TypeVar

T = TypeVar("T")


class Choices(Protocol):
    """The choices that a grammar can make. Impossible requests raise ``ValueError``."""

    def integer(self, low: int, high: int) -> int:
        """An integer in ``[low, high]``, both included."""
        ...

    def one_of(self, options: Sequence[T]) -> T:
        """One of the options, each as likely."""
        ...

    def weighted(self, options: Sequence[tuple[int, T]]) -> T:
        """One of the options, as likely as its positive integer weight."""
        ...

    def chance(self, percent: int) -> bool:
        """True in ``percent`` of 100 draws."""
        ...


class Counted:
    """Choices from a counter-based generator: the n-th draw is a hash of the key and n.

    The key is any text; equal keys give equal draws on every machine and version.
    """

    def __init__(self, key: str) -> None:
        self._key = hashlib.sha256(key.encode()).digest()
        self._count = 0

    def _draw(self) -> int:
        digest = hashlib.blake2b(self._count.to_bytes(8, "little"), key=self._key, digest_size=8)
        self._count += 1
        return int.from_bytes(digest.digest(), "little")

    def integer(self, low: int, high: int) -> int:
        """An integer in ``[low, high]``; the bias of the modulo is below 2^-32 for ranges below 2^32."""
        if low > high:
            raise ValueError(f"no integer in [{low}, {high}]")
        return low + self._draw() % (high - low + 1)

    def one_of(self, options: Sequence[T]) -> T:
        """One of the options."""
        return options[self.integer(0, len(options) - 1)]

    def weighted(self, options: Sequence[tuple[int, T]]) -> T:
        """One of the options by weight."""
        left = self.integer(0, sum(weight for weight, _ in options) - 1)
        for weight, option in options:
            if left < weight:
                return option
            left -= weight
        raise ValueError("weights must be positive integers")

    def chance(self, percent: int) -> bool:
        """True in ``percent`` of 100 draws."""
        return self.integer(0, 99) < percent
