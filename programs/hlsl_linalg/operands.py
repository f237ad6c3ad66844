"""The matrices and vectors that an instruction reads, and the one that it writes; both kinds share one set of names."""

from __future__ import annotations

from mmaspec.programs.hlsl_linalg.program import (
    Accumulate,
    AccumulatorLayout,
    Barrier,
    Beyond,
    Cast,
    Convert,
    ConvertLayout,
    Copy,
    CountElements,
    InterlockedAccumulate,
    Load,
    Multiply,
    MultiplyAccumulate,
    MultiplyVector,
    OuterProduct,
    ReadElements,
    Simple,
    Splat,
    Store,
    VectorAccumulate,
    VectorLoad,
    VectorStore,
    WriteElements,
)
from mmaspec.programs.hlsl_linalg.removed import (
    FromThreadVectors,
    GetThreadVector,
    Operate,
    SumAccumulate,
    Unary,
)


def writes(instruction: Simple) -> str | None:
    """The matrix or vector that an instruction changes; None for one that only reads them, or moves other data.

    ``Beyond`` calls Set, though nothing may come of it.
    """
    match instruction:
        case Splat() | Cast() | Load() | WriteElements() | Beyond() | Multiply() | MultiplyAccumulate() | Accumulate():
            return instruction.matrix
        case OuterProduct() | Operate() | Unary() | SumAccumulate() | FromThreadVectors():
            return instruction.matrix
        case VectorLoad() | Convert() | MultiplyVector() | GetThreadVector():
            return instruction.vector
        case _:
            return None


def reads(instruction: Simple) -> tuple[str, ...]:
    """The matrices and vectors of which an instruction uses the elements, or changes some and keeps the others.

    A Length counts as a use: a matrix that was never made has none. A Multiply forgets its accumulator.
    """
    match instruction:
        case Splat() | Load() | VectorLoad() | AccumulatorLayout() | Copy() | ConvertLayout() | Barrier():
            return ()
        case Cast() | Convert() | Unary() | FromThreadVectors():
            return (instruction.source,)
        case Multiply():
            return instruction.a, instruction.b
        case MultiplyAccumulate() | SumAccumulate():
            return instruction.a, instruction.b, instruction.matrix
        case Accumulate():
            return instruction.matrix, instruction.operand
        case MultiplyVector():
            bias = (instruction.bias,) if isinstance(instruction.bias, str) else ()
            return instruction.matrix, instruction.source, *bias
        case OuterProduct():
            return instruction.column, instruction.row
        case VectorStore() | VectorAccumulate():
            return (instruction.vector,)
        case Store() | InterlockedAccumulate() | ReadElements() | WriteElements() | Beyond() | CountElements():
            return (instruction.matrix,)
        case Operate() | GetThreadVector():
            return (instruction.matrix,)
