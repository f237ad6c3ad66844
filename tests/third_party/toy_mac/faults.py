"""Counterfactuals: for each clause the device with that clause misread."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.faults.planting import fault, lenient
from mmaspec.backends.numpy.units.unit import Bits
from toy_mac.device import ToyDevice


class _ByColumns(ToyDevice):
    def load(self, matrix: Bits) -> Bits:
        return np.swapaxes(matrix, 1, 2)


class _WithoutC(ToyDevice):
    def mac(self, kind: str, a: Bits, b: Bits, c: Bits) -> Bits:
        return super().mac(kind, a, b, np.zeros_like(c))


class _Spills(ToyDevice):
    def stored(self, image: NDArray[np.uint8], end: int) -> None:
        image[:, end] ^= 1


FAULTS = (
    lenient("toy-mac", ToyDevice, "toy-takes-any-offset", "TOY-ALIGN", "offsets needed no alignment"),
    fault("toy-mac", "toy-by-columns", "TOY-ROW", "matrices lay in memory column by column", _ByColumns),
    fault("toy-mac", "toy-without-c", "TOY-MAC", "C were zero", _WithoutC),
    fault("toy-mac", "toy-spills", "TOY-STORE", "a store wrote one byte more", _Spills),
)
