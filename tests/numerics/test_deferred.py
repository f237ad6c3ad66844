"""Sets that are computed when they are read are those of the engines, and the verdicts before that are theirs too."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from mmaspec.oracle.numerics import deferred, verdict
from mmaspec.oracle.numerics.bulk import rounded
from mmaspec.oracle.numerics.bulk.operands import addend
from mmaspec.oracle.numerics.contract import multiply_add
from mmaspec.oracle.numerics.deferred import Deferred, Moved, Product, filled, product
from mmaspec.oracle.numerics.legal import Legal, Reason, certain_bits, full, illegal
from mmaspec.oracle.numerics.ordinals import from_ordinal
from mmaspec.oracle.numerics.rules import FloatRules
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.models import Chain
from mmaspec.programs.rounding_mode import Mode

F16, F32, S32 = FORMATS["f16"], FORMATS["f32"], FORMATS["s32"]
PRACTICE, NEAREST = FloatRules(), FloatRules(rounding=Mode.NEAREST_EVEN)
FIELDS = ("lo", "hi", "nan", "why", "moved", "bits")
SHAPE = (3, 5, 4, 16)
SINGLE = (60, 1, 1, 16)
"""Tiles of one element: in a larger one the set that its neighbour needs judges it too."""


def same(one: Legal, other: Legal) -> bool:
    return all(np.array_equal(getattr(one, field), getattr(other, field)) for field in FIELDS)


def addends(rng, fmt, c):
    """The addend as it is, and if its bits are known as a value that was only moved and as a set from a sum before."""
    yield c
    if c.moved.all():
        yield Moved(fmt, c.bits)
        steps = rng.integers(0, 3, (2, *c.shape)) * (rng.random(c.shape) < 0.7)
        usual = (c.lo <= c.hi) & (np.abs(c.lo) < fmt.largest_magnitude - 2)
        lo, hi = np.where(usual, c.lo - steps[0], c.lo), np.where(usual, c.hi + steps[1], c.hi)
        yield Legal.interval(fmt, lo, hi, c.nan)


def contents(rng, types, a, b, c, legal):
    """What devices might leave: right answers, the ends of the sets and their neighbours, and flipped bits."""
    fmt = types[2]
    middle = c.bits if c.moved.all() else from_ordinal(fmt, np.where(c.lo > c.hi, 0, c.lo))
    right = rounded.dot(a_fmt=types[0], a=a, b_fmt=types[1], b=b, c_fmt=fmt, c=middle)
    yield right
    for ordinals in (legal.lo, legal.hi, legal.lo - 1, legal.hi + 1):
        yield from_ordinal(fmt, np.clip(ordinals, fmt.min_ordinal, fmt.max_ordinal))
    yield right ^ (np.uint64(1) << rng.integers(0, fmt.bits, right.shape, np.uint64))


def agreement(regimes, types, rules, names) -> tuple[int, int, int]:
    """How many verdicts of fresh products are those of the sets, how many are not, and how many found an error."""
    rng = np.random.default_rng(11)
    agreed = differ = refused = 0
    for name in names:
        a, b, drawn = regimes.draw(name, rng, *types, SINGLE)
        for c in addends(rng, types[2], drawn):
            data = {"a_fmt": types[0], "a": a, "b_fmt": types[1], "b": b, "c": c, "rules": rules}
            legal = multiply_add(**data)
            asked = product(**data)  # asked again and again, as by a run that goes wrong
            for got in contents(rng, types, a, b, c, legal):
                want = illegal(legal, got)
                for found in (illegal(product(**data), got), illegal(asked, got)):
                    agreed += int((found == want).sum())
                    differ += int((found != want).sum())
                refused += int(want.sum())
    return agreed, differ, refused


@pytest.mark.exhaustive(every=10)
def test_verdicts_are_those_of_the_sets(regimes, types, rules):
    agreed, differ, refused = agreement(regimes, types, rules, regimes.names)
    assert differ == 0
    assert agreed > 10_000
    assert refused > 500


@pytest.mark.exhaustive(every=4)
def test_what_is_read_is_what_the_engines_compute(regimes, types, rules):
    rng = np.random.default_rng(12)
    for name in regimes.names:
        a, b, c = regimes.draw(name, rng, *types, SHAPE)
        data = {"a_fmt": types[0], "a": a, "b_fmt": types[1], "b": b, "c": c, "rules": rules}
        legal = multiply_add(**data)
        whole, part = product(**data), product(**data)
        assert (whole.fmt, whole.shape) == (legal.fmt, legal.shape)
        assert whole.some_nan() == legal.nan.any()
        assert same(whole, legal)
        assert same(part.index(slice(1, 3)), legal.index(slice(1, 3)))
        assert same(part.index((1, 2, 3)), legal.index((1, 2, 3)))
        assert same(part.not_judged(np.ones(part.shape, np.bool_), Reason.SPEC_SILENT),
                    legal.not_judged(np.ones(part.shape, np.bool_), Reason.SPEC_SILENT))  # fmt: skip
        assert all(np.array_equal(*pair) for pair in zip(certain_bits(part), certain_bits(legal), strict=True))


def drawn(regimes, name="normal", rules=None, shape=(6, 4, 4, 16)):
    a, b, c = regimes.draw(name, np.random.default_rng(13), F16, F16, F32, shape)
    data = {"a_fmt": F16, "a": a, "b_fmt": F16, "b": b, "c": Moved(F32, c.bits), "rules": rules or FloatRules()}
    return data, rounded.dot(a_fmt=F16, a=a, b_fmt=F16, b=b, c_fmt=F32, c=c.bits)


def test_parts_of_a_batch_are_judged_as_their_whole(regimes):
    data, right = drawn(regimes)
    wrong = right.copy()
    wrong[1, 2, 3] ^= np.uint64(1 << 20)
    whole = product(**data)
    for _ in range(3):  # the second time from the set, which belongs to the whole
        assert np.argwhere(illegal(whole.index(slice(0, 2)), wrong[:2])).tolist() == [[1, 2, 3]]
        assert not illegal(whole.index(slice(2, 6)), wrong[2:]).any()
        assert not illegal(whole.index(slice(0, 2)), right[:2]).any()


@pytest.fixture
def no_sets(monkeypatch):
    for module in (deferred, verdict):
        monkeypatch.setattr(module, "multiply_add", lambda **_: pytest.fail("a set was computed"))


@pytest.mark.parametrize("rules", [PRACTICE, NEAREST], ids=["practice", "nearest"])
@pytest.mark.parametrize("name", ["normal", "window", "cancel"])
@pytest.mark.usefixtures("no_sets")
def test_right_answers_need_no_set(regimes, rules, name):
    data, right = drawn(regimes, name, rules, (20, 16, 16, 16))
    one = product(**data)
    assert isinstance(one, Product)
    assert not one.some_nan()
    assert not illegal(one, right).any()
    assert not illegal(one.index(slice(0, 4)), right[:4]).any()
    assert not illegal(one, right).any()


@pytest.mark.parametrize("rules", [PRACTICE, NEAREST], ids=["practice", "nearest"])
def test_right_answers_need_no_set_where_the_addend_is_a_sum(regimes, monkeypatch, rules):
    """Anything between what either end of the addend gives."""
    a, b, c = regimes.draw("normal", np.random.default_rng(15), F16, F16, F32, (20, 8, 8, 16))
    data = {"a_fmt": F16, "a": a, "b_fmt": F16, "b": b, "c": Legal.interval(F32, c.lo - 9, c.lo + 9), "rules": rules}
    legal = multiply_add(**data)
    monkeypatch.setattr(verdict, "multiply_add", lambda **_: pytest.fail("a set was computed"))
    for third in range(1, 3):
        assert not illegal(product(**data), from_ordinal(F32, legal.lo + third * (legal.hi - legal.lo) // 3)).any()


@pytest.mark.parametrize("rules", [PRACTICE, NEAREST], ids=["practice", "nearest"])
@pytest.mark.parametrize(
    ("lo", "hi", "nan"),
    [(1, 0, True), (F32.max_ordinal, F32.max_ordinal, False), (F32.min_ordinal, F32.min_ordinal, False)],
    ids=["NaN", "Inf", "-Inf"],
)
def test_an_addend_that_is_no_number_for_certain_makes_none(regimes, rules, lo, hi, nan):
    """The answer without it is wrong, though that is what stands in for it elsewhere."""
    a, b, _ = regimes.draw("normal", np.random.default_rng(16), F16, F16, F32, SINGLE)
    ends = [np.full((60, 1, 1), end, np.int64) for end in (lo, hi)]
    c = Legal.interval(F32, *ends, np.full((60, 1, 1), nan))
    got = rounded.dot(a_fmt=F16, a=a, b_fmt=F16, b=b, c_fmt=F32, c=np.zeros((60, 1, 1), np.uint64))
    assert illegal(product(a_fmt=F16, a=a, b_fmt=F16, b=b, c=c, rules=rules), got).all()


@pytest.mark.parametrize("others", [0, 99], ids=["alone", "among others"])
def test_both_ends_of_an_addend_are_looked_at(others):
    """2^40 + 2^17 + 2^16 is a tie, and with a little less it goes down: the last bit of the upper end decides."""
    bf16 = FORMATS["bf16"]
    a = np.zeros((1 + others, 1, 3), np.uint64)
    a[0] = codes_of(bf16, [2.0**40, 2.0**17, 2.0**16])
    b = np.full((1 + others, 3, 1), codes_of(bf16, [1.0])[0])
    lo, hi = np.zeros((2, 1 + others, 1, 1), np.int64)
    lo[0], hi[0] = -int(codes_of(F32, [2.0**10])[0]), -int(codes_of(F32, [2.0**-20])[0])
    got = np.zeros((1 + others, 1, 1), np.uint64)
    got[0] = codes_of(F32, [2.0**40 + 2.0**18])[0]
    data = {"a_fmt": bf16, "a": a, "b_fmt": bf16, "b": b, "c": Legal.interval(F32, lo, hi), "rules": NEAREST}
    assert illegal(multiply_add(**data), got).ravel().tolist() == [True, *[False] * others]
    assert illegal(product(**data), got).ravel().tolist() == [True, *[False] * others]


def codes_of(fmt, values):
    """Codes of numbers that f32 holds."""
    wide = np.array(values, np.float32).view(np.uint32).astype(np.uint64)
    return wide >> np.uint64(32 - fmt.bits)


@pytest.mark.usefixtures("no_sets")
def test_the_same_content_is_judged_once(regimes, monkeypatch):
    data, right = drawn(regimes)
    one = product(**data)
    assert not illegal(one, right).any()
    monkeypatch.setattr(verdict, "judged_sums", lambda **_: pytest.fail("judged again"))
    assert not illegal(one, right.copy()).any()


def test_another_content_is_not_taken_for_the_one_that_passed(regimes):
    data, right = drawn(regimes)
    one = product(**data)
    assert not illegal(one, right).any()
    other = right ^ np.uint64(1 << 22)
    assert illegal(one, other).any()
    assert (illegal(one, other) == illegal(multiply_add(**data), other)).all()


def test_a_set_is_computed_once(regimes, monkeypatch):
    data, right = drawn(regimes)
    calls = []
    monkeypatch.setattr(deferred, "multiply_add", lambda **given: calls.append(1) or multiply_add(**given))
    one = product(**data)
    for field in FIELDS:
        getattr(one, field)
    illegal(one, right ^ np.uint64(1))
    part = one.index(slice(0, 2))
    illegal(part, right[:2] ^ np.uint64(1))
    assert part.shape == part.lo.shape == (2, 4, 4)
    assert calls == [1]


@pytest.mark.parametrize(
    "rules",
    [FloatRules(model=Chain(fused=False)), FloatRules(final_rounding=Mode.TOWARD_ZERO), FloatRules(rounding=Mode.DOWN)],
    ids=["model", "final", "directed"],
)
def test_other_rules_are_judged_by_their_sets(regimes, rules):
    assert not isinstance(product(**drawn(regimes, rules=rules)[0]), Deferred)


def test_operands_that_do_not_fit_are_refused_at_once():
    zero = np.zeros((2, 3), np.uint64)
    with pytest.raises(ValueError, match="cannot be multiplied"):
        product(a_fmt=F16, a=zero, b_fmt=F16, b=zero, c=filled(F32, (2, 3), 0), rules=FloatRules())
    with pytest.raises(ValueError, match="no float contract"):
        product(a_fmt=F16, a=zero, b_fmt=F16, b=zero.T, c=filled(S32, (2, 2), 0), rules=FloatRules())


@pytest.mark.parametrize("fmt", [F16, S32], ids=lambda fmt: fmt.name)
def test_moved_values_are_sets_of_their_bits(fmt):
    rng = np.random.default_rng(14)
    codes = rng.integers(0, 1 << fmt.bits, (3, 1, 4, 6), np.uint64)
    if fmt.is_float:
        codes[0, 0, 0] = [0, fmt.sign_bit, fmt.nan_bits, fmt.nan_bits | 1, fmt.infinity_magnitude, 1]
    want, nothing = Legal.from_bits(fmt, codes), np.zeros(codes.shape, np.bool_)
    assert same(Moved(fmt, codes), want)
    assert same(Moved(fmt, codes).index(slice(1, 3)), want.index(slice(1, 3)))
    assert same(Moved(fmt, codes).reshape(3, 24), want.reshape(3, 24))
    assert same(Moved(fmt, codes).broadcast_to((3, 5, 4, 6)), want.broadcast_to((3, 5, 4, 6)))
    assert same(Moved(fmt, codes).not_judged(nothing, Reason.SPEC_SILENT), want)
    assert same(
        Moved(fmt, codes).not_judged(~nothing, Reason.SPEC_SILENT), want.not_judged(~nothing, Reason.SPEC_SILENT)
    )
    assert same(filled(fmt, (2, 3), 7), full(fmt, (2, 3), 7))
    for got in (
        codes,
        codes ^ np.uint64(1),
        codes ^ np.uint64(fmt.sign_bit),
        rng.permutation(codes.ravel()).reshape(codes.shape),
    ):
        assert (illegal(Moved(fmt, codes), got) == illegal(want, got)).all()
    for one in (Moved(fmt, codes), want):
        bits, known = certain_bits(one)
        assert known.all()
        assert (bits == codes).all()


def forgets_the_upper_end(monkeypatch):
    monkeypatch.setattr(verdict, "_outside", lambda sums, _, d: np.maximum(sums.product + sums.addend.lo - d, 0))


def widens_the_gaps(monkeypatch):
    real = verdict._half_gaps
    monkeypatch.setattr(verdict, "_half_gaps", lambda fmt, d: 2 * real(fmt, d))


def takes_every_sum_for_exact(monkeypatch):
    monkeypatch.setattr(verdict, "_exact", lambda _, wanted: wanted)


def lets_every_tie_pass(monkeypatch):
    real = verdict._rounds_to
    monkeypatch.setattr(verdict, "_rounds_to", lambda *given: real(*given[:-1], given[-1] & ~np.uint64(1)))


def takes_sets_without_numbers(monkeypatch):
    real = verdict._third
    monkeypatch.setattr(
        verdict, "_third", lambda fmt, c, rules: addend(c, rules) if isinstance(c, Legal) else real(fmt, c, rules)
    )


def takes_any_content_for_the_one_that_passed(monkeypatch):
    monkeypatch.setattr(deferred, "np", SimpleNamespace(**{**vars(np), "array_equal": lambda *_: True}))


@pytest.mark.parametrize(
    ("breaks", "rules", "types", "names"),
    [
        (forgets_the_upper_end, PRACTICE, "f16 f16 f32", ["sets", "normal"]),
        (widens_the_gaps, NEAREST, "f16 f16 f32", ["normal"]),
        (takes_every_sum_for_exact, NEAREST, "bf16 bf16 f32", ["near_tie"]),
        (lets_every_tie_pass, NEAREST, "f16 f16 f32", ["near_tie"]),
        (takes_sets_without_numbers, PRACTICE, "f16 f16 f32", ["open_sets"] * 4),
        (takes_any_content_for_the_one_that_passed, PRACTICE, "f16 f16 f32", ["normal"]),
    ],
    ids=lambda given: getattr(given, "__name__", ""),
)
def test_broken_verdicts_are_seen(regimes, monkeypatch, breaks, rules, types, names):
    formats = [FORMATS[name] for name in types.split()]
    assert agreement(regimes, formats, rules, names)[1] == 0
    breaks(monkeypatch)
    assert agreement(regimes, formats, rules, names)[1] > 5
