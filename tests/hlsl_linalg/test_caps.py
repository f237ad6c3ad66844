"""What a device may report, the rows that it makes, and what tier 1 requires."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from mmaspec.oracle.hlsl_linalg.caps_report import caps_report
from mmaspec.oracle.hlsl_linalg.rows import rows
from mmaspec.programs.errors import BadInput
from mmaspec.programs.hlsl_linalg import (
    DEFAULT_CAPS,
    SOURCE_CAPS,
    TIER_1,
    AtomicSum,
    Construction,
    LinalgCaps,
    MatrixProduct,
    OptimalSize,
    OuterProductSupport,
    VectorProduct,
)
from tests.hlsl_linalg.catalogue import catalogue

Change = Callable[[LinalgCaps], LinalgCaps]
GREATEST_SHAPE = (16, 64, 16)


def with_first(caps: LinalgCaps, field: str, **changes: object) -> LinalgCaps:
    """The caps with the first answer of a query changed."""
    first, *others = getattr(caps, field)
    return replace(caps, **{field: (replace(first, **changes), *others)})


BREACHES: tuple[tuple[str, str, Change], ...] = (
    ("LINALG-CAPS-CONSTRUCT", "matrix-f16", lambda c: with_first(c, "construction", min_k=0)),
    (
        "LINALG-CAPS-CONSTRUCT",
        "matrix-f16",
        lambda c: replace(c, construction=(*c.construction, Construction("F16", 4, 4, 4))),
    ),
    ("LINALG-CAPS-SHAPES", "wave-u8-u8-s32", lambda c: with_first(c, "products", shapes=())),
    ("LINALG-CAPS-SHAPES", "wave-u8-u8-s32", lambda c: with_first(c, "products", shapes=((16, 32, 0),))),
    (
        "LINALG-CAPS-SHAPES",
        "wave-u8-u8-s32",
        lambda c: replace(c, products=(*c.products, MatrixProduct("U8", "U8", "I32", ((8, 16, 8),)))),
    ),
    ("LINALG-CAPS-SMALL", "wave-u8-u8-s32", lambda c: with_first(c, "products", shapes=(GREATEST_SHAPE,))),
    (
        "LINALG-CAPS-SMALL",
        "wave-f32-f32-f32",
        lambda c: replace(c, products=(*c.products, MatrixProduct("F32", "F32", "F32", ((16, 32, 16),)))),
    ),
    ("LINALG-CAPS-GROUP", "group-u8-u8-s32", lambda c: with_first(c, "products", group_threads=(0, 64))),
    ("LINALG-CAPS-GROUP", "group-u8-u8-s32", lambda c: with_first(c, "products", group_threads=(128, 64))),
    ("LINALG-CAPS-GROUP", "group-u8-u8-s32", lambda c: with_first(c, "products", group_threads=(64, 2048))),
    ("LINALG-CAPS-EMULATED", "vector-s8-s8-s32", lambda c: with_first(c, "vector_products", emulated_inputs=True)),
    ("LINALG-CAPS-BIAS", "vector-s8-s8-s32", lambda c: with_first(c, "vector_products", biases=())),
    ("LINALG-CAPS-OUTER", "outer-f16-f16", lambda c: replace(c, atomics=c.atomics[1:])),
    ("LINALG-CAPS-OUTER", "outer-f16-f16", lambda c: with_first(c, "atomics", buffers=False)),
)


@pytest.mark.parametrize(("clause", "row", "change"), BREACHES, ids=[f"{n}-{one[0]}" for n, one in enumerate(BREACHES)])
def test_impossible_answers(clause: str, row: str, change: Change) -> None:
    """The clause is named for its row, every other row is kept, and a person may not write it."""
    caps = change(DEFAULT_CAPS)
    report = caps_report(caps)
    assert set(report.breaches()) == {(row, next(breach for name, breach in report.breaches() if name == row))}
    assert {breach.clause for _, breach in report.breaches()} == {clause}
    kept = {one.name for one in rows(report.usable)}
    assert row not in kept
    assert set(report.rows()) - kept <= {row, row.replace("wave", "group")}
    with pytest.raises(BadInput, match=clause):
        rows(caps)


def test_a_size_that_is_no_multiple_of_16_spoils_the_rows_that_would_use_it() -> None:
    caps = replace(DEFAULT_CAPS, optimal=(*DEFAULT_CAPS.optimal, OptimalSize("I8", 16, 16, "MulOptimal", 260)))
    found = {(row, breach.clause) for row, breach in caps_report(caps).breaches()}
    assert found == {(row, "LINALG-CAPS-SIZE") for row in ("vector-s8-s8-s32", "vector-f32-s8-s32")}


def test_tier_0_supports_nothing() -> None:
    assert caps_report(LinalgCaps(tier=0)).answers == ()
    report = caps_report(replace(TIER_1, tier=0))
    assert {breach.clause for _, breach in report.breaches()} == {"LINALG-CAPS-TIER"}
    assert {row for row, _ in report.breaches()} == {one.name for one in rows(TIER_1)}


@pytest.mark.parametrize("row", [one.name for one in rows(TIER_1) if {"tier1-product", "tier1-vector"} & one.tags])
def test_a_device_of_tier_1_has_every_row_of_tier_1(row: str) -> None:
    """Without it the device breaks a clause of that row; a person may write such caps all the same."""
    without = {one.entry.answer for one in rows(TIER_1) if one.name == row}
    caps = replace(
        TIER_1,
        products=tuple(one for one in TIER_1.products if one not in without),
        vector_products=tuple(one for one in TIER_1.vector_products if one not in without),
    )
    (found,) = caps_report(caps).breaches()
    clause = "LINALG-TIER1-PRODUCTS" if row.startswith("wave") else "LINALG-TIER1-VECTORS"
    assert (found[0], found[1].clause) == (row, clause)
    assert row not in {one.name for one in rows(caps)}


@pytest.mark.parametrize("caps", [DEFAULT_CAPS, TIER_1], ids=["default", "tier-1"])
def test_the_devices_of_the_specification_break_nothing(caps: LinalgCaps) -> None:
    report = caps_report(caps)
    assert not list(report.breaches())
    assert not report.not_covered()
    assert {one.name for one in rows(caps)} == set(report.rows())


def test_rows_are_named_once() -> None:
    names = [one.name for one in rows(replace(DEFAULT_CAPS, products=DEFAULT_CAPS.products * 2))]
    assert len(names) == len(set(names))
    assert names == [one.name for one in rows(DEFAULT_CAPS)]


def test_a_product_that_only_groups_cannot_have_stays_one_of_waves() -> None:
    caps = with_first(DEFAULT_CAPS, "products", group_threads=(0, 64))
    names = {one.name for one in rows(caps_report(caps).usable)}
    assert "wave-u8-u8-s32" in names
    assert "group-u8-u8-s32" not in names


NOT_COVERED: tuple[tuple[str, str, Change], ...] = (
    (
        "wave-f16-f16-s32",
        "mix integers and floats",
        lambda c: replace(c, products=(*c.products, MatrixProduct("F16", "F16", "I32", ((16, 16, 16),)))),
    ),
    (
        "wave-e4m3-e4m3-e4m3",
        "without infinities",
        lambda c: replace(
            c, products=(*c.products, MatrixProduct("F8_E4M3FN", "F8_E4M3FN", "F8_E4M3FN", ((16, 32, 16),)))
        ),
    ),
    (
        "vector-f16-f16-bf16",
        "packed result",
        lambda c: replace(
            c, vector_products=(*c.vector_products, VectorProduct("F16", "F16", "BFloat16", ("BFloat16",)))
        ),
    ),
    (
        "matrix-snormf16",
        "no program has components of type SNormF16",
        lambda c: replace(c, construction=(*c.construction, Construction("SNormF16", 8, 8, 8))),
    ),
    (
        "outer-f32-f32",
        "OuterProductOptimal",
        lambda c: replace(
            c,
            outer_products=(OuterProductSupport("F32", "F32"),),
            optimal=tuple(one for one in c.optimal if one.component != "F32"),
        ),
    ),
    (
        "outer-s16-s16",
        "no conversion of layouts has I16",
        lambda c: replace(
            c,
            outer_products=(OuterProductSupport("I16", "I16"),),
            atomics=(*c.atomics, AtomicSum("I16")),
            optimal=(*c.optimal, OptimalSize("I16", 8, 16, "OuterProductOptimal", 512)),
        ),
    ),
    ("vector-f16-e5m2-f16", "has to come from the MulOptimal layout", lambda c: replace(c, optimal=())),
    ("matrix-f16", "16-bit types are not enabled", lambda c: replace(c, native_16_bit=False)),
    ("matrix-f32", "no shader has waves of 24 lanes", lambda c: replace(c, wave_sizes=(24,))),
    ("wave-u8-u8-s32", "no shader has waves of 1 or 2 lanes", lambda c: replace(c, wave_sizes=(1, 2))),
)


@pytest.mark.parametrize(("row", "why", "change"), NOT_COVERED, ids=[one[0] for one in NOT_COVERED])
def test_what_cannot_be_judged_makes_no_row(row: str, why: str, change: Change) -> None:
    caps = change(DEFAULT_CAPS)
    report = caps_report(caps)
    assert not list(report.breaches())
    assert why in report.not_covered()[row]
    assert row not in {one.name for one in rows(caps)}


def test_of_waves_those_are_used_that_a_shader_can_ask_for() -> None:
    """A device may have waves of one or two lanes besides: ``[WaveSize]`` has four at least."""
    report = caps_report(replace(DEFAULT_CAPS, wave_sizes=(1, 2, 16, 32, 256)))
    assert not list(report.breaches())
    assert not any(report.not_covered().values())
    assert report.usable == replace(DEFAULT_CAPS, wave_sizes=(16, 32))


def test_an_answer_of_zeros_is_no_support() -> None:
    caps = replace(DEFAULT_CAPS, construction=(*DEFAULT_CAPS.construction, Construction("F64", 0, 0, 0)))
    assert [one.name for one in rows(caps)] == [one.name for one in rows(DEFAULT_CAPS)]


def test_every_clause_that_caps_can_break_is_covered() -> None:
    testable = {name for name, clause in catalogue().clause.items() if clause.kind == "C" and clause.testable}
    tested = {clause for clause, _, _ in BREACHES}
    others = {"LINALG-CAPS-SIZE", "LINALG-CAPS-TIER", "LINALG-TIER1-PRODUCTS", "LINALG-TIER1-VECTORS"}
    assert testable == tested | others


def test_every_tag_of_a_clause_is_one_of_rows() -> None:
    """A clause with tags that no row of the default device has would concern nothing."""
    tags = frozenset().union(*(one.tags for one in rows(DEFAULT_CAPS)))
    emulated = replace(
        DEFAULT_CAPS,
        vector_products=tuple(
            replace(one, emulated_inputs=one.matrix.startswith("F8")) for one in DEFAULT_CAPS.vector_products
        ),
    )
    tags |= frozenset().union(*(one.tags for one in (*rows(emulated), *rows(SOURCE_CAPS))))
    for identity, clause in catalogue().clause.items():
        assert set(clause.rows) <= tags, identity
