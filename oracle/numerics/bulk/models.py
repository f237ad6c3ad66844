"""The results of a model for whole batches, in float64: equal to `definition.models` on every element.

Why float64 is enough, for operands and accumulators up to f32:

1. products are exact (at most 24 + 24 significand bits, exponents from -298 to 256);
2. a block's terms, cut, are integers of at most f + 2 bits in units of its quantum, and 1 + MAX_PRODUCTS of them stay
   below 2^53 as f <= MAX_KEPT_BITS; scaling by powers of two is exact;
3. a product and a running sum added by `_sum_to_odd` lose nothing that a rounding to at most 24 bits could see;
4. `_rounded` scales the quantum of the format to 1 and rounds to a whole number: no cast narrows anything.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.definition.models import evaluate
from mmaspec.oracle.numerics.legal import Legal
from mmaspec.oracle.numerics.ordinals import (
    Bits,
    Doubles,
    Flags,
    Ordinals,
    exact_float64,
    float64_of_ordinals,
    from_ordinal,
)
from mmaspec.programs.formats import Format
from mmaspec.programs.models import BlocksByFormat, Chain, FusedBlock, Model
from mmaspec.programs.rounding_mode import Mode

_CHUNK = 1 << 14
"""Elements of D at a time, so that the passes over them stay in cache."""

_WHOLE = {Mode.NEAREST_EVEN: np.rint, Mode.TOWARD_ZERO: np.trunc, Mode.DOWN: np.floor, Mode.UP: np.ceil}
"""A mode among the whole numbers."""

_NONE = -4000
"""Exponent of a term that takes no part in the alignment."""

Exponents: TypeAlias = NDArray[np.int32]


def results(model: Model, a_fmt: Format, a: Bits, b_fmt: Format, b: Bits, c: Legal) -> Legal:
    """The model's D for a (T, M, K), b (T, K, N) and c (T, M, N), one value an element.

    Every element of c is taken for its lowest value, or for NaN where it has none: the caller knows which of them
    are exact. The formats must be covered by the model.
    """
    if isinstance(model, BlocksByFormat):
        model = model.chosen(a_fmt, b_fmt, c.fmt)
    c_nan = c.lo > c.hi
    at = np.where(c_nan, 0, c.lo)
    lo = np.empty(c.shape, np.int64)
    nan = np.empty(c.shape, np.bool_)
    if "f64" in (a_fmt.name, b_fmt.name, c.fmt.name):
        codes = np.where(c_nan, np.uint64(c.fmt.nan_bits), from_ordinal(c.fmt, at))
        _by_definition(model, a_fmt, a, b_fmt, b, c.fmt, codes, lo, nan)
    else:
        step = max(1, _CHUNK // max(1, c.shape[1] * c.shape[2]))
        for first in range(0, len(a), step):
            chunk = slice(first, first + step)
            left, right = exact_float64(a_fmt, a[chunk]), exact_float64(b_fmt, b[chunk])
            addend = float64_of_ordinals(c.fmt, at[chunk])
            addend[c_nan[chunk]] = np.nan
            # inf * 0 and inf - inf are results here, not errors
            with np.errstate(invalid="ignore"):
                if isinstance(model, FusedBlock):
                    total = _fused(model, a_fmt, left, b_fmt, right, c.fmt, addend)
                else:
                    total = _chain(model, left, right, c.fmt, addend)
            lo[chunk], nan[chunk] = _ordinals(c.fmt, total)
    return Legal.interval(c.fmt, np.where(nan, 1, lo), np.where(nan, 0, lo), nan)


def _by_definition(
    model: Model, a_fmt: Format, a: Bits, b_fmt: Format, b: Bits, fmt: Format, c: Bits, lo: Ordinals, nan: Flags
) -> None:
    """Formats whose products float64 cannot hold, element by element."""
    for t, i, j in np.ndindex(*c.shape):
        found = evaluate(model, a_fmt, a[t, i].tolist(), b_fmt, b[t, :, j].tolist(), fmt, int(c[t, i, j]))
        lo[t, i, j], nan[t, i, j] = (0, True) if found is None else (found, False)


def _chain(model: Chain, a: Doubles, b: Doubles, fmt: Format, c: Doubles) -> Doubles:
    total, running = c, model.format(fmt)
    for k in range(a.shape[-1]):
        product = a[..., :, k, None] * b[..., None, k, :]
        if not model.fused:
            product = _rounded(running, product, Mode.NEAREST_EVEN)
        total = _rounded(running, _sum_to_odd(product, total), Mode.NEAREST_EVEN)
    return total if running == fmt else _rounded(fmt, total, Mode.NEAREST_EVEN)


def _fused(model: FusedBlock, a_fmt: Format, a: Doubles, b_fmt: Format, b: Doubles, fmt: Format, c: Doubles) -> Doubles:
    rows, columns = _exponents(model, a_fmt, a), _exponents(model, b_fmt, b)
    total = c if model.addend == "first" else np.zeros_like(c)
    for first in range(0, a.shape[-1], model.products):
        k = slice(first, first + model.products)
        total = _block(model, fmt, (a[..., k], rows[..., k]), (b[..., k, :], columns[..., k, :]), total)
    if model.addend == "last":
        # c * 1 beside the running sum; a one has exponent 0
        one, nought = np.ones((len(c), 1, 1)), np.zeros((len(c), 1, 1), np.int32)
        flat = c.reshape(len(c), -1, 1)
        exponents = _exponents(model, fmt, flat)
        total = _block(model, fmt, (flat, exponents), (one, nought), total.reshape(flat.shape)).reshape(c.shape)
    return total


def _block(
    model: FusedBlock,
    fmt: Format,
    left: tuple[Doubles, Exponents],
    right: tuple[Doubles, Exponents],
    running: Doubles,
) -> Doubles:
    """The products of one block and the running sum, aligned, cut, added and rounded."""
    (a, rows), (b, columns) = left, right
    top = np.maximum(_exponents(model, fmt, running), np.int32(model.exponent_floor))
    for k in range(a.shape[-1]):
        np.maximum(top, rows[..., :, k, None] + columns[..., None, k, :], out=top)
    top -= np.int32(model.kept_fraction_bits)
    scale = _power_of_two(-top)
    special = np.where(np.isfinite(running), 0.0, running)
    total = np.trunc(np.where(special == 0, running, 0.0) * scale)
    clean = bool(np.isfinite(a).all()) and bool(np.isfinite(b).all())
    for k in range(a.shape[-1]):
        product = a[..., :, k, None] * b[..., None, k, :]
        if not clean:
            finite = np.isfinite(product)
            special += np.where(finite, 0.0, product)
            product = np.where(finite, product, 0.0)
        product *= scale
        total += np.trunc(product, out=product)
    total = _rounded(model.sum_format(fmt), total * _power_of_two(top), model.rounding(fmt))
    return np.where(special == 0, total, special) if special.any() else total


def _exponents(model: FusedBlock, fmt: Format, values: Doubles) -> Exponents:
    """Exponents of values of the format, subnormals as the smallest normal; `_NONE` for what is not aligned."""
    exponents = np.maximum(_exponent(values), fmt.emin)
    left_out = ~np.isfinite(values)
    if model.zero_products == "dropped":
        left_out |= values == 0
    return np.where(left_out, np.int32(_NONE), exponents)


def _exponent(values: Doubles) -> Exponents:
    """The exponent fields of float64 values: e with 2^e <= |v| < 2^(e + 1), 1024 for specials, -1023 for zeros."""
    return (values.view(np.int64) >> 52 & 0x7FF).astype(np.int32) - np.int32(1023)


def _power_of_two(exponents: Exponents) -> Doubles:
    """2^e, for normal numbers of float64."""
    return (exponents.astype(np.int64) + 1023 << 52).view(np.float64)


def _sum_to_odd(x: Doubles, y: Doubles) -> Doubles:
    """X + y rounded to odd: to 53 bits, the last one set if anything was lost (Boldo and Melquiond, 2008)."""
    total = x + y
    part = total - x
    lost = (x - (total - part)) + (y - part)
    inexact = (lost > 0) | (lost < 0)  # nowhere beside Inf and NaN
    if not inexact.any():
        return total
    bits = total.view(np.int64)
    step = np.where((lost > 0) == (total > 0), np.int64(1), np.int64(-1))
    return np.where(inexact & (bits & 1 == 0), bits + step, bits).view(np.float64)


def _rounded(fmt: Format, values: Doubles, mode: Mode) -> Doubles:
    """Values rounded to values of the format; what reaches 2^(emax + 1) after rounding is infinite in every mode."""
    quantum = np.maximum(_exponent(values), np.int32(fmt.emin)) - np.int32(fmt.fraction_bits)
    whole = _WHOLE[mode](values * _power_of_two(-quantum))
    whole *= _power_of_two(quantum)
    over = np.abs(whole) >= 2.0 ** (fmt.emax + 1)
    return np.where(over, np.copysign(np.inf, whole), whole) if over.any() else whole


def _ordinals(fmt: Format, values: Doubles) -> tuple[Ordinals, Flags]:
    """Ordinals of values of the format (0 for NaN), and where they are NaN."""
    nan = np.isnan(values)
    infinite = np.isinf(values)
    finite = np.where(nan | infinite, 0.0, values)
    quantum = np.maximum(_exponent(finite), np.int32(fmt.emin)) - np.int32(fmt.fraction_bits)
    significand = np.abs(finite * _power_of_two(-quantum)).astype(np.int64)
    # codes are consecutive across binades
    magnitude = significand + ((quantum.astype(np.int64) - fmt.qmin) << fmt.fraction_bits)
    if infinite.any():
        magnitude = np.where(infinite, fmt.infinity_magnitude, magnitude)
    return np.where(values < 0, -magnitude, magnitude), nan
