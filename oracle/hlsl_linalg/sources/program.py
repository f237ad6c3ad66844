"""The data of a program's loads: their elements, and where each lies in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

import numpy as np

from mmaspec.oracle.hlsl_linalg.addresses import (
    Addresses,
    access_addresses,
    array_format,
    bias_addresses,
    converted_addresses,
    copied,
    format_of,
    is_linear,
    loop_addresses,
    vector_addresses,
)
from mmaspec.oracle.hlsl_linalg.sources.staged_origins import StagedOrigins
from mmaspec.oracle.hlsl_linalg.sources.types_known import types_known
from mmaspec.oracle.source import OperandRole, Source
from mmaspec.programs.base import FromBuffer, Place, at
from mmaspec.programs.errors import BadInput
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_linalg.components import SCALARS
from mmaspec.programs.hlsl_linalg.program import (
    ConvertLayout,
    CountElements,
    LinalgProgram,
    Load,
    MemoryBias,
    MultiplyVector,
    OuterProduct,
    Simple,
    Splat,
    Stage,
    Use,
    VectorLoad,
    WriteElements,
    simple_instructions,
)
from mmaspec.programs.hlsl_linalg.removed import FromThreadVectors, Operate
from mmaspec.programs.tree import walk

ROLES: Mapping[Use, OperandRole] = MappingProxyType({"A": "a", "B": "b", "Accumulator": "c"})
"""Use of a matrix -> its role in a product."""


def sources(program: LinalgProgram) -> tuple[Source, ...]:
    """Every named source of a resolved program, in program order; ``BadInput`` where two of them collide.

    Loads that share a name find the same elements, each at its own place. The data of a Load from an array lie where
    they were staged from. Elements outside their buffer have no data, nor does what has a type without elements.
    """
    origins = StagedOrigins(program)
    found: dict[str, Source] = {}
    for place, instruction, passes in walk(program):
        if not passes or not types_known(program, instruction):
            continue
        for source in _sources(program, origins, place, instruction, passes):
            if source.addresses.size:
                earlier = found.get(source.name)
                found[source.name] = source if earlier is None else _joined(earlier, source)
    _check_apart(program, found)
    return tuple(found.values())


def _sources(
    program: LinalgProgram, origins: StagedOrigins, place: Place, instruction: Simple, passes: int
) -> Iterator[Source]:
    loops = range(passes)
    match instruction:
        case Load(data=str(name)) if is_linear(instruction.layout):
            matrix = program.matrix(instruction.matrix)
            if program.array(instruction.memory) is None:
                buffer = instruction.memory
                where = np.stack([access_addresses(program, instruction, loop) for loop in loops], axis=1)
            else:
                buffer, where = origins.of(place.path, name)
            yield _source(program, name, ROLES[matrix.use], format_of(matrix.component).name, buffer, where)
        case WriteElements(data=str(name)):
            matrix = program.matrix(instruction.matrix)
            where = np.stack([loop_addresses(program, instruction, loop) for loop in loops], axis=1)
            fmt = format_of(matrix.component).name
            yield _source(program, name, ROLES[matrix.use], fmt, instruction.buffer, where)
        case VectorLoad(data=str(name)):
            vector = program.vector(instruction.vector)
            role, row = vector_role(program, vector.name)
            each = [vector_addresses(program, vector, instruction.offset, loop) for loop in loops]
            where = np.stack(each, axis=1)
            where = where[..., np.newaxis, :] if row else where[..., np.newaxis]
            yield _source(program, name, role, format_of(vector.component).name, instruction.buffer, where)
        case MultiplyVector(bias=MemoryBias(data=str(name)) as bias):
            where = bias_addresses(bias, program.vector(instruction.vector).length).reshape(1, 1, -1, 1)
            yield _source(program, name, "c", format_of(bias.component).name, bias.buffer, where)
        case Splat(value=FromBuffer(data=str(name)) as value) | Operate(value=FromBuffer(data=str(name)) as value):
            yield _source(program, name, "scalar", SCALARS[instruction.scalar], value.buffer, _one(value.offset))
        case CountElements(data=str(name)):
            starts = [[at(instruction.offset, wave, loop) for loop in loops] for wave in range(program.waves)]
            where = np.array(starts, np.int64)[..., np.newaxis, np.newaxis]
            yield _source(program, name, "scalar", "u32", instruction.buffer, where)
        case Stage(data=str(name)):
            array = program.array(instruction.array)
            assert array is not None
            where = np.stack([copied(program, instruction, loop)[0] for loop in loops])[np.newaxis, :, np.newaxis]
            role = _array_role(program, array.name)
            yield _source(program, name, role, array_format(array).name, instruction.buffer, where)
        case ConvertLayout(data=str(name)) if is_linear(instruction.source_layout):
            where = converted_addresses(instruction, target=False)[np.newaxis, np.newaxis]
            role = "c" if instruction.target_layout == "OuterProductOptimal" else "a"
            yield _source(program, name, role, format_of(instruction.component).name, instruction.source, where)
        case _:
            pass


def _one(offset: int) -> Addresses:
    return np.full((1, 1, 1, 1), offset, np.int64)


def vector_role(program: LinalgProgram, name: str) -> tuple[OperandRole, bool]:
    """What a vector is where it is first used, and whether it is a row: a column is multiplied, a bias is added.

    In the text of 2025-09-19 rows are multiplied by B, columns make an A matrix and rows a B one.
    """
    for instruction, _ in simple_instructions(program):
        if isinstance(instruction, MultiplyVector) and instruction.source == name:
            return ("a", True) if program.matrix(instruction.matrix).use == "B" else ("b", False)
        if isinstance(instruction, FromThreadVectors) and instruction.source == name:
            return ("b", True) if program.matrix(instruction.matrix).use == "B" else ("a", False)
        if isinstance(instruction, OuterProduct) and instruction.column == name:
            return "a", False
        if isinstance(instruction, OuterProduct) and instruction.row == name:
            return "b", True
    return "c", False


def _array_role(program: LinalgProgram, name: str) -> OperandRole:
    loads = [one for one, _ in simple_instructions(program) if isinstance(one, Load) and one.memory == name]
    return ROLES[program.matrix(loads[0].matrix).use] if loads else "c"


def _source(program: LinalgProgram, name: str, role: OperandRole, fmt: str, buffer: str, where: Addresses) -> Source:
    """One copy of the data; instances and passes that find the same are one.

    Elements that lie outside the buffer, or on one another, leave the others without rows and columns.
    """
    for axis in (0, 1):
        first = where.take([0], axis=axis)
        where = first if (where == first).all() else where
    size, view = FORMATS[fmt].nbytes, next((one.size for one in program.buffers if one.name == buffer), 0)
    inside = (where >= 0) & (where + size <= view)
    loose = not inside.all() or _repeats(where)
    if loose:
        where = np.unique(where[inside]).reshape(1, 1, 1, -1)
    return Source(name, role, FORMATS[fmt], buffer, where[np.newaxis], tensor=loose)


def _repeats(where: Addresses) -> bool:
    """Whether some address is there twice."""
    ordered = np.sort(where, axis=None)
    return bool((ordered[1:] == ordered[:-1]).any())


def _joined(first: Source, second: Source) -> Source:
    """One source of which the same data lie at the addresses of both."""
    if (first.fmt.nbytes, first.buffer) != (second.fmt.nbytes, second.buffer):
        raise BadInput(f"program: data {first.name!r} is loaded from two buffers, or as elements of two widths")
    if first.shape != second.shape:
        shapes = f"{list(first.shape)} and {list(second.shape)}"
        raise BadInput(
            f"program: data {first.name!r} is loaded in two shapes: {shapes} (instances, passes, rows, columns)"
        )
    if any(np.array_equal(copy, second.addresses[0]) for copy in first.addresses):
        return first
    both = np.concatenate([first.addresses, second.addresses])
    return Source(first.name, first.role, first.fmt, first.buffer, both, first.tensor)


def _check_apart(program: LinalgProgram, found: dict[str, Source]) -> None:
    """No byte may be two different pieces of data."""
    buffers = {buffer.name: buffer for buffer in program.buffers}
    pieces: dict[str, list[tuple[str, Addresses, Addresses]]] = {}
    first = 0
    for source in found.values():
        bytes_of = source.addresses[..., np.newaxis] + np.arange(source.fmt.nbytes)
        if source.buffer not in buffers or buffers[source.buffer].windows:
            raise BadInput(f"program: data {source.name!r} lies in no buffer of the program, or in a sparse one")
        if bytes_of.min() < 0 or bytes_of.max() >= buffers[source.buffer].size:
            raise BadInput(f"program: data {source.name!r} lies outside the view of buffer {source.buffer}")
        numbers = first + np.arange(bytes_of[0].size)
        first += numbers.size
        pieces.setdefault(source.buffer, []).append(
            (source.name, bytes_of.reshape(-1), np.tile(numbers, len(bytes_of)))
        )
    for buffer, held in pieces.items():
        _check_bytes(buffer, held)


def _check_bytes(buffer: str, held: list[tuple[str, Addresses, Addresses]]) -> None:
    """Each byte of a buffer has one number; held are, for each name, addresses and numbers of its bytes.

    Sorted instead of marked in an image of the buffer: one of 2 GiB has few bytes of data.
    """
    addresses, numbers = (np.concatenate([piece[at] for piece in held]) for at in (1, 2))
    order = np.argsort(addresses, kind="stable")
    addresses, numbers = addresses[order], numbers[order]
    clash = np.flatnonzero((addresses[1:] == addresses[:-1]) & (numbers[1:] != numbers[:-1]))
    if not clash.size:
        return
    ends = np.cumsum([len(piece[1]) for piece in held])
    earlier, later = (held[int(np.searchsorted(ends, order[at], "right"))][0] for at in (clash[0], clash[0] + 1))
    if earlier == later:
        raise BadInput(f"program: elements of data {later!r} overlap in buffer {buffer}")
    raise BadInput(f"program: data {later!r} overlaps other data in buffer {buffer}")
