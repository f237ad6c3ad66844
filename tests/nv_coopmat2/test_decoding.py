"""Decode functions against plain Python, one element at a time."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from mmaspec.oracle.memory import Memory
from mmaspec.oracle.numerics.codec import Special, decode, is_subnormal_code, value
from mmaspec.oracle.numerics.legal import Legal, Reason
from mmaspec.oracle.numerics.ordinals import to_ordinal
from mmaspec.oracle.nv_coopmat2.practice import PRACTICE_RULES
from mmaspec.oracle.nv_coopmat2.tensors.decoding import bytes_read, decoded, position
from mmaspec.programs.base import Buffer
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.program import Decode, Echo, Nibbles, ScaleAndBytes

BLOCK = (3, 4)
STRUCT = 16
COUNT = 64
COMPONENTS = ("f16", "bf16", "f32", "f64", "s8", "u8", "s16", "u16", "s32", "u32")
WITHIN = np.array(list(np.ndindex(*BLOCK)) * 6)[:COUNT]
PLACE = np.array([(n * 7 % 300, n * 5 % 11) for n in range(COUNT)])
"""``blockCoord`` of each element: sums beyond bytes and beyond what f16 holds exactly."""


def run(function: Decode, component: str, data: np.ndarray) -> Legal:
    """The function at ``COUNT`` elements, element n in struct n."""
    memory = Memory((Buffer("in", data.size),), 1)
    memory.place("in", np.arange(data.size), data[np.newaxis].astype(np.uint64), format_named("u8"))
    pointer = np.arange(COUNT) * STRUCT
    return decoded(function, memory, "in", pointer, PLACE, WITHIN, format_named(component), PRACTICE_RULES)


def structs(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, COUNT * STRUCT)


def assert_is(legal: Legal, element: int, exact: Fraction) -> bool:
    """One element holds an exact value: bits of it, or a neighbour. Returns whether it was judged."""
    fmt = legal.fmt
    if legal.why[0, element]:
        return False
    lo, hi = int(legal.lo[0, element]), int(legal.hi[0, element])
    if not fmt.is_float:
        assert lo == hi == int(exact), (element, exact)
        return True
    ends = [ordinal_value(fmt.name, end) for end in (lo, hi)]
    assert ends[0] <= exact <= ends[1], (element, exact, ends)
    subnormal = abs(exact) < Fraction(2) ** fmt.emin
    assert hi - lo <= (1 if not subnormal else 1 << fmt.fraction_bits), (element, exact, ends)
    assert ends[0] == ends[1] or exact not in ends or subnormal
    return True


def ordinal_value(component: str, ordinal: int) -> Fraction:
    fmt = format_named(component)
    return value(fmt, abs(ordinal)) * (-1 if ordinal < 0 else 1)


@pytest.mark.parametrize("component", COMPONENTS)
def test_echo_tells_its_arguments(component: str) -> None:
    function = Echo(STRUCT, (255, 3), (17, 0xFFFF_FFFE), 9)
    data = structs(1)
    legal, fmt = run(function, component, data), format_named(component)
    for n in range(COUNT):
        terms = zip((255, 3, 17, 0xFFFF_FFFE, 9), (*PLACE[n], *WITHIN[n], data[n * STRUCT]), strict=True)
        total = sum(int(weight) * int(number) for weight, number in terms) & 0xFFFF_FFFF
        if fmt.is_float:
            judged = assert_is(legal, n, Fraction(total))
            assert judged == (fmt.name != "f16" or total <= 65504)
        else:
            low = np.array(total & fmt.mask, np.uint64)
            assert assert_is(legal, n, Fraction(int(to_ordinal(fmt, low[np.newaxis])[0])))


@pytest.mark.parametrize("component", COMPONENTS)
def test_nibbles_are_unpacked_low_first(component: str) -> None:
    data = structs(2)
    legal, fmt = run(Nibbles(STRUCT, BLOCK, 8), component, data), format_named(component)
    for n in range(COUNT):
        number = int(WITHIN[n][0]) * BLOCK[1] + int(WITHIN[n][1])
        pair = int(data[n * STRUCT + number // 2])
        found = (pair >> 4 if number % 2 else pair & 15) - 8
        assert assert_is(legal, n, Fraction(found if fmt.is_float or fmt.signed else found % (1 << fmt.bits)))


@pytest.mark.parametrize("component", COMPONENTS)
def test_scales_multiply(component: str) -> None:
    data = structs(3)
    legal, fmt = run(ScaleAndBytes(STRUCT, BLOCK), component, data), format_named(component)
    judged = 0
    for n in range(COUNT):
        number = int(WITHIN[n][0]) * BLOCK[1] + int(WITHIN[n][1])
        byte = int(data[n * STRUCT + 2 + number])
        scale = int(data[n * STRUCT]) | int(data[n * STRUCT + 1]) << 8
        if isinstance(decode(format_named("f16"), scale), Special):
            continue
        if is_subnormal_code(format_named("f16"), scale):
            assert legal.lo[0, n] <= 0 <= legal.hi[0, n]  # it may be flushed
            continue
        exact = value(format_named("f16"), scale) * (byte - 256 if byte > 127 else byte)
        if fmt.is_float:
            judged += assert_is(legal, n, exact)
        else:
            whole = int(exact)  # toward zero
            in_range = (fmt.signed or exact >= 0) and fmt.min_value <= whole <= fmt.max_value
            assert bool(legal.why[0, n]) == (not in_range)
            judged += assert_is(legal, n, Fraction(whole))
    assert judged > 10


@pytest.mark.parametrize("component", ["s8", "u8", "s16", "u16", "s32", "u32"])
def test_negative_fractions_are_nobodys_as_unsigned(component: str) -> None:
    data = np.zeros(COUNT * STRUCT, np.int64)
    data[1::STRUCT] = 0x3A  # 0.75
    data[2::STRUCT] = 255  # -1, the first value
    legal = run(ScaleAndBytes(STRUCT, BLOCK), component, data)
    first = (WITHIN == 0).all(axis=-1)
    assert first.any()
    assert not legal.why[0, ~first].any()
    assert (legal.why[0, first] == (0 if legal.fmt.signed else Reason.SPEC_SILENT)).all()


def test_bytes_read_are_the_ones_that_matter() -> None:
    """Changing any other byte of a struct changes nothing; changing one that is read changes something."""
    for function in (Echo(STRUCT, (1, 2), (3, 4), 1), Nibbles(STRUCT, BLOCK), ScaleAndBytes(STRUCT, BLOCK)):
        data = structs(4)
        data[1::STRUCT] &= 0x3B  # finite scales that are no subnormals
        data[1::STRUCT] |= 0x08
        read = bytes_read(function, WITHIN)
        before = run(function, "f32", data)
        for byte in range(STRUCT):
            changed = data.copy()
            changed[byte::STRUCT] ^= 0x11 if byte != 1 else 0x01
            after = run(function, "f32", changed)
            differs = (after.lo != before.lo)[0] | (after.bits != before.bits)[0]
            touched = (read == byte).any(axis=-1)
            assert not (differs & ~touched).any()
            assert differs[touched].any() or not touched.any()


def test_values_lie_with_the_last_dimension_innermost() -> None:
    order = position(Nibbles(STRUCT, BLOCK), np.array(list(np.ndindex(*BLOCK))))
    assert order.tolist() == list(range(12))


def test_unknown_bytes_are_not_judged() -> None:
    memory = Memory((Buffer("in", COUNT * STRUCT),), 1)
    pointer = np.arange(COUNT) * STRUCT
    fmt = format_named("f32")
    for function in (Echo(STRUCT, (1, 2), (3, 4), 1), Nibbles(STRUCT, BLOCK), ScaleAndBytes(STRUCT, BLOCK)):
        legal = decoded(function, memory, "in", pointer, PLACE, WITHIN, fmt, PRACTICE_RULES)
        assert legal.why.all()
    told = decoded(Echo(STRUCT, (1, 2), (3, 4)), memory, "in", pointer, PLACE, WITHIN, fmt, PRACTICE_RULES)
    assert not told.why.any()
