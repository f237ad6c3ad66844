"""Coverage points: the clauses that an executed instruction carries out, and in which circumstance."""

from __future__ import annotations

from mmaspec.oracle.hlsl_wave_matrix.addresses import Access, least_stride
from mmaspec.oracle.numerics.legal import Legal
from mmaspec.programs.base import Affine, Literal, Place, at
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.program import (
    Add,
    Fill,
    Load,
    Matrix,
    Method,
    Multiply,
    MultiplyAccumulate,
    ScalarDivide,
    ScalarOperation,
    Store,
    SumAccumulate,
    WaveMatrixProgram,
    is_packed,
)

Loaded = tuple[tuple[int, int], ...]
"""Stride and orientation with which each wave last loaded a matrix."""


def loaded(program: WaveMatrixProgram, access: Access, place: Place) -> Loaded:
    """Stride and orientation of an access, by wave."""
    if isinstance(access.stride, int) and isinstance(access.col_major, int):
        return ((access.stride, access.col_major),) * program.waves
    return tuple(
        (at(access.stride, wave, place.loop), at(access.col_major, wave, place.loop)) for wave in range(program.waves)
    )


def of_fill(fill: Fill, matrix: Matrix) -> tuple[str, ...]:
    """WM-FILL, from a constant or from memory."""
    origin = "constant" if isinstance(fill.value, Literal) else "from-buffer"
    return (f"WM-FILL/{matrix.kind}-{origin}",)


def of_load(program: WaveMatrixProgram, load: Load, matrix: Matrix, place: Place) -> tuple[str, ...]:
    """Addresses, and what the elements become."""
    shared = program.array(load.buffer) is not None
    source = "array" if shared else "read-only" if load.buffer in program.read_only else "read-write"
    found = [f"WM-LOAD-ALL/{matrix.kind}-{source}"]
    if not is_packed(matrix) and not matrix.is_fragment:
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
    shared = program.array(store.buffer) is not None
    padded = any(stride > least_stride(matrix, col_major, shared=shared) for stride, col_major in now)
    found = [f"WM-STORE-ALL/{matrix.kind}"]
    where = "array-" if shared else ""
    found.append(f"WM-STORE-ONLY-ELEMS/{where}{'padded' if padded else 'tight'}")
    found += _addressing(program, store, matrix, place, "store")
    if before is not None and not matrix.is_fragment and not shared:
        if any(old[1] != new[1] for old, new in zip(before, now, strict=True)):
            found.append(f"WM-STORE-TRANSPOSE/{matrix.kind}")
        if before == now:
            found.append(f"WM-ROUNDTRIP/{matrix.kind}")
    return tuple(found)


def of_depth(matrix: Matrix) -> tuple[str, ...]:
    """WM-K-UNIQUE, by element."""
    return (f"WM-K-UNIQUE/{matrix.kind}-{matrix.element}",)


def of_sum(program: WaveMatrixProgram, matrix: Matrix, operand: Matrix) -> tuple[str, ...]:
    """The side, then the clauses of the arithmetic."""
    side = "WM-SUMACC-LEFT" if matrix.kind == "left-col-acc" else "WM-SUMACC-RIGHT"
    found = [f"{side}/{operand.element}-{matrix.element}"]
    found.append("WM-FP-SUM/sum" if FORMATS[matrix.element].is_float else "WM-INT-EXACT/sum")
    if program.waves > 1:
        found.append("WM-ONE-PER-WAVE/sum")
    return tuple(found)


def of_add(matrix: Matrix, operand: Matrix) -> tuple[str, ...]:
    """The cast where there is one, then the way in which the operand is broadcast."""
    cast = [f"WM-ADD-CAST/{operand.element}-{matrix.element}"] if operand.element != matrix.element else []
    way = {"left-col-acc": "WM-ADD-COL", "right-row-acc": "WM-ADD-ROW"}.get(operand.kind, "WM-ADD-FULL")
    return (*cast, f"{way}/{matrix.element}")


def of_scalar(method: ScalarOperation, matrix: Matrix) -> tuple[str, ...]:
    """The first lane where lanes disagree, the rounding of a quotient of integers, and the operation."""
    first = [f"WM-FIRST-LANE/{_tag(method)}"] if method.lane else []
    rounded = isinstance(method, ScalarDivide) and not FORMATS[matrix.element].is_float
    quotient = ("WM-DIVIDE-INT",) if rounded else ()
    return (*first, *quotient, f"WM-SCALAR-OPS/{_tag(method)}-{matrix.kind}")


def of_nan(method: Method, legal: Legal) -> tuple[str, ...]:
    """WM-FP-NAN, where arithmetic on floats may leave a NaN; what moves contents carries no NaN out."""
    if not legal.fmt.is_float:
        return ()
    match method:
        case Multiply() | MultiplyAccumulate():
            return ("WM-FP-NAN/product",) if legal.some_nan() else ()
        case SumAccumulate():
            return ("WM-FP-NAN/sum",) if legal.some_nan() else ()
        case Add() | ScalarOperation():
            # Here NaN is due or not, so that what is merely not judged shows.
            due = bool((legal.nan & (legal.lo > legal.hi)).any())
            return (f"WM-FP-NAN/{_tag(method)}",) if due else ()
    return ()


def _tag(method: Method | ScalarOperation) -> str:
    return str(type(method).__struct_config__.tag)


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
    shared = program.array(access.buffer) is not None
    if any(isinstance(index, Affine) and index.lane for index in (access.stride, access.col_major)):
        found.append(f"WM-FIRST-LANE/{verb}")
    for stride, col_major in dict.fromkeys(loaded(program, access, place)):
        width = "padded" if stride > least_stride(matrix, col_major, shared=shared) else "tight"
        if shared:
            found.append(f"WM-ADDR-GS/{verb}-{matrix.kind}-{'column' if col_major else 'row'}-{width}")
        elif matrix.is_fragment:
            found.append(f"WM-ADDR-FRAG/{verb}-{matrix.kind}-{width}")
        else:
            found.append(f"{'WM-ADDR-COL' if col_major else 'WM-ADDR-ROW'}/{verb}-{width}")
        if is_packed(matrix):
            found.append(f"WM-PACK-DIR/{verb}-{'column' if col_major else 'row'}")
    return list(dict.fromkeys(found))
