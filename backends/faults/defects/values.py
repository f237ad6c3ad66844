"""Defects of value: signs, special values and carries of float sums."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from mmaspec.backends.faults.defects.defect import Defect
from mmaspec.backends.faults.defects.defective_unit import Deviation, Sum, finite, of_operand, of_result
from mmaspec.backends.numpy.units.encoding import Doubles, bits_of_doubles, doubles_of
from mmaspec.backends.numpy.units.grid import exponent, power_of_two, to_format
from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.programs.formats import FORMATS, Format


def _sign(fmt: Format) -> np.uint64:
    return np.uint64(fmt.sign_bit)


def _magnitude(fmt: Format, bits: Bits) -> Bits:
    found: Bits = bits & np.uint64(fmt.mask & ~fmt.sign_bit)
    return found


def _negated(fmt: Format, bits: Bits) -> Bits:
    return bits ^ _sign(fmt)


def _doubled(call: Sum) -> Bits:
    total = doubles_of(call.accumulator, call.done())
    return bits_of_doubles(call.accumulator, total + call.values()[2])


def _signs_or(call: Sum) -> Bits:
    """Products of two negative numbers stay negative."""
    a, b, c = call.values()
    total = c.copy()
    for k in range(call.depth):
        left, right = a[..., :, k, np.newaxis], b[..., np.newaxis, k, :]
        product = left * right
        total = total + np.where((left < 0) & (right < 0), -product, product)
    return bits_of_doubles(call.accumulator, total)


def _products_subtracted(call: Sum) -> Bits:
    left = FORMATS[call.formats[0]]
    return replace(call, a=_negated(left, call.a)).done()


def _relu(fmt: Format, bits: Bits) -> Bits:
    return np.where((bits & _sign(fmt)) != 0, np.uint64(0), bits)


def _wrapped(carries: int) -> Deviation:
    """Sums beyond 2^carries times the largest term wrap around, as in an adder without room for carries."""

    def deviation(call: Sum) -> Bits:
        a, b, c = call.values()
        size, total = np.abs(c), c.copy()
        for k in range(call.depth):
            product = a[..., :, k, np.newaxis] * b[..., np.newaxis, k, :]
            size, total = np.maximum(size, np.abs(product)), total + product
        room = power_of_two(np.clip(exponent(size) + 1 + carries, -1000, 1000))
        around = np.mod(total + room, 2 * room) - room
        return bits_of_doubles(call.accumulator, np.where(np.isfinite(total), around, total))

    return deviation


def _carry_lost(bit: int) -> Deviation:
    """Adding the product to C, the carry from the low ``bit`` bits into the others is lost."""

    def deviation(call: Sum) -> Bits:
        fmt, c = call.accumulator, call.values()[2]
        dot = doubles_of(fmt, replace(call, c=np.zeros_like(call.c)).done())
        top = np.clip(np.maximum(exponent(dot), exponent(c)), -900, 900)
        unit = power_of_two(top + bit - fmt.fraction_bits)
        carry = np.floor((np.mod(dot, unit) + np.mod(c, unit)) / unit)
        total = dot + c
        lost = to_format(total - np.where(np.isfinite(total), carry, 0.0) * unit, fmt, "nearest")
        return np.where(np.isfinite(total), bits_of_doubles(fmt, lost), call.done())

    return deviation


def _opposing_short(call: Sum) -> Bits:
    """Where C and the product differ in sign, the sum is one unit too small: a negation without its carry."""
    fmt, c, found = call.accumulator, call.values()[2], call.done()
    dot = doubles_of(fmt, replace(call, c=np.zeros_like(call.c)).done())
    opposing = (np.sign(dot) * np.sign(c) < 0) & finite(fmt, found) & (_magnitude(fmt, found) != 0)
    return np.where(opposing, found - np.uint64(1), found)


def _nan_operands_zero(fmt: Format, bits: Bits) -> Bits:
    return np.where(_magnitude(fmt, bits) > fmt.infinity_magnitude, np.uint64(0), bits)


def _special_result(kind: str, code: Callable[[Format], int], fmt: Format, bits: Bits) -> Bits:
    magnitude = _magnitude(fmt, bits)
    chosen = magnitude > fmt.infinity_magnitude if kind == "nan" else magnitude == fmt.infinity_magnitude
    return np.where(chosen, (bits & _sign(fmt)) | np.uint64(code(fmt)), bits)


def _special(kind: str, code: Callable[[Format], int]) -> Deviation:
    return lambda call: _special_result(kind, code, call.accumulator, call.done())


def _infinite_sum(code: Callable[[Format], int]) -> Deviation:
    """Another result where the sum became infinite, and not by C alone."""

    def deviation(call: Sum) -> Bits:
        fmt, found = call.accumulator, call.done()
        return np.where(finite(fmt, call.c), _special_result("inf", code, fmt, found), found)

    return deviation


def _no_specials(fmt: Format, bits: Bits) -> Bits:
    """Codes of infinities and NaN as if they were numbers: all of them finite, at the top of the range."""
    return np.where(finite(fmt, bits), bits, (bits & _sign(fmt)) | np.uint64(fmt.largest_magnitude))


def _top_binade_infinite(fmt: Format, bits: Bits) -> Bits:
    top = np.uint64((fmt.largest_magnitude >> fmt.fraction_bits) << fmt.fraction_bits)
    big = (_magnitude(fmt, bits) >= top) & finite(fmt, bits)
    return np.where(big, (bits & _sign(fmt)) | np.uint64(fmt.infinity_magnitude), bits)


def _hidden_bit(fmt: Format, bits: Bits) -> Bits:
    """Subnormal numbers with the hidden bit of normal ones."""
    magnitude = _magnitude(fmt, bits)
    subnormal = (magnitude > 0) & (magnitude < np.uint64(1 << fmt.fraction_bits))
    return np.where(subnormal, bits | np.uint64(1 << fmt.fraction_bits), bits)


def _zero_times_infinity(call: Sum) -> Bits:
    """Infinity times zero is zero."""
    a, b, c = call.values()
    total = c.copy()
    for k in range(call.depth):
        left, right = a[..., :, k, np.newaxis], b[..., np.newaxis, k, :]
        total = total + np.where((left == 0) | (right == 0), 0.0, left * right)
    return bits_of_doubles(call.accumulator, total)


def _infinities_cancel(call: Sum) -> Bits:
    """Infinities of both signs cancel; a NaN among the operands stays."""
    a, b, c = call.values()
    largest = 2.0 ** (call.accumulator.emax + 1)
    clipped: Doubles = np.where(np.isnan(c), c, np.clip(c, -largest, largest))
    for k in range(call.depth):
        product = a[..., :, k, np.newaxis] * b[..., np.newaxis, k, :]
        clipped = clipped + np.where(np.isnan(product), product, np.clip(product, -largest, largest))
    return bits_of_doubles(call.accumulator, clipped)


def _nan_spreads(call: Sum) -> Bits:
    """A NaN of the products reaches the whole row of the result."""
    fmt, found = call.accumulator, call.done()
    products = replace(call, c=np.zeros_like(call.c)).done()
    row = (_magnitude(fmt, products) > fmt.infinity_magnitude).any(axis=-1, keepdims=True)
    return np.where(row, np.uint64(fmt.nan_bits), found)


def _infinity_spreads(call: Sum) -> Bits:
    """An infinity of the products reaches its neighbour in the next column."""
    fmt, found = call.accumulator, call.done()
    products = replace(call, c=np.zeros_like(call.c)).done()
    infinite = _magnitude(fmt, products) == fmt.infinity_magnitude
    return np.where(np.roll(infinite, 1, axis=-1), np.uint64(fmt.infinity_magnitude), found)


def _products_saturate(call: Sum) -> Bits:
    """Products beyond the operands' format stay at its largest number."""
    a, b, c = call.values()
    left = FORMATS[call.formats[0]]
    limit = float(doubles_of(left, np.array([left.largest_magnitude], np.uint64))[0])
    total = c.copy()
    for k in range(call.depth):
        product = a[..., :, k, np.newaxis] * b[..., np.newaxis, k, :]
        total = total + np.where(np.isfinite(product), np.clip(product, -limit, limit), product)
    return bits_of_doubles(call.accumulator, total)


def _subnormals_doubled(fmt: Format, bits: Bits) -> Bits:
    """Subnormal numbers twice as large; codes are consecutive, so that the largest become normal."""
    magnitude = _magnitude(fmt, bits)
    return np.where(magnitude < np.uint64(1 << fmt.fraction_bits), bits + magnitude, bits)


DEFECTS: tuple[Defect, ...] = (
    Defect("a-without-sign", "A were taken without its sign", "a lost sign wire",
           of_operand("a", _magnitude),
           role="product"),
    Defect("b-without-sign", "B were taken without its sign", "a lost sign wire", of_operand("b", _magnitude),
           role="product"),
    Defect("c-without-sign", "C were taken without its sign", "a lost sign wire", of_operand("c", _magnitude),
           role="addend-value"),
    Defect("c-negated", "C were subtracted", "fmsub in place of fma", of_operand("c", _negated), role="addend"),
    Defect("c-doubled", "C were added twice", "an accumulator that a retried tile adds to again", _doubled,
           role="addend"),
    Defect("product-negated", "the product were subtracted", "fnmadd in place of fma", _products_subtracted,
           role="product"),
    Defect("negative-products-stay", "a product of two negative numbers were negative", "signs joined by or",
           _signs_or,
           role="product"),
    Defect("negative-results-zero", "negative results were zero", "a fused activation left on", of_result(_relu),
           role="product"),
    Defect("results-without-sign", "results had no sign", "a lost sign wire", of_result(_magnitude),
           role="product"),
    Defect("no-carry-room", "sums wrapped at twice the largest term", "an adder without carry bits", _wrapped(0),
           role="product"),
    Defect("carry-lost-at-bit-12", "the carry out of the low 12 bits were lost", "an adder in two halves",
           _carry_lost(12)),
    Defect("carry-lost-at-bit-4", "the carry out of the low 4 bits were lost", "an adder in nibbles",
           _carry_lost(4), where="exact-window"),
    Defect("opposing-terms-short", "opposing terms were negated without the carry", "ROCm/rocm-systems#12056",
           _opposing_short, where="exact-window"),
    Defect("nan-in-c-is-zero", "a NaN in C were zero", "masks that clear NaN in accumulators",
           of_operand("c", _nan_operands_zero), role="nan", where="nan"),
    Defect("nan-in-a-is-zero", "a NaN in A were zero", "loads that clear NaN", of_operand("a", _nan_operands_zero),
           role="nan", where="nan"),
    Defect("nan-is-infinite", "NaN results were infinite", "formats without NaN",
           _special("nan", lambda fmt: fmt.infinity_magnitude), role="nan", where="nan"),
    Defect("nan-is-largest", "NaN results were the largest number", "saturating conversions",
           _special("nan", lambda fmt: fmt.largest_magnitude), role="nan", where="nan"),
    Defect("zero-times-infinity-is-zero", "infinity times zero were zero", "the legacy multiply of GPUs",
           _zero_times_infinity, role="nan", where="nan"),
    Defect("infinities-cancel", "infinities of both signs cancelled", "sums of clamped terms", _infinities_cancel,
           role="nan", where="nan"),
    Defect("infinity-is-nan", "infinite sums were NaN", "formats without infinity",
           _infinite_sum(lambda fmt: fmt.nan_bits), where="nan"),
    Defect("infinity-in-a-is-largest", "infinities in A were the largest number", "saturating conversions",
           of_operand("a", _no_specials)),
    Defect("infinity-in-c-is-largest", "infinities in C were the largest number", "saturating conversions",
           of_operand("c", _no_specials)),
    Defect("infinity-is-zero", "infinite sums were zero", "flushing by the exponent field",
           _infinite_sum(lambda _: 0)),
    Defect("top-binade-infinite", "the largest binade of A were infinite", "an exponent compared too early",
           of_operand("a", _top_binade_infinite)),
    Defect("subnormal-with-hidden-bit", "subnormal numbers of A had the hidden bit of normal ones",
           "a decoder without a case for subnormals", of_operand("a", _hidden_bit)),
    Defect("subnormal-doubled", "subnormal numbers of A were twice as large",
           "a decoder that gives subnormals the exponent after theirs", of_operand("a", _subnormals_doubled)),
    Defect("nan-spreads", "a NaN of the products reached its whole row", "a flag for a row", _nan_spreads),
    Defect("infinity-spreads", "an infinity of the products reached the next column", "a flag for a pair of lanes",
           _infinity_spreads),
    Defect("products-saturate", "products beyond the operands' range stayed at its end", "multipliers of one format",
           _products_saturate, ("f16",)),
)  # fmt: skip
"""Every defect of this kind."""
