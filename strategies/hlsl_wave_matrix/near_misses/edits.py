"""Changes of a valid draft from which near misses are made."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from mmaspec.oracle.expect import resolve
from mmaspec.oracle.hlsl_wave_matrix.addresses import Access, access_addresses, element_bytes, memory_row_bytes
from mmaspec.programs.base import Literal, Word
from mmaspec.programs.hlsl_wave_matrix.caps import DATATYPES, WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import (
    FACTORS,
    Fill,
    Instruction,
    Load,
    Matrix,
    MatrixKind,
    Multiply,
    MultiplyAccumulate,
    Store,
    WaveMatrixProgram,
    is_packed,
    simple_instructions,
)
from mmaspec.strategies.grammar import Draft

NAMES: dict[MatrixKind, str] = {
    "left": "A",
    "right": "B",
    "accumulator": "C",
    "left-col-acc": "L",
    "right-row-acc": "R",
}
"""Kind -> the name of the matrix in the draft that near misses start from; fragments are declared when needed."""

UNASKED = 16
"""K of a matrix whose type has none, as the caps do not list it."""


def with_instructions(draft: Draft, *new: Instruction, matrices: tuple[Matrix, ...] = (), **changes: Any) -> Draft:
    """The draft with instructions before its last Store, and declarations."""
    program: WaveMatrixProgram = draft.program
    *before, store = program.body
    changed = replace(program, matrices=(*program.matrices, *matrices), body=(*before, *new, store), **changes)
    return with_program(draft, changed)


def with_program(draft: Draft, program: WaveMatrixProgram, words: tuple[Word, ...] = ()) -> Draft:
    """The draft with another program, and more words that it reads at run time."""
    return Draft(program, draft.regime, draft.batch, (*draft.words, *words))


def roomy(draft: Draft, program: WaveMatrixProgram, words: tuple[Word, ...] = ()) -> Draft:
    """The draft with another program, its buffers with room for every access; strides as they are."""
    resolved = resolve(program, words)
    ends: dict[str, int] = {}
    for instruction, passes in simple_instructions(resolved):
        if isinstance(instruction, Load | Store) and program.array(instruction.buffer) is None:
            matrix = program.matrix(instruction.matrix)
            for wave in range(program.waves):
                for loop in range(passes):
                    last = int(access_addresses(instruction, matrix, wave, loop).max()) + element_bytes(matrix)
                    ends[instruction.buffer] = max(last, ends.get(instruction.buffer, 0))
    buffers = tuple(replace(buffer, size=max(buffer.size, ends.get(buffer.name, 0))) for buffer in program.buffers)
    return with_program(draft, replace(program, buffers=buffers), words)


def fitted(draft: Draft, program: WaveMatrixProgram) -> Draft:
    """As ``roomy``, with strides grown where rows did: nothing else may break."""
    return roomy(draft, replace(program, body=tuple(_restrided(program, step) for step in program.body)))


def _restrided(program: WaveMatrixProgram, instruction: Instruction) -> Instruction:
    if not isinstance(instruction, Access) or not isinstance(instruction.stride, int):
        return instruction
    matrix = program.matrix(instruction.matrix)
    assert isinstance(instruction.col_major, int)
    unit = max(instruction.alignment, 4)
    least = up(memory_row_bytes(matrix, instruction.col_major), unit)
    return instruction if instruction.stride >= least else replace(instruction, stride=least)


def up(value: int, unit: int) -> int:
    """The next multiple."""
    return -(-value // unit) * unit


def retyped(program: WaveMatrixProgram, **changes: Matrix) -> WaveMatrixProgram:
    """The program with some matrices declared otherwise."""
    return replace(program, matrices=tuple(changes.get(matrix.name, matrix) for matrix in program.matrices))


def multiplied(program: WaveMatrixProgram, **fields: Any) -> WaveMatrixProgram:
    """The program with another product: ``method`` is its class, the rest its fields."""
    method = fields.pop("method", None)

    def edited(step: Instruction) -> Instruction:
        if not isinstance(step, Multiply | MultiplyAccumulate):
            return step
        new = {"matrix": step.matrix, "left": step.left, "right": step.right, **fields}
        return (method or type(step))(**new)

    return replace(program, body=tuple(edited(step) for step in program.body))


def matrix_of(draft: Draft, kind: MatrixKind, name: str = "") -> Matrix:
    """A matrix of the draft's types and sizes, under another name if one is given."""
    program: WaveMatrixProgram = draft.program
    if kind in FACTORS:
        found = program.matrix(NAMES[kind])
        return replace(found, name=name) if name else found
    total = program.matrix("C")
    return Matrix(name or NAMES[kind], kind, total.element, total.m, total.n)


def filled(matrix: Matrix) -> Fill:
    """A Fill with bits that are a number in every format."""
    return Fill(matrix.name, Literal(0x01010101 if is_packed(matrix) else 0))


def resized(caps: WaveMmaCaps, matrix: Matrix, m: int, n: int) -> Matrix:
    """The matrix in another size, with the K that the device has there."""
    if matrix.kind not in FACTORS:
        return replace(matrix, m=m, n=n)
    answer = caps.answer(DATATYPES[matrix.element], m, n)
    return replace(matrix, m=m, n=n, k=UNASKED if answer is None else answer.k)
