"""What kinds of floats a set of bit patterns has: signs, sizes, infinities and NaN, for every format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.ordinals import Bits, Flags, is_inf, is_nan, is_subnormal, magnitudes
from mmaspec.programs.formats import Format

Mark = Callable[[Format, Bits], Flags]
"""Where codes of a format are of some kind."""


def negative(fmt: Format, bits: Bits) -> Flags:
    """Where the sign bit is set, of whatever it is the sign."""
    found: Flags = (bits & np.uint64(fmt.sign_bit)) != 0
    return found


def fractions(fmt: Format, bits: Bits) -> NDArray[np.int64]:
    """The fraction field of every code."""
    return magnitudes(fmt, bits) & ((1 << fmt.fraction_bits) - 1)


def is_zero(fmt: Format, bits: Bits) -> Flags:
    """Where a float is +0 or -0, or an integer 0."""
    found: Flags = magnitudes(fmt, bits) == 0 if fmt.is_float else bits == 0
    return found


def quiet(fmt: Format, bits: Bits) -> Flags:
    """Where a NaN has the topmost fraction bit."""
    found: Flags = is_nan(fmt, bits) & (fractions(fmt, bits) >> (fmt.fraction_bits - 1) == 1)
    return found


def _sized(size: Callable[[Format], int]) -> Mark:
    return lambda fmt, bits: magnitudes(fmt, bits) == size(fmt)


def _finite_full(fmt: Format, bits: Bits) -> Flags:
    full = fractions(fmt, bits) == (1 << fmt.fraction_bits) - 1
    found: Flags = (
        full & ~is_nan(fmt, bits) & (magnitudes(fmt, bits) < fmt.largest_magnitude) & ~is_subnormal(fmt, bits)
    )
    return found


def _nan_with(payload: Callable[[Format], int]) -> Mark:
    return lambda fmt, bits: is_nan(fmt, bits) & (fractions(fmt, bits) == payload(fmt))


FLOAT_MARKS: Mapping[str, Mark] = MappingProxyType(
    {
        "zero": lambda _, bits: bits == 0,
        "negative-zero": lambda fmt, bits: bits == fmt.sign_bit,
        "subnormal": is_subnormal,
        "least-subnormal": _sized(lambda _: 1),
        "largest-subnormal": _sized(lambda fmt: (1 << fmt.fraction_bits) - 1),
        "least-normal": _sized(lambda fmt: 1 << fmt.fraction_bits),
        "full-significand": _finite_full,
        "largest": _sized(lambda fmt: fmt.largest_magnitude),
        "infinity": is_inf,
        "quiet-nan": lambda fmt, bits: quiet(fmt, bits) & _nan_with(lambda fmt: 1 << fmt.fraction_bits - 1)(fmt, bits),
        "quiet-nan-payload": lambda fmt, bits: (
            quiet(fmt, bits) & (fractions(fmt, bits) != 1 << fmt.fraction_bits - 1) & (bits != fmt.mask)
        ),
        "signalling-nan": lambda fmt, bits: is_nan(fmt, bits) & ~quiet(fmt, bits) & (fractions(fmt, bits) != 1),
        "low-payload-nan": _nan_with(lambda _: 1),
        "negative-nan": lambda fmt, bits: is_nan(fmt, bits) & negative(fmt, bits) & (bits != fmt.mask),
        "all-bits": lambda fmt, bits: bits == fmt.mask,
    }
)
"""Kind of float -> where codes are of it; a code may be of several kinds, or of none: it is ordinary then."""


def kinds_of(fmt: Format, bits: Bits) -> frozenset[str]:
    """The kinds of floats among some codes; ``ordinary`` where one is of no other kind."""
    codes = np.unique(bits)
    found = {name: mark(fmt, codes) for name, mark in FLOAT_MARKS.items()}
    special = np.logical_or.reduce(list(found.values()))
    names = {name for name, mask in found.items() if mask.any()}
    return frozenset(names | ({"ordinary"} if not special.all() else set()))


_NAN_KINDS = {
    "quiet-nan": "quiet",
    "quiet-nan-payload": "quiet-payload",
    "signalling-nan": "signalling",
    "low-payload-nan": "low-payload",
    "negative-nan": "negative",
    "all-bits": "all-bits",
}


def nan_kinds(fmt: Format, *operands: Bits) -> frozenset[str]:
    """Which NaN stand among the codes of all operands of one operation; ``none``, or also ``several``."""
    codes = np.unique(np.concatenate([np.unique(bits) for bits in operands]))
    nans = codes[is_nan(fmt, codes)]
    if not nans.size:
        return frozenset({"none"})
    return frozenset({_NAN_KINDS[kind] for kind in kinds_of(fmt, nans)} | ({"several"} if nans.size > 1 else set()))


def significand_bits(fmt: Format, bits: Bits) -> NDArray[np.int64]:
    """How many bits the significand of every finite, non-zero code needs, from its first to its last set bit."""
    codes = np.unique(bits)
    size = magnitudes(fmt, codes)
    whole = np.where(size >> fmt.fraction_bits > 0, fractions(fmt, codes) | 1 << fmt.fraction_bits, size)
    whole = whole[(size > 0) & (size <= fmt.largest_magnitude)]
    trailing = whole & -whole
    return np.array(
        [int(one).bit_length() - int(low).bit_length() + 1 for one, low in zip(whole, trailing, strict=True)]
    )
