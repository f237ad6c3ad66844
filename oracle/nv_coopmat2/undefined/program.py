"""Undefined behaviour: one function for each clause, which tells whether a valid program has it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from mmaspec.oracle.nv_coopmat2.addresses import component_bytes
from mmaspec.oracle.nv_coopmat2.footprint import Reached
from mmaspec.oracle.nv_coopmat2.rule_context import Context
from mmaspec.oracle.nv_coopmat2.undefined.tensors import TENSOR_RULES, keeps_old
from mmaspec.oracle.rule_context import broken
from mmaspec.programs.base import FromBuffer, Place
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.operands import reads, scalars, writes
from mmaspec.programs.nv_coopmat2.program import (
    Barrier,
    CoopMatProgram,
    Load,
    LoadTensor,
    Reduce,
    Simple,
    Store,
    StoreTensor,
)
from mmaspec.programs.tree import unrolled
from mmaspec.programs.windows import piece, seen


def undefined(program: CoopMatProgram, caps: CoopMatCaps) -> frozenset[str]:
    """Every clause by which a valid, resolved program has undefined behaviour."""
    return broken(RULES, Context(program, caps))


def unwritten(context: Context) -> bool:
    """KHRCM-UNWRITTEN: a matrix is used only after something has written it; a clipped load uses it."""
    written: set[str] = set()
    partial = keeps_old(context)
    for place, instruction in unrolled(context.program):
        made = writes(instruction)
        used = {*reads(instruction), *({made} if made is not None and place in partial else ())}
        if not used <= written:
            return True
        if made is not None:
            written.add(made)
    return False


def robust(context: Context) -> bool:
    """KHRCM-ROBUST: plain loads and stores stay inside the buffer."""
    return any(one.outside(context.program) for one in context.reached if isinstance(one.access, Load | Store))


def overlap(context: Context) -> bool:
    """KHRCM-OVERLAP: elements of one store do not overlap, nor do waves where one stores and no barrier stands between.

    Waves of workgroup scope are workgroups, which no barrier orders.
    """
    if any(one.collides() for one in context.reached if isinstance(one.access, Store)):
        return True
    return context.program.waves > 1 and any(_races(context, places) for places in _epochs(context.program))


def _epochs(program: CoopMatProgram) -> Iterator[set[Place]]:
    """The instructions between one barrier of all waves and the next."""
    ordered = all(matrix.scope == "subgroup" for matrix in program.matrices)
    since: set[Place] = set()
    for place, instruction in unrolled(program):
        if isinstance(instruction, Barrier) and ordered:
            yield since
            since = set()
        else:
            since.add(place)
    yield since


def _races(context: Context, places: set[Place]) -> bool:
    """Whether a byte that one wave stores is touched by another, in some of the instructions."""
    program = context.program
    buffers = {buffer.name: buffer for buffer in program.buffers}
    writer = {name: np.zeros(buffer.total, np.int64) for name, buffer in buffers.items()}
    within = [one for one in context.reached if one.place in places]
    stores = [one for one in within if isinstance(one.access, Store | StoreTensor)]
    loads = [one for one in within if isinstance(one.access, Load | LoadTensor)]
    for one in (*stores, *loads):
        buffer = one.access.buffer
        for wave, taken in enumerate(one.bytes, 1):
            inside = seen(buffers[buffer], taken)
            if not np.isin(writer[buffer][inside], (0, wave)).all():
                return True
            if isinstance(one.access, Store | StoreTensor):
                writer[buffer][inside] = wave
    return any(
        bool(writer[buffer][piece(buffers[buffer], start, count)].any())
        for place, instruction in unrolled(program)
        if place in places
        for buffer, start, count in _scalars(program, instruction)
    )


def reduce_combine(context: Context) -> bool:
    """NVCM2-REDUCE-COMBINE: the combine function is associative and commutative."""
    return any(
        isinstance(instruction, Reduce) and instruction.combine.name == "subtract"
        for _, instruction in unrolled(context.program)
    )


def order(context: Context) -> bool:
    """KHRCM-ORDER: nothing stored is loaded or stored again before a barrier; each pass counts."""
    program = context.program
    buffers = {buffer.name: buffer for buffer in program.buffers}
    stored = {name: np.zeros(buffer.total, np.bool_) for name, buffer in buffers.items()}
    ever = {name: np.zeros(buffer.total, np.bool_) for name, buffer in buffers.items()}
    ways: dict[Place, list[Reached]] = {}
    for one in context.reached:
        ways.setdefault(one.place, []).append(one)
    for place, instruction in unrolled(program):
        if isinstance(instruction, Barrier):
            stored = {name: np.zeros(buffer.total, np.bool_) for name, buffer in buffers.items()}
        words = _scalars(program, instruction)
        if any(stored[name][piece(buffers[name], start, count)].any() for name, start, count in words):
            return True
        taken = [
            (one.access.buffer, seen(buffers[one.access.buffer], each))
            for one in ways.get(place, ())
            for each in one.bytes
        ]
        # A decode function has a reference of its own to the memory, to which no barrier makes anything visible.
        decodes = isinstance(instruction, LoadTensor) and instruction.decode is not None
        if any((ever if decodes else stored)[buffer][inside].any() for buffer, inside in taken):
            return True
        if isinstance(instruction, Store | StoreTensor):
            for buffer, inside in taken:
                stored[buffer][inside] = ever[buffer][inside] = True
    return False


def _scalars(program: CoopMatProgram, instruction: Simple) -> Iterator[tuple[str, int, int]]:
    """Buffer, first byte and byte count of every scalar in memory that an instruction reads, in all waves."""
    for name, scalar in scalars(instruction):
        if isinstance(scalar, FromBuffer):
            yield scalar.buffer, scalar.offset, component_bytes(program.matrix(name))


RULES: dict[str, Callable[[Context], bool]] = {
    "KHRCM-UNWRITTEN": unwritten,
    "KHRCM-ROBUST": robust,
    "KHRCM-OVERLAP": overlap,
    "KHRCM-ORDER": order,
    "NVCM2-REDUCE-COMBINE": reduce_combine,
    **TENSOR_RULES,
}
