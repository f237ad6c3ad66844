"""Checks of what is declared, and of which matrices and vectors an instruction takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from mmaspec.backends.numpy.hlsl_linalg.facts import Checks, component_of, depth
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, NATIVE, scalars
from mmaspec.programs.hlsl_linalg.program import (
    Accumulate,
    Beyond,
    Cast,
    Convert,
    CountElements,
    InterlockedAccumulate,
    LinalgProgram,
    Load,
    Matrix,
    MemoryBias,
    Multiply,
    MultiplyAccumulate,
    MultiplyVector,
    OuterProduct,
    ReadElements,
    Splat,
    Store,
    VectorAccumulate,
    WriteElements,
)

SHORT = ("int16_t", "uint16_t", "half")
"""HLSL scalars that need 16-bit types."""
UNIFORM = (Cast, CountElements, ReadElements, WriteElements, Beyond, Splat, Store, Accumulate, Multiply)
"""Instructions on matrices of Wave and ThreadGroup scope alone."""
BY_ELEMENT = (CountElements, ReadElements, WriteElements, Beyond)
Product = Multiply | MultiplyAccumulate


def unknown_component(checks: Checks) -> bool:
    """Whether a component type has no place among those of matrices."""
    return any(checks.caps.revision not in COMPONENTS[name].revisions for name in checks.components())


def short_scalars(checks: Checks) -> bool:
    """Whether a 16-bit scalar is used on a device that has none."""
    if checks.caps.native_16_bit:
        return False
    named = {COMPONENTS[name].scalar for name in checks.components()}
    named |= {array.element for array in checks.program.arrays}
    named |= {found.scalar for found in checks.instructions() if isinstance(found, Splat)}
    return any(name in named for name in SHORT)


def beyond_depth(checks: Checks, scopes: tuple[str, ...], least: int, most: int) -> bool:
    """Whether K of a factor of some scope lies outside what validation lets pass."""
    found = [depth(matrix) for matrix in checks.program.matrices if matrix.scope in scopes]
    return any(k is not None and not least <= k <= most for k in found)


def wrong_scope(checks: Checks) -> bool:
    """Whether an operation has a matrix of a scope for which it does not exist."""
    program = checks.program
    for found in checks.instructions():
        match found:
            case MultiplyAccumulate():
                bad = program.matrix(found.matrix).scope == "Thread"
            case MultiplyVector() | OuterProduct():
                bad = program.matrix(found.matrix).scope != "Thread"
            case InterlockedAccumulate():
                bad = checks.is_array(found.memory) and program.matrix(found.matrix).scope == "Thread"
            case _:
                bad = isinstance(found, UNIFORM) and program.matrix(found.matrix).scope == "Thread"
        if bad:
            return True
    return False


def wrong_source(checks: Checks) -> bool:
    """Whether a matrix of Thread scope is loaded from anything but a read-only buffer."""
    return any(
        matrix.scope == "Thread" and access.memory not in checks.program.read_only
        for access, matrix in checks.accesses()
        if isinstance(access, Load)
    )


def thread_load_use(checks: Checks) -> bool:
    """Whether a matrix of Thread scope that is no A matrix is loaded: the class has that method for A alone."""
    return any(
        matrix.scope == "Thread" and matrix.use != "A"
        for access, matrix in checks.accesses()
        if isinstance(access, Load)
    )


def packed_elements(checks: Checks) -> bool:
    """Whether single elements are asked of a matrix whose elements HLSL has no type for."""
    return any(
        isinstance(found, BY_ELEMENT) and not component_of(checks.program.matrix(found.matrix)).native
        for found in checks.instructions()
    )


def casts(checks: Checks) -> list[tuple[Cast, Matrix, Matrix]]:
    """Every cast with its target and source."""
    matrix = checks.program.matrix
    return [(c, matrix(c.matrix), matrix(c.source)) for c in checks.instructions() if isinstance(c, Cast)]


def unlike_cast(checks: Checks) -> bool:
    """Whether a cast that is not transposed goes between scopes or sizes."""
    return any(
        to.scope != source.scope or (not cast.transpose and (to.m, to.n) != (source.m, source.n))
        for cast, to, source in casts(checks)
    )


def unlike_transpose(checks: Checks) -> bool:
    """Whether a transposing cast has sizes that are not each other's."""
    return any(cast.transpose and (to.m, to.n) != (source.n, source.m) for cast, to, source in casts(checks))


def products(checks: Checks) -> list[tuple[Product, Matrix, Matrix, Matrix]]:
    """Every product of matrices with its result, A and B."""
    matrix = checks.program.matrix
    found = [found for found in checks.instructions() if isinstance(found, Product)]
    return [(p, matrix(p.matrix), matrix(p.a), matrix(p.b)) for p in found]


def misused_product(checks: Checks) -> bool:
    """Whether uses, scopes or sizes of a product do not go together."""
    return any(
        (a.use, b.use, c.use) != ("A", "B", "Accumulator")
        or len({a.scope, b.scope, c.scope}) > 1
        or (a.m, a.n, b.n) != (c.m, b.m, c.n)
        for _, c, a, b in products(checks)
    )


def uninferred(checks: Checks) -> bool:
    """Whether the overload that infers its result has component types that differ."""
    return any(
        isinstance(product, Multiply) and not product.typed and len({a.component, b.component, c.component}) > 1
        for product, c, a, b in products(checks)
    )


def misused_accumulate(checks: Checks) -> bool:
    """Whether something other than an A or B matrix of its size and scope is added to an accumulator."""
    for found in checks.instructions():
        if isinstance(found, Accumulate):
            matrix, operand = (checks.program.matrix(name) for name in (found.matrix, found.operand))
            alike = (matrix.m, matrix.n, matrix.scope) == (operand.m, operand.n, operand.scope)
            if matrix.use != "Accumulator" or operand.use == "Accumulator" or not alike:
                return True
    return False


def vector_lengths(checks: Checks) -> bool:
    """Whether the vectors of a product do not have as many components as the matrix has columns or rows."""
    program = checks.program
    for found in checks.instructions():
        if isinstance(found, MultiplyVector):
            matrix = program.matrix(found.matrix)
            lengths = [program.vector(found.source).length == matrix.n, program.vector(found.vector).length == matrix.m]
            if isinstance(found.bias, str):
                lengths.append(program.vector(found.bias).length == matrix.m)
            if not all(lengths):
                return True
    return False


def vector_types(checks: Checks) -> bool:
    """Whether a product with a vector has a matrix that is no A matrix, or a result or bias that is packed."""
    program = checks.program
    for found in checks.instructions():
        if isinstance(found, MultiplyVector):
            plain = [program.vector(found.vector).component]
            if isinstance(found.bias, str):
                plain.append(program.vector(found.bias).component)
            if program.matrix(found.matrix).use != "A" or not all(COMPONENTS[name].native for name in plain):
                return True
    return False


def unreadable_bias(checks: Checks) -> bool:
    """Whether a bias in memory lies in a buffer that is written."""
    biases = [found.bias for found in checks.instructions() if isinstance(found, MultiplyVector)]
    return any(isinstance(bias, MemoryBias) and bias.buffer not in checks.program.read_only for bias in biases)


def unlike_outer(checks: Checks) -> bool:
    """Whether an outer product's vectors differ in type, are packed, or do not have the sizes of its accumulator."""
    for found in checks.instructions():
        if isinstance(found, OuterProduct):
            matrix = checks.program.matrix(found.matrix)
            column, row = (checks.program.vector(name) for name in (found.column, found.row))
            if (column.length, row.length) != (matrix.m, matrix.n) or column.component != row.component:
                return True
            if matrix.use != "Accumulator" or not COMPONENTS[column.component].native:
                return True
    return False


def unlike_convert(checks: Checks) -> bool:
    """Whether a converted vector does not have the length of its source, counted in scalars."""
    return any(
        not same_scalars(checks.program, found.vector, found.source)
        for found in checks.instructions()
        if isinstance(found, Convert)
    )


def same_scalars(program: LinalgProgram, name: str, source: str) -> bool:
    """Whether a vector has the scalars that the components of another take."""
    to, given = program.vector(name), program.vector(source)
    own, other = COMPONENTS[to.component], COMPONENTS[given.component]
    components = scalars(other, given.length) * other.packed
    return to.length == given.length or to.length == scalars(own, components) * own.packed


def unnatural_vector(checks: Checks) -> bool:
    """Whether a vector is added to memory in a type that HLSL does not have."""
    return any(
        checks.program.vector(found.vector).component not in NATIVE.values()
        for found in checks.instructions()
        if isinstance(found, VectorAccumulate)
    )


TYPE_CHECKS: Mapping[str, Callable[[Checks], bool]] = MappingProxyType(
    {
        "LINALG-COMP-ENUM": unknown_component,
        "LINALG-ARITH-TYPES": short_scalars,
        "LINALG-DIM-THREAD-WAVE": lambda checks: beyond_depth(checks, ("Thread", "Wave"), 4, 128),
        "LINALG-DIM-GROUP": lambda checks: beyond_depth(checks, ("ThreadGroup",), 1, 1024),
        "LINALG-SCOPE-TABLE": wrong_scope,
        "LINALG-LOAD-SRC": wrong_source,
        "LINALG-LOAD-USE": thread_load_use,
        "LINALG-ELEM-NATIVE": packed_elements,
        "LINALG-CAST": unlike_cast,
        "LINALG-CAST-TRANSPOSE": unlike_transpose,
        "LINALG-MUL-USES": misused_product,
        "LINALG-MUL-INFER": uninferred,
        "LINALG-ACCUMULATE": misused_accumulate,
        "LINALG-VEC-LEN": vector_lengths,
        "LINALG-VEC-TYPES": vector_types,
        "LINALG-BIAS-SRC": unreadable_bias,
        "LINALG-OUTER": unlike_outer,
        "LINALG-CONVERT-LEN": unlike_convert,
        "LINALG-VEC-ACC-TYPE": unnatural_vector,
    }
)
"""Clause -> whether a program breaks it."""
