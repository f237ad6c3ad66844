"""Coverage points of accesses: the clauses that act, and in which circumstance."""

from __future__ import annotations

from mmaspec.oracle.nv_coopmat2.addresses import array_bytes, component_bytes
from mmaspec.oracle.nv_coopmat2.coverage.tensors import tensor_points
from mmaspec.programs.base import at
from mmaspec.programs.nv_coopmat2.program import COLUMN_MAJOR, CoopMatProgram, Load, Store, StoreTensor


def load_points(program: CoopMatProgram, access: Load | Store, loop: int) -> tuple[str, ...]:
    """The clauses of a plain load (or the addressing of a plain store)."""
    matrix = program.matrix(access.matrix)
    unit, nbytes = array_bytes(access, matrix), component_bytes(matrix)
    column = access.layout == COLUMN_MAJOR
    line = (matrix.rows if column else matrix.cols) * nbytes
    stride = at(access.stride, 0, loop) * unit
    verb = "load" if isinstance(access, Load) else "store"
    spacing = "repeated" if stride == 0 else "overlapping" if stride < line else "tight" if stride == line else "padded"
    where = "shared-" if access.buffer in program.shared else ""
    points = [f"{'KHRCM-LOAD-COL' if column else 'KHRCM-LOAD-ROW'}/{where}{verb}-{spacing}"]
    if unit != nbytes:
        points.insert(0, f"KHRCM-STRIDE-UNITS/{verb}-{access.array}")
    return tuple(points)


def store_points(program: CoopMatProgram, access: Store | StoreTensor, loop: int) -> tuple[str, ...]:
    """The clauses of a store."""
    if isinstance(access, Store):
        return ("NVCM2-STORE-ONLY-ELEMS", *load_points(program, access, loop))
    return (*tensor_points(program, access, loop), "NVCM2-STORE-ONLY-ELEMS")
