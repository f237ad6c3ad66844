"""Buffer sizes, computed from the accesses of a program."""

from __future__ import annotations

from math import prod

from msgspec.structs import replace

from mmaspec.oracle.expect import resolve
from mmaspec.oracle.nv_coopmat2.addresses import (
    address_readings,
    addresses,
    array_bytes,
    base_byte,
    component_bytes,
    index_bytes,
)
from mmaspec.oracle.nv_coopmat2.tensors.layouts import blocks_of, evaluate
from mmaspec.programs.base import FromBuffer, Word
from mmaspec.programs.nv_coopmat2.operands import scalars
from mmaspec.programs.nv_coopmat2.program import Access, CoopMatProgram, LoadTensor
from mmaspec.programs.tree import unrolled

LINE = 16
MOST = (1 << 20) + (1 << 16)
"""Bytes: no buffer grows beyond this, whatever a broken program asks for."""


def fitted(program: CoopMatProgram, words: tuple[Word, ...], *, exact: bool = False) -> CoopMatProgram:
    """The program with every buffer as large as its accesses, words and whole tensors need, and a little more.

    However the points are read on which addresses depend. ``exact``: nothing more than whole elements of its arrays.
    """
    need = _needs(program, words, 1 if exact else LINE)
    unit = _units(program) if exact else {}

    def size(name: str) -> int:
        if exact:
            return -(-need[name] // unit[name]) * unit[name]
        return -(-need[name] // LINE) * LINE + LINE

    buffers = tuple(replace(buffer, size=size(buffer.name)) for buffer in program.buffers)
    return replace(program, buffers=buffers)


def _units(program: CoopMatProgram) -> dict[str, int]:
    """Bytes of the largest elements that each buffer has as an array; whole lines of a shared one."""
    found = {buffer.name: LINE if buffer.name in program.shared else 1 for buffer in program.buffers}
    for _, instruction in unrolled(program):
        if isinstance(instruction, Access):
            width = array_bytes(instruction, program.matrix(instruction.matrix))
            found[instruction.buffer] = max(found[instruction.buffer], width)
    return found


def _needs(program: CoopMatProgram, words: tuple[Word, ...], least: int) -> dict[str, int]:
    """One past the last byte of each buffer that anything needs."""
    need = {buffer.name: least for buffer in program.buffers}

    def reach(buffer: str, end: int) -> None:
        need[buffer] = max(need[buffer], min(end, MOST))

    for word in words:
        reach(word.buffer, word.offset + 4)
    resolved = resolve(program, words)
    for place, instruction in unrolled(resolved):
        for _, scalar in scalars(instruction):
            if isinstance(scalar, FromBuffer):
                reach(scalar.buffer, scalar.offset + 8)
        if isinstance(instruction, Access):
            width = component_bytes(resolved.matrix(instruction.matrix))
            for reading in address_readings(resolved, instruction):
                reach(instruction.buffer, int(addresses(resolved, instruction, place.loop, reading).max()) + width)
        if isinstance(instruction, LoadTensor):
            for wave in range(resolved.waves):
                reach(instruction.buffer, _tensor_end(resolved, instruction, wave, place.loop))
    return need


def _tensor_end(program: CoopMatProgram, access: LoadTensor, wave: int, loop: int) -> int:
    """One past the last byte of a whole tensor."""
    t = evaluate(program, access.tensor, wave, loop)
    counts = blocks_of(t, t.layout_dimension)
    if not prod(counts):
        return 0
    last = sum((count - 1) * stride for count, stride in zip(counts, t.stride, strict=True))
    return base_byte(program, access, wave, loop) + (last + 1) * index_bytes(program, access)
