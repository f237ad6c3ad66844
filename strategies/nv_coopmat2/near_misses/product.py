"""Near misses of matrices and products: for each clause a change of a valid program that breaks it alone."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
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
from mmaspec.strategies.grammar import Draft, DrawContext, Form, Forms, NearMiss, drawing_nothing, each_form, in_forms
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


def align(_: DrawContext[CoopMatCaps], draft: Draft, broken: tuple[type, str]) -> Draft:
    """The offset or the stride of a plain access one element too large."""
    kind, argument = broken
    access = first(draft, kind)
    if argument == "offset":
        return changed(draft, kind, offset=shifted(draft, access.offset, 1))
    return changed(draft, kind, stride=shifted(draft, access.stride, 1))


def two_of_a(draft: Draft) -> Draft:
    """A product with a second A in place of B."""
    return changed(draft, MulAdd, b=first(draft, MulAdd).a)


def unknown_type(context: DrawContext[CoopMatCaps], draft: Draft) -> Draft | None:
    """A matrix whose component type no row has."""
    program: CoopMatProgram = draft.program
    whole = program.matrices[0]
    others = [kind for kind in COMPONENTS if not _known(context.caps, replace(whole, component=kind))]
    if not others:
        return None
    odd = replace(whole, name="odd", component=context.choices.one_of(others))
    body = (*program.body, Splat("odd", Literal(1)))
    return with_program(draft, replace(program, matrices=(*program.matrices, odd), body=body))


def _known(caps: CoopMatCaps, matrix: Matrix) -> bool:
    """Whether some property has the component type, use and scope of a matrix, whatever its size."""
    return any(same_kind(entry, matrix) for entry in caps.properties)


def caps_saturation(draft: Draft) -> Draft:
    """A product that saturates where it must not, or the other way round."""
    return changed(draft, MulAdd, operands=SATURATING - first(draft, MulAdd).operands)


def uniform_block(draft: Draft) -> Draft:
    """Loads from a uniform block."""
    return with_program(draft, replace(draft.program, uniform=("in",)))


def misplaced(context: DrawContext[CoopMatCaps], draft: Draft, where: Storage) -> Draft:
    """A matrix that is no variable of its own."""
    program: CoopMatProgram = draft.program
    chosen = program.matrices[context.choices.integer(0, 3)].name
    matrices = tuple(replace(one, storage=where) if one.name == chosen else one for one in program.matrices)
    return with_program(draft, replace(program, matrices=matrices))


def mixed_operator(_: DrawContext[CoopMatCaps], draft: Draft, which: int) -> Draft:
    """An operator between two types."""
    program: CoopMatProgram = draft.program
    a, c, d = (program.matrices[number].name for number in (0, 2, 3))
    wrong = (Negate(a, c), Arithmetic(d, c, "+", a), Arithmetic(a, c, "-", d))[which]
    return with_program(draft, replace(program, body=(*program.body, wrong)))


def mixed_product(context: DrawContext[CoopMatCaps], draft: Draft) -> Draft:
    """A product assigned to a matrix of another type."""
    program: CoopMatProgram = draft.program
    other = replace(program.matrices[context.choices.integer(0, 1)], name="other")
    grown = replace(program, matrices=(*program.matrices, other))
    return changed(Draft(grown, draft.regime, draft.batch, draft.words), MulAdd, result="other")


def nameless_operands(context: DrawContext[CoopMatCaps], draft: Draft) -> Draft:
    """Operands of a product that have no name."""
    return changed(draft, MulAdd, operands=first(draft, MulAdd).operands | 1 << context.choices.integer(5, 6))


def nameless_layout(context: DrawContext[CoopMatCaps], draft: Draft, kind: type) -> Draft:
    """A memory layout that has no name."""
    return changed(draft, kind, layout=context.choices.integer(2, 5))


STORAGES: tuple[Storage, ...] = ("shared", "uniform", "buffer", "in", "out")
"""Where no matrix may be."""


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
        "KHRCM-ALIGN": in_forms(align, ((Load, "offset"), (Load, "stride"), (Store, "offset"), (Store, "stride"))),
        "KHRCM-CAPS-MATCH": Forms((Form(drawing_nothing(two_of_a)), Form(unknown_type))),
        "KHRCM-CAPS-SAT": drawing_nothing(caps_saturation),
        "KHRCM-STORAGE": Forms(
            (
                Form(drawing_nothing(uniform_block)),
                *in_forms(misplaced, STORAGES).forms,
                *in_forms(mixed_operator, range(3)).forms,
                Form(mixed_product),
            )
        ),
        "KHRCM-ENUMS": Forms((Form(nameless_operands), *in_forms(nameless_layout, (Load, Store)).forms)),
        "NVCM2-FLEX-CAPS": flexible_caps,
        **OPERATION_NEAR_MISSES,
        **TENSOR_NEAR_MISSES,
    }
)

NEAR_MISSES: Mapping[str, NearMiss] = MappingProxyType(
    {clause: each_form(partial(_with_features, clause), change) for clause, change in _NEAR_MISSES.items()}
)
