"""Decode functions: the bytes of a struct that one reads, and its result for a place in the tensor."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.memory import Memory
from mmaspec.oracle.numerics.elementwise import may_flush
from mmaspec.oracle.numerics.legal import Legal, Reason, certain_bits
from mmaspec.oracle.numerics.ordinals import Doubles, Flags, float64_of_ordinals
from mmaspec.oracle.numerics.position import truncated
from mmaspec.oracle.numerics.rules import FloatRules
from mmaspec.programs.formats import Format, format_named
from mmaspec.programs.nv_coopmat2.program import Decode, Echo, Nibbles

Coords = NDArray[np.int64]
"""One coordinate tuple per element, on the last axis."""

SCALE_BYTES = 2
"""Bytes of the scale in front of the values of ``ScaleAndBytes``."""


def position(decode: Decode, within: Coords) -> NDArray[np.int64]:
    """Number of the value at hand inside its block, the last dimension innermost; unused by ``Echo``."""
    number = np.zeros(within.shape[:-1], np.int64)
    for axis, extent in enumerate(decode.block):
        number = number * extent + within[..., axis]
    return number


def bytes_read(decode: Decode, within: Coords) -> NDArray[np.int64]:
    """Bytes of the struct that the function reads for each element, ``(..., count)``, from its start."""
    if isinstance(decode, Echo):
        return np.zeros((*within.shape[:-1], 1 if decode.byte else 0), np.int64)
    number = position(decode, within)
    if isinstance(decode, Nibbles):
        return (number // 2)[..., np.newaxis]
    zero = np.zeros_like(number)
    return np.stack([zero, zero + 1, number + SCALE_BYTES], axis=-1)


def decoded(
    decode: Decode,
    memory: Memory,
    buffer: str,
    pointer: NDArray[np.int64],
    block: Coords,
    within: Coords,
    fmt: Format,
    rules: FloatRules,
) -> Legal:
    """NVCM2-DECODE-ADDR: what the function returns for every element, ``(batch, *pointer.shape)``.

    ``pointer`` is the first byte of the element's struct in the buffer's view.
    """
    if isinstance(decode, Echo):
        weighed = (block * np.array(decode.block)).sum(-1) + (within * np.array(decode.within)).sum(-1)
        total = np.broadcast_to(weighed, (memory.batch, *weighed.shape))
        unknown = np.zeros(total.shape, np.bool_)
        if decode.byte:
            first, unknown = _bytes(memory, buffer, pointer)
            total = total + first * decode.byte
        return _integers(total & 0xFFFF_FFFF, unknown, fmt, rules)
    number = position(decode, within)
    if isinstance(decode, Nibbles):
        pair, unknown = _bytes(memory, buffer, pointer + number // 2)
        return _integers((pair >> (number % 2 * 4) & 15) - decode.minus, unknown, fmt, rules)
    value, unknown = _bytes(memory, buffer, pointer + SCALE_BYTES + number)
    scale = memory.load(buffer, pointer, format_named("f16"))
    return _product(scale, (value ^ 0x80) - 0x80, unknown, fmt, rules)


def _bytes(memory: Memory, buffer: str, where: NDArray[np.int64]) -> tuple[NDArray[np.int64], Flags]:
    """One byte for each element, and a mask of those that are not known."""
    bits, certain = certain_bits(memory.load(buffer, where, format_named("u8")))
    return bits.astype(np.int64), ~certain


def _integers(found: NDArray[np.int64], unknown: Flags, fmt: Format, rules: FloatRules) -> Legal:
    """Exact integers of at most 33 bits converted to the component type: the low bits, or a neighbour."""
    if fmt.is_float:
        legal = _to_float(found.astype(np.float64), found.astype(np.float64), fmt, rules)
    else:
        legal = Legal.from_bits(fmt, found.astype(np.uint64) & np.uint64(fmt.mask))
    return legal.not_judged(unknown, Reason.INEXACT_OPERAND)


def _product(scale: Legal, value: NDArray[np.int64], unknown: Flags, fmt: Format, rules: FloatRules) -> Legal:
    """Scale times value, which f32 holds exactly, converted; a subnormal scale may have been flushed."""
    lo, hi = (np.where(scale.nan, 0, end) for end in (scale.lo, scale.hi))
    if rules.flush_inputs:
        lo, hi = may_flush(scale.fmt, lo, hi)
    with np.errstate(invalid="ignore"):
        ends = [float64_of_ordinals(scale.fmt, end) * value for end in (lo, hi)]
    nan = scale.nan | np.isnan(ends[0]) | np.isnan(ends[1])
    least, most = (np.where(nan, 0.0, end) for end in (np.minimum(*ends), np.maximum(*ends)))
    legal = _to_float(least, most, fmt, rules) if fmt.is_float else _to_integer(least, most, fmt)
    legal = legal.not_judged((scale.why != 0) | unknown, Reason.INEXACT_OPERAND)
    return legal.not_judged(nan, Reason.NAN_NOT_REQUIRED if fmt.is_float else Reason.SPEC_SILENT)


def _to_float(least: Doubles, most: Doubles, fmt: Format, rules: FloatRules) -> Legal:
    """Values from ``least`` to ``most``: kept where ``fmt`` has them, else one of their neighbours."""
    silent = np.zeros(least.shape, np.bool_)
    ends = []
    for end, outward in ((least, -1), (most, 1)):
        infinite = np.isinf(end)
        magnitude, rest = truncated(fmt, np.where(infinite, 0.0, np.abs(end)))
        magnitude = magnitude + (rest & (np.sign(end) == outward))
        silent |= ~infinite & rest & (np.abs(end) > _largest(fmt))
        magnitude = np.where(infinite, fmt.infinity_magnitude, magnitude)
        ends.append(np.where(end < 0, -magnitude, magnitude))
    lo, hi = may_flush(fmt, *ends) if rules.flush_results else ends
    return Legal.interval(fmt, lo, hi).not_judged(silent, Reason.SPEC_SILENT)


def _largest(fmt: Format) -> float:
    significand, exponent = fmt.largest
    return float(significand) * 2.0**exponent


def _to_integer(least: Doubles, most: Doubles, fmt: Format) -> Legal:
    """Values from ``least`` to ``most`` toward zero; out of range nothing is judged.

    No document says what a number between -1 and 0 gives as unsigned.
    """
    ends = [np.trunc(end) for end in (least, most)]
    silent = (ends[0] < fmt.min_value if fmt.signed else least < 0) | (ends[1] > fmt.max_value)
    lo, hi = (np.where(silent, 0.0, end).astype(np.int64) for end in ends)
    return Legal.interval(fmt, lo, hi).not_judged(silent, Reason.SPEC_SILENT)
