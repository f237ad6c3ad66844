"""The data of a program's loads, and where every element of them lies in memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mmaspec.oracle.nv_coopmat2.addresses import addresses
from mmaspec.oracle.nv_coopmat2.sources.tensors import independent, repeats, tensor_sources
from mmaspec.oracle.source import OperandRole, Source
from mmaspec.programs.base import FromBuffer
from mmaspec.programs.errors import BadInput
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.operands import scalars
from mmaspec.programs.nv_coopmat2.program import USE_A, USE_B, CoopMatProgram, Load, LoadTensor, Simple
from mmaspec.programs.windows import seen


def sources(program: CoopMatProgram) -> tuple[Source, ...]:
    """Every named source in program order; ``BadInput`` where two names claim one byte."""
    found: dict[str, Source] = {}
    for instruction, passes in program.written():
        for source in _sources(program, instruction, passes):
            if source.addresses.size:
                earlier = found.get(source.name)
                found[source.name] = source if earlier is None else _joined(earlier, source)
    _check_apart(program, found)
    return tuple(found.values())


def _sources(program: CoopMatProgram, instruction: Simple, passes: int) -> Iterator[Source]:
    if not passes:
        return  # nothing loads them
    if isinstance(instruction, LoadTensor):
        yield from tensor_sources(program, instruction, passes)
        return
    for name, scalar in scalars(instruction):
        if isinstance(scalar, FromBuffer) and scalar.data is not None:
            fmt = format_named(program.matrix(name).component)
            yield Source(scalar.data, "scalar", fmt, scalar.buffer, np.full((1, 1, 1, 1, 1), scalar.offset, np.int64))
    if isinstance(instruction, Load) and instruction.data is not None:
        matrix = program.matrix(instruction.matrix)
        role: OperandRole = "a" if matrix.use == USE_A else "b" if matrix.use == USE_B else "c"
        where = independent(np.stack([addresses(program, instruction, loop) for loop in range(passes)], axis=1))
        tensor = repeats(where)
        if tensor:
            # Elements share addresses, so the data are those of the addresses, not of the elements.
            where = np.unique(where).reshape(1, 1, 1, -1)
        fmt = format_named(matrix.component)
        yield Source(instruction.data, role, fmt, instruction.buffer, where[np.newaxis], tensor)


def _joined(first: Source, second: Source) -> Source:
    """One source of which the same data lie at the addresses of both."""
    if (first.fmt, first.buffer, first.shape) != (second.fmt, second.buffer, second.shape):
        raise BadInput(f"program: data {first.name} are loaded in two shapes, formats or buffers; expected one of each")
    if any(np.array_equal(copy, second.addresses[0]) for copy in first.addresses):
        return first
    both = np.concatenate([first.addresses, second.addresses])
    return Source(first.name, first.role, first.fmt, first.buffer, both, first.tensor)


def _check_apart(program: CoopMatProgram, found: dict[str, Source]) -> None:
    # Counted from 1, as pages of zeros that nobody writes cost nothing.
    buffers = {buffer.name: buffer for buffer in program.buffers}
    owners = {name: np.zeros(buffer.total, np.int64) for name, buffer in buffers.items()}
    names = ["", *found]
    for number, source in enumerate(found.values(), 1):
        owner = owners[source.buffer]
        taken = (source.addresses.ravel()[:, np.newaxis] + np.arange(source.fmt.nbytes)).ravel()
        taken = seen(buffers[source.buffer], taken)
        other = owner[taken]
        if other.any():
            raise BadInput(
                f"program: data {source.name} overlap data {names[int(other.max())]} in buffer {source.buffer}"
            )
        owner[taken] = number
