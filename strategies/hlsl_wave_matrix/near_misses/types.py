"""Near misses of declarations: element types, sizes, what the device lists, and the types of arrays."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from mmaspec.oracle.hlsl_wave_matrix.addresses import memory_row_bytes
from mmaspec.oracle.hlsl_wave_matrix.wave_sizes import listing
from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Buffer
from mmaspec.programs.hlsl_wave_matrix.caps import DIMENSIONS, WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import FACTORS, ElementType, Load, Matrix, MatrixKind, Store
from mmaspec.strategies.grammar import Draft, DrawContext, Forms, NearMiss, form_of, in_forms, joined
from mmaspec.strategies.hlsl_wave_matrix.near_misses.edits import (
    NAMES,
    UNASKED,
    filled,
    fitted,
    matrix_of,
    retyped,
    with_instructions,
)
from mmaspec.strategies.hlsl_wave_matrix.near_misses.ways import Way, in_array, in_ways

NO_FACTORS: tuple[ElementType, ...] = ("s32", "u32", "f64", "s16", "u16")
"""Elements that no Left or Right has."""
NO_SUMS: tuple[ElementType, ...] = ("u32", "f64", "s16", "u16", "s8", "u8")
"""Elements that no accumulator or fragment has."""
FACTOR_ELEMENTS: tuple[ElementType, ...] = ("s8", "u8", "f16", "f32")
SUM_ELEMENTS: tuple[ElementType, ...] = ("s32", "f16", "f32")

Fields = Mapping[str, Any]


def in_product(_: DrawContext[WaveMmaCaps], draft: Draft, wrong: tuple[str, Fields]) -> Draft:
    """The named matrices of the product otherwise, all alike, so that they still go together."""
    names, fields = wrong
    program = draft.program
    return fitted(draft, retyped(program, **{name: replace(program.matrix(name), **fields) for name in names}))


def alone(context: DrawContext[WaveMmaCaps], draft: Draft, wrong: tuple[MatrixKind, Fields]) -> Draft:
    """One more matrix, which is only declared or filled and nothing else."""
    kind, fields = wrong
    matrix = replace(matrix_of(draft, kind, "X"), **fields)
    return with_instructions(draft, *((filled(matrix),) if context.choices.chance(50) else ()), matrices=(matrix,))


def _elements(kinds: tuple[MatrixKind, ...], elements: tuple[ElementType, ...]) -> Forms:
    table: dict[str, tuple[MatrixKind, Fields]] = {
        f"{kind} of {element}": (kind, {"element": element}) for kind in kinds for element in elements
    }
    return in_forms(alone, table)


SIZES: Mapping[str, Fields] = MappingProxyType(
    {
        "M 8": {"m": 8},
        "M 15": {"m": 15},
        "M 32": {"m": 32},
        "M 80": {"m": 80},
        "N 8": {"n": 8},
        "N 17": {"n": 17},
        "N 32": {"n": 32},
        "N 65": {"n": 65},
        "M and N 32": {"m": 32, "n": 32},
    }
)
"""Of all three matrices of a product."""

_WRONG_SIZES: tuple[tuple[MatrixKind, int, int], ...] = (
    ("left", 32, 48),
    ("right", 48, 24),
    ("accumulator", 63, 32),
    ("left-col-acc", 24, 32),
    ("right-row-acc", 32, 128),
)
LONE_SIZES: Mapping[str, tuple[MatrixKind, Fields]] = MappingProxyType(
    {
        f"{kind} with {dimension.upper()} {size}": (kind, {dimension: size})
        for kind, m, n in _WRONG_SIZES
        for dimension, size in (("m", m), ("n", n))
    }
)
"""Of one matrix more, a fragment's missing dimension among them."""


def missing(kind: MatrixKind, caps: WaveMmaCaps) -> list[Matrix]:
    """The types and sizes of a kind that a device lists nowhere."""
    factor = kind in FACTORS
    found = (
        Matrix("X", kind, element, m, n, UNASKED if factor else 0)
        for element in (FACTOR_ELEMENTS if factor else SUM_ELEMENTS)
        for m in DIMENSIONS
        for n in DIMENSIONS
    )
    return [matrix for matrix in found if not listing(matrix, caps)]


def unlisted(context: DrawContext[WaveMmaCaps], draft: Draft, wrong: tuple[MatrixKind, str]) -> Draft | None:
    """A matrix of a type or size that the device does not have; what is done with it besides is right."""
    kind, how = wrong
    choices, program = context.choices, draft.program
    found = missing(kind, context.caps)
    if not found:
        return None
    matrix = choices.one_of(found)
    if how == "declared":
        return with_instructions(draft, matrices=(matrix,))
    line, lines = memory_row_bytes(matrix, 0), max(matrix.rows, matrix.cols)
    stride = 4 * choices.integer(1, 3) if matrix.is_fragment else line + 4 * choices.integer(0, 3)
    offset = 4 * choices.integer(0, 3)
    buffers = (*program.buffers, Buffer("unused", offset + lines * stride + line))
    if how == "loaded":
        return with_instructions(draft, Load("X", "unused", offset, stride), matrices=(matrix,), buffers=buffers)
    store = Store("X", "unused", offset, stride)
    return with_instructions(draft, filled(matrix), store, matrices=(matrix,), buffers=buffers)


def _has_missing(kind: MatrixKind, _: Row[Any], caps: Any) -> bool:
    return bool(missing(kind, caps))


UNLISTED = Forms(
    tuple(
        form_of(unlisted, (kind, how), f"{kind}, {how}", possible=partial(_has_missing, kind))
        for kind in NAMES
        for how in ("declared", "loaded", "stored")
    )
)

ARRAY_ELEMENTS: Mapping[str, Mapping[str, ElementType]] = MappingProxyType(
    {
        "of the other sign": {"s8": "u8", "u8": "s8", "s32": "u32"},
        "of another width": {"s8": "s16", "u8": "u16", "s32": "s16", "f16": "f32", "f32": "f16"},
        "of another kind, as wide": {"s8": "u32", "u8": "u32", "s32": "f32", "f16": "u16", "f32": "s32"},
        "of packed bytes": {"s32": "s8", "f16": "u8", "f32": "s8"},
    }
)
"""What is wrong with an array -> element of the matrix -> element of the array."""

ARRAYS = (
    Way("load", "left", "of the other sign", rows=("byte",)),
    Way("load", "right", "of the other sign", rows=("byte",)),
    Way("store", "right", "of the other sign", rows=("byte",)),
    Way("load", "accumulator", "of the other sign", rows=("byte",)),
    Way("store", "left-col-acc", "of the other sign", rows=("byte",)),
    Way("load", "left", "of another width"),
    Way("load", "right", "of another width"),
    Way("load", "accumulator", "of another width"),
    Way("store", "accumulator", "of another width"),
    Way("store", "right-row-acc", "of another width"),
    Way("load", "left", "of another kind, as wide"),
    Way("store", "right", "of another kind, as wide"),
    Way("load", "accumulator", "of another kind, as wide"),
    Way("store", "accumulator", "of another kind, as wide"),
    Way("load", "left-col-acc", "of another kind, as wide"),
    Way("load", "right-row-acc", "of another kind, as wide"),
    Way("load", "accumulator", "of packed bytes"),
    Way("store", "left", "of packed bytes", rows=("float",)),
    Way("load", "right", "of packed bytes", rows=("float",)),
)
"""WM-GS-TYPE-MATCH."""


def array_type(context: DrawContext[WaveMmaCaps], draft: Draft, way: Way) -> Draft:
    """An array of another element type, at a stride that is long enough."""
    return in_array(context, draft, way, ARRAY_ELEMENTS[way.how][matrix_of(draft, way.kind).element]).draft


TYPE_NEAR_MISSES: Mapping[str, NearMiss] = MappingProxyType(
    {
        "WM-TYPE-IN": joined(
            in_forms(in_product, {f"product of {element}": ("AB", {"element": element}) for element in NO_FACTORS}),
            _elements(("left", "right"), NO_FACTORS),
        ),
        "WM-TYPE-ACC": joined(
            in_forms(in_product, {f"product into {element}": ("C", {"element": element}) for element in NO_SUMS}),
            _elements(("left-col-acc", "right-row-acc"), NO_SUMS),
        ),
        "WM-DIM-ENUM": joined(
            in_forms(in_product, {f"product with {name}": ("ABC", fields) for name, fields in SIZES.items()}),
            in_forms(alone, LONE_SIZES),
        ),
        "WM-TYPE-SUPPORTED": UNLISTED,
        "WM-GS-TYPE-MATCH": in_ways(array_type, ARRAYS),
    }
)
"""Validity clause -> how to break it."""
