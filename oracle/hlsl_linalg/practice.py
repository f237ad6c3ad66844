"""The ``practice`` profile for floating point, on which the document says nothing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from mmaspec.oracle.numerics.contract import FloatRules
from mmaspec.programs.formats import Format

PRACTICE_RULES = FloatRules(flush_inputs=True, flush_results=True, nan="required", window="required")
"""LINALG-FP-SUM, LINALG-FP-NAN.

Sums in the precision of the accumulator, in any order, with any faithful rounding. Subnormals may be flushed:
Direct3D flushes them for f32, and nothing says that other types keep them. NaN and infinities behave as in Direct3D's
rules for floats; sums of small integers are exact on every known device.
"""

ACCURACY: Mapping[str, tuple[float, float]] = MappingProxyType(
    {"f32": (0.0008, 100 * math.pi), "f16": (2.0**-7, math.pi)}
)
"""Format -> how far a sine or cosine may be from the exact one, and up to which argument (LINALG-UNARY-NEAR).

Of f32 Direct3D says so. Of f16 it says nothing: this is what Vulkan lets a device do, in the range of which it speaks.
"""

FP8 = ("e4m3", "e5m2")
FP8_PRECISION, FP8_FRACTION = 14, 13
"""What real units keep of sums of products of 8-bit floats: published outputs break anything sharper."""


def product_rules(rules: FloatRules, practice: FloatRules, a: Format, b: Format, c: Format) -> FloatRules:
    """The rules of products of these formats: ``rules`` are a profile's, over ``practice``.

    Of 8-bit floats, what the profile does not declare is what units are known to keep, and no more than C's format has.
    """
    if a.name not in FP8 and b.name not in FP8:
        return rules
    t, f = rules.accumulator_precision, rules.kept_fraction_bits
    if t == practice.accumulator_precision:
        t = min(FP8_PRECISION, c.precision)
    if f == practice.kept_fraction_bits:
        f = min(FP8_FRACTION, rules.f(c))
    return replace(rules, accumulator_precision=t, kept_fraction_bits=f)
