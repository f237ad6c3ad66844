"""Counterfactuals about instructions: signs of their operands, constants for C."""

from __future__ import annotations

from functools import partial

from mmaspec.backends.faults.amd_rdna3_wmma import modifiers
from mmaspec.backends.faults.amd_rdna3_wmma.modifiers import (
    Change,
    Constant,
    ConstantOfFirst,
    OtherConstants,
    OtherInstruction,
    ProductNegated,
)
from mmaspec.backends.faults.amd_rdna3_wmma.planted import Planted
from mmaspec.backends.faults.planting import Deviating


def _signs(change: Change) -> Deviating:
    return partial(OtherInstruction, change=change)


def _constants(word: Constant) -> Deviating:
    return partial(OtherConstants, word=word)


_FLOAT, _ALL, _F16, _NUMBERS = ("v-float",), ("v-float", "v-int"), ("v-acc-f16",), ("v-acc-f16", "v-acc-f32")

MODIFIERS: tuple[Planted, ...] = (
    ("neg-ignored", "RDNA3-FP-NEG", "no instruction changed a sign", _signs(modifiers.ignored), _FLOAT),
    ("neg-of-factors-ignored", "RDNA3-FP-NEG", "A and B had no modifiers",
     _signs(modifiers.of_factors_ignored), _FLOAT),
    ("neg-lo-for-both-halves", "RDNA3-FP-NEG", "neg_lo were about all k, and neg_hi about none",
     _signs(modifiers.low_for_both), _FLOAT),
    ("neg-halves-exchanged", "RDNA3-FP-NEG", "neg_lo were about the odd k, and neg_hi about the even ones",
     _signs(modifiers.halves_exchanged), _FLOAT),
    ("neg-of-either-factor", "RDNA3-FP-NEG", "two negated factors had a negative product",
     _signs(modifiers.either), _FLOAT),
    ("neg-hi-of-factors-ignored", "RDNA3-FP-NEG", "there were no neg_hi for A and B",
     _signs(modifiers.of_high_halves_ignored), _FLOAT),
    ("neg-of-c-ignored", "RDNA3-FP-NEG", "C had no modifiers", _signs(modifiers.of_c_ignored), _FLOAT),
    ("absolute-of-c-ignored", "RDNA3-FP-NEG", "there were no absolute value of C",
     _signs(modifiers.no_absolute), _FLOAT),
    ("neg-hi-negates-c", "RDNA3-FP-NEG", "neg_hi negated C, as it does elements of A and B",
     _signs(modifiers.high_negates), _FLOAT),
    ("absolute-after-neg", "RDNA3-FP-NEG", "the absolute value of C were taken last",
     _signs(modifiers.absolute_last), _FLOAT),
    ("neg-of-c-negates-sum", "RDNA3-FP-NEG", "neg_lo of C negated the whole sum", ProductNegated, _FLOAT),
    ("constants-ignored", "RDNA3-C-INLINE", "constants for C were zero", _constants(modifiers.nothing), _ALL),
    ("integer-constants-converted", "RDNA3-C-INLINE", "integers were converted to the format of C",
     _constants(modifiers.converted), _FLOAT),
    ("integer-constants-not-negative", "RDNA3-C-INLINE", "negative integers lost their sign",
     _constants(modifiers.never_negative), _ALL),
    ("integer-constants-of-bytes", "RDNA3-C-INLINE", "negative integers were bytes, extended with zeros",
     _constants(modifiers.of_eight_bits), _ALL),
    ("constants-in-single-precision", "RDNA3-C-INLINE", "numbers for f16 were the low halves of f32 ones",
     _constants(modifiers.single_precision), _F16),
    ("no-inverse-of-2pi", "RDNA3-C-INLINE", "1/(2*pi) were zero", _constants(modifiers.whole_numbers), _NUMBERS),
    ("constant-in-first-register", "RDNA3-C-INLINE", "constants were in the first VGPR of C alone",
     partial(ConstantOfFirst, of="vgpr"), _ALL),
    ("constant-in-first-lanes", "RDNA3-C-INLINE", "constants were in lanes 0-15 alone",
     partial(ConstantOfFirst, of="lanes"), _ALL),
)  # fmt: skip
"""Name, clause, as if, device, rows."""
