"""Undefined behaviour of valid programs; such programs are never sent to a backend."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

import numpy as np

from mmaspec.oracle.hlsl_wave_matrix.addresses import (
    Addresses,
    cells,
    element_bytes,
)
from mmaspec.oracle.hlsl_wave_matrix.rule_context import Context
from mmaspec.oracle.hlsl_wave_matrix.touches import Touch, touches_of
from mmaspec.oracle.rule_context import broken
from mmaspec.programs.arguments import argument_values
from mmaspec.programs.base import Affine
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.operands import reads, writes
from mmaspec.programs.hlsl_wave_matrix.program import (
    Barrier,
    Branch,
    Fill,
    Load,
    Store,
    WaveMatrixProgram,
    simple_instructions,
)
from mmaspec.programs.tree import unrolled
from mmaspec.programs.windows import seen

Rule = Callable[[Context], bool]


def divergent(context: Context) -> bool:
    """WM-DIVERGENT: an operation that only some lanes of a wave reach."""
    return any(isinstance(i, Branch) and i.lanes < context.wave_size for i in context.program.body)


def size_agree(context: Context) -> bool:
    """WM-SIZE-AGREE: matrices of rows that require different wave sizes, so that no wave runs all of them."""
    return not context.wave_sizes


def fill_uniform(context: Context) -> bool:
    """WM-FILL-UNIFORM: lanes that fill with different values (reading of WM-AMB-01: the sentence about Fill holds)."""
    return any(isinstance(i, Fill) and i.lane for i, _ in simple_instructions(context.program))


def load_offset_uniform(context: Context) -> bool:
    """WM-LOAD-OFFSET-UNIFORM: lanes that load from or store to different offsets."""
    accesses = (i for i, _ in simple_instructions(context.program) if isinstance(i, Load | Store))
    return any(isinstance(access.offset, Affine) and access.offset.lane for access in accesses)


def fragment_dword(context: Context) -> bool:
    """WM-FRAG-DWORD: a fragment's stride in a buffer that is no multiple of its element's size (WM-AMB-05).

    Multiples of it are legal though they lead to half a dword: the document names the size as the least stride and
    exempts element strides from the alignment.
    """
    program = context.program
    return any(
        stride % element_bytes(program.matrix(i.matrix))
        for i, passes in simple_instructions(program)
        if isinstance(i, Load | Store) and program.matrix(i.matrix).is_fragment and program.array(i.buffer) is None
        for stride in argument_values(i.stride, program.waves, passes)
    )


def unset(context: Context) -> bool:
    """WM-UNSET: a matrix that is read before anything has written it (WM-AMB-14: the document does not mention it)."""
    written: set[str] = set()
    for _, instruction in unrolled(context.program):
        if not set(reads(instruction)) <= written:
            return True
        if (target := writes(instruction)) is not None:
            written.add(target)
    return False


def bounds(context: Context) -> bool:
    """WM-BOUNDS: an access outside a view or an array (WM-AMB-14: the document does not mention it)."""
    program = context.program
    sizes = {buffer.name: buffer.size for buffer in program.buffers}
    sizes.update({array.name: array.length * cells(array.element) for array in program.arrays})
    return any(int(where.min()) < 0 or int(where.max()) >= sizes[name] for name, where, _ in context.touches)


def hazard(context: Context) -> bool:
    """WM-HAZARD: what one access stores and another one, of any wave or pass, loads or stores.

    Waves run in no stated order, and the lanes of a wave share an access in a way that is not exposed. A barrier
    orders accesses to arrays, and only those.
    """
    program = context.program
    if bounds(context):
        return False
    buffers = {buffer.name: buffer for buffer in program.buffers}
    sizes = {name: buffer.total for name, buffer in buffers.items()}
    in_buffers = (touch for touch in context.touches if touch[0] in buffers)
    if _race(sizes, ((name, seen(buffers[name], where), store) for name, where, store in in_buffers)):
        return True
    arrays = {array.name: array.length * cells(array.element) for array in program.arrays}
    since: list[Touch] = []
    for place, instruction in unrolled(program):
        if isinstance(instruction, Barrier):
            if _race(arrays, since):
                return True
            since = []
        elif arrays:
            since += [touch for touch in touches_of(program, instruction, place.loop) if touch[0] in arrays]
    return _race(arrays, since)


def _race(sizes: Mapping[str, int], touches: Iterator[Touch] | list[Touch]) -> bool:
    stored = {name: np.zeros(size, np.int64) for name, size in sizes.items()}
    loads: list[tuple[str, Addresses]] = []
    for name, where, store in touches:
        if not store:
            loads.append((name, where))
            continue
        if stored[name][where].any():
            return True
        numbers = np.arange(1, where.size + 1)
        stored[name][where] = numbers
        if (stored[name][where] != numbers).any():
            return True
    return any(stored[name][where].any() for name, where in loads)


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "WM-DIVERGENT": divergent,
        "WM-SIZE-AGREE": size_agree,
        "WM-FILL-UNIFORM": fill_uniform,
        "WM-LOAD-OFFSET-UNIFORM": load_offset_uniform,
        "WM-FRAG-DWORD": fragment_dword,
        "WM-UNSET": unset,
        "WM-BOUNDS": bounds,
        "WM-HAZARD": hazard,
    }
)
"""Clause -> whether a program crosses it."""


def undefined(program: WaveMatrixProgram, caps: WaveMmaCaps) -> frozenset[str]:
    """Clauses by which a valid, resolved program has undefined behaviour."""
    return broken(RULES, Context(program, caps))
