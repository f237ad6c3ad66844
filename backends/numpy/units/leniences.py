"""Units that use a freedom: no NaN, unrequested saturation, operands of TF32, one rounding or cut at the end."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mmaspec.backends.numpy.units.encoding import Doubles, bits_of_doubles
from mmaspec.backends.numpy.units.exact import ExactUnit
from mmaspec.backends.numpy.units.grid import to_format
from mmaspec.backends.numpy.units.sequential import Floats, SequentialUnit, Terms
from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.programs.formats import Format
from mmaspec.programs.profile import PRACTICE, Profile


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


class ShortOperandsUnit(SequentialUnit):
    """f32 operands keep eleven significant bits, to nearest, as units for TF32 take them; C keeps all."""

    name = "tf32-operands"
    profile = Profile(name="tf32-operands", f32_operands="tf32")

    def accumulate(self, terms: Terms) -> Floats:
        """The running sum of products of shorter operands."""
        left, right = (
            _shortened(each) if fmt.name == "f32" else each
            for each, fmt in zip((terms.a, terms.b), terms.formats, strict=False)
        )
        return super().accumulate(replace(terms, a=left, b=right))


def _shortened(values: Floats) -> Floats:
    """float32 rounded to eleven bits, halves away from zero: codes are consecutive, so that half a step is added."""
    codes = np.ascontiguousarray(values, np.float32).view(np.uint32)
    rounded = (codes + np.uint32(0x1000) & np.uint32(0xFFFFE000)).view(np.float32)
    return np.where(np.isfinite(values), rounded, values).astype(values.dtype)


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
