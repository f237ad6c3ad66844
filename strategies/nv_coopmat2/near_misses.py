"""Near misses: a valid program, and for every validity clause a way to break just that one."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, get_args

from msgspec.structs import replace

from mmaspec.oracle.nv_coopmat2.caps import CoopMatCaps
from mmaspec.oracle.nv_coopmat2.program import (
    CONSTANT,
    ROW_MAJOR,
    SATURATING,
    USE_A,
    USE_ACCUMULATOR,
    USE_B,
    Component,
    CoopMatProgram,
    Layout,
    Load,
    LoadTensor,
    Matrix,
    MulAdd,
    SetDimension,
    SetStride,
    Slice,
    Splat,
    Store,
    StoreTensor,
)
from mmaspec.oracle.nv_coopmat2.supported import same_kind
from mmaspec.oracle.program import Affine, Index, Literal
from mmaspec.oracle.spec import Row
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.grammar import Breaker, Draft
from mmaspec.strategies.nv_coopmat2.plain import load, store
from mmaspec.strategies.nv_coopmat2.sketch import Sketch, with_program
from mmaspec.strategies.nv_coopmat2.tensors import base, small_offset


def base_draft(choices: Choices, row: Row, caps: CoopMatCaps) -> Draft:
    """A product whose C comes from a strided tensor, stored plainly and into a tensor."""
    sketch = Sketch(choices, row, caps, most_waves=2)
    a, b, c, d = (sketch.matrix(use) for use in (USE_A, USE_B, USE_ACCUMULATOR, USE_ACCUMULATOR))
    offset, inner = small_offset(sketch), choices.integer(1, 2)
    sizes = (offset[0] + c.rows, offset[1] + c.cols + choices.integer(0, 2))
    outer = sizes[1] * inner + choices.integer(0, 5)
    tensor = sketch.layout(
        (SetDimension(sizes), SetStride((outer, inner)), Slice(offset, (c.rows, c.cols))), mode=CONSTANT
    )
    elements = sizes[0] * outer
    where = base(sketch, "in", c, elements)
    there = base(sketch, "out", d, elements, copies=sketch.waves)
    sketch.add(
        load(sketch, a, layout=ROW_MAJOR),
        load(sketch, b, layout=ROW_MAJOR),
        LoadTensor(c.name, "in", where, tensor, data=sketch.name("T")),
        sketch.mul_add(d, a, b, c),
        store(sketch, d, layout=ROW_MAJOR),
        StoreTensor(d.name, "out", there, tensor),
    )
    return sketch.draft("small", batch=1)


def _changed(draft: Draft, kind: type, **fields: Any) -> Draft:
    """The first instruction of a kind with other fields."""
    program: CoopMatProgram = draft.program
    number = next(i for i, instruction in enumerate(program.body) if isinstance(instruction, kind))
    body = list(program.body)
    body[number] = replace(body[number], **fields)
    changed = replace(program, body=tuple(body))
    return with_program(draft, changed)


def _first(draft: Draft, kind: type) -> Any:
    return next(instruction for instruction in draft.program.body if isinstance(instruction, kind))


def _shifted(draft: Draft, index: Index, by: int) -> Index:
    """An argument plus a constant, as a literal where it was read at run time."""
    if isinstance(index, int):
        return index + by
    if isinstance(index, Affine):
        return Affine(index.base + by, index.wave, index.loop)
    return next(word.value for word in draft.words if (word.buffer, word.offset) == (index.buffer, index.offset)) + by


def stride_zero(choices: Choices, row: Row, caps: CoopMatCaps, draft: Draft) -> Draft:  # noqa: ARG001
    """A store with stride 0."""
    return _changed(draft, Store, stride=0)


def align(choices: Choices, row: Row, caps: CoopMatCaps, draft: Draft) -> Draft:  # noqa: ARG001
    """The offset or the stride of a plain access one element too large."""
    kind = choices.one_of((Load, Store))
    access = _first(draft, kind)
    if choices.chance(50):
        return _changed(draft, kind, offset=_shifted(draft, access.offset, 1))
    return _changed(draft, kind, stride=_shifted(draft, access.stride, 1))


def caps_match(choices: Choices, row: Row, caps: CoopMatCaps, draft: Draft) -> Draft:  # noqa: ARG001
    """A product with a second A in place of B, or a matrix whose component type no row has."""
    if choices.chance(50):
        return _changed(draft, MulAdd, b=_first(draft, MulAdd).a)
    program: CoopMatProgram = draft.program
    first = program.matrices[0]
    kinds: tuple[Component, ...] = get_args(Component)
    others = [kind for kind in kinds if not _known(caps, replace(first, component=kind))]
    odd = replace(first, name="odd", component=choices.one_of(others))
    body = (*program.body, Splat("odd", Literal(1)))
    return with_program(draft, replace(program, matrices=(*program.matrices, odd), body=body))


def _known(caps: CoopMatCaps, matrix: Matrix) -> bool:
    """Whether some property has the component type, use and scope of a matrix, whatever its size."""
    return any(same_kind(entry, matrix) for entry in caps.properties)


def caps_saturation(choices: Choices, row: Row, caps: CoopMatCaps, draft: Draft) -> Draft:  # noqa: ARG001
    """A product that saturates where it must not, or the other way round."""
    return _changed(draft, MulAdd, operands=SATURATING - _first(draft, MulAdd).operands)


def storage(choices: Choices, row: Row, caps: CoopMatCaps, draft: Draft) -> Draft:  # noqa: ARG001
    """A product assigned to a matrix of another type."""
    program: CoopMatProgram = draft.program
    other = replace(program.matrices[choices.integer(0, 1)], name="other")
    grown = replace(program, matrices=(*program.matrices, other))
    return _changed(Draft(grown, draft.regime, draft.batch, draft.words), MulAdd, result="other")


def enums(choices: Choices, row: Row, caps: CoopMatCaps, draft: Draft) -> Draft:  # noqa: ARG001
    """A memory layout, or operands of a product, that have no name."""
    if choices.chance(40):
        return _changed(draft, MulAdd, operands=_first(draft, MulAdd).operands | 1 << choices.integer(5, 6))
    return _changed(draft, choices.one_of((Load, Store)), layout=choices.integer(2, 5))


def flexible_caps(choices: Choices, row: Row, caps: CoopMatCaps, draft: Draft) -> Draft | None:  # noqa: ARG001
    """M off the granularity, in all matrices alike."""
    if "flexible" not in row.tags:
        return None
    more = choices.one_of((8, 16))

    def taller(matrix: Matrix) -> Matrix:
        return matrix if matrix.use == USE_B else replace(matrix, rows=matrix.rows + more)

    program: CoopMatProgram = draft.program
    return with_program(draft, replace(program, matrices=tuple(taller(matrix) for matrix in program.matrices)))


def _with_layout(draft: Draft, layout: Layout, *, fit: bool = True) -> Draft:
    """Another first layout."""
    changed = replace(draft.program, layouts=(layout, *draft.program.layouts[1:]))
    return with_program(draft, changed) if fit else Draft(changed, draft.regime, draft.batch, draft.words)


def _parts(layout: Layout) -> tuple[SetDimension, SetStride, Slice]:
    dimension, stride, cut = layout.calls
    assert isinstance(dimension, SetDimension)
    assert isinstance(stride, SetStride)
    assert isinstance(cut, Slice)
    return dimension, stride, cut


def dim_range(choices: Choices, row: Row, caps: CoopMatCaps, draft: Draft) -> Draft:  # noqa: ARG001
    """Six dimensions, the outer ones of size 1: all else stays as it was."""
    layout: Layout = draft.program.layouts[0]
    dimension, stride, cut = _parts(layout)
    rank = choices.integer(6, 7)
    more = rank - layout.rank
    far = _far(dimension, stride)
    calls = (
        SetDimension((1,) * more + dimension.dimensions),
        SetStride((far,) * more + stride.strides),
        Slice((0,) * more + cut.offsets, (1,) * more + cut.spans),
    )
    return _with_layout(draft, replace(layout, rank=rank, calls=calls))


def _far(dimension: SetDimension, stride: SetStride) -> int:
    """A stride beyond the whole tensor."""
    size, step = dimension.dimensions[0], stride.strides[0]
    assert isinstance(size, int)
    assert isinstance(step, int)
    return size * step


def clamp_enums(choices: Choices, row: Row, caps: CoopMatCaps, draft: Draft) -> Draft:  # noqa: ARG001
    """A clamp mode that has no name."""
    return _with_layout(draft, replace(draft.program.layouts[0], clamp_mode=choices.integer(5, 9)))


def type_params(choices: Choices, row: Row, caps: CoopMatCaps, draft: Draft) -> Draft:  # noqa: ARG001
    """A layout made from one of another clamp mode, or a setter with one argument too many."""
    layout: Layout = draft.program.layouts[0]
    if choices.chance(50):
        other = Layout("other", (), layout.rank, choices.integer(2, 4), layout.name)
        changed = replace(draft.program, layouts=(*draft.program.layouts, other))
        return Draft(changed, draft.regime, draft.batch, draft.words)
    dimension, *rest = layout.calls
    assert isinstance(dimension, SetDimension)
    longer = SetDimension((*dimension.dimensions, 1))
    return _with_layout(draft, replace(layout, calls=(longer, *rest)), fit=False)


def set_stride_minimum(choices: Choices, row: Row, caps: CoopMatCaps, draft: Draft) -> Draft:  # noqa: ARG001
    """The outer stride one too small."""
    layout: Layout = draft.program.layouts[0]
    dimension, stride, cut = _parts(layout)
    inner, size = stride.strides[1], dimension.dimensions[1]
    assert isinstance(inner, int)
    assert isinstance(size, int)
    short = SetStride((inner * size - 1, inner))
    return _with_layout(draft, replace(layout, calls=(dimension, short, cut)))


def base_align(choices: Choices, row: Row, caps: CoopMatCaps, draft: Draft) -> Draft:  # noqa: ARG001
    """The offset of a tensor access one element too large."""
    kind = choices.one_of((LoadTensor, StoreTensor))
    return _changed(draft, kind, offset=_shifted(draft, _first(draft, kind).offset, 1))


BREAKERS: Mapping[str, Breaker] = MappingProxyType(
    {
        "KHRCM-STRIDE-ZERO": stride_zero,
        "KHRCM-ALIGN": align,
        "KHRCM-CAPS-MATCH": caps_match,
        "KHRCM-CAPS-SAT": caps_saturation,
        "KHRCM-STORAGE": storage,
        "KHRCM-ENUMS": enums,
        "NVCM2-FLEX-CAPS": flexible_caps,
        "NVCM2-DIM-RANGE": dim_range,
        "NVCM2-ENUMS": clamp_enums,
        "NVCM2-TYPE-PARAMS": type_params,
        "NVCM2-SETSTRIDE-MIN": set_stride_minimum,
        "NVCM2-BASE-ALIGN": base_align,
    }
)
