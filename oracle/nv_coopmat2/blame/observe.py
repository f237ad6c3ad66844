"""A program with a store after every instruction that writes a matrix."""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.oracle.nv_coopmat2.addresses import component_bytes
from mmaspec.oracle.spec import Observed
from mmaspec.programs.base import Affine, Buffer, Place
from mmaspec.programs.nv_coopmat2.operands import writes
from mmaspec.programs.nv_coopmat2.program import CoopMatProgram, Instruction, Repeat, Simple, Store

LINE = 16
"""Bytes to which stores are aligned."""


def observe(program: CoopMatProgram) -> Observed:
    """Every state in a buffer of its own, row-major; a loop's passes one after the other in the same buffer."""
    buffers: list[Buffer] = []
    shows: dict[str, Place] = {}

    def followed(instruction: Simple, path: tuple[int, ...], passes: int) -> tuple[Simple, ...]:
        name = writes(instruction)
        if name is None:
            return (instruction,)
        buffer = f"after-{'-'.join(str(step) for step in path)}"
        store, size = _canonical(program, name, buffer, passes)
        buffers.append(Buffer(buffer, size))
        shows[buffer] = Place(path)
        return (instruction, store)

    body: list[Instruction] = []
    for outer, instruction in enumerate(program.body):
        if isinstance(instruction, Repeat):
            nested = [
                step
                for inner, simple in enumerate(instruction.body)
                for step in followed(simple, (outer, inner), instruction.count)
            ]
            body.append(Repeat(instruction.count, tuple(nested)))
        else:
            body += followed(instruction, (outer,), 1)
    return Observed(replace(program, buffers=(*program.buffers, *buffers), body=tuple(body)), shows)


def _canonical(program: CoopMatProgram, name: str, buffer: str, passes: int) -> tuple[Store, int]:
    """A row-major store of a matrix, apart for every wave and pass, and the bytes that all of them need."""
    matrix = program.matrix(name)
    nbytes = component_bytes(matrix)
    row = matrix.cols * nbytes
    row = row if row < LINE else -(-row // LINE) * LINE
    whole = -(-matrix.rows * row // LINE) * LINE
    offset = Affine(0, whole // nbytes, program.waves * whole // nbytes)
    return Store(name, buffer, offset, row // nbytes), program.waves * passes * whole
