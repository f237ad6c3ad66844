"""Near misses of matrices and products: for each clause a change of a valid program that breaks it alone."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from msgspec.structs import replace

from mmaspec.oracle.nv_coopmat2.caps_support import COMPONENTS, same_kind
from mmaspec.oracle.nv_coopmat2.program_support import beside, off_granularity, unmatched
from mmaspec.programs.base import Literal
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import (
    CONSTANT,
    ROW_MAJOR,
    SATURATING,
    USE_A,
    USE_ACCUMULATOR,
    USE_B,
    Arithmetic,
    CoopMatProgram,
    Load,
    LoadTensor,
    Matrix,
    MulAdd,
    Negate,
    SetDimension,
    SetStride,
    Slice,
    Splat,
    Storage,
    Store,
    StoreTensor,
)
from mmaspec.strategies.grammar import Draft, DrawContext, NearMiss, drawing_nothing
from mmaspec.strategies.nv_coopmat2.builder.program import ProgramBuilder, with_program
from mmaspec.strategies.nv_coopmat2.features import NEEDS, TENSORS, has
from mmaspec.strategies.nv_coopmat2.near_misses.edits import changed, first, shifted
from mmaspec.strategies.nv_coopmat2.near_misses.operations import OPERATION_NEAR_MISSES
from mmaspec.strategies.nv_coopmat2.near_misses.tensors import TENSOR_NEAR_MISSES
from mmaspec.strategies.nv_coopmat2.templates.plain import load, store
from mmaspec.strategies.nv_coopmat2.templates.tensors import base, small_offset


def near_miss_base(context: DrawContext[CoopMatCaps]) -> Draft:
    """A product whose C comes from a strided tensor, stored plainly and into a tensor; plainly alone without those."""
    choices = context.choices
    builder = ProgramBuilder(context, most_waves=2)
    a, b, c, d = (builder.matrix(use) for use in (USE_A, USE_B, USE_ACCUMULATOR, USE_ACCUMULATOR))
    if not has(context.caps, TENSORS):
        builder.add(*(load(builder, matrix, layout=ROW_MAJOR) for matrix in (a, b, c)))
        builder.add(builder.mul_add(d, a, b, c), store(builder, d, layout=ROW_MAJOR))
        return builder.draft("small", batch=1)
    offset, inner = small_offset(builder), choices.integer(1, 2)
    sizes = (offset[0] + c.rows, offset[1] + c.cols + choices.integer(0, 2))
    outer = sizes[1] * inner + choices.integer(0, 5)
    tensor = builder.layout(
        (SetDimension(sizes), SetStride((outer, inner)), Slice(offset, (c.rows, c.cols))), mode=CONSTANT
    )
    elements = sizes[0] * outer
    where = base(builder, "in", c, elements)
    there = base(builder, "out", d, elements, copies=builder.waves)
    builder.add(
        load(builder, a, layout=ROW_MAJOR),
        load(builder, b, layout=ROW_MAJOR),
        LoadTensor(c.name, "in", where, tensor, data=builder.name("T")),
        builder.mul_add(d, a, b, c),
        store(builder, d, layout=ROW_MAJOR),
        StoreTensor(d.name, "out", there, tensor),
    )
    return builder.draft("small", batch=1)


def stride_zero(draft: Draft) -> Draft:
    """A store with stride 0."""
    return changed(draft, Store, stride=0)


def align(context: DrawContext[CoopMatCaps], draft: Draft) -> Draft:
    """The offset or the stride of a plain access one element too large."""
    choices = context.choices
    kind = choices.one_of((Load, Store))
    access = first(draft, kind)
    if choices.chance(50):
        return changed(draft, kind, offset=shifted(draft, access.offset, 1))
    return changed(draft, kind, stride=shifted(draft, access.stride, 1))


def caps_match(context: DrawContext[CoopMatCaps], draft: Draft) -> Draft:
    """A product with a second A in place of B, or a matrix whose component type no row has."""
    choices = context.choices
    if choices.chance(50):
        return changed(draft, MulAdd, b=first(draft, MulAdd).a)
    program: CoopMatProgram = draft.program
    whole = program.matrices[0]
    others = [kind for kind in COMPONENTS if not _known(context.caps, replace(whole, component=kind))]
    odd = replace(whole, name="odd", component=choices.one_of(others))
    body = (*program.body, Splat("odd", Literal(1)))
    return with_program(draft, replace(program, matrices=(*program.matrices, odd), body=body))


def _known(caps: CoopMatCaps, matrix: Matrix) -> bool:
    """Whether some property has the component type, use and scope of a matrix, whatever its size."""
    return any(same_kind(entry, matrix) for entry in caps.properties)


def caps_saturation(draft: Draft) -> Draft:
    """A product that saturates where it must not, or the other way round."""
    return changed(draft, MulAdd, operands=SATURATING - first(draft, MulAdd).operands)


def storage(context: DrawContext[CoopMatCaps], draft: Draft) -> Draft:
    """A product assigned to a matrix of another type, an operator between two types, or a matrix or array misplaced."""
    choices = context.choices
    program: CoopMatProgram = draft.program
    if choices.chance(40):
        if choices.chance(50):
            return with_program(draft, replace(program, uniform=("in",)))
        where: Storage = choices.one_of(("shared", "uniform", "buffer", "in", "out"))
        misplaced = replace(program.matrices[choices.integer(0, 3)], storage=where)
        matrices = tuple(misplaced if one.name == misplaced.name else one for one in program.matrices)
        return with_program(draft, replace(program, matrices=matrices))
    if choices.chance(40):
        a, _, c, d = (matrix.name for matrix in program.matrices[:4])
        wrong = choices.one_of((Negate(a, c), Arithmetic(d, c, "+", a), Arithmetic(a, c, "-", d)))
        return with_program(draft, replace(program, body=(*program.body, wrong)))
    other = replace(program.matrices[choices.integer(0, 1)], name="other")
    grown = replace(program, matrices=(*program.matrices, other))
    return changed(Draft(grown, draft.regime, draft.batch, draft.words), MulAdd, result="other")


def enums(context: DrawContext[CoopMatCaps], draft: Draft) -> Draft:
    """A memory layout, or operands of a product, that have no name."""
    choices = context.choices
    if choices.chance(40):
        return changed(draft, MulAdd, operands=first(draft, MulAdd).operands | 1 << choices.integer(5, 6))
    return changed(draft, choices.one_of((Load, Store)), layout=choices.integer(2, 5))


def flexible_caps(context: DrawContext[CoopMatCaps], draft: Draft) -> Draft | None:
    """M off the granularity, in all matrices alike, and not what another property lists."""
    if "flexible" not in context.row.tags:
        return None
    program: CoopMatProgram = draft.program

    def taller(matrix: Matrix, more: int) -> Matrix:
        return matrix if matrix.use == USE_B else replace(matrix, rows=matrix.rows + more)

    options = [
        replace(program, matrices=tuple(taller(matrix, more) for matrix in program.matrices)) for more in (8, 16, 4)
    ]
    caps = beside(context.caps, context.row.entry)
    off = [option for option in options if off_granularity(option, caps) and not unmatched(option, caps)]
    return with_program(draft, context.choices.one_of(off)) if off else None


def _with_features(clause: str, change: NearMiss) -> NearMiss:
    """The near miss where the device has what it needs besides."""

    def near_miss(context: DrawContext[CoopMatCaps], draft: Draft) -> Draft | None:
        return change(context, draft) if has(context.caps, NEEDS.get(clause, ())) else None

    return near_miss


_NEAR_MISSES: Mapping[str, NearMiss] = MappingProxyType(
    {
        "KHRCM-STRIDE-ZERO": drawing_nothing(stride_zero),
        "KHRCM-ALIGN": align,
        "KHRCM-CAPS-MATCH": caps_match,
        "KHRCM-CAPS-SAT": drawing_nothing(caps_saturation),
        "KHRCM-STORAGE": storage,
        "KHRCM-ENUMS": enums,
        "NVCM2-FLEX-CAPS": flexible_caps,
        **OPERATION_NEAR_MISSES,
        **TENSOR_NEAR_MISSES,
    }
)

NEAR_MISSES: Mapping[str, NearMiss] = MappingProxyType(
    {clause: _with_features(clause, change) for clause, change in _NEAR_MISSES.items()}
)
