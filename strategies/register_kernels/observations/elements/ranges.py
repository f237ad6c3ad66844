"""Float sums that leave the range of their format, above or below, and results that are rounded more than once."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.ordinals import Flags
from mmaspec.programs.formats import Format, format_named
from mmaspec.strategies.register_kernels.observations.elements.exact import UNIT, Exact
from mmaspec.strategies.register_kernels.observations.elements.float_terms import Terms

Integers = NDArray[np.int64]
Doubles = NDArray[np.float64]


def rounded(size: Exact, fmt: Format) -> Exact:
    """Magnitudes rounded to the nearest number of a format, ties to even, as if its exponents had no upper end."""
    last = np.maximum(size.top() - fmt.fraction_bits, fmt.qmin - UNIT)
    odd, half = size.bits(last, 1) == 1, size.bits(last - 1, 1) == 1
    rest = size.below(last - 1).sign != 0
    kept = size.plus(size.below(last), -1)
    return kept.step(np.where(half & (rest | odd), last, -1), 1)


@lru_cache(maxsize=8)
def rounded_total(terms: Terms, fmt: Format) -> Exact:
    """What `rounded` says of the sums of all terms."""
    return rounded(terms.total_size, fmt)


def overflows(terms: Terms, fmt: Format) -> dict[str, Flags]:
    """What takes the sum of finite terms beyond the range: classes of ``infinite-cause``."""
    far = fmt.emax - UNIT
    over = terms.shaped(rounded_total(terms, fmt).top() > far) & terms.finite
    if not over.any():
        return {}
    product = (terms.top[..., :-1] > far).any(axis=-1)
    of_sum = terms.shaped(rounded(terms.dot_size, fmt).top() > far)
    return {
        "product-overflows": over & product,
        "sum-overflows": over & ~product & of_sum,
        "c-overflows": over & ~product & ~of_sum,
        "rounds-over": over & (terms.total_top <= far),
    }


def product_overflows(terms: Terms, fmt: Format) -> tuple[Flags, Flags]:
    """Whether some finite product is beyond the range, upwards and downwards."""
    far = terms.top[..., :-1] > fmt.emax - UNIT
    up, down = (far & (terms.number > 0)).any(axis=-1), (far & (terms.number < 0)).any(axis=-1)
    return np.asarray(up), np.asarray(down)


def underflows(terms: Terms, fmt: Format) -> Flags:
    """Whether a sum other than zero is rounded to zero."""
    found: Flags = (terms.total.sign != 0) & (rounded_total(terms, fmt).sign == 0)
    return terms.shaped(found) & terms.finite


@lru_cache(maxsize=8)
def partial_sums(terms: Terms, fmt: Format) -> tuple[Flags, Flags]:
    """Whether a running sum, k ascending, is subnormal without C, and whether one with C is beyond the range."""
    below, beyond = np.zeros(terms.shape, np.bool_), np.zeros(terms.shape, np.bool_)
    least, far = fmt.emin - UNIT, fmt.emax - UNIT
    small = bool((terms.low[..., :-1] < least).any())
    if not small and not (terms.top >= far).any():
        return below, beyond
    sums = Exact(np.zeros_like(terms.dot.limbs))
    for k in range(terms.depth - 1):
        sums = sums.plus(terms.partial(slice(k, k + 1)))
        top = terms.shaped(sums.size().top())
        below |= (top >= fmt.qmin - UNIT) & (top < least) & (k > 0)
        beyond |= terms.shaped(sums.plus(terms.addend).size().top()) > far
    return below & terms.finite, beyond & terms.finite


def double_rounding(terms: Terms, fmt: Format) -> dict[str, Flags]:
    """Where rounding to single first, or after every step, or to C's last place, gives another result of 16 bits."""
    if fmt.bits == 32:
        return {"no": terms.known}
    once, single = rounded_total(terms, fmt), rounded_total(terms, format_named("f32"))
    twice = terms.shaped(rounded(single, fmt).compare(once) != 0) & terms.finite
    stepwise = terms.shaped(_stepwise(terms, fmt).compare(_signed(once, terms.total.sign)) != 0) & terms.finite
    swallowed = _each_below_c(terms, fmt) & terms.shaped(once.compare(terms.addend.size()) != 0) & terms.finite
    subnormal = terms.shaped(once.top() < fmt.emin - UNIT)
    return {
        "no": terms.finite & ~twice & ~stepwise & ~swallowed,
        "tie-after-single": twice & ~subnormal,
        "once-each-step": stepwise,
        "c-precision": swallowed,
        "subnormal-double": twice & subnormal,
    }


def _each_below_c(terms: Terms, fmt: Format) -> Flags:
    """Whether each product is below half of C's last place; there are some."""
    c, products = terms.top[..., -1], terms.top[..., :-1]
    half = np.maximum(c - fmt.fraction_bits, fmt.qmin - UNIT) - 1
    found: Flags = (c >= 0) & (products >= 0).any(axis=-1) & (products < half[..., None]).all(axis=-1)
    return found


def _stepwise(terms: Terms, fmt: Format) -> Exact:
    """C, and one product after the other, rounded each time.

    In doubles: a sum of two is rounded to odd there, which leaves the last rounding, to a few bits, as it would be.
    """
    sums = terms.values[..., -1]
    for k in range(terms.depth):
        sums = nearest(odd_sum(sums, terms.values[..., k]), fmt)
    return Exact.of_doubles(sums.reshape(-1))


def odd_sum(one: Doubles, other: Doubles) -> Doubles:
    """Sums rounded to odd: of two doubles that hold one that is none between them, the one whose last bit is set."""
    total = one + other
    given = total - one
    error = (one - (total - given)) + (other - given)
    even = total.view(np.int64) & 1 == 0
    return np.where((error != 0) & even, np.nextafter(total, np.copysign(np.inf, error)), total)


def nearest(value: Doubles, fmt: Format) -> Doubles:
    """Rounded to the nearest number of a format, ties to even, as if its exponents had no upper end."""
    last = np.maximum(np.frexp(value)[1] - 1 - fmt.fraction_bits, fmt.qmin)
    found: Doubles = np.ldexp(np.rint(np.ldexp(value, -last)), last)
    return found


def _signed(size: Exact, sign: Integers) -> Exact:
    negative: Integers = np.where(sign < 0, (-size).limbs, size.limbs)
    return Exact(negative)
