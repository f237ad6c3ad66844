"""The monotone integer code of a format's values, for whole arrays.

Floats: sign * magnitude bits, so that neighbours differ by one, -0 and +0 both are 0, and +-Inf stand one step
outside +-Omega. NaN has no ordinal. Integers are their own ordinals; u64 is shifted down by 2^63
(`Format.ordinal_shift`), so that every ordinal fits int64.

Arrays of bits are uint64 with the format's bits at the bottom and zeros above, whatever the format.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics import codec
from mmaspec.programs.formats import Format

Bits: TypeAlias = NDArray[np.uint64]
Ordinals: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]
Doubles: TypeAlias = NDArray[np.float64]
AnyBits: TypeAlias = NDArray[np.unsignedinteger[Any]]

_SIGN_BIT = -(1 << 63)


def to_ordinal(fmt: Format, bits: Bits) -> Ordinals:
    """Ordinals of an array of bits, same shape. Meaningless where the code is NaN: mask with `is_nan`."""
    if fmt.is_float:
        magnitude = magnitudes(fmt, bits)
        negative = bits >= np.uint64(fmt.sign_bit)
        return np.where(negative, -magnitude, magnitude)
    if fmt.bits == 64:
        shifted = bits if fmt.signed else bits ^ np.uint64(1 << 63)
        return shifted.astype(np.int64)  # modulo 2^64, as two's complement has it
    return (bits.astype(np.int64) ^ fmt.sign_bit) - fmt.sign_bit


def from_ordinal(fmt: Format, ordinals: Ordinals) -> Bits:
    """Bits of an array of ordinals, same shape; +0 for 0. The ordinals must lie in the format's range."""
    if fmt.is_float:
        sign = np.where(ordinals < 0, np.uint64(fmt.sign_bit), np.uint64(0))
        return np.abs(ordinals).astype(np.uint64) | sign
    shifted = ordinals.astype(np.uint64)
    if fmt.ordinal_shift:
        return shifted ^ np.uint64(1 << 63)
    return shifted & np.uint64(fmt.mask)


def magnitudes(fmt: Format, bits: Bits) -> Ordinals:
    """Exponent and fraction bits of a float format, without the sign."""
    return (bits & np.uint64(fmt.sign_bit - 1)).astype(np.int64)


def is_nan(fmt: Format, bits: Bits) -> Flags:
    """Where the code is a NaN, of whatever payload; nowhere in integer formats."""
    if fmt.nans == "none":
        return np.zeros(bits.shape, np.bool_)
    found: Flags = magnitudes(fmt, bits) > fmt.max_ordinal
    return found


def is_inf(fmt: Format, bits: Bits) -> Flags:
    """Where the code is an infinity."""
    if not fmt.infinities:
        return np.zeros(bits.shape, np.bool_)
    found: Flags = magnitudes(fmt, bits) == fmt.infinity_magnitude
    return found


def is_subnormal(fmt: Format, bits: Bits) -> Flags:
    """Where the code is a subnormal: not zero and below the smallest normal."""
    if not fmt.is_float:
        return np.zeros(bits.shape, np.bool_)
    magnitude = magnitudes(fmt, bits)
    found: Flags = (magnitude > 0) & (magnitude < 1 << fmt.fraction_bits)
    return found


def exact_float64(fmt: Format, bits: AnyBits) -> Doubles:
    """Values as float64, exactly, of a float format up to f32 or an integer format up to 32 bits.

    Bits may have any unsigned type. Infinities become infinities, NaN codes NaN. Raises ValueError for wider formats,
    which float64 cannot hold.
    """
    if not fmt.is_float:
        if fmt.bits > 32:
            raise ValueError(f"{fmt.name} does not fit float64")
        return to_ordinal(fmt, bits.astype(np.uint64)).astype(np.float64)
    if fmt.fraction_bits > 23 or fmt.exponent_bits > 8:
        raise ValueError(f"{fmt.name} is not narrower than float64")
    flat = np.ascontiguousarray(np.atleast_1d(bits))
    if not flat.dtype.isnative:  # views below read bytes in the processor's order
        flat = flat.astype(flat.dtype.newbyteorder("="))
    if fmt.name in ("f32", "bf16"):  # widening rounds nothing, and `environment` sees to subnormals
        codes = flat if flat.dtype == np.uint32 else flat.astype(np.uint32)
        if fmt.name == "bf16":
            codes = codes << np.uint32(16)
        with np.errstate(invalid="ignore"):  # a signalling NaN stays a NaN
            return codes.view(np.float32).astype(np.float64).reshape(bits.shape)
    # Sign to the top, exponent and fraction to where float64 has them; then the exponent is biased anew.
    if flat.itemsize * 8 == fmt.bits:
        wide = flat.view(f"i{flat.itemsize}").astype(np.int64)
        wide <<= 52 - fmt.fraction_bits
    else:
        wide = flat.astype(np.int64)
        wide <<= 64 - fmt.bits
        wide >>= 11 - fmt.exponent_bits
    wide &= _SIGN_BIT | (1 << (52 + fmt.exponent_bits)) - 1
    values = wide.view(np.float64)
    values *= math.ldexp(1.0, 1023 - fmt.bias)
    sizes = flat & flat.dtype.type(fmt.sign_bit - 1)
    if sizes.size and sizes.max() > fmt.largest_magnitude:
        special = sizes > fmt.largest_magnitude
        infinite = sizes == fmt.infinity_magnitude if fmt.infinities else np.zeros(sizes.shape, np.bool_)
        np.copyto(values, np.where(infinite, np.copysign(np.inf, values), np.nan), where=special)
    return values.reshape(bits.shape)


def float64_of_ordinals(fmt: Format, ordinals: Ordinals) -> Doubles:
    """Values of ordinals of a float format up to f32 as float64, exactly; +0 for 0. ValueError for wider formats."""
    if fmt.fraction_bits > 23 or fmt.exponent_bits > 8:
        raise ValueError(f"{fmt.name} is not narrower than float64")
    magnitude = np.abs(np.atleast_1d(ordinals))
    infinite = magnitude == fmt.infinity_magnitude if fmt.infinities and _reaches(fmt, magnitude) else None
    magnitude <<= 52 - fmt.fraction_bits
    values = magnitude.view(np.float64)
    values *= math.ldexp(1.0, 1023 - fmt.bias)
    if infinite is not None:
        values[infinite] = np.inf
    return np.copysign(values.reshape(ordinals.shape), ordinals)


def _reaches(fmt: Format, magnitude: Ordinals) -> bool:
    return bool(magnitude.size) and int(magnitude.max()) >= fmt.infinity_magnitude


def ordinal_value(fmt: Format, ordinal: int) -> Fraction | float:
    """Value of one ordinal: a Fraction, or +-inf. Raises ValueError outside the format's range."""
    if not fmt.min_ordinal <= ordinal <= fmt.max_ordinal:
        raise ValueError(f"{ordinal} is not an ordinal of {fmt.name}")
    if not fmt.is_float:
        return Fraction(ordinal + fmt.ordinal_shift)
    magnitude = abs(ordinal)
    if fmt.infinities and magnitude == fmt.infinity_magnitude:
        return math.copysign(math.inf, ordinal)
    size = codec.value(fmt, magnitude)
    return size if ordinal >= 0 else -size
