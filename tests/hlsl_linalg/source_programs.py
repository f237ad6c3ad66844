"""Small valid programs of the text of 2025-09-19, written by hand."""

from __future__ import annotations

from collections.abc import Callable

from mmaspec.programs.base import Affine, Literal
from mmaspec.programs.hlsl_linalg import (
    AtomicSum,
    Barrier,
    Construction,
    ConvertLayout,
    FromThreadVectors,
    GetThreadVector,
    InterlockedAccumulate,
    Layout,
    LinalgCaps,
    LinalgProgram,
    Load,
    Matrix,
    MatrixProduct,
    MultiplyVector,
    Operate,
    OptimalSize,
    OuterProduct,
    OuterProductSupport,
    SharedArray,
    Splat,
    Stage,
    Store,
    SumAccumulate,
    Unary,
    Unstage,
    Vector,
    VectorLoad,
    VectorProduct,
    VectorStore,
)
from tests.hlsl_linalg.small_programs import buffers, product

OPTIMAL: tuple[Layout, ...] = ("MulOptimal", "OuterProductOptimal")
DEVICE = LinalgCaps(
    revision="2025-09-19",
    construction=(
        *(Construction(component, 8, 8, 8) for component in ("F16", "F32", "I32", "U32", "I16", "U16")),
        *(Construction(component, 8, 16, 8) for component in ("PackedS8x32", "PackedU8x32")),
    ),
    products=(MatrixProduct("F16", "F16", "F32", ((16, 16, 16),), group_threads=(64, 256)),),
    vector_products=(VectorProduct("F16", "F16", "F16", ("F16",)), VectorProduct("F16", "F16", "F32", ("F32", "F16"))),
    outer_products=(OuterProductSupport("F16", "F16"), OuterProductSupport("F32", "F32")),
    atomics=(AtomicSum("F16", True, True), AtomicSum("F32", True, True), AtomicSum("I32", True, True)),
    optimal=tuple(OptimalSize("F16", m, n, layout, 512) for m, n in ((8, 16), (16, 8)) for layout in OPTIMAL),
)
"""What these programs need of a device; it reports a bias of another type than the result as well."""


def elements(waves: int = 1) -> LinalgProgram:
    """A matrix changed by operators, negated into another one and stored; sines of it."""
    matrices = (Matrix("A", "F16", 16, 8, "A"), Matrix("N", "F16", 16, 8, "A"), Matrix("S", "F16", 16, 8, "A"))
    body = (
        Load("A", "a", 0, 16, data="A"),
        Operate("A", "mul", "half", Literal(0x4000)),
        Operate("A", "sub", "half", Literal(0x3C00)),
        Unary("N", "negate", "A"),
        Unary("S", "sin", "N"),
        Unary("S", "nop", "S"),
        Store("S", "out", Affine(0, 256) if waves > 1 else 0, 16),
    )
    return LinalgProgram(buffers("a", "out"), body, matrices, waves=waves)


def sums() -> LinalgProgram:
    """A + B into an accumulator, which is added to a buffer and stored."""
    matrices = (
        Matrix("A", "F16", 16, 16, "A"),
        Matrix("B", "F16", 16, 16, "B"),
        Matrix("C", "F16", 16, 16, "Accumulator"),
    )
    body = (
        Load("A", "a", 0, 32, data="A"),
        Load("B", "a", 512, 32, data="B"),
        Splat("C", "half", Literal(0x3C00)),
        SumAccumulate("C", "A", "B"),
        InterlockedAccumulate("C", "sum", 0, 32),
        Store("C", "out", 0, 32),
    )
    return LinalgProgram(buffers("a", "out", "sum"), body, matrices)


def threads(scope: str = "Wave") -> LinalgProgram:
    """An A and a B made of vectors and taken apart again."""
    matrices = (
        Matrix("A", "F16", 8, 16, "A", scope),  # type: ignore[arg-type]
        Matrix("B", "F16", 16, 24, "B", scope),  # type: ignore[arg-type]
    )
    declared = (Vector("c", "F16", 8), Vector("r", "F16", 24), Vector("d", "F16", 8), Vector("s", "F16", 24))
    body = (
        VectorLoad("c", "v", Affine(0, lane=16), data="c"),
        VectorLoad("r", "v", Affine(1024, lane=48), data="r"),
        FromThreadVectors("A", "c"),
        FromThreadVectors("B", "r"),
        GetThreadVector("d", "A"),
        GetThreadVector("s", "B", 1),
        VectorStore("d", "out", Affine(0, lane=16)),
        VectorStore("s", "out", Affine(1024, lane=48)),
    )
    return LinalgProgram(buffers("v", "out"), body, matrices, declared)


def packed() -> LinalgProgram:
    """A packed matrix made of vectors of words."""
    matrices = (Matrix("A", "PackedS8x32", 8, 32, "A"),)
    body = (
        VectorLoad("c", "v", Affine(0, lane=8), data="c"),
        FromThreadVectors("A", "c"),
        Store("A", "out", 0, 32),
        Load("A", "v", 512, 32),
        GetThreadVector("d", "A"),
        VectorStore("d", "out", Affine(512, lane=8)),
    )
    return LinalgProgram(
        buffers("v", "out"), body, matrices, (Vector("c", "PackedS8x32", 8), Vector("d", "PackedS8x32", 8))
    )


def vectors(scope: str = "Wave") -> LinalgProgram:
    """A row times a B matrix, without a bias and with one."""
    matrices = (Matrix("M", "F16", 16, 8, "B", scope),)  # type: ignore[arg-type]
    declared = (Vector("x", "F16", 16), Vector("y", "F16", 8), Vector("z", "F16", 8))
    body = (
        Load("M", "m", 0, 16, data="M"),
        VectorLoad("x", "v", Affine(0, lane=32), data="x"),
        MultiplyVector("y", "M", "x"),
        MultiplyVector("z", "M", "x", "y"),
        VectorStore("z", "out", Affine(0, lane=16)),
    )
    return LinalgProgram(buffers("m", "v", "out"), body, matrices, declared, read_only=("m",))


def outer(scope: str = "Wave") -> LinalgProgram:
    """An outer product of vectors that all threads have alike, added to a buffer."""
    matrices = (Matrix("O", "F16", 8, 16, "Accumulator", scope),)  # type: ignore[arg-type]
    declared = (Vector("c", "F16", 8), Vector("r", "F16", 16))
    body = (
        VectorLoad("c", "v", 0, data="c"),
        VectorLoad("r", "v", 2048, data="r"),
        OuterProduct("O", "c", "r"),
        InterlockedAccumulate("O", "sum", 0, 32),
    )
    return LinalgProgram(buffers("v", "sum"), body, matrices, declared)


def optimal() -> LinalgProgram:
    """One thread: a matrix from an optimal layout multiplied, and an outer product added to one."""
    matrices = (Matrix("M", "F16", 16, 8, "B", "Thread"), Matrix("O", "F16", 8, 16, "Accumulator", "Thread"))
    declared = (Vector("x", "F16", 16), Vector("y", "F16", 8))
    body = (
        ConvertLayout("F16", 16, 8, "a", 0, "RowMajor", "w", 0, "MulOptimal", 16, 0, data="M"),
        ConvertLayout("F16", 8, 16, "a", 512, "RowMajor", "s", 0, "OuterProductOptimal", 32, 0, data="O"),
        VectorLoad("x", "a", 1024, data="x"),
        Load("M", "w", 0, 0, "MulOptimal"),
        MultiplyVector("y", "M", "x"),
        OuterProduct("O", "y", "x"),
        InterlockedAccumulate("O", "s", 0, 0, "OuterProductOptimal"),
        ConvertLayout("F16", 8, 16, "s", 0, "OuterProductOptimal", "out", 0, "RowMajor", 0, 32),
    )
    return LinalgProgram(buffers("a", "w", "s", "out"), body, matrices, declared, read_only=("w",), threads=1)


def arrays() -> LinalgProgram:
    """A matrix of halves through arrays of floats and of integers, and added to one of floats."""
    matrices = (Matrix("H", "F16", 8, 8, "Accumulator"),)
    body = (
        Stage("f", "a", 0, 128),
        Barrier(),
        Load("H", "f", 1, 10),
        Store("H", "i", 0, 8),
        Barrier(),
        InterlockedAccumulate("H", "f", 3, 9),
        Barrier(),
        Unstage("f", "out", 0, 128),
        Unstage("i", "out", 512, 64),
    )
    shared = (SharedArray("f", "float", 128), SharedArray("i", "int", 64))
    return LinalgProgram(buffers("a", "out"), body, matrices, arrays=shared)


SOURCE_BASES: dict[str, Callable[[], LinalgProgram]] = {
    "product": product,
    "elements": elements,
    "sums": sums,
    "threads": threads,
    "packed": packed,
    "vectors": vectors,
    "outer": outer,
    "optimal": optimal,
    "arrays": arrays,
}
