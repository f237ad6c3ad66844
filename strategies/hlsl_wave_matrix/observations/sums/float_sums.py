"""How exact, how large and how special the sums of one product or one SumAccumulate of floats are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from mmaspec.oracle.numerics.ordinals import is_inf, is_nan, is_subnormal
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.hlsl_wave_matrix.observations.exact import Spot, any_order_exact, order_matters, rounded, spot
from mmaspec.strategies.hlsl_wave_matrix.observations.sums.product_sample import Operands, operands_of
from mmaspec.strategies.hlsl_wave_matrix.observations.values import FLOAT_MARKS, kinds_of, negative, significand_bits

ORDERED = 64
"""Sampled elements of which several orders are tried."""
CANCELLED = 8
"""Bits that go where terms cancel."""


def of_operands(look: Callable[[Operands], Iterable[str] | Iterable[int]]) -> Look:
    """A look at the operands of a product or sum; nothing where their bits are not known."""

    def found(subject: Subject, thing: Thing) -> Answer:
        one = operands_of(subject, thing.of.place, thing.of.instruction)
        names: set[Any] = set() if one is None else set(look(one))
        return names

    return found


def _rounding(one: Operands) -> Iterator[str]:
    halves = one.a_fmt.name == "f16"
    whole = 1 << max(0, -one.exponent)
    for number, ((terms, addend), at) in enumerate(zip(one.rows, one.spots, strict=True)):
        every = [*terms, addend]
        found = set(_beside_halfway(one, at))
        if any_order_exact(one.c_fmt, every, one.exponent):
            found.add("exact" if any(term % whole for term in every) else "small-integers")
        nonzero = [term for term in terms if term]
        if len(nonzero) == 1 and not addend and not at.exact:
            found.add("single-product-inexact")
        if halves and len(nonzero) > 1 and _rounds_twice(one, every):
            found.add("double-rounding")
        if number % max(1, len(one.rows) // ORDERED) == 0 and order_matters(one.c_fmt, every, one.exponent):
            found.add("order-dependent")
        found.update(_lost(one, terms, addend))
        if len(nonzero) > 1 and _at_power(at.size, one.c_fmt.precision):
            found.add("power-edge")
        yield from found or {"random"}


def _beside_halfway(one: Operands, at: Spot) -> Iterator[str]:
    if at.tie:
        yield "tie"
    if at.near_tie:
        yield "near-tie-above" if at.beside > 0 else "near-tie-below"
        if abs(at.beside) << one.c_fmt.precision <= at.step:
            yield "sticky-far"


def _rounds_twice(one: Operands, every: list[int]) -> bool:
    """Whether products that are rounded to half first give another sum."""
    twice = sum(rounded(one.a_fmt, term, one.exponent) for term in every[:-1]) + every[-1]
    return rounded(one.c_fmt, twice, one.exponent) != rounded(one.c_fmt, sum(every), one.exponent)


def _lost(one: Operands, terms: list[int], addend: int) -> Iterator[str]:
    sizes = [abs(term) for term in terms if term]
    total = sum(terms) + addend
    precision = one.c_fmt.precision
    largest = max([*sizes, abs(addend)], default=0)
    if total and abs(total) << CANCELLED <= largest:
        yield "cancellation"
    small = [size for size in [*sizes, abs(addend)] if size << precision < largest]
    if small and sum(small) << precision >= largest:
        yield "swamped"
    if addend and sizes and (abs(addend) << precision < max(sizes) or sum(sizes) << precision < abs(addend)):
        yield "swamped-accumulator"


def _at_power(size: int, precision: int) -> bool:
    """Whether a number lies at a power of two, or within a unit of it."""
    if not size:
        return False
    low = 1 << size.bit_length() - 1
    return (size - low) << precision - 1 <= low or (2 * low - size) << precision - 1 <= low


def _magnitude(one: Operands) -> Iterator[str]:
    for name, fmt, codes in (("left", one.a_fmt, one.a), ("right", one.b_fmt, one.b)):
        if is_subnormal(fmt, codes).any():
            yield f"subnormal-{name}"
        if "least-subnormal" in kinds_of(fmt, codes):
            yield "least-subnormal"
    if not one.fresh and is_subnormal(one.c_fmt, one.c[one.known]).any():
        yield "subnormal-accumulator"
    if _widest(one):
        yield "widest"
    normal_inputs = not (is_subnormal(one.a_fmt, one.a).any() or is_subnormal(one.b_fmt, one.b).any())
    for (terms, addend), at in zip(one.rows, one.spots, strict=True):
        found = set(_of_sum(one, terms, addend, at))
        found.update(_of_products(one, terms, at, normal_inputs=normal_inputs))
        yield from found or {"ordinary"}


def _widest(one: Operands) -> bool:
    large, least = FLOAT_MARKS["largest"], FLOAT_MARKS["least-subnormal"]
    return any(
        bool((first(one.a_fmt, one.a).any(axis=-2) & second(one.b_fmt, one.b).any(axis=-1)).any())
        for first, second in ((large, least), (least, large))
    )


def _of_sum(one: Operands, terms: list[int], addend: int, at: Spot) -> Iterator[str]:
    size, ulp = at.size, max(at.quantum, 1)
    if 0 < size < at.least_normal:
        yield "subnormal-sum"
    if size and size == at.quantum:
        yield "least-subnormal"
    if at.least_normal and abs(size - at.least_normal) <= ulp:
        yield "least-normal"
    if size == at.largest:
        yield "largest"
    if at.beyond_largest:
        yield "largest-half-ulp"
    if at.overflows:
        yield "overflow"
    else:
        parts = [sum(term for term in [*terms, addend] if term * sign > 0) for sign in (1, -1)]
        if any(spot(one.c_fmt, part, one.exponent).overflows for part in parts):
            yield "overflow-on-the-way"


def _of_products(one: Operands, terms: list[int], at: Spot, *, normal_inputs: bool) -> Iterator[str]:
    sizes = [abs(term) for term in terms if term]
    if not sizes:
        return
    if normal_inputs and min(sizes) < at.least_normal:
        yield "subnormal-product"
    if min(sizes) * 2 <= at.quantum:
        yield "underflow-one-product"
    if spot(one.c_fmt, max(sizes), one.exponent).overflows:
        yield "overflow-one-product"
    halves = one.a_fmt.name == "f16"
    if halves and one.c_fmt.name == "f32" and spot(one.a_fmt, max(sizes), one.exponent).overflows:
        yield "beyond-half-in-float"
    if max(sizes) > min(sizes) << 2 * one.c_fmt.precision:
        yield "far-apart"


def significands(one: Operands) -> Iterator[str]:
    """How many bits of significand the operands have."""
    names = {1: "one", 2: "few", 3: "few", 4: "few", 8: "eight", 9: "nine", 11: "eleven", 12: "twelve"}
    names |= {23: "twenty-three", 24: "twenty-four"}
    for fmt, codes in one.real:
        yield from (names[bits] for bits in set(significand_bits(fmt, codes).tolist()) if bits in names)
        if "full-significand" in kinds_of(fmt, codes):
            yield "all-ones"


def zeros(one: Operands) -> Iterator[str]:
    """Zeros among the operands, and sums that are zero."""
    a_zero, b_zero = (one.a << 1 & np.uint64(one.a_fmt.mask)) == 0, (one.b << 1 & np.uint64(one.b_fmt.mask)) == 0
    signs = {bool(sign) for codes, zero, fmt in ((one.a, a_zero, one.a_fmt), (one.b, b_zero, one.b_fmt))
             for sign in np.unique(negative(fmt, codes[zero]))}  # fmt: skip
    found = {"negative" if sign else "positive" for sign in signs}
    if a_zero.all() and b_zero.all():
        found.add("all")
    item, wave, row, col = one.picked
    a, b, c = one.a[item, wave, row], one.b[item, wave, :, col], one.c[item, wave, row, col]
    zero = a_zero[item, wave, row] | b_zero[item, wave, :, col]
    sign = negative(one.a_fmt, a) ^ negative(one.b_fmt, b)
    if ((zero & sign).any(axis=1) & (zero & ~sign).any(axis=1)).any():
        found.add("both")
    held_negative = (c == one.c_fmt.sign_bit) & one.known[item, wave, row, col] & (not one.fresh)
    if (zero.all(axis=1) & sign.all(axis=1) & (held_negative | one.fresh)).any():
        found.add("all-products-negative")
    if (zero.all(axis=1) & ~sign.any(axis=1) & held_negative).any():
        found.add("accumulator-negative")
    if any(at.size == 0 and any(terms) for (terms, _), at in zip(one.rows, one.spots, strict=True)):
        found.add("cancel")
    yield from found or {"none"}


def sum_values(one: Operands) -> Iterator[str]:
    """What a SumAccumulate of floats adds up."""
    operand, fmt = (one.a, one.a_fmt) if one.b.shape[-1] == 1 else (one.b, one.b_fmt)
    if is_nan(fmt, operand).any():
        yield "nan"
    if is_nan(one.c_fmt, one.c).any():
        yield "nan-in-fragment"
    infinite, below = is_inf(fmt, operand), negative(fmt, operand)
    if infinite.any():
        axis = -1 if one.b.shape[-1] == 1 else -2
        yield "infinity"
        if ((infinite & below).any(axis=axis) & (infinite & ~below).any(axis=axis)).any():
            yield "both-infinities"
    mixed = {name for name in zeros(one) if name in ("both", "all-products-negative")}
    yield from ({"both": "zeros-mixed", "all-products-negative": "negative-zeros"}[name] for name in mixed)
    same = {"small-integers", "tie", "cancellation", "swamped"}
    for name in set(_rounding(one)):
        yield from (name,) if name in same else ("near-tie",) if name.startswith("near-tie") else ()
    if any(not at.exact for at in one.spots):
        yield "inexact"
    sizes = set(_magnitude(one))
    yield from sizes & {"largest", "overflow", "overflow-on-the-way"}
    small = is_subnormal(fmt, operand).any()
    if small and "subnormal-sum" in sizes:
        yield "subnormal"
    if small and _from_subnormals(one):
        yield "subnormal-to-normal"
    if fmt.name == "f16" and one.c_fmt.name == "f32":
        significand, exponent = fmt.largest
        if any(abs(sum(terms)) > significand << exponent - one.exponent for terms, _ in one.rows):
            yield "halves-beyond-half"


def _from_subnormals(one: Operands) -> bool:
    """Whether terms that are all subnormal make a normal sum."""
    largest = 1 << one.a_fmt.emin - one.exponent
    return any(bool(any(terms)) and max(map(abs, terms)) < largest <= abs(sum(terms)) for terms, _ in one.rows)


LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        "float-product-rounding": of_operands(_rounding),
        "float-magnitude": of_operands(_magnitude),
        "float-significand": of_operands(significands),
        "float-zero": of_operands(zeros),
        "float-sum-value": of_operands(sum_values),
    }
)
"""Axis -> how it is seen in a product or sum of floats."""
