"""Vectors of threads: where they lie in buffers, and what is added to memory from them."""

from __future__ import annotations

from mmaspec.programs.base import Index
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, ComponentType, scalars
from mmaspec.programs.hlsl_linalg.program import MemoryBias, Vector, VectorAccumulate, VectorLoad, VectorStore
from mmaspec.strategies.hlsl_linalg.builder.accesses import word_bytes
from mmaspec.strategies.hlsl_linalg.builder.program import ProgramBuilder, up

SUM_UNIT = 64
"""What the addresses of accumulated vectors are multiples of."""
SUM_ALIGNMENTS = (0, 0, 64, 128, 256)


def vector_bytes(vector: Vector) -> int:
    """Bytes of a vector in memory, in whole words."""
    return scalars(COMPONENTS[vector.component], vector.length) * word_bytes(vector.component)


def _place(b: ProgramBuilder, vector: Vector, buffer: str, unit: int, *, own: bool, run_time: int) -> Index:
    nbytes = vector_bytes(vector)
    tile = up(nbytes, unit) + unit * b.choices.integer(0, 2)
    axes = [("loop", b.passes)]
    if own:
        axes += [("wave", b.waves), ("lane", b.wave_size)]
    return b.stepped(buffer, axes, tile, nbytes, unit, run_time)


def vector_load(
    b: ProgramBuilder, vector: Vector, buffer: str, *, own: bool | None = None, data: str | None = None, unit: int = 1
) -> VectorLoad:
    """A vector of new data, for every thread its own or for all the same; ``unit`` divides its places."""
    own = b.choices.chance(80) if own is None else own
    offset = _place(b, vector, buffer, max(word_bytes(vector.component), unit), own=own, run_time=10)
    return VectorLoad(vector.name, buffer, offset, data or vector.name)


def vector_store(b: ProgramBuilder, vector: Vector, buffer: str, *, unit: int = 1) -> VectorStore:
    """A vector to bytes of its own for every thread and pass."""
    word = max(word_bytes(vector.component), unit)
    return VectorStore(vector.name, buffer, _place(b, vector, buffer, word, own=True, run_time=5))


def vector_accumulate(
    b: ProgramBuilder, vector: Vector, buffer: str, *, own: bool, run_time: int = 10
) -> VectorAccumulate:
    """A sum in a buffer, of every thread by itself or of all in one place."""
    align = b.choices.one_of(SUM_ALIGNMENTS)
    offset = _place(b, vector, buffer, max(align, SUM_UNIT), own=own, run_time=run_time)
    return VectorAccumulate(vector.name, buffer, offset, align)


def memory_bias(b: ProgramBuilder, component: ComponentType, length: int, buffer: str, data: str) -> MemoryBias:
    """A bias of new data in a read-only buffer."""
    size = word_bytes(component)
    nbytes = vector_bytes(Vector("", component, length))
    return MemoryBias(buffer, b.taken(buffer, nbytes, size), component, data)
