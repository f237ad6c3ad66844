"""Where the operand of an operation comes from: one way of making a matrix for every class of ``matrix-origin``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from mmaspec.oracle.nv_coopmat2.caps_support import listed, other_kinds
from mmaspec.oracle.nv_coopmat2.program_support import beside
from mmaspec.programs.base import Literal
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.program import (
    COLUMN_MAJOR,
    REDUCE_ROW,
    ROW_MAJOR,
    USE_A,
    USE_ACCUMULATOR,
    USE_B,
    Arithmetic,
    Combine,
    Component,
    Convert,
    EachComponent,
    Echo,
    ElementFunction,
    LoadTensor,
    Matrix,
    Negate,
    PerElement,
    Reduce,
    SetClip,
    SetDimension,
    Simple,
    Slice,
    Splat,
    Transpose,
)
from mmaspec.strategies.nv_coopmat2.builder.program import LINE, ProgramBuilder
from mmaspec.strategies.nv_coopmat2.features import CONVERTING, DECODING, PER_ELEMENT, REDUCING, TENSORS, has
from mmaspec.strategies.nv_coopmat2.templates.operations import like
from mmaspec.strategies.nv_coopmat2.templates.plain import load

KINDS: tuple[Component, ...] = ("f32", "f16", "bf16", "f64", "s32", "u32", "s16", "u16", "s8", "u8")


def has_operators(matrix: Matrix) -> bool:
    """Whether components of a matrix have operators: bf16 has none."""
    return matrix.component != "bf16"


def of_type(builder: ProgramBuilder, component: Component, like: Matrix, use: int) -> Matrix | None:
    """A new matrix of the rows and columns of another; None where the device has none beside the row's entry."""
    wanted = Matrix("", component, like.rows, like.cols, use, like.scope)
    if not listed(beside(builder.caps, builder.entry), wanted):
        return None
    return builder.typed(component, like.rows, like.cols, use)


def number(matrix: Matrix) -> int:
    """The bits of 1.5, or of an integer whose bytes differ."""
    fmt = format_named(matrix.component)
    return (fmt.bias << fmt.fraction_bits) | 1 << (fmt.fraction_bits - 1) if fmt.is_float else 0x0403_0201 & fmt.mask


def _rows(builder: ProgramBuilder, matrix: Matrix) -> list[Simple]:
    return [load(builder, matrix, layout=ROW_MAJOR)]


def _columns(builder: ProgramBuilder, matrix: Matrix) -> list[Simple]:
    return [load(builder, matrix, layout=COLUMN_MAJOR)]


def _shared(builder: ProgramBuilder, matrix: Matrix) -> list[Simple] | None:
    if builder.entry.scope != "subgroup":
        return None  # how much memory workgroup scope leaves, every device has its own
    return [load(builder, matrix, array="uint", buffer=builder.shared_array("shared-in"))]


def _tensor(builder: ProgramBuilder, matrix: Matrix, kind: str) -> list[Simple] | None:
    if not has(builder.caps, DECODING if kind == "decoded" else TENSORS):
        return None
    turned = kind == "view"
    spans = (matrix.cols, matrix.rows) if turned else (matrix.rows, matrix.cols)
    offset = (builder.choices.integer(0, 2), builder.choices.integer(1, 3))
    sizes = (offset[0] + spans[0], offset[1] + spans[1] + builder.choices.integer(0, 2))
    tensor = builder.layout((SetDimension(sizes), Slice(offset, spans)))
    width = format_named(matrix.component).nbytes
    decode = Echo(width, (3, 1), (0, 0), byte=1) if kind == "decoded" else None
    extent = -(-sizes[0] * sizes[1] * width // LINE) * LINE
    buffer = builder.buffer("in")
    where = builder.spread(builder.region(buffer, extent * builder.waves) // width, extent // width)
    view, before = None, list[Simple]()
    if turned:
        view = builder.view(permutation=(1, 0))
    if kind == "clipped":
        view = builder.view((SetClip(1, matrix.rows - 2, 0, matrix.cols),))
        before.append(Splat(matrix.name, Literal(number(matrix))))
    return [
        *before,
        LoadTensor(matrix.name, buffer, where, tensor, data=builder.name("T"), view=view, decode=decode),
    ]


def _splat(_: ProgramBuilder, matrix: Matrix) -> list[Simple]:
    return [Splat(matrix.name, Literal(number(matrix)))]


def _product(builder: ProgramBuilder, matrix: Matrix) -> list[Simple] | None:
    m, n, _ = builder.sizes
    if matrix.use != USE_ACCUMULATOR or (matrix.component, matrix.rows, matrix.cols) != (builder.entry.c, m, n):
        return None
    a, b = builder.matrix(USE_A), builder.matrix(USE_B)
    first = Splat(matrix.name, Literal(number(matrix)))
    return [first, load(builder, a), load(builder, b), builder.mul_add(matrix, a, b, matrix)]


def _conversion(builder: ProgramBuilder, matrix: Matrix) -> list[Simple] | None:
    kinds = other_kinds(beside(builder.caps, builder.entry), matrix)
    if not kinds:
        return None
    source = builder.typed(builder.choices.one_of(kinds), matrix.rows, matrix.cols, matrix.use)
    return [load(builder, source), Convert(matrix.name, source.name)]


def _use_conversion(builder: ProgramBuilder, matrix: Matrix) -> list[Simple] | None:
    if matrix.use == USE_ACCUMULATOR or not has(builder.caps, CONVERTING):
        return None
    for kind in (matrix.component, *KINDS):
        source = of_type(builder, kind, matrix, USE_ACCUMULATOR)
        if source is not None:
            return [load(builder, source), Convert(matrix.name, source.name)]
    return None


def _arithmetic(builder: ProgramBuilder, matrix: Matrix) -> list[Simple] | None:
    if not has_operators(matrix):
        return None
    left, right = like(builder, matrix), like(builder, matrix)
    op = Arithmetic(matrix.name, left.name, builder.choices.one_of(("+", "-")), right.name)
    return [load(builder, left), load(builder, right), op]


def _negation(builder: ProgramBuilder, matrix: Matrix) -> list[Simple] | None:
    if not has_operators(matrix):
        return None
    source = like(builder, matrix)
    return [load(builder, source), Negate(matrix.name, source.name)]


def _each(builder: ProgramBuilder, matrix: Matrix) -> list[Simple] | None:
    return [load(builder, matrix), EachComponent(matrix.name, "negate")] if has_operators(matrix) else None


def _reduction(builder: ProgramBuilder, matrix: Matrix) -> list[Simple] | None:
    known = format_named(matrix.component).is_float and matrix.use == USE_ACCUMULATOR
    if not known or not has(builder.caps, REDUCING):
        return None
    source = like(builder, matrix)
    return [load(builder, source), Reduce(matrix.name, source.name, REDUCE_ROW, Combine("max"))]


def _per_element(builder: ProgramBuilder, matrix: Matrix) -> list[Simple] | None:
    if not has(builder.caps, PER_ELEMENT):
        return None
    source = like(builder, matrix)
    return [load(builder, source), PerElement(matrix.name, source.name, ElementFunction("triangle"))]


def _transpose(builder: ProgramBuilder, matrix: Matrix) -> list[Simple] | None:
    turned = Matrix("", matrix.component, matrix.cols, matrix.rows, USE_ACCUMULATOR, matrix.scope)
    if matrix.use != USE_B or not has(builder.caps, CONVERTING):
        return None
    source = of_type(builder, matrix.component, turned, USE_ACCUMULATOR)
    return None if source is None else [load(builder, source), Transpose(matrix.name, source.name)]


Origin = Callable[[ProgramBuilder, Matrix], "list[Simple] | None"]

ORIGINS: Mapping[str, Origin] = MappingProxyType(
    {
        "plain-load": _rows,
        "plain-load-columns": _columns,
        "shared-load": _shared,
        "tensor-load": lambda builder, matrix: _tensor(builder, matrix, "plain"),
        "view-load": lambda builder, matrix: _tensor(builder, matrix, "view"),
        "clipped-load": lambda builder, matrix: _tensor(builder, matrix, "clipped"),
        "decoded-load": lambda builder, matrix: _tensor(builder, matrix, "decoded"),
        "splat": _splat,
        "product": _product,
        "conversion": _conversion,
        "use-conversion": _use_conversion,
        "arithmetic": _arithmetic,
        "negation": _negation,
        "each-component": _each,
        "reduction": _reduction,
        "per-element": _per_element,
        "transpose": _transpose,
    }
)
"""Class of ``matrix-origin`` -> the instructions that make a matrix so; None where the row has no such thing."""

MOVES = ("plain-load", "plain-load-columns", "shared-load", "tensor-load", "view-load")
"""Those that bring the data of the case unchanged."""


TRIES = 4
"""How often another way is drawn where a row has no such thing."""


def made(builder: ProgramBuilder, matrix: Matrix, name: str) -> list[Simple]:
    """The instructions that make a matrix in the way of a class, or by a plain load where the row has no such thing."""
    return ORIGINS[name](builder, matrix) or _rows(builder, matrix)


def drawn(builder: ProgramBuilder, matrix: Matrix, share: int = 45) -> list[Simple]:
    """Any way: by a load that brings the data as they are, or in ``share`` of 100 by an operation."""
    names = tuple(ORIGINS) if builder.choices.chance(share) else MOVES
    for _ in range(TRIES):
        found = ORIGINS[builder.choices.one_of(names)](builder, matrix)
        if found is not None:
            return found
    return _rows(builder, matrix)
