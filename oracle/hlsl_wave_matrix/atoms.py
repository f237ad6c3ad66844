"""Which clauses an executed instruction carries out, and in which circumstance: its own atoms."""

from __future__ import annotations

from mmaspec.oracle.hlsl_wave_matrix.addresses import Access, memory_row_bytes
from mmaspec.oracle.hlsl_wave_matrix.check import is_packed
from mmaspec.oracle.hlsl_wave_matrix.program import (
    Fill,
    Load,
    Matrix,
    Multiply,
    MultiplyAccumulate,
    Store,
    WaveMatrixProgram,
)
from mmaspec.oracle.numerics.formats import FORMATS
from mmaspec.oracle.program import Literal, Place, at

Loaded = tuple[tuple[int, int], ...]
"""Stride and orientation with which each wave last loaded a matrix."""


def loaded(program: WaveMatrixProgram, access: Access, place: Place) -> Loaded:
    """Stride and orientation of an access, by wave."""
    return tuple(
        (at(access.stride, wave, place.loop), at(access.col_major, wave, place.loop)) for wave in range(program.waves)
    )


def of_fill(fill: Fill, matrix: Matrix) -> tuple[str, ...]:
    """WM-FILL, from a constant or from memory."""
    origin = "constant" if isinstance(fill.value, Literal) else "from-buffer"
    return (f"WM-FILL/{matrix.kind}-{origin}",)


def of_load(program: WaveMatrixProgram, load: Load, matrix: Matrix, place: Place) -> tuple[str, ...]:
    """Addresses, and what the elements become."""
    source = "read-only" if load.buffer in program.read_only else "read-write"
    found = [f"WM-LOAD-ALL/{matrix.kind}-{source}"]
    if not is_packed(matrix):
        found.append(f"WM-SHAPE/{matrix.kind}")
    found += _addressing(program, load, matrix, place, "load")
    if program.waves > 1:
        found.append(f"WM-ONE-PER-WAVE/load-{matrix.kind}")
    return tuple(found)


def of_store(
    program: WaveMatrixProgram, store: Store, matrix: Matrix, place: Place, before: Loaded | None
) -> tuple[str, ...]:
    """Addresses, what stays untouched, and how the store stands to the load that filled the matrix."""
    now = loaded(program, store, place)
    padded = any(stride > memory_row_bytes(matrix, col_major) for stride, col_major in now)
    found = [f"WM-STORE-ALL/{matrix.kind}", f"WM-STORE-ONLY-ELEMS/{'padded' if padded else 'tight'}"]
    found += _addressing(program, store, matrix, place, "store")
    if before is not None:
        if any(old[1] != new[1] for old, new in zip(before, now, strict=True)):
            found.append(f"WM-STORE-TRANSPOSE/{matrix.kind}")
        if before == now:
            found.append(f"WM-ROUNDTRIP/{matrix.kind}")
    return tuple(found)


def of_product(
    program: WaveMatrixProgram, product: Multiply | MultiplyAccumulate, matrix: Matrix, left: Matrix, right: Matrix
) -> tuple[str, ...]:
    """The clauses of its arithmetic, narrowest first, then the product's own."""
    found: list[str] = []
    if FORMATS[matrix.element].is_float:
        found.append(f"WM-FP-SUM/{left.element}-{matrix.element}")
    else:
        found.append(f"WM-INT-EXACT/{left.element}-{right.element}")
        found.append("WM-DEPTH-ELEMS")
        if left.element != right.element:
            found.append(f"WM-MUL-MIXSIGN/{left.element}-{right.element}")
    found.append("WM-MUL" if isinstance(product, Multiply) else "WM-MAC")
    if 64 in (matrix.m, matrix.n):
        found.append(f"WM-TILING/{matrix.m}x{matrix.n}")
    if program.waves > 1:
        found.append("WM-ONE-PER-WAVE/product")
    return tuple(found)


def _addressing(program: WaveMatrixProgram, access: Access, matrix: Matrix, place: Place, verb: str) -> list[str]:
    found = []
    for stride, col_major in dict.fromkeys(loaded(program, access, place)):
        width = "padded" if stride > memory_row_bytes(matrix, col_major) else "tight"
        found.append(f"WM-ADDR-{'COL' if col_major else 'ROW'}/{verb}-{width}")
        if is_packed(matrix):
            found.append(f"WM-PACK-DIR/{verb}-{'column' if col_major else 'row'}")
    return found
