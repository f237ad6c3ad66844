"""Where the exact sums of a float form lie: between neighbours of f32, near its ends, and near zero."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.ordinals import Flags
from mmaspec.programs.formats import Format
from mmaspec.strategies.register_kernels.observations.elements.exact import UNIT, Exact
from mmaspec.strategies.register_kernels.observations.elements.float_terms import Terms
from mmaspec.strategies.register_kernels.observations.elements.ranges import partial_sums, underflows
from mmaspec.strategies.register_kernels.observations.table import Table

Integers = NDArray[np.int64]

FAR = 24
"""Places between half a unit and a term far below it."""


def put_rounding(terms: Terms, table: Table, fmt: Format) -> None:
    """The axes ``rounding`` and ``overflow-place``; of finite elements."""
    size = terms.total_size
    top = terms.total_top.reshape(-1)
    last = np.maximum(top - fmt.fraction_bits, fmt.qmin - UNIT)
    half = last - 1
    quantum = np.minimum(terms.low.min(axis=-1).reshape(-1), 1 << 19)
    here = {name: terms.shaped(flags) for name, flags in _classes(size, top, last, half, quantum, fmt).items()}
    tie = here["tie-to-even-down"] | here["tie-to-even-up"]
    here["tie-negative"] = tie & (terms.shaped(terms.total.sign) < 0)
    table.put("rounding", {name: flags & terms.finite for name, flags in here.items()})
    ends = _ends(size, top, fmt)
    near = ends["largest"] | ends["below-half-ulp"] | ends["half-ulp"] | ends["above-half-ulp"]
    ends["negative-ends"] = near & (terms.total.sign < 0)
    ends["intermediate-only"] = partial_sums(terms, fmt)[1].reshape(-1) & (top <= fmt.emax - UNIT)
    table.put("overflow-place", {n: terms.shaped(f) & terms.finite for n, f in ends.items()})


def _classes(
    size: Exact, top: Integers, last: Integers, half: Integers, quantum: Integers, fmt: Format
) -> dict[str, Flags]:
    low = size.low()
    exact = (low < 0) | (low >= last)
    odd = size.bits(last, 1) == 1
    set_half = size.bits(half, 1) == 1
    tie = ~exact & (low == half)
    reach = np.where(exact, -1, quantum)
    more, less = size.step(reach, 1), size.step(reach, -1)
    up, down = more.low(), less.low()
    rest = size.below(half).top()
    missing = _missing(size, half)
    ones = size.bits(last, fmt.precision) == (1 << fmt.precision) - 1
    upward = set_half & (~tie | odd)
    return {
        "exact": exact,
        "tie-to-even-down": tie & ~odd,
        "tie-to-even-up": tie & odd,
        "above-tie": ~exact & (down == half) & set_half,
        "below-tie": ~exact & (up == half) & ~set_half,
        "quarter": ~exact & (low == half - 1),
        "near-exact": ~exact & ~tie & ((down >= last) | (up >= last) | (down < 0)),
        "sticky-far": ~exact & ~tie & np.where(set_half, (rest >= 0) & (rest < half - FAR), missing < half - FAR),
        "carry-out": ~exact & upward & ones & (top - last == fmt.fraction_bits),
    }


def _missing(size: Exact, half: Integers) -> Integers:
    """The highest bit below half a unit that is clear."""
    opposite = Exact(~size.limbs & ((1 << 32) - 1)).below(half)
    return opposite.top()


def _ends(size: Exact, top: Integers, fmt: Format) -> dict[str, Flags]:
    """By the largest finite number and half of its unit."""
    count = len(top)
    number, exponent = fmt.largest
    ends = np.full((count, 1), number, np.int64), np.full((count, 1), exponent, np.int64)
    largest = Exact.of_terms(*ends)
    beyond = Exact.of_terms(ends[0] * 2 + 1, ends[1] - 1)
    against, further = size.compare(largest), size.compare(beyond)
    far = fmt.emax - UNIT
    return {
        "far-below": top < far,
        "largest": against == 0,
        "below-half-ulp": (against > 0) & (further < 0),
        "half-ulp": further == 0,
        "above-half-ulp": (further > 0) & (top <= far),
        "far-above": top > far,
    }


def put_zero(terms: Terms, table: Table, fmt: Format) -> None:
    """How zero results come about."""
    under = underflows(terms, fmt)
    a, b, c = terms.a, terms.b, terms.c
    negative = a.negative ^ b.negative
    zero = a.zero | b.zero
    total = terms.shaped(terms.total.sign) == 0
    zeros = zero.all(axis=-1) & c.zero & terms.finite
    minus, plus = (zero & negative).all(axis=-1), (zero & ~negative).all(axis=-1)
    cancel = terms.finite & total & ~zero.all(axis=-1)
    alike = {
        "all-positive-zero": zeros & plus & ~c.negative,
        "all-negative-zero": zeros & minus & c.negative,
        "negative-c-only": zeros & plus & c.negative,
        "negative-products-only": zeros & minus & ~c.negative,
    }
    table.put("zero-result", {
        **alike,
        "mixed-zeros": zeros & ~plus & ~minus,
        "cancel-products": cancel & c.zero,
        "cancel-c": cancel & ~c.zero,
        "underflow": under,
        "none": terms.known & ~(terms.finite & total) & ~under,
    })  # fmt: skip


def put_subnormals(terms: Terms, table: Table, fmt: Format) -> None:
    """Where subnormals are: among the factors, in C, in the result."""
    a, b, c = (side.subnormal for side in (terms.a, terms.b, terms.c))
    some_a, some_b = (a | np.zeros_like(b)).any(axis=-1), (b | np.zeros_like(a)).any(axis=-1)
    nothing = (terms.number == 0).all(axis=-1)
    size = terms.total_size
    top, least = terms.total_top, fmt.emin - UNIT
    normal = (top < 0) | (top >= least)
    small = (top >= fmt.qmin - UNIT) & (top < least)
    products, tops = terms.number != 0, terms.top[..., :-1]
    below = ((tops < least) & products).any(axis=-1)
    many = (below & ~(tops >= least).any(axis=-1) & (c | terms.c.zero)) & (top >= least)
    flags = {
        "none": ~(some_a | some_b | c | small | below),
        "a": some_a & ~some_b & ~c & normal,
        "b": some_b & ~some_a & ~c & normal,
        "a-and-b": some_a & some_b,
        "c": c & ~some_a & ~some_b & ~nothing,
        "c-and-zero-products": c & nothing,
        "product": (products & (tops < least) & (tops >= fmt.qmin - UNIT)).any(axis=-1) & ~some_a & ~some_b,
        "product-below": (products & (tops < fmt.qmin - UNIT)).any(axis=-1),
        "partial-sum": partial_sums(terms, fmt)[0],
        "result": small & ~(some_a | some_b | c),
        "result-boundary": (top == least) & (terms.shaped(size.low()) == least),
        "sum-to-normal": many,
    }
    table.put("subnormals", {name: here & terms.finite for name, here in flags.items()})
