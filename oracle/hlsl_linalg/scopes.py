"""LINALG-SCOPE-TABLE: which operations there are at which scope, as the document's table has it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from mmaspec.programs.hlsl_linalg.components import Revision
from mmaspec.programs.hlsl_linalg.program import (
    Accumulate,
    Beyond,
    Cast,
    Convert,
    CountElements,
    InterlockedAccumulate,
    LinalgProgram,
    Load,
    Matrix,
    MemoryBias,
    Multiply,
    MultiplyAccumulate,
    MultiplyVector,
    OuterProduct,
    ReadElements,
    Scope,
    Simple,
    Splat,
    Store,
    VectorAccumulate,
    WriteElements,
)
from mmaspec.programs.hlsl_linalg.removed import (
    FromThreadVectors,
    GetThreadVector,
    Operate,
    SumAccumulate,
    Unary,
)

_THREAD: frozenset[Scope] = frozenset({"Thread"})
_UNIFORM: frozenset[Scope] = frozenset({"Wave", "ThreadGroup"})
_ALL = _THREAD | _UNIFORM

_LATER: Mapping[str, frozenset[Scope]] = MappingProxyType(
    {
        "Cast": _UNIFORM,
        "Length": _UNIFORM,
        "GetCoordinate": _UNIFORM,
        "Get": _UNIFORM,
        "Set": _UNIFORM,
        "Splat": _UNIFORM,
        "Load(ByteAddressBuffer)": _ALL,
        "Load(RWByteAddressBuffer)": _UNIFORM,
        "Load(groupshared)": _UNIFORM,
        "Store(RWByteAddressBuffer)": _UNIFORM,
        "Store(groupshared)": _UNIFORM,
        "InterlockedAccumulate(RWByteAddressBuffer)": _ALL,
        "InterlockedAccumulate(groupshared)": _UNIFORM,
        "Accumulate": _UNIFORM,
        "MultiplyAccumulate": _UNIFORM,
        "Multiply(Matrix, Matrix)": _UNIFORM,
        "Multiply(Matrix, vector)": _THREAD,
        "MultiplyAdd(Matrix, vector, vector)": _THREAD,
        "OuterProduct": _THREAD,
    }
)

_SOURCE: Mapping[str, frozenset[Scope]] = MappingProxyType(
    {
        "Cast": _UNIFORM,
        "operator": _UNIFORM,
        "ApplyUnaryOperation": _UNIFORM,
        "Splat": _UNIFORM,
        "Load(ByteAddressBuffer)": _ALL,
        "Load(RWByteAddressBuffer)": _UNIFORM,
        "Load(groupshared)": _UNIFORM,
        "Store(RWByteAddressBuffer)": _UNIFORM,
        "Store(groupshared)": _UNIFORM,
        "InterlockedAccumulate(RWByteAddressBuffer)": _ALL,
        "InterlockedAccumulate(groupshared)": _UNIFORM,
        "FromThreadVectors": _UNIFORM,
        "GetThreadVector": _UNIFORM,
        "MultiplyAccumulate": _UNIFORM,
        "SumAccumulate": _UNIFORM,
        "Multiply(Matrix, Matrix)": _UNIFORM,
        "Multiply(Matrix, vector)": _ALL,
        "MultiplyAdd(Matrix, vector, vector)": _ALL,
        "OuterProduct": _ALL,
    }
)
"""The table of 2025-09-19, whose marks the published copy lost; names are those of the later text where it has them."""

SCOPES: Mapping[Revision, Mapping[str, frozenset[Scope]]] = MappingProxyType({"later": _LATER, "2025-09-19": _SOURCE})
"""Revision -> operation -> the scopes of its matrices. The vector sum without a matrix belongs to threads anyway."""

METHODS: Mapping[type[Simple], tuple[str, ...]] = MappingProxyType(
    {
        Cast: ("Cast",),
        Splat: ("Splat",),
        CountElements: ("Length",),
        ReadElements: ("Length", "GetCoordinate", "Get"),
        WriteElements: ("Length", "GetCoordinate", "Set"),
        Beyond: ("Length", "GetCoordinate", "Get", "Set"),
        Accumulate: ("Accumulate",),
        MultiplyAccumulate: ("MultiplyAccumulate",),
        Multiply: ("Multiply(Matrix, Matrix)",),
        OuterProduct: ("OuterProduct",),
        Operate: ("operator",),
        Unary: ("ApplyUnaryOperation",),
        SumAccumulate: ("SumAccumulate",),
        FromThreadVectors: ("FromThreadVectors",),
        GetThreadVector: ("GetThreadVector",),
    }
)
"""Instructions that always are the same operations."""


def operations(program: LinalgProgram, instruction: Simple) -> Iterator[tuple[str, Matrix]]:
    """The operations of the table that an instruction performs, each with the matrix whose scope counts."""
    match instruction:
        case Load() | Store() | InterlockedAccumulate():
            name = type(instruction).__name__
            yield f"{name}({_memory(program, instruction.memory, name)})", program.matrix(instruction.matrix)
        case MultiplyVector():
            name = "Multiply(Matrix, vector)" if instruction.bias is None else "MultiplyAdd(Matrix, vector, vector)"
            yield name, program.matrix(instruction.matrix)
        case _:
            for name in METHODS.get(type(instruction), ()):
                yield name, program.matrix(instruction.matrix)  # type: ignore[union-attr]


def of_later_text(instruction: Simple) -> bool:
    """Whether the text of 2025-09-19 lacks a form, or all of an instruction, that has no line in either table.

    Its Cast does not transpose, its sums in arrays name no type, its biases are vectors, and it neither converts
    vectors nor adds them to memory.
    """
    match instruction:
        case Cast():
            return instruction.transpose
        case InterlockedAccumulate():
            return instruction.target is not None
        case MultiplyVector():
            return isinstance(instruction.bias, MemoryBias)
        case _:
            return isinstance(instruction, Convert | VectorAccumulate)


def _memory(program: LinalgProgram, name: str, operation: str) -> str:
    """What a matrix is moved from or to; what writes has one kind of buffer, and another is for LINALG-STORE-TARGET."""
    if program.array(name) is not None:
        return "groupshared"
    return "ByteAddressBuffer" if operation == "Load" and name in program.read_only else "RWByteAddressBuffer"
