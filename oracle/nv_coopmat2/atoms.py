"""Which clauses act in an access, and in what circumstance: the unit of coverage and of blame."""

from __future__ import annotations

import numpy as np

from mmaspec.oracle.nv_coopmat2.footprint import array_bytes, component_bytes, layouts_of
from mmaspec.oracle.nv_coopmat2.layouts import TensorLayout, lineage
from mmaspec.oracle.nv_coopmat2.program import (
    CLAMP_TO_EDGE,
    COLUMN_MAJOR,
    CONSTANT,
    MIRROR_REPEAT,
    REPEAT,
    UNDEFINED,
    CoopMatProgram,
    Load,
    LoadTensor,
    SetClampValue,
    SetDimension,
    SetStride,
    Slice,
    Store,
    StoreTensor,
)
from mmaspec.oracle.program import at

MODES = {
    CONSTANT: "NVCM2-CLAMP-CONST",
    CLAMP_TO_EDGE: "NVCM2-CLAMP-EDGE",
    REPEAT: "NVCM2-CLAMP-REPEAT",
    MIRROR_REPEAT: "NVCM2-CLAMP-MIRROR",
}
"""Clamp mode -> the clause that says what a load finds outside the layout."""


def load_atoms(program: CoopMatProgram, access: Load | Store, loop: int) -> tuple[str, ...]:
    """The clauses of a plain load (or the addressing of a plain store)."""
    matrix = program.matrix(access.matrix)
    unit, nbytes = array_bytes(access, matrix), component_bytes(matrix)
    column = access.layout == COLUMN_MAJOR
    line = (matrix.rows if column else matrix.cols) * nbytes
    stride = at(access.stride, 0, loop) * unit
    verb = "load" if isinstance(access, Load) else "store"
    spacing = "repeated" if stride == 0 else "overlapping" if stride < line else "tight" if stride == line else "padded"
    atoms = [f"KHRCM-LOAD-{'COL' if column else 'ROW'}/{verb}-{spacing}"]
    if unit != nbytes:
        atoms.insert(0, f"KHRCM-STRIDE-UNITS/{verb}-{access.array}")
    return tuple(atoms)


def store_atoms(program: CoopMatProgram, access: Store | StoreTensor, loop: int) -> tuple[str, ...]:
    """The clauses of a store."""
    if isinstance(access, Store):
        return ("KHRCM-STORE-ONCE", *load_atoms(program, access, loop))
    return (*tensor_atoms(program, access, loop), "KHRCM-STORE-ONCE")


def tensor_atoms(
    program: CoopMatProgram, access: LoadTensor | StoreTensor, loop: int, *, overwritten: bool = False
) -> tuple[str, ...]:
    """The clauses of a tensor access, the special before the general; ``overwritten``: the matrix held something."""
    layouts = layouts_of(program, access, loop)
    matrix = program.matrix(access.matrix)
    verb = "store" if isinstance(access, StoreTensor) else "load"
    atoms: list[str] = []
    outside = [_outside(t, matrix.rows, matrix.cols) for t in layouts]
    if any(sides for sides in outside):
        atoms += _clamp_atoms(access, layouts[0].clamp_mode, _calls(program, access), set().union(*outside))
    if overwritten and verb == "load" and any(outside) and layouts[0].clamp_mode == CONSTANT:
        atoms.insert(0, "NVCM2-LOAD-INOUT/outside")
    atoms += _setter_atoms(program, access, layouts)
    if any(matrix.rows * matrix.cols > np.prod(t.span, dtype=object) for t in layouts):
        atoms.append("NVCM2-SPANCOORD/repeated")
    if any(any(t.offset) for t in layouts):
        atoms.append("NVCM2-OFFSET" + ("/bounds" if layouts[0].clamp_mode != UNDEFINED else ""))
    if any(t.stride[-1] != 1 for t in layouts):
        atoms.append("NVCM2-STRIDE-SUM/inner")
    if array_bytes(access, matrix) != component_bytes(matrix):
        atoms.append(f"NVCM2-BYTEADDR/{verb}-{access.array}")
    atoms.append(f"NVCM2-LINEAR/{verb}")
    return tuple(atoms)


def _outside(t: TensorLayout, rows: int, cols: int) -> set[str]:
    """In which ways elements leave the layout: ``below``, ``above``, and ``corner`` for two dimensions at once."""
    found: set[str] = set()
    if 0 in t.span:
        return found
    index = np.arange(rows * cols, dtype=np.int64)
    left = np.zeros(rows * cols, np.int64)
    for dim in range(t.ldim - 1, -1, -1):
        c = index % t.span[dim] + t.offset[dim]
        index //= t.span[dim]
        below, above = c < 0, c >= t.layout_dimension[dim]
        left += below | above
        found |= ({"below"} if below.any() else set()) | ({"above"} if above.any() else set())
    return found | ({"corner"} if (left > 1).any() else set())


def _calls(program: CoopMatProgram, access: LoadTensor | StoreTensor) -> tuple[object, ...]:
    return lineage(program, access.tensor)[1]


def _clamp_atoms(access: LoadTensor | StoreTensor, mode: int, calls: tuple[object, ...], sides: set[str]) -> list[str]:
    if isinstance(access, StoreTensor):
        return [f"NVCM2-CLAMP-STORE-DROP/mode-{mode}"]
    atoms = []
    if mode == CONSTANT:
        given = any(isinstance(call, SetClampValue) for call in calls)
        atoms.append("NVCM2-CLAMPVALUE" if given else "NVCM2-CREATE-LAYOUT/clamp-value")
    atoms.append(f"{MODES[mode]}/{'-'.join(sorted(sides - {'corner'}))}")
    if "corner" in sides:
        atoms.append("NVCM2-CLAMP-PERDIM")
    return atoms


def _setter_atoms(
    program: CoopMatProgram, access: LoadTensor | StoreTensor, layouts: tuple[TensorLayout, ...]
) -> list[str]:
    calls = _calls(program, access)
    kinds = [type(call) for call in calls]
    atoms = []
    if any(layout.start == access.tensor and layout.calls for layout in program.layouts):
        atoms.append("NVCM2-FUNCTIONAL")
    last = max((i for i, kind in enumerate(kinds) if kind is SetDimension), default=-1)
    before = {kind.__name__ for kind in kinds[: max(last, 0)]} - {SetClampValue.__name__}
    if before:
        atoms.append("NVCM2-SETDIM-ORDER")
    after = kinds[last + 1 :]
    if after.count(Slice) > 1:
        atoms.append("NVCM2-SLICE/again")
    if SetStride in after:
        atoms.append("NVCM2-SETSTRIDE")
    elif last >= 0 and layouts[0].ldim > 1:
        atoms.append("NVCM2-SETDIM/strides")
    return atoms
