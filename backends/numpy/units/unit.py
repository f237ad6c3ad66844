"""The interface of arithmetic units, as the reference devices use them."""

from __future__ import annotations

from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from mmaspec.programs.profile import Profile

Bits = NDArray[np.uint64]
Overflow = Literal["wrap", "saturate"]
"""What becomes of an integer sum beyond the accumulator's range."""


class ArithmeticUnit(Protocol):
    """Multiplies and adds matrices given as the bits of their formats (names as in ``FORMATS``)."""

    name: str
    profile: Profile
    """What its arithmetic declares, beyond practice."""

    def multiply_add(
        self, a_fmt: str, a: Bits, b_fmt: str, b: Bits, c_fmt: str, c: Bits, overflow: Overflow = "wrap"
    ) -> Bits:
        """``a`` (..., M, K) times ``b`` (..., K, N) plus ``c`` (..., M, N), in the format of ``c``.

        Leading dimensions broadcast. Integers are exact; beyond the range of ``c_fmt`` they wrap, or
        saturate once at the end.
        """
        ...
