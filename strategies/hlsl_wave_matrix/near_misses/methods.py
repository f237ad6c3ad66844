"""Near misses of methods: on kinds that do not have them, and with operands that do not go with the object."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from mmaspec.oracle.hlsl_wave_matrix.wave_sizes import listing
from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Affine, Buffer, FromBuffer, Literal
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps, accumulators
from mmaspec.programs.hlsl_wave_matrix.program import (
    FACTORS,
    Add,
    ElementType,
    Instruction,
    Matrix,
    MatrixDepth,
    MatrixKind,
    Multiply,
    MultiplyAccumulate,
    Repeat,
    ScalarAdd,
    ScalarDivide,
    ScalarMultiply,
    ScalarSubtract,
    Scaling,
    SumAccumulate,
)
from mmaspec.strategies.grammar import Draft, DrawContext, Form, Forms, NearMiss, form_of, in_forms
from mmaspec.strategies.hlsl_wave_matrix.builder.constants import constant
from mmaspec.strategies.hlsl_wave_matrix.builder.program import shape_of
from mmaspec.strategies.hlsl_wave_matrix.near_misses.edits import NAMES, filled, matrix_of, resized, with_instructions
from mmaspec.strategies.hlsl_wave_matrix.near_misses.types import SUM_ELEMENTS

Pairing = type[Add] | type[SumAccumulate]
FRAGMENT_KINDS: tuple[MatrixKind, ...] = ("left-col-acc", "right-row-acc")
FACTOR_KINDS: tuple[MatrixKind, ...] = ("left", "right")
NO_TOTAL: tuple[MatrixKind, ...] = (*FACTOR_KINDS, *FRAGMENT_KINDS)

PAIRS: tuple[tuple[Pairing, MatrixKind, MatrixKind], ...] = (
    *((Add, kind, "accumulator") for kind in NO_TOTAL),
    *((Add, "accumulator", kind) for kind in FACTOR_KINDS),
    *((SumAccumulate, "accumulator", kind) for kind in FACTOR_KINDS),
    *((SumAccumulate, kind, kind) for kind in FACTOR_KINDS),
)
"""Method, kind of the object, kind of the operand: none of them exists."""


def product_of(_: DrawContext[WaveMmaCaps], draft: Draft, wrong: tuple[Any, MatrixKind]) -> Draft:
    """A product as a method of another kind."""
    method, kind = wrong
    odd = matrix_of(draft, kind, "X")
    return with_instructions(draft, filled(odd), method("X", "A", "B"), matrices=(odd,))


def paired(draft: Draft, method: Pairing, left: Matrix, right: Matrix) -> Draft:
    """One more method with one operand; what the draft does not have is declared and filled."""
    known = {matrix.name for matrix in draft.program.matrices}
    new = tuple(matrix for matrix in (left, right) if matrix.name not in known)
    step = method(left.name, right.name)
    return with_instructions(draft, *(filled(matrix) for matrix in new), step, matrices=new)


def no_method(_: DrawContext[WaveMmaCaps], draft: Draft, wrong: tuple[Pairing, MatrixKind, MatrixKind]) -> Draft:
    """A method on a kind that does not have it, or an addend of a kind that none takes."""
    method, left, right = wrong
    return paired(draft, method, matrix_of(draft, left, "X"), matrix_of(draft, right))


def _methods() -> Iterator[Form]:
    for method, word in ((Multiply, "Multiply"), (MultiplyAccumulate, "MultiplyAccumulate")):
        for kind in NO_TOTAL:
            yield form_of(product_of, (method, kind), f"{word} of {kind}")
    for pairing, left, right in PAIRS:
        yield form_of(no_method, (pairing, left, right), f"{pairing.__name__} of {left} with {right}")


def scalar_no_lr(context: DrawContext[WaveMmaCaps], draft: Draft, wrong: tuple[type[Scaling], str, str]) -> Draft:
    """An operation with a scalar on a factor: a constant, or one from memory, once or in a loop."""
    kind, name, how = wrong
    matrix = draft.program.matrix(name)
    if how == "from memory":
        buffers = (*draft.program.buffers, Buffer("scalars", 64))
        return with_instructions(draft, kind(name, FromBuffer("scalars", 16, "scalar")), buffers=buffers)
    step = kind(name, Literal(constant(context.choices, matrix)))
    return with_instructions(draft, Repeat(2, (step,)) if how == "in a loop" else step)


SCALED: Mapping[str, tuple[type[Scaling], str, str]] = MappingProxyType(
    {
        f"{kind.__name__} of {name}" + (f", {how}" if how else ""): (kind, name, how)
        for kind, names, how in (
            (ScalarAdd, "AB", ""),
            (ScalarSubtract, "AB", ""),
            (ScalarMultiply, "AB", ""),
            (ScalarDivide, "AB", ""),
            (ScalarMultiply, "A", "from memory"),
            (ScalarAdd, "B", "from memory"),
            (ScalarMultiply, "B", "in a loop"),
        )
        for name in names
    }
)


def depth_only_lr(context: DrawContext[WaveMmaCaps], draft: Draft, wrong: tuple[MatrixKind, bool]) -> Draft:
    """MatrixDepth of an accumulator or a fragment."""
    kind, loops = wrong
    matrix = matrix_of(draft, kind)
    buffers = (*draft.program.buffers, Buffer("depth", 64))
    offset = 4 * context.choices.integer(1, 8)
    depth = MatrixDepth(matrix.name, "depth", Affine(offset, loop=4) if loops else offset)
    step: Instruction = Repeat(2, (depth,)) if loops else depth
    if kind == "accumulator":
        return with_instructions(draft, step, buffers=buffers)
    return with_instructions(draft, filled(matrix), step, matrices=(matrix,), buffers=buffers)


DEPTHS: Mapping[str, tuple[MatrixKind, bool]] = MappingProxyType(
    {
        "accumulator": ("accumulator", False),
        "left-col-acc": ("left-col-acc", False),
        "right-row-acc": ("right-row-acc", False),
        "accumulator, in a loop": ("accumulator", True),
    }
)


def wrong_side(_: DrawContext[WaveMmaCaps], draft: Draft, wrong: tuple[MatrixKind, MatrixKind]) -> Draft:
    """A fragment that sums something else than the factor of its side."""
    kind, operand = wrong
    other = matrix_of(draft, operand, "" if operand in (*FACTORS, "accumulator") else "Y")
    return paired(draft, SumAccumulate, matrix_of(draft, kind), other)


def wrong_sums(context: DrawContext[WaveMmaCaps], draft: Draft, wrong: tuple[MatrixKind, ElementType]) -> Draft | None:
    """A fragment of a type that the caps list, but not for sums of its operand."""
    kind, element = wrong
    if not _never(element, context.row, context.caps):
        return None
    fragment = replace(matrix_of(draft, kind), element=element)
    return paired(draft, SumAccumulate, fragment, matrix_of(draft, OPERAND[kind]))


OPERAND: dict[MatrixKind, MatrixKind] = {"left-col-acc": "left", "right-row-acc": "right"}
"""Fragment -> what it sums."""


def _never(element: ElementType, row: Row[Any], caps: Any) -> bool:
    """Whether the row's operands have no sums of a type that the device has in this size."""
    shape = shape_of(row)
    fragment = Matrix("F", "left-col-acc", element, shape.m, shape.n)
    return element not in accumulators(row.entry.answer) and bool(listing(fragment, caps))


def _sumacc_side() -> Iterator[Form]:
    for kind in FRAGMENT_KINDS:
        for operand in NAMES:
            if operand != OPERAND[kind]:
                yield form_of(wrong_side, (kind, operand), f"{kind} of {operand}")
        for element in SUM_ELEMENTS:
            words = f"{kind} of {element}, which such sums are not"
            yield form_of(wrong_sums, (kind, element), words, possible=partial(_never, element))


def other_shape(
    context: DrawContext[WaveMmaCaps], draft: Draft, wrong: tuple[Pairing, MatrixKind, str]
) -> Draft | None:
    """An addend, or a fragment that sums, of another size that the device has for this type."""
    method, kind, dimensions = wrong
    other = _resized(context.caps, matrix_of(draft, kind, "X"), dimensions)
    if not listing(other, context.caps):
        return None
    if method is Add:
        return paired(draft, Add, draft.program.matrix("C"), other)
    return paired(draft, SumAccumulate, other, matrix_of(draft, OPERAND[kind]))


def _resized(caps: WaveMmaCaps, matrix: Matrix, dimensions: str) -> Matrix:
    other = {16: 64, 64: 16}
    m = other[matrix.m] if "m" in dimensions else matrix.m
    n = other[matrix.n] if "n" in dimensions else matrix.n
    return resized(caps, matrix, m, n)


def _has_shape(dimensions: str, row: Row[Any], caps: Any) -> bool:
    shape = shape_of(row)
    return bool(
        listing(_resized(caps, Matrix("X", "accumulator", shape.accumulator, shape.m, shape.n), dimensions), caps)
    )


def _shape_agree() -> Iterator[Form]:
    table: tuple[tuple[Pairing, tuple[MatrixKind, ...]], ...] = (
        (Add, ("accumulator", *FRAGMENT_KINDS)),
        (SumAccumulate, FRAGMENT_KINDS),
    )
    for method, kinds in table:
        for kind in kinds:
            for dimensions in ("m", "n", "mn"):
                words = f"{method.__name__}, {kind} of another {' and '.join(dimensions).upper()}".replace("AND", "and")
                possible = partial(_has_shape, dimensions)
                yield form_of(other_shape, (method, kind, dimensions), words, possible=possible)


METHOD_NEAR_MISSES: Mapping[str, NearMiss] = MappingProxyType(
    {
        "WM-METHODS": Forms(tuple(_methods())),
        "WM-SCALAR-NO-LR": in_forms(scalar_no_lr, SCALED),
        "WM-DEPTH-ONLY-LR": in_forms(depth_only_lr, DEPTHS),
        "WM-SUMACC-SIDE": Forms(tuple(_sumacc_side())),
        "WM-SHAPE-AGREE": Forms(tuple(_shape_agree())),
    }
)
"""Validity clause -> how to break it."""
