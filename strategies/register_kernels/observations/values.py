"""Classes of the elements of A, B and C by their bits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.ordinals import Bits, Flags, exact_float64, is_nan, magnitudes, to_ordinal
from mmaspec.programs.formats import Format
from mmaspec.strategies.register_kernels.observations.matrices import every, some

Integers = NDArray[np.int64]

SMALL = {"f16": 1024, "bf16": 128, "f32": 1 << 23}
"""Integers of a format up to this: sums of products of them, or C among these, are exact in single."""


def float_classes(fmt: Format, bits: Bits, result: Format, *, factor: bool) -> dict[str, Flags]:
    """Class -> where; ``result`` is the format of C, by which a factor is tiny or huge. Whole matrices last."""
    size = magnitudes(fmt, bits)
    one, fraction = fmt.bias << fmt.fraction_bits, 1 << fmt.fraction_bits
    finite = size <= fmt.largest_magnitude
    nan = is_nan(fmt, bits)
    negative = bits >= np.uint64(fmt.sign_bit)
    normal = finite & (size >= fraction)
    field = (size >> fmt.fraction_bits).astype(np.int64)
    part = size & (fraction - 1)
    value = exact_float64(fmt, np.where(finite, bits, np.uint64(0)))
    whole = finite & (np.rint(value) == value)
    quiet = (size & (fraction >> 1)) != 0
    squared = 2 if factor else 1
    exponent = field - fmt.bias
    return {
        "positive-zero": (size == 0) & ~negative,
        "negative-zero": (size == 0) & negative,
        "one": size == one,
        "small-integers": whole & (size > one) & (np.abs(value) <= SMALL[fmt.name]),
        "powers": finite & (size != one) & (size > 0) & _one_bit(size, part, normal),
        "full-significand": normal & ((part & 1) != 0),
        "one-ulp-off": (size == one + 1) | (size == one - 1),
        "least-subnormal": size == 1,
        "subnormal": (size > 0) & (size < fraction),
        "largest-subnormal": size == fraction - 1,
        "least-normal": size == fraction,
        "tiny": normal & (squared * (exponent + 1) <= result.emin + (result.precision if squared == 1 else 0)),
        "huge": finite & (squared * exponent > (result.emax if squared == 2 else result.emax - 1)),
        "largest-finite": size == fmt.largest_magnitude,
        "infinity": (size == fmt.infinity_magnitude) & ~negative,
        "negative-infinity": (size == fmt.infinity_magnitude) & negative,
        "quiet-nan": nan & quiet,
        "signalling-nan": nan & ~quiet,
        "low-payload-nan": nan & (part == 1),
        "negative-nan": nan & negative,
        "all-ones-nan": bits == np.uint64(fmt.mask),
    }


def _one_bit(size: Integers, part: Integers, normal: Flags) -> Flags:
    found: Flags = np.where(normal, part == 0, (size & (size - 1)) == 0)
    return found


def float_matrices(fmt: Format, bits: Bits) -> dict[str, Flags]:
    """The classes that only a whole matrix has: ``(..., rows, cols)`` -> ``(...)``."""
    finite = magnitudes(fmt, bits) <= fmt.largest_magnitude
    mixed = some(finite) & ~every(finite)
    field = (magnitudes(fmt, bits) >> fmt.fraction_bits).astype(np.int64)
    fields = distinct(field)
    codes = 1 << fmt.exponent_bits
    many = fields >= min(codes, field.shape[-1] * field.shape[-2]) // 2
    negative = bits >= np.uint64(fmt.sign_bit)
    both = some(negative) & ~every(negative)
    return {"mixed-special": mixed, "random-bits": many & both}


def distinct(values: NDArray[np.int64] | Bits) -> Integers:
    """Different values in each matrix."""
    flat = np.sort(values.reshape(*values.shape[:-2], -1), axis=-1)
    found: Integers = (flat[..., 1:] != flat[..., :-1]).sum(axis=-1) + 1
    return found


def integer_classes(fmt: Format, bits: Bits) -> dict[str, Flags]:
    """Classes of the bytes or nibbles of A and B in an integer form, by their bits."""
    code = bits.astype(np.int64)
    top, mask = 1 << (fmt.bits - 1), (1 << fmt.bits) - 1
    middle = (code >= 2) & (code <= top - 2)
    found = {
        "zero": code == 0,
        "one": code == 1,
        "two-to-middle": middle,
        "powers": (code > 0) & ((code & (code - 1)) == 0),
        "largest-signed": code == top - 1,
        "sign-bit": code == top,
        "above-sign-bit": code == top + 1,
        "one-below-top": code == mask - 1,
        "all-ones": code == mask,
        "alternating-bits": (code == 0x55 & mask) | (code == 0xAA & mask),
    }
    return {**found, "unequal-nibbles": ((code >> 3 ^ code >> 7) & 1) != 0} if fmt.bits == 8 else found


def integer_matrices(fmt: Format, bits: Bits) -> dict[str, Flags]:
    """The classes that only a whole matrix of bytes or nibbles has; ``fmt`` is what their sign makes of them."""
    value = to_ordinal(fmt, bits)
    extreme = (value == fmt.min_value) | (value == fmt.max_value)
    only = every(extreme) & (distinct(bits) > 1)
    # Of 256 random bytes 162 differ on average, and hardly ever fewer than 128.
    many = min(1 << fmt.bits, bits.shape[-1] * bits.shape[-2]) // 2
    return {"random": distinct(bits) >= many, "only-extremes": only}


def addend_classes(value: Integers) -> dict[str, Flags]:
    """Classes of C in an integer form, by its value."""
    top, bottom, reach = (1 << 31) - 1, -(1 << 31), 65025
    code = value & 0xFFFFFFFF
    size = np.where(value < 0, -value - 1, value)
    parts = np.stack([code >> n & 0xFF for n in (0, 8, 16, 24)])
    ordered = np.sort(parts, axis=0)
    return {
        "zero": value == 0,
        "one": value == 1,
        "minus-one": value == -1,
        "small": (size < 1 << 14) & (value != 0) & (value != 1) & (value != -1),
        "beyond-16-bits": (size >= 1 << 16) & (size < 1 << 23),
        "beyond-24-bits": size >= 1 << 24,
        "power-of-two": (code > 0) & ((code & (code - 1)) == 0),
        "largest": value == top,
        "one-below-largest": value == top - 1,
        "smallest": value == bottom,
        "one-above-smallest": value == bottom + 1,
        "near-largest": (value < top - 1) & (value >= top - reach),
        "near-smallest": (value > bottom + 1) & (value <= bottom + reach),
        "unequal-bytes": (ordered[1:] != ordered[:-1]).all(axis=0),
        "unsigned-look": value < 0,
    }


def addend_matrices(value: Integers) -> dict[str, Flags]:
    """The class that only a whole matrix of addends has: nearly all differ, over more than half of the range."""
    wide = value.max(axis=(-2, -1)) - value.min(axis=(-2, -1)) > 1 << 31
    size = value.shape[-1] * value.shape[-2]
    return {"random": wide & (distinct(value) >= size - size // 40)}
