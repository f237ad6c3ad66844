"""``coopMatReduceNV``: rows, columns, 2x2 blocks or whole matrices combined, in any grouping.

Components of bf16 have no operators: functions combine them in f32 and convert, which is a faithful step in bf16.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.contract import FloatRules, multiply_add
from mmaspec.oracle.numerics.elementwise import may_flush
from mmaspec.oracle.numerics.legal import Legal, Reason, certain_bits, concatenate, full
from mmaspec.oracle.numerics.ordinals import Bits, Flags
from mmaspec.programs.formats import Format
from mmaspec.programs.nv_coopmat2.program import REDUCE_2X2, REDUCE_COLUMN, REDUCE_ROW


def reduced(one: Legal, mask: int, combine: str, shape: tuple[int, int], rules: FloatRules) -> Legal:
    """The result ``(batch, waves, *shape)`` of reducing ``(batch, waves, rows, cols)``."""
    groups = grouped(one, mask)
    if not one.fmt.is_float:
        total = _of_integers(groups, combine)
    else:
        groups = _with_ones(groups) if combine == "add-one" else groups
        total = _summed(groups, rules) if combine in SUMS else _extreme(groups, combine, rules)
    return total.broadcast_to((*one.shape[:2], *shape))


SUMS = ("add", "add-one")
"""Combine functions that add."""


def _with_ones(groups: Legal) -> Legal:
    """The terms of x + y + 1 over a group: its elements, and a 1 for each that is combined with others.

    They are added in some order, one by one: every order of all of them may come out.
    """
    fmt = groups.fmt
    ones = full(fmt, (*groups.shape[:-1], groups.shape[-1] - 1), fmt.bias << fmt.fraction_bits)
    return concatenate((groups, ones), axis=-1)


def grouped(one: Legal, mask: int) -> Legal:
    """The elements that are combined, along a last axis: ``(batch, waves, rows or 1, columns or 1, elements)``.

    NVCM2-REDUCE-ROW, NVCM2-REDUCE-COL, NVCM2-REDUCE-2X2 (aligned neighbourhoods), else NVCM2-REDUCE-ALL.
    """
    batch, waves, rows, cols = one.shape
    if mask == REDUCE_ROW:
        return one.reshape(batch, waves, rows, 1, cols)
    if mask == REDUCE_COLUMN:
        return one.transpose().reshape(batch, waves, 1, cols, rows)
    if mask == REDUCE_2X2:
        blocks = one.reshape(batch, waves, rows // 2, 2, cols // 2, 2).transpose(0, 1, 2, 4, 3, 5)
        return blocks.reshape(batch, waves, rows // 2, cols // 2, 4)
    return one.reshape(batch, waves, 1, 1, rows * cols)


def copies(one: Legal, mask: int, shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Which elements of the result ``shape`` take one value, as in ``Region``.

    NVCM2-REDUCE-ORDER: what the grouping leaves open is open once; the value is assigned to all elements. Of a group
    that may hold NaN nothing is said, since comparisons with NaN make even that depend on who compares.
    """
    groups = grouped(one, mask)
    numbers = np.logical_and.reduce((groups.why == 0) & ~groups.nan, axis=-1)
    label = np.arange(numbers[0].size, dtype=np.int64).reshape(numbers.shape[1:])
    return np.broadcast_to(np.where(numbers, label, -1), shape)


def _summed(groups: Legal, rules: FloatRules) -> Legal:
    """NVCM2-REDUCE-ORDER: sums in any grouping, each step rounded to the component type.

    What a profile says of products is about another instruction.
    """
    bits, known = certain_bits(groups)
    return _summed_bits(groups.fmt, bits, known, rules)


def summed(terms: Sequence[Legal], rules: FloatRules) -> Legal:
    """Legal contents of the sum of floats of one shape, in any grouping."""
    found = [certain_bits(term) for term in terms]
    bits, known = (np.stack(each, axis=-1) for each in zip(*found, strict=True))
    return _summed_bits(terms[0].fmt, bits, known, rules)


def _summed_bits(fmt: Format, bits: Bits, known: Flags, rules: FloatRules) -> Legal:
    """Sums along the last axis; not judged where a term is not known."""
    own = replace(
        rules,
        accumulator_precision=rules.f64_bits if fmt.name == "f64" else None,
        kept_fraction_bits=None,
        rounding=None,
        final_rounding=None,
        model=None,
    )
    *lead, count = bits.shape
    ones = np.full((count, 1), fmt.bias << fmt.fraction_bits, np.uint64)
    zeros = full(fmt, (*lead, 1, 1), 0)
    total = multiply_add(a_fmt=fmt, a=bits[..., np.newaxis, :], b_fmt=fmt, b=ones, c=zeros, rules=own)
    unknown: Flags = np.logical_not(np.logical_and.reduce(known, axis=-1))
    return total.reshape(*lead).not_judged(unknown, Reason.INEXACT_OPERAND)


def _of_integers(groups: Legal, combine: str) -> Legal:
    """The smallest, the largest, or the low bits of the sum: the same in every grouping (NVCM2-AMB-15)."""
    fmt = groups.fmt
    pick = {"min": np.minimum, "max": np.maximum}.get(combine, np.add)
    ones = groups.shape[-1] - 1 if combine == "add-one" else 0
    lo, hi = pick.reduce(groups.lo, axis=-1) + ones, pick.reduce(groups.hi, axis=-1) + ones
    why = np.max(groups.why, axis=-1)
    turn, last = (lo - fmt.min_value) >> fmt.bits, (hi - fmt.min_value) >> fmt.bits
    why = np.where((turn != last) & (why == 0), np.uint8(Reason.INEXACT_OPERAND), why)
    free = why != 0
    lo = np.where(free, fmt.min_ordinal, lo - (turn << fmt.bits))
    hi = np.where(free, fmt.max_ordinal, hi - (last << fmt.bits))
    return Legal.interval(fmt, lo, hi, None, why)


def _extreme(groups: Legal, combine: str, rules: FloatRules) -> Legal:
    """The smallest or largest element; of zeros either sign is legal, and with a NaN nothing is judged."""
    choose = np.min if combine == "min" else np.max
    lo, hi = choose(groups.lo, axis=-1), choose(groups.hi, axis=-1)
    if rules.flush_inputs or rules.flush_results:
        lo, hi = may_flush(groups.fmt, lo, hi)
        # A comparison that reads subnormals as zeros finds them all equal, and may return any of them as it is.
        last = (1 << groups.fmt.fraction_bits) - 1
        near = (lo <= last) & (hi >= -last)
        least = np.clip(groups.lo, -last, 0).min(axis=-1, where=groups.hi >= -last, initial=0)
        most = np.clip(groups.hi, 0, last).max(axis=-1, where=groups.lo <= last, initial=0)
        lo, hi = np.where(near, np.minimum(lo, least), lo), np.where(near, np.maximum(hi, most), hi)
    why = np.max(groups.why, axis=-1)
    why = np.where(groups.nan.any(axis=-1) & (why == 0), np.uint8(Reason.NAN_NOT_REQUIRED), why)
    free = why != 0
    lo, hi = np.where(free, groups.fmt.min_ordinal, lo), np.where(free, groups.fmt.max_ordinal, hi)
    return Legal.interval(groups.fmt, lo, hi, None, why)
