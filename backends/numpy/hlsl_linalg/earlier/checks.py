"""Checks of programs of the text of 2025-09-19: what it has otherwise than later ones, and its own instructions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from msgspec.structs import replace

from mmaspec.backends.numpy.hlsl_linalg.facts import Access, Checks, Touch, depth
from mmaspec.backends.numpy.hlsl_linalg.optimal import TRANSPOSED
from mmaspec.backends.numpy.hlsl_linalg.validity_arrays import shared
from mmaspec.backends.numpy.hlsl_linalg.validity_types import named_matrices
from mmaspec.backends.numpy.hlsl_linalg.validity_vectors import not_native, vector_products
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, ComponentType, scalars
from mmaspec.programs.hlsl_linalg.program import (
    Accumulate,
    Beyond,
    Cast,
    Convert,
    ConvertLayout,
    CountElements,
    InterlockedAccumulate,
    Load,
    Matrix,
    MemoryBias,
    Multiply,
    MultiplyAccumulate,
    MultiplyVector,
    ReadElements,
    SharedArray,
    Simple,
    Splat,
    Store,
    Vector,
    VectorAccumulate,
    WriteElements,
)
from mmaspec.programs.hlsl_linalg.removed import (
    FromThreadVectors,
    GetThreadVector,
    Operate,
    SumAccumulate,
    Unary,
)

LATER = (ReadElements, WriteElements, Beyond, CountElements, Accumulate, Convert, VectorAccumulate)
"""Operations that this text does not have."""
UNIFORM = (
    Cast,
    Operate,
    Unary,
    Splat,
    Store,
    FromThreadVectors,
    GetThreadVector,
    MultiplyAccumulate,
    SumAccumulate,
    Multiply,
)
"""Operations on matrices of Wave and ThreadGroup scope alone."""


def absent(found: Simple) -> bool:
    """Whether the text has no such operation, or not in this form."""
    match found:
        case Cast():
            return found.transpose
        case MultiplyVector():
            return isinstance(found.bias, MemoryBias)
        case InterlockedAccumulate():
            return found.target is not None
        case _:
            return isinstance(found, LATER)


def wrong_scope(checks: Checks) -> bool:
    """Whether an operation does not exist, or not for the scope of its matrix."""
    for found in checks.instructions():
        scopes = {matrix.scope for matrix in named_matrices(checks, found)}
        match found:
            case Load():
                bad = scopes == {"Thread"} and found.memory not in checks.program.read_only
            case InterlockedAccumulate():
                bad = scopes == {"Thread"} and checks.is_array(found.memory)
            case _:
                bad = isinstance(found, UNIFORM) and "Thread" in scopes
        if bad or absent(found):
            return True
    return False


# Dimensions


def depths(checks: Checks, *scopes: str) -> Iterator[tuple[int, ComponentType]]:
    """K of every A and B matrix of these scopes, with its component type."""
    for matrix in checks.program.matrices:
        found = depth(matrix)
        if found is not None and matrix.scope in scopes:
            yield found, matrix.component


def of_threads(size: int) -> bool:
    """Whether a size of scalars is one that threads and waves have."""
    return 4 <= size <= 128 and size & (size - 1) == 0


def of_groups(size: int) -> bool:
    """Whether a size of scalars is one that groups have."""
    return 1 <= size <= 1024


def wrong_depth(checks: Checks, scopes: tuple[str, ...], least: int, most: int) -> bool:
    """Whether K of a factor whose components are scalars is outside a range."""
    return any(COMPONENTS[of].packed == 1 and not least <= size <= most for size, of in depths(checks, *scopes))


def no_power(checks: Checks) -> bool:
    """Whether K of such a factor of Thread or Wave scope is in the range of its scope, but no power of two."""
    return any(
        COMPONENTS[of].packed == 1 and 4 <= size <= 128 and not of_threads(size)
        for size, of in depths(checks, "Thread", "Wave")
    )


def wrong_packed(checks: Checks) -> bool:
    """Whether K of a packed factor is not four times one of the table."""
    for scopes, valid in ((("Thread", "Wave"), of_threads), (("ThreadGroup",), of_groups)):
        for size, component in depths(checks, *scopes):
            packed = COMPONENTS[component].packed
            if packed > 1 and (size % packed or not valid(size // packed)):
                return True
    return False


# Vectors


def thread_vectors(checks: Checks) -> Iterator[tuple[FromThreadVectors | GetThreadVector, Matrix, Vector]]:
    """Every exchange between matrices and vectors of threads."""
    for found in checks.instructions():
        if isinstance(found, FromThreadVectors | GetThreadVector):
            name = found.source if isinstance(found, FromThreadVectors) else found.vector
            yield found, checks.program.matrix(found.matrix), checks.program.vector(name)


def too_many_lines(checks: Checks) -> bool:
    """Whether a matrix has more columns, or rows, than there are threads to give them."""
    for found, matrix, _ in thread_vectors(checks):
        lines = {"A": matrix.n, "B": matrix.m}.get(matrix.use, 0)
        most = {"Wave": checks.program.wave_size, "ThreadGroup": checks.program.group}.get(matrix.scope, lines)
        if isinstance(found, FromThreadVectors) and lines > most:
            return True
    return False


def line_lengths(checks: Checks) -> bool:
    """Whether a thread's vector has not as many components as a column of its A matrix, or a row of its B."""
    return any(
        {"A": matrix.m, "B": matrix.n}.get(matrix.use, vector.length) != vector.length
        for _, matrix, vector in thread_vectors(checks)
    )


def factor_lengths(checks: Checks) -> bool:
    """Whether vector, bias and result of a product do not have the rows and columns of its matrix."""
    vector = checks.program.vector
    for found, matrix in vector_products(checks):
        results = [found.vector, *([found.bias] if isinstance(found.bias, str) else [])]
        if vector(found.source).length != matrix.m or any(vector(name).length != matrix.n for name in results):
            return True
    return False


def packed_vectors(checks: Checks) -> bool:
    """Whether a vector of a product, or of an outer product, is packed."""
    sources = [checks.program.vector(found.source).component for found, _ in vector_products(checks)]
    return not_native(checks) or any(not COMPONENTS[component].native for component in sources)


# Sums, layouts, arrays


def sums(checks: Checks) -> Iterator[tuple[Matrix, Matrix, Matrix]]:
    """Every SumAccumulate: accumulator, A and B."""
    matrix = checks.program.matrix
    for found in checks.instructions():
        if isinstance(found, SumAccumulate):
            yield matrix(found.matrix), matrix(found.a), matrix(found.b)


def wrong_sum(checks: Checks) -> bool:
    """Whether a SumAccumulate has other operands than an A and a B of the scope of its accumulator."""
    return any(
        (c.use, a.use, b.use) != ("Accumulator", "A", "B") or not a.scope == b.scope == c.scope
        for c, a, b in sums(checks)
    )


def unlike_result(checks: Checks) -> bool:
    """Whether a unary operation makes a matrix of another type than its source's."""
    matrix = checks.program.matrix
    pairs = [(matrix(one.matrix), matrix(one.source)) for one in checks.instructions() if isinstance(one, Unary)]
    return any(replace(made, name=source.name) != source for made, source in pairs)


def unknown_layout(checks: Checks) -> bool:
    """Whether an access of a matrix, or a conversion, has a layout that this text does not have."""
    found = [access.layout for access, _ in checks.accesses()]
    for one in checks.instructions():
        if isinstance(one, ConvertLayout):
            found += [one.source_layout, one.target_layout]
    return any(layout in TRANSPOSED for layout in found)


def no_scalars(checks: Checks) -> bool:
    """Whether an array that holds matrices has vectors."""
    return any(array.width for _, _, array, _ in shared(checks))


def end_in_array(touch: Touch, access: Access, array: SharedArray, matrix: Matrix) -> int:
    """The elements of an array that an access reaches up to; packed components in words of uint are four to one."""
    component = COMPONENTS[matrix.component]
    lines, length = (matrix.n, matrix.m) if access.layout == "ColMajor" else (matrix.m, matrix.n)
    whole = not component.native and array.element == component.scalar
    return touch.offset + (lines - 1) * touch.stride + (scalars(component, length) if whole else length)


def beyond(checks: Checks) -> bool:
    """Whether a store or accumulation into an array reaches beyond its end."""
    return any(
        isinstance(access, Store | InterlockedAccumulate)
        and end_in_array(touch, access, array, matrix) > array.length * max(1, array.width)
        for touch, access, array, matrix in shared(checks)
    )


SOURCE_CHECKS: Mapping[str, Callable[[Checks], bool]] = MappingProxyType(
    {
        "LINALG-SCOPE-TABLE": wrong_scope,
        "LINALG-DIM-THREAD-WAVE": lambda c: wrong_depth(c, ("Thread", "Wave"), 4, 128),
        "LINALG-DIM-GROUP": lambda c: wrong_depth(c, ("ThreadGroup",), 1, 1024),
        "LINALG-DIM-POWER": no_power,
        "LINALG-DIM-PACKED": wrong_packed,
        "LINALG-LAYOUT-FOUR": unknown_layout,
        "LINALG-GS-ARITH": no_scalars,
        "LINALG-STORE-GS-SIZE": beyond,
        "LINALG-UNARY-SHAPE": unlike_result,
        "LINALG-SUMACC-USES": wrong_sum,
        "LINALG-SUMACC-SHAPE": lambda c: any((a.m, a.n, b.n) != (t.m, b.m, t.n) for t, a, b in sums(c)),
        "LINALG-FROMVEC-DIM": too_many_lines,
        "LINALG-THREADVEC-USE": lambda c: any(matrix.use == "Accumulator" for _, matrix, _ in thread_vectors(c)),
        "LINALG-THREADVEC-LEN": line_lengths,
        "LINALG-THREADVEC-TYPE": lambda c: any(m.component != v.component for _, m, v in thread_vectors(c)),
        "LINALG-VEC-LEN": factor_lengths,
        "LINALG-VEC-USE": lambda c: any(matrix.use != "B" for _, matrix in vector_products(c)),
        "LINALG-VEC-NATIVE": packed_vectors,
    }
)
"""Clause -> whether a program breaks it; the other clauses of this text are checked as those of later ones."""
