"""The demands of the document on answers of the caps query, and their meaning for a thread group."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from mmaspec.oracle.hlsl_wave_matrix.wave_sizes import check_waves
from mmaspec.programs.errors import BadInput
from mmaspec.programs.hlsl_wave_matrix.caps import ACCUMULATORS, DATATYPES, DIMENSIONS, WaveMmaCaps, WaveMmaSupport
from mmaspec.programs.hlsl_wave_matrix.program import FACTORS, WaveMatrixProgram

K_UNIT = 16

CapsRule = Callable[[WaveMmaCaps], bool]


def _supported(caps: WaveMmaCaps) -> list[WaveMmaSupport]:
    return [answer for answer in caps.support if answer.supported]


def k_mult16(caps: WaveMmaCaps) -> bool:
    """WM-K-MULT16: K is a multiple of 16, and not 0 (reading of WM-AMB-02: any multiple)."""
    return any(answer.k <= 0 or answer.k % K_UNIT for answer in _supported(caps))


def k_unique(caps: WaveMmaCaps) -> bool:
    """WM-K-UNIQUE: one answer for each datatype, M and N."""
    keys = [(answer.datatype, answer.m, answer.n) for answer in caps.support]
    return len(set(keys)) < len(keys)


def precision(caps: WaveMmaCaps) -> bool:
    """WM-CAPS-BYTE, WM-CAPS-F16, WM-CAPS-F32: the flags are some of those that the datatype can have."""
    return any(
        not answer.accum_precision or answer.accum_precision & ~sum(ACCUMULATORS[answer.datatype])
        for answer in _supported(caps)
    )


def dimensions(caps: WaveMmaCaps) -> bool:
    """WM-CAPS-QUERY: M and N are dimensions that can be asked for."""
    return any(answer.m not in DIMENSIONS or answer.n not in DIMENSIONS for answer in caps.support)


def wave_size(caps: WaveMmaCaps) -> bool:
    """WM-CAPS-WAVESIZE: the required wave size is 0 or lies in the range of lanes."""
    low, high = caps.wave_lanes
    return not 0 < low <= high or any(
        answer.required_wave_size and not low <= answer.required_wave_size <= high for answer in _supported(caps)
    )


CAPS_RULES: Mapping[str, CapsRule] = MappingProxyType(
    {
        "WM-K-MULT16": k_mult16,
        "WM-K-UNIQUE": k_unique,
        "WM-CAPS-QUERY": dimensions,
        "WM-CAPS-F16": precision,
        "WM-CAPS-WAVESIZE": wave_size,
    }
)
"""Clause -> whether reported caps break it; the one of float16 stands for the flags of every datatype."""


def check_caps(caps: WaveMmaCaps) -> None:
    """Raise ``BadInput``, one line, where reported caps are none that the document allows."""
    broken = [clause for clause, breaks in CAPS_RULES.items() if breaks(caps)]
    if broken:
        raise BadInput(f"caps: the reported answers break {', '.join(broken)}")


def check_written_for(program: WaveMatrixProgram, caps: WaveMmaCaps) -> None:
    """Raise ``BadInput`` for a program that was written for a device with another K, or with other waves."""
    for matrix in program.matrices:
        datatype = DATATYPES.get(matrix.element)
        answer = caps.answer(datatype, matrix.m, matrix.n) if datatype and matrix.kind in FACTORS else None
        if answer is not None and matrix.k != answer.k:
            raise BadInput(f"matrix {matrix.name}: written for K = {matrix.k}; the caps report K = {answer.k}")
    check_waves(program, caps)
