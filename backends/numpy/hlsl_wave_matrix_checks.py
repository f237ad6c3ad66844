"""What the WaveMatrix machine refuses: a table of checks over a survey of the program."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from mmaspec.oracle.hlsl_wave_matrix.caps import WaveMmaCaps, WaveMmaSupport
from mmaspec.oracle.hlsl_wave_matrix.program import (
    Load,
    Matrix,
    Multiply,
    MultiplyAccumulate,
    Repeat,
    Simple,
    Store,
    WaveMatrixProgram,
)
from mmaspec.oracle.program import Affine, Index

Resolve = Callable[[Index, int, int], int]
"""(argument, wave, pass) -> its value."""

SIZES = frozenset({16, 64})
WIDTH = {"f16": 2, "f32": 4, "f64": 8, "s8": 1, "u8": 1, "s16": 2, "u16": 2, "s32": 4, "u32": 4}
FACTORS = {"f32": "float", "f16": "float16", "u8": "byte", "s8": "byte"}
SUMS = {("byte", 2): "s32", ("float16", 1): "f16", ("float16", 2): "f32", ("float", 2): "f32"}
"""(datatype, precision flag) -> accumulator."""


@dataclass(frozen=True, slots=True)
class Touch:
    """One Load or Store by one wave in one pass."""

    address: int
    """Of the first element, from a boundary that every alignment divides."""
    offset: int
    stride: int
    line: int
    """Bytes of the elements between two strides."""
    alignment: int
    read_only_store: bool


@dataclass(frozen=True, slots=True)
class Product:
    """One Multiply or MultiplyAccumulate."""

    target: Matrix
    first: Matrix
    second: Matrix


@dataclass(frozen=True, slots=True)
class Survey:
    """What the checks look at."""

    declared: tuple[Matrix, ...]
    touches: tuple[Touch, ...]
    products: tuple[Product, ...]
    caps: WaveMmaCaps

    @classmethod
    def of(cls, program: WaveMatrixProgram, caps: WaveMmaCaps, resolve: Resolve) -> Survey:
        """Walk the program once, every wave and pass of an access apart."""
        matrices = {matrix.name: matrix for matrix in program.matrices}
        touches: list[Touch] = []
        products: list[Product] = []
        for simple, passes in _walk(program):
            if isinstance(simple, Load | Store):
                touches.extend(_touches(program, matrices[simple.matrix], simple, passes, resolve))
            elif isinstance(simple, Multiply | MultiplyAccumulate):
                products.append(Product(*(matrices[name] for name in (simple.matrix, simple.left, simple.right))))
        return cls(program.matrices, tuple(touches), tuple(products), caps)


def _walk(program: WaveMatrixProgram) -> list[tuple[Simple, int]]:
    found: list[tuple[Simple, int]] = []
    for instruction in program.body:
        if isinstance(instruction, Repeat):
            found.extend((nested, instruction.count) for nested in instruction.body)
        else:
            found.append((instruction, 1))
    return found


def _touches(
    program: WaveMatrixProgram, matrix: Matrix, access: Load | Store, passes: int, resolve: Resolve
) -> list[Touch]:
    base = {buffer.name: buffer.base for buffer in program.buffers}[access.buffer]
    target = isinstance(access, Store) and access.buffer in program.read_only
    varies = any(isinstance(index, Affine) for index in (access.offset, access.stride, access.col_major))
    found = []
    for wave in range(program.waves if varies else 1):
        for loop in range(passes if varies else 1):
            offset, stride, col_major = (
                resolve(i, wave, loop) for i in (access.offset, access.stride, access.col_major)
            )
            depth = matrix.k
            across = depth if matrix.kind == "left" else matrix.n
            down = depth if matrix.kind == "right" else matrix.m
            line = (down if col_major else across) * WIDTH[matrix.element]
            found.append(Touch(base + offset, offset, stride, line, access.alignment, target))
    return found


def _legal(alignment: int) -> bool:
    return alignment == 0 or alignment in {1 << power for power in range(2, 32)}


def _unit(touch: Touch) -> int:
    return touch.alignment if touch.alignment and _legal(touch.alignment) else 4


def _entry(caps: WaveMmaCaps, matrix: Matrix) -> WaveMmaSupport | None:
    """The entry that makes a factor usable."""
    datatype = FACTORS[matrix.element]
    rows = [row for row in caps.support if row.supported and row.datatype == datatype]
    return next((row for row in rows if row.m == matrix.m and row.n == matrix.n), None)


def _unreported(caps: WaveMmaCaps, product: Product) -> bool:
    """Whether no entry covers a product whose types and sizes can be asked for."""
    factors = [
        matrix
        for matrix in (product.first, product.second)
        if matrix.element in FACTORS and {matrix.m, matrix.n} <= SIZES
    ]
    entries = [_entry(caps, matrix) for matrix in factors]
    if None in entries:
        return True
    if not entries or product.target.kind != "accumulator" or product.target.element not in SUMS.values():
        return False
    offered = {
        SUMS[row.datatype, flag]
        for row in entries
        if row is not None
        for flag in (1, 2)
        if row.accum_precision & flag and (row.datatype, flag) in SUMS
    }
    return product.target.element not in offered


def _unlike(product: Product) -> bool:
    first, second = product.first.element, product.second.element
    return first != second and {first, second} != {"u8", "s8"}


def _misplaced(product: Product) -> bool:
    sizes = {(matrix.m, matrix.n) for matrix in (product.target, product.first, product.second)}
    return product.first.kind != "left" or product.second.kind != "right" or len(sizes) != 1


CHECKS: Mapping[str, Callable[[Survey], bool]] = MappingProxyType(
    {
        "WM-TYPE-IN": lambda s: any(m.element not in FACTORS for m in s.declared if m.kind in ("left", "right")),
        "WM-TYPE-ACC": lambda s: any(
            m.element not in SUMS.values() for m in s.declared if m.kind not in ("left", "right")
        ),
        "WM-DIM-ENUM": lambda s: any(not {m.m, m.n} <= SIZES for m in s.declared),
        "WM-LOAD-OFFSET-DWORD": lambda s: any(t.offset & 3 for t in s.touches),
        "WM-LOAD-STRIDE-MIN": lambda s: any(t.stride < t.line for t in s.touches),
        "WM-ALIGN-POW2": lambda s: any(not _legal(t.alignment) for t in s.touches),
        "WM-ALIGN-COMBINED": lambda s: any(t.address % _unit(t) for t in s.touches),
        "WM-ALIGN-STRIDE": lambda s: any(t.stride % _unit(t) for t in s.touches),
        "WM-STORE-TARGET": lambda s: any(t.read_only_store for t in s.touches),
        "WM-METHODS": lambda s: any(p.target.kind in ("left", "right") for p in s.products),
        "WM-MUL-USE": lambda s: any(_misplaced(p) for p in s.products),
        "WM-MUL-TYPE-MATCH": lambda s: any(_unlike(p) for p in s.products),
        "WM-MUL-CAPS": lambda s: any(_unreported(s.caps, p) for p in s.products),
    }
)
"""Clause -> whether the surveyed program breaks it."""
