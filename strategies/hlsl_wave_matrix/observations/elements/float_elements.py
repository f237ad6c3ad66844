"""Sums, products and quotients of single floats: exact, rounded, and at the edges of a format."""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.oracle.numerics import codec
from mmaspec.programs.formats import Format
from mmaspec.strategies.hlsl_wave_matrix.observations.exact import Spot, rounded, spot, unit

LONG = 640
"""Bits after which a quotient is cut off: more than decides any rounding of a float."""


SUMS = ("add", "subtract")
"""Operations that add."""


def whole(fmt: Format, code: int) -> int | None:
    """A finite code as an integer in units of the least subnormal (of an integer: 1); None for the others."""
    one = codec.decode(fmt, code)
    if isinstance(one, codec.Special):
        return None
    size = one.significand << one.exponent - unit(fmt)
    return -size if one.sign else size


def nan(fmt: Format, code: int) -> bool:
    """Whether a code is a NaN."""
    one = codec.decode(fmt, code)
    return isinstance(one, codec.Special) and one.kind == "nan"


def quotient(dividend: int, divisor: int) -> tuple[int, int]:
    """A quotient of integers as ``number * 2^exponent``, with one more bit that says whether something was cut off."""
    size, rest = divmod(abs(dividend) << LONG, abs(divisor))
    number = size << 1 | bool(rest)
    return (-number if (dividend < 0) != (divisor < 0) else number), -LONG - 1


def rounding(at: Spot) -> Iterator[str]:
    """How a number lies between its neighbours."""
    yield "exact" if at.exact else "inexact"
    if at.tie:
        yield "tie"
    if at.near_tie:
        yield "near-tie"


def edges(at: Spot) -> Iterator[str]:
    """How a number lies to the largest finite one."""
    if at.size == at.largest:
        yield "largest"
    if at.beyond_largest:
        yield "half-ulp-beyond"
    if at.overflows:
        yield "overflow"


def addition_names(fmt: Format, code: int, addend: int | None, other: int, other_nan: bool) -> Iterator[str]:
    """What is said of the sum of an element and an addend that was cast already.

    ``addend`` is in units of the least subnormal, None where it is not finite; ``other`` is 1 for its sign bit.
    """
    element = whole(fmt, code)
    sign = int(bool(code & fmt.sign_bit))
    if nan(fmt, code):
        yield "nan-object"
    if other_nan:
        yield "nan-addend"
    if other_nan or nan(fmt, code):
        return
    if element is None or addend is None:
        both = element is None and addend is None
        yield "infinity-finite" if not both else "same-infinities" if sign == other else "both-infinities"
        return
    if element == addend == 0:
        yield "zeros-same" if sign == other else "zeros-mixed"
    total, exponent = element + addend, unit(fmt)
    at = spot(fmt, total, exponent)
    yield from rounding(at)
    yield from edges(at)
    large, small = max(abs(element), abs(addend)), min(abs(element), abs(addend))
    if small and abs(rounded(fmt, total, exponent)) in (large, _below(fmt, large)):
        yield "far-apart"
    if abs(total).bit_length() > large.bit_length():
        yield "carry"
    if small and total == 0:
        yield "cancel-zero"
    elif small and abs(total) << 6 <= large:
        yield "cancel-part"
    terms = [abs(number) < at.least_normal for number in (element, addend) if number]
    if any(terms) or 0 < at.size < at.least_normal:
        yield "subnormal"
    if terms and total and (at.size >= at.least_normal) == all(terms):
        yield "subnormal-normal"


def _below(fmt: Format, size: int) -> int:
    """The neighbour below a number of the format, in size."""
    return size - max(1, 1 << max(0, (size - 1).bit_length() - fmt.precision))


def operation_names(op: str, fmt: Format, code: int, scalar: int) -> Iterator[str]:
    """What is said of ``element op scalar``, beside contraction."""
    element, value = whole(fmt, code), whole(fmt, scalar)
    if nan(fmt, code):
        yield "nan-element"
    if nan(fmt, scalar):
        yield "nan-scalar"
    if nan(fmt, code) or nan(fmt, scalar):
        return
    signs = bool(code & fmt.sign_bit), bool(scalar & fmt.sign_bit)
    if element is None or value is None:
        yield from _with_infinity(op, element, value, signs)
        return
    if element and abs(element) < 1 << fmt.fraction_bits:
        yield "subnormal-in"
    if op == "divide" and value == 0:
        return
    total, exponent = result(op, fmt, element, value)
    at = spot(fmt, total, exponent)
    yield from rounding(at)
    yield from edges(at)
    rules = {
        "unchanged": value == 0 if op in SUMS else scalar == code_of_one(fmt),
        "opposite": element != 0 and total == -element << unit(fmt) - exponent,
        "zero": total == 0,
        "cancel": op in SUMS and element != 0 and total == 0,
        "swamped": op in SUMS and _swamped(fmt, total, element, value),
    }
    yield from (name for name, holds in rules.items() if holds)
    yield from _small(at, 1 << unit(fmt) - exponent)


def _swamped(fmt: Format, total: int, element: int, value: int) -> bool:
    """Whether a sum that is rounded is the larger of its terms."""
    large, small = max(abs(element), abs(value)), min(abs(element), abs(value))
    return small != 0 and abs(rounded(fmt, total, unit(fmt))) == large


def _small(at: Spot, quantum: int) -> Iterator[str]:
    """How a number lies to the least ones; ``quantum`` is the least subnormal in its units."""
    if 0 < at.size < at.least_normal:
        yield "subnormal-out"
    if 0 < at.size * 2 <= quantum:
        yield "underflow"
    if abs(at.size - at.least_normal) <= quantum:
        yield "least-normal"


def _with_infinity(op: str, element: int | None, value: int | None, signs: tuple[bool, bool]) -> Iterator[str]:
    if element is None and value is None and op in ("add", "subtract"):
        yield "both-infinities" if (signs[0] == signs[1]) == (op == "subtract") else "infinity"
    elif op == "multiply" and 0 in (element, value):
        yield "infinity-zero"
    elif not (op == "divide" and value is None):
        yield "infinity"


def code_of_one(fmt: Format) -> int:
    """The code of 1."""
    return fmt.bias << fmt.fraction_bits


def result(op: str, fmt: Format, element: int, value: int) -> tuple[int, int]:
    """The exact result as ``number * 2^exponent``; both operands in units of the least subnormal."""
    if op == "multiply":
        return element * value, 2 * unit(fmt)
    if op == "divide":
        return quotient(element, value)
    return element + (value if op == "add" else -value), unit(fmt)


def quotient_names(fmt: Format, code: int, scalar: int) -> Iterator[str]:
    """What is said of a dividend and a divisor."""
    if nan(fmt, code):
        yield "nan-dividend"
    if nan(fmt, scalar):
        yield "by-nan"
    if nan(fmt, code) or nan(fmt, scalar):
        return
    dividend, divisor = whole(fmt, code), whole(fmt, scalar)
    if dividend is None:
        yield "infinity-by-infinity" if divisor is None else "infinity-dividend"
    if divisor is None and dividend is not None:
        yield "by-infinity"
    if divisor is not None:
        yield from _divisor_names(fmt, scalar, divisor)
    if dividend is None or divisor is None:
        return
    if divisor == 0:
        yield "by-zero" if dividend else "zero-by-zero"
        return
    if dividend == 0:
        yield "zero-dividend"
        return
    at = spot(fmt, *quotient(dividend, divisor))
    rules = {
        "exact": at.exact,
        "hardest": not at.exact and abs(at.beside) << fmt.precision - 2 <= at.step,
        "by-itself": dividend == divisor,
        "one-by": code == code_of_one(fmt),
        "subnormal-dividend": abs(dividend) < 1 << fmt.fraction_bits,
        "subnormal-quotient": at.size < at.least_normal,
        "overflow": at.overflows,
    }
    yield from (name for name, holds in rules.items() if holds)


def _divisor_names(fmt: Format, scalar: int, divisor: int) -> Iterator[str]:
    size = scalar & ~fmt.sign_bit
    one = code_of_one(fmt)
    if size == one:
        yield "by-one"
    elif divisor and size % (1 << fmt.fraction_bits) == 0:
        yield "by-power"
    if divisor in {sign * (number << -unit(fmt)) for number in (3, 7, 10) for sign in (1, -1)}:
        yield "by-three"
    if 0 < size < 1 << fmt.fraction_bits:
        yield "by-subnormal"
    if size > 2 * one - (1 << fmt.fraction_bits):  # beyond 2^-emin
        yield "by-large"
