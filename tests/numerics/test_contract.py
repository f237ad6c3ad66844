"""The float contract is sound (no legal order of arithmetic fails it) and sharp (small faults do)."""

from __future__ import annotations

import numpy as np
import pytest

from mmaspec.oracle.numerics.bulk import certificate, products
from mmaspec.oracle.numerics.contract import FloatRules, Mode, multiply_add
from mmaspec.oracle.numerics.definition.dot import LegalElement
from mmaspec.oracle.numerics.definition.referee import Referee
from mmaspec.oracle.numerics.legal import Legal, Reason, full, illegal, unjudged
from mmaspec.oracle.numerics.ordinals import exact_float64
from mmaspec.programs.formats import FORMATS

F16, BF16, F32 = FORMATS["f16"], FORMATS["bf16"], FORMATS["f32"]
SHAPE = (8, 8, 8, 16)


def decoded(a_fmt, a, b_fmt, b, c):
    """Products (T, M, N, K) and addends (T, M, N), exact in float64."""
    left, right = exact_float64(a_fmt, a), exact_float64(b_fmt, b)
    return left[:, :, None, :] * right.swapaxes(1, 2)[:, None, :, :], exact_float64(F32, c.bits)


def single(x):
    return np.asarray(x, np.float32)


def bits32(x):
    return single(x).view(np.uint32).astype(np.uint64)


def sequential(p, c):
    total = single(c)
    for k in range(p.shape[-1]):
        total = total + single(p[..., k])
    return total


def backwards_c_last(p, c):
    return sequential(p[..., ::-1], np.zeros_like(c)) + single(c)


def pairwise(p, c):
    terms = single(p)
    while terms.shape[-1] > 1:
        terms = terms[..., ::2] + terms[..., 1::2]
    return terms[..., 0] + single(c)


def flush(x):
    return np.where(np.abs(x) < np.float32(2.0**-126), np.float32(0), x)


def flushing(p, c):
    """Every step in float32 with subnormal results and addends flushed."""
    total = flush(single(c))
    for k in range(p.shape[-1]):
        total = flush(total + flush(single(p[..., k])))
    return total


def truncate32(x):
    """Float64 to float32 towards zero, by bits; beyond the range to Inf."""
    size = np.abs(x)
    near = single(size)
    with np.errstate(invalid="ignore"):
        down = np.where(near.astype(np.float64) > size, np.nextafter(near, np.float32(0)), near)
    return np.copysign(np.where(size >= 2.0**128, np.float32(np.inf), down), single(x))


def fused(f, block, a_fmt, a, b_fmt, b):
    """Blocks of products and the running sum, aligned on the largest exponent and cut to f fraction bits.

    Products are aligned unnormalised, by the sum of their operands' exponents, where a subnormal operand has the
    smallest normal exponent; zero products take no part.
    """

    def exponents(fmt, codes):
        size = np.abs(exact_float64(fmt, codes))
        return np.frexp(np.maximum(size, 2.0**fmt.emin))[1] - 1

    rows, columns = exponents(a_fmt, a)[:, :, None, :], exponents(b_fmt, b).swapaxes(1, 2)[:, None, :, :]

    def model(p, c):
        total = np.asarray(c, np.float64)
        aligned = np.where(p == 0, -133, rows + columns)
        for k in range(0, p.shape[-1], block):
            terms = np.concatenate([p[..., k : k + block], total[..., None]], axis=-1)
            of_total = np.maximum(np.frexp(total)[1] - 1, -126)
            exponent = np.maximum(aligned[..., k : k + block].max(axis=-1), np.where(total == 0, -133, of_total))
            quantum = np.ldexp(1.0, np.maximum(exponent, -133) - f)[..., None]
            total = np.asarray(truncate32((np.trunc(terms / quantum) * quantum).sum(axis=-1)), np.float64)
        return total

    return model


def models(a_fmt, a, b_fmt, b, finite=True):
    """Legal arithmetic units, each a function of the exact products and of C."""
    blocks = {f"fused{f}x{block}": fused(f, block, a_fmt, a, b_fmt, b) for f, block in ((23, 4), (24, 8), (25, 16))}
    return {**PLAIN, **blocks} if finite else PLAIN


PLAIN = {
    "sequential": sequential,
    "backwards": backwards_c_last,
    "pairwise": pairwise,
    "once": lambda p, c: truncate32(p.sum(axis=-1) + c),
}
FINITE = ("normal", "wild", "subnormal", "cancel", "near_tie", "window", "overflow", "zero_times_huge")


@pytest.mark.parametrize("regime", [*FINITE, "specials"])
@pytest.mark.parametrize("fmt", [F16, BF16], ids=lambda fmt: fmt.name)
def test_no_legal_order_fails(regimes, regime, fmt):
    rng = np.random.default_rng(7)
    judged = 0
    for _ in range(4):
        a, b, c = regimes.draw(regime, rng, fmt, fmt, F32, SHAPE)
        kept = multiply_add(a_fmt=fmt, a=a, b_fmt=fmt, b=b, c=c, rules=FloatRules())
        judged += int((kept.why == 0).sum())
        with np.errstate(all="ignore"):
            p, addend = decoded(fmt, a, fmt, b, c)
            units = models(fmt, a, fmt, b, finite=regime != "specials")
            for name, unit in units.items():
                assert not illegal(kept, bits32(unit(p, addend))).any(), name
            free = multiply_add(
                a_fmt=fmt, a=a, b_fmt=fmt, b=b, c=c, rules=FloatRules(flush_inputs=True, flush_results=True)
            )
            for name, unit in {**units, "flushing": flushing}.items():
                assert not illegal(free, bits32(unit(p, addend))).any(), name
    assert judged > 0


def test_the_usual_bound_would_fail_a_legal_unit(monkeypatch):
    """Why the envelope counts subnormals as the smallest normal (S* and not S): units align them so."""
    operand = products.operand

    def without_star(*args):
        found = operand(*args)
        found.stars = found.sizes
        return found

    monkeypatch.setattr(products, "operand", without_star)
    # 2^-24 * 1 is aligned as 2^-14, so that its neighbours 2^-24 * 2^-14 fall off the end of 23 fraction bits
    a, b = np.full((1, 8, 16), 0x0001, np.uint64), np.full((1, 16, 8), 0x0400, np.uint64)
    b[:, 0] = ONE16
    c = full(F32, (1, 8, 8), 0)
    p, addend = decoded(F16, a, F16, b, c)
    got = bits32(fused(23, 4, F16, a, F16, b)(p, addend))
    rules = FloatRules(window="reported")
    assert illegal(multiply_add(a_fmt=F16, a=a, b_fmt=F16, b=b, c=c, rules=rules), got).all()
    monkeypatch.undo()
    assert not illegal(multiply_add(a_fmt=F16, a=a, b_fmt=F16, b=b, c=c, rules=rules), got).any()
    assert not illegal(multiply_add(a_fmt=F16, a=a, b_fmt=F16, b=b, c=c, rules=FloatRules()), got).any()


def test_forbidden_flush_is_caught(regimes):
    a, b, c = regimes.draw("subnormal", np.random.default_rng(1), BF16, BF16, F32, SHAPE)
    strict = multiply_add(a_fmt=BF16, a=a, b_fmt=BF16, b=b, c=c, rules=FloatRules())
    p, addend = decoded(BF16, a, BF16, b, c)
    lost = np.where(np.abs(exact_float64(BF16, a)) < 2.0**-126, 0.0, exact_float64(BF16, a))
    right = exact_float64(BF16, b)
    flushed = lost[:, :, None, :] * right.swapaxes(1, 2)[:, None, :, :]
    got = illegal(strict, bits32(sequential(flushed, addend)))
    assert got.any(axis=(1, 2)).mean() > 0.8  # of the tiles
    assert not illegal(strict, bits32(sequential(p, addend))).any()


def window_batch(rng):
    """Small integers with C in the top binade, so that every bit of a 24-bit accumulator is in use."""
    a, b = (rng.integers(-60, 61, (16, 8, 8)).astype(np.float16) for _ in range(2))
    c = rng.integers(2**23, 2**24 - 8 * 3600, (16, 8, 8)) * rng.choice([-1, 1], (16, 8, 8))
    codes = [v.view(np.uint16).astype(np.uint64) for v in (a, b)]
    return *codes, Legal.from_bits(F32, bits32(c)), a.astype(np.float64) @ b.astype(np.float64) + c


@pytest.mark.parametrize("rules", [FloatRules(), FloatRules(flush_inputs=True, flush_results=True)])
def test_window_catches_lost_bits(rules):
    a, b, c, x = window_batch(np.random.default_rng(3))
    demanded = multiply_add(a_fmt=F16, a=a, b_fmt=F16, b=b, c=c, rules=rules)
    inside = np.abs(x) >= 2**23
    assert (demanded.exact | ~inside).mean() > 0.95
    assert not illegal(demanded, bits32(x)).any()
    assert illegal(demanded, bits32(np.trunc(x / 4) * 4))[inside].mean() > 0.7  # a 22-bit accumulator
    assert illegal(demanded, bits32(x) & ~np.uint64(1))[inside].mean() > 0.45  # the last bit dropped
    envelope = multiply_add(a_fmt=F16, a=a, b_fmt=F16, b=b, c=c, rules=FloatRules(window="reported"))
    assert not illegal(envelope, bits32(np.trunc(x / 4) * 4)).any()


def test_f16_accumulator(regimes):
    """With t = 11, rounding to f16 at every step is legal into f16, and not into f32."""
    a, b, c = regimes.draw("normal", np.random.default_rng(4), F16, F16, F16, SHAPE)
    legal = multiply_add(a_fmt=F16, a=a, b_fmt=F16, b=b, c=c, rules=FloatRules())
    p = exact_float64(F16, a)[:, :, None, :] * exact_float64(F16, b).swapaxes(1, 2)[:, None, :, :]
    total = exact_float64(F16, c.bits).astype(np.float16)
    for k in range(p.shape[-1]):
        total = (total.astype(np.float64) + p[..., k]).astype(np.float32).astype(np.float16)
    codes = total.view(np.uint16).astype(np.uint64)
    assert not illegal(legal, codes).any()
    wide = multiply_add(
        a_fmt=F16, a=a, b_fmt=F16, b=b, c=Legal.from_bits(F32, bits32(exact_float64(F16, c.bits))), rules=FloatRules()
    )
    assert illegal(wide, bits32(total)).mean() > 0.9


def one(fmt, *codes):
    assert max(codes) <= fmt.mask
    return np.array([[codes]], np.uint64)


ONE16, INF16, NAN16, SUB16, BIG = 0x3C00, 0x7C00, 0x7E00, 0x0001, 0x7F7FFFFF
INF32, NAN32, ZERO = 0x7F800000, 0x7FC00000, 0
MINUS16, MINUS32 = 0x8000, 0x80000000


def dot_of(a, b, c, rules=None):
    c = c if isinstance(c, Legal) else full(F32, (1, 1, 1), c)
    b = np.array(b, np.uint64).reshape(1, -1, 1)
    return multiply_add(a_fmt=F16, a=one(F16, *a), b_fmt=F16, b=b, c=c, rules=rules or FloatRules())


def accepts(legal, code):
    return not illegal(legal, np.array([[[code]]], np.uint64)).any()


def test_specials_one_by_one():
    must_nan = [
        dot_of([NAN16], [ONE16], ZERO),
        dot_of([ONE16], [NAN16], ZERO),
        dot_of([ONE16], [ONE16], NAN32),
        dot_of([INF16], [ZERO], ZERO),
        dot_of([INF16, INF16 | MINUS16], [ONE16, ONE16], ZERO),
        dot_of([INF16], [ONE16], INF32 | MINUS32),
    ]
    for legal in must_nan:
        assert accepts(legal, NAN32)
        assert not accepts(legal, INF32)
        assert not accepts(legal, ZERO)
        assert legal.why.item() == 0
    infinite = dot_of([INF16 | MINUS16], [ONE16], ZERO)
    assert accepts(infinite, INF32 | MINUS32)
    assert not accepts(infinite, INF32)
    assert not accepts(infinite, NAN32)
    # N3: a subnormal beside an infinity, with and without flush
    assert not accepts(dot_of([INF16], [SUB16], ZERO), NAN32)
    assert accepts(dot_of([INF16], [SUB16], ZERO, FloatRules(flush_inputs=True)), NAN32)
    # reported: not judged instead of NaN
    quiet = dot_of([NAN16], [ONE16], ZERO, FloatRules(nan="reported"))
    assert quiet.why.item() == Reason.NAN_NOT_REQUIRED
    assert accepts(quiet, ZERO)


def test_containment():
    """N2: a NaN in one row leaves the others judged as before."""
    rng = np.random.default_rng(8)
    a, b, c, _ = window_batch(rng)
    clean = multiply_add(a_fmt=F16, a=a, b_fmt=F16, b=b, c=c, rules=FloatRules(nan="reported"))
    a = a.copy()
    a[:, 2, 3] = NAN16
    dirty = multiply_add(a_fmt=F16, a=a, b_fmt=F16, b=b, c=c, rules=FloatRules(nan="reported"))
    assert (dirty.why[:, 2] == Reason.NAN_NOT_REQUIRED).all()
    keep = [i for i in range(8) if i != 2]
    assert (dirty.lo[:, keep] == clean.lo[:, keep]).all()
    assert (dirty.why[:, keep] == 0).all()


def test_overflow_of_one_sign_stays_judged():
    legal = dot_of([0x7BFF] * 2, [0x7BFF] * 2, BIG)
    assert legal.why.item() == 0
    assert accepts(legal, BIG)
    assert not accepts(legal, NAN32)
    far = dot_of([ONE16], [ONE16], Legal.interval(F32, *np.array([[[[BIG]]], [[[INF32]]]])))
    assert accepts(far, INF32)


def test_a_hazard_is_not_cleared_later():
    """A hazard created by one step stays when the next step's sum is infinite; only a certain NaN clears it."""
    huge = dot_of([0xFBFF, 0x7BFF], [0x7BFF, 0x7BFF], BIG)  # Omega, a positive and a negative product
    assert huge.why.item() == Reason.OVERFLOW_HAZARD
    then_infinite = dot_of([INF16], [ONE16], huge)
    assert then_infinite.why.item() == Reason.OVERFLOW_HAZARD
    assert accepts(then_infinite, NAN32)
    assert accepts(then_infinite, ZERO)
    then_nan = dot_of([NAN16], [ONE16], huge)
    assert then_nan.why.item() == 0
    assert not accepts(then_nan, ZERO)
    silent = unjudged(F32, (1, 1, 1), Reason.INEXACT_RELOAD)
    assert dot_of([NAN16], [ONE16], silent, FloatRules(nan="reported")).why.item() == Reason.INEXACT_RELOAD


def test_correct_rounding_is_a_declared_profile(regimes):
    a, b, c = regimes.draw("cancel", np.random.default_rng(9), F16, F16, F32, SHAPE)
    legal = multiply_add(a_fmt=F16, a=a, b_fmt=F16, b=b, c=c, rules=FloatRules(rounding=Mode.NEAREST_EVEN))
    assert legal.exact.all()
    p, addend = decoded(F16, a, F16, b, c)
    assert illegal(legal, bits32(sequential(p, addend))).any()


def mutant_differences(regimes, engine, rules):
    """How many elements an engine gets wrong, by regime."""
    rng = np.random.default_rng(10)
    wrong = {}
    for regime in ("normal", "near_tie", "cancel", "subnormal"):
        a, b, c = regimes.draw(regime, rng, BF16, BF16, F32, (4, 4, 4, 16))
        got = engine(a, b, c)
        referee = Referee(BF16, BF16, F32, 16, rules)
        want = np.empty(c.shape, np.int64)
        for t, i, j in np.ndindex(*c.shape):
            at = LegalElement(int(c.lo[t, i, j]), int(c.hi[t, i, j]))
            element = referee.element(referee.row(a[t, i].tolist()), referee.column(b[t, :, j].tolist()), at)
            want[t, i, j] = element.lo
        wrong[regime] = int((got != want).sum())
    return wrong


def test_broken_engines_are_caught(regimes, monkeypatch):
    rules = FloatRules(rounding=Mode.NEAREST_EVEN)

    def production(a, b, c):
        return multiply_add(a_fmt=BF16, a=a, b_fmt=BF16, b=b, c=c, rules=rules).lo

    def product_then_cast(a, b, c):
        x = exact_float64(BF16, a) @ exact_float64(BF16, b) + exact_float64(F32, c.bits)
        return Legal.from_bits(F32, bits32(x)).lo

    assert sum(mutant_differences(regimes, production, rules).values()) == 0
    cast = mutant_differences(regimes, product_then_cast, rules)
    assert cast["near_tie"] > 10
    monkeypatch.setattr(certificate.CERTIFICATE, "factor", 0.0)
    uncertified = mutant_differences(regimes, production, rules)
    assert uncertified["near_tie"] > 10


def test_broken_envelope_engine_is_caught(monkeypatch):
    """An end that misses a value of the format by n * 2^qmin, which float64 cannot see beside it.

    With K = 1023 the factor n eps (1 + n eps) is 2^-12 + 2^-24, so that c (1 - factor) is a float32 where c = 2^i.
    """
    k, rules = 1023, FloatRules(window="reported")
    a, b = np.zeros((1, 1, k), np.uint64), np.zeros((1, k, 8), np.uint64)
    c = Legal.from_bits(F32, bits32(2.0 ** np.arange(8).reshape(1, 1, 8)))
    referee = Referee(F16, F16, F32, k, rules)
    row, column = referee.row([0] * k), referee.column([0] * k)
    want = [referee.element(row, column, LegalElement(at, at)).lo for at in c.lo.ravel().tolist()]

    def production():
        return multiply_add(a_fmt=F16, a=a, b_fmt=F16, b=b, c=c, rules=rules).lo.ravel().tolist()

    assert production() == want
    monkeypatch.setattr(certificate.CERTIFICATE, "factor", 0.0)
    assert all(got == right + 1 for got, right in zip(production(), want, strict=True))


def test_shapes_broadcast_and_chunk():
    rng = np.random.default_rng(12)
    a = rng.integers(0, 0x7C00, (3, 1, 40, 16)).astype(np.uint64)
    b = rng.integers(0, 0x7C00, (50, 16, 24)).astype(np.uint64)
    c = full(F32, (1, 1, 40, 24), 0x3F800000)
    legal = multiply_add(a_fmt=F16, a=a, b_fmt=F16, b=b, c=c, rules=FloatRules())
    assert legal.shape == (3, 50, 40, 24)
    part = multiply_add(a_fmt=F16, a=a[2, 0], b_fmt=F16, b=b[49], c=c.index((0, 0)), rules=FloatRules())
    assert (part.lo == legal.lo[2, 49]).all()
    empty = multiply_add(
        a_fmt=F16, a=a[:0], b_fmt=F16, b=b[:0], c=c.index((slice(0, 0), slice(0, 0))), rules=FloatRules()
    )
    assert empty.shape == (0, 0, 40, 24)
    with pytest.raises(ValueError, match="cannot be multiplied"):
        multiply_add(a_fmt=F16, a=a, b_fmt=F16, b=b[:, :5], c=c, rules=FloatRules())
    with pytest.raises(ValueError, match="no float contract"):
        multiply_add(a_fmt=F16, a=a, b_fmt=FORMATS["s8"], b=b, c=c, rules=FloatRules())


@pytest.mark.parametrize("fmt", [F16, BF16, F32], ids=lambda fmt: fmt.name)
@pytest.mark.parametrize("flushed", [False, True])
def test_sums_of_zeros_alone_are_exact(fmt, flushed):
    """No step rounds, aligns or flushes anything; one term that is no zero leaves room again."""
    rules = FloatRules(flush_inputs=flushed, flush_results=flushed, window="reported")
    one, zero, minus = 1 << fmt.fraction_bits, 0, fmt.sign_bit
    a, b = np.array([[[zero, minus]]], np.uint64), np.array([[[one], [one]]], np.uint64)
    for c in (zero, minus):
        legal = multiply_add(a_fmt=fmt, a=a, b_fmt=fmt, b=b, c=full(fmt, (1, 1, 1), c), rules=rules)
        assert accepts(legal, zero)
        assert accepts(legal, minus)
        assert not accepts(legal, 1)
        assert not accepts(legal, 1 | minus)
    a[0, 0, 0] = one
    legal = multiply_add(a_fmt=fmt, a=a, b_fmt=fmt, b=b, c=full(fmt, (1, 1, 1), zero), rules=rules)
    assert accepts(legal, 1)
    assert accepts(legal, zero) == (flushed or fmt is not F32 or legal.lo[0, 0, 0] <= 0)


@pytest.mark.parametrize("fmt", [F16, BF16, F32], ids=lambda fmt: fmt.name)
def test_what_is_flushed_is_terms(fmt):
    """One term may vanish, and does not become another: not its opposite, nor a normal number."""
    rules = FloatRules(flush_inputs=True, flush_results=True, window="reported")
    zeros = np.zeros((1, 1, 16), np.uint64)
    normal, half = 1 << fmt.fraction_bits, 1 << (fmt.fraction_bits - 1)
    for sign in (0, fmt.sign_bit):
        c = full(fmt, (1, 1, 1), half | sign)
        legal = multiply_add(a_fmt=F16, a=zeros, b_fmt=F16, b=zeros.reshape(1, 16, 1), c=c, rules=rules)
        assert accepts(legal, half | sign)
        assert accepts(legal, 0)
        assert accepts(legal, half | (sign ^ fmt.sign_bit)) == (fmt is BF16)  # whose steps are as large
        assert not accepts(legal, (normal | half) | sign)


def test_every_partial_sum_may_be_flushed():
    """Four products of a quarter of the smallest normal and less: all, any or none of them may be there."""
    rules = FloatRules(flush_results=True, window="reported")
    a = one(F16, *(0x1C00,) * 4)  # 2^-8
    b = np.array([0x1C00, 0x1800, 0x1400, 0x9C00], np.uint64).reshape(1, 4, 1)  # 2^-8, 2^-9, 2^-10, -2^-8
    legal = multiply_add(a_fmt=F16, a=a, b_fmt=F16, b=b, c=full(F16, (1, 1, 1), 0), rules=rules)
    positive, negative = 2**8 + 2**7 + 2**6, 2**8  # in quanta of 2^-24, which ordinals of subnormals are
    assert positive <= legal.hi[0, 0, 0] < positive + 64
    assert -negative - 64 < legal.lo[0, 0, 0] <= -negative


def test_zeros_that_are_aligned_like_subnormals_leave_room():
    legal = dot_of([ZERO], [ONE16], ZERO, FloatRules(zero_exponent=True, window="reported"))
    assert accepts(legal, 1)
