"""The programs that the WaveMatrix device refuses: a table of checks over a survey of the program."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from msgspec import structs

from mmaspec.backends.numpy.hlsl_wave_matrix.execution import PACKED, WIDTH
from mmaspec.programs.base import Affine, Index
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps, WaveMmaSupport
from mmaspec.programs.hlsl_wave_matrix.program import (
    Add,
    Branch,
    Load,
    Matrix,
    MatrixDepth,
    Multiply,
    MultiplyAccumulate,
    Repeat,
    ScalarOperation,
    Simple,
    Store,
    SumAccumulate,
    WaveMatrixProgram,
)

Resolve = Callable[[Index, int, int], int]
"""(argument, wave, pass) -> its value."""

SIZES = frozenset({16, 64})
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
    """What the elements between two strides take, in the unit of the stride."""
    alignment: int
    read_only_store: bool
    vector: bool
    """Whether the strides are from element to element, as in a fragment."""
    array: str
    """Element type of a groupshared array; empty in a buffer."""
    element: str


@dataclass(frozen=True, slots=True)
class Product:
    """One Multiply or MultiplyAccumulate."""

    target: Matrix
    first: Matrix
    second: Matrix


@dataclass(frozen=True, slots=True)
class Survey:
    """The facts of a program that the checks use."""

    declared: tuple[Matrix, ...]
    touches: tuple[Touch, ...]
    products: tuple[Product, ...]
    sums: tuple[tuple[Matrix, Matrix], ...]
    """Object and operand of every SumAccumulate."""
    additions: tuple[tuple[Matrix, Matrix], ...]
    """Object and operand of every Add."""
    scaled: tuple[Matrix, ...]
    asked: tuple[Matrix, ...]
    """Matrices whose depth is asked for."""
    threads: int
    wave_size: int
    """Lanes of a wave, 0 where the program leaves them to the device."""
    caps: WaveMmaCaps
    sums_offered: frozenset[tuple[str, int, int, str]]
    """(element, M, N, datatype of the factors) of the sums that an entry of the caps has."""

    @classmethod
    def of(cls, program: WaveMatrixProgram, caps: WaveMmaCaps, resolve: Resolve) -> Survey:
        """Walk the program once, every wave and pass of an access apart."""
        matrices = {matrix.name: matrix for matrix in program.matrices}
        arrays = {array.name: array.element for array in program.arrays}
        bases = {buffer.name: buffer.base for buffer in program.buffers}
        touches: list[Touch] = []
        products: list[Product] = []
        sums, additions, scaled, asked = [], [], [], []
        for simple, passes in _walk(program):
            match simple:
                case Load() | Store():
                    array = arrays.get(simple.buffer, "")
                    base = 0 if array else bases[simple.buffer]
                    touches.extend(_touches(program, matrices[simple.matrix], simple, passes, resolve, array, base))
                case Multiply() | MultiplyAccumulate():
                    products.append(Product(*(matrices[name] for name in (simple.matrix, simple.left, simple.right))))
                case SumAccumulate():
                    sums.append((matrices[simple.matrix], matrices[simple.operand]))
                case Add():
                    additions.append((matrices[simple.matrix], matrices[simple.operand]))
                case ScalarOperation():
                    scaled.append(matrices[simple.matrix])
                case MatrixDepth():
                    asked.append(matrices[simple.matrix])
                case _:
                    pass
        return cls(
            program.matrices, tuple(touches), tuple(products), tuple(sums), tuple(additions),
            tuple(scaled), tuple(asked), program.threads, program.wave_size, caps, _sums_offered(caps),
        )  # fmt: skip


def _walk(program: WaveMatrixProgram) -> list[tuple[Simple, int]]:
    found: list[tuple[Simple, int]] = []
    for instruction in program.body:
        if isinstance(instruction, Repeat | Branch):
            found.extend((nested, instruction.count) for nested in instruction.body)
        else:
            found.append((instruction, 1))
    return found


def _line(matrix: Matrix, col_major: int, *, packed_dwords: bool, elements: bool) -> int:
    """The size of one memory-layout row: in bytes, or in elements of an array."""
    if matrix.kind.endswith("acc"):
        return 1 if elements else WIDTH[matrix.element]
    across = matrix.k if matrix.kind == "left" else matrix.n
    down = matrix.k if matrix.kind == "right" else matrix.m
    count = down if col_major else across
    if elements:
        return (count + 3) // 4 if packed_dwords else count
    return count * WIDTH[matrix.element]


def _touches(
    program: WaveMatrixProgram,
    matrix: Matrix,
    access: Load | Store,
    passes: int,
    resolve: Resolve,
    array: str,
    base: int,
) -> list[Touch]:
    target = isinstance(access, Store) and access.buffer in program.read_only
    varies = any(isinstance(index, Affine) for index in (access.offset, access.stride, access.col_major))
    vector, packed = matrix.kind.endswith("acc"), matrix.element in PACKED
    found = []
    for wave in range(program.waves if varies else 1):
        for loop in range(passes if varies else 1):
            offset, stride, col_major = (
                resolve(i, wave, loop) for i in (access.offset, access.stride, access.col_major)
            )
            line = _line(matrix, col_major, packed_dwords=packed, elements=bool(array))
            touch = Touch(base + offset, offset, stride, line, access.alignment, target, vector, array, matrix.element)
            found.append(touch)
    return found


def _legal(alignment: int) -> bool:
    """0, or a power of two from 4 to 2 ** 31."""
    return alignment == 0 or (4 <= alignment < 1 << 32 and alignment & (alignment - 1) == 0)


def _unit(touch: Touch) -> int:
    return touch.alignment if touch.alignment and _legal(touch.alignment) else 4


def entry(caps: WaveMmaCaps, matrix: Matrix) -> WaveMmaSupport | None:
    """The entry that makes a factor usable."""
    datatype = FACTORS.get(matrix.element)
    rows = [row for row in caps.support if row.supported and row.datatype == datatype]
    return next((row for row in rows if row.m == matrix.m and row.n == matrix.n), None)


def _unreported(caps: WaveMmaCaps, product: Product) -> bool:
    """Whether no entry covers a product whose types and sizes can be asked for."""
    factors = [
        matrix
        for matrix in (product.first, product.second)
        if matrix.element in FACTORS and {matrix.m, matrix.n} <= SIZES
    ]
    entries = [entry(caps, matrix) for matrix in factors]
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


def _offered(survey: Survey, matrix: Matrix, factor: Matrix | None = None) -> bool:
    """Whether the caps have sums of this type and size, of a factor's datatype if one is given."""
    datatypes = FACTORS.values() if factor is None else [FACTORS.get(factor.element, "")]
    return any((matrix.element, matrix.m, matrix.n, datatype) in survey.sums_offered for datatype in datatypes)


def _sums_offered(caps: WaveMmaCaps) -> frozenset[tuple[str, int, int, str]]:
    return frozenset(
        (SUMS[row.datatype, flag], row.m, row.n, row.datatype)
        for row in caps.support
        if row.supported
        for flag in (1, 2)
        if row.accum_precision & flag and (row.datatype, flag) in SUMS
    )


def _has_sums(row: WaveMmaSupport, matrix: Matrix) -> bool:
    """Whether an entry has sums of this type and size."""
    flags = [(row.datatype, flag) for flag in (1, 2) if row.accum_precision & flag]
    return (row.m, row.n) == (matrix.m, matrix.n) and any(SUMS.get(flag) == matrix.element for flag in flags)


def _sayable(matrix: Matrix) -> bool:
    """Whether the caps query has answers for this type and size of an accumulator or fragment."""
    return matrix.kind.endswith(("acc", "accumulator")) and matrix.element in SUMS.values() and _sized(matrix)


def _sized(matrix: Matrix) -> bool:
    return {matrix.m, matrix.n} <= SIZES


def _factor(matrix: Matrix) -> bool:
    return matrix.kind in ("left", "right")


def _unreported_sum(survey: Survey) -> bool:
    """Whether a sum, its operand or an addend is of a type and size that no entry has."""
    operands = [operand for _, operand in survey.sums if _factor(operand) and operand.element in FACTORS]
    if any(_sized(operand) and entry(survey.caps, operand) is None for operand in operands):
        return True
    held = [matrix for pair in (*survey.sums, *survey.additions) for matrix in pair if _sayable(matrix)]
    return any(not _offered(survey, matrix) for matrix in held)


def _unlisted(survey: Survey) -> bool:
    """Whether some declared matrix is of a type and size that could be asked for and that no entry has."""
    return any(
        not _offered(survey, matrix)
        if _sayable(matrix)
        else _factor(matrix) and matrix.element in FACTORS and _sized(matrix) and entry(survey.caps, matrix) is None
        for matrix in survey.declared
    )


def _beside(survey: Survey) -> bool:
    """Whether some fragment sums the wrong side, or in a type that the operand's entry does not have."""
    for matrix, operand in survey.sums:
        if not matrix.kind.endswith("acc"):
            continue
        if matrix.kind.split("-")[0] != operand.kind:
            return True
        known = _sized(operand) and entry(survey.caps, operand) is not None
        resized = structs.replace(matrix, m=operand.m, n=operand.n)
        if known and matrix.element in SUMS.values() and not _offered(survey, resized, operand):
            return True
    return False


def _wrong_object(survey: Survey) -> bool:
    """Whether a method is called on, or with, a kind that does not have it."""
    return (
        any(product.target.kind != "accumulator" for product in survey.products)
        or any(not matrix.kind.endswith("-acc") for matrix, _ in survey.sums)
        or any(matrix.kind != "accumulator" or _factor(addend) for matrix, addend in survey.additions)
    )


def _widths(caps: WaveMmaCaps, row: WaveMmaSupport | None = None) -> set[int]:
    """The lanes that waves may have: what an entry requires, or any power of two that the device has."""
    if row is not None and row.required_wave_size:
        return {row.required_wave_size}
    low, high = caps.wave_lanes
    return {width for width in range(low, high + 1) if width & (width - 1) == 0} or {low}


def _partial(survey: Survey) -> bool:
    """Whether the threads leave part of a wave, however wide.

    Sums go with the factors of the same shader whose entry has them; else every entry that has them binds the width.
    """
    caps = survey.caps
    required = [row for m in survey.declared if _factor(m) and (row := entry(caps, m)) is not None]
    binding = list(required)
    for matrix in filter(_sayable, survey.declared):
        having = [row for row in caps.support if row.supported and _has_sums(row, matrix)]
        binding += [] if any(row in required for row in having) else having
    common = _widths(caps)
    for row in binding:
        common = common & _widths(caps, row) if row is not binding[0] else _widths(caps, row)
    if common:
        return all(survey.threads % width for width in ({survey.wave_size} if survey.wave_size else common))
    return any(all(survey.threads % width for width in _widths(caps, row)) for row in required)


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
        "WM-LOAD-OFFSET-DWORD": lambda s: any(t.offset & 3 for t in s.touches if not t.array),
        "WM-LOAD-STRIDE-MIN": lambda s: any(t.stride < t.line for t in s.touches if not t.array and not t.vector),
        "WM-LOAD-GS-STRIDE-MIN": lambda s: any(t.stride < t.line for t in s.touches if t.array and not t.vector),
        "WM-FRAG-STRIDE-MIN": lambda s: any(t.stride < t.line for t in s.touches if t.vector),
        "WM-ALIGN-POW2": lambda s: any(not _legal(t.alignment) for t in s.touches),
        "WM-ALIGN-COMBINED": lambda s: any(t.address % _unit(t) for t in s.touches if not t.array),
        "WM-ALIGN-STRIDE": lambda s: any(t.stride % _unit(t) for t in s.touches if not t.array and not t.vector),
        "WM-STORE-TARGET": lambda s: any(t.read_only_store for t in s.touches),
        "WM-GS-TYPE-MATCH": lambda s: any(t.array not in ("", t.element) for t in s.touches),
        "WM-METHODS": _wrong_object,
        "WM-SCALAR-NO-LR": lambda s: any(_factor(matrix) for matrix in s.scaled),
        "WM-DEPTH-ONLY-LR": lambda s: not all(_factor(matrix) for matrix in s.asked),
        "WM-MUL-USE": lambda s: any(_misplaced(p) for p in s.products),
        "WM-MUL-TYPE-MATCH": lambda s: any(_unlike(p) for p in s.products),
        "WM-TYPE-SUPPORTED": _unlisted,
        "WM-MUL-CAPS": lambda s: any(_unreported(s.caps, p) for p in s.products) or _unreported_sum(s),
        "WM-SUMACC-SIDE": _beside,
        "WM-SHAPE-AGREE": lambda s: any((a.m, a.n) != (b.m, b.n) for a, b in (*s.sums, *s.additions)),
        "WM-TG-DIVIS": _partial,
    }
)
"""Clause -> whether the surveyed program breaks it."""
