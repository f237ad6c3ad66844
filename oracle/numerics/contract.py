"""Multiply-add on floats: the legal contents of D = A*B + C (rules E, X, R and N, defined in `dot`)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mmaspec.oracle.numerics import legal
from mmaspec.oracle.numerics.bulk import models, products
from mmaspec.oracle.numerics.bulk.certificate import MAX_K
from mmaspec.oracle.numerics.bulk.tiles import along_one_axis, chunks
from mmaspec.oracle.numerics.definition.dot import LegalElement
from mmaspec.oracle.numerics.definition.referee import Referee
from mmaspec.oracle.numerics.legal import Legal, Reason
from mmaspec.oracle.numerics.ordinals import Bits
from mmaspec.oracle.numerics.rules import FloatRules
from mmaspec.programs.formats import Format
from mmaspec.programs.models import BlocksByFormat, FusedBlock
from mmaspec.programs.rounding_mode import Mode

__all__ = ["FloatRules", "Mode", "multiply_add"]

_CHUNK = 1 << 14
"""Elements of the largest matrix in one chunk: 64 tiles of 16x16, so that temporaries stay in cache."""


def multiply_add(*, a_fmt: Format, a: Bits, b_fmt: Format, b: Bits, c: Legal, rules: FloatRules) -> Legal:
    """Legal contents of A*B + C in the format of C, which is the accumulator's.

    a (..., M, K) and b (..., K, N) are uint64 bits of exact operands, c is a set of shape (..., M, N); leading
    dimensions broadcast. What C leaves unjudged stays unjudged, except that a NaN that is certain from A or B alone
    makes the result certain. Raises ValueError on shapes that do not fit, on integer formats, and on an accumulator
    without infinities. Where `rules.model` covers the formats, an exact addend gives the model's one value.
    """
    check(a_fmt, a, b_fmt, b, c)
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2], c.shape[:-2])
    m, n = c.shape[-2:]
    a, b = along_one_axis(lead, a, b)
    c = c.broadcast_to((*lead, m, n)).reshape(len(a), m, n)
    # beyond what float64 certifies: f64 itself, ends that are rounded otherwise than outward, very long sums
    uncertified = "f64" in (a_fmt.name, b_fmt.name, c.fmt.name) or rules.final_rounding is not None
    uncertified |= a.shape[-1] > MAX_K
    engine = _by_referee if uncertified else products.multiply_add
    if rules.model is not None and rules.model.covers(a_fmt, b_fmt, c.fmt):
        engine = _by_model
    parts = [engine(a_fmt, a[part], b_fmt, b[part], c.index(part), rules) for part in chunks(_CHUNK, a, b, c.lo)] or [c]
    whole = parts[0] if len(parts) == 1 else legal.concatenate(parts)
    return whole.reshape(*lead, m, n)


def check(a_fmt: Format, a: Bits, b_fmt: Format, b: Bits, c: Legal) -> None:
    """Raise ValueError for operands that `multiply_add` does not take."""
    if not (a_fmt.is_float and b_fmt.is_float and c.fmt.is_float and c.fmt.infinities):
        raise ValueError(f"no float contract for {a_fmt.name} x {b_fmt.name} + {c.fmt.name}")
    if min(a.ndim, b.ndim, len(c.shape)) < 2 or a.shape[-1] != b.shape[-2]:
        raise ValueError(f"shapes {a.shape} and {b.shape} cannot be multiplied")
    if c.shape[-2:] != (a.shape[-2], b.shape[-1]):
        raise ValueError(f"an addend of shape {c.shape} does not fit a product of {a.shape} and {b.shape}")


def _by_model(a_fmt: Format, a: Bits, b_fmt: Format, b: Bits, c: Legal, rules: FloatRules) -> Legal:
    """The results of the model where C is exact or NaN; for other C, the results that the remaining rules allow."""
    assert rules.model is not None
    known = (c.why == 0) & np.where(c.nan, c.lo > c.hi, c.lo == c.hi)
    answered = models.results(rules.model, a_fmt, a, b_fmt, b, c)
    if known.all():
        return answered
    rest = multiply_add(a_fmt=a_fmt, a=a, b_fmt=b_fmt, b=b, c=c, rules=_without_model(a_fmt, b_fmt, c.fmt, rules))
    return legal.where(known, answered, rest)


def _without_model(a_fmt: Format, b_fmt: Format, accumulator: Format, rules: FloatRules) -> FloatRules:
    """The rules that remain where the model covers the formats and C is a set: an envelope that holds its results."""
    model, rest = rules.model, replace(rules, model=None)
    if isinstance(model, BlocksByFormat):
        model = model.chosen(a_fmt, b_fmt, accumulator)
        aligned = model.zero_products == "aligned"
        rest = replace(rest, kept_fraction_bits=model.kept_fraction_bits, zero_exponent=rest.zero_exponent or aligned)
    if not isinstance(model, FusedBlock) or model.sum_format(accumulator) == accumulator:
        return rest
    return replace(rest, accumulator_precision=min(rest.t(accumulator), model.sum_format(accumulator).precision))


def _by_referee(a_fmt: Format, a: Bits, b_fmt: Format, b: Bits, c: Legal, rules: FloatRules) -> Legal:
    """The whole batch element by element, for formats and rules that float64 arithmetic does not certify."""
    referee = Referee(a_fmt, b_fmt, c.fmt, a.shape[-1], rules)
    lo, hi, nan, why = c.lo.copy(), c.hi.copy(), c.nan.copy(), c.why.copy()
    for t in range(len(a)):
        rows = [referee.row(codes) for codes in a[t].tolist()]
        columns = [referee.column(codes) for codes in b[t].T.tolist()]
        for i, row in enumerate(rows):
            for j, column in enumerate(columns):
                at = (t, i, j)
                known = LegalElement(int(c.lo[at]), int(c.hi[at]), bool(c.nan[at]), Reason(int(c.why[at])))
                element = referee.element(row, column, known)
                lo[at], hi[at], nan[at], why[at] = element.lo, element.hi, element.nan, element.why
    return Legal.interval(c.fmt, lo, hi, nan, why)
