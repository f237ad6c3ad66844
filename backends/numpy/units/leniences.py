"""Units that use the freedom of one specification: no NaN, unrequested saturation, one cut at the end."""

from __future__ import annotations

import numpy as np

from mmaspec.backends.numpy.units.encoding import Doubles, bits_of_doubles
from mmaspec.backends.numpy.units.exact import ExactUnit
from mmaspec.backends.numpy.units.grid import to_format
from mmaspec.backends.numpy.units.sequential import Floats, SequentialUnit
from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.programs.formats import Format
from mmaspec.programs.profile import PRACTICE


class NoNanUnit(SequentialUnit):
    """What would be NaN is zero: for languages in which NaN need not be produced."""

    name = "no-nan"

    def stored(self, accumulator: Format, total: Floats) -> Bits:
        """The sum, without its NaNs."""
        return bits_of_doubles(
            accumulator, np.nan_to_num(total.astype(np.float64), nan=0.0, posinf=np.inf, neginf=-np.inf)
        )


class SaturatingUnit(SequentialUnit):
    """Integer sums saturate even where the program does not ask for it."""

    name = "saturating"
    settled = "saturate"


class SingleRoundingUnit(ExactUnit):
    """The exact sum, rounded once to nearest even."""

    name = "single-rounding"
    profile = PRACTICE


class SingleCutUnit(SingleRoundingUnit):
    """The exact sum, cut once toward zero."""

    name = "single-cut"

    def stored(self, accumulator: Format, total: Doubles) -> Bits:
        """The value cut toward zero, which is exact in the format."""
        if accumulator.name == "f64":
            return super().stored(accumulator, total)
        with np.errstate(all="ignore"):
            cut = to_format(total, accumulator, "zero")
        return bits_of_doubles(accumulator, cut)
