"""The definition of models: the result for ONE element of D = A*B + C, in fractions. `bulk.models` equals it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import inf, isnan, nan
from typing import TypeAlias

from mmaspec.oracle.numerics.codec import Special, decode, value
from mmaspec.oracle.numerics.rounding import round_to_ordinal
from mmaspec.programs.formats import Format
from mmaspec.programs.models import BlocksByFormat, Chain, FusedBlock, Model
from mmaspec.programs.rounding_mode import Mode

Number: TypeAlias = Fraction | float
"""An exact number, or one of the floats inf, -inf and nan."""

Term: TypeAlias = tuple[Number, int]
"""A number and its exponent: that of the smallest normal for subnormals and zeros; without meaning for specials."""


def evaluate(
    model: Model, a_fmt: Format, a: Sequence[int], b_fmt: Format, b: Sequence[int], c_fmt: Format, c: int
) -> int | None:
    """Ordinal of the model's result for K codes of A and of B and one code of C; None where it is NaN.

    The formats must be covered by the model. Zeros of either sign have ordinal 0.
    """
    if isinstance(model, BlocksByFormat):
        model = model.chosen(a_fmt, b_fmt, c_fmt)
    pairs = [(_operand(a_fmt, x), _operand(b_fmt, y)) for x, y in zip(a, b, strict=True)]
    total, _ = _operand(c_fmt, c)
    total = _fused(model, pairs, c_fmt, total) if isinstance(model, FusedBlock) else _chain(model, pairs, c_fmt, total)
    if isinstance(total, Fraction):
        return round_to_ordinal(c_fmt, total, Mode.NEAREST_EVEN)  # a value of the format already
    return None if isnan(total) else c_fmt.max_ordinal * (1 if total > 0 else -1)


def _chain(model: Chain, pairs: Sequence[tuple[Term, Term]], fmt: Format, total: Number) -> Number:
    running = model.format(fmt)
    for (x, _), (y, _) in pairs:
        product = _times(x, y)
        if not model.fused:
            product = _rounded(running, product, Mode.NEAREST_EVEN)
        total = _rounded(running, _plus(total, product), Mode.NEAREST_EVEN)
    return _rounded(fmt, total, Mode.NEAREST_EVEN)


def _fused(model: FusedBlock, pairs: Sequence[tuple[Term, Term]], fmt: Format, c: Number) -> Number:
    blocks = [pairs[at : at + model.products] for at in range(0, len(pairs), model.products)]
    total = c if model.addend == "first" else Fraction(0)
    for block in blocks:
        # unnormalised: the product of two numbers of exponents i and j has exponent i + j
        products = [(_times(x, y), i + j) for (x, i), (y, j) in block]
        total = _block(model, fmt, [*products, (total, _exponent(total, fmt))])
    if model.addend == "last":
        total = _block(model, fmt, [(each, _exponent(each, fmt)) for each in (total, c)])
    return total


def _block(model: FusedBlock, fmt: Format, terms: Sequence[Term]) -> Number:
    """The terms aligned, cut, added and rounded."""
    special = sum(v for v, _ in terms if not isinstance(v, Fraction))
    if special != 0:
        return special
    finite = [(v, exponent) for v, exponent in terms if isinstance(v, Fraction)]
    aligned = [exponent for v, exponent in finite if v != 0 or model.zero_products == "aligned"]
    top = max([*aligned, model.exponent_floor])
    quantum = Fraction(2) ** (top - model.kept_fraction_bits)
    whole = sum(int(v / quantum) for v, _ in finite)  # int() cuts toward zero
    return _rounded(model.sum_format(fmt), whole * quantum, model.rounding(fmt))


def _operand(fmt: Format, code: int) -> Term:
    number = decode(fmt, code)
    if isinstance(number, Special):
        return nan if number.kind == "nan" else -inf if number.sign else inf, 0
    return value(fmt, code), number.exponent + fmt.fraction_bits


def _exponent(number: Number, fmt: Format) -> int:
    """The exponent of a value of the format."""
    if not isinstance(number, Fraction) or number == 0:
        return fmt.emin
    size = abs(number)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    return max(exponent if size >= Fraction(2) ** exponent else exponent - 1, fmt.emin)


def _times(x: Number, y: Number) -> Number:
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return x * y
    return _sign(x) * _sign(y)


def _sign(x: Number) -> float:
    """A finite number as -1.0, 0.0 or 1.0, which multiplies an infinity as the number itself does."""
    return float((x > 0) - (x < 0)) if isinstance(x, Fraction) else x


def _plus(x: Number, y: Number) -> Number:
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return x + y
    return sum(each for each in (x, y) if not isinstance(each, Fraction))


def _rounded(fmt: Format, x: Number, mode: Mode) -> Number:
    """Rounded to a value of the format. What reaches 2^(emax + 1) after rounding is infinite in every mode."""
    if not isinstance(x, Fraction):
        return x
    if abs(x) >= Fraction(2) ** (fmt.emax + 1):
        return inf if x > 0 else -inf
    ordinal = round_to_ordinal(fmt, x, mode)
    if abs(ordinal) > fmt.largest_magnitude:
        return inf if x > 0 else -inf
    size = value(fmt, abs(ordinal))
    return -size if ordinal < 0 else size
