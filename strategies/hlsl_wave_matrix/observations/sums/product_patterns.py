"""How the values of operands and results of products and sums lie: patterns, decisive terms and elements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.ordinals import exact_float64, magnitudes
from mmaspec.programs.formats import Format
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.hlsl_wave_matrix.observations.access import Codes
from mmaspec.strategies.hlsl_wave_matrix.observations.patterns import (
    TILE,
    all_equal,
    by_tile,
    constant_columns,
    one_hot,
)
from mmaspec.strategies.hlsl_wave_matrix.observations.sums.float_sums import of_operands
from mmaspec.strategies.hlsl_wave_matrix.observations.sums.product_sample import Operands, not_finite
from mmaspec.strategies.hlsl_wave_matrix.observations.values import is_zero, negative

Items = NDArray[np.bool_]
DWORD = 4
DECISIVE = 16
"""How many times larger than all others together a decisive term is."""


def _zero(one: Operands) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    return is_zero(one.a_fmt, one.a), is_zero(one.b_fmt, one.b)


def own_lines(codes: Codes) -> Items:
    """Where no two rows are alike."""
    weights = np.arange(1, 2 * codes.shape[-1], 2, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) | np.uint64(1)
    found: Items = (np.diff(np.sort((codes * weights).sum(axis=-1, dtype=np.uint64), axis=-1), axis=-1) != 0).all(
        axis=-1
    )
    return found


def _identity(fmt: Format, codes: Codes) -> Items:
    unit = fmt.bias << fmt.fraction_bits if fmt.is_float else 1
    wanted = np.eye(*codes.shape[-2:], dtype=np.uint64) * np.uint64(unit)
    found: Items = (codes == wanted).all(axis=(-1, -2))
    return found


def _permutes(zero: NDArray[np.bool_]) -> Items:
    some = ~zero
    found: Items = (some.sum(axis=-1) <= 1).all(axis=-1) & (some.sum(axis=-2) <= 1).all(axis=-1)
    whole: Items = some.sum(axis=(-1, -2)) == min(zero.shape[-2:])
    return found & whole


def _alternates(fmt: Format, codes: Codes, zero: NDArray[np.bool_]) -> Items:
    """Where signs alternate along the last axis, in every row."""
    if not fmt.signed:
        return np.zeros(codes.shape[:-2], np.bool_)
    sign = negative(fmt, codes)
    found: Items = (sign[..., 1:] != sign[..., :-1]).all(axis=(-1, -2)) & ~zero.any(axis=(-1, -2))
    return found


def _patterns(one: Operands) -> dict[str, Items]:
    a_zero, b_zero = _zero(one)
    right = np.swapaxes(one.b, -1, -2)
    left_identity, right_identity = _identity(one.a_fmt, one.a), _identity(one.b_fmt, one.b)
    found = {
        "all-equal": all_equal(one.a) & all_equal(one.b),
        "left-identity": left_identity,
        "right-identity": right_identity,
        "one-hot": (one_hot(one.a) & one_hot(one.b))
        & ((~a_zero).sum(axis=(-1, -2)) == 1)
        & ((~b_zero).sum(axis=(-1, -2)) == 1),
        "zero-row": a_zero.all(axis=-1).any(axis=-1) & ~a_zero.all(axis=(-1, -2)),
        "zero-column": b_zero.all(axis=-2).any(axis=-1) & ~b_zero.all(axis=(-1, -2)),
        "zero-k": (a_zero.all(axis=-2) & b_zero.all(axis=-1)).any(axis=-1),
        "alternating-signs": _alternates(one.a_fmt, one.a, a_zero)
        | _alternates(one.b_fmt, right, np.swapaxes(b_zero, -1, -2)),
    }
    found["distinct"] = own_lines(one.a) & own_lines(right)
    return found


def _of_floats(one: Operands) -> Iterator[str]:
    a_zero, b_zero = _zero(one)
    found: dict[str, Items] = _patterns(one)
    found["permutation"] = np.where(found["left-identity"], False, _permutes(a_zero))
    found["permutation"] |= np.where(found["right-identity"], False, _permutes(b_zero))
    found["zero-left"] = np.logical_and.reduce(a_zero, axis=(-1, -2))
    found["zero-right"] = np.logical_and.reduce(b_zero, axis=(-1, -2))
    size_a, size_b = (
        magnitudes(fmt, codes).astype(np.uint64) >> np.uint64(fmt.fraction_bits) for fmt, codes in one.real
    )
    found["by-tile"] = (by_tile(size_a) & ~all_equal(size_a)) | (by_tile(size_b) & ~all_equal(size_b))
    return _named(found)


def _named(found: dict[str, Items]) -> Iterator[str]:
    found["random"] = np.logical_not(
        np.logical_or.reduce([items for name, items in found.items() if name != "distinct"])
    )
    return (name for name, items in found.items() if items.any())


def _of_bytes(one: Operands) -> Iterator[str]:
    found = _patterns(one)
    found["by-byte-of-dword"] = _by_byte(one.a) | _by_byte(np.swapaxes(one.b, -1, -2))
    return _named(found)


def _by_byte(codes: Codes) -> Items:
    """Where values depend only on the place in the dword, along the last axis."""
    lines = codes.reshape(*codes.shape[:-1], -1, DWORD) if codes.shape[-1] % DWORD == 0 else codes[..., np.newaxis]
    found: Items = (lines == lines[..., :1, :1, :]).all(axis=(-1, -2, -3)) & ~all_equal(codes)
    return found


def _terms(one: Operands) -> Iterator[int]:
    a_zero, b_zero = _zero(one)
    counts = (~a_zero).astype(np.float32) @ (~b_zero).astype(np.float32)
    return (int(count) for count in np.unique(counts))


def _term_places(one: Operands) -> Iterator[str]:
    """The k of products that are the only ones of their sum, or outweigh all others."""
    item, wave, row, col = one.picked
    size_a, size_b = (_sizes(fmt, codes) for fmt, codes in ((one.a_fmt, one.a), (one.b_fmt, one.b)))
    sizes = size_a[item, wave, row] * size_b[item, wave, :, col]
    largest = sizes.max(axis=1)
    decisive = (largest > 0) & (largest > DECISIVE * (sizes.sum(axis=1) - largest))
    depth = one.a.shape[-1]
    yield from (name for k in np.unique(sizes[decisive].argmax(axis=1)) for name in _k_names(int(k), depth))
    if not decisive.all():
        yield "everywhere"


def _sizes(fmt: Format, codes: Codes) -> NDArray[np.float64]:
    size: NDArray[np.float64] = np.abs(np.where(not_finite(fmt, codes), 0.0, exact_float64(fmt, codes)))
    return size


def _k_names(k: int, depth: int) -> Iterator[str]:
    places = {
        "first": (0,), "second": (1,), "in-first-four": (2, 3), "fourth": (4,), "quarter": (depth // DWORD,),
        "fifteenth": (15,), "sixteenth": (16,), "middle": (depth // 2 - 1, depth // 2), "last": (depth - 1,),
    }  # fmt: skip
    return (name for name, where in places.items() if k in where)


def _element_places(subject: Subject, thing: Thing) -> Answer:
    """Where the only result lies that is no zero, or the only one that is not finite."""
    step = subject.left_by(thing.of.place)
    if step is None or step.legal is None:
        return None
    legal = step.legal
    number = (legal.lo != 0) | (legal.hi != 0) | legal.nan
    top = legal.fmt.max_ordinal
    marked = [number]
    if legal.fmt.is_float:
        marked.append(legal.nan | (legal.lo == top) | (legal.hi == -top))
    found: set[str] = set()
    lone = np.zeros(legal.shape[:2], np.bool_)
    for mask in marked:
        single = mask.sum(axis=(-1, -2)) == 1
        lone |= single
        for row, col in {(int(row), int(col)) for _, row, col in np.argwhere(mask[single])}:
            found.update(place_names(row, col, *legal.shape[-2:]))
    return found if lone.all() else found | {"everywhere"}


def place_names(row: int, col: int, rows: int, cols: int) -> Iterator[str]:
    """The classes of one place in a result."""
    edges = {15, 16, 31, 32, 47, 48}
    rules = {
        "first": row == col == 0,
        "row-end": row == 0 and col == cols - 1 and cols > 1,
        "column-end": col == 0 and row == rows - 1 and rows > 1,
        "last": row == rows - 1 and col == cols - 1,
        "tile-edge-rows": rows > TILE and row in edges,
        "tile-edge-columns": cols > TILE and col in edges,
        "off-diagonal-tile": rows == cols == 4 * TILE and row // TILE != col // TILE,
    }
    found = [name for name, holds in rules.items() if holds]
    yield from found or ("inside",)


def _sum_patterns(one: Operands) -> Iterator[str]:
    """How the summed values lie; k runs along rows of a Left and columns of a Right."""
    (fmt, codes), *_ = one.real
    lines = codes if one.summed == "left" else np.swapaxes(codes, -1, -2)
    zero = is_zero(fmt, lines)
    depth = lines.shape[-1]
    some: NDArray[np.bool_] = np.logical_not(zero.all(axis=-2))
    where = np.arange(depth)
    rows = "zero-row" if one.summed == "left" else "zero-column"
    columns = "zero-column" if one.summed == "left" else "zero-row"
    alone = some.any(axis=-1)
    found = {
        "all-equal": all_equal(lines),
        "zero": zero.all(axis=(-1, -2)),
        rows: zero.all(axis=-1).any(axis=-1) & alone,
        columns: zero.all(axis=-2).any(axis=-1) & alone,
        "first-k": alone & ~some[..., 1:].any(axis=-1),
        "last-k": alone & ~some[..., :-1].any(axis=-1),
        "past-quarter": alone & ~some[..., : depth // DWORD].any(axis=-1),
        "tile-edge": alone & ~some[..., (where != TILE - 1) & (where != TILE)].any(axis=-1),
        "by-byte-of-dword": _by_byte(lines),
        "alternating-signs": _alternates(fmt, lines, zero),
    }
    distinct = own_lines(lines) & ~constant_columns(lines)
    found["random"] = np.logical_not(np.logical_or.reduce(list(found.values())))
    found["distinct"] = distinct
    return (name for name, items in found.items() if items.any())


LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        "float-product-pattern": of_operands(_of_floats),
        "integer-product-pattern": of_operands(_of_bytes),
        "product-term-place": of_operands(_term_places),
        "product-element-place": _element_places,
        "nonzero-terms": of_operands(_terms),
        "nonzero-sum": of_operands(_sum_patterns),
    }
)
"""Axis -> how it is seen in a product or sum."""
