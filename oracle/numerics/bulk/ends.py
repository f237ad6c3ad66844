"""The ends of the envelope without error, for elements whose certificate could not tell.

x_lo - B and x_hi + B are sums of float64 numbers: products as they may be read, c, the products of |a|* and |b|* times
n eps (1 + n eps), a constant, and what may be lost by flushing: so many smallest normals, or all terms of one sign.
Each is split until it is exact, and the sum is that of `exact_sum`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.bulk.certificate import relative_error
from mmaspec.oracle.numerics.bulk.exact_sum import split_terms, to_odd
from mmaspec.oracle.numerics.bulk.fixed_point import floor_ordinals
from mmaspec.oracle.numerics.bulk.operands import Addend, Operand
from mmaspec.oracle.numerics.ordinals import Doubles, Flags, Ordinals
from mmaspec.oracle.numerics.rules import FloatRules
from mmaspec.programs.formats import Format

_GATHERED = 1 << 14
"""Products held at a time; each gives six terms."""

_HIGH_BITS = 26
_LOW_HALF = (1 << 27) - 1


def settle(
    left: Operand,
    right: Operand,
    addend: Addend,
    contract: tuple[Format, FloatRules],
    undecided: Flags,
    ends: tuple[Ordinals, Ordinals],
) -> Flags:
    """Put floor(x - B) and ceil(x + B) into the two arrays of ordinals where undecided; answers where that is certain.

    Without error, whatever the factor of the certificate.
    """
    done = np.zeros(undecided.shape, np.bool_)
    if (2 * (left.values.shape[-1] + 1)) ** 2 >= 1 << _HIGH_BITS:
        return done  # K > 4094: the factor n^2 is too long for terms split in two
    at = np.argwhere(undecided)
    step = max(1, _GATHERED // (left.values.shape[-1] + 1))
    for start in range(0, len(at), step):
        t, i, j = at[start : start + step].T
        done[t, i, j] = _settle(left, right, addend, contract, (t, i, j), ends)
    return done


def _settle(
    left: Operand,
    right: Operand,
    addend: Addend,
    contract: tuple[Format, FloatRules],
    at: tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]],
    ends: tuple[Ordinals, Ordinals],
) -> Flags:
    fmt, rules = contract
    t, i, j = at
    products = _products(left, right, at)
    star = np.concatenate([(left.stars[t, i] * right.stars[t, :, j]).T, addend.star[at][None]])
    n = 2 * (len(products[0]) + 1)
    bound = [_times(star, n, -rules.eps_exponent(fmt)), _times(star, n * n, -2 * rules.eps_exponent(fmt))]
    bound.append(np.full((1, len(t)), math.ldexp(n, fmt.qmin)))
    widening = np.concatenate(bound)
    sure = np.ones(len(t), np.bool_)
    for end, own, c, sign in ((ends[0], products[0], addend.lo, 1.0), (ends[1], products[1], addend.hi, -1.0)):
        # the upper end as the negative of the lower end of -x
        terms = np.concatenate([sign * own, sign * c[at][None], -widening])
        if rules.flush_results:
            lost, told = _lost(left, right, addend, fmt.emin, at, sign)
            terms = np.concatenate([terms, -lost])
            sure &= told
        values, known = to_odd(split_terms(terms))
        found = floor_ordinals(fmt, values)
        end[at] = found if sign > 0 else -found
        if known is not None:
            sure &= known
    return sure


def _lost(
    left: Operand,
    right: Operand,
    addend: Addend,
    emin: int,
    at: tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]],
    sign: float,
) -> tuple[Doubles, Flags]:
    """Terms that add up to what may be lost of those of one sign, and where it is certain which ones these are.

    They are a smallest normal for each of that sign that is read as something, or those, whichever is less.
    """
    t, i, j = at
    sizes = (left.least[t, i] * right.least[t, :, j]).T
    negative = (left.values[t, i] < 0).T ^ (right.values[t, :, j] < 0).T
    c = addend.lo[at] if sign > 0 else -addend.hi[at]
    own = np.concatenate([np.where(negative == (sign < 0), sizes, 0.0), np.maximum(c, 0.0)[None]])
    limit = np.ldexp((own > 0).sum(axis=0).astype(np.float64), emin)
    total = own.sum(axis=0)
    margin = total * relative_error(len(sizes))
    fewer, more = limit <= total - margin, total + margin <= limit
    return np.concatenate([np.where(fewer, 0.0, own), np.where(fewer, limit, 0.0)[None]]), fewer | more


def _times(terms: Doubles, factor: int, exponent: int) -> Doubles:
    """Terms times factor * 2^exponent, exactly: halves of 26 and 27 bits, for factors of at most 26."""
    assert factor.bit_length() <= _HIGH_BITS
    high = (terms.view(np.int64) & ~_LOW_HALF).view(np.float64)
    return np.concatenate([high, terms - high]) * math.ldexp(factor, exponent)


def _products(
    left: Operand, right: Operand, at: tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]
) -> tuple[Doubles, Doubles]:
    """The least and the largest that each product may be read as."""
    t, i, j = at
    products = (left.values[t, i] * right.values[t, :, j]).T
    if left.open is None and right.open is None:
        return products, products
    small = (left.least[t, i] * right.least[t, :, j]).T
    large = (left.most[t, i] * right.most[t, :, j]).T
    return np.where(products >= 0, small, -large), np.where(products >= 0, large, -small)
