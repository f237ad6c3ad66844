"""Operators and unary operations on the elements of a matrix, one at a time: what the text of 2025-09-19 has alone."""

from __future__ import annotations

import numpy as np

from mmaspec.backends.numpy.hlsl_linalg.conversions import convert, taken_apart
from mmaspec.backends.numpy.hlsl_linalg.sums import add, multiply
from mmaspec.backends.numpy.units.encoding import (
    Doubles,
    bits_of_doubles,
    bits_of_integers,
    doubles_of,
    integers_of,
)
from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.programs.formats import FORMATS, Format
from mmaspec.programs.hlsl_linalg.removed import Operator, UnaryOperation

_EXACT = FORMATS["f64"]


def operated(op: Operator, fmt: Format, element: Bits, scalar: Bits) -> Bits:
    """``element op scalar``, both of one format: floats rounded once to nearest, ties to even; integers wrap.

    A float64 has more than twice the bits of a narrower float, so that rounding twice is rounding once.
    """
    match op:
        case "add":
            return add(fmt, element, fmt, scalar)
        case "sub":
            return add(fmt, element, fmt, negated(fmt, scalar))
        case "mul":
            return multiply(fmt, fmt, element, fmt, scalar)
        case "div":
            return _divided(fmt, element, scalar)


def _divided(fmt: Format, element: Bits, scalar: Bits) -> Bits:
    """A quotient; of integers without its fraction, and all ones where the divisor is zero."""
    if fmt.is_float:
        with np.errstate(all="ignore"):
            return bits_of_doubles(fmt, doubles_of(fmt, element) / doubles_of(fmt, scalar))
    x, y = taken_apart(fmt, element), taken_apart(fmt, scalar)
    zero = y.significand == 0
    whole = x.significand // np.where(zero, np.uint64(1), y.significand)
    signed = np.where(x.negative != y.negative, ~whole + np.uint64(1), whole)
    return np.where(zero, np.uint64(fmt.mask), signed & np.uint64(fmt.mask))


def negated(fmt: Format, bits: Bits) -> Bits:
    """The other sign: one bit of a float, the complement of an integer."""
    if fmt.is_float:
        return bits ^ np.uint64(fmt.sign_bit)
    return bits_of_integers(fmt, -integers_of(fmt, bits))


def applied(op: UnaryOperation, fmt: Format, bits: Bits) -> Bits:
    """A unary operation on each element; sines, cosines and tangents to nearest."""
    match op:
        case "nop":
            return bits.copy()
        case "negate":
            return negated(fmt, bits)
        case "abs":
            return np.where(taken_apart(fmt, bits).negative, negated(fmt, bits), bits)
        case "sin" | "cos" | "tan":
            return _trigonometric(op, fmt, bits)


def _trigonometric(op: UnaryOperation, fmt: Format, bits: Bits) -> Bits:
    """A function of angles, in radians; of integers through float64."""
    with np.errstate(all="ignore"):
        if fmt.is_float:
            return bits_of_doubles(fmt, angles(op, doubles_of(fmt, bits)))
        found = bits_of_doubles(_EXACT, angles(op, doubles_of(_EXACT, convert(bits, fmt, _EXACT))))
    return convert(found, _EXACT, fmt)


def angles(op: UnaryOperation, values: Doubles) -> Doubles:
    """The sine, cosine or tangent of each number: NaN of NaN and of infinities, zeros with their signs."""
    found: Doubles = {"sin": np.sin, "cos": np.cos, "tan": np.tan}[op](values)
    return found
