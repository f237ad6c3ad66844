"""Bytes that are multiplied or summed, and how large their sums become; what accumulators hold before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.ordinals import to_ordinal
from mmaspec.programs.formats import FORMATS
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.hlsl_wave_matrix.observations.access import Codes
from mmaspec.strategies.hlsl_wave_matrix.observations.patterns import all_equal
from mmaspec.strategies.hlsl_wave_matrix.observations.sums.float_sums import of_operands
from mmaspec.strategies.hlsl_wave_matrix.observations.sums.product_sample import Operands, operands_of
from mmaspec.strategies.hlsl_wave_matrix.observations.values import FLOAT_MARKS, is_zero

LEAST, LARGEST = -(1 << 31), (1 << 31) - 1
ABOUT_24 = (1 << 23, 1 << 26)
"""Sizes of numbers that a float holds hardly or not."""

Whole = NDArray[np.int64]


def byte_names(codes: Codes) -> Iterator[str]:
    """The classes of some bytes."""
    ranges = {
        "zero": (0, 0), "one": (1, 1), "two-to-63": (2, 63), "sixty-four": (64, 64), "largest-signed": (127, 127),
        "high-bit": (128, 128), "next-high": (129, 129), "to-254": (130, 254), "all-bits": (255, 255),
    }  # fmt: skip
    values = np.unique(codes)
    return (name for name, (least, most) in ranges.items() if ((values >= least) & (values <= most)).any())


def _factors(one: Operands) -> tuple[Whole, Whole, Whole]:
    a, b = to_ordinal(one.a_fmt, one.a), to_ordinal(one.b_fmt, one.b)
    c = np.where(one.known & (not one.fresh), to_ordinal(one.c_fmt, one.c), 0)
    return a, b, c


def dot(a: Whole, b: Whole) -> Whole:
    """The exact product of matrices of bytes: float64 holds every sum."""
    found: Whole = (a.astype(np.float64) @ b.astype(np.float64)).astype(np.int64)
    return found


def beyond(total: Whole) -> Iterator[str]:
    """The classes of exact sums that are about 24 or 32 bits wide."""
    size = np.abs(total)
    if ((size > ABOUT_24[0]) & (size < ABOUT_24[1]) & (total % 2 == 1)).any():
        yield "about-24-bits"
    if (total == LARGEST).any():
        yield "at-largest"
    if (total == LEAST).any():
        yield "at-least"


def _sizes(one: Operands) -> Iterator[str]:
    a, b, c = _factors(one)
    total = dot(a, b) + c
    size = np.abs(total)
    for least, most, name in ((0, 7, "byte"), (7, 15, "to-15-bits"), (15, 23, "to-23-bits"), (23, 30, "to-30-bits")):
        if ((size >= 1 << least) & (size < 1 << most)).any() or (least == 0 and (size == 0).any()):
            yield name
    yield from beyond(total)
    if (total > LARGEST).any():
        yield "overflow-high"
    if (total < LEAST).any():
        yield "overflow-low"
    up = dot(np.maximum(a, 0), np.maximum(b, 0)) + dot(np.minimum(a, 0), np.minimum(b, 0))
    down = dot(a, b) - up
    within = (total <= LARGEST) & (total >= LEAST)
    if (within & ((up + np.maximum(c, 0) > LARGEST) | (down + np.minimum(c, 0) < LEAST))).any():
        yield "overflow-on-the-way"
    pairs = _largest_pair(a, b)
    if pairs > (1 << 15) - 1:
        yield "pair-beyond-15-bits"
    if pairs > (1 << 16) - 1:
        yield "pair-beyond-16-bits"
    extremes = [{int(each.min()), int(each.max())} for each in (a, b)]
    bounds = [{fmt.min_value, fmt.max_value, -1 if fmt.signed else 0} for fmt in (one.a_fmt, one.b_fmt)]
    if all(len(ends) == 1 and ends <= edge - {-1, 0} for ends, edge in zip(extremes, bounds, strict=True)):
        yield "extreme-bytes"


def _largest_pair(a: Whole, b: Whole) -> int:
    """The largest size of a sum of two products that are neighbours along K (2i and 2i + 1)."""
    best = 0
    for k in range(0, a.shape[-1] - 1, 2):
        pair = a[..., :, k : k + 2].astype(np.float64) @ b[..., k : k + 2, :].astype(np.float64)
        best = max(best, int(np.abs(pair).max(initial=0)))
        if best > (1 << 16) - 1:
            break
    return best


def _sum_values(one: Operands) -> Iterator[str]:
    a, b, c = _factors(one)
    total = dot(a, b) + c
    (fmt, codes), *_ = one.real
    values = to_ordinal(fmt, codes)
    added = dot(a, b)
    if (np.abs(added) < 1 << 7).any():
        yield "small"
    if (np.abs(added) >= 1 << 8).any():
        yield "beyond-byte"
    flat = codes.reshape(-1, codes.shape[-2] * codes.shape[-1])
    for name, code in (("all-least", 0x80), ("all-largest-signed", 0x7F), ("all-255", 0xFF)):
        if (flat == code).all(axis=-1).any() and (name != "all-least" or fmt.signed):
            yield name
    if not fmt.signed and (flat >= 0x80).all(axis=-1).any():
        yield "all-high"
    if (
        fmt.signed
        and ((added == 0) & (np.abs(values).sum(axis=-1 if one.summed == "left" else -2, keepdims=True) > 0)).any()
    ):
        yield "cancel"
    yield from beyond(total)
    if ((total > LARGEST) | (total < LEAST)).any():
        yield "overflow"


def _before(subject: Subject, thing: Thing) -> Answer:
    """What the object holds when a product or sum begins, and how it compares with what is added."""
    method = thing.of.instruction
    held = subject.held(method.matrix, thing.of.place)
    if held is None:
        return "nothing"
    codes, known = held.certain_bits()
    fmt = held.fmt
    found: set[str] = set()
    zero = is_zero(fmt, codes)
    sure = known.all(axis=(-1, -2))
    for name, items in (
        ("zero", zero.all(axis=(-1, -2))),
        ("constant", all_equal(codes) & ~zero.all(axis=(-1, -2))),
        ("distinct", ~all_equal(codes)),
    ):
        if (items & sure).any():
            found.add(name)
    edge = FLOAT_MARKS["largest"](fmt, codes) if fmt.is_float else (codes == 1 << 31) | (codes == LARGEST)
    if (edge & known).any():
        found.add("least-or-largest")
    one = operands_of(subject, thing.of.place, method)
    return found | set(_compared(one)) if one is not None else found


def _compared(one: Operands) -> Iterator[str]:
    """What the object held beside what is added to it."""
    if one.c_fmt is FORMATS["s32"]:
        a, b = to_ordinal(one.a_fmt, one.a), to_ordinal(one.b_fmt, one.b)
        c, added = to_ordinal(one.c_fmt, one.c), dot(a, b)
        held, new = c[one.known].tolist(), added[one.known].tolist()
    else:
        c_codes = one.held_wholes.tolist()
        held, new = c_codes, [sum(terms) for terms, _ in one.rows]
    for old, more in set(zip(held, new, strict=True)):
        if old and more:
            if old == -more:
                yield "opposite"
            if abs(old) > abs(more) << 16:
                yield "far-larger"
            if abs(more) > abs(old) << 16:
                yield "far-smaller"


LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        "left-byte": of_operands(lambda one: byte_names(one.a)),
        "right-byte": of_operands(lambda one: byte_names(one.b)),
        "integer-product-size": of_operands(_sizes),
        "integer-sum-value": of_operands(_sum_values),
        "accumulator-before": _before,
    }
)
"""Axis -> how it is seen in a product or sum of bytes, and what any of them accumulates onto."""
