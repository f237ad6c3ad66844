"""What answers of the caps query mean for a program: the K that it was written for, and its thread group."""

from __future__ import annotations

from mmaspec.oracle.hlsl_wave_matrix.wave_sizes import check_waves
from mmaspec.programs.errors import BadInput
from mmaspec.programs.hlsl_wave_matrix.caps import DATATYPES, WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import FACTORS, WaveMatrixProgram


def check_written_for(program: WaveMatrixProgram, caps: WaveMmaCaps) -> None:
    """Raise ``BadInput`` for a program that was written for a device with another K, or with other waves."""
    for matrix in program.matrices:
        datatype = DATATYPES.get(matrix.element)
        answer = caps.answer(datatype, matrix.m, matrix.n) if datatype and matrix.kind in FACTORS else None
        if answer is not None and matrix.k != answer.k:
            raise BadInput(f"matrix {matrix.name}: written for K = {matrix.k}; the caps report K = {answer.k}")
    check_waves(program, caps)
