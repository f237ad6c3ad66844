"""The axes of plain loads and stores."""

from __future__ import annotations

from mmaspec.oracle.nv_coopmat2.addresses import array_bytes, base_byte, component_bytes
from mmaspec.programs.base import at
from mmaspec.programs.nv_coopmat2.program import COLUMN_MAJOR, ROW_MAJOR, Load, Store
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.nv_coopmat2.observations.facts import Facts, anywhere, every, facts

LINE = 16
MAJORS = {ROW_MAJOR: "row", COLUMN_MAJOR: "column"}


def _strides(known: Facts, access: Load | Store) -> set[int]:
    """The stride in bytes, over waves and passes."""
    unit = array_bytes(access, known.matrix(access.matrix))
    return {at(access.stride, wave, loop) * unit for wave, loop in _instances(known, access)}


def _instances(known: Facts, access: Load | Store) -> list[tuple[int, int]]:
    passes = next((known.passes[one.place] for one in known.text if one.instruction is access), 1)
    return [(wave, loop) for wave in range(known.program.waves) for loop in range(min(max(passes, 1), 16))]


def stride_kind(subject: Subject, thing: Thing) -> Answer:
    """The stride against rows (columns)."""
    known, access = facts(subject), thing.of
    matrix = known.matrix(access.matrix)
    nbytes, load = component_bytes(matrix), isinstance(access, Load)
    column = access.layout == COLUMN_MAJOR
    line, other = (matrix.rows, matrix.cols) if column else (matrix.cols, matrix.rows)
    row = line * nbytes
    found: set[str] = set()
    for stride in _strides(known, access):
        gap = stride - row
        found |= set(
            every(
                ("zero-load", stride == 0 and load),
                ("zero-store", stride == 0 and not load),
                ("exact", gap == 0),
                ("padded-line", gap == LINE),
                ("padded-odd-lines", gap > LINE and gap % LINE == 0 and gap // LINE % 2),
                ("twice", stride == 2 * row),
                ("power", gap > 0 and stride & (stride - 1) == 0),
                ("large", stride >= 8 * row),
                ("overlapping-load", 0 < stride < row and load),
                ("overlapping-store", 0 < stride < row and not load),
                ("row-short", row < LINE),
                ("other-major-exact", line != other and stride == other * nbytes),
            )
        )
    return found


def alignment(known: Facts, access: Load | Store) -> Answer:
    """Alignment of pointer and stride."""
    matrix = known.matrix(access.matrix)
    nbytes = component_bytes(matrix)
    row, column = matrix.cols * nbytes, matrix.rows * nbytes
    line, other = (column, row) if access.layout == COLUMN_MAJOR else (row, column)
    need = min(LINE, line)
    unit = array_bytes(access, matrix)
    found: set[str] = set()
    for wave, loop in _instances(known, access):
        start = base_byte(known.program, access, wave, loop)
        base = next(buffer.base for buffer in known.program.buffers if buffer.name == access.buffer)
        pointer, stride = start + base, at(access.stride, wave, loop) * unit
        least = min(pointer & -pointer or 256, stride & -stride or 256)
        off = start % need
        found |= set(
            every(
                ("sixteen-only", least == LINE),
                ("more", least >= 64),
                ("row-bytes", need == 8 and least == 8),
                ("pointer-off", off and line >= LINE),
                ("stride-off", stride % need),
                ("row-below-pointer-off", off and line < LINE),
                ("column-shorter", column < LINE <= row or (other < LINE <= line)),
            )
        )
    return found


LOOKS: dict[str, Look] = {
    "plain-major": lambda _, thing: MAJORS.get(thing.of.layout, "other"),
    "plain-stride-kind": stride_kind,
    "plain-alignment": anywhere((Load, Store), ("sixteen-only", "more", "row-bytes", "column-shorter"), alignment),
}
"""Axis -> how its class is seen."""
