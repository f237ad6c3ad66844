"""Near misses of products: operands of a wrong kind, size or type, and types that do not go together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import cycle
from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from mmaspec.oracle.hlsl_wave_matrix.wave_sizes import listing
from mmaspec.oracle.spec import Row
from mmaspec.programs.hlsl_wave_matrix.caps import DATATYPES, DIMENSIONS, WaveMmaCaps, accumulators
from mmaspec.programs.hlsl_wave_matrix.program import (
    ElementType,
    Matrix,
    MatrixKind,
    Multiply,
    MultiplyAccumulate,
)
from mmaspec.strategies.grammar import Draft, DrawContext, Form, Forms, NearMiss, form_of
from mmaspec.strategies.hlsl_wave_matrix.builder.program import shape_of
from mmaspec.strategies.hlsl_wave_matrix.near_misses.edits import (
    filled,
    fitted,
    matrix_of,
    multiplied,
    resized,
    retyped,
    with_instructions,
)
from mmaspec.strategies.hlsl_wave_matrix.near_misses.types import FACTOR_ELEMENTS, SUM_ELEMENTS

Product = type[Multiply] | type[MultiplyAccumulate]
METHODS: tuple[tuple[str, Product], ...] = (("Multiply", Multiply), ("MultiplyAccumulate", MultiplyAccumulate))

EXCHANGED: Mapping[str, tuple[str, str]] = MappingProxyType(
    {"operands exchanged": ("B", "A"), "A twice": ("A", "A"), "B twice": ("B", "B")}
)
NO_FACTOR: tuple[MatrixKind, ...] = ("accumulator", "left-col-acc", "right-row-acc")


def operands(_: DrawContext[WaveMmaCaps], draft: Draft, wrong: tuple[Product, tuple[str, str]]) -> Draft:
    """A product of other matrices of the draft."""
    method, (left, right) = wrong
    return fitted(draft, multiplied(draft.program, method=method, left=left, right=right))


def no_factor(_: DrawContext[WaveMmaCaps], draft: Draft, wrong: tuple[Product, str, MatrixKind]) -> Draft:
    """A sum in place of one operand, of the same element type."""
    method, side, kind = wrong
    other = replace(matrix_of(draft, kind, "X"), element=draft.program.matrix("A").element)
    grown = with_instructions(draft, matrices=(other,))
    body = (filled(other), *multiplied(grown.program, method=method, **{side: "X"}).body)
    return fitted(grown, replace(grown.program, body=body))


def other_size(context: DrawContext[WaveMmaCaps], draft: Draft, wrong: tuple[Product, str, str]) -> Draft | None:
    """One matrix of the product in another size, of those that the device has."""
    method, name, dimension = wrong
    matrix = draft.program.matrix(name)
    changed = _in_other_size(context.caps, matrix, dimension)
    if not listing(changed, context.caps):
        return None
    return fitted(draft, multiplied(retyped(draft.program, **{name: changed}), method=method))


def _in_other_size(caps: WaveMmaCaps, matrix: Matrix, dimension: str) -> Matrix:
    other = {16: 64, 64: 16}
    m = other[matrix.m] if dimension == "m" else matrix.m
    n = other[matrix.n] if dimension == "n" else matrix.n
    assert {m, n} <= set(DIMENSIONS)
    return resized(caps, matrix, m, n)


def of_row(row: Row[Any], name: str) -> Matrix:
    """The draft's matrix of that name in a caps row, without its elements' sign."""
    shape = shape_of(row)
    kinds: dict[str, tuple[MatrixKind, ElementType, int]] = {
        "A": ("left", shape.elements[0], shape.k),
        "B": ("right", shape.elements[0], shape.k),
        "C": ("accumulator", shape.accumulator, 0),
    }
    kind, element, k = kinds[name]
    return Matrix(name, kind, element, shape.m, shape.n, k)


def _has_size(name: str, dimension: str, row: Row[Any], caps: Any) -> bool:
    return bool(listing(_in_other_size(caps, of_row(row, name), dimension), caps))


def _mul_use() -> Iterator[Form]:
    for method, kind in METHODS:
        for name, pair in EXCHANGED.items():
            yield form_of(operands, (kind, pair), f"{method}, {name}")
    methods = cycle(METHODS)
    for side in ("left", "right"):
        for other in NO_FACTOR:
            method, kind = next(methods)
            words = f"{method}, {other} as the {'first' if side == 'left' else 'second'} operand"
            yield form_of(no_factor, (kind, side, other), words, ("f32", "acc-f16"))
    for name in "ABC":
        for dimension in "mn":
            for method, kind in METHODS:
                words = f"{method}, another {dimension.upper()} of {name}"
                possible = partial(_has_size, name, dimension)
                yield form_of(other_size, (kind, name, dimension), words, possible=possible)


def other_type(
    context: DrawContext[WaveMmaCaps], draft: Draft, wrong: tuple[Product, str, ElementType]
) -> Draft | None:
    """One operand of another datatype that the device has in this size."""
    method, name, element = wrong
    old = draft.program.matrix(name)
    answer = context.caps.answer(DATATYPES[element], old.m, old.n)
    if answer is None or DATATYPES[element] == DATATYPES[old.element]:
        return None
    changed = retyped(draft.program, **{name: replace(old, element=element, k=answer.k)})
    return fitted(draft, multiplied(changed, method=method))


def _has_type(element: ElementType, row: Row[Any], caps: Any) -> bool:
    own = row.entry.answer
    return DATATYPES[element] != own.datatype and caps.answer(DATATYPES[element], own.m, own.n) is not None


def _type_match() -> Iterator[Form]:
    methods = cycle((*METHODS, METHODS[0], *reversed(METHODS), METHODS[1]))
    for name in "AB":
        for element in FACTOR_ELEMENTS:
            method, kind = next(methods)
            possible = partial(_has_type, element)
            yield form_of(other_type, (kind, name, element), f"{method}, {name} of {element}", possible=possible)


def not_together(
    context: DrawContext[WaveMmaCaps], draft: Draft, wrong: tuple[Product, str, ElementType]
) -> Draft | None:
    """An accumulator, or both operands, of a type that the device has, but not with the others."""
    method, names, element = wrong
    program = draft.program
    if not _apart(names, element, context.row, context.caps):
        return None
    changes = {}
    for name in names:
        old = program.matrix(name)
        answer = None if name == "C" else context.caps.answer(DATATYPES[element], old.m, old.n)
        changes[name] = replace(old, element=element, k=answer.k if answer else old.k)
    return fitted(draft, multiplied(retyped(program, **changes), method=method))


def _apart(names: str, element: ElementType, row: Row[Any], caps: Any) -> bool:
    own, total = row.entry.answer, of_row(row, "C")
    if names == "C":
        return element not in accumulators(own) and bool(listing(replace(total, element=element), caps))
    answer = caps.answer(DATATYPES[element], own.m, own.n)
    return answer is not None and total.element not in accumulators(answer)


def _mul_caps() -> Iterator[Form]:
    for names, elements in (("C", SUM_ELEMENTS), ("AB", FACTOR_ELEMENTS)):
        for element in elements:
            for method, kind in METHODS:
                words = f"{method}, {'accumulator' if names == 'C' else 'operands'} of {element}"
                yield form_of(not_together, (kind, names, element), words, possible=partial(_apart, names, element))


PRODUCT_NEAR_MISSES: Mapping[str, NearMiss] = MappingProxyType(
    {
        "WM-MUL-USE": Forms(tuple(_mul_use())),
        "WM-MUL-TYPE-MATCH": Forms(tuple(_type_match())),
        "WM-MUL-CAPS": Forms(tuple(_mul_caps())),
    }
)
"""Validity clause -> how to break it."""
