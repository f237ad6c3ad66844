"""A program with a store after every instruction that writes a matrix."""

from __future__ import annotations

from math import lcm

from mmaspec.oracle.nv_coopmat2.addresses import component_bytes
from mmaspec.oracle.spec import PLAIN, Instrumented
from mmaspec.programs.base import Affine, Buffer, Literal, Place
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.operands import writes
from mmaspec.programs.nv_coopmat2.program import CoopMatProgram, Simple, Splat, Store
from mmaspec.programs.tree import at, instrument
from mmaspec.programs.tree import replace as replaced
from mmaspec.programs.unused import unused

LINE = 16
"""Bytes to which stores are aligned."""


def instrumented(program: CoopMatProgram) -> Instrumented:
    """Every state in a buffer of its own, row-major; a loop's passes one after the other in the same buffer."""
    taken = {buffer.name for buffer in program.buffers}

    def stored(place: Place, instruction: Simple, passes: int) -> tuple[Store, Buffer] | None:
        name = writes(instruction)
        if name is None or not passes:
            return None
        buffer = unused(f"after-{'-'.join(str(step) for step in place.path)}", taken)
        store, size = _canonical(program, name, buffer, passes)
        return store, Buffer(buffer, size)

    return Instrumented(*instrument(program, stored))


def filled(program: CoopMatProgram, place: Place) -> CoopMatProgram | None:
    """A splat in place of what an instruction writes into its matrix; None where it writes none, or is a splat."""
    instruction: Simple = at(program, place)
    name = writes(instruction)
    if name is None or isinstance(instruction, Splat):
        return None
    bits = PLAIN & format_named(program.matrix(name).component).mask
    return replaced(program, place, Splat(name, Literal(bits)))


def _canonical(program: CoopMatProgram, name: str, buffer: str, passes: int) -> tuple[Store, int]:
    """A row-major store of a matrix, apart for every wave and pass, and the bytes that all of them need."""
    matrix = program.matrix(name)
    nbytes = component_bytes(matrix)
    row = matrix.cols * nbytes
    row = row if row < LINE else -(-row // LINE) * LINE
    unit = lcm(LINE, min(row, LINE))  # a row may have 12 bytes
    whole = -(-matrix.rows * row // unit) * unit
    offset = Affine(0, whole // nbytes, program.waves * whole // nbytes)
    return Store(name, buffer, offset, row // nbytes), program.waves * passes * whole
