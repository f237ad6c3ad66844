"""Checks of what buffers are: shared arrays and uniform blocks. A program that fails here is bad input."""

from __future__ import annotations

from mmaspec.programs.base import FromBuffer
from mmaspec.programs.errors import BadInput
from mmaspec.programs.nv_coopmat2.operands import scalars
from mmaspec.programs.nv_coopmat2.program import ARRAY_BYTES, Access, CoopMatProgram
from mmaspec.programs.tree import walk
from mmaspec.programs.well_formed import named

MAX_SHARED = 1 << 14
"""Bytes of all shared arrays together: what every Vulkan device has."""


def check_arrays(program: CoopMatProgram) -> None:
    """Raise ``BadInput`` for unknown names, and for shared arrays that no shader can have.

    A shared array has elements of one type that has a name and fills the view, belongs to one workgroup, and fits.
    """
    sizes = {buffer.name: buffer.size for buffer in program.buffers}
    for what, names in (("shared", program.shared), ("uniform", program.uniform)):
        for name in names:
            named(f"program: {what}", "buffer", name, sizes)
    if not program.shared:
        return
    if both := sorted({*program.shared} & {*program.uniform}):
        raise BadInput(f"program: buffer {both[0]} is shared and uniform; expected one of both")
    if program.waves > 1 and any(matrix.scope == "workgroup" for matrix in program.matrices):
        raise BadInput(f"program: shared arrays of {program.waves} workgroups; expected one workgroup")
    total = sum(sizes[name] for name in {*program.shared})
    if total > MAX_SHARED:
        raise BadInput(f"program: shared arrays of {total} bytes; expected at most {MAX_SHARED}")
    _check_elements(program, sizes)


def _check_elements(program: CoopMatProgram, sizes: dict[str, int]) -> None:
    types: dict[str, str] = {}
    for _, instruction, _ in walk(program):
        for _, scalar in scalars(instruction):
            if isinstance(scalar, FromBuffer) and scalar.buffer in program.shared:
                raise BadInput(f"program: a scalar in shared array {scalar.buffer}; expected a buffer of another kind")
        if not isinstance(instruction, Access) or instruction.buffer not in program.shared:
            continue
        name, kind = instruction.buffer, instruction.array
        if not kind or types.setdefault(name, kind) != kind:
            told = kind or "the component type"
            raise BadInput(f"program: shared array {name} with elements of {told}; expected one type, by its name")
        if sizes[name] % ARRAY_BYTES[kind]:
            raise BadInput(f"program: shared array {name} of {sizes[name]} bytes; expected a multiple of {kind}")
