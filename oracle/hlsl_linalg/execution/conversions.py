"""Conversions while a program executes, those that a device may leave out among them."""

from __future__ import annotations

import numpy as np

from mmaspec.oracle.hlsl_linalg.execution.running import Running
from mmaspec.oracle.hlsl_linalg.open_points import UNROUNDED
from mmaspec.oracle.hlsl_linalg.practice import FP8
from mmaspec.oracle.numerics.legal import Legal, certain_bits
from mmaspec.oracle.numerics.ordinals import exact_float64
from mmaspec.programs.formats import FORMATS, Format

INSTEAD = ("f16", "bf16")
"""Wider formats in which a device may hold 8-bit floats: they have every value of both."""


def converted(run: Running, one: Legal, fmt: Format) -> tuple[Legal, dict[str, Legal]]:
    """A conversion, and what products may find instead where its result is an 8-bit float (LINALG-FP8-EMULATE).

    Instead of an 8-bit float a device may keep the value as it is, or in a wider float. Only what makes a difference
    is listed.
    """
    found = run.arithmetic.converted(one, fmt)
    if fmt.name not in FP8 or not one.fmt.is_float or one.fmt == fmt or one.fmt.bits > 32:
        return found, {}
    if one.fmt.name in FP8 or _same(found, one):
        return found, {}
    others = {UNROUNDED: one}
    for name in INSTEAD:
        wider = run.arithmetic.converted(one, FORMATS[name])
        if not _same(wider, one) and not _same(wider, found):
            others[name] = wider
    return found, others


def _same(a: Legal, b: Legal) -> bool:
    """Whether two sets are certain, and of the same values."""
    (a_bits, a_known), (b_bits, b_known) = certain_bits(a), certain_bits(b)
    if not (a_known.all() and b_known.all()):
        return False
    return bool(np.array_equal(exact_float64(a.fmt, a_bits), exact_float64(b.fmt, b_bits), equal_nan=True))
