"""Instructions that the text of 2025-09-19 writes otherwise than the later one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from mmaspec.oracle.hlsl_linalg.text.words import argument, identifier, type_name, type_of
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, ComponentType
from mmaspec.programs.hlsl_linalg.program import (
    Cast,
    InterlockedAccumulate,
    LinalgProgram,
    Load,
    Multiply,
    MultiplyVector,
    OuterProduct,
    Store,
)


def source_component(name: ComponentType) -> str:
    """A component type, by the name that the enumeration has in this text."""
    return f"MatrixComponentType::{name}"


def _where(program: LinalgProgram, one: Load | Store | InterlockedAccumulate, loop: str) -> str:
    """The arguments of a load, store or accumulation; arrays have no alignment."""
    scope = program.matrix(one.matrix).scope
    summed = isinstance(one, InterlockedAccumulate) and scope == "Thread" and one.layout == "RowMajor"
    layout = "OuterProductOptimal" if summed else one.layout
    given = [identifier(one.memory), argument(one.offset, loop), argument(one.stride, loop), f"MatrixLayout::{layout}"]
    return ", ".join([*given, *([str(one.align)] if one.align else [])])


def _load(program: LinalgProgram, one: Load, loop: str) -> list[str]:
    kind = type_name(program.matrix(one.matrix))
    return [f"{identifier(one.matrix)} = {kind}::Load({_where(program, one, loop)});"]


def _store(program: LinalgProgram, one: Store, loop: str) -> list[str]:
    return [f"{identifier(one.matrix)}.Store({_where(program, one, loop)});"]


def _accumulate(program: LinalgProgram, one: InterlockedAccumulate, loop: str) -> list[str]:
    return [f"{identifier(one.matrix)}.Accumulate({_where(program, one, loop)});"]


def _cast(program: LinalgProgram, one: Cast, _: str) -> list[str]:
    matrix = program.matrix(one.matrix)
    turned = ", true" if one.transpose else ""  # which this text does not have
    template = f"<{source_component(matrix.component)}, MatrixUse::{matrix.use}{turned}>"
    return [f"{identifier(one.matrix)} = {identifier(one.source)}.cast{template}();"]


def _multiply(program: LinalgProgram, one: Multiply, _: str) -> list[str]:
    """Where all three types are one, naming it would leave two functions to choose from."""
    types = [program.matrix(name).component for name in (one.matrix, one.a, one.b)]
    template = f"<{source_component(types[0])}>" if one.typed and len(set(types)) > 1 else ""  # pyright: ignore[reportArgumentType]
    return [f"{identifier(one.matrix)} = Multiply{template}({identifier(one.a)}, {identifier(one.b)});"]


def _multiply_vector(program: LinalgProgram, one: MultiplyVector, _: str) -> list[str]:
    """The row stands before the matrix."""
    kind = type_of(COMPONENTS[program.vector(one.vector).component].scalar)
    operands = f"{identifier(one.source)}, {identifier(one.matrix)}"
    name = identifier(one.vector)
    if one.bias is None:
        return [f"{name} = Multiply<{kind}>({operands});"]
    bias = identifier(one.bias) if isinstance(one.bias, str) else f"{identifier(one.bias.buffer)} + {one.bias.offset}"
    return [f"{name} = MultiplyAdd<{kind}>({operands}, {bias});"]


def _outer(program: LinalgProgram, one: OuterProduct, _: str) -> list[str]:
    matrix = program.matrix(one.matrix)
    template = f"<{source_component(matrix.component)}, MatrixScope::{matrix.scope}>"
    return [f"{identifier(one.matrix)} = OuterProduct{template}({identifier(one.column)}, {identifier(one.row)});"]


SOURCE_LINES: Mapping[type, Callable[[LinalgProgram, Any, str], list[str]]] = MappingProxyType(
    {
        Cast: _cast,
        InterlockedAccumulate: _accumulate,
        Load: _load,
        Multiply: _multiply,
        MultiplyVector: _multiply_vector,
        OuterProduct: _outer,
        Store: _store,
    }
)
"""Instruction -> its lines."""
