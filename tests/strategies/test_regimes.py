"""Every regime: pure, in range, and with the property that it is there for."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pytest

from mmaspec.oracle.numerics import codec
from mmaspec.oracle.numerics.ordinals import is_inf, is_nan, is_subnormal, to_ordinal
from mmaspec.programs.errors import BadInput
from mmaspec.programs.formats import format_named
from mmaspec.strategies.recipe import CORPUS_VERSION
from mmaspec.strategies.regimes.catalogue import FLOAT_REGIMES, INT_REGIMES, REGIMES, draw

ROWS = [("f16", "f32"), ("f16", "f16"), ("bf16", "bf16"), ("f32", "f32"), ("e4m3", "f32"), ("e5m2", "f16"),
        ("s8", "s32"), ("u8", "s32"), ("u8", "u32"), ("s4", "s32"), ("e4m3", "e4m3"), ("e5m2", "e5m2"),
        ("s8", "s8"), ("u8", "u8")]  # fmt: skip
"""Formats of factors and addends; an A or B matrix of eight bits may be added to an accumulator, or be one's own."""
WIDE = [("f64", "f64"), ("s64", "u64")]
"""Formats that no specification sums in, but loads and stores may carry."""

MAY_BE_SPECIAL = frozenset(
    (
        "specials", "edges", "whole-and-edges", "limits", "operands", "combined", "marked", "brinks", "nan-kinds",
        "infinities", "few-terms", "single-terms", "range-ends", "moved", "met-infinities",
    )
)  # fmt: skip
"""Regimes that may draw NaN and infinities."""

EVERY = [(row, regime) for row in ROWS for regime in REGIMES] + [
    (row, regime) for row in WIDE for regime in ("normal", "wild", "small", "distinct", "edges")
]


def integers(fmt: str, bits: Any) -> Any:
    return to_ordinal(format_named(fmt), bits)


@pytest.mark.exhaustive(every=4)
@pytest.mark.parametrize(("row", "regime"), EVERY)
def test_every_regime_fills_every_row(triple: Any, source: Any, row: tuple[str, str], regime: str) -> None:
    """Batches of one, waves and passes, fragments, scalars and tensors: all bits fit, and equal seeds are equal."""
    factor, addend = row
    sources = (
        *triple(factor, addend, 16, 2),
        source("w", "a", factor, (4, 3, 5, 7)),
        source("column", "c", addend, (1, 1, 16, 1)),
        source("row", "c", addend, (2, 1, 1, 16)),
        source("s", "scalar", addend, (1, 1, 1, 1)),
        source("t", "b", factor, (1, 1, 33, 20), tensor=True),
    )
    values = draw(regime, 12, sources, 3)
    again = draw(regime, 12, sources, 3)
    other = draw(regime, 13, sources, 3)
    for s in sources:
        assert values[s.name].dtype == np.uint64
        assert values[s.name].shape == (3, *s.shape)
        assert int(values[s.name].max()) <= s.fmt.mask
        assert np.array_equal(values[s.name], again[s.name])
        if regime not in MAY_BE_SPECIAL:
            assert not is_nan(s.fmt, values[s.name]).any()
            assert not is_inf(s.fmt, values[s.name]).any()
    assert any((values[name] != other[name]).any() for name in values)
    assert draw(regime, 12, (), 3) == {}


def test_the_corpus_is_stable(triple: Any) -> None:
    """These digests change only together with ``CORPUS_VERSION``."""
    from_text = {}
    for regime in REGIMES:
        hashed = hashlib.sha256()
        for factor, addend in (("f16", "f32"), ("s8", "s32")):
            for name, bits in sorted(draw(regime, 2024, triple(factor, addend, 16, 2), 4, products=2).items()):
                hashed.update(name.encode() + bits.astype("<u8").tobytes())
        from_text[regime] = hashed.hexdigest()[:16]
    assert (CORPUS_VERSION, from_text) == (
        4,
        {
            "window": "9a49d61bf8a7d1ec",
            "normal": "66810c81d09b18a2",
            "wild": "901ea5109b93e31c",
            "subnormal": "e6363189a8726666",
            "cancelling": "a3fdaecdadedf9df",
            "near-tie": "7d9d89f018aa879c",
            "specials": "a4cdbb59f2f76c1e",
            "overflow-edge": "f22a6619fff3ed54",
            "distinct": "564005881ccc86f4",
            "moved": "b70681549353fa75",
            "whole": "cacaaa65812616d2",
            "edges": "092864ff86c0765f",
            "whole-and-edges": "5b79f677260289c7",
            "limits": "6790747fb83b731c",
            "operands": "828a0184ea268f9b",
            "combined": "e4be567a4be8b0d3",
            "patterned": "38ea3eea3bbcf38c",
            "marked": "c9e7613037b05f46",
            "brinks": "b30857cc0b9eff98",
            "small": "9a49d61bf8a7d1ec",
            "overflow": "f22a6619fff3ed54",
            "twins": "929fb61ff57c02d0",
            "zero-addends": "b74fde527326dca0",
            "padded": "8b3d7646d1428be4",
            "lone": "9662de828c8e7b01",
            "few-terms": "a697ec911e05ec18",
            "patterns": "2a3ee45fa5c5631e",
            "nan-kinds": "7ef28798232cad6c",
            "full": "2418532d62176296",
            "infinities": "478ad73785433471",
            "single-terms": "4ba9e2554070ddf6",
            "met-infinities": "d5981d635d053b87",
            "range-ends": "4ba1a891f8f81d45",
            "least-products": "074a0e840550fdcf",
            "rounding": "ab19ac05026f75ad",
            "integer-ends": "7e2940d0752cf571",
            "ends-by-depth": "fd47fab5cbda0d3a",
        },
    )


def test_dropping_a_source_leaves_the_others(triple: Any) -> None:
    a, b, c = triple("s8", "s32")
    for regime in INT_REGIMES:
        if regime == "twins":
            continue  # its B is made of A
        assert np.array_equal(draw(regime, 1, (a, b, c), 2)["C"], draw(regime, 1, (a, b, c), 2)["C"])
        assert np.array_equal(draw(regime, 1, (a, b, c), 2)["B"], draw(regime, 1, (b, c), 2)["B"])


@pytest.mark.parametrize("factor", ["s8", "u8", "s4"])
def test_overflow_leaves_the_range_in_both_directions(triple: Any, factor: str) -> None:
    values = draw("overflow", 1, triple(factor, "s32"), 16)
    a, b, c = (integers(fmt, values[name]) for name, fmt in (("A", factor), ("B", factor), ("C", "s32")))
    sums = a @ b + c
    assert (sums > (1 << 31) - 1).mean() > 0.1
    if factor != "u8":
        assert (sums < -(1 << 31)).mean() > 0.1
    assert ((sums >= -(1 << 31)) & (sums < 1 << 31)).mean() > 0.2


def test_wild_integers_meet_every_byte_and_never_overflow(triple: Any) -> None:
    values = draw("wild", 1, triple("u8", "s32", 16, 8, 64), 64)
    assert len(np.unique(values["A"])) == 256
    for value in (0, 0x7F, 0x80, 0xFF):
        assert (values["A"] == value).mean() > 0.02
    c = integers("s32", values["C"])
    assert c.min() < -(1 << 29) < 1 << 29 < c.max()
    assert abs(c).max() <= 1 << 30


def test_small_integers_are_small_with_zeros(triple: Any) -> None:
    values = draw("small", 1, triple("s8", "s32"), 16)
    a = integers("s8", values["A"])
    assert (a.min(), a.max()) == (-9, 9)
    assert 0.2 < (a == 0).mean() < 0.4


def test_wild_floats_meet_all_finite_codes(triple: Any) -> None:
    values = draw("wild", 1, triple("f16", "f32"), 64)
    fmt = format_named("f16")
    assert len(np.unique(values["A"])) > 10_000
    assert is_subnormal(fmt, values["A"]).mean() > 0.02
    assert (values["A"] > 0xF000).any()


@pytest.mark.parametrize(("factor", "addend"), [("bf16", "f32"), ("f32", "f32"), ("f16", "f16")])
def test_wild_products_mostly_stay_finite(triple: Any, factor: str, addend: str) -> None:
    sources = triple(factor, addend)
    values = draw("wild", 1, sources, 64, products=1)
    exponents = [(values[s.name].astype(np.int64) & (s.fmt.sign_bit - 1)) >> s.fmt.fraction_bits for s in sources[:2]]
    top = [e.max(axis=(1, 2, 3, 4)) - s.fmt.bias + 1 for e, s in zip(exponents, sources, strict=False)]
    assert (top[0] + top[1] + 4 <= sources[2].fmt.emax).mean() > 0.6


def test_subnormals_are_half(triple: Any) -> None:
    for s, bits in zip(sources := triple("f16", "f32"), draw("subnormal", 1, sources, 16).values(), strict=True):
        assert 0.4 < is_subnormal(s.fmt, bits).mean() < 0.6


def values_of(fmt: str, bits: Any) -> list[Any]:
    return [codec.value(format_named(fmt), int(code)) for code in bits]


def test_cancelling_sums_are_far_smaller_than_their_terms(triple: Any) -> None:
    values = draw("cancelling", 1, triple("f16", "f32"), 8)
    for item in range(8):
        a, b = values_of("f16", values["A"][item, 0, 0, 3]), values_of("f16", values["B"][item, 0, 0, :, 5])
        c = values_of("f32", values["C"][item, 0, 0, 3, 5:6])[0]
        terms = [x * y for x, y in zip(a, b, strict=True)]
        assert abs(sum(terms) + c) < sum(map(abs, terms)) / 50


def test_near_ties_are_a_crumb_beside_a_midpoint(triple: Any) -> None:
    values = draw("near-tie", 1, triple("f16", "f32"), 16)
    beside = ties = 0
    for item in range(16):
        a, b = values_of("f16", values["A"][item, 0, 0, 3]), values_of("f16", values["B"][item, 0, 0, :, 5])
        c = values_of("f32", values["C"][item, 0, 0, 3, 5:6])[0]
        total = abs(sum(x * y for x, y in zip(a, b, strict=True)) + c)
        exponent = total.numerator.bit_length() - total.denominator.bit_length()
        exponent -= total < 2**exponent if exponent >= 0 else total * 2**-exponent < 1
        ulps = total / (2 ** (exponent - 23) if exponent >= 23 else 1) * (2 ** (23 - exponent) if exponent < 23 else 1)
        distance = abs(ulps % 1 - type(ulps)(1, 2))
        ties += distance == 0
        beside += 0 < distance < type(ulps)(1, 2**10)
    assert beside >= 6
    assert ties >= 1
    assert beside + ties >= 12


def test_specials_are_few_and_of_every_kind(triple: Any) -> None:
    sources = triple("f16", "f32")
    values = draw("specials", 1, sources, 64)
    for s in sources:
        special = is_nan(s.fmt, values[s.name]) | is_inf(s.fmt, values[s.name])
        per_item = special.reshape(64, -1).sum(axis=1)
        assert 0.4 < (per_item > 0).mean() < 0.95
        assert per_item.max() <= 2
        assert is_nan(s.fmt, values[s.name]).any()
        assert is_inf(s.fmt, values[s.name]).any()


def test_a_format_without_infinities_gets_nan_only(triple: Any) -> None:
    values = draw("specials", 1, triple("e4m3", "f32"), 32)
    assert set(np.unique(values["A"][(values["A"] & np.uint64(0x7F)) == 0x7F]).tolist()) == {0x7F, 0xFF}


def test_overflow_edge_reaches_both_sides_of_the_largest_number(triple: Any) -> None:
    sources = triple("f16", "f16")
    values = draw("overflow-edge", 1, sources, 64)
    a, b, c = (
        np.frompyfunc(lambda code: float(codec.value(format_named("f16"), int(code))), 1, 1)(values[n]).astype(float)
        for n in "ABC"
    )
    beyond = (abs(a @ b + c) > 65504).mean()
    assert 0.1 < beyond < 0.9


@pytest.mark.parametrize("fmt", ["f16", "bf16", "f32", "s32", "s16"])
def test_distinct_elements_differ(source: Any, fmt: str) -> None:
    bits = draw("distinct", 1, (source("A", "a", fmt, (4, 2, 16, 16)),), 4)["A"]
    assert all(len(np.unique(item)) == item.size for item in bits)
    if format_named(fmt).is_float:
        assert not is_subnormal(format_named(fmt), bits).any()
        assert not (is_nan(format_named(fmt), bits) | is_inf(format_named(fmt), bits)).any()


@pytest.mark.parametrize("fmt", ["f16", "bf16", "f32", "s32"])
def test_moved_elements_are_of_every_kind(source: Any, fmt: str) -> None:
    """In every matrix of 256 there are floats that arithmetic may change; integers differ, as of distinct elements."""
    drawn = source("A", "a", fmt, (1, 1, 16, 16))
    values = draw("moved", 1, (drawn,), 4)["A"]
    if not drawn.fmt.is_float:
        assert all(len(np.unique(item)) == item.size for item in values)
        return
    assert (values == drawn.fmt.sign_bit).any()
    for item in values:
        assert is_subnormal(drawn.fmt, item).sum() > 20
        assert is_nan(drawn.fmt, item).any()
        assert is_inf(drawn.fmt, item).any()
        assert len(np.unique(item)) > 120


@pytest.mark.parametrize("fmt", ["s8", "u8", "e4m3", "e5m2"])
@pytest.mark.parametrize("shape", [(1, 1, 16, 16), (4, 2, 16, 64), (1, 1, 64, 16), (4, 1, 64, 64)])
def test_narrow_distinct_elements_show_every_swap(source: Any, fmt: str, shape: tuple[int, ...]) -> None:
    item = draw("distinct", 1, (source("A", "a", fmt, shape),), 2)["A"][0]
    for axis, extent in enumerate(shape):
        if extent > 1:
            assert (np.diff(item.astype(np.int64), axis=axis) != 0).all()
            lines = np.moveaxis(item, axis, 0).reshape(extent, -1)
            assert len(np.unique(lines, axis=0)) == extent
    if shape[2] == shape[3]:
        square = item[0, 0]
        assert (square != square.T).sum() > 0.9 * square.size - shape[2]
    if fmt in {"s8", "u8"}:
        assert (item >= 0x80).mean() > 0.3


@pytest.mark.parametrize("fmt", ["f16", "bf16", "f32", "e5m2"])
def test_edges_meet_every_class_of_float_in_elements_and_scalars(source: Any, fmt: str) -> None:
    c, s = source("C", "c", fmt, (1, 1, 16, 16)), source("s", "scalar", fmt, (1, 1, 1, 1))
    values = draw("edges", 1, (c, s), 8)
    found = format_named(fmt)
    top = found.largest_magnitude >> found.fraction_bits
    for bits in values.values():
        assert all(kind(found, bits).any() for kind in (is_nan, is_inf, is_subnormal))
        exponent = (bits & np.uint64(found.mask & ~found.sign_bit)) >> np.uint64(found.fraction_bits)
        assert (bits & np.uint64(found.mask & ~found.sign_bit) == 0).any()
        assert ((exponent >= 1) & (exponent <= 3)).any()
        assert ((exponent >= top - 2) & ~is_nan(found, bits) & ~is_inf(found, bits)).any()


@pytest.mark.parametrize("fmt", ["s32", "s8", "u8", "u32"])
def test_edges_meet_the_boundaries_of_integers(source: Any, fmt: str) -> None:
    """Both ends, the neighbours of every power of two of either sign; scalars have all of them in the end."""
    c, s = source("C", "c", fmt, (1, 1, 16, 16)), source("s", "scalar", fmt, (1, 1, 1, 1))
    values = draw("edges", 1, (c, s), 512)
    found = format_named(fmt)
    powers = {side * (1 << k) + beside for k in range(found.bits) for side in (1, -1) for beside in (-1, 0, 1)}
    ends = {found.min_value, found.max_value, 0}
    for bits in values.values():
        assert {v for v in powers | ends if found.min_value <= v <= found.max_value} <= set(integers(fmt, bits).flat)


@pytest.mark.parametrize("fmt", ["f16", "f32", "s8"])
def test_edges_of_factors_have_lines_of_zeros_and_lone_values(triple: Any, fmt: str) -> None:
    values = draw("edges", 1, triple(fmt, "f32" if fmt[0] == "f" else "s32", 16, 2), 16)
    found = format_named(fmt)
    a = values["A"] & np.uint64(found.mask & ~found.sign_bit if found.is_float else found.mask)
    alone = (a != 0).sum(axis=-1)
    assert (alone == 0).mean() > 0.1
    assert (alone == 1).mean() > 0.1
    if found.is_float:
        assert (is_subnormal(found, values["A"]).sum(axis=-1) > 4).mean() > 0.1
        assert (is_nan(found, values["A"]) | is_inf(found, values["A"])).any(axis=-1).mean() > 0.05


def test_names() -> None:
    assert set(FLOAT_REGIMES) | set(INT_REGIMES) == set(REGIMES)
    with pytest.raises(BadInput, match="no data regime named 'odd'; there are window, "):
        draw("odd", 1, (), 1)


def test_sums_of_few_terms_have_one_infinity_in_a_row_of_the_left_factor(triple: Any) -> None:
    """So that nothing but that infinity may stand there, in every later sum of a chain too."""
    found = draw("few-terms", 5, triple("bf16", "bf16", 16, 3), 8)
    bf16 = format_named("bf16")
    infinite = is_inf(bf16, found["A"])
    assert infinite.sum(axis=-1).max() == 1
    assert infinite.reshape(8, -1).sum(axis=-1).tolist() == [0, 1, 0, 0, 0, 1, 0, 0]
    assert not infinite[:, :, 1:].any()  # only in the first pass
    assert not is_inf(bf16, found["B"]).any()
    assert not is_inf(bf16, found["C"]).any()
    assert not any(is_nan(bf16, words).any() for words in found.values())
    assert (found["B"] != 0).all()  # an infinity times zero would be NaN
