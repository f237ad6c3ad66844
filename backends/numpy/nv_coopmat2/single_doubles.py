"""A device whose operations on f64 keep the precision of f32: all that Vulkan promises of double precision."""

from __future__ import annotations

import numpy as np

from mmaspec.backends.numpy.nv_coopmat2.device import CoopMat2Device
from mmaspec.backends.numpy.units.encoding import bits_of_doubles, doubles_of
from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.programs.formats import FORMATS, Format

SIGNIFICANT = FORMATS["f32"].precision


class SingleDoubles(CoopMat2Device):
    """Results in f64 are rounded to 24 bits: of operators, of sums of a reduction, of conversions from integers.

    The range stays that of f64, and products of matrices stay what the unit makes of them.
    """

    def apply(self, op: str, fmt: Format, left: Bits, right: Bits) -> Bits:
        """One operator."""
        return _short(fmt, super().apply(op, fmt, left, right))

    def combine(self, fmt: Format, left: Bits, right: Bits, name: str) -> Bits:
        """Two parts of a reduction."""
        found = super().combine(fmt, left, right, name)
        return _short(fmt, found) if name in ("add", "add-one") else found

    def cast(self, old: Format, bits: Bits, new: Format) -> Bits:
        """An integer that becomes a float; floats keep what they have."""
        found = super().cast(old, bits, new)
        return found if old.is_float else _short(new, found)


def _short(fmt: Format, bits: Bits) -> Bits:
    if fmt.name != "f64":
        return bits
    fraction, exponent = np.frexp(doubles_of(fmt, bits))
    with np.errstate(over="ignore", under="ignore"):
        return bits_of_doubles(fmt, np.ldexp(np.rint(np.ldexp(fraction, SIGNIFICANT)), exponent - SIGNIFICANT))
