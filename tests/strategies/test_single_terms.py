"""Sums of one term show what is done to it: each wrong device is illegal somewhere, whatever may be flushed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mmaspec.oracle.numerics.contract import multiply_add
from mmaspec.oracle.numerics.legal import Legal, illegal
from mmaspec.oracle.numerics.ordinals import exact_float64
from mmaspec.oracle.numerics.rules import FloatRules
from mmaspec.programs.formats import Format, format_named
from mmaspec.strategies.regimes.catalogue import draw
from mmaspec.strategies.regimes.extremes.single_terms import ITEMS

FORMS = (("bf16", "f32"), ("f16", "f32"), ("f16", "f16"), ("bf16", "bf16"))
RULES = FloatRules(flush_inputs=True, flush_results=True, window="reported")
Misread = Callable[[Format, np.ndarray[Any, Any], np.ndarray[Any, Any]], np.ndarray[Any, Any]]


def _subnormal(fmt: Format, bits: Any) -> Any:
    size = bits & np.uint64(fmt.mask & ~fmt.sign_bit)
    return (size > 0) & (size < np.uint64(1 << fmt.fraction_bits))


def as_normal(fmt: Format, bits: Any, values: Any) -> Any:
    """A subnormal with the implicit one of normal numbers."""
    return np.where(_subnormal(fmt, bits), values + np.sign(values) * 2.0**fmt.emin, values)


def doubled(fmt: Format, bits: Any, values: Any) -> Any:
    return np.where(_subnormal(fmt, bits), 2 * values, values)


def opposite(fmt: Format, bits: Any, values: Any) -> Any:
    return np.where(_subnormal(fmt, bits), -values, values)


def signalling_is_infinite(fmt: Format, bits: Any, values: Any) -> Any:
    """A NaN whose quiet bit is clear keeps its sign, and nothing else."""
    quiet = np.uint64(1 << (fmt.fraction_bits - 1))
    negative = np.where(bits & np.uint64(fmt.sign_bit) != 0, -np.inf, np.inf)
    return np.where(np.isnan(values) & (bits & quiet == 0), negative, values)


def _rounded(fmt: Format, values: Any) -> Any:
    """Bits of values that the format holds, or nearly."""
    if fmt.name == "f16":
        return values.astype(np.float16).view(np.uint16).astype(np.uint64)
    single = values.astype(np.float32).view(np.uint32).astype(np.uint64)
    return single >> np.uint64(16) if fmt.name == "bf16" else single


def caught(triple: Any, form: tuple[str, str], role: str, misread: Misread) -> bool:
    factor, addend = map(format_named, form)
    drawn = {name: bits[:, 0, 0] for name, bits in draw("single-terms", 3, triple(*form, 16, 1), ITEMS).items()}
    legal = multiply_add(
        a_fmt=factor, a=drawn["A"], b_fmt=factor, b=drawn["B"], c=Legal.from_bits(addend, drawn["C"]), rules=RULES
    )
    formats = {"A": factor, "B": factor, "C": addend}
    read = {
        name: (misread if name == role else lambda _, __, values: values)(
            fmt, drawn[name], exact_float64(fmt, drawn[name])
        )
        for name, fmt in formats.items()
    }
    with np.errstate(all="ignore"):
        got = _rounded(addend, read["A"] @ read["B"] + read["C"])
    return bool(illegal(legal, got).any())


@pytest.mark.parametrize("form", FORMS, ids="-".join)
def test_what_is_right_is_legal(triple: Any, form: tuple[str, str]) -> None:
    assert not caught(triple, form, "", as_normal)


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("role", ["A", "B"])
@pytest.mark.parametrize("misread", [as_normal, doubled, opposite], ids=lambda one: one.__name__)
@pytest.mark.parametrize("form", FORMS, ids="-".join)
def test_a_misread_subnormal_factor_shows(triple: Any, form: tuple[str, str], misread: Misread, role: str) -> None:
    assert caught(triple, form, role, misread)


@pytest.mark.parametrize("form", FORMS, ids="-".join)
def test_a_misread_addend_shows(triple: Any, form: tuple[str, str]) -> None:
    assert caught(triple, form, "C", as_normal)


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("role", ["A", "B", "C"])
@pytest.mark.parametrize("sign", [0, 1], ids=["positive", "negative"])
@pytest.mark.parametrize("form", FORMS, ids="-".join)
def test_a_misread_signalling_nan_shows(triple: Any, form: tuple[str, str], sign: int, role: str) -> None:
    def misread(fmt: Format, bits: Any, values: Any) -> Any:
        of_the_sign = (bits & np.uint64(fmt.sign_bit) != 0) == bool(sign)
        return np.where(of_the_sign, signalling_is_infinite(fmt, bits, values), values)

    assert caught(triple, form, role, misread)
