"""Elements that are cast before they are added, and sums of integers."""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.oracle.numerics import codec
from mmaspec.programs.formats import FORMATS, Format
from mmaspec.strategies.hlsl_wave_matrix.observations.elements.float_elements import nan, whole
from mmaspec.strategies.hlsl_wave_matrix.observations.exact import rounded, spot, unit

F16, F32, S32 = FORMATS["f16"], FORMATS["f32"], FORMATS["s32"]
LEAST, LARGEST = -(1 << 31), (1 << 31) - 1
HALF_LARGEST, HALF_LIMIT = 65504, 65520
"""The largest half, and what would be halfway to the next."""


def cast(to: Format, fmt: Format, code: int) -> int | None:
    """A code cast to a float format, in units of its least subnormal; None where the result is not finite."""
    number = whole(fmt, code)
    if number is None:
        return None
    shift = unit(fmt) - unit(to)
    if shift >= 0 and to.is_float:
        exact = number << shift
        found = rounded(to, exact, unit(to))
    else:
        found = rounded(to, number, unit(fmt))
        found = -(-found >> -shift) if found < 0 else found >> -shift
    significand, top = to.largest
    return None if abs(found) > significand << top - unit(to) else found


def to_half_names(element: int, code: int) -> Iterator[str]:
    """What is said of a float that is cast to half and added to an element of bits ``element``."""
    one = codec.decode(F32, code)
    if isinstance(one, codec.Special):
        yield "nan" if one.kind == "nan" else "infinity"
        return
    number = whole(F32, code)
    assert number is not None
    size, scale = abs(number), -unit(F32)
    if size == 0 and one.sign:
        yield "negative-zero"
    at = spot(F16, number, unit(F32))
    small = 0 < size < at.least_normal
    rules = {
        "exact": at.exact,
        "inexact": not at.exact,
        "tie-even": at.tie and at.even,
        "tie-odd": at.tie and not at.even,
        "near-tie": at.near_tie,
        "subnormal-half": small and size * 2 > at.quantum,
        "subnormal-tie": small and at.tie,
        "half-least": 0 < size * 2 <= at.quantum,
        "largest": size == HALF_LARGEST << scale,
        "to-65519": HALF_LARGEST << scale < size < HALF_LIMIT << scale,
        "at-65520": size == HALF_LIMIT << scale,
        "overflow": size > HALF_LIMIT << scale,
        "subnormal-float": 0 < size < 1 << F32.fraction_bits,
    }
    yield from (name for name, holds in rules.items() if holds)
    held = whole(F16, element)
    if held is None:
        return
    once = rounded(F16, (held << unit(F16) - unit(F32)) + number, unit(F32))
    finite = abs(once) < HALF_LIMIT << scale
    after = cast(F16, F32, code)
    if after is None:
        if finite:
            yield "cast-then-cancel"
    elif finite and rounded(F16, held + after, unit(F16)) << unit(F16) - unit(F32) != once:
        yield "double-rounding"


def from_integer_names(to: Format, element: int, code: int) -> Iterator[str]:
    """What is said of an integer that is cast to a float format and added to an element."""
    value = whole(S32, code)
    assert value is not None
    size, half = abs(value), to.name == "f16"
    at = spot(to, value, 0)
    rules = {
        "zero": value == 0,
        "small": 0 < value <= 1 << F16.precision,
        "negative": value < 0,
        "beyond-half": half and size > 1 << F16.precision and value % 2 == 1,
        "to-24-bits": not half and 1 << F16.precision < size <= 1 << F32.precision,
        "beyond-24-bits": not half and size > 1 << F32.precision and value % 2 == 1,
        "tie": at.tie,
        "near-tie": 0 < abs(at.beside) <= max(2, at.step >> 7) and not at.exact,
        "half-largest": half and HALF_LARGEST <= size < HALF_LIMIT,
        "half-overflow": half and size >= HALF_LIMIT,
        "least": value == LEAST,
        "largest": value == LARGEST,
    }
    yield from (name for name, holds in rules.items() if holds)
    held, after = whole(to, element), cast(to, S32, code)
    if held is not None and after is not None and held == -after and not at.exact:
        yield "cancel"


def to_integer_names(fmt: Format, code: int) -> Iterator[str]:
    """What is said of a float or half that is cast to an integer."""
    number = whole(fmt, code)
    if number is None:
        yield "nan" if nan(fmt, code) else "infinity"
        return
    one = 1 << -unit(fmt)
    size, rest = abs(number), abs(number) % one
    rules = {
        "whole": rest == 0,
        "positive-fraction": number > 0 and rest != 0,
        "negative-fraction": number < 0 and rest != 0,
        "below-one": 0 < size < one,
        "negative-zero": code == fmt.sign_bit,
        "subnormal": 0 < size < 1 << fmt.fraction_bits,
        "beyond-24-bits": rest == 0 and size > one << 24 and LEAST * one <= number < (one << 31),
        "below-2-31": number == (one << 31) - (one << 7),
        "at-minus-2-31": number == LEAST * one,
        "beyond": number >= one << 31 or number < LEAST * one,
    }
    yield from (name for name, holds in rules.items() if holds)


def truncated(fmt: Format, code: int) -> int | None:
    """A code cast to a 32-bit integer, toward zero; None where it has none."""
    number = whole(fmt, code)
    if number is None:
        return None
    found = (abs(number) >> -unit(fmt)) * (-1 if number < 0 else 1)
    return found if LEAST <= found <= LARGEST else None


def integer_size_names(value: int) -> Iterator[str]:
    """Classes of exact integer results that several axes have."""
    if abs(value) < 1 << 7:
        yield "small"
    if value % 2 and 1 << 23 < abs(value) < 1 << 26:
        yield "about-24-bits"
    if value == LARGEST:
        yield "at-largest"
    if value == LEAST:
        yield "at-least"
    if not LEAST <= value <= LARGEST:
        yield "overflow"


def integer_sum_names(element: int, addend: int) -> Iterator[str]:
    """What is said of the sum of two integers."""
    yield from integer_size_names(element + addend)
    if addend == 0:
        yield "zero"
    if addend < 0:
        yield "negative"
    if addend and element + addend == 0:
        yield "cancel"


def integer_result_names(op: str, element: int, value: int) -> Iterator[str]:
    """What is said of ``element op value`` for integers."""
    if op == "divide" and (value == 0 or (element == LEAST and value == -1)):
        return
    total = integer_result(op, element, value)
    yield from integer_size_names(total)
    rules = {
        "unchanged": total == element,
        "zero": total == 0,
        "negative": total < 0,
        "to-16-bits": 1 << 7 <= abs(total) < 1 << 16,
        "to-30-bits": 1 << 26 <= abs(total) < 1 << 30,
        "wide-factors": op == "multiply" and min(abs(element), abs(value)) >= 1 << 16,
    }
    yield from (name for name, holds in rules.items() if holds)


def integer_result(op: str, element: int, value: int) -> int:
    """The exact result; a quotient goes toward zero."""
    if op == "multiply":
        return element * value
    if op == "divide":
        return abs(element) // abs(value) * (1 if (element < 0) == (value < 0) else -1)
    return element + (value if op == "add" else -value)


def integer_quotient_names(element: int, value: int) -> Iterator[str]:
    """What is said of a dividend and a divisor that are integers."""
    if value == 0:
        yield "by-zero"
        return
    if (element, value) == (LEAST, -1):
        yield "least-by-minus-one"
        return
    rest, size, by = abs(element) % abs(value), abs(element), abs(value)
    wide = size > 1 << 24
    rules = {
        "exact": rest == 0,
        "inexact-positive": rest and element > 0 and value > 0,
        "negative-dividend": rest and element < 0 < value,
        "negative-divisor": rest and value < 0 < element,
        "both-negative": rest and element < 0 and value < 0,
        "by-power": element < 0 and value > 1 and value & (value - 1) == 0,
        "smaller-dividend": 0 < element < by,
        "minus-smaller-dividend": element < 0 and size < by,
        "by-one": value == 1,
        "by-minus-one": value == -1,
        "by-itself": element == value,
        "beyond-24-bits": wide,
        "near-multiple": wide and by > 1 and rest in (0, 1, by - 1),
        "least-dividend": element == LEAST,
        "by-least": value == LEAST,
    }
    yield from (name for name, holds in rules.items() if holds)
