"""Published families of matrix units: what sets each apart, and a literal definition of aligned blocks."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from mmaspec.backends.legal import LEGAL
from mmaspec.backends.numpy.units.cdna3 import LateAddendUnit
from mmaspec.backends.numpy.units.exact import ExactUnit
from mmaspec.backends.numpy.units.fused import FusedBlockUnit
from mmaspec.backends.numpy.units.matrix_cores import ExactBlockUnit, block_of
from mmaspec.backends.numpy.units.unit import ArithmeticUnit
from mmaspec.oracle.numerics.rounding import round_to
from mmaspec.programs.formats import FORMATS, Format
from mmaspec.programs.rounding_mode import Mode

from . import operands
from .operands import Bits, fraction_of

F16, BF16, F32 = FORMATS["f16"], FORMATS["bf16"], FORMATS["f32"]


def codes(fmt: Format, *values: float) -> Bits:
    """Exact values into bits."""
    return np.array([round_to(fmt, Fraction(value), Mode.NEAREST_EVEN) for value in values], np.uint64)


def one_sum(unit: ArithmeticUnit, a: Bits, b: Bits, c: float, fmt: str = "f16") -> float:
    """A row times a column plus a float32."""
    found = unit.multiply_add(fmt, a[np.newaxis], fmt, b[:, np.newaxis], "f32", codes(F32, c).reshape(1, 1))
    return float(found.astype(np.uint32).view(np.float32)[0, 0])


def padded(fmt: Format, *values: float) -> Bits:
    """Sixteen numbers, zeros at the end."""
    return codes(fmt, *values, *[0.0] * (16 - len(values)))


def unit(name: str) -> ArithmeticUnit:
    return LEGAL[name].unit()


@pytest.mark.parametrize(("name", "kept"), [("nvidia-volta", 23), ("nvidia-ampere", 24), ("nvidia-hopper", 25)])
def test_so_many_fraction_bits_are_kept(name: str, kept: int) -> None:
    # 1 - 1 + x: aligned on 1, x survives as long as it is no smaller than 2^-kept.
    for exponent, left in ((-kept, 2.0**-kept), (-kept - 1, 0.0)):
        a = padded(BF16, 1.0, 1.0, 2.0**exponent)
        b = padded(BF16, 1.0, -1.0, 1.0)
        assert one_sum(unit(name), a, b, 0.0, "bf16") == left


@pytest.mark.parametrize(("name", "block"), [("nvidia-volta", 4), ("nvidia-ampere", 8), ("nvidia-hopper", 16)])
def test_blocks_have_so_many_products(name: str, block: int) -> None:
    # A large pair in one block hides a small product there, and no other.
    for at in range(2, 16):
        a, b = np.zeros(16), np.zeros(16)
        a[[0, 1, at]], b[[0, 1, at]] = (2.0**14, 2.0**14, 2.0**-10), (2.0**14, -(2.0**14), 2.0**-10)
        hidden = one_sum(unit(name), codes(F16, *a), codes(F16, *b), 0.0) == 0
        assert hidden == (at < block)


def test_a_zero_product_takes_no_part_in_the_alignment() -> None:
    a, b = padded(BF16, 0.0, 2.0**-22), padded(BF16, 2.0**127, 2.0**-22)
    assert one_sum(unit("nvidia-hopper"), a, b, 0.0, "bf16") == 2.0**-44


def test_subnormal_operands_align_as_the_smallest_normal() -> None:
    # 2^-24 * 2^0 counts as 2^-14: beside it 25 bits reach down to 2^-39.
    for exponent, left in ((-14, 0.0), (-15, 0.0)):
        a, b = padded(F16, 2.0**-24, -(2.0**-24), 2.0**-12), padded(F16, 1.0, 1.0, 2.0**exponent * 2.0**-14)
        assert one_sum(unit("nvidia-hopper"), a, b, 0.0) == left
    a, b = padded(F16, 2.0**-24, -(2.0**-24), 2.0**-14), padded(F16, 1.0, 1.0, 2.0**-24)
    assert one_sum(unit("nvidia-hopper"), a, b, 0.0) == 2.0**-38


def test_cdna3_rounds_down_and_is_not_symmetric() -> None:
    one = padded(F16, 1.0)
    assert one_sum(unit("amd-cdna3"), one, one, -(2.0**-40)) == 1 - 2.0**-24
    assert one_sum(unit("amd-cdna3"), padded(F16, -1.0), one, 2.0**-40) == -1


def test_f32_sums_are_cut_and_f16_sums_go_to_nearest() -> None:
    a, b = padded(F16, 1.0, 2.0**-12), padded(F16, 1.0, 1.5 * 2.0**-12)
    assert one_sum(unit("nvidia-hopper"), a, b, 0.0) == 1 + 2.0**-24 - 2.0**-24
    a = padded(F16, 1.0, 1.5 * 2.0**-11)
    got = unit("nvidia-hopper").multiply_add(
        "f16", a[np.newaxis], "f16", padded(F16, 1.0, 1.0)[:, np.newaxis], "f16", np.zeros((1, 1), np.uint64)
    )
    assert got.item() == codes(F16, 1 + 2.0**-10)[0]


def test_cdna2_flushes_and_cdna1_does_not() -> None:
    a, b = padded(F16, 2.0**-24), padded(F16, 1.0)
    assert one_sum(unit("amd-cdna1-pairwise"), a, b, 0.0) == 2.0**-24
    assert one_sum(unit("amd-cdna2"), a, b, 0.0) == 0.0
    assert one_sum(unit("amd-cdna2"), padded(F16), b, 2.0**-140) == 0.0


def test_the_two_readings_of_cdna1_differ() -> None:
    # (1 + 2^-24) + 2^-24 in pairs loses both; the exact block rounds their sum.
    a, b = padded(F16, 1.0, 2.0**-12, 2.0**-12), padded(F16, 1.0, 2.0**-12, 2.0**-12)
    assert one_sum(unit("amd-cdna1-exact"), a, b, 0.0) == 1 + 2.0**-23
    assert one_sum(unit("amd-cdna1-pairwise"), a, b, 0.0) == 1.0


def test_an_fma_chain_rounds_no_product() -> None:
    # (1 + 2^-23)^2 - 1 - 2^-22 = 2^-46, which a rounded product loses.
    a, b = padded(F32, 1 + 2.0**-23), padded(F32, 1 + 2.0**-23)
    assert one_sum(unit("fma-chain"), a, b, -1 - 2.0**-22, "f32") == 2.0**-46
    assert one_sum(unit("sequential"), a, b, -1 - 2.0**-22, "f32") == 0.0


def aligned_sum(block: int, kept: int, a: list[int], b: list[int], c: int, fmt: Format) -> int:
    """Fused blocks in rational numbers, one element, step by step."""

    def exponent(code: int, of: Format) -> int | None:
        value = fraction_of(of, code)
        if not value:
            return None
        found = abs(value.numerator).bit_length() - value.denominator.bit_length()
        return max(found if abs(value) >= Fraction(2) ** found else found - 1, of.emin)

    total = c
    for first in range(0, len(a), block):
        terms = [(fraction_of(F32, total), exponent(total, F32))]
        for x, y in zip(a[first : first + block], b[first : first + block], strict=True):
            ex, ey, vx, vy = exponent(x, fmt), exponent(y, fmt), fraction_of(fmt, x), fraction_of(fmt, y)
            assert vx is not None
            assert vy is not None
            terms.append((vx * vy, None if ex is None or ey is None else ex + ey))
        unit = Fraction(2) ** (max((e for _, e in terms if e is not None), default=0) - kept)
        whole = sum(int(value / unit) for value, _ in terms if value is not None)
        total = round_to(F32, whole * unit, Mode.TOWARD_ZERO)
        total = 0 if total == F32.sign_bit else total  # what is cut to zero is +0
    return total


@pytest.mark.parametrize(("block", "kept"), [(4, 23), (8, 24), (16, 25), (3, 10)])
@pytest.mark.parametrize("name", ["f16", "bf16"])
@pytest.mark.parametrize("regime", [operands.moderate, operands.subnormal])
def test_aligned_blocks_by_their_definition(block: int, kept: int, name: str, regime: object) -> None:
    assert callable(regime)
    rng = np.random.default_rng(7)
    a, b, c = regime(rng, name, 2, 3, 16), regime(rng, name, 2, 16, 3), operands.moderate(rng, "f32", 2, 3, 3)
    c[1] = 0
    got = FusedBlockUnit(block, kept).multiply_add(name, a, name, b, "f32", c)
    for t, i, j in np.ndindex(c.shape):
        expected = aligned_sum(block, kept, a[t, i].tolist(), b[t, :, j].tolist(), int(c[t, i, j]), FORMATS[name])
        assert int(got[t, i, j]) == expected


@pytest.mark.parametrize("name", ["f16", "bf16", "f32"])
@pytest.mark.parametrize("accumulator", ["f32", "f16"])
@pytest.mark.parametrize("regime", [operands.moderate, operands.subnormal, operands.finite])
def test_exact_blocks_are_single_roundings_in_turn(name: str, accumulator: str, regime: object) -> None:
    assert callable(regime)
    rng = np.random.default_rng(9)
    a, b, c = regime(rng, name, 9, 8, 8), regime(rng, name, 9, 8, 8), regime(rng, accumulator, 9, 8, 8)
    got = ExactBlockUnit().multiply_add(name, a, name, b, accumulator, c)
    block, total = block_of(FORMATS[name]), c
    for first in range(0, 8, block):
        part = slice(first, first + block)
        total = ExactUnit().multiply_add(name, a[..., part], name, b[:, part], accumulator, total)
    zero = (got | total) & np.uint64(FORMATS[accumulator].sign_bit - 1) == 0
    assert ((got == total) | zero).all()


@pytest.mark.parametrize("name", ["f16", "bf16"])
def test_an_exact_block_decides_near_ties(name: str) -> None:
    a, b, c = operands.near_ties(np.random.default_rng(10), name, "f32", 4000)
    a, b = a[..., :2], b[:, :2]
    expected = ExactUnit().multiply_add(name, a, name, b, "f32", c)
    assert np.array_equal(ExactBlockUnit().multiply_add(name, a, name, b, "f32", c), expected)


def test_chunks_do_not_show() -> None:
    rng = np.random.default_rng(8)
    a, b = (operands.moderate(rng, "f16", 70, 16, 16) for _ in "ab")
    c = operands.moderate(rng, "f32", 70, 16, 16)
    for made in (LateAddendUnit(), FusedBlockUnit()):
        whole = made.multiply_add("f16", a, "f16", b, "f32", c)
        isolated = [made.multiply_add("f16", a[t], "f16", b[t], "f32", c[t]) for t in range(70)]
        assert np.array_equal(whole, np.stack(isolated))


DATA = Path(__file__).parents[1] / "data"


@pytest.mark.parametrize("file", ["h100_wmma.npz", "h200_wmma_tiny.npz"])
def test_the_unit_of_hopper_gives_what_the_chips_gave(file: str) -> None:
    unit = LEGAL["nvidia-hopper"].unit()
    with np.load(DATA / file) as data:
        recorded = {name: data[name].astype(np.uint64) for name in data}
    for name in sorted({name.rpartition("/")[0] for name in recorded}):
        operand, accumulator = name.partition("/")[0].split("_")
        a, b, c, d = (recorded[f"{name}/{matrix}"] for matrix in "abcd")
        found = unit.multiply_add(operand, a, operand, b, accumulator, c)
        fmt = FORMATS[accumulator]
        nan = [(bits & np.uint64(fmt.sign_bit - 1)) > np.uint64(fmt.infinity_magnitude) for bits in (found, d)]
        assert (nan[0] == nan[1]).all(), name
        zero = [(bits & np.uint64(fmt.sign_bit - 1)) == 0 for bits in (found, d)]  # the sign of a zero is free
        assert ((found == d) | nan[0] | (zero[0] & zero[1])).all(), name


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("name", sorted(LEGAL))
def test_small_double_sums_are_kept(name: str) -> None:
    """f64 has its own smallest normal number, far below that of f32."""
    tiny, zero = np.array([[0x3B90000000000000]], np.uint64), np.zeros((1, 1), np.uint64)  # 2^-70
    found = LEGAL[name].unit().multiply_add("f64", tiny, "f64", tiny, "f64", zero)
    assert found.item() == 0x3730000000000000  # 2^-140


@pytest.mark.parametrize(
    ("a", "c", "answer"),
    [
        ((0x3F80, 0x3380), 0x2180_0000, 0x3F80_0001),  # 1 + 2^-24 + 2^-60: a tie in float64, not in truth
        ((0x3F80, 0x3380), 0, 0x3F80_0000),
        ((0x7F00, 0x7F00, 0xFF00, 0), 0, 0x7F80_0000),  # 2^128 is left behind by the first block for good
        ((0x7F00, 0, 0xFF00, 0), 0, 0),
    ],
)
def test_blocks_that_float64_cannot_add(a: tuple[int, ...], c: int, answer: int) -> None:
    row, ones = np.array([[a]], np.uint64), np.full((1, len(a), 1), 0x3F80, np.uint64)
    got = ExactBlockUnit().multiply_add("bf16", row, "bf16", ones, "f32", np.array([[[c]]], np.uint64))
    assert got.item() == answer
