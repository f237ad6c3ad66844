"""Products written as instructions: signs, constants and what is refused, by data of single elements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from numpy.typing import NDArray

from mmaspec.backends.numpy.amd_rdna3_wmma.device import WmmaDevice
from mmaspec.backends.numpy.backend import NumpyBackend, Submitted
from mmaspec.backends.numpy.devices import DEVICES
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.oracle.amd_rdna3_wmma import SPEC
from mmaspec.oracle.amd_rdna3_wmma.modifiers import absolute, opposite
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.oracle.numerics.legal import Legal, Reason, illegal
from mmaspec.programs.amd_rdna3_wmma import BELOW_COMPILERS, INLINE_FLOATS, OPCODES, Caps, Inline, VWmma
from mmaspec.programs.amd_rdna3_wmma.program import Fill, Store, WmmaProgram
from mmaspec.programs.errors import BadInput
from mmaspec.programs.formats import format_named
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.amd_rdna3_wmma.builder import with_calls
from mmaspec.strategies.enumerate import case_list
from mmaspec.suites.judging.ask import ask, hold

from .programs import written

FLOATS = tuple(f"{name}_w{wave}" for name in OPCODES[:4] for wave in (32, 64))
INTEGERS = tuple(f"{name}_w{wave}" for name in OPCODES[4:] for wave in (32, 64))
NARROW = tuple(name for name in FLOATS if not name.startswith("v_wmma_f32"))
BACKEND = NumpyBackend(SequentialUnit(), DEVICES)

Cells = dict[tuple[int, int, int], float]
"""(item, row, column) -> a number; everything else is zero."""


def in_place(name: str, **fields: Any) -> WmmaProgram:
    """The same with D in the registers of C."""
    program = with_calls(written(name, **fields), d="c")
    return replace(program, body=tuple(Store("c", "out", 0) if isinstance(s, Store) else s for s in program.body))


def code(fmt: str, value: float) -> int:
    """A number of few bits."""
    single = int(np.float32(value).view(np.uint32))
    if fmt.startswith(("f16", "bf16")):
        return single >> 16 if fmt.startswith("bf16") else int(np.float16(value).view(np.uint16))
    return single if fmt == "f32" else int(value) & format_named(fmt).mask


def answered(program: WmmaProgram, items: int = 1, **cells: Cells) -> Defined:
    """What is expected where these elements hold these numbers; the device has to answer so."""
    values = {}
    for source in SPEC.sources(program):
        made = np.zeros((items, *source.shape), np.uint64)
        for (item, row, col), value in cells.get(source.name, {}).items():
            made[item, ..., row, col] = code(source.fmt.name, value)
        values[source.name] = made
    case = Case(SPEC.name, "by hand", "by hand", program, BELOW_COMPILERS, items, values)
    expected = expect_by_reading(case, PRACTICE)
    assert isinstance(expected.first, Defined)
    assert hold(case, expected, ask(BACKEND, case, expected.first)).legal
    return expected.first


def legal_of(found: Defined, *, high: bool = False) -> Legal:
    """The results of the last store; of 16-bit D those in the low or in the high halves."""
    last = max(region.step for region in found.regions)
    low_and_high = [region for region in found.regions if region.step == last]
    return low_and_high[-1 if high else 0].legal


def takes(legal: Legal, value: float) -> NDArray[np.bool_]:
    """Where the results may be this number."""
    return ~illegal(legal, np.full(legal.shape, code(legal.fmt.name, value), np.uint64))


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("operand", [0, 1], ids=["A", "B"])
@pytest.mark.parametrize("modifier", ["neg_lo", "neg_hi"])
def test_each_half_of_a_and_b_changes_its_sign(name: str, operand: int, modifier: str) -> None:
    """RDNA3-FP-NEG: item k has its only term at k; neg_lo negates the even k, neg_hi the odd ones."""
    bits = tuple(n == operand for n in range(3))
    a: Cells = {(k, 3, k): 2 for k in range(16)}
    b: Cells = {(k, k, 7): 3 for k in range(16)}
    found = answered(written(name, **{modifier: bits}), 16, A=a, B=b, C={(k, 3, 7): 1 for k in range(16)})
    for k in range(16):
        negated = k % 2 == (modifier == "neg_hi")
        there = takes(legal_of(found), -5 if negated else 7)[k, ..., 3, 7]
        assert there.all(), k
        assert not takes(legal_of(found), 7 if negated else -5)[k, ..., 3, 7].any()
    assert f"RDNA3-FP-NEG/{'ab'[operand]}-{'low' if modifier == 'neg_lo' else 'high'}" in {
        point for step in found.steps for point in step.points
    }


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize(("low", "high", "sums"), [
    (False, False, (6 - 4, 6 + 4)), (True, False, (6 + 4, 6 - 4)), (False, True, (6 + 4, 6 + 4)),
    (True, True, (6 - 4, 6 - 4)),
])  # fmt: skip
def test_c_is_made_absolute_and_then_negated(name: str, low: bool, high: bool, sums: tuple[int, int]) -> None:
    """RDNA3-FP-NEG: of a C of -4 and of one of 4."""
    program = written(name, neg_lo=(False, False, low), neg_hi=(False, False, high))
    a: Cells = {(item, 3, 5): 2 for item in (0, 1)}
    b: Cells = {(item, 5, 7): 3 for item in (0, 1)}
    found = answered(program, 2, A=a, B=b, C={(0, 3, 7): -4, (1, 3, 7): 4})
    for item in (0, 1):
        assert takes(legal_of(found), sums[item])[item, ..., 3, 7].all()
        assert not takes(legal_of(found), 12 - sums[item])[item, ..., 3, 7].any() or sums[item] == 6


def test_signs_of_sets_of_numbers() -> None:
    """RDNA3-FP-NEG: a C that is known as an interval; one around zero has magnitudes from zero on."""
    fmt = format_named("f32")
    legal = Legal.interval(
        fmt, np.array([-3, 2, -7, 1]), np.array([5, 4, -6, 0]), np.array([False, False, False, True])
    )
    other, magnitude = opposite(legal), absolute(legal)
    assert other.lo.tolist()[:3] == [-5, -4, 6]
    assert other.hi.tolist()[:3] == [3, -2, 7]
    assert magnitude.lo.tolist()[:3] == [0, 2, 6]
    assert magnitude.hi.tolist()[:3] == [5, 4, 7]
    assert other.lo[3] > other.hi[3]
    assert magnitude.lo[3] > magnitude.hi[3]
    minus_zero = Legal.from_bits(fmt, np.array([0x80000000, 0xC1200000], np.uint64))
    assert absolute(minus_zero).bits.tolist() == [0, 0x41200000]
    assert opposite(minus_zero).bits.tolist() == [0, 0x41200000]


NUMBERS = dict(zip(INLINE_FLOATS[:8], (0.5, -0.5, 1, -1, 2, -2, 4, -4), strict=True))


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("name", [name for name in FLOATS if not name.startswith("v_wmma_bf16")])
@pytest.mark.parametrize("inline", INLINE_FLOATS)
def test_a_number_is_every_element_of_c(name: str, inline: Inline) -> None:
    """RDNA3-C-INLINE: in the format of C; 1/(2*pi) is 0x3E22F983 to f32 and 0x3118 to f16."""
    found = answered(written(name, inline=inline), A={(0, 3, 5): 2}, B={(0, 5, 7): 3})
    legal = legal_of(found)
    assert "RDNA3-C-INLINE" in found.clauses
    if inline in NUMBERS:
        value = NUMBERS[inline]  # type: ignore[index]
        assert takes(legal, value + 6)[..., 3, 7].all()
        elsewhere = takes(legal, value)
        assert elsewhere.sum() == 255
        return
    bits = 0x3E22F983 if legal.fmt.name == "f32" else 0x3118
    there = ~illegal(legal, np.full(legal.shape, bits, np.uint64))
    assert there.sum() == 255
    twice = bits + (1 << legal.fmt.fraction_bits)
    assert illegal(legal, np.full(legal.shape, twice, np.uint64)).all()


@pytest.mark.parametrize("name", INTEGERS)
@pytest.mark.parametrize("inline", [-16, -1, 0, 1, 64])
def test_an_integer_is_every_element_of_c(name: str, inline: int) -> None:
    """RDNA3-C-INLINE: with its sign, which no flag of A and B changes."""
    for signs in ((False, False), (True, True)):
        program = written(name, inline=inline, neg_lo=(*signs, False))
        legal = legal_of(answered(program, A={(0, 3, 5): 2}, B={(0, 5, 7): 3}))
        assert takes(legal, inline + 6)[..., 3, 7].all()
        assert takes(legal, inline).sum() == 255


@pytest.mark.parametrize("name", FLOATS)
def test_to_floats_an_integer_is_its_bits(name: str) -> None:
    """RDNA3-C-INLINE: 3 is a subnormal, or a zero where those are flushed, and -1 is a NaN."""
    legal = legal_of(answered(written(name, inline=3)))
    assert not illegal(legal, np.full(legal.shape, 3, np.uint64)).any()
    assert not takes(legal, 3).any()
    legal = legal_of(answered(written(name, inline=-1)))
    assert legal.nan.all()
    assert not takes(legal, 0).any()


@pytest.mark.parametrize("name", NARROW)
def test_a_constant_in_high_halves_is_not_judged(name: str) -> None:
    """RDNA3-C-INLINE: but for zero, which is zero in any half."""
    high = (False, False, True)
    legal = legal_of(answered(written(name, inline=1, op_sel=high)), high=True)
    assert (legal.why == Reason.SPEC_SILENT).all()
    cells: dict[str, Cells] = {"A": {(0, 3, 5): 2}, "B": {(0, 5, 7): 3}}
    legal = legal_of(answered(written(name, inline=0, op_sel=high), **cells), high=True)
    assert takes(legal, 6)[..., 3, 7].all()
    assert takes(legal, 0).sum() == 255


@pytest.mark.parametrize("name", NARROW)
@pytest.mark.parametrize("opsel", [False, True])
def test_the_other_half_stays_where_d_is_c(name: str, opsel: bool) -> None:
    """RDNA3-OPSEL-OTHER: the 100 stays, without the sign that the addend gets; elsewhere it may be anything."""
    bits = (False, False, True)
    cells: dict[str, Cells] = {"A": {(0, 3, 5): 2}, "B": {(0, 5, 7): 3}}
    cells |= {("High" if opsel else "C"): {(0, 3, 7): 4}, ("C" if opsel else "High"): {(0, 3, 7): 100}}
    op_sel = (False, False, opsel)
    found = answered(in_place(name, op_sel=op_sel, neg_lo=bits), **cells)
    assert takes(legal_of(found, high=opsel), 2)[..., 3, 7].all()
    other = legal_of(found, high=not opsel)
    assert takes(other, 100)[..., 3, 7].all()
    assert takes(other, 0).sum() == 255
    apart = answered(written(name, op_sel=op_sel, neg_lo=bits), **cells)
    assert takes(legal_of(apart, high=opsel), 2)[..., 3, 7].all()
    assert (legal_of(apart, high=not opsel).why == Reason.SPEC_SILENT).all()


@pytest.mark.parametrize("name", INTEGERS)
def test_neg_lo_says_which_integers_are_signed(name: str) -> None:
    """RDNA3-IU-SIGN: all bits set are -1, or the largest number."""
    largest = 255 if "iu8" in name else 15
    for a_sign in (False, True):
        for b_sign in (False, True):
            program = written(name, neg_lo=(a_sign, b_sign, False))
            legal = legal_of(answered(program, A={(0, 3, 5): -1}, B={(0, 5, 7): -1}, C={(0, 3, 7): 5}))
            a, b = (-1 if sign else largest for sign in (a_sign, b_sign))
            assert takes(legal, a * b + 5)[..., 3, 7].all()


FIRST, SECOND, THIRD = ((True, False, False), (False, True, False), (False, False, True))
F32, F16, I32 = "v_wmma_f32_16x16x16_bf16_w32", "v_wmma_f16_16x16x16_f16_w64", "v_wmma_i32_16x16x16_iu4_w32"

REFUSED = {
    "OPSEL of f32": (written(F32, op_sel=THIRD), "RDNA3-OPSEL-BITS"),
    "OPSEL of i32": (written(I32, op_sel=THIRD), "RDNA3-OPSEL-BITS"),
    "first bit of OPSEL": (written(F16, op_sel=FIRST), "RDNA3-OPSEL-BITS"),
    "second bit of OPSEL": (written(F16, op_sel=SECOND), "RDNA3-OPSEL-BITS"),
    "clamp of f32": (written(F32, clamp=True), "RDNA3-FP-CLAMP"),
    "clamp of f16": (written(F16, clamp=True), "RDNA3-FP-CLAMP"),
    "neg_lo of integers for C": (written(I32, neg_lo=THIRD), "RDNA3-IU-NEG-ZERO"),
    "neg_hi of integers": (written(I32, neg_hi=FIRST), "RDNA3-IU-NEG-ZERO"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_modifiers_that_an_opcode_does_not_have(what: str) -> None:
    program, clause = REFUSED[what]
    assert SPEC.rejected(program, BELOW_COMPILERS) == {clause}
    assert WmmaDevice(SequentialUnit()).broken(Submitted(program, {})) == (clause,)


@pytest.mark.parametrize(
    ("program", "says"),
    [
        (written(F32, opcode="v_wmma_f32_16x16x16_fp8"), "no opcode"),
        (written(F32, inline=65), "expected -16 to 64"),
        (written(F32, inline=-17), "expected -16 to 64"),
        (written(F32, inline="3.0"), "no inline constant"),
        (with_calls(written(F32, inline="1.0"), c="c"), "expected one of them"),
        (written("v_wmma_bf16_16x16x16_bf16_w32", inline="1.0"), "only to f32 and f16"),
        (written(I32, inline="1.0"), "only to f32 and f16"),
        (replace(written(I32), wave_size=64), "takes int4"),
        (with_calls(written(F32), a="c"), "declared to hold"),
    ],
)
def test_bad_input(program: WmmaProgram, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        SPEC.rejected(program, BELOW_COMPILERS)


def test_instructions_are_for_devices_that_offer_them() -> None:
    with pytest.raises(BadInput, match="not among those in reach: none"):
        SPEC.rejected(written(F32), Caps())
    assert not SPEC.rejected(written(F32), Caps(builtins=(), instructions=(F32,)))  # type: ignore[arg-type]
    with pytest.raises(BadInput, match=f"not among those in reach: {F32}"):
        SPEC.rejected(written(I32), Caps(instructions=(F32,)))  # type: ignore[arg-type]


def test_lists_of_other_devices_have_none() -> None:
    """Nor has their record a word of them, so that IDs are as they were."""
    recipes = case_list(SPEC.name, Caps(), "quick")
    assert not any(isinstance(step, VWmma) for one in recipes for step in one.program.body)
    assert not any(b"instructions" in one.encoded or b"v_wmma" in one.encoded for one in recipes)


def test_devices_of_instructions_alone_have_lists() -> None:
    caps = BELOW_COMPILERS
    recipes = case_list(SPEC.name, caps, "quick")
    assert {one.row for one in recipes} == set(caps.instructions)
    assert {"RDNA3-OPSEL-BITS", "RDNA3-FP-CLAMP"} == {one.target for one in recipes if one.target}


def test_a_constant_over_d_leaves_nothing_of_it() -> None:
    """RDNA3-C-INLINE: D is written, not added to."""
    program = written(F32, inline="4.0")
    body: list[Any] = []
    for step in program.body:
        body += [Fill("d", 0x3F800000), step] if isinstance(step, VWmma) else [step]
    assert takes(legal_of(answered(replace(program, body=tuple(body)))), 4).all()
