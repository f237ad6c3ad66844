"""The arithmetic-only level: what reaches ``mma``, what is offered and borrowed, and who is blamed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from msgspec.structs import replace

from mmaspec.backends.arithmetic_clauses import arithmetic_clauses, borrowed_clauses
from mmaspec.backends.arithmetic_only import DTYPES, ArithmeticOnly, Array, Shape, Types, _Unit
from mmaspec.backends.numpy.units.catalogue import ExactUnit
from mmaspec.backends.protocol import Description, Refused
from mmaspec.oracle.spec import SPECS, spec_named
from mmaspec.programs.formats import FORMATS
from mmaspec.strategies.array import ROW
from mmaspec.strategies.enumerate import DEFAULT_SEED, Lister, arrays_of, grammar_of
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.judging.judge_case import CaseJudge
from mmaspec.suites.planning.lists import listed
from mmaspec.suites.planning.plan import Plan
from mmaspec.suites.planning.prepare import Wanted, prepare
from mmaspec.suites.verdict.assemble import assemble
from mmaspec.suites.verdict.model import Run

BYTES = frozenset((a, b, "s32") for a in ("u8", "s8") for b in ("u8", "s8"))
HALVES = frozenset({("f16", "f16", "f16"), ("f16", "f16", "f32")})


class Plain(ArithmeticOnly):
    """Good arithmetic by numpy, for whatever types it is told to support."""

    name, version = "plain", "1"

    def __init__(self, types: frozenset[tuple[str, str, str]] = BYTES | HALVES) -> None:
        self.types = types
        self.seen: list[tuple[Shape, Types]] = []

    def supports(self, types: Types) -> bool:
        return types in self.types

    def mma(self, shape: Shape, types: Types, a: Array, b: Array, c: Array) -> Array:
        self.seen.append((shape, types))
        assert a.shape[1:] == (shape.m, shape.k)
        assert b.shape[1:] == (shape.k, shape.n)
        assert c.shape == (a.shape[0], shape.m, shape.n)
        assert b.shape[0] == a.shape[0]
        assert [x.dtype for x in (a, b, c)] == [DTYPES[fmt] for fmt in types]
        assert all(x.flags.c_contiguous and x.flags.writeable for x in (a, b, c))
        return self.answer(a, b, c)

    def answer(self, a: Array, b: Array, c: Array) -> Array:
        with np.errstate(all="ignore"):
            product = np.einsum("tmk,tkn->tmn", a.astype(self.wide(c)), b.astype(self.wide(c)))
            return (product + c).astype(c.dtype)

    def wide(self, c: Array) -> type:
        return np.float32 if c.dtype.kind == "f" else np.int32


class Scratches(Plain):
    """Overwrites what it was given, which it may."""

    def answer(self, a: Array, b: Array, c: Array) -> Array:
        result = super().answer(a, b, c)
        a[:], b[:], c[:] = 0, 0, 0
        return result


class TransposedB(Plain):
    def answer(self, a: Array, b: Array, c: Array) -> Array:
        return super().answer(a, b.reshape(b.shape[0], b.shape[2], b.shape[1]).swapaxes(1, 2), c)


class IgnoredC(Plain):
    def answer(self, a: Array, b: Array, c: Array) -> Array:
        return super().answer(a, b, np.zeros_like(c))


class SaturatingPairs(Plain):
    """Adds pairs of byte products in 16 bits, as a processor without wider instructions does."""

    def answer(self, a: Array, b: Array, c: Array) -> Array:
        if c.dtype != np.int32:
            return super().answer(a, b, c)
        products = a.astype(np.int32)[..., :, :, np.newaxis] * b.astype(np.int32)[..., np.newaxis, :, :]
        pairs = products[..., 0::2, :] + products[..., 1::2, :]
        return np.asarray(np.clip(pairs, -(1 << 15), (1 << 15) - 1).sum(axis=-2, dtype=np.int32) + c)


class LeaksBetweenItems(Plain):
    """The last item of a batch answers for the first: the symptom shows in a store, which is borrowed."""

    def answer(self, a: Array, b: Array, c: Array) -> Array:
        result = super().answer(a, b, c)
        result[0] = result[-1]
        return result


class Refuses(Plain):
    def answer(self, *_: Array) -> Array:
        raise Refused("no such size", ("RDNA3-SHAPE", "RDNA3-MMA"))


class Raises(Plain):
    def answer(self, *_: Array) -> Array:
        raise RuntimeError("out of registers")


@cache
def planned(spec: str) -> tuple[Plan, tuple[Recipe, ...]]:
    """The same for all of these backends but for their descriptions."""
    plan, recipes = prepare(Wanted(backend="test", specs=(spec,), tier="quick"), Plain(), listed)
    return plan, tuple(recipes)


def judged(backend: ArithmeticOnly, spec: str, every: int = 4) -> Run:
    """A part of the quick tier, without near misses and without proof of sensitivity.

    Each regime has its share of it: only some data break some arithmetic.
    """
    plan, recipes = planned(spec)
    plan = replace(plan, description=backend.describe())
    chosen = sorted((recipe for recipe in recipes if not recipe.target), key=lambda recipe: recipe.regime)[::every]
    case_judge = CaseJudge(backend, plan.description, plan.profile, {recipe.id: () for recipe in chosen})
    return assemble(plan, [case_judge.judge_listed(recipe)[0] for recipe in chosen], {})


EVERY = {"amd-rdna3-wmma": 16, "hlsl-linalg": 12, "hlsl-wave-matrix": 16, "intel-subgroup-mma": 8, "nv-coopmat2": 12}
"""Parts of the lists that break every kind of arithmetic; pairs of s8 products saturate only at -128 * -128 twice."""


# The table


@pytest.mark.parametrize("spec", SPECS)
def test_every_clause_about_values_is_on_one_side(spec: str) -> None:
    clauses = spec_named(spec).catalogue.clause
    values = {name for name, clause in clauses.items() if clause.testable and clause.kind not in {"V", "M", "C"}}
    assert {name for name, clause in clauses.items() if clause.carried_by} == values
    assert 0 < len(arithmetic_clauses(spec)) < len(values)


def test_every_testable_clause_is_borrowed_but_for_arithmetic() -> None:
    own = frozenset[str]().union(*map(arithmetic_clauses, SPECS))
    testable = {name for spec in SPECS for name, clause in spec_named(spec).catalogue.clause.items() if clause.testable}
    assert set(borrowed_clauses()) == testable - own
    assert Plain().describe().borrowed == borrowed_clauses()
    assert Plain().describe().roles == ("executes",)


# Caps


def rows(backend: ArithmeticOnly, spec: str) -> set[str]:
    """Those about products: matrices are made, loaded and stored without arithmetic."""
    caps = backend.caps(spec)
    offered = spec_named(spec).rows(caps) if caps is not None else ()
    return {row.name for row in offered if not row.tags.isdisjoint({"int", "float"})}


@pytest.mark.parametrize("spec", SPECS)
def test_only_rows_with_supported_types_are_offered(spec: str) -> None:
    ints, floats = rows(Plain(BYTES), spec), rows(Plain(HALVES), spec)
    everything = spec_named(spec).rows(spec_named(spec).default_caps)
    wide = {"s16", "u16", "acc-u32", "saturates", "bits-4", "iu4"}  # tags of rows that bytes into int32 do not cover
    assert ints == {row.name for row in everything if "int" in row.tags and row.tags.isdisjoint(wide)}
    assert ints
    assert floats
    assert floats <= {row.name for row in everything if "float" in row.tags}


def test_an_accumulator_without_arithmetic_is_not_offered() -> None:
    spec = spec_named("hlsl-wave-matrix")
    found = rows(Plain(frozenset({("f16", "f16", "f16")})), spec.name)
    assert found == {row.name for row in spec.rows(spec.default_caps) if {"f16", "acc-f16"} <= row.tags}
    assert found


@pytest.mark.parametrize("spec", ["hlsl-wave-matrix", "amd-rdna3-wmma"])
def test_bytes_need_every_mix_of_signs_where_the_caps_do_not_tell_them_apart(spec: str) -> None:
    assert rows(Plain(frozenset({("s8", "s8", "s32")})), spec) == set()
    assert Plain(frozenset({("s8", "s8", "s32")})).caps(spec) is None


def test_a_specification_without_a_row_is_not_supported() -> None:
    assert all(Plain(frozenset()).caps(spec) is None for spec in SPECS)


# What reaches mma


@pytest.mark.parametrize("fmt", sorted(fmt for fmt in DTYPES if FORMATS[fmt].bits >= 8))
def test_bits_reach_mma_in_their_own_dtype_and_come_back(fmt: str) -> None:
    width = FORMATS[fmt].bits
    bits = np.random.default_rng(1).integers(0, 1 << min(width, 63), (2, 3, 4, 5), dtype=np.uint64)

    class Returns(Plain):
        def mma(self, shape: Shape, types: Types, a: Array, b: Array, c: Array) -> Array:
            assert (shape, types) == (Shape(4, 5, 1), Types(fmt, fmt, fmt))
            assert (a.shape, b.shape, c.shape) == ((6, 4, 1), (6, 1, 5), (6, 4, 5))
            return c

    unit = _Unit(Returns())
    none = np.zeros((2, 3, 4, 1), np.uint64), np.zeros((1, 1, 5), np.uint64)
    np.testing.assert_array_equal(unit.multiply_add(fmt, none[0], fmt, none[1], fmt, bits), bits)


@pytest.mark.parametrize(("fmt", "value"), [("s4", -7), ("u4", 9)])
def test_four_bits_come_as_a_byte_of_their_value(fmt: str, value: int) -> None:
    seen: list[Array] = []

    class Looks(Plain):
        def mma(self, shape: Shape, types: Types, a: Array, b: Array, c: Array) -> Array:
            assert (shape, types) == (Shape(1, 1, 1), Types(fmt, fmt, "s32"))
            seen.extend((a, b))
            return c

    nine = np.full((1, 1, 1), 9, np.uint64)
    _Unit(Looks()).multiply_add(fmt, nine, fmt, nine, "s32", nine)
    assert [(x.dtype, x.item()) for x in seen] == [(DTYPES[fmt], value)] * 2


def test_values_are_what_the_bits_mean() -> None:
    seen: list[Array] = []

    class Looks(Plain):
        def mma(self, shape: Shape, types: Types, a: Array, b: Array, c: Array) -> Array:
            assert (shape, types) == (Shape(1, 1, 1), Types("bf16", "s8", "f32"))
            seen.extend((a, b, c))
            return c

    one = {"bf16": 0x3F80, "s8": 0xFF, "f32": 0xC0000000}
    operands = [np.full((1, 1, 1), bits, np.uint64) for bits in one.values()]
    _Unit(Looks()).multiply_add("bf16", operands[0], "s8", operands[1], "f32", operands[2])
    assert [x.item() for x in seen] == [1.0, -1, -2.0]
    assert seen[0].dtype == ml_dtypes.bfloat16


def test_saturation_is_borrowed() -> None:
    rng = np.random.default_rng(2)
    a, b = (rng.integers(0, 256, (5, 16, 16), dtype=np.uint64) for _ in range(2))
    c = rng.choice(np.array([0x7FFF_FFF0, 0x8000_0007, 5, 0xFFFF_FFFF], np.uint64), (5, 16, 16))
    for overflow in ("wrap", "saturate"):
        expected = ExactUnit().multiply_add("u8", a, "s8", b, "s32", c, overflow)  # type: ignore[arg-type]
        found = _Unit(Plain()).multiply_add("u8", a, "s8", b, "s32", c, overflow)  # type: ignore[arg-type]
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda d: d.astype(np.float64), r"mma returned float64 \(1, 1, 1\); expected int32 \(1, 1, 1\)"),
        (lambda d: d[0], r"mma returned int32 \(1, 1\)"),
        (lambda _: None, "mma returned a NoneType"),
    ],
)
def test_an_unusable_result_is_one_clear_line(change: Callable[[Array], Any], says: str) -> None:
    class Odd(Plain):
        def answer(self, *operands: Array) -> Array:
            result: Array = change(operands[-1])
            return result

    zero = np.zeros((1, 1, 1), np.uint64)
    with pytest.raises(TypeError, match=says):
        _Unit(Odd()).multiply_add("u8", zero, "u8", zero, "s32", zero)


# Verdicts


@pytest.mark.exhaustive(every=4)
@pytest.mark.parametrize("maker", [Plain, Scratches])
@pytest.mark.parametrize("spec", SPECS)
def test_good_arithmetic_is_legal(spec: str, maker: type[Plain]) -> None:
    run = judged(maker(), spec, every=10 if maker is Plain else 15)
    assert run.totals.cases > 5
    assert run.totals.legal == run.totals.cases
    assert {clause.status for clause in run.specs[spec].clauses.values()} <= {
        "not judged",
        "not applicable",
        "not testable",
    }


def test_borrowed_clauses_are_not_applicable_and_counted() -> None:
    run = judged(Plain(), "amd-rdna3-wmma", every=20)
    clauses = run.specs["amd-rdna3-wmma"].clauses
    borrowed = [name for name in clauses if name in borrowed_clauses()]
    assert {clauses[name].status for name in borrowed} == {"not applicable"}
    assert all(clauses[name].why.startswith("borrowed") for name in borrowed)
    assert f", {len(borrowed)} borrowed; " in run.headline


@pytest.mark.exhaustive(every=6)
@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize(
    "maker",
    [TransposedB, IgnoredC, SaturatingPairs, LeaksBetweenItems],
    ids=lambda maker: maker.__name__,
)
def test_broken_arithmetic_fails_and_only_arithmetic_is_blamed(spec: str, maker: type[Plain]) -> None:
    run = judged(maker(), spec, every=EVERY[spec])
    assert run.verdict == "not conformant"
    blamed = {group.clause for group in run.findings}
    assert blamed
    # What goes away where the item is computed alone is told as state between items, of which no clause speaks.
    assert blamed <= arithmetic_clauses(spec) | ({""} if maker is LeaksBetweenItems else set())
    failed = {name for name, clause in run.specs[spec].clauses.items() if clause.status == "fail"}
    assert failed == blamed - {""}


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("maker", [Refuses, Raises], ids=lambda maker: maker.__name__)
def test_arithmetic_without_an_answer_fails_and_borrowed_clauses_are_not_blamed(spec: str, maker: type[Plain]) -> None:
    run = judged(maker(), spec, every=EVERY[spec])
    assert run.verdict == "not conformant"
    assert run.findings
    assert {group.clause for group in run.findings} <= {"", *arithmetic_clauses(spec)}


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize(
    ("maker", "spec", "clauses"),
    [
        (IgnoredC, "hlsl-wave-matrix", {"WM-MAC"}),
        (IgnoredC, "nv-coopmat2", {"KHRCM-MULADD"}),
        # What is lost between signed operands is lost on the way to an exact dot product; where it goes away with
        # other signs, with other data and with another addend, the product is named.
        (SaturatingPairs, "amd-rdna3-wmma", {"RDNA3-IU-SIGN", "RDNA3-IU-DOT-RANGE", "RDNA3-MMA"}),
        # Lost in u8 x u8 as well as in u8 x s8: both say that nothing may be lost.
        # In a case with few such pairs none is left in its 16 x 16 cut, and tiling is named.
        (SaturatingPairs, "hlsl-wave-matrix", {"WM-MUL-MIXSIGN", "WM-INT-EXACT", "WM-TILING"}),
        (SaturatingPairs, "nv-coopmat2", {"KHRCM-INT-EXT"}),
    ],
    ids=lambda value: getattr(value, "__name__", None) or (value if isinstance(value, str) else "clauses"),
)
def test_the_clause_that_is_broken_is_blamed(maker: type[Plain], spec: str, clauses: set[str]) -> None:
    blamed = {group.clause for group in judged(maker(), spec, every=EVERY[spec]).findings}
    assert blamed
    assert blamed <= clauses


def test_range_is_blamed_where_factors_are_constants_of_the_program() -> None:
    """Data of small numbers change nothing there, so that they do not show that range is no matter."""
    spec = spec_named("hlsl-wave-matrix")
    row = next(row for row in spec.rows(spec.default_caps) if "int" in row.tags)
    lister = Lister(spec, grammar_of(spec.name), spec.default_caps, DEFAULT_SEED)
    recipe = lister.met(row, arrays_of(spec.name)["fixed-values"], {ROW: row.name, "values": "fixed"})
    assert recipe is not None
    plan, _ = planned(spec.name)
    judge = CaseJudge(SaturatingPairs(), plan.description, plan.profile, {recipe.id: ()})
    finding = judge.judge_listed(recipe)[0].finding
    assert finding is not None
    assert finding.blamed[0] == "WM-INT-EXACT"


def test_a_failure_fails_the_run_even_if_everything_is_borrowed() -> None:
    class BorrowsAll(IgnoredC):
        def describe(self) -> Description:
            clauses = spec_named("amd-rdna3-wmma").catalogue.clause
            return Description(name="all", version="1", borrowed=tuple(clauses))

    run = judged(BorrowsAll(), "amd-rdna3-wmma", every=24)
    assert run.verdict == "not conformant"
    assert {group.clause for group in run.findings} == {""}
    assert run.headline.startswith("not conformant: 0 of 0 clauses pass")
    assert "blamed on no clause" in run.headline
