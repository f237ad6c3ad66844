"""Every instruction as HLSL, by the later text's header where the revision does not say otherwise."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from mmaspec.oracle.hlsl_linalg.text.removed import REMOVED_LINES
from mmaspec.oracle.hlsl_linalg.text.source import SOURCE_LINES
from mmaspec.oracle.hlsl_linalg.text.words import (
    argument,
    component,
    identifier,
    interpreted,
    scalar,
    type_name,
    type_of,
    vector_type,
)
from mmaspec.programs.base import Literal, RunTime
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, NATIVE, SCALARS, ComponentType, Revision
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
    LinalgProgram,
    Load,
    Matrix,
    MemoryBias,
    Multiply,
    MultiplyAccumulate,
    MultiplyVector,
    OuterProduct,
    ReadElements,
    Simple,
    Splat,
    Stage,
    Store,
    Unstage,
    VectorAccumulate,
    VectorLoad,
    VectorStore,
    WriteElements,
)


def lines(program: LinalgProgram, instruction: Simple, loop: str, revision: Revision = "later") -> list[str]:
    """The lines of one instruction; one that a text does not have is written as the other one has it."""
    kind = type(instruction)
    if revision == "2025-09-19" and kind in SOURCE_LINES:
        return SOURCE_LINES[kind](program, instruction, loop)
    return _LINES[kind](program, instruction, loop)


def _template(*arguments: str) -> str:
    given = [one for one in arguments if one]
    return f"<{', '.join(given)}>" if given else ""


def _align(align: int) -> str:
    return f"/*Align=*/{align}" if align else ""


def _load(program: LinalgProgram, load: Load, loop: str) -> list[str]:
    matrix = program.matrix(load.matrix)
    where = f"{identifier(load.memory)}, {argument(load.offset, loop)}, {argument(load.stride, loop)}"
    name, kind = identifier(matrix.name), type_name(matrix)
    if matrix.scope == "Thread":
        template = _template(f"MatrixLayout::{load.layout}", _align(load.align))
        return [f"{name} = {kind}::Load{template}({where});"]
    return [f"{name} = {kind}::Load{_template(_align(load.align))}({where}, MatrixLayout::{load.layout});"]


def _store(_: LinalgProgram, store: Store, loop: str) -> list[str]:
    where = f"{identifier(store.memory)}, {argument(store.offset, loop)}, {argument(store.stride, loop)}"
    template = _template(_align(store.align))
    return [f"{identifier(store.matrix)}.Store{template}({where}, MatrixLayout::{store.layout});"]


def _sum(program: LinalgProgram, access: InterlockedAccumulate, loop: str) -> list[str]:
    """The document has no stride and no layout at Thread scope: only a program that has others shows them.

    A stride that is loaded shows nothing: it is 0 wherever the program is valid. Nor can a type be named but of packed
    words: where it is the array's own, there is nothing to say.
    """
    matrix, array = program.matrix(access.matrix), program.array(access.memory)
    where = f"{identifier(access.memory)}, {argument(access.offset, loop)}"
    plain = isinstance(access.stride, RunTime) or access.stride == 0
    if matrix.scope != "Thread" or not plain or access.layout not in ("RowMajor", "OuterProductOptimal"):
        where += f", {argument(access.stride, loop)}, MatrixLayout::{access.layout}"
    own = array is not None and NATIVE.get(array.element) == access.target
    named = "" if access.target is None or own else component(access.target)
    template = _template(named, _align(access.align))
    return [f"{identifier(matrix.name)}.InterlockedAccumulate{template}({where});"]


def _splat(program: LinalgProgram, splat: Splat, _: str) -> list[str]:
    value = scalar(splat.value, splat.scalar, splat.lane, splat.wave)
    return [
        f"{identifier(splat.matrix)} = {type_name(program.matrix(splat.matrix))}"
        f"::Splat(({type_of(splat.scalar)})({value}));"
    ]


def _cast(program: LinalgProgram, cast: Cast, _: str) -> list[str]:
    matrix = program.matrix(cast.matrix)
    turned = "true" if cast.transpose else ""
    template = _template(component(matrix.component), f"MatrixUse::{matrix.use}", turned)
    return [f"{identifier(cast.matrix)} = {identifier(cast.source)}.Cast{template}();"]


def _element(matrix: Matrix) -> tuple[str, int]:
    row = COMPONENTS[matrix.component]
    return type_of(row.scalar), row.format.nbytes


def _read(program: LinalgProgram, loop_over: ReadElements, loop: str) -> list[str]:
    matrix, name = program.matrix(loop_over.matrix), identifier(loop_over.matrix)
    kind, size = _element(matrix)
    where = f"{argument(loop_over.offset, loop)} + at.x * ({argument(loop_over.stride, loop)}) + at.y * {size}"
    return [
        f"for (uint i = 0; i < {name}.Length(); ++i) {{",
        f"    const uint2 at = {name}.GetCoordinate(i);",
        f"    {identifier(loop_over.buffer)}.Store<{kind}>({where}, {name}.Get(i));",
        "}",
    ]


def _write(program: LinalgProgram, loop_over: WriteElements, loop: str) -> list[str]:
    matrix, name = program.matrix(loop_over.matrix), identifier(loop_over.matrix)
    kind, size = _element(matrix)
    where = f"{argument(loop_over.offset, loop)} + at.x * ({argument(loop_over.stride, loop)}) + at.y * {size}"
    skipped = f"if ((at.x * {matrix.n} + at.y) % {loop_over.modulo} != {loop_over.keep}) " if loop_over.modulo else ""
    return [
        f"for (uint i = 0; i < {name}.Length(); ++i) {{",
        f"    const uint2 at = {name}.GetCoordinate(i);",
        f"    {skipped}{name}.Set(i, {identifier(loop_over.buffer)}.Load<{kind}>({where}));",
        "}",
    ]


def _beyond(program: LinalgProgram, beyond: Beyond, loop: str) -> list[str]:
    matrix, name = program.matrix(beyond.matrix), identifier(beyond.matrix)
    kind, buffer = _element(matrix)[0], identifier(beyond.buffer)
    past = f" + {beyond.past}" if beyond.past else ""
    return [
        "{",
        f"    const uint far = {name}.Length(){past};",
        f"    const uint start = {argument(beyond.offset, loop)} + groupIndex * 16;",
        f"    {buffer}.Store2(start, {name}.GetCoordinate(far));",
        f"    {buffer}.Store<{kind}>(start + 8, {name}.Get(far));",
        f"    {name}.Set(far, {scalar(Literal(beyond.value), COMPONENTS[matrix.component].scalar)});",
        "}",
    ]


def _count(_: LinalgProgram, count: CountElements, loop: str) -> list[str]:
    where = argument(count.offset, loop)
    return [f"{identifier(count.buffer)}.InterlockedAdd({where}, {identifier(count.matrix)}.Length());"]


def _multiply(program: LinalgProgram, product: Multiply, _: str) -> list[str]:
    """Where all three types are one, naming it would leave two functions to choose from, of which DXC takes neither."""
    types: list[ComponentType] = [program.matrix(name).component for name in (product.matrix, product.a, product.b)]
    template = _template(component(types[0]) if product.typed and len(set(types)) > 1 else "")
    operands = f"{identifier(product.a)}, {identifier(product.b)}"
    return [f"{identifier(product.matrix)} = Multiply{template}({operands});"]


def _mac(_: LinalgProgram, product: MultiplyAccumulate, __: str) -> list[str]:
    return [f"{identifier(product.matrix)}.MultiplyAccumulate({identifier(product.a)}, {identifier(product.b)});"]


def _accumulate(_: LinalgProgram, total: Accumulate, __: str) -> list[str]:
    return [f"{identifier(total.matrix)}.Accumulate({identifier(total.operand)});"]


def _layout(_: LinalgProgram, query: AccumulatorLayout, loop: str) -> list[str]:
    return [f"{identifier(query.buffer)}.Store({argument(query.offset, loop)}, (uint)AccumulatorLayout());"]


def _vector_load(program: LinalgProgram, load: VectorLoad, loop: str) -> list[str]:
    kind = vector_type(program.vector(load.vector))
    source = f"{identifier(load.buffer)}.Load<{kind} >({argument(load.offset, loop)})"
    return [f"{identifier(load.vector)} = {source};"]


def _vector_store(program: LinalgProgram, store: VectorStore, loop: str) -> list[str]:
    kind = vector_type(program.vector(store.vector))
    where = argument(store.offset, loop)
    return [f"{identifier(store.buffer)}.Store<{kind} >({where}, {identifier(store.vector)});"]


def _vector_sum(program: LinalgProgram, access: VectorAccumulate, loop: str) -> list[str]:
    addend = interpreted(program.vector(access.vector))
    where = f"{identifier(access.buffer)}, {argument(access.offset, loop)}, {addend}"
    return [f"InterlockedAccumulate{_template(_align(access.align))}({where});"]


def _convert(program: LinalgProgram, convert: Convert, _: str) -> list[str]:
    vector, source = program.vector(convert.vector), program.vector(convert.source)
    template = _template(component(vector.component), component(source.component))
    return [f"{identifier(vector.name)} = Convert{template}({identifier(source.name)}).Data;"]


def _multiply_vector(program: LinalgProgram, product: MultiplyVector, _: str) -> list[str]:
    vector, source = program.vector(product.vector), program.vector(product.source)
    template = _template(type_of(COMPONENTS[vector.component].scalar))
    operands = f"{identifier(product.matrix)}, {interpreted(source)}"
    name = identifier(vector.name)
    if product.bias is None:
        return [f"{name} = Multiply{template}({operands});"]
    if isinstance(product.bias, str):
        return [f"{name} = MultiplyAdd{template}({operands}, {interpreted(program.vector(product.bias))});"]
    return [
        "{",
        f"    {_bias(product.bias, vector.length)}",
        f"    {name} = MultiplyAdd{template}({operands}, memoryBias);",
        "}",
    ]


def _bias(bias: MemoryBias, length: int) -> str:
    kind = f"VectorRef<{component(bias.component)}, {length}>"
    return f"const {kind} memoryBias = {{{identifier(bias.buffer)}, {bias.offset}}};"


def _outer(program: LinalgProgram, product: OuterProduct, _: str) -> list[str]:
    template = _template(component(program.matrix(product.matrix).component))
    operands = f"{interpreted(program.vector(product.column))}, {interpreted(program.vector(product.row))}"
    return [f"{identifier(product.matrix)} = OuterProduct{template}({operands});"]


def _copy(program: LinalgProgram, copy: Copy, loop: str) -> list[str]:
    """A loop over all elements, dealt out to the threads of the group."""
    array = program.array(copy.array)
    assert array is not None
    element = type_of(array.element)
    kind = "uint" if element == "uint8_t4_packed" else element
    size = FORMATS[SCALARS[array.element]].nbytes
    place = f"({argument(copy.offset, loop)} + i)"
    index = f"{place} / {array.width}][{place} % {array.width}" if array.width else place[1:-1]
    there = f"{identifier(copy.array)}[{index}]"
    here = f"{argument(copy.start, loop)} + i * {size}"
    buffer = identifier(copy.buffer)
    cast, back = ("", "") if kind == element else (f"({element})", f"({kind})")
    if isinstance(copy, Stage):
        move = f"{there} = {cast}{buffer}.Load<{kind}>({here});"
    else:
        move = f"{buffer}.Store<{kind}>({here}, {back}{there});"
    return [f"for (uint i = groupIndex; i < {copy.count}; i += GROUP_SIZE) {move}"]


def _barrier(_: LinalgProgram, __: Barrier, ___: str) -> list[str]:
    return ["AllMemoryBarrierWithGroupSync();"]


def _convert_layout(_: LinalgProgram, c: ConvertLayout, __: str) -> list[str]:
    """A command of the command list, which no shader has."""
    source = f"{c.source} at {c.source_offset}, {c.source_layout}, stride {c.source_stride}"
    size = f"stride {c.target_stride}" if not c.target_size else f"{c.target_size} bytes"
    target = f"{c.target} at {c.target_offset}, {c.target_layout}, {size}"
    return [f"// ConvertLinearAlgebraMatrix: {c.component} {c.m} x {c.n} from {source} to {target}"]


_LINES: Mapping[type, Callable[[LinalgProgram, Any, str], list[str]]] = MappingProxyType(
    {
        Accumulate: _accumulate,
        AccumulatorLayout: _layout,
        Barrier: _barrier,
        Beyond: _beyond,
        Cast: _cast,
        Convert: _convert,
        ConvertLayout: _convert_layout,
        CountElements: _count,
        InterlockedAccumulate: _sum,
        Load: _load,
        Multiply: _multiply,
        MultiplyAccumulate: _mac,
        MultiplyVector: _multiply_vector,
        OuterProduct: _outer,
        ReadElements: _read,
        Splat: _splat,
        Stage: _copy,
        Store: _store,
        Unstage: _copy,
        VectorAccumulate: _vector_sum,
        VectorLoad: _vector_load,
        VectorStore: _vector_store,
        WriteElements: _write,
        **REMOVED_LINES,
    }
)
"""Instruction -> its lines."""
