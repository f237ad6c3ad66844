"""The names of rounding modes in profiles and models. ``mmaspec.oracle.numerics.rounding`` implements them."""

from __future__ import annotations

from enum import StrEnum


class Mode(StrEnum):
    """Rounding modes. `to-odd` keeps inexactness visible in the last bit; it is for two-step rounding."""

    NEAREST_EVEN = "nearest-even"
    NEAREST_AWAY = "nearest-away"
    TOWARD_ZERO = "toward-zero"
    DOWN = "down"
    UP = "up"
    TO_ODD = "to-odd"
