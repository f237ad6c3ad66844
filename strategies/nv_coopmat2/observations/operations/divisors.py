"""The axes of quotients: divisors and dividends."""

from __future__ import annotations

from mmaspec.programs.formats import Format
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.nv_coopmat2.observations.facts import every
from mmaspec.strategies.nv_coopmat2.observations.operations.arithmetic_data import pairs_of, value
from mmaspec.strategies.nv_coopmat2.observations.values import Lies, Scale


def float_divisor(subject: Subject, thing: Thing) -> Answer:
    """Divisors and dividends of floats."""
    found = pairs_of(subject, thing)
    if found is None or not found.fmt.is_float or found.op != "/":
        return None
    return {name for a, b in found.pairs for name in _quotient(found.fmt, a, b)}


def _quotient(fmt: Format, a: int, b: int) -> tuple[str, ...]:
    scale, low = Scale(fmt.qmin), fmt.sign_bit - 1
    x, y = scale.of(fmt, a), scale.of(fmt, b)
    top, p, q = fmt.infinity_magnitude, a & low, b & low
    if x is None or y is None or not y:
        return every(
            ("nan", p > top or q > top),
            ("infinite-divisor", q == top),
            ("infinite-dividend", p == top),
            ("zero", not q and x),
            ("zero-by-zero", not q and not p),
        )
    unit, one = fmt.qmin - 64, fmt.bias << fmt.fraction_bits
    number, left = divmod(abs(x) << -unit, abs(y))
    lies = Lies(fmt, number * 2 + bool(left), unit - 1)
    power = q and y & -y == abs(y)
    return every(
        ("power-of-two", power),
        ("one", q == one),
        ("three", _is(scale, fmt, y, (3, 7, 10))),
        ("exact-quotient", not power and x and not left and lies.exact),
        ("itself", a == b),
        ("subnormal-divisor", q < 1 << fmt.fraction_bits),
        ("large-divisor", q > (2 * fmt.bias - 1) << fmt.fraction_bits),
        ("subnormal-quotient", lies.subnormal),
        ("overflow", lies.overflow),
        ("minus-zero-dividend", a == fmt.sign_bit),
    )


def _is(scale: Scale, fmt: Format, y: int, numbers: tuple[int, ...]) -> bool:
    return any(abs(y) == number << -scale.unit for number in numbers) and fmt.is_float


def integer_divisor(subject: Subject, thing: Thing) -> Answer:
    """Divisors and dividends of integers."""
    found = pairs_of(subject, thing)
    if found is None or found.fmt.is_float or found.op != "/":
        return None
    return {name for a, b in found.pairs for name in _integer_quotient(found.fmt, a, b)}


def _integer_quotient(fmt: Format, a: int, b: int) -> tuple[str, ...]:
    x, y = value(fmt, a), value(fmt, b)
    if not y:
        return ("zero",)
    left = abs(x) % abs(y)
    least = fmt.signed and b == fmt.sign_bit
    wide = fmt.bits == 32 and abs(x) > 1 << 24
    return every(
        ("exact", not left),
        ("both-positive", left and x > 0 and y > 0),
        ("negative-dividend", left and x < 0 < y),
        ("negative-divisor", left and y < 0 < x),
        ("both-negative", left and x < 0 and y < 0),
        ("one", y == 1),
        ("minus-one", y == -1 and a != fmt.sign_bit),
        ("minus-one-least", y == -1 and a == fmt.sign_bit),
        ("power-of-two", abs(y) > 1 and abs(y) & (abs(y) - 1) == 0),
        ("larger-than-dividend", abs(y) > abs(x) > 0),
        ("least-divisor", least),
        ("unsigned-top-bit", not fmt.signed and (a | b) >> (fmt.bits - 1)),
        ("beyond-24-bits", wide and left in (0, 1, abs(y) - 1) and abs(y) > 1),
    )


LOOKS: dict[str, Look] = {
    "float-divisor": float_divisor,
    "integer-divisor": integer_divisor,
}
"""Axis -> how its class is seen."""
