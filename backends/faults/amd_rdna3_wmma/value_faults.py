"""Counterfactuals about sums: their accuracy, their range, NaN, and terms that are missing."""

from __future__ import annotations

from functools import partial

from mmaspec.backends.faults.amd_rdna3_wmma import sums
from mmaspec.backends.faults.amd_rdna3_wmma.planted import ANY, HALVES, Planted, over
from mmaspec.backends.faults.defects import wrong_sums as values
from mmaspec.backends.faults.defects.defective_unit import cut, of_operand, of_result

_F32, _F16, _BF16 = ("acc-f32",), ("acc-f16",), ("acc-bf16",)

VALUES: tuple[Planted, ...] = (
    ("c-subtracted", "RDNA3-MMA", "C were subtracted", over(values.subtracted), ANY),
    ("last-k-missing", "RDNA3-MMA", "the last k were left out", partial(sums.KMissing, first=15), ANY),
    ("upper-k-missing", "RDNA3-MMA", "the upper eight k were left out", partial(sums.KMissing, first=8), ANY),
    ("c-of-16-bits-dropped", "RDNA3-MMA", "16-bit C were left out", sums.CDropped, HALVES),
    ("sums-in-bf16", "RDNA3-FP-ACC", "f32 sums were rounded to bf16",
     over(values.sums_through("bf16"), floats=True), _F32),
    ("accumulators-in-f16", "RDNA3-FP-ACC", "f32 C were rounded to f16",
     over(values.addends_through("f16"), floats=True), _F32),
    ("factors-of-four-bits", "RDNA3-FP-ACC", "A kept four significant bits",
     over(of_operand("a", lambda fmt, bits: cut(fmt, bits, 4)), floats=True), _F32),
    ("f16-sums-of-four-bits", "RDNA3-FP-ACC", "f16 results had four significant bits",
     over(values.four_bits, floats=True), _F16),
    ("bf16-sums-of-one-bit", "RDNA3-MMA", "bf16 results were powers of two",
     over(of_result(lambda fmt, bits: cut(fmt, bits, 1)), floats=True), _BF16),
    ("bf16-sums-through-f16", "RDNA3-FP-ACC", "bf16 results had the range of f16",
     over(values.sums_through("f16"), floats=True), _BF16),
    ("overflow-is-nan", "RDNA3-FP-ACC", "f16 results beyond the range were NaN",
     over(of_result(sums.infinity_is_nan), floats=True), _F16),
    ("nan-becomes-zero", "RDNA3-FP-NAN", "NaN results became zero", over(values.nan_is_zero, floats=True), ("float",)),
    ("nan-becomes-infinite", "RDNA3-FP-NAN", "NaN results became infinite",
     over(values.nan_is_infinite, floats=True), ("float",)),
    ("nan-in-b-is-zero", "RDNA3-FP-NAN", "a NaN in B were zero", over(values.nan_in_b_is_zero, floats=True),
     ("float",)),
    ("dot-of-nibbles-of-12-bits", "RDNA3-IU-DOT-RANGE", "the sum of products of nibbles had 12 bits",
     partial(sums.DotOfBits, bits=12), ("iu4",)),
    ("dot-of-nibbles-of-8-bits", "RDNA3-IU-DOT-RANGE", "the sum of products of nibbles had 8 bits",
     partial(sums.DotOfBits, bits=8), ("iu4",)),
    ("last-bit-of-products-lost", "RDNA3-IU-DOT-RANGE", "the sum of products were even",
     partial(sums.DotOfBits, bits=32, lost=1), ("int",)),
    ("sums-of-24-bits", "RDNA3-IU-ACC", "results had 24 bits", partial(sums.ResultsOfBits, bits=24), ("int",)),
    ("clamps-lower-end-only", "RDNA3-IU-CLAMP", "clamp worked at the lower end only",
     sums.ClampsLowerEndOnly, ("int",)),
    ("clamps-to-24-bits", "RDNA3-IU-CLAMP", "clamp kept the range of 24 bits", partial(sums.ClampsTo, bits=24),
     ("int",)),
)  # fmt: skip
"""Name, clause, as if, device, rows."""
