"""Validity of Load and Store: one small function for each clause."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from mmaspec.oracle.hlsl_wave_matrix.addresses import BUFFER_ALIGNMENT, Access, least_stride
from mmaspec.oracle.hlsl_wave_matrix.rule_context import Context
from mmaspec.programs.arguments import argument_values
from mmaspec.programs.base import Affine, at
from mmaspec.programs.hlsl_wave_matrix.program import Load, Matrix, Store, WaveMatrixProgram, simple_instructions

Rule = Callable[[Context], bool]


def accesses(program: WaveMatrixProgram, *, shared: bool) -> Iterator[tuple[Access, Matrix, int]]:
    """Every Load and Store of buffers, or of ``shared`` arrays, with its matrix and the number of its passes."""
    for instruction, passes in simple_instructions(program):
        if isinstance(instruction, Load | Store) and shared == (program.array(instruction.buffer) is not None):
            yield instruction, program.matrix(instruction.matrix), passes


def _short(program: WaveMatrixProgram, *, shared: bool, fragments: bool) -> bool:
    for access, matrix, passes in accesses(program, shared=shared):
        if matrix.is_fragment != fragments:
            continue
        varies = any(isinstance(index, Affine) for index in (access.stride, access.col_major))
        for wave in range(program.waves if varies else 1):
            for loop in range(passes if varies else 1):
                needed = least_stride(matrix, at(access.col_major, wave, loop), shared=shared)
                if at(access.stride, wave, loop) < needed:
                    return True
    return False


def load_offset_dword(context: Context) -> bool:
    """WM-LOAD-OFFSET-DWORD: the start offset in a buffer is a multiple of 4 bytes, in stores and of fragments too."""
    program = context.program
    return any(
        offset % 4
        for access, _, passes in accesses(program, shared=False)
        for offset in argument_values(access.offset, program.waves, passes)
    )


def load_stride_min(context: Context) -> bool:
    """WM-LOAD-STRIDE-MIN: the row stride is at least one memory-layout row (reading of WM-AMB-03: reject)."""
    return _short(context.program, shared=False, fragments=False)


def load_gs_stride_min(context: Context) -> bool:
    """WM-LOAD-GS-STRIDE-MIN: the same in array elements, of which a packed one holds four of the matrix."""
    return _short(context.program, shared=True, fragments=False)


def frag_stride_min(context: Context) -> bool:
    """WM-FRAG-STRIDE-MIN: the stride of a fragment is at least one element: its bytes, or 1 in an array."""
    return any(_short(context.program, shared=shared, fragments=True) for shared in (False, True))


def _is_alignment(alignment: int) -> bool:
    return alignment == 0 or (alignment >= BUFFER_ALIGNMENT and alignment & (alignment - 1) == 0)


def _alignment(access: Access) -> int:
    """The alignment to be honoured; an impossible argument (WM-ALIGN-POW2) leaves the buffer's own."""
    return access.alignment if access.alignment and _is_alignment(access.alignment) else BUFFER_ALIGNMENT


def align_pow2(context: Context) -> bool:
    """WM-ALIGN-POW2: the alignment is 0, which means 4, or a power of two from 4 up."""
    return any(not _is_alignment(access.alignment) for access, _, _ in accesses(context.program, shared=False))


def align_combined(context: Context) -> bool:
    """WM-ALIGN-COMBINED: address of the view plus start offset is a multiple of the alignment."""
    program = context.program
    base = {buffer.name: buffer.base for buffer in program.buffers}
    return any(
        (base[access.buffer] + offset) % _alignment(access)
        for access, _, passes in accesses(program, shared=False)
        for offset in argument_values(access.offset, program.waves, passes)
    )


def align_stride(context: Context) -> bool:
    """WM-ALIGN-STRIDE: the row stride is a multiple of the alignment (with its minimum: WM-AMB-04).

    Element strides of fragments are exempt.
    """
    program = context.program
    return any(
        stride % _alignment(access)
        for access, matrix, passes in accesses(program, shared=False)
        if not matrix.is_fragment
        for stride in argument_values(access.stride, program.waves, passes)
    )


def store_target(context: Context) -> bool:
    """WM-STORE-TARGET: a Store writes to a read-write buffer or an array."""
    program = context.program
    return any(
        isinstance(access, Store) and access.buffer in program.read_only
        for access, _, _ in accesses(program, shared=False)
    )


def gs_type_match(context: Context) -> bool:
    """WM-GS-TYPE-MATCH: an array has the element type of the matrix; packed dwords are of the matrix's sign."""
    program = context.program
    types = {array.name: array.element for array in program.arrays}
    return any(types[access.buffer] != matrix.element for access, matrix, _ in accesses(program, shared=True))


ACCESS_RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "WM-LOAD-OFFSET-DWORD": load_offset_dword,
        "WM-LOAD-STRIDE-MIN": load_stride_min,
        "WM-LOAD-GS-STRIDE-MIN": load_gs_stride_min,
        "WM-FRAG-STRIDE-MIN": frag_stride_min,
        "WM-ALIGN-POW2": align_pow2,
        "WM-ALIGN-COMBINED": align_combined,
        "WM-ALIGN-STRIDE": align_stride,
        "WM-STORE-TARGET": store_target,
        "WM-GS-TYPE-MATCH": gs_type_match,
    }
)
"""Clause -> whether a program breaks it."""
