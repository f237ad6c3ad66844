"""Operations on matrices: exact answers by rational numbers, laws, and the device, which was written apart."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import trunc
from typing import Any, get_args

import numpy as np
import pytest
from numpy.typing import NDArray

from mmaspec.backends.numpy.nv_coopmat2.device import CoopMat2Device
from mmaspec.backends.numpy.nv_coopmat2.single_doubles import SingleDoubles
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.oracle.numerics.elementwise import Operation
from mmaspec.oracle.numerics.legal import Legal, illegal
from mmaspec.oracle.numerics.ordinals import from_ordinal, ordinal_value, to_ordinal
from mmaspec.oracle.numerics.rounding import ceil_ordinal, floor_ordinal
from mmaspec.oracle.numerics.rules import FloatRules
from mmaspec.oracle.nv_coopmat2.matrices.arithmetic import OPERATIONS, combined, negated
from mmaspec.oracle.nv_coopmat2.matrices.conversion import converted
from mmaspec.oracle.nv_coopmat2.matrices.element_functions import per_element
from mmaspec.oracle.nv_coopmat2.matrices.product import mul_add
from mmaspec.oracle.nv_coopmat2.matrices.reduction import reduced
from mmaspec.oracle.nv_coopmat2.practice import PRACTICE_RULES
from mmaspec.programs.formats import FORMATS, Format
from mmaspec.programs.nv_coopmat2.program import Combine, Component, Reduce
from mmaspec.programs.rounding_mode import Mode

KINDS: tuple[Component, ...] = get_args(Component)
STRICT = FloatRules()
"""Nothing flushes, NaN is demanded: the sharpest sets, to hold against exact arithmetic."""
DEVICE = CoopMat2Device(SequentialUnit())
Bits = NDArray[np.uint64]


def codes(fmt: Format, count: int = 600) -> Bits:
    """Every code of small formats; ends, neighbours of integers and a spread of the others."""
    if fmt.bits <= 8:
        return np.arange(1 << fmt.bits, dtype=np.uint64)
    random = np.random.Philox(key=fmt.bits).random_raw(count) & np.uint64(fmt.mask)
    ends = [0, 1, fmt.mask, fmt.sign_bit, fmt.mask ^ fmt.sign_bit, fmt.mask >> 1, 3, 5]
    found = np.concatenate([np.array(ends, np.uint64), random])
    if not fmt.is_float:
        small = np.arange(-40_000, 40_000, 97).astype(np.uint64) & np.uint64(fmt.mask)
        found = np.concatenate([found, small])
    if fmt.is_float:
        near = np.arange(-40, 41) / 4
        wide = np.array([near, near * 1000, near * 2.0**20]).ravel()
        extra = {"f64": np.float64, "f32": np.float32, "f16": np.float16}.get(fmt.name)
        if extra is not None:
            with np.errstate(over="ignore"):
                found = np.concatenate([found, wide.astype(extra).view(f"u{fmt.nbytes}").astype(np.uint64)])
    return found


def exact(fmt: Format, bits: int) -> Fraction | None:
    """The value of a code; None where it is no finite number."""
    ordinal = int(to_ordinal(fmt, np.array([bits], np.uint64))[0])
    if abs(ordinal) >= fmt.max_ordinal and fmt.is_float:
        return None
    value = ordinal_value(fmt, ordinal)
    return value if isinstance(value, Fraction) else None


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize(("old", "new"), list(product(KINDS, KINDS)), ids=str)
def test_device_converts_within_what_is_legal(old: Component, new: Component) -> None:
    bits = codes(FORMATS[old])
    with np.errstate(all="ignore"):
        got = bits if old == new else DEVICE.cast(FORMATS[old], bits, FORMATS[new])
    for rules in (PRACTICE_RULES, STRICT):
        legal = converted(Legal.from_bits(FORMATS[old], bits), FORMATS[new], rules)
        assert not illegal(legal, got).any()
        assert (legal.why == 0).mean() > (0.05 if FORMATS[old].is_float else 0.2)


INTEGERS = [kind for kind in KINDS if not FORMATS[kind].is_float]
FLOATS = [kind for kind in KINDS if FORMATS[kind].is_float]


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize(("old", "new"), list(product(INTEGERS, INTEGERS)), ids=str)
def test_integers_keep_their_low_bits(old: Component, new: Component) -> None:
    fmt, bits = FORMATS[new], codes(FORMATS[old])
    legal = converted(Legal.from_bits(FORMATS[old], bits), fmt, STRICT)
    assert legal.exact.all()
    for code, ordinal in zip(bits.tolist(), legal.lo.tolist(), strict=True):
        value = exact(FORMATS[old], code)
        assert value is not None
        assert (ordinal - int(value)) % (1 << fmt.bits) == 0
        assert fmt.min_value <= ordinal <= fmt.max_value


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize(("old", "new"), list(product(FLOATS, INTEGERS)), ids=str)
def test_floats_are_cut_toward_zero_where_they_fit(old: Component, new: Component) -> None:
    fmt, bits = FORMATS[new], codes(FORMATS[old])
    legal = converted(Legal.from_bits(FORMATS[old], bits), fmt, STRICT)
    for code, low, high, why in zip(
        bits.tolist(), legal.lo.tolist(), legal.hi.tolist(), legal.why.tolist(), strict=True
    ):
        value = exact(FORMATS[old], code)
        least = 0 if not fmt.signed else fmt.min_value - 1
        fits = value is not None and (value >= 0 if not fmt.signed else value > least) and value < fmt.max_value + 1
        assert (why == 0) == fits
        if fits:
            assert value is not None
            assert low == high == trunc(value)


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize(("old", "new"), list(product(KINDS, FLOATS)), ids=str)
def test_floats_take_a_value_or_its_neighbours(old: Component, new: Component) -> None:
    fmt, bits = FORMATS[new], codes(FORMATS[old], 200)
    legal = converted(Legal.from_bits(FORMATS[old], bits), fmt, STRICT)
    judged = 0
    for number, code in enumerate(bits.tolist()):
        value = exact(FORMATS[old], code)
        if value is None or legal.why[number]:
            continue
        judged += 1
        low, high = (ordinal_value(fmt, int(end[number])) for end in (legal.lo, legal.hi))
        assert low <= value <= high
        assert int(legal.hi[number]) - int(legal.lo[number]) == (0 if low == value else 1)
    assert judged > 10


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("op", sorted(OPERATIONS))
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "bf16"])
def test_device_computes_within_what_is_legal(kind: Component, op: str) -> None:
    fmt = FORMATS[kind]
    left = codes(fmt, 300)
    right = np.roll(left, 7)
    with np.errstate(all="ignore"):
        got = DEVICE.apply(op, fmt, left, right)
    legal = combined(OPERATIONS[op], Legal.from_bits(fmt, left), Legal.from_bits(fmt, right), PRACTICE_RULES)
    assert not illegal(legal, got).any()
    assert (legal.why == 0).any()


@pytest.mark.parametrize("kind", INTEGERS)
def test_integer_results_keep_their_low_bits(kind: Component) -> None:
    fmt = FORMATS[kind]
    left = codes(fmt, 300)
    right = np.roll(left, 5)
    values = [[int(v) for v in to_ordinal(fmt, bits)] for bits in (left, right)]
    for op, wanted in (
        (Operation.ADD, [x + y for x, y in zip(*values, strict=True)]),
        (Operation.SUBTRACT, [x - y for x, y in zip(*values, strict=True)]),
        (Operation.MULTIPLY, [x * y for x, y in zip(*values, strict=True)]),
    ):
        legal = combined(op, Legal.from_bits(fmt, left), Legal.from_bits(fmt, right), STRICT)
        assert legal.exact.all()
        assert all((int(got) - want) % (1 << fmt.bits) == 0 for got, want in zip(legal.lo, wanted, strict=True))
    minus = negated(Legal.from_bits(fmt, left), STRICT)
    assert all((int(got) + value) % (1 << fmt.bits) == 0 for got, value in zip(minus.lo, values[0], strict=True))


SINGLE = FloatRules(f64_bits=24)


def exponent_of(x: Fraction) -> int:
    """2^e <= |x| < 2^(e + 1)."""
    e = abs(x.numerator).bit_length() - x.denominator.bit_length()
    return e - 1 if abs(x) < Fraction(2) ** e else e


def test_doubles_are_neighbours_of_the_exact_result() -> None:
    """KHRCM-F64: of 53 bits by practice, of 24 bits by the language alone; what so many bits hold is exact."""
    fmt = FORMATS["f64"]
    left = np.linspace(-9, 9, 101).view(np.uint64)
    right = (np.linspace(-9, 9, 101)[::-1] * np.pi).view(np.uint64)
    for op in (Operation.ADD, Operation.SUBTRACT, Operation.MULTIPLY):
        legal, short = (
            combined(op, Legal.from_bits(fmt, left), Legal.from_bits(fmt, right), rules) for rules in (STRICT, SINGLE)
        )
        for number in range(101):
            pair = [exact(fmt, int(bits[number])) for bits in (left, right)]
            assert pair[0] is not None
            assert pair[1] is not None
            x = {Operation.ADD: pair[0] + pair[1], Operation.SUBTRACT: pair[0] - pair[1]}.get(op, pair[0] * pair[1])
            assert (legal.lo[number], legal.hi[number]) == (floor_ordinal(fmt, x), ceil_ordinal(fmt, x))
            low, high = (ordinal_value(fmt, int(end[number])) for end in (short.lo, short.hi))
            unit = Fraction(2) ** (exponent_of(x) - 23) if x else Fraction(1)
            assert (low, high) == (x // unit * unit, -(-x // unit) * unit)
            far = from_ordinal(fmt, np.array([int(legal.hi[number]) + 1]))
            assert illegal(legal.index(slice(number, number + 1)), far).all()


def grid(rows: int, cols: int, fmt: Format = FORMATS["f32"]) -> Legal:
    """Small whole numbers, different enough, as ``(1, 1, rows, cols)``."""
    values = (np.arange(rows * cols) * 7 % 31 - 11).reshape(1, 1, rows, cols)
    assert fmt.name == "f32"
    return Legal.from_bits(fmt, values.astype(np.float32).view(np.uint32).astype(np.uint64))


def numbers(legal: Legal) -> NDArray[np.float64]:
    """The values of exact f32 contents."""
    assert legal.exact.all()
    return from_ordinal(legal.fmt, legal.lo).astype(np.uint32).view(np.float32).astype(np.float64)


def sum_and_ones(values: NDArray[np.float64], axis: Any = None, **how: Any) -> Any:
    """The sum, and 1 for each time that two things are combined."""
    total = np.sum(values, axis=axis, **how)
    return total + values.size // np.asarray(total).size - 1


@pytest.mark.parametrize("name", ["add", "add-one", "min", "max"])
@pytest.mark.parametrize(("rows", "cols"), [(2, 2), (4, 6), (6, 2), (8, 8)])
def test_reductions_are_those_of_numpy(rows: int, cols: int, name: str) -> None:
    source = grid(rows, cols)
    values = numbers(source)
    fold: Any = {"add": np.sum, "add-one": sum_and_ones, "min": np.min, "max": np.max}[name]

    def one(mask: int, shape: tuple[int, int]) -> NDArray[np.float64]:
        return numbers(reduced(source, mask, name, shape, PRACTICE_RULES))

    assert (one(1, (rows, 5)) == fold(values, axis=3, keepdims=True)).all()
    assert (one(2, (3, cols)) == fold(values, axis=2, keepdims=True)).all()
    assert (one(3, (5, 7)) == fold(values)).all()
    blocks = values.reshape(1, 1, rows // 2, 2, cols // 2, 2)
    assert (one(4, (rows // 2, cols // 2)) == fold(blocks, axis=(3, 5))).all()


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("mask", [1, 2, 3, 4])
@pytest.mark.parametrize("name", ["add", "add-one", "min", "max"])
@pytest.mark.parametrize("kind", ["f16", "f32", "f64"])
def test_device_reduces_within_what_is_legal(kind: Component, name: str, mask: int) -> None:
    fmt = FORMATS[kind]
    exponent = (fmt.bias << fmt.fraction_bits) - (3 << fmt.fraction_bits)
    random = np.random.Philox(key=3).random_raw(64) % np.uint64(6 << fmt.fraction_bits) + np.uint64(exponent)
    signs = (np.arange(64) % 3 == 0).astype(np.uint64) << np.uint64(fmt.bits - 1)
    bits = (random | signs).reshape(1, 1, 8, 8)
    instruction = Reduce("d", "c", mask, Combine(name))
    got = DEVICE.reduce(fmt, bits, instruction)
    shape = {1: (8, 1), 2: (1, 8), 3: (1, 1), 4: (4, 4)}[mask]
    legal = reduced(Legal.from_bits(fmt, bits), mask, name, shape, PRACTICE_RULES)
    assert not illegal(legal, got).any()
    if not name.startswith("add"):
        assert legal.exact.all()


def test_a_reduction_that_is_filled_up_with_zeros_shows() -> None:
    """NVCM2-REDUCE-ROW: only elements are combined; a sum does not tell, x + y + 1 does."""
    fmt = FORMATS["f32"]
    bits = np.full((1, 1, 4, 6), fmt.bias << fmt.fraction_bits, np.uint64)
    padded = np.concatenate([bits, np.zeros((1, 1, 4, 2), np.uint64)], axis=-1)
    for name, shows in (("add", False), ("add-one", True)):
        legal = reduced(Legal.from_bits(fmt, bits), 1, name, (4, 1), PRACTICE_RULES)
        assert not illegal(legal, DEVICE.fold(fmt, bits, name)).any()
        assert illegal(legal, DEVICE.fold(fmt, padded, name)).all() == shows


def test_reducing_rows_of_the_transpose_is_reducing_columns() -> None:
    source = grid(4, 6)
    rows = reduced(source.transpose(), 1, "add", (6, 4), PRACTICE_RULES)
    columns = reduced(source, 2, "add", (4, 6), PRACTICE_RULES)
    assert (numbers(rows.transpose()) == numbers(columns)).all()


def test_functions_tell_places_and_extras() -> None:
    source, extra = grid(4, 6), grid(4, 6).index((slice(None), slice(None), slice(None, None, -1)))
    values, others = numbers(source), numbers(extra)
    row, col = np.indices((4, 6))
    for name, extras, wanted in (
        ("place", [], 256 * row + col),
        ("triangle", [], np.tril(values[0, 0])),
        ("select", [extra], np.where((row + col) % 2 == 0, values, others)),
    ):
        assert (numbers(per_element(name, source, extras, PRACTICE_RULES)) == wanted).all()
    added = per_element("add", source, [extra, extra], FloatRules(rounding=Mode.NEAREST_EVEN))
    assert (numbers(added) == values + 2 * others).all()


def test_saturating_products_stop_at_both_ends() -> None:
    for kind in ("s32", "u32"):
        fmt, narrow = FORMATS[kind], FORMATS["s8" if kind == "s32" else "u8"]
        values = np.array([0, 1, 2, narrow.max_value, narrow.min_value])
        a = Legal.from_bits(narrow, (values & narrow.mask).astype(np.uint64).reshape(1, 5, 1))
        b = Legal.from_bits(narrow, (values & narrow.mask).astype(np.uint64).reshape(1, 1, 5))
        for c in (fmt.min_value, fmt.min_value + 3, 0, fmt.max_value - 3, fmt.max_value):
            addend = Legal.from_bits(fmt, np.full((1, 5, 5), c & fmt.mask, np.uint64))
            legal, _ = mul_add(a, b, addend, STRICT, saturating=True)
            wrapped, _ = mul_add(a, b, addend, STRICT, saturating=False)
            sums = values[:, None] * values[None, :] + c
            assert legal.exact.all()
            assert (legal.lo[0] == np.clip(sums, fmt.min_value, fmt.max_value)).all()
            assert ((wrapped.lo[0] - sums) % (1 << fmt.bits) == 0).all()


def test_what_products_alone_overflow_is_not_judged() -> None:
    fmt, narrow = FORMATS["u32"], FORMATS["u16"]
    a = Legal.from_bits(narrow, np.full((1, 1, 2), 0xFFFF, np.uint64))
    b = Legal.from_bits(narrow, np.full((1, 2, 1), 0xFFFF, np.uint64))
    legal, _ = mul_add(a, b, Legal.from_bits(fmt, np.zeros((1, 1, 1), np.uint64)), STRICT, saturating=True)
    assert legal.why.all()


def doubles_of_all_sizes(seed: int, shape: tuple[int, ...]) -> NDArray[np.uint64]:
    rng = np.random.default_rng(seed)
    values = rng.uniform(1, 2, shape) * 2.0 ** rng.integers(-80, 80, shape) * rng.choice([-1.0, 1.0], shape)
    return np.where(rng.random(shape) < 0.1, np.rint(rng.uniform(-9, 9, shape)), values).view(np.uint64)


def test_a_device_with_doubles_of_single_precision_breaks_practice_alone() -> None:
    """Operators, sums of reductions, functions of elements, conversions: inside the sets of the language."""
    fmt, device = FORMATS["f64"], SingleDoubles(SequentialUnit())
    x, y = (doubles_of_all_sizes(seed, (1, 1, 40, 40)) for seed in (61, 62))
    y[..., ::2, :] = (-x.view(np.float64)[..., ::2, :] * (1 + 2.0**-30)).view(np.uint64)  # cancellation
    one, two = Legal.from_bits(fmt, x), Legal.from_bits(fmt, y)
    outside = 0
    for op, operation in OPERATIONS.items():
        with np.errstate(all="ignore"):
            got, plain = (one_device.apply(op, fmt, x, y) for one_device in (device, CoopMat2Device(SequentialUnit())))
        assert not illegal(combined(operation, one, two, SINGLE), got).any()
        assert not illegal(combined(operation, one, two, PRACTICE_RULES), plain).any()
        outside += int(illegal(combined(operation, one, two, PRACTICE_RULES), got).sum())
    for mask, found in ((1, device.along_rows(fmt, x, "add")), (2, device.along_columns(fmt, x, "add"))):
        got = np.broadcast_to(found, x.shape)
        assert not illegal(reduced(one, mask, "add", (40, 40), SINGLE), got).any()
        outside += int(illegal(reduced(one, mask, "add", (40, 40), PRACTICE_RULES), got).sum())
    got = device.each("add", fmt, x, (y, y[..., :1, :1]))
    assert not illegal(per_element("add", one, (two, two.index((..., slice(1), slice(1)))), SINGLE), got).any()
    whole = np.arange(-(1 << 31), 1 << 31, 12345677, np.int64)
    got = device.cast(FORMATS["s32"], (whole & 0xFFFFFFFF).astype(np.uint64), fmt)
    numbers = Legal.interval(FORMATS["s32"], whole, whole)
    assert not illegal(converted(numbers, fmt, SINGLE), got).any()
    assert illegal(converted(numbers, fmt, PRACTICE_RULES), got).any()
    assert outside > 1000


@pytest.mark.parametrize("op", list(OPERATIONS.values()))
def test_less_than_single_precision_breaks_the_language(op: Operation) -> None:
    fmt = FORMATS["f64"]
    x, y = (doubles_of_all_sizes(seed, (500,)) for seed in (63, 64))
    legal = combined(op, Legal.from_bits(fmt, x), Legal.from_bits(fmt, y), SINGLE)
    exactly = combined(op, Legal.from_bits(fmt, x), Legal.from_bits(fmt, y), STRICT)
    worse = from_ordinal(fmt, exactly.lo + (1 << 32))
    judged = legal.why == 0
    assert judged.mean() > 0.5
    assert illegal(legal, worse)[judged].all()


def test_quotients_of_integers_go_toward_zero() -> None:
    """KHRCM-DIVIDE-INT: by practice; exact ones by the document, and none by 0 or of the least integer by -1."""
    fmt = FORMATS["s32"]
    pairs = [(-7, 2, -3), (7, -2, -3), (5, 3, 1), (-12, 3, -4), (5, 0, None), (-(1 << 31), -1, None)]
    left, right = (np.array([pair[side] for pair in pairs]) for side in (0, 1))
    for rounded in (True, False):
        sides = (Legal.interval(fmt, side, side) for side in (left, right))
        legal = combined(Operation.DIVIDE, *sides, PRACTICE_RULES, rounded=rounded)
        for at, (x, y, quotient) in enumerate(pairs):
            judged = quotient is not None and (rounded or x % y == 0)
            assert (legal.why[at] == 0) == judged
            assert not judged or legal.lo[at] == legal.hi[at] == quotient
