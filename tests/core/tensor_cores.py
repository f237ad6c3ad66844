"""How recorded results of tensor cores are judged: by practice, by a profile, and as FP8 multiplied in f16."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.demands import arithmetic, float_rules
from mmaspec.oracle.numerics.codec import Special, decode, value
from mmaspec.oracle.numerics.contract import FloatRules, multiply_add
from mmaspec.oracle.numerics.legal import Legal, illegal
from mmaspec.oracle.numerics.ordinals import from_ordinal
from mmaspec.oracle.numerics.rounding import round_to
from mmaspec.programs.formats import FORMATS, Format
from mmaspec.programs.models import Chain
from mmaspec.programs.profile import PROFILES
from mmaspec.programs.rounding_mode import Mode

Words = NDArray[np.uint64]

FP8 = ("e4m3", "e5m2")
F16 = FORMATS["f16"]
IN_FLIGHT = 32
"""Products of an instruction for FP8 that multiplies in f16."""


def practice(operand: str, accumulator: str) -> FloatRules:
    """The strictest practice that a specification can have: nothing flushes. FP8 units keep 13 fraction bits."""
    if operand in FP8 and accumulator == "f32":
        return FloatRules(accumulator_precision=14, kept_fraction_bits=13)
    return FloatRules()


def illegal_results(
    operand: str, accumulator: str, tiles: tuple[Words, Words, Words, Words], rules: FloatRules
) -> NDArray[np.bool_]:
    """Which of the results d of a*b + c these rules do not allow; tiles are a, b, c and d."""
    a, b, c, d = tiles
    fmt, into = FORMATS[operand], FORMATS[accumulator]
    return illegal(multiply_add(a_fmt=fmt, a=a, b_fmt=fmt, b=b, c=Legal.from_bits(into, c), rules=rules), d)


def unlike_profile(
    profile: str, operand: str, accumulator: str, tiles: tuple[Words, Words, Words, Words]
) -> NDArray[np.bool_]:
    """Which results differ from the one value that the profile's arithmetic has. ValueError if it says nothing."""
    model, formats = arithmetic(PROFILES[profile]), (FORMATS[operand], FORMATS[operand], FORMATS[accumulator])
    if model is None or not model.covers(*formats):
        raise ValueError(f"{profile} says nothing of {operand} into {accumulator}")
    return illegal_results(operand, accumulator, tiles, float_rules(PROFILES[profile], FloatRules()))


def unlike_emulation(
    profile: str, operand: str, accumulator: str, tiles: tuple[Words, Words, Words, Words]
) -> NDArray[np.bool_]:
    """Which results differ from what three instructions give that do the work of one for FP8 (mma.sync, K = 32).

    The operands become f16. Of every four products in the order of k, the first two are in one block and the last two
    in the next; C is no part of either, and is added to their sum by an addition of its own.
    """
    a, b, c, d = tiles
    k = np.arange(IN_FLIGHT)
    order = np.argsort(k % 4 // 2, kind="stable")
    fmt, into = FORMATS[operand], FORMATS[accumulator]
    widened = np.array([_as_f16(fmt, code) for code in range(1 << fmt.bits)], np.uint64)
    a, b = widened[a[..., order]], widened[b[..., order, :]]
    rules = float_rules(PROFILES[profile], FloatRules())
    nothing = Legal.from_bits(into, np.zeros_like(c))
    products = _codes(multiply_add(a_fmt=F16, a=a, b_fmt=F16, b=b, c=nothing, rules=rules))
    one = np.full((*c.shape, 1, 1), round_to(into, value(F16, 0x3C00), Mode.NEAREST_EVEN), np.uint64)
    addition = replace(rules, model=Chain(fused=True))
    apart = Legal.from_bits(into, c[..., np.newaxis, np.newaxis])
    total = multiply_add(
        a_fmt=into, a=products[..., np.newaxis, np.newaxis], b_fmt=into, b=one, c=apart, rules=addition
    )
    return illegal(total, d[..., np.newaxis, np.newaxis])[..., 0, 0]


def _as_f16(fmt: Format, code: int) -> int:
    number = decode(fmt, code)
    if isinstance(number, Special):
        return F16.nan_bits if number.kind == "nan" else F16.infinity_magnitude | (F16.sign_bit if number.sign else 0)
    return round_to(F16, value(fmt, code), Mode.NEAREST_EVEN)  # which has every number of FP8


def _codes(exact: Legal) -> Words:
    """The one code of every element of a set; any NaN."""
    nan = exact.lo > exact.hi
    assert (exact.exact | nan).all()
    return np.where(nan, np.uint64(exact.fmt.nan_bits), from_ordinal(exact.fmt, np.where(nan, 0, exact.lo)))
