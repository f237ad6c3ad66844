"""What the validity clauses reject: one small function a clause, all of which always run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from mmaspec.oracle.hlsl_wave_matrix.addresses import BUFFER_ALIGNMENT, Access, memory_row_bytes
from mmaspec.oracle.hlsl_wave_matrix.caps import DATATYPES, DIMENSIONS, WaveMmaCaps, accumulators
from mmaspec.oracle.hlsl_wave_matrix.check import argument_values, check_names
from mmaspec.oracle.hlsl_wave_matrix.program import (
    Load,
    Matrix,
    Multiply,
    MultiplyAccumulate,
    Store,
    WaveMatrixProgram,
    simple_instructions,
)
from mmaspec.oracle.program import at

Product = Multiply | MultiplyAccumulate
Rule = Callable[[WaveMatrixProgram, WaveMmaCaps], bool]

INPUT_ELEMENTS = ("f32", "f16", "u8", "s8")
ACCUMULATOR_ELEMENTS = ("f32", "f16", "s32")


def accesses(program: WaveMatrixProgram) -> Iterator[tuple[Access, Matrix, int]]:
    """Every Load and Store with its matrix and the number of its passes."""
    for instruction, passes in simple_instructions(program):
        if isinstance(instruction, Load | Store):
            yield instruction, program.matrix(instruction.matrix), passes


def products(program: WaveMatrixProgram) -> Iterator[tuple[Matrix, Matrix, Matrix]]:
    """Object, first and second operand of every Multiply and MultiplyAccumulate."""
    for instruction, _ in simple_instructions(program):
        if isinstance(instruction, Product):
            yield (
                program.matrix(instruction.matrix),
                program.matrix(instruction.left),
                program.matrix(instruction.right),
            )


def type_in(program: WaveMatrixProgram, _caps: WaveMmaCaps) -> bool:
    """WM-TYPE-IN: elements of Left and Right are f32, f16, packed u8 or packed s8."""
    return any(m.kind != "accumulator" and m.element not in INPUT_ELEMENTS for m in program.matrices)


def type_acc(program: WaveMatrixProgram, _caps: WaveMmaCaps) -> bool:
    """WM-TYPE-ACC: elements of accumulators are f32, f16 or s32."""
    return any(m.kind == "accumulator" and m.element not in ACCUMULATOR_ELEMENTS for m in program.matrices)


def dim_enum(program: WaveMatrixProgram, _caps: WaveMmaCaps) -> bool:
    """WM-DIM-ENUM: M and N are 16 or 64 each, for every kind of matrix."""
    return any(m.m not in DIMENSIONS or m.n not in DIMENSIONS for m in program.matrices)


def load_offset_dword(program: WaveMatrixProgram, _caps: WaveMmaCaps) -> bool:
    """WM-LOAD-OFFSET-DWORD: the start offset is a multiple of 4 bytes, in stores too."""
    return any(
        offset % 4
        for access, _, passes in accesses(program)
        for offset in argument_values(access.offset, program.waves, passes)
    )


def load_stride_min(program: WaveMatrixProgram, _caps: WaveMmaCaps) -> bool:
    """WM-LOAD-STRIDE-MIN: the row stride is at least one memory-layout row (reading of WM-AMB-03: reject)."""
    for access, matrix, passes in accesses(program):
        for wave in range(program.waves):
            for loop in range(passes):
                needed = memory_row_bytes(matrix, at(access.col_major, wave, loop))
                if at(access.stride, wave, loop) < needed:
                    return True
    return False


def _is_alignment(alignment: int) -> bool:
    return alignment == 0 or (alignment >= BUFFER_ALIGNMENT and alignment & (alignment - 1) == 0)


def _alignment(access: Access) -> int:
    """The alignment to be honoured; an impossible argument (WM-ALIGN-POW2) leaves the buffer's own."""
    return access.alignment if access.alignment and _is_alignment(access.alignment) else BUFFER_ALIGNMENT


def align_pow2(program: WaveMatrixProgram, _caps: WaveMmaCaps) -> bool:
    """WM-ALIGN-POW2: the alignment is 0, which means 4, or a power of two from 4 up."""
    return any(not _is_alignment(access.alignment) for access, _, _ in accesses(program))


def align_combined(program: WaveMatrixProgram, _caps: WaveMmaCaps) -> bool:
    """WM-ALIGN-COMBINED: address of the view plus start offset is a multiple of the alignment."""
    base = {buffer.name: buffer.base for buffer in program.buffers}
    return any(
        (base[access.buffer] + offset) % _alignment(access)
        for access, _, passes in accesses(program)
        for offset in argument_values(access.offset, program.waves, passes)
    )


def align_stride(program: WaveMatrixProgram, _caps: WaveMmaCaps) -> bool:
    """WM-ALIGN-STRIDE: the row stride is a multiple of the alignment (with its minimum: WM-AMB-04)."""
    return any(
        stride % _alignment(access)
        for access, _, passes in accesses(program)
        for stride in argument_values(access.stride, program.waves, passes)
    )


def store_target(program: WaveMatrixProgram, _caps: WaveMmaCaps) -> bool:
    """WM-STORE-TARGET: a Store writes to a read-write buffer."""
    return any(isinstance(access, Store) and access.buffer in program.read_only for access, _, _ in accesses(program))


def methods(program: WaveMatrixProgram, _caps: WaveMmaCaps) -> bool:
    """WM-METHODS: Multiply and MultiplyAccumulate are methods of accumulators only."""
    return any(matrix.kind != "accumulator" for matrix, _, _ in products(program))


def mul_use(program: WaveMatrixProgram, _caps: WaveMmaCaps) -> bool:
    """WM-MUL-USE: the first operand is a Left, the second a Right, and M and N are those of the object."""
    return any(
        (left.kind, right.kind) != ("left", "right") or len({(x.m, x.n) for x in (matrix, left, right)}) > 1
        for matrix, left, right in products(program)
    )


def _byte(matrix: Matrix) -> bool:
    return DATATYPES.get(matrix.element) == "byte"


def mul_type_match(program: WaveMatrixProgram, _caps: WaveMmaCaps) -> bool:
    """WM-MUL-TYPE-MATCH: both operands have one element type, except that u8 and s8 may be mixed."""
    return any(
        left.element != right.element and not (_byte(left) and _byte(right)) for _, left, right in products(program)
    )


def mul_caps(program: WaveMatrixProgram, caps: WaveMmaCaps) -> bool:
    """WM-MUL-CAPS: operands and accumulator of a product are a combination that the caps report.

    Types and sizes that cannot even be queried, and operands that do not match, are the subject of other clauses.
    """
    for matrix, left, right in products(program):
        entries = []
        for operand in (left, right):
            datatype = DATATYPES.get(operand.element)
            if datatype is None or operand.m not in DIMENSIONS or operand.n not in DIMENSIONS:
                continue
            answer = caps.answer(datatype, operand.m, operand.n)
            if answer is None:
                return True
            entries.append(answer)
        judged = matrix.kind == "accumulator" and matrix.element in ACCUMULATOR_ELEMENTS
        if judged and entries and not any(matrix.element in accumulators(entry) for entry in entries):
            return True
    return False


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "WM-TYPE-IN": type_in,
        "WM-TYPE-ACC": type_acc,
        "WM-DIM-ENUM": dim_enum,
        "WM-LOAD-OFFSET-DWORD": load_offset_dword,
        "WM-LOAD-STRIDE-MIN": load_stride_min,
        "WM-ALIGN-POW2": align_pow2,
        "WM-ALIGN-COMBINED": align_combined,
        "WM-ALIGN-STRIDE": align_stride,
        "WM-STORE-TARGET": store_target,
        "WM-METHODS": methods,
        "WM-MUL-USE": mul_use,
        "WM-MUL-TYPE-MATCH": mul_type_match,
        "WM-MUL-CAPS": mul_caps,
    }
)
"""Clause -> whether a program breaks it."""


def rejected(program: WaveMatrixProgram, caps: WaveMmaCaps) -> frozenset[str]:
    """Every validity clause that a resolved program breaks; ``BadInput`` if it is no program."""
    check_names(program, caps)
    return frozenset(clause for clause, breaks in RULES.items() if breaks(program, caps))
