"""Infinities and NaN among the operands of an operation: which, where, and what they meet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.ordinals import exact_float64, is_inf, is_nan, is_subnormal
from mmaspec.programs.formats import FORMATS, Format
from mmaspec.programs.hlsl_wave_matrix.program import (
    Add,
    Multiply,
    MultiplyAccumulate,
    ScalarOperation,
    Simple,
    SumAccumulate,
)
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.hlsl_wave_matrix.observations.access import Codes
from mmaspec.strategies.hlsl_wave_matrix.observations.scalars import scalar_codes
from mmaspec.strategies.hlsl_wave_matrix.observations.sums.float_sums import of_operands
from mmaspec.strategies.hlsl_wave_matrix.observations.sums.product_sample import Operands, not_finite
from mmaspec.strategies.hlsl_wave_matrix.observations.values import is_zero, nan_kinds, negative

Mark = Callable[[Format, Codes], NDArray[np.bool_]]


def _special(one: Operands) -> Iterator[str]:
    nan = {"nan-left": is_nan(one.a_fmt, one.a), "nan-right": is_nan(one.b_fmt, one.b)}
    yield from (name for name, mask in nan.items() if mask.any())
    found = set(_pairs(one))
    found.update(_of_accumulator(one))
    finite = not found and not any(mask.any() for mask in nan.values())
    yield from found or ({"none"} if finite else set())


def _meets(one: Operands, first: Mark, second: Mark) -> bool:
    """Whether an element of one factor meets one of the other in a product."""
    ways = ((first, second), (second, first))
    return any(
        bool((left(one.a_fmt, one.a).any(axis=-2) & right(one.b_fmt, one.b).any(axis=-1)).any()) for left, right in ways
    )


def _pairs(one: Operands) -> Iterator[str]:
    def finite(fmt: Format, codes: Codes) -> NDArray[np.bool_]:
        return ~(not_finite(fmt, codes) | is_zero(fmt, codes))

    marks: dict[str, tuple[Mark, Mark]] = {
        "infinity-finite": (is_inf, finite),
        "infinity-negative": (is_inf, lambda fmt, codes: finite(fmt, codes) & negative(fmt, codes)),
        "infinity-infinity": (is_inf, is_inf),
        "infinity-zero": (is_inf, lambda _, codes: codes == 0),
        "infinity-negative-zero": (is_inf, lambda fmt, codes: codes == fmt.sign_bit),
        "infinity-subnormal": (is_inf, is_subnormal),
        "nan-times-zero": (is_nan, is_zero),
        "nan-times-infinity": (is_nan, is_inf),
    }
    yield from (name for name, (first, second) in marks.items() if _meets(one, first, second))
    if not (is_inf(one.a_fmt, one.a).any() or is_inf(one.b_fmt, one.b).any()):
        return
    positive, below = infinite_terms(one)
    if (positive & below).any():
        yield "both-infinities"
    if _beside_overflow(one, positive | below):
        yield "infinity-beside-overflow"


def infinite_terms(one: Operands) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """In which sums a product is +Inf, and in which -Inf."""

    def parts(fmt: Format, codes: Codes) -> dict[tuple[str, bool], NDArray[np.float32]]:
        infinite, sign = is_inf(fmt, codes), negative(fmt, codes)
        nonzero = ~(not_finite(fmt, codes) | is_zero(fmt, codes))
        kinds = {"inf": infinite, "some": infinite | nonzero}
        return {
            (name, way): (mask & (sign == way)).astype(np.float32)
            for name, mask in kinds.items()
            for way in (False, True)
        }

    a, b = parts(one.a_fmt, one.a), parts(one.b_fmt, one.b)
    found = []
    for below in (False, True):
        count: NDArray[Any] = np.zeros((), np.float32)
        for way in (False, True):
            count = count + a["inf", way] @ b["some", way ^ below] + a["some", way] @ b["inf", way ^ below]
        found.append(count > 0)
    return found[0], found[1]


def _beside_overflow(one: Operands, infinite: NDArray[np.bool_]) -> bool:
    """Whether the finite terms of a sum with an infinity would overflow by themselves, to the other sign."""
    limit = float(one.c_fmt.largest[0]) * 2.0 ** one.c_fmt.largest[1]
    return bool(infinite.any()) and bool((np.abs(_finite_sums(one))[infinite] > limit).any())


def _finite_sums(one: Operands) -> NDArray[np.float64]:
    """About what the finite terms of every sum give."""
    a, b = (np.where(not_finite(fmt, codes), 0.0, exact_float64(fmt, codes))
            for fmt, codes in ((one.a_fmt, one.a), (one.b_fmt, one.b)))  # fmt: skip
    found: NDArray[np.float64] = a @ b
    return found


def _of_accumulator(one: Operands) -> Iterator[str]:
    nan, infinite = is_nan(one.c_fmt, one.c) & one.known, is_inf(one.c_fmt, one.c) & one.known
    if one.fresh:
        if nan.any():
            yield "nan-overwritten"
        return
    if nan.any():
        yield "nan-accumulator"
    if infinite.any():
        positive, below = infinite_terms(one)
        sign = negative(one.c_fmt, one.c)
        if (infinite & ~(positive | below)).any():
            yield "accumulator-infinity"
        if (infinite & ((sign & positive) | (~sign & below))).any():
            yield "accumulator-opposes"


def _operand_codes(subject: Subject, thing: Thing) -> Iterator[tuple[Format, Codes]]:
    """The operands of an operation, as far as their bits are known: ``(batch, waves, rows, cols)`` each."""
    one: Simple = thing.of.instruction
    names: tuple[str, ...] = ()
    if isinstance(one, Multiply | MultiplyAccumulate):
        names = (one.left, one.right, one.matrix)
    elif isinstance(one, SumAccumulate | Add):
        names = (one.operand, one.matrix)
    elif isinstance(one, ScalarOperation):
        names = (one.matrix,)
    for name in names:
        legal = subject.held(name, thing.of.place)
        if legal is not None and legal.fmt.is_float:
            codes, known = legal.certain_bits()
            yield legal.fmt, np.where(known, codes, np.uint64(0))
    if isinstance(one, ScalarOperation):
        fmt = FORMATS[subject.program.matrix(one.matrix).element]
        yield fmt, scalar_codes(subject, one.value, fmt).reshape(-1, 1, 1, 1)


def _nan_kind(subject: Subject, thing: Thing) -> Answer:
    found: set[str] = set()
    counts = 0
    for fmt, codes in _operand_codes(subject, thing):
        kinds = nan_kinds(fmt, codes)
        if kinds != {"none"}:
            counts += 1
            found |= kinds
    return found | ({"several"} if len(found) > 1 else set()) if counts else "none"


def _spread(subject: Subject, thing: Thing) -> Answer:
    masks = [not_finite(fmt, codes) for fmt, codes in _operand_codes(subject, thing)]
    counted: list[NDArray[np.int64]] = [mask.sum(axis=(-1, -2)).sum(axis=-1) for mask in masks]
    total = np.zeros(1, np.int64)
    for count in counted:  # operands of different shapes, which go together
        total = total + count
    found = {"none"} if (total == 0).any() else set()
    if (total == 1).any():
        found.add("one")
    for mask in masks:
        found.update(_spread_of(mask))
    return found


def _spread_of(mask: NDArray[np.bool_]) -> Iterator[str]:
    """How marked elements lie in matrices ``(batch, waves, rows, cols)``."""
    count, size = mask.sum(axis=(-1, -2)), mask.shape[-1] * mask.shape[-2]
    if size == 1 or not count.any():
        return
    rows, cols = mask.any(axis=-1), mask.any(axis=-2)
    several = count > 1
    if (several & (rows.sum(axis=-1) == 1)).any() and mask.shape[-2] > 1:
        yield "one-row"
    if (several & (cols.sum(axis=-1) == 1)).any() and mask.shape[-1] > 1:
        yield "one-column"
    if (count == size - 1).any():
        yield "one-finite-left"
    if (count == size).any():
        yield "everywhere"
    tile = 16
    if mask.shape[-1] % tile == 0 and mask.shape[-2] % tile == 0 and size > tile * tile:
        shape = (*mask.shape[:2], mask.shape[-2] // tile, tile, mask.shape[-1] // tile, tile)
        tiles = mask.reshape(shape).any(axis=(-1, -3)).sum(axis=(-1, -2))
        within = (rows.sum(axis=-1) > 1) & (cols.sum(axis=-1) > 1)
        if ((tiles == 1) & within).any():
            yield "one-tile"


LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        "float-special": of_operands(_special),
        "nan-kind": _nan_kind,
        "special-spread": _spread,
    }
)
"""Axis -> how it is seen in an operation on floats."""
