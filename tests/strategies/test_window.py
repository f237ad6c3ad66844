"""The exact window: its budget holds over the whole chain, counted with exact integers, and it is sharp."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from mmaspec.oracle.case import Bits
from mmaspec.oracle.numerics import codec
from mmaspec.oracle.numerics.ordinals import is_subnormal
from mmaspec.programs.formats import Format, format_named
from mmaspec.strategies.regimes.catalogue import draw

PAIRS = [("f16", "f32"), ("f16", "f16"), ("bf16", "f32"), ("f32", "f32"), ("e4m3", "f32"), ("e5m2", "f16")]


def fractions(fmt: Format, bits: Bits) -> list[list[Fraction]]:
    return [[codec.value(fmt, int(code)) for code in row] for row in bits]


def quantum(values: list[Fraction]) -> Fraction:
    """The largest power of two of which all these dyadic numbers are multiples."""
    numbers = [value for value in values if value]
    denominator = max((value.denominator for value in numbers), default=1)
    whole = [int(value * denominator) for value in numbers]
    return Fraction(min((n & -n for n in whole), default=1), denominator)


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize(("factor", "addend"), PAIRS)
@pytest.mark.parametrize(("passes", "products"), [(1, 1), (4, 4), (1, 8), (4, 24)])
def test_the_budget_holds_over_the_whole_chain(
    triple: Any, factor: str, addend: str, passes: int, products: int
) -> None:
    sources = triple(factor, addend, 16, passes)
    values = draw("window", 5, sources, 3, products=products)
    fmts = {s.name: s.fmt for s in sources}
    acc, repeats = fmts["C"], -(-products // passes)
    for item in range(3):
        a = [fractions(fmts["A"], values["A"][item, 0, turn]) for turn in range(passes)]
        b, c = (fractions(fmts[name], values[name][item, 0, 0]) for name in "BC")
        for r in range(0, 16, 5):
            unit_row = quantum([value for turn in a for value in turn[r]])
            for col in range(0, 16, 3):
                unit = unit_row * quantum([b[k][col] for k in range(16)])
                magnitude = repeats * sum(abs(turn[r][k] * b[k][col]) for turn in a for k in range(16)) + abs(c[r][col])
                # The quanta of the data are multiples of the drawn scales, so all terms are multiples of the
                # smaller of this unit and the addend's, and the window is counted in that.
                unit = min(unit, quantum([c[r][col]])) if c[r][col] else unit
                assert magnitude / unit < 1 << acc.precision
                assert unit >= Fraction(2) ** acc.emin
                assert magnitude < Fraction(2) ** (acc.emax + 1)


@pytest.mark.parametrize(("factor", "addend"), PAIRS)
def test_the_addend_is_in_the_top_binade_and_a_quarter_of_the_factors_is_zero(
    triple: Any, factor: str, addend: str
) -> None:
    sources = triple(factor, addend)
    values = draw("window", 11, sources, 64)
    for s in sources:
        assert not is_subnormal(s.fmt, values[s.name]).any()
    zeros = [(values[name] & np.uint64(s.fmt.sign_bit - 1) == 0).mean() for name, s in zip("ABC", sources, strict=True)]
    assert 0.2 < zeros[0] < 0.3
    assert 0.2 < zeros[1] < 0.3
    assert zeros[2] < 0.1
    # Sharp: an accumulator that lacks one bit cannot hold most of the addends.
    odd = values["C"] & np.uint64(1)
    assert odd.mean() > 0.3


def test_rows_and_columns_have_scales_of_their_own(triple: Any) -> None:
    bits = draw("window", 3, triple("f16", "f32"), 64)["A"]
    exponents = (bits >> np.uint64(10)) & np.uint64(31)
    largest = exponents.max(axis=-1)
    assert (largest.max(axis=-1) > largest.min(axis=-1)).mean() > 0.6


def test_tensors_are_not_scaled(source: Any) -> None:
    sources = (
        source("A", "a", "f16", (1, 1, 40, 40), tensor=True),
        source("B", "b", "f16", (1, 1, 16, 16)),
        source("C", "c", "f32", (1, 1, 16, 16)),
    )
    values = draw("window", 3, sources, 16)
    a = np.array(fractions(sources[0].fmt, values["A"][0, 0, 0]))
    assert all(value.denominator == 1 for value in a.flat)
    c = np.array(fractions(sources[2].fmt, values["C"][0, 0, 0]))
    row_free = [{value.denominator for value in c[:, col]} for col in range(16)]
    assert any(len(found) <= 3 for found in row_free)


def test_without_an_addend_one_product_leads(source: Any) -> None:
    sources = (source("A", "a", "f16", (1, 1, 16, 16)), source("B", "b", "f16", (1, 1, 16, 16)))
    values = draw("window", 9, sources, 8, products=1)
    fmt = format_named("f16")
    for item in range(4):
        a, b = (fractions(fmt, values[name][item, 0, 0]) for name in "AB")
        for r, col in ((0, 0), (5, 9), (15, 3)):
            terms = [abs(a[r][k] * b[k][col]) for k in range(16)]
            unit = quantum([t for t in a[r] if t]) * quantum([b[k][col] for k in range(16)])
            assert sum(terms) / unit < 1 << 24
            assert sum(terms) / unit >= 1 << 19


def test_two_addends_share_the_window(source: Any, triple: Any) -> None:
    sources = (*triple("f16", "f16"), source("D", "c", "f16", (1, 1, 16, 16)))
    values = draw("window", 2, sources, 32)
    c, d = (np.array([codec.value(format_named("f16"), int(x)) for x in values[n][:, 0, 0, 4, 4]]) for n in "CD")
    assert np.any(abs(c) > abs(d))
    assert np.any(abs(d) > abs(c))


@pytest.mark.parametrize(("accumulator", "least"), [("f32", 1 << 20), ("f16", 0)])
def test_a_declared_accumulator_decides(source: Any, accumulator: str, least: int) -> None:
    """An addend narrower than the accumulator still reaches the accumulator's top binade."""
    sources = (source("A", "a", "f16", (1, 1, 16, 16)), source("C", "c", "f16", (1, 1, 16, 16)))
    values = draw("window", 4, sources, 4, accumulator=accumulator)
    a, c = (fractions(format_named("f16"), values[name][0, 0, 0]) for name in "AC")
    assert max(abs(x) for row in c for x in row) / quantum([x for row in a for x in row]) > least


def test_a_long_chain_in_a_narrow_accumulator_is_thinned_not_broken(triple: Any) -> None:
    sources = triple("f16", "f16", 16, 8, 64)
    values = draw("window", 6, sources, 2, products=16)
    fmt = format_named("f16")
    a = [fractions(fmt, values["A"][0, 0, turn]) for turn in range(8)]
    b, c = (fractions(fmt, values[name][0, 0, 0]) for name in "BC")
    used = 0
    for r in (0, 7):
        for col in (0, 9):
            terms = [abs(turn[r][k] * b[k][col]) for turn in a for k in range(64)]
            used += sum(term > 0 for term in terms)
            unit = min([t for t in terms if t] + [abs(c[r][col]) / (1 << 11)])
            assert 2 * sum(terms) + abs(c[r][col]) < unit * (1 << 11) * 2
    assert used > 4 * 50
