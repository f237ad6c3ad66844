"""The operands and results of instructions and setter calls: matrices by name, scalars, arguments in order."""

from __future__ import annotations

from mmaspec.programs.base import Index, Scalar
from mmaspec.programs.nv_coopmat2.program import (
    Arithmetic,
    Barrier,
    Convert,
    EachComponent,
    Load,
    LoadTensor,
    MulAdd,
    Negate,
    PerElement,
    Reduce,
    SetBlockSize,
    SetClampValue,
    SetClip,
    SetDimension,
    SetStride,
    Setter,
    SetViewDimensions,
    SetViewStride,
    Simple,
    Splat,
    Store,
    StoreTensor,
    Transpose,
    ViewSetter,
)


def reads(instruction: Simple) -> tuple[str, ...]:
    """The matrices that an instruction uses, whatever becomes of them."""
    match instruction:
        case MulAdd():
            return (instruction.a, instruction.b, *(() if instruction.c is None else (instruction.c,)))
        case Store() | StoreTensor() | Convert() | Negate() | Reduce() | Transpose() | EachComponent():
            return (instruction.matrix,)
        case Arithmetic():
            return (instruction.left, *((instruction.right,) if isinstance(instruction.right, str) else ()))
        case PerElement():
            return (instruction.matrix, *(extra for extra in instruction.extras if isinstance(extra, str)))
        case _:
            return ()


def writes(instruction: Simple) -> str | None:
    """The matrix that an instruction writes; None for a store and a barrier."""
    if isinstance(instruction, Store | StoreTensor | Barrier):
        return None
    return (
        instruction.matrix if isinstance(instruction, Splat | Load | LoadTensor | EachComponent) else instruction.result
    )


def scalars(instruction: Simple) -> tuple[tuple[str, Scalar], ...]:
    """The scalars that an instruction takes, each with a matrix that has its type."""
    match instruction:
        case Splat():
            return ((instruction.matrix, instruction.value),)
        case EachComponent() if instruction.value is not None:
            return ((instruction.matrix, instruction.value),)
        case Arithmetic() if not isinstance(instruction.right, str):
            return ((instruction.left, instruction.right),)
        case PerElement():
            return tuple((instruction.matrix, extra) for extra in instruction.extras if not isinstance(extra, str))
        case _:
            return ()


def arguments(call: Setter | ViewSetter) -> tuple[Index, ...]:
    """The arguments of a setter call in the order in which they are written, offsets of a slice before its spans."""
    match call:
        case SetBlockSize():
            return call.sizes
        case SetDimension() | SetViewDimensions():
            return call.dimensions
        case SetStride() | SetViewStride():
            return call.strides
        case SetClampValue():
            return (call.value,)
        case SetClip():
            return (call.row_offset, call.row_span, call.col_offset, call.col_span)
        case _:
            return (*call.offsets, *call.spans)
