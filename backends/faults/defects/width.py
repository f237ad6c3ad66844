"""Defects of width: too few bits in some step of a float sum."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from mmaspec.backends.faults.defects.defect import Defect
from mmaspec.backends.faults.defects.defective_unit import (
    Deviation,
    Sum,
    ValueChange,
    cut,
    finite,
    of_operand,
    of_result,
    through,
)
from mmaspec.backends.numpy.units.encoding import bits_of_doubles, doubles_of
from mmaspec.backends.numpy.units.fused import FusedBlockUnit
from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.programs.formats import FORMATS, Format

WIDE = ("acc-f32",)
"""Rows whose accumulator has 24 bits of precision."""


def _kept(block: int, kept: int) -> Deviation:
    """Blocks aligned and cut at ``kept`` fraction bits."""

    def deviation(call: Sum) -> Bits:
        a_fmt, b_fmt, c_fmt = call.formats
        return FusedBlockUnit(block, kept).multiply_add(a_fmt, call.a, b_fmt, call.b, c_fmt, call.c)

    return deviation


def _step(change: ValueChange, depth: int = 1) -> Deviation:
    """The running sum changed after every ``depth`` products."""

    def deviation(call: Sum) -> Bits:
        total = call.c
        for k in range(0, call.depth, depth):
            part = replace(call, a=call.a[..., k : k + depth], b=call.b[..., k : k + depth, :], c=total)
            total = change(call.accumulator, part.done())
        return total

    return deviation


def _products_through(narrow: str) -> Deviation:
    """Every product rounded to a narrower format before it is added."""

    def deviation(call: Sum) -> Bits:
        a, b, _ = call.values()
        one = np.full((1, 1), 1.0)
        total, fmt = call.c, FORMATS[narrow]
        for k in range(call.depth):
            product = bits_of_doubles(fmt, a[..., :, k, np.newaxis] * b[..., np.newaxis, k, :])
            wide = doubles_of(call.accumulator, total) + doubles_of(fmt, product) * one
            total = bits_of_doubles(call.accumulator, wide)
        return total

    return deviation


def _ulp_up(fmt: Format, bits: Bits) -> Bits:
    """One unit in the last place further from zero."""
    return np.where(finite(fmt, bits) & ((bits & np.uint64(fmt.mask & ~fmt.sign_bit)) != 0), bits + np.uint64(1), bits)


def _negative_ulp(fmt: Format, bits: Bits) -> Bits:
    """Negative numbers one unit further from zero."""
    return np.where(bits & np.uint64(fmt.sign_bit) != 0, _ulp_up(fmt, bits), bits)


def _odd(fmt: Format, bits: Bits) -> Bits:
    """The last bit stuck at one."""
    return np.where(finite(fmt, bits), bits | np.uint64(1), bits)


def _stuck_low(bit: int, fmt: Format, bits: Bits) -> Bits:
    """One fraction bit stuck at zero."""
    return np.where(finite(fmt, bits), bits & ~np.uint64(1 << bit), bits)


def _last(lost: int, fmt: Format, bits: Bits) -> Bits:
    """So many last bits lost."""
    return cut(fmt, bits, fmt.precision - lost)


def _to(narrow: str) -> ValueChange:
    return lambda fmt, bits: through(fmt, bits, narrow)


def _of(precision: int) -> ValueChange:
    return lambda fmt, bits: cut(fmt, bits, precision)


DEFECTS: tuple[Defect, ...] = (
    Defect("f16-accumulator", "every partial sum were rounded to f16", "kernels that accumulate in half",
           _step(_to("f16")), WIDE),
    Defect("f16-partial-sums", "the sum were rounded to f16 after every eight products",
           "split-K kernels with half partial sums", _step(_to("f16"), 8), WIDE),
    Defect("f16-products", "every product were rounded to f16", "multipliers with a half result",
           _products_through("f16"), WIDE),
    Defect("bf16-products", "every product were rounded to bf16", "multipliers with a bfloat16 result",
           _products_through("bf16"), WIDE),
    Defect("13-bit-sums", "sums kept 13 fraction bits", "the FP8 accumulators of Hopper and Ada", _kept(16, 13), WIDE),
    Defect("17-bit-sums", "sums kept 17 fraction bits", "a short alignment shifter", _kept(16, 17), WIDE),
    Defect("20-bit-sums", "sums kept 20 fraction bits", "a short alignment shifter", _kept(16, 20), WIDE,
           where="exact-window"),
    Defect("22-bit-sums", "sums kept 22 fraction bits", "an alignment shifter one bit short", _kept(16, 22), WIDE,
           where="exact-window"),
    Defect("c-through-f16", "C were rounded to f16", "an addend passed in half registers", of_operand("c", _to("f16")),
           WIDE, "addend-value"),
    Defect("c-through-bf16", "C were rounded to bf16", "an addend stored as bfloat16", of_operand("c", _to("bf16")),
           WIDE, "addend-value"),
    Defect("c-of-20-bits", "C had 20 significant bits", "a narrow addend port", of_operand("c", _of(20)),
           WIDE, where="exact-window"),
    Defect("c-of-23-bits", "C lost its last bit", "an addend port one bit short", of_operand("c", _of(23)),
           WIDE, where="exact-window"),
    Defect("result-in-bf16", "the result were rounded to bf16", "an output conversion left on", of_result(_to("bf16")),
           WIDE),
    Defect("result-in-f16", "the result were rounded to f16", "an output conversion left on", of_result(_to("f16")),
           WIDE),
    Defect("result-in-tf32", "the result had 11 significant bits", "results kept as tf32", of_result(_of(11)), WIDE),
    Defect("22-bit-result", "the result had 22 significant bits", "a normaliser two bits short", of_result(_of(22)),
           WIDE, where="exact-window"),
    Defect("last-bit-lost", "the last bit of the result were lost", "a normaliser one bit short",
           of_result(partial(_last, 1)), where="exact-window"),
    Defect("last-bit-stuck", "the last bit of the result were always set", "sticky rounding mistaken for a result",
           of_result(_odd), where="exact-window"),
    Defect("last-bit-lost-each-step", "every partial sum lost its last bit", "a running sum one bit short",
           _step(partial(_last, 1)), where="exact-window"),
    Defect("one-ulp-up", "results were one unit of the last place too large", "rounding away from zero",
           of_result(_ulp_up), where="exact-window"),
    Defect("negative-one-ulp-up", "negative results were one unit too large", "negation without the carry",
           of_result(_negative_ulp), where="exact-window"),
    Defect("fraction-bit-3-stuck", "bit 3 of every result were zero", "a stuck wire", of_result(partial(_stuck_low, 3)),
           where="exact-window"),
    Defect("fraction-bit-9-stuck", "bit 9 of every result were zero", "a stuck wire", of_result(partial(_stuck_low, 9)),
           where="exact-window"),
    Defect("a-in-bf16", "A were rounded to eight significant bits", "operands converted to bfloat16",
           of_operand("a", _of(8))),
    Defect("b-in-bf16", "B were rounded to eight significant bits", "operands converted to bfloat16",
           of_operand("b", _of(8))),
    Defect("a-in-fp8", "A had three significant bits", "operands converted to e5m2", of_operand("a", _of(3))),
    Defect("b-lost-last-bit", "B lost its last bit", "a multiplier one bit short", of_operand("b", partial(_last, 1))),
    Defect("operands-in-tf32", "A had eleven significant bits", "f32 matrices multiplied as tf32",
           of_operand("a", _of(11)), ("f32",), where="f32-factors"),
)  # fmt: skip
"""Every defect of this kind."""
