"""How the terms of a float sum lie to one another: what cancels, which is the largest, how they spread."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.ordinals import Flags
from mmaspec.programs.formats import Format
from mmaspec.strategies.register_kernels.observations.elements.exact import UNIT
from mmaspec.strategies.register_kernels.observations.elements.float_terms import Terms
from mmaspec.strategies.register_kernels.observations.table import Table

Integers = NDArray[np.int64]


def put_cancellation(terms: Terms, table: Table, fmt: Format) -> None:
    """How far the sum is below its largest term, and by what."""
    top, largest = terms.total_top, terms.top.max(axis=-1)
    signs = np.sign(terms.numbers)
    mixed = (signs > 0).any(axis=-1) & (signs < 0).any(axis=-1)
    lost = largest - top
    total = terms.shaped(terms.total.sign) == 0
    pair = _pair(terms)
    c_top = terms.top[..., -1]
    against = terms.shaped(terms.dot.sign) * signs[..., -1] < 0
    middle = terms.depth // 2
    lower, upper = terms.partial(slice(0, middle)), terms.partial(slice(middle, None))
    halves = lower.plus(upper).sign.reshape(terms.shape) == 0
    low_half = terms.shaped(lower.sign) != 0
    factors = terms.values[..., :-1]
    neighbours = (factors[..., 0::2] == -factors[..., 1::2]).all(axis=-1) & (factors != 0).any(axis=-1)
    deep = mixed & ~total & (lost > fmt.precision // 2)
    classes = {
        "none": ~mixed & (largest >= 0),
        "mild": mixed & ~total & (lost <= fmt.precision // 2),
        "strong": deep,
        "all-but-small": pair & ~total & (lost > 0),
        "small-beyond-24-bits": pair & ~total & (lost > 24),
        "large-c-cancels": deep & against & (c_top == largest),
        "order-dependent": deep & _by_order(terms),
        "total": mixed & total,
        "between-halves": halves & low_half,
        "between-neighbours": neighbours,
    }
    table.put("cancellation", {name: here & terms.finite for name, here in classes.items()})


def _pair(terms: Terms) -> Flags:
    """Whether the two largest terms are exact opposites, and larger than the others."""
    sizes = np.sort(np.abs(terms.values), axis=-1)
    signed = np.where(np.abs(terms.values) == sizes[..., -1:], np.sign(terms.values), 0)
    found: Flags = (sizes[..., -1] > 0) & (sizes[..., -1] == sizes[..., -2]) & (sizes[..., -2] > sizes[..., -3])
    found &= signed.sum(axis=-1) == 0
    return found


def _by_order(terms: Terms) -> Flags:
    """Whether single precision gives other sums with C first, k ascending, and k descending with C last."""
    with np.errstate(over="ignore"):
        singles = terms.values.astype(np.float32)
    up = singles[..., -1].copy()
    down = np.zeros_like(up)
    with np.errstate(over="ignore", invalid="ignore"):
        for k in range(terms.depth):
            up = up + singles[..., k]
            down = down + singles[..., terms.depth - 1 - k]
        down = down + singles[..., -1]
        found: Flags = up != down
    return found


def put_large(terms: Terms, table: Table) -> None:
    """Where the largest term stands."""
    sizes = np.abs(terms.values)
    ordered = np.sort(sizes, axis=-1)
    place = sizes.argmax(axis=-1)
    alone = terms.top.max(axis=-1) > np.sort(terms.top, axis=-1)[..., -2]
    pair = _pair(terms)
    at = sizes == ordered[..., -1:]
    first, last = at.argmax(axis=-1), sizes.shape[-1] - 1 - at[..., ::-1].argmax(axis=-1)
    factors, end = sizes[..., :-1], terms.depth
    classes = {
        "first": alone & (place == 0),
        "last": alone & (place == end - 1),
        "middle": alone & ((place == end // 2 - 1) | (place == end // 2)),
        "c": alone & (place == end),
        "pair-adjacent": pair & (last == first + 1) & (last < end),
        "pair-far": pair & (first == 0) & (last == end - 1),
        "pair-with-c": pair & (last == end),
        "ascending": (factors[..., 1:] > factors[..., :-1]).all(axis=-1),
        "descending": (factors[..., 1:] < factors[..., :-1]).all(axis=-1),
    }
    table.put("large-position", {name: here & terms.finite for name, here in classes.items()})


def put_spread(terms: Terms, table: Table) -> None:
    """Exponents between the largest and the least term."""
    least = np.where(terms.top < 0, 1 << 20, terms.top).min(axis=-1)
    largest = terms.top.max(axis=-1)
    table.number("exponent-spread", largest - least, terms.finite & (largest >= 0))


def put_c_weight(terms: Terms, table: Table, fmt: Format) -> None:
    """C against the sum of the products."""
    c_top, dot_top = terms.top[..., -1], terms.shaped(terms.dot_size.top())
    products = terms.top[..., :-1]
    some = (products >= 0).any(axis=-1)
    opposite = terms.shaped(terms.total.sign) == 0
    is_power = terms.low[..., -1] == c_top
    c = c_top >= 0
    last_of_c = np.maximum(c_top - fmt.fraction_bits, fmt.qmin - UNIT)
    half_last = dot_top > last_of_c - 1
    # Half of C's last place is a power of two: below it is whatever has its highest bit below.
    each_below = (products < last_of_c[..., None] - 1).all(axis=-1)
    wide = (c_top - terms.low[..., -1] > 10) | (c_top > 15 - UNIT) | (terms.low[..., -1] < -24 - UNIT)
    classes = {
        "zero": terms.c.zero,
        "far-below": c & some & (dot_top >= 0) & (c_top < dot_top - fmt.fraction_bits),
        "half-place": c & is_power & (dot_top >= 0) & (c_top == dot_top - fmt.precision),
        "comparable": c & (dot_top >= 0) & (np.abs(c_top - dot_top) <= 2),
        "equal-opposite": c & some & opposite,
        "far-above": c & some & (products < last_of_c[..., None]).all(axis=-1),
        "accumulated-above": c & some & each_below & half_last,
        "not-in-ab-format": c & wide,
    }
    table.put("c-weight", {name: here & terms.finite for name, here in classes.items()})
