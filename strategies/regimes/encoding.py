"""Encoding integers and exponents as the bits of a format, by integer code; nothing here rounds."""

from __future__ import annotations

import numpy as np

from mmaspec.programs.formats import Format
from mmaspec.strategies.regimes.stream import Flags, Ints, Words


def bit_length(magnitude: Ints) -> Ints:
    """Bits of each non-negative integer below 2^53, 0 for 0: float64 holds those exactly, so frexp is exact."""
    return np.frexp(magnitude.astype(np.float64))[1].astype(np.int64)


def scaled(fmt: Format, integer: Ints, exponent: int | Ints) -> Words:
    """The bits of ``integer * 2^exponent``, which must be zero or a normal number of the format.

    Goes through float64, which holds integers below 2^53 and their scaled values exactly. The caller
    keeps the integer to the format's precision (trailing zeros do not count) and the value to its range;
    ``ValueError`` otherwise. Both arguments broadcast.
    """
    power = (np.asarray(exponent, np.int64) + 1023 << 52).view(np.float64)
    value = np.asarray(np.asarray(integer, np.int64).astype(np.float64) * power).view(np.uint64)
    shift = 52 - fmt.fraction_bits
    code = (value << np.uint64(1) >> np.uint64(shift + 1)).view(np.int64) - (1023 - fmt.bias << fmt.fraction_bits)
    code = np.maximum(code, 0)
    lost = int(np.bitwise_or.reduce(value, axis=None)) & ((1 << shift) - 1)
    normal = np.count_nonzero(code >= 1 << fmt.fraction_bits)
    if lost or normal < np.count_nonzero(value) or (code.size and int(code.max()) > fmt.largest_magnitude):
        raise ValueError(f"a value is not a normal number of {fmt.name}")
    sign = value >> np.uint64(63) << np.uint64(fmt.bits - 1)
    return np.asarray(code.view(np.uint64) | sign, np.uint64)


def signed(fmt: Format, magnitude: Ints, negative: Flags) -> Words:
    """Exponent and fraction bits with a sign bit in front."""
    sign = np.asarray(negative, np.uint64)
    return magnitude.astype(np.uint64) | sign << np.uint64(fmt.bits - 1)


def exponent_code(fmt: Format, exponent: Ints, fraction: Ints) -> Ints:
    """Magnitude bits of a normal number ``1.fraction * 2^exponent``; the exponent is moved into the format's range."""
    code = (np.clip(exponent, fmt.emin, fmt.emax) + fmt.bias << fmt.fraction_bits) + fraction
    return np.asarray(np.minimum(code, fmt.largest_magnitude), np.int64)


def two_complement(fmt: Format, value: Ints) -> Words:
    """The bits of integers of a format of at most 64 bits, modulo its width."""
    return value.astype(np.uint64) & np.uint64(fmt.mask)


def bits_of(fmt: Format, value: int, exponent: int = 0) -> int:
    """The bits of one number, ``value * 2^exponent``, under the conditions of ``scaled``; of an integer, ``value``."""
    if fmt.is_float:
        return int(scaled(fmt, np.array(value), exponent))
    return value & fmt.mask
