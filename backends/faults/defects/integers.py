"""Defects of integer sums: signedness, narrow intermediates, clamping and wrapping in the wrong place."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mmaspec.backends.faults.defects import terms
from mmaspec.backends.faults.defects.defect import Defect
from mmaspec.backends.faults.defects.defective_unit import Deviation, Sum
from mmaspec.backends.numpy.units.encoding import Integers, bits_of_integers, integers_of
from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.programs.formats import FORMATS


def _stored(call: Sum, total: Integers) -> Bits:
    """A sum as it should end: wrapped or saturated once."""
    fmt = call.accumulator
    if call.overflow == "saturate":
        total = np.clip(total, fmt.min_value, fmt.max_value)
    return bits_of_integers(fmt, total)


def _read_as(a: str, b: str) -> Deviation:
    """Operands of other formats; ``=`` keeps an operand's own, ``<`` takes the other operand's."""

    def deviation(call: Sum) -> Bits:
        left, right, accumulator = call.formats
        names = {"=": (left, right), "<": (right, left)}
        one = names[a][0] if a in names else a
        two = names[b][1] if b in names else b
        return replace(call, formats=(one, two, accumulator)).done()

    return deviation


def _grouped(size: int, bits: int, *, saturating: bool) -> Deviation:
    """Sums of ``size`` products pass through so many bits before they are added."""

    def deviation(call: Sum) -> Bits:
        a, b, total = call.integers()
        for first in range(0, call.depth, size):
            part = a[..., first : first + size] @ b[..., first : first + size, :]
            total = total + _narrowed(part, bits, saturating=saturating)
        return _stored(call, total)

    return deviation


def _narrowed(values: Integers, bits: int, *, saturating: bool) -> Integers:
    half = 1 << (bits - 1)
    return np.clip(values, -half, half - 1) if saturating else ((values + half) & (2 * half - 1)) - half


def _dot(bits: int, *, saturating: bool) -> Deviation:
    """The sum of all products passes through so many bits before C is added."""

    def deviation(call: Sum) -> Bits:
        a, b, c = call.integers()
        return _stored(call, c + _narrowed(a @ b, bits, saturating=saturating))

    return deviation


def _clamped_each_step(call: Sum) -> Bits:
    """Every partial sum is clamped."""
    a, b, total = call.integers()
    fmt = call.accumulator
    for k in range(call.depth):
        step = total + a[..., :, k, np.newaxis] * b[..., np.newaxis, k, :]
        total = np.clip(step, fmt.min_value, fmt.max_value)
    return bits_of_integers(fmt, total)


def _saturated(call: Sum) -> Bits:
    """Clamped although the program does not ask for it."""
    return replace(call, overflow="saturate").done()


def _upper_end_clamped(call: Sum) -> Bits:
    """Sums above the range stay at its end, those below wrap."""
    a, b, c = call.integers()
    return _stored(call, np.minimum(a @ b + c, call.accumulator.max_value))


def _through_floats(call: Sum) -> Bits:
    """The sum passes through float32."""
    a, b, c = call.integers()
    total = (a @ b + c).astype(np.float64)
    size = np.maximum(np.frexp(total)[1] - 24, 0)
    return _stored(call, np.ldexp(np.rint(np.ldexp(total, -size)), size).astype(np.int64))


def _c_of(bits: int) -> Deviation:
    """C has so many bits, extended by sign."""

    def deviation(call: Sum) -> Bits:
        a, b, c = call.integers()
        return _stored(call, a @ b + _narrowed(c, bits, saturating=False))

    return deviation


def _c_doubled(call: Sum) -> Bits:
    a, b, c = call.integers()
    return _stored(call, a @ b + 2 * c)


def _halves_apart(call: Sum) -> Bits:
    """The low and the high 16 bits are added apart; the carry between them is lost."""
    a, b, c = call.integers()
    dot = a @ b
    low = (dot & 0xFFFF) + (c & 0xFFFF)
    return _stored(call, dot + c - (low >> 16 << 16))


def _flipped_negation(call: Sum) -> Bits:
    """Negative products are negated by flipping bits: one too little."""
    a, b, total = call.integers()
    for k in range(call.depth):
        product = a[..., :, k, np.newaxis] * b[..., np.newaxis, k, :]
        total = total + product - (product < 0)
    return _stored(call, total)


def _smallest_moved(call: Sum) -> Bits:
    """The smallest signed byte is read as its neighbour."""
    fmt = FORMATS[call.formats[0]]
    if not fmt.signed:
        return call.done()
    low = integers_of(fmt, call.a) == fmt.min_value
    return replace(call, a=np.where(low, call.a + np.uint64(1), call.a)).done()


def _relu(call: Sum) -> Bits:
    """Negative results are zero."""
    found = call.done()
    return np.where(found & np.uint64(call.accumulator.sign_bit) != 0, np.uint64(0), found)


def _seven_bits(call: Sum) -> Bits:
    """The top bit of B's magnitude is lost: bytes above 127 come out 128 too small, and so do those below -64."""
    fmt = FORMATS[call.formats[1]]
    kept = integers_of(fmt, call.b)
    return replace(call, b=bits_of_integers(fmt, np.sign(kept) * (np.abs(kept) & 0x3F))).done()


def _nibbles(call: Sum) -> Bits:
    """Only the low four bits of A take part."""
    return replace(call, a=call.a & np.uint64(0xF)).done()


ROWS = ("int",)

DEFECTS: tuple[Defect, ...] = (
    Defect("a-read-unsigned", "A were always unsigned", "a sign flag that is not wired", _read_as("u8", "="), ROWS,
           "sign", where="wraps"),
    Defect("b-read-unsigned", "B were always unsigned", "a sign flag that is not wired", _read_as("=", "u8"), ROWS,
           "sign"),
    Defect("a-read-signed", "A were always signed", "emulators that always extend the sign", _read_as("s8", "="),
           ROWS, "sign", where="registers"),
    Defect("b-read-signed", "B were always signed", "emulators that always extend the sign", _read_as("=", "s8"),
           ROWS, "sign", where="unsigned-bytes"),
    Defect("signs-exchanged", "A had the sign of B and B that of A", "vpdpbusd, whose operands are not alike",
           _read_as("<", "<"), ROWS, "sign", where="unsigned-bytes"),
    Defect("b-has-sign-of-a", "B had the sign of A", "instructions without mixed signs", _read_as("=", "<"), ROWS,
           "sign", where="unsigned-bytes"),
    Defect("smallest-byte-moved", "-128 in A were -127", "symmetric quantisation", _smallest_moved, ROWS, "sign"),
    Defect("pairs-saturate", "sums of two products were clamped to 16 bits", "pmaddubsw",
           _grouped(2, 16, saturating=True), ROWS, where="signed-bytes"),
    Defect("pairs-wrap", "sums of two products wrapped at 16 bits", "multiply-add of pairs in 16 bits",
           _grouped(2, 16, saturating=False), ROWS, where="signed-bytes"),
    Defect("products-saturate-int", "products were clamped to 15 bits", "multipliers one bit short",
           _grouped(1, 15, saturating=True), ROWS),
    Defect("quads-saturate", "sums of four products were clamped to 16 bits", "dot4 with a 16-bit result",
           _grouped(4, 16, saturating=True), ROWS),
    Defect("dot-clamped-to-16-bits", "the sum of products were clamped to 16 bits", "accumulators of 16 bits",
           _dot(16, saturating=True), ROWS),
    Defect("dot-wraps-at-16-bits", "the sum of products wrapped at 16 bits", "accumulators of 16 bits",
           _dot(16, saturating=False), ROWS),
    Defect("dot-wraps-at-18-bits", "the sum of products wrapped at 18 bits", "accumulators one bit short",
           _dot(18, saturating=False), ROWS, where="signed-bytes"),
    Defect("clamped-too-early", "partial sums were clamped", "saturating adds in a chain", _clamped_each_step, ROWS,
           "wrap", where="wraps"),
    Defect("clamped-unasked", "sums were always clamped", "a clamp flag that is always set", _saturated, ROWS, "wrap",
           where="wraps"),
    Defect("upper-end-clamped", "sums above the range stayed at its end", "clamping by an unsigned comparison",
           _upper_end_clamped, ROWS, "wrap", where="wraps"),
    Defect("sums-through-floats", "sums passed through float32", "integer products on float units", _through_floats,
           ROWS, "int-range"),
    Defect("c-of-16-bits", "C had 16 bits", "addends passed in half registers", _c_of(16), ROWS,
           "int-addend", where="unsigned-bytes"),
    Defect("c-of-24-bits", "C had 24 bits", "24-bit multiply-add instructions", _c_of(24), ROWS, "int-range"),
    Defect("int-c-lost", "C were zero", "a product in place of a multiply-add", terms.c_zero, ROWS, "int-addend"),
    Defect("int-c-doubled", "C were added twice", "an accumulator that a retried tile adds to again", _c_doubled,
           ROWS, "int-addend"),
    Defect("halves-added-apart", "the carry from bit 15 to bit 16 were lost", "an adder in two halves", _halves_apart,
           ROWS),
    Defect("flipped-negation", "negative products were one too small", "negation without the carry",
           _flipped_negation, ROWS, where="signed-bytes"),
    Defect("int-negative-results-zero", "negative results were zero", "a fused activation left on", _relu, ROWS,
           where="signed-bytes", role="product"),
    Defect("b-of-six-bits", "B had six bits beside its sign", "packed formats of seven bits", _seven_bits, ROWS,
           where="wraps"),
    Defect("nibbles-of-a", "A had four bits", "the four-bit form in place of the eight-bit one", _nibbles, ROWS),
    Defect("int-last-product-missing", "the last product were missing", "a loop one short", terms.without(-1, 0),
           ROWS, role="product"),
    Defect("int-second-half-missing", "the second half of k were missing", "the shape with half the K",
           terms.second_half_missing, ROWS, role="product"),
    Defect("int-bytes-of-a-reversed", "the bytes of A were reversed in each dword", "big-endian packing",
           terms.k_order("quads"), ROWS),
    Defect("int-columns-exchanged", "neighbouring columns were exchanged", "lanes exchanged in pairs",
           terms.columns_of_result(1), ROWS, where="wraps", role="product"),
    Defect("int-squares-turned", "every 2 x 2 elements were transposed", "a transposing store", terms.squares_turned,
           ROWS, where="wraps", role="product"),
    Defect("int-row-keeps-c", "one row kept C", "a row that is not written", terms.row_left, ROWS, where="wraps",
           role="product"),
    Defect("int-zero-skips-group", "a zero in A dropped its group of four", "structured sparsity taken for granted",
           terms.zero_skips_group, ROWS, role="product"),
    Defect("int-first-half-again", "the second half of k repeated the first", "a double buffer not exchanged",
           terms.first_half_again, ROWS, where="lines", role="product"),
)  # fmt: skip
"""Every defect of this kind."""
