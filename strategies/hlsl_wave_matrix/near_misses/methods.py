"""Near misses about methods, fragments, groupshared arrays and the thread group."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from msgspec.structs import replace

from mmaspec.oracle.hlsl_wave_matrix.addresses import least_stride, memory_row_bytes
from mmaspec.oracle.hlsl_wave_matrix.rows import Entry
from mmaspec.oracle.hlsl_wave_matrix.wave_sizes import listing, wave_sizes
from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Buffer, Literal
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.caps import DIMENSIONS, WaveMmaCaps, accumulators
from mmaspec.programs.hlsl_wave_matrix.program import (
    FACTORS,
    Add,
    Barrier,
    ElementType,
    Fill,
    Instruction,
    Load,
    Matrix,
    MatrixDepth,
    MatrixKind,
    Multiply,
    MultiplyAccumulate,
    ScalarAdd,
    ScalarDivide,
    ScalarMultiply,
    ScalarSubtract,
    Scaling,
    SharedArray,
    Stage,
    Store,
    SumAccumulate,
    WaveMatrixProgram,
)
from mmaspec.strategies.grammar import Draft, DrawContext, NearMiss, in_forms
from mmaspec.strategies.hlsl_wave_matrix.builder.constants import constant
from mmaspec.strategies.hlsl_wave_matrix.templates.sums import other_elements

UNASKED = 16
"""K of a matrix whose type has none, as the caps do not list it."""

METHODS = ("product-of-factor", "product-of-fragment", "add-on-fragment", "add-factor", "sum-of-total")
"""Methods on a kind that does not have them."""

SCALED: tuple[type[Scaling], ...] = (ScalarAdd, ScalarSubtract, ScalarMultiply, ScalarDivide)


def _with(draft: Draft, *new: Instruction, matrices: tuple[Matrix, ...] = (), **changes: object) -> Draft:
    """The draft with instructions before its last Store, and declarations."""
    program: WaveMatrixProgram = draft.program
    *before, store = program.body
    program = replace(program, matrices=(*program.matrices, *matrices), body=(*before, *new, store), **changes)
    return Draft(program, draft.regime, draft.batch, draft.words)


def _fragment(draft: Draft, kind: str, name: str = "F") -> Matrix:
    """A fragment of the types and sizes of the base's accumulator."""
    total = draft.program.matrix("C")
    return Matrix(name, "left-col-acc" if kind == "left" else "right-row-acc", total.element, total.m, total.n)


def _zero(matrix: Matrix) -> Fill:
    return Fill(matrix.name, Literal(0))


def methods(context: DrawContext[WaveMmaCaps], draft: Draft, how: str) -> Draft:
    """A method on a kind that does not have it, or an addend of a kind that none takes."""
    choices = context.choices
    program = draft.program
    if how == "product-of-factor":
        odd = replace(program.matrix(choices.one_of(("A", "B"))), name="X")
        filled = Fill("X", Literal(0x01010101 if FORMATS[odd.element].nbytes == 1 else 1))
        product = MultiplyAccumulate("X", "A", "B") if choices.chance(50) else Multiply("X", "A", "B")
        return _with(draft, filled, product, matrices=(odd,))
    fragment = _fragment(draft, choices.one_of(("left", "right")))
    if how == "product-of-fragment":
        return _with(draft, _zero(fragment), MultiplyAccumulate("F", "A", "B"), matrices=(fragment,))
    if how == "add-on-fragment":
        return _with(draft, _zero(fragment), Add("F", "C"), matrices=(fragment,))
    if how == "add-factor":
        return _with(draft, Add("C", choices.one_of(("A", "B"))))
    return _with(draft, SumAccumulate("C", choices.one_of(("A", "B"))))


def scalar_no_lr(context: DrawContext[WaveMmaCaps], draft: Draft, kind: type[Scaling]) -> Draft:
    """An operation with a scalar on a factor."""
    choices = context.choices
    matrix = draft.program.matrix(choices.one_of(("A", "B")))
    return _with(draft, kind(matrix.name, Literal(constant(choices, matrix))))


def depth_only_lr(context: DrawContext[WaveMmaCaps], draft: Draft, kind: str) -> Draft:
    """MatrixDepth of an accumulator or a fragment."""
    choices = context.choices
    buffers = (*draft.program.buffers, Buffer("depth", 64))
    offset = 4 * choices.integer(1, 8)
    if kind == "accumulator":
        return _with(draft, MatrixDepth("C", "depth", offset), buffers=buffers)
    fragment = _fragment(draft, kind)
    added = (_zero(fragment), MatrixDepth("F", "depth", offset))
    return _with(draft, *added, matrices=(fragment,), buffers=buffers)


def sumacc_side(context: DrawContext[WaveMmaCaps], draft: Draft) -> Draft:
    """The other factor, an accumulator, or a fragment of a type that the operand's sums do not have."""
    choices = context.choices
    side = choices.one_of(("left", "right"))
    own, other = ("A", "B") if side == "left" else ("B", "A")
    fragment = _fragment(draft, side)
    how = choices.one_of(("other-side", "total", "type"))
    # Valid types, but no row has them for these operands.
    strange: list[ElementType] = [
        name for name in other_elements(context.row, context.caps) if _never(name, context.row)
    ]
    if how == "type" and strange:
        return _with(draft, _zero(fragment), SumAccumulate("F", own), matrices=(replace(fragment, element=strange[0]),))
    operand = "C" if how == "total" else other
    return _with(draft, _zero(fragment), SumAccumulate("F", operand), matrices=(fragment,))


def _never(element: ElementType, row: Row[Entry]) -> bool:
    """Whether no device sums operands of this row in that type."""
    return element != "s32" if "int" in row.tags else element == "s32" or ("f32" in row.tags and element == "f16")


def shape_agree(context: DrawContext[WaveMmaCaps], draft: Draft) -> Draft | None:
    """An addend, or a fragment, of another size that the device has for this type."""
    choices = context.choices
    total = draft.program.matrix("C")
    sizes = [(m, n) for m in DIMENSIONS for n in DIMENSIONS if (m, n) != (total.m, total.n)]
    m, n = choices.one_of(sizes)
    offered = [answer for answer in context.caps.support if answer.supported and (answer.m, answer.n) == (m, n)]
    if not any(total.element in accumulators(answer) for answer in offered):
        return None
    fragment = replace(_fragment(draft, choices.one_of(("left", "right"))), m=m, n=n)
    if choices.chance(50):
        return _with(draft, _zero(fragment), Add("C", "F"), matrices=(fragment,))
    operand = "A" if fragment.kind == "left-col-acc" else "B"
    return _with(draft, _zero(fragment), SumAccumulate("F", operand), matrices=(fragment,))


def type_supported(context: DrawContext[WaveMmaCaps], draft: Draft) -> Draft | None:
    """A matrix of a type or size that the device does not have, which is filled and stored, or only declared."""
    choices, caps = context.choices, context.caps
    inputs: tuple[ElementType, ...] = ("s8", "u8", "f16", "f32")
    totals: tuple[ElementType, ...] = ("s32", "f16", "f32")
    kinds: tuple[tuple[MatrixKind, tuple[ElementType, ...]], ...] = (
        ("left", inputs),
        ("right", inputs),
        ("accumulator", totals),
        ("left-col-acc", totals),
        ("right-row-acc", totals),
    )
    sizes = [(m, n) for m in DIMENSIONS for n in DIMENSIONS]
    missing = [
        matrix
        for kind, elements in kinds
        for element in elements
        for m, n in sizes
        if not listing(matrix := Matrix("X", kind, element, m, n, UNASKED if kind in FACTORS else 0), caps)
    ]
    if not missing:
        return None
    matrix = choices.one_of(missing)
    if choices.chance(25):
        return _with(draft, matrices=(matrix,))
    line = memory_row_bytes(matrix, 0)
    lines = max(matrix.rows, matrix.cols)
    stride = 4 * choices.integer(1, 3) if matrix.is_fragment else line + 4 * choices.integer(0, 3)
    offset = 4 * choices.integer(0, 3)
    buffers = (*draft.program.buffers, Buffer("unused", offset + lines * stride + line))
    store = Store("X", "unused", offset, stride)
    return _with(draft, _zero(matrix), store, matrices=(matrix,), buffers=buffers)


def tg_divis(context: DrawContext[WaveMmaCaps], draft: Draft) -> Draft | None:
    """A thread group with a part of a wave left over, of the smallest wave that there is, or smaller than one."""
    choices = context.choices
    size = min(wave_sizes(draft.program, context.caps))
    if size == 1:
        return None
    whole, over = choices.one_of((0, 1, 1, 5)), choices.one_of((1, size // 2, size - 1, max(1, size // 4)))
    program = replace(draft.program, threads=whole * size + over)
    return Draft(program, draft.regime, draft.batch, draft.words)


def frag_stride_min(context: DrawContext[WaveMmaCaps], draft: Draft) -> Draft:
    """Elements of a fragment that overlap, in a buffer or in an array."""
    choices = context.choices
    fragment = _fragment(draft, choices.one_of(("left", "right")))
    if choices.chance(50):
        array = SharedArray("shared", fragment.element, 256)
        access = Store("F", "shared", choices.integer(1, 9), 0)
        return _with(draft, _zero(fragment), access, matrices=(fragment,), arrays=(array,))
    size = FORMATS[fragment.element].nbytes
    buffers = (*draft.program.buffers, Buffer("vector", 1024))
    access = Store("F", "vector", 4 * choices.integer(1, 9), choices.integer(0, size - 1))
    return _with(draft, _zero(fragment), access, matrices=(fragment,), buffers=buffers)


def load_gs_stride_min(context: DrawContext[WaveMmaCaps], draft: Draft) -> Draft:
    """A row stride in array elements that is too short for a memory-layout row."""
    choices = context.choices
    matrix = replace(draft.program.matrix(choices.one_of(("A", "B", "C"))), name="X")
    col_major = choices.integer(0, 1)
    least = least_stride(matrix, col_major, shared=True)
    stride = choices.one_of((0, least // 2, least - 1))
    array = SharedArray("shared", matrix.element, matrix.rows * matrix.cols + 64)
    stage = Stage("shared", "in-C", 0, 8)
    load = Load("X", "shared", choices.integer(1, 9), stride, col_major)
    return _with(draft, stage, Barrier(), load, matrices=(matrix,), arrays=(array,))


def gs_type_match(context: DrawContext[WaveMmaCaps], draft: Draft) -> Draft:
    """An array of another element type, at a stride that is long enough."""
    choices = context.choices
    matrix = replace(draft.program.matrix(choices.one_of(("A", "B", "C"))), name="X")
    elements: tuple[ElementType, ...] = ("f16", "f32", "s32", "u32", "u16")
    array = SharedArray("shared", choices.one_of([e for e in elements if e != matrix.element]), 1 << 15)
    col_major = choices.integer(0, 1)
    stride = least_stride(matrix, col_major, shared=True) + choices.integer(0, 3)
    load = Load("X", "shared", choices.integer(1, 9), stride, col_major)
    return _with(draft, Stage("shared", "in-C", 0, 8), Barrier(), load, matrices=(matrix,), arrays=(array,))


METHOD_NEAR_MISSES: Mapping[str, NearMiss] = MappingProxyType(
    {
        "WM-METHODS": in_forms(methods, METHODS),
        "WM-SCALAR-NO-LR": in_forms(scalar_no_lr, SCALED),
        "WM-DEPTH-ONLY-LR": in_forms(depth_only_lr, ("accumulator", "left", "right")),
        "WM-SUMACC-SIDE": sumacc_side,
        "WM-SHAPE-AGREE": shape_agree,
        "WM-TYPE-SUPPORTED": type_supported,
        "WM-TG-DIVIS": tg_divis,
    }
)
"""Validity clause -> how to break it: methods and the thread group."""

ARRAY_NEAR_MISSES: Mapping[str, NearMiss] = MappingProxyType(
    {
        "WM-FRAG-STRIDE-MIN": frag_stride_min,
        "WM-LOAD-GS-STRIDE-MIN": load_gs_stride_min,
        "WM-GS-TYPE-MATCH": gs_type_match,
    }
)
"""Validity clause -> how to break it: strides of fragments, and arrays."""
