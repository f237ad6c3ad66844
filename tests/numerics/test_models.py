"""Named arithmetics: whole batches equal the definition, and the contract gives one value where it can."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mmaspec.oracle.numerics.contract import FloatRules, multiply_add
from mmaspec.oracle.numerics.definition.models import evaluate
from mmaspec.oracle.numerics.legal import Legal, Reason, full, illegal, unjudged
from mmaspec.oracle.numerics.ordinals import from_ordinal
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.models import BlocksByFormat, Chain, FusedBlock
from mmaspec.programs.rounding_mode import Mode

F16, BF16, F32, F64 = (FORMATS[name] for name in ("f16", "bf16", "f32", "f64"))
OPERANDS = tuple(name for name, fmt in FORMATS.items() if fmt.is_float)
TRUNCATING = (("f32", Mode.TOWARD_ZERO), ("f16", Mode.NEAREST_EVEN), ("bf16", Mode.DOWN), ("f64", Mode.UP))
TENSOR = FusedBlock(products=16, kept_fraction_bits=25, operands=OPERANDS, roundings=TRUNCATING)
MODELS = {
    "tensor": TENSOR,
    "short": replace(TENSOR, products=4, kept_fraction_bits=23, zero_products="aligned"),
    "late": replace(TENSOR, products=3, kept_fraction_bits=9, addend="last", exponent_floor=-20),
    "late-aligned": replace(TENSOR, addend="last", zero_products="aligned", kept_fraction_bits=40),
    "short-sums": replace(TENSOR, kept_fraction_bits=13, result_fraction_bits=5),
    "short-sums-late": replace(TENSOR, products=5, kept_fraction_bits=9, result_fraction_bits=13, addend="last"),
    "by-format": BlocksByFormat(
        tuple(replace(TENSOR, products=3 + i, roundings=(into,)) for i, into in enumerate(TRUNCATING))
    ),
    "sequential": Chain(fused=False),
    "fma-chain": Chain(fused=True),
    "sequential-f32": Chain(fused=False, running="f32"),
    "fma-chain-f32": Chain(fused=True, running="f32"),
}
ONE16, TWO16, BIG16, INF16, ONE32 = 0x3C00, 0x4000, 0x7BFF, 0x7C00, 0x3F800000


def by_definition(model, types, a, b, c):
    codes = np.where(c.lo > c.hi, c.fmt.nan_bits, from_ordinal(c.fmt, np.where(c.lo > c.hi, 0, c.lo)).astype(object))
    return [
        evaluate(model, types[0], a[t, i].tolist(), types[1], b[t, :, j].tolist(), types[2], int(codes[t, i, j]))
        for t, i, j in np.ndindex(*c.shape)
    ]


def values(legal):
    """Ordinals, None for NaN, of sets that hold one value each."""
    assert (legal.why == 0).all()
    assert np.where(legal.nan, legal.lo > legal.hi, legal.lo == legal.hi).all()
    return [None if nan else lo for lo, nan in zip(legal.lo.ravel().tolist(), legal.nan.ravel().tolist(), strict=True)]


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("name", MODELS)
def test_batches_equal_the_definition(regimes, types, name):
    model, rng = MODELS[name], np.random.default_rng(21)
    for regime in ("normal", "wild", "specials", "subnormal", "cancel", "near_tie", "overflow", "zero_times_huge"):
        a, b, c = regimes.draw(regime, rng, *types, (1, 3, 3, 17))
        got = multiply_add(a_fmt=types[0], a=a, b_fmt=types[1], b=b, c=c, rules=FloatRules(model=model))
        assert values(got) == by_definition(model, types, a, b, c), regime


@pytest.mark.parametrize("name", ["tensor", "short-sums", "by-format", "sequential", "fma-chain"])
def test_double_precision_goes_through_the_definition(regimes, name):
    types, model = (F64, F64, F64), MODELS[name]
    a, b, c = regimes.draw("normal", np.random.default_rng(2), *types, (1, 3, 3, 5))
    got = multiply_add(a_fmt=F64, a=a, b_fmt=F64, b=b, c=c, rules=FloatRules(model=model))
    assert values(got) == by_definition(model, types, a, b, c)
    if name == "sequential":  # float64 arithmetic is that of the machine
        total = c.bits.view(np.float64)
        for k in range(5):
            total = total + a.view(np.float64)[:, :, k, None] * b.view(np.float64)[:, None, k, :]
        assert not illegal(got, total.view(np.uint64)).any()


def answer(model, a, b, c, c_fmt=F32):
    codes = [np.array(v, np.uint64) for v in (a, b)]
    c = c if isinstance(c, Legal) else full(c_fmt, (1, 1), c)
    return multiply_add(
        a_fmt=F16, a=codes[0].reshape(1, -1), b_fmt=F16, b=codes[1].reshape(-1, 1), c=c, rules=FloatRules(model=model)
    )


def test_models_differ_where_they_should():
    """C = 1 and two products of 2^-24: half an ulp each, so that order, width and rounding all show."""
    half_ulp = [[0x0400, 0x0400], [0x1400, 0x1400]]  # 2^-14 * 2^-10
    assert values(answer(Chain(fused=False), *half_ulp, ONE32)) == [ONE32]  # to even, twice
    assert values(answer(TENSOR, *half_ulp, ONE32)) == [ONE32 + 1]  # kept, and added before C
    assert values(answer(replace(TENSOR, kept_fraction_bits=23), *half_ulp, ONE32)) == [ONE32]  # cut off
    assert values(answer(replace(TENSOR, products=1), *half_ulp, ONE32)) == [ONE32]  # cut after each block
    assert values(answer(replace(TENSOR, products=1, addend="last"), *half_ulp, ONE32)) == [ONE32 + 1]


def test_a_sum_has_fewer_bits_than_its_format():
    """1 + 2^-10: 9 bits lose the last, in either direction; C alone is cut too, and f16 has no more than 10."""
    for bits, ends in ((9, [ONE32, ONE32 + (1 << 14)]), (10, [ONE32 + (1 << 13)] * 2), (None, [ONE32 + (1 << 13)] * 2)):
        for mode, end in zip((Mode.TOWARD_ZERO, Mode.UP), ends, strict=True):
            model = replace(TENSOR, result_fraction_bits=bits, roundings=(("f32", mode),))
            assert values(answer(model, [ONE16 + 1], [ONE16], 0)) == [end]
            assert values(answer(model, [0], [ONE16], ONE32 + (1 << 13))) == [end]
    short = replace(TENSOR, result_fraction_bits=13)
    assert values(answer(short, [ONE16 + 1], [ONE16], 0, F16)) == [ONE16 + 1]
    assert values(answer(short, [BIG16] * 2, [ONE16, 0x1000], 0)) == [0x477FFC00]  # 65504 + 31.98, in units of 4
    assert short.sum_format(F16) is F16
    assert values(answer(short, [], [], ONE32 + 1)) == [ONE32 + 1]  # without products there is no block


def test_blocks_are_chosen_by_format():
    """Half an ulp twice: cut by the block for f16, kept by that for bf16."""
    both = BlocksByFormat(
        (replace(TENSOR, operands=("f16",), kept_fraction_bits=23), replace(TENSOR, operands=("bf16",)))
    )
    assert values(answer(both, [0x0400, 0x0400], [0x1400, 0x1400], ONE32)) == [ONE32]
    half_ulp = np.array([0x3380, 0x3380], np.uint64)  # 2^-24
    ones = np.array([0x3F80, 0x3F80], np.uint64)
    bf16 = multiply_add(
        a_fmt=BF16, a=half_ulp.reshape(1, -1), b_fmt=BF16, b=ones.reshape(-1, 1), c=full(F32, (1, 1), ONE32),
        rules=FloatRules(model=both),
    )  # fmt: skip
    assert values(bf16) == [ONE32 + 1]
    assert both.covers(F16, F16, F32)
    assert not both.covers(F16, BF16, F32)


def test_what_a_model_gives_is_in_the_set_that_is_left_where_c_is_open(regimes):
    """C is one of two neighbours, and what either gives has to be legal: sums of 9 bits need a wider envelope."""
    e4m3 = FORMATS["e4m3"]
    short = replace(TENSOR, operands=("e4m3",), kept_fraction_bits=13, result_fraction_bits=9)
    a, b, c = regimes.draw("normal", np.random.default_rng(8), e4m3, e4m3, F32, (20, 4, 4, 1))

    def product(addend, rules):
        return multiply_add(a_fmt=e4m3, a=a, b_fmt=e4m3, b=b, c=addend, rules=rules)

    either = Legal.interval(F32, c.lo, c.lo + 1)
    precise = product(either, FloatRules(kept_fraction_bits=13))
    for model in (short, BlocksByFormat((replace(TENSOR, operands=("f16",)), short))):
        rules = FloatRules(model=model, kept_fraction_bits=13)
        left = product(either, rules)
        answers = [product(Legal.interval(F32, at, at), rules).lo for at in (c.lo, c.lo + 1)]
        assert not any(illegal(left, from_ordinal(F32, found)).any() for found in answers)
        assert all(illegal(precise, from_ordinal(F32, found)).any() for found in answers)


def test_a_fused_multiply_add_rounds_once():
    """(1 + 2^-10)^2 - 1 - 2^-9 is 2^-20, which an f16 product loses."""
    near_one = [[ONE16 + 1], [ONE16 + 1]]
    c = 0xBC02  # -(1 + 2^-9)
    assert values(answer(Chain(fused=False), *near_one, c, F16)) == [0]
    assert values(answer(Chain(fused=True), *near_one, c, F16)) == [0x0010]


def test_a_wide_running_sum_is_rounded_once():
    """1 + 2^-11 + 2^-11: half a unit of f16 each, so that only a wider sum keeps the first."""
    halves = [[0x1000, 0x1000], [ONE16, ONE16]]
    assert values(answer(Chain(fused=False), *halves, ONE16, F16)) == [ONE16]
    assert values(answer(Chain(fused=False, running="f32"), *halves, ONE16, F16)) == [ONE16 + 1]
    assert not Chain(fused=False, running="f32").covers(F64, F64, F64)
    with pytest.raises(ValueError, match="running sum"):
        Chain(fused=False, running="f16")


def test_zero_beside_a_huge_operand():
    """0 * 2^15 next to 2^-24: kept where zeros are dropped; where they are aligned it lies below the cut."""
    a, b = [0, 0x0001], [0x7800, ONE16]
    assert values(answer(TENSOR, a, b, 0)) == [(127 - 24) << 23]
    assert values(answer(replace(TENSOR, zero_products="aligned"), a, b, 0)) == [(127 - 24) << 23]  # 2^(15 - 14)
    assert values(answer(replace(TENSOR, zero_products="aligned", kept_fraction_bits=24), a, b, 0)) == [0]


def test_specials_and_overflow():
    both = {"tensor": TENSOR, "sequential": Chain(fused=False), "fma-chain": Chain(fused=True)}
    for model in both.values():
        assert values(answer(model, [INF16], [0], ONE32)) == [None]
        assert values(answer(model, [INF16], [ONE16], 0xFF800000)) == [None]
        assert values(answer(model, [INF16, BIG16], [TWO16, BIG16], ONE32)) == [F32.max_ordinal]
        assert values(answer(model, [ONE16], [ONE16], 0x7FC00000)) == [None]
        assert values(answer(model, [BIG16], [TWO16], 0, F16)) == [F16.max_ordinal]
    # a step beyond the range is final in a chain, and cancels inside a block
    over = [[BIG16, BIG16], [TWO16, TWO16 | 0x8000]]
    assert values(answer(Chain(fused=False), *over, 0, F16)) == [None]
    assert values(answer(Chain(fused=True), *over, 0, F16)) == [F16.max_ordinal]
    assert values(answer(TENSOR, *over, 0, F16)) == [0]


def test_what_a_model_does_not_decide_is_left_to_the_envelope(regimes):
    a, b, _ = regimes.draw("normal", np.random.default_rng(3), F16, F16, F32, (1, 2, 2, 16))
    point = full(F32, (1, 2, 2), ONE32)
    lo, hi = point.lo.copy(), point.lo + np.array([[[0, 1], [2, 3]]])
    c = Legal.interval(F32, lo, hi).not_judged(np.array([[[False, False], [False, True]]]), Reason.SPEC_SILENT)
    rules = FloatRules(kept_fraction_bits=25, model=TENSOR)
    got = multiply_add(a_fmt=F16, a=a, b_fmt=F16, b=b, c=c, rules=rules)
    plain = multiply_add(a_fmt=F16, a=a, b_fmt=F16, b=b, c=c, rules=replace(rules, model=None))
    exact = multiply_add(a_fmt=F16, a=a, b_fmt=F16, b=b, c=point, rules=rules)
    assert got.lo[0, 0, 0] == got.hi[0, 0, 0] == exact.lo[0, 0, 0]
    assert plain.lo[0, 0, 0] < plain.hi[0, 0, 0]
    for at in ((0, 0, 1), (0, 1, 0), (0, 1, 1)):
        assert [got.lo[at], got.hi[at], got.why[at]] == [plain.lo[at], plain.hi[at], plain.why[at]]
    assert got.why[0, 1, 1] == Reason.SPEC_SILENT
    uncovered = replace(TENSOR, operands=("bf16",))
    other = multiply_add(a_fmt=F16, a=a, b_fmt=F16, b=b, c=point, rules=replace(rules, model=uncovered))
    assert (other.lo < other.hi).all()


def test_an_unjudged_addend_stays_unjudged():
    got = answer(TENSOR, [ONE16], [ONE16], unjudged(F32, (1, 1), Reason.INEXACT_RELOAD))
    assert got.why.item() == Reason.INEXACT_RELOAD


@pytest.mark.parametrize(
    "wrong",
    [
        {"products": 0},
        {"kept_fraction_bits": 41},
        {"result_fraction_bits": 0},
        {"result_fraction_bits": 53},
        {"exponent_floor": 1},
        {"roundings": (("f32", Mode.TO_ODD),)},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_parameters_are_checked(wrong):
    with pytest.raises(ValueError, match="fused block"):
        replace(TENSOR, **wrong)
