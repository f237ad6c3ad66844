"""The data of a program's loads, and where every element of them lies."""

from __future__ import annotations

from math import prod

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.errors import BadInput
from mmaspec.oracle.numerics.formats import format_named
from mmaspec.oracle.nv_coopmat2.footprint import addresses, base_byte, component_bytes
from mmaspec.oracle.nv_coopmat2.layouts import evaluate
from mmaspec.oracle.nv_coopmat2.program import (
    USE_A,
    USE_B,
    CoopMatProgram,
    Load,
    LoadTensor,
    Repeat,
    Simple,
    Splat,
)
from mmaspec.oracle.program import FromBuffer
from mmaspec.oracle.source import Role, Source

MOST_TENSOR = 1 << 16
"""Elements of the largest tensor that is filled as a whole; of larger ones, only what is accessed."""


def sources(program: CoopMatProgram) -> tuple[Source, ...]:
    """Every named source in program order; ``BadInput`` where two names claim one byte."""
    found: dict[str, Source] = {}
    for instruction, passes in _simple(program):
        source = _source(program, instruction, passes)
        if source is None or not source.addresses.size:
            continue
        earlier = found.get(source.name)
        found[source.name] = source if earlier is None else _joined(earlier, source)
    _check_apart(program, found)
    return tuple(found.values())


def _simple(program: CoopMatProgram) -> list[tuple[Simple, int]]:
    """Every instruction once, with its number of passes."""
    listed: list[tuple[Simple, int]] = []
    for instruction in program.body:
        if isinstance(instruction, Repeat):
            listed += [(nested, instruction.count) for nested in instruction.body]
        else:
            listed.append((instruction, 1))
    return listed


def _source(program: CoopMatProgram, instruction: Simple, passes: int) -> Source | None:
    if isinstance(instruction, Splat) and isinstance(instruction.value, FromBuffer):
        scalar = instruction.value
        if scalar.data is None:
            return None
        fmt = format_named(program.matrix(instruction.matrix).component)
        return Source(scalar.data, "scalar", fmt, scalar.buffer, np.full((1, 1, 1, 1, 1), scalar.offset, np.int64))
    if not isinstance(instruction, Load | LoadTensor) or instruction.data is None:
        return None
    matrix = program.matrix(instruction.matrix)
    role: Role = "a" if matrix.use == USE_A else "b" if matrix.use == USE_B else "c"
    fmt = format_named(matrix.component)
    where = np.stack([addresses(program, instruction, loop) for loop in range(passes)], axis=1)
    tensor = isinstance(instruction, LoadTensor)
    if isinstance(instruction, LoadTensor):
        whole = _whole_tensor(program, instruction, passes)
        where = where if whole is None else whole
    where = _independent(where)
    if (where < 0).any() or np.unique(where).size != where.size:
        # Elements share addresses, so the data are those of the addresses, not of the elements.
        where, tensor = np.unique(where[where >= 0]).reshape(1, 1, 1, -1), True
    return Source(instruction.data, role, fmt, instruction.buffer, where[np.newaxis], tensor)


def _independent(where: NDArray[np.int64]) -> NDArray[np.int64]:
    """Waves and passes cut to one where the address does not depend on them."""
    for axis in (0, 1):
        first = where.take([0], axis)
        if (where == first).all():
            where = first
    return where


def _whole_tensor(program: CoopMatProgram, instruction: LoadTensor, passes: int) -> NDArray[np.int64] | None:
    """Bytes of a whole tensor, ``(waves, passes, outer dimensions, innermost)``; None where it cannot be filled."""
    nbytes = component_bytes(program.matrix(instruction.matrix))
    size = {buffer.name: buffer.size for buffer in program.buffers}[instruction.buffer]
    grids = []
    for wave in range(program.waves):
        for loop in range(passes):
            layout = evaluate(program, instruction.tensor, wave, loop)
            dimensions = layout.layout_dimension
            if not dimensions or not 0 < prod(dimensions) <= MOST_TENSOR:
                return None
            elements = np.zeros(dimensions, np.int64)
            for axis, stride in enumerate(layout.stride):
                steps = np.arange(dimensions[axis], dtype=np.int64) * stride
                elements += steps.reshape([-1 if axis == other else 1 for other in range(layout.ldim)])
            where = base_byte(program, instruction, wave, loop) + elements * nbytes
            if where.max() + nbytes > size:
                return None
            grids.append(where.reshape(-1, dimensions[-1]))
    if len({grid.shape for grid in grids}) != 1:
        return None
    whole = _independent(np.stack(grids).reshape(program.waves, passes, *grids[0].shape))
    return whole if np.unique(whole).size == whole.size else None


def _joined(first: Source, second: Source) -> Source:
    """One source of which the same data lie at the addresses of both."""
    if (first.fmt, first.buffer, first.shape) != (second.fmt, second.buffer, second.shape):
        raise BadInput(f"program: data {first.name} are loaded in two shapes, formats or buffers; expected one of each")
    if any(np.array_equal(copy, second.addresses[0]) for copy in first.addresses):
        return first
    both = np.concatenate([first.addresses, second.addresses])
    return Source(first.name, first.role, first.fmt, first.buffer, both, first.tensor)


def _check_apart(program: CoopMatProgram, found: dict[str, Source]) -> None:
    owners = {buffer.name: np.full(buffer.size, -1, np.int64) for buffer in program.buffers}
    names = list(found)
    for number, source in enumerate(found.values()):
        owner = owners[source.buffer]
        taken = (source.addresses.ravel()[:, np.newaxis] + np.arange(source.fmt.nbytes)).ravel()
        taken = taken[taken < owner.size]
        other = owner[taken]
        if (other >= 0).any():
            raise BadInput(
                f"program: data {source.name} overlap data {names[int(other.max())]} in buffer {source.buffer}"
            )
        owner[taken] = number
