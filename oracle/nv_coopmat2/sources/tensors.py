"""The data of tensor loads: every element of the tensor in memory, or every struct that a decode function reads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.nv_coopmat2.addresses import address_readings, addresses, base_byte, index_bytes
from mmaspec.oracle.nv_coopmat2.tensors.decoding import SCALE_BYTES
from mmaspec.oracle.nv_coopmat2.tensors.layouts import TensorLayout, blocks_of, evaluate
from mmaspec.oracle.nv_coopmat2.tensors.readings import AddressReading
from mmaspec.oracle.source import OperandRole, Source
from mmaspec.programs.formats import Format, format_named
from mmaspec.programs.nv_coopmat2.program import USE_A, USE_B, CoopMatProgram, Decode, Echo, LoadTensor, Nibbles

MOST_TENSOR = 1 << 16
"""Elements of the largest tensor that is filled as a whole; of larger ones, only what is accessed."""

Where = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Part:
    """The data at each index of a tensor: elements of one format, at these byte offsets from it.

    Of a ``ScaleAndBytes`` struct the values have the load's own data name, the scales that name and ``-scale``.
    """

    suffix: str
    fmt: Format
    offsets: tuple[int, ...]


def parts(decode: Decode | None, fmt: Format) -> tuple[Part, ...]:
    """The parts of an element (no decode function) or of a struct; none where nothing is read."""
    if decode is None:
        return (Part("", fmt, (0,)),)
    if isinstance(decode, Echo):
        return (Part("", format_named("u8"), (0,)),) if decode.byte else ()
    count = prod(decode.block)
    if isinstance(decode, Nibbles):
        return (Part("", format_named("u8"), tuple(range(-(-count // 2)))),)
    values = tuple(range(SCALE_BYTES, SCALE_BYTES + count))
    return (Part("", format_named("s8"), values), Part("-scale", format_named("f16"), (0,)))


def tensor_sources(program: CoopMatProgram, access: LoadTensor, passes: int) -> Iterator[Source]:
    """The sources of one load, in all its passes."""
    if access.data is None:
        return
    matrix = program.matrix(access.matrix)
    role: OperandRole = "a" if matrix.use == USE_A else "b" if matrix.use == USE_B else "c"
    size = {buffer.name: buffer.size for buffer in program.buffers}[access.buffer]
    for part in parts(access.decode, format_named(matrix.component)):
        where = _joined(
            [
                _part(part, _indices(program, access, passes, reading), size, whole=access.decode is not None)
                for reading in address_readings(program, access)
            ]
        )
        if (where < 0).any() or repeats(where) or where.ndim != 4:
            # Elements share addresses, so the data are those of the addresses, not of the elements.
            where = np.unique(where[where >= 0]).reshape(1, 1, 1, -1)
        if where.size:
            yield Source(access.data + part.suffix, role, part.fmt, access.buffer, where[np.newaxis], True)


def _joined(found: list[Where]) -> Where:
    """The bytes under every reading: as one, where readings differ, without a shape."""
    if all(np.array_equal(found[0], other) for other in found[1:]):
        return found[0]
    return np.concatenate([one.ravel() for one in found])


def _part(part: Part, where: Where, size: int, *, whole: bool) -> Where:
    """Bytes of a part; ``(waves, passes, indices, elements of the part)`` where an index has several.

    -1 where an element of the part does not end inside the buffer: a function may read only the start of a struct.
    """
    if not whole:
        return where
    found = where.reshape(*where.shape[:2], -1, 1) + np.array(part.offsets, np.int64)
    found = np.where(where.reshape(*where.shape[:2], -1, 1) < 0, where.min(), found)
    return np.where(found + part.fmt.nbytes > size, -1, found)


def _indices(program: CoopMatProgram, access: LoadTensor, passes: int, reading: AddressReading) -> Where:
    """Byte of every index of the tensor, or of those that the load uses, ``(waves, passes, outer, innermost)``."""
    whole = _whole_tensor(program, access, passes, reading)
    if whole is not None:
        return whole
    return independent(np.stack([addresses(program, access, loop, reading) for loop in range(passes)], axis=1))


def independent(where: Where) -> Where:
    """Waves and passes cut to one where the address does not depend on them."""
    for axis in (0, 1):
        first = where.take([0], axis)
        if (where == first).all():
            where = first
    return where


def repeats(where: Where) -> bool:
    """Whether any address occurs twice. Addresses come nearly sorted, so this is far cheaper than ``np.unique``."""
    ordered = np.sort(where, axis=None)
    return bool((ordered[1:] == ordered[:-1]).any())


def _whole_tensor(program: CoopMatProgram, access: LoadTensor, passes: int, reading: AddressReading) -> Where | None:
    """Bytes of a whole tensor, ``(waves, passes, outer dimensions, innermost)``; None where it cannot be filled."""
    step = index_bytes(program, access)
    size = {buffer.name: buffer.size for buffer in program.buffers}[access.buffer]
    grids = []
    known: dict[tuple[TensorLayout, int], Where] = {}
    for wave in range(program.waves):
        for loop in range(passes):
            t = evaluate(program, access.tensor, wave, loop, reading)
            base = base_byte(program, access, wave, loop)
            if (t, base) in known:
                grids.append(known[t, base])
                continue
            counts = blocks_of(t, t.layout_dimension)
            if not counts or not 0 < prod(counts) <= MOST_TENSOR:
                return None
            index = np.zeros(counts, np.int64)
            for axis, stride in enumerate(t.stride):
                along = np.arange(counts[axis], dtype=np.int64) * stride
                index += along.reshape([-1 if axis == other else 1 for other in range(t.ldim)])
            where = base + index * step
            if where.max() + step > size:
                return None
            known[t, base] = where.reshape(-1, counts[-1])
            grids.append(known[t, base])
    if len({grid.shape for grid in grids}) != 1:
        return None
    whole = independent(np.stack(grids).reshape(program.waves, passes, *grids[0].shape))
    return None if repeats(whole) else whole
