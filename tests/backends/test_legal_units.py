"""Legal variants stay inside the legal sets of the specifications they are legal for, and do differ.

Sets are those of the profile that a variant declares, practice for nearly all; or those of documents alone.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from mmaspec.backends.legal import LEGAL
from mmaspec.backends.numpy.units.catalogue import ExactUnit, SequentialUnit
from mmaspec.backends.numpy.units.fused import FusedBlockUnit
from mmaspec.oracle.amd_rdna3_wmma.practice import FLOAT
from mmaspec.oracle.demands import float_rules
from mmaspec.oracle.hlsl_linalg.practice import PRACTICE_RULES as LINALG
from mmaspec.oracle.hlsl_wave_matrix.practice import PRACTICE_RULES as HLSL
from mmaspec.oracle.intel_subgroup_mma.practice import FLOAT as INTEL
from mmaspec.oracle.numerics.contract import multiply_add
from mmaspec.oracle.numerics.legal import Legal, illegal
from mmaspec.oracle.nv_coopmat2.practice import PRACTICE_RULES as NV
from mmaspec.oracle.spec import SPECS
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.profile import DOCUMENT, PRACTICE, PROFILES

from . import operands
from .operands import Bits

RULES = {
    "amd-rdna3-wmma": FLOAT,
    "hlsl-linalg": LINALG,
    "hlsl-wave-matrix": HLSL,
    "intel-subgroup-mma": INTEL,
    "nv-coopmat2": NV,
}
PAIRS = [("f16", "f32"), ("f16", "f16"), ("bf16", "f32"), ("bf16", "bf16"), ("f32", "f32")]


def wild(rng: np.random.Generator, name: str, *shape: int) -> Bits:
    """Any codes, NaN and Inf too."""
    return rng.integers(0, 1 << FORMATS[name].bits, shape, np.uint64)


def small_integers(rng: np.random.Generator, name: str, *shape: int) -> Bits:
    """-3 to 3: exact in every order."""
    fmt = FORMATS[name]
    whole = rng.integers(-3, 4, shape)
    magnitude = np.array([0, fmt.bias, fmt.bias + 1, fmt.bias + 1])[abs(whole)] << fmt.fraction_bits
    magnitude |= np.where(abs(whole) == 3, 1 << (fmt.fraction_bits - 1), 0)
    return (magnitude | np.where(whole < 0, fmt.sign_bit, 0)).astype(np.uint64)


REGIMES: list[Callable[..., Bits]] = [
    wild,
    operands.finite,
    operands.moderate,
    operands.subnormal,
    small_integers,
]


def matrices(regime: Callable[..., Bits], operand: str, accumulator: str) -> tuple[Bits, Bits, Bits]:
    rng = np.random.default_rng(41)
    return (
        regime(rng, operand, 12, 16, 16),
        regime(rng, operand, 12, 16, 16),
        regime(rng, accumulator, 12, 16, 16),
    )


LINALG_OWN = (
    "accumulators-like-b",
    "conversions-cut",
    "conversions-to-nan",
    "fp8-emulated",
    "highest-first",
    "idle-threads",
    "linalg-waves-of-64",
    "plain-optimal-layouts",
    "shared-elements",
    "sums-reversed",
    "tier-1",
    "wave-after-wave",
    "whole-bounds",
    "mixed-bounds",
    "coarse-angles",
    "factors-converted",
    "operators-cut",
    "sums-not-atomic",
    "sums-one-by-one",
    "unary-in-place",
)
LENIENCES = {
    **dict.fromkeys(LINALG_OWN, "hlsl-linalg"),
    "f64-single": "nv-coopmat2",
    "clears-other-halves": "amd-rdna3-wmma",
    "flush-on-load": "hlsl-wave-matrix",
    "keeps-other-halves-of-d": "amd-rdna3-wmma",
    "no-nan": "nv-coopmat2",
    "ones-complement": "amd-rdna3-wmma",
    "reads-lower-copies": "amd-rdna3-wmma",
    "reads-mixed-copies": "amd-rdna3-wmma",
    "reads-upper-copies": "amd-rdna3-wmma",
    "ties-all": "amd-rdna3-wmma",
    "waves-of-16": "hlsl-wave-matrix",
    "waves-of-64": "hlsl-wave-matrix",
    "waves-of-8": "hlsl-wave-matrix",
}
"""Variants that one document alone allows."""
OF_SOME = {"saturating": ("hlsl-linalg", "hlsl-wave-matrix")}
"""Variants that several documents allow, but not all."""


@pytest.mark.parametrize("name", sorted(LEGAL))
def test_a_variant_is_of_the_specifications_that_allow_it(name: str) -> None:
    allowed = (LENIENCES[name],) if name in LENIENCES else OF_SOME.get(name, tuple(SPECS))
    assert LEGAL[name].specs == allowed


@pytest.mark.exhaustive(every=12)
@pytest.mark.parametrize("name", sorted(LEGAL))
@pytest.mark.parametrize(("operand", "accumulator"), PAIRS)
@pytest.mark.parametrize("regime", REGIMES)
def test_a_legal_unit_is_legal(name: str, operand: str, accumulator: str, regime: Callable[..., Bits]) -> None:
    a, b, c = matrices(regime, operand, accumulator)
    variant = LEGAL[name]
    unit = variant.unit()
    got = unit.multiply_add(operand, a, operand, b, accumulator, c)
    profile = DOCUMENT if variant.authority == "document" else unit.profile
    for spec in variant.specs:
        fmt, held = FORMATS[operand], Legal.from_bits(FORMATS[accumulator], c)
        legal = multiply_add(a_fmt=fmt, a=a, b_fmt=fmt, b=b, c=held, rules=float_rules(profile, RULES[spec]))
        assert not illegal(legal, got).any(), spec


def test_all_variants_but_five_are_legal_under_practice() -> None:
    declared = {name: variant.unit().profile for name, variant in LEGAL.items()}
    assert [name for name, profile in declared.items() if profile != PRACTICE] == ["short-alignment", "tf32-operands"]
    assert [name for name, variant in LEGAL.items() if variant.authority == "document"] == [
        "f64-single",
        "bf16-sums",
        "11-bit-sums",
    ]


@pytest.mark.parametrize("name", ["bf16-sums", "11-bit-sums"])
def test_a_short_sum_breaks_practice(name: str) -> None:
    a, b, c = matrices(operands.moderate, "f16", "f32")
    got = LEGAL[name].unit().multiply_add("f16", a, "f16", b, "f32", c)
    fmt, held = FORMATS["f16"], Legal.from_bits(FORMATS["f32"], c)
    for rules in RULES.values():
        assert illegal(multiply_add(a_fmt=fmt, a=a, b_fmt=fmt, b=b, c=held, rules=rules), got).any()


def window_edge(top: int) -> tuple[Bits, Bits, Bits]:
    """``top`` and small integers in f16, and a C of 0 in f32: sums of magnitudes of ``top`` to ``top`` + 15."""
    rng = np.random.default_rng(47)
    a, b = np.zeros((12, 16, 16), np.float16), np.zeros((12, 16, 16), np.float16)
    a[..., 0], b[:, 0, :] = top / 32, 32
    a[..., 1:], b[:, 1:, :] = rng.integers(-1, 2, (12, 16, 15)), 1
    left, right = (x.view(np.uint16).astype(np.uint64) for x in (a, b))
    return left, right, np.zeros((12, 16, 16), np.uint64)


@pytest.mark.parametrize("spec", sorted(RULES))
def test_a_unit_that_cuts_where_it_declares(spec: str) -> None:
    """With 9 fraction bits, integers below 1024 are exact, and the last bit of those above is lost."""
    unit = LEGAL["short-alignment"].unit()
    profile = unit.profile
    for top, exact in ((512, True), (992, True), (1024, False)):
        a, b, c = window_edge(top)
        got = unit.multiply_add("f16", a, "f16", b, "f32", c)
        assert (got == SequentialUnit().multiply_add("f16", a, "f16", b, "f32", c)).all() == exact
        held = Legal.from_bits(FORMATS["f32"], c)
        data = {"a_fmt": FORMATS["f16"], "a": a, "b_fmt": FORMATS["f16"], "b": b, "c": held}
        declared, practice = (
            multiply_add(**data, rules=rules) for rules in (float_rules(profile, RULES[spec]), RULES[spec])
        )
        assert not illegal(declared, got).any()
        assert illegal(practice, got).any() != exact
        if RULES[spec].window == "required":  # one bit less than declared would show
            less = FusedBlockUnit(4, 8).multiply_add("f16", a, "f16", b, "f32", c)
            assert illegal(declared, less).any() == exact


def test_one_product_of_a_unit_that_cuts_where_it_declares() -> None:
    """32 * 32 + 1 is 1024, as was declared."""
    a, b = (np.array(x, np.uint64) for x in ([[[0x5000, 0x3C00]]], [[[0x5000], [0x3C00]]]))
    c = np.zeros((1, 1, 1), np.uint64)
    unit = LEGAL["short-alignment"].unit()
    assert unit.multiply_add("f16", a, "f16", b, "f32", c).view(np.uint64).item() == 0x44800000
    fmt, held = FORMATS["f16"], Legal.from_bits(FORMATS["f32"], c)
    legal = multiply_add(a_fmt=fmt, a=a, b_fmt=fmt, b=b, c=held, rules=float_rules(unit.profile, HLSL))
    assert not illegal(legal, np.full((1, 1, 1), 0x44800000, np.uint64)).any()
    assert (legal.lo < 0x44800000).all()


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize(("operand", "accumulator"), PAIRS)
@pytest.mark.parametrize("regime", REGIMES)
def test_the_exact_unit_keeps_the_profile_it_declares(
    operand: str, accumulator: str, regime: Callable[..., Bits]
) -> None:
    a, b, c = matrices(regime, operand, accumulator)
    got = ExactUnit().multiply_add(operand, a, operand, b, accumulator, c)
    rules = float_rules(PROFILES["correctly-rounded"], NV)
    fmt, held = FORMATS[operand], Legal.from_bits(FORMATS[accumulator], c)
    assert not illegal(multiply_add(a_fmt=fmt, a=a, b_fmt=fmt, b=b, c=held, rules=rules), got).any()


DIFFERS: dict[str, tuple[Callable[..., Bits], str]] = {
    "reversed": (operands.moderate, "f32"),
    "pairwise": (operands.moderate, "f32"),
    "narrow-sum": (operands.moderate, "f16"),
    "blocked": (operands.moderate, "f32"),
    "interleaved": (operands.moderate, "f32"),
    "fma-chain-cut": (operands.moderate, "f32"),
    "toward-zero": (operands.moderate, "f32"),
    "downward": (operands.moderate, "f32"),
    "single-rounding": (operands.moderate, "f32"),
    "single-cut": (operands.moderate, "f32"),
    "nvidia-volta": (operands.moderate, "f32"),
    "nvidia-ampere": (operands.moderate, "f32"),
    "nvidia-ada": (operands.moderate, "f32"),
    "nvidia-hopper": (operands.moderate, "f32"),
    "amd-cdna1-pairwise": (operands.moderate, "f32"),
    "amd-cdna1-exact": (operands.moderate, "f32"),
    "amd-cdna2": (operands.moderate, "f32"),
    "amd-cdna3": (operands.moderate, "f32"),
    "short-alignment": (operands.moderate, "f32"),
    "flushing": (operands.subnormal, "f16"),
    "no-nan": (wild, "f32"),
    "ones-complement": (small_integers, "f32"),
}


@pytest.mark.parametrize("name", sorted(DIFFERS))
def test_a_variant_is_one(name: str) -> None:
    regime, accumulator = DIFFERS[name]
    a, b, c = matrices(regime, "f16", accumulator)
    plain = SequentialUnit().multiply_add("f16", a, "f16", b, accumulator, c)
    assert (LEGAL[name].unit().multiply_add("f16", a, "f16", b, accumulator, c) != plain).any()


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("name", sorted(LEGAL))
def test_integers_are_exact_in_every_unit(name: str) -> None:
    rng = np.random.default_rng(42)
    a, b = rng.integers(0, 256, (2, 16, 16), np.uint64), rng.integers(0, 256, (2, 16, 16), np.uint64)
    c = rng.integers(0, 1 << 20, (2, 16, 16), np.uint64)
    expected = a.astype(np.uint8).view(np.int8).astype(np.int64) @ b.astype(np.int64) + c.astype(np.int64)
    got = LEGAL[name].unit().multiply_add("s8", a, "u8", b, "s32", c)
    assert np.array_equal(got, expected.astype(np.uint64) & np.uint64(0xFFFFFFFF))


INTEGER_UNITS = [SequentialUnit(), ExactUnit()]


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("unit", INTEGER_UNITS, ids=lambda unit: unit.name)
@pytest.mark.parametrize(
    ("formats", "depth"),
    [
        (("s8", "u8", "s32"), 16),
        (("u4", "s4", "s32"), 16),
        (("s4", "u4", "s32"), 64),
        (("s16", "s16", "s32"), 5),
        (("s32", "u32", "s32"), 3),
        (("u8", "u8", "u32"), 64),
        (("s8", "s8", "s64"), 4),
        (("u32", "u32", "u64"), 3),
        (("s32", "s32", "s64"), 3),
    ],
)
@pytest.mark.parametrize("overflow", ["wrap", "saturate"])
def test_integers_wrap_or_saturate_once(
    unit: SequentialUnit | ExactUnit, formats: tuple[str, str, str], depth: int, overflow: str
) -> None:
    rng = np.random.default_rng(43)
    rows = [FORMATS[name] for name in formats]
    shapes = [(6, 4, depth), (6, depth, 4), (6, 4, 4)]
    a, b, c = (rng.integers(0, fmt.mask, s, np.uint64, endpoint=True) for fmt, s in zip(rows, shapes, strict=True))
    ends = [rows[2].max_value, rows[2].max_value - 1, rows[2].min_value & rows[2].mask]
    c[1:4] = np.array(ends, np.uint64)[:, np.newaxis, np.newaxis]
    got = unit.multiply_add(formats[0], a, formats[1], b, formats[2], c, "wrap" if overflow == "wrap" else "saturate")

    def value(row: int, bits: int) -> int:
        return bits - (bits & rows[row].sign_bit) * 2

    for index in np.ndindex(c.shape):
        left, right = a[*index[:-1], :], b[*index[:-2], :, index[-1]]
        pairs = zip(left.tolist(), right.tolist(), strict=True)
        exact = value(2, int(c[index])) + sum(value(0, x) * value(1, y) for x, y in pairs)
        if overflow == "saturate":
            exact = min(max(exact, rows[2].min_value), rows[2].max_value)
        assert int(got[index]) == exact & rows[2].mask


def test_saturating_units_saturate_unasked() -> None:
    one = np.ones((1, 1, 1), np.uint64)
    top = np.full((1, 1, 1), 0x7FFFFFFF, np.uint64)
    assert SequentialUnit().multiply_add("s8", one, "s8", one, "s32", top).item() == 0x80000000
    assert LEGAL["saturating"].unit().multiply_add("s8", one, "s8", one, "s32", top).item() == 0x7FFFFFFF
