"""Every byte of a buffer or array that a program reads, writes or adds to, instruction by instruction."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from mmaspec.oracle.hlsl_linalg.addresses import (
    BEYOND_BYTES,
    WORD,
    Addresses,
    access_addresses,
    access_format,
    array_format,
    beyond_addresses,
    bias_addresses,
    converted_addresses,
    copied,
    format_of,
    is_linear,
    layout_of,
    loop_addresses,
    starts_of,
    vector_addresses,
    word_addresses,
)
from mmaspec.oracle.hlsl_linalg.caps_support import in_memory, optimal_bytes
from mmaspec.oracle.hlsl_linalg.participants import Threads, executed, instances_of
from mmaspec.programs.base import FromBuffer, Place
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_linalg.caps import LinalgCaps
from mmaspec.programs.hlsl_linalg.components import SCALARS, ComponentType
from mmaspec.programs.hlsl_linalg.program import (
    AccumulatorLayout,
    Beyond,
    ConvertLayout,
    CountElements,
    InterlockedAccumulate,
    Layout,
    LinalgProgram,
    Load,
    Matrix,
    MemoryBias,
    MultiplyVector,
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
from mmaspec.programs.hlsl_linalg.removed import Operate

Effect = Literal["load", "store", "add"]


class Region(NamedTuple):
    """A matrix in an optimal layout: what it is, where it begins, and its bytes (0: the caps do not know)."""

    component: ComponentType
    m: int
    n: int
    layout: Layout
    start: int
    nbytes: int


@dataclass(frozen=True, slots=True, eq=False)
class Touch:
    """What one instruction does to one memory in one pass.

    ``starts`` are the first bytes of elements of ``size`` bytes, ``(instances, count)``: an instance is a matrix, a
    thread's vector, or the group. ``unit`` is what is added atomically, such as ``f32``. ``checked``: what lies
    outside the view has a stated result. ``region``: the bytes are one matrix in an optimal layout, of every instance.
    """

    place: Place
    instruction: Simple
    memory: str
    starts: Addresses
    size: int
    effect: Effect
    unit: str = ""
    checked: bool = False
    regions: tuple[Region, ...] = ()

    @property
    def bytes(self) -> Addresses:
        """Every byte, ``(instances, count * size)``."""
        spread = self.starts[..., np.newaxis] + np.arange(self.size)
        found: Addresses = spread.reshape(len(self.starts), -1)
        return found


def all_touches(program: LinalgProgram, caps: LinalgCaps) -> Iterator[Touch]:
    """What every instruction touches, in the order of execution."""
    for place, instruction, taken in executed(program):
        yield from touches_of(program, caps, place, instruction, taken)


def touches_of(
    program: LinalgProgram, caps: LinalgCaps, place: Place, instruction: Simple, taken: Threads
) -> Iterator[Touch]:
    """What one instruction touches, where ``taken`` are the threads that execute it."""
    match instruction:
        case Load() | Store() | InterlockedAccumulate():
            yield _access(program, caps, place, instruction, taken)
        case ReadElements() | WriteElements():
            matrix = program.matrix(instruction.matrix)
            starts = loop_addresses(program, instruction, place.loop)
            effect: Effect = "store" if isinstance(instruction, ReadElements) else "load"
            size = format_of(matrix.component).nbytes
            yield _touch(place, instruction, instruction.buffer, _some(program, matrix, starts, taken), size, effect)
        case ConvertLayout():
            yield from _conversion(caps, place, instruction)
        case Stage() | Unstage():
            yield from _copy(program, place, instruction)
        case _:
            yield from _of_threads(program, place, instruction, taken)


def _touch(
    place: Place, instruction: Simple, memory: str, starts: Addresses, size: int, effect: Effect, unit: str = ""
) -> Touch:
    return Touch(place, instruction, memory, starts.reshape(len(starts), -1), size, effect, unit)


def _some(program: LinalgProgram, matrix: Matrix, starts: Addresses, taken: Threads) -> Addresses:
    """The part of what all instances touch that belongs to those which execute it."""
    found: Addresses = starts[instances_of(program, matrix.scope, taken)]
    return found


def _access(
    program: LinalgProgram,
    caps: LinalgCaps,
    place: Place,
    access: Load | Store | InterlockedAccumulate,
    taken: Threads,
) -> Touch:
    matrix = program.matrix(access.matrix)
    fmt = access_format(program, access, matrix, caps.revision)
    effect: Effect = "load" if isinstance(access, Load) else "store" if isinstance(access, Store) else "add"
    layout = layout_of(access, matrix)
    if is_linear(layout):
        starts = _some(program, matrix, access_addresses(program, access, place.loop, caps.revision), taken)
        checked = program.array(access.memory) is None
        flat = starts.reshape(len(starts), -1)
        return Touch(place, access, access.memory, flat, fmt.nbytes, effect, fmt.name, checked)
    m, n, kept = in_memory(matrix, layout)
    first = _some(program, matrix, starts_of(program, matrix.scope, access.offset, place.loop), taken)
    nbytes = optimal_bytes(caps, matrix.component, m, n, kept) or 0
    regions = tuple(Region(matrix.component, m, n, kept, start, nbytes) for start in first.tolist())
    return _in_regions(place, access, access.memory, regions, effect)


def _in_regions(place: Place, instruction: Simple, memory: str, regions: tuple[Region, ...], effect: Effect) -> Touch:
    starts = np.array([region.start for region in regions], np.int64)[:, np.newaxis]
    size = max((region.nbytes for region in regions), default=0)
    return Touch(place, instruction, memory, starts, size, effect, "optimal", regions=regions)


def _conversion(caps: LinalgCaps, place: Place, one: ConvertLayout) -> Iterator[Touch]:
    sides: tuple[tuple[str, Layout, int, Effect], ...] = (
        (one.source, one.source_layout, one.source_offset, "load"),
        (one.target, one.target_layout, one.target_offset, "store"),
    )
    for memory, layout, start, effect in sides:
        if is_linear(layout):
            starts = converted_addresses(one, target=effect == "store")[np.newaxis]
            yield _touch(place, one, memory, starts, format_of(one.component).nbytes, effect)
        else:
            nbytes = optimal_bytes(caps, one.component, one.m, one.n, layout) or 0
            region = Region(one.component, one.m, one.n, layout, start, nbytes)
            yield _in_regions(place, one, memory, (region,), effect)


def _copy(program: LinalgProgram, place: Place, copy: Stage | Unstage) -> Iterator[Touch]:
    array = program.array(copy.array)
    assert array is not None
    outside, inside = copied(program, copy, place.loop)
    inward, size = isinstance(copy, Stage), array_format(array).nbytes
    yield _touch(place, copy, copy.buffer, outside[np.newaxis], size, "load" if inward else "store")
    yield _touch(place, copy, copy.array, inside[np.newaxis], size, "store" if inward else "load")


def _of_threads(program: LinalgProgram, place: Place, one: Simple, taken: Threads) -> Iterator[Touch]:
    """What threads do one by one."""
    match one:
        case VectorLoad() | VectorStore() | VectorAccumulate():
            vector = program.vector(one.vector)
            fmt = format_of(vector.component)
            starts = vector_addresses(program, vector, one.offset, place.loop)[taken]
            effect: Effect = "load" if isinstance(one, VectorLoad) else "store"
            summed = isinstance(one, VectorAccumulate)
            yield Touch(place, one, one.buffer, starts, fmt.nbytes, "add" if summed else effect, fmt.name, summed)
        case MultiplyVector() if isinstance(one.bias, MemoryBias):
            starts = bias_addresses(one.bias, program.matrix(one.matrix).m)[np.newaxis]
            yield _touch(place, one, one.bias.buffer, starts, format_of(one.bias.component).nbytes, "load")
        case Splat() | Operate() if isinstance(one.value, FromBuffer):
            starts = np.array([[one.value.offset]], np.int64)
            yield _touch(place, one, one.value.buffer, starts, FORMATS[SCALARS[one.scalar]].nbytes, "load")
        case CountElements():
            yield _touch(
                place, one, one.buffer, word_addresses(program, one.offset, place.loop)[taken], WORD, "add", "u32"
            )
        case AccumulatorLayout():
            # All threads store the same word, however many do.
            words = np.unique(word_addresses(program, one.offset, place.loop)[taken])
            yield _touch(place, one, one.buffer, words[:, np.newaxis], WORD, "store")
        case Beyond():
            element = BEYOND_BYTES // 2
            size = element + format_of(program.matrix(one.matrix).component).nbytes
            yield _touch(place, one, one.buffer, beyond_addresses(program, one, place.loop)[taken], size, "store")
        case _:
            pass
