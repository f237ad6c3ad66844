"""Small valid programs of every kind, written by hand, and edits of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from mmaspec.programs.base import Affine, Buffer, Literal
from mmaspec.programs.hlsl_linalg import (
    Accumulate,
    Barrier,
    Cast,
    Convert,
    ConvertLayout,
    Instruction,
    InterlockedAccumulate,
    LinalgProgram,
    Load,
    Matrix,
    Multiply,
    MultiplyAccumulate,
    MultiplyVector,
    OuterProduct,
    ReadElements,
    SharedArray,
    Splat,
    Stage,
    Store,
    Unstage,
    Vector,
    VectorAccumulate,
    VectorLoad,
    VectorStore,
    WriteElements,
)

Edit = Callable[[LinalgProgram], LinalgProgram]

SIZE = 1 << 13


def buffers(*names: str) -> tuple[Buffer, ...]:
    """Buffers whose views begin 128 bytes into their allocations."""
    return tuple(Buffer(name, SIZE, 128) for name in names)


def product(scope: str = "Wave", waves: int = 1) -> LinalgProgram:
    """C = A * B, then C += A * B, of halves into floats, everything row-major and tight."""
    matrices = (
        Matrix("A", "F16", 16, 16, "A", scope),  # type: ignore[arg-type]
        Matrix("B", "F16", 16, 16, "B", scope),  # type: ignore[arg-type]
        Matrix("C", "F32", 16, 16, "Accumulator", scope),  # type: ignore[arg-type]
    )
    body = (
        Load("A", "a", 0, 32, data="A"),
        Load("B", "b", 0, 32, data="B"),
        Multiply("C", "A", "B"),
        MultiplyAccumulate("C", "A", "B"),
        Store("C", "out", Affine(0, 1024) if scope == "Wave" and waves > 1 else 0, 64),
    )
    return LinalgProgram(buffers("a", "b", "out"), body, matrices, read_only=("a",), waves=waves)


def sums() -> LinalgProgram:
    """A matrix cast, accumulated, added to a buffer, and its elements written out and set."""
    matrices = (
        Matrix("A", "F16", 16, 8, "A"),
        Matrix("T", "F16", 8, 16, "A"),
        Matrix("C", "F32", 16, 8, "Accumulator"),
        Matrix("H", "F16", 16, 8, "Accumulator"),
    )
    body = (
        Load("A", "a", 0, 16, data="A"),
        Cast("T", "A", transpose=True),
        Cast("H", "A"),
        Splat("C", "int", Literal(3)),
        Accumulate("C", "A"),
        InterlockedAccumulate("C", "sum", 0, 32),
        ReadElements("C", "out", 0, 32),
        WriteElements("H", "a", 512, 16),
        Store("H", "out", 4096, 16),
    )
    return LinalgProgram(buffers("a", "out", "sum"), body, matrices)


def arrays() -> LinalgProgram:
    """A matrix staged through an array of its own type, and one of words."""
    matrices = (Matrix("H", "F16", 8, 8, "Accumulator"), Matrix("S", "I8", 8, 16, "A"))
    body = (
        Stage("g", "a", 0, 128),
        Stage("w", "a", 1024, 64),
        Barrier(),
        Load("H", "g", 64, 8),
        Load("S", "w", 0, 16),
        Barrier(),
        Store("H", "g", 0, 8),
        InterlockedAccumulate("H", "g", 64, 8),
        Barrier(),
        Unstage("g", "out", 0, 128),
    )
    shared = (SharedArray("g", "half", 128), SharedArray("w", "uint8_t4_packed", 64))
    return LinalgProgram(buffers("a", "out"), body, matrices, arrays=shared)


def vectors() -> LinalgProgram:
    """Thread matrices by vectors, with a bias in a vector; a vector converted, and one accumulated."""
    matrices = (Matrix("M", "F16", 8, 16, "A", "Thread"),)
    declared = (
        Vector("x", "F16", 16),
        Vector("i", "I32", 16),
        Vector("y", "F16", 8),
        Vector("z", "F16", 8),
    )
    body = (
        Load("M", "m", 0, 32, data="M"),
        VectorLoad("x", "v", Affine(0, 1024, lane=32), data="x"),
        MultiplyVector("y", "M", "x"),
        MultiplyVector("z", "M", "x", "y"),
        Convert("i", "x"),
        VectorStore("z", "out", Affine(0, 512, lane=16)),
        VectorAccumulate("y", "sum", Affine(0, lane=64)),
    )
    return LinalgProgram(buffers("m", "v", "out", "sum"), body, matrices, declared, read_only=("m",))


def packed() -> LinalgProgram:
    """A packed vector and one of floats by a matrix of bytes."""
    matrices = (Matrix("M", "I8", 8, 16, "A", "Thread"),)
    declared = (Vector("x", "I8", 16), Vector("f", "F32", 16), Vector("y", "I32", 8))
    body = (
        Load("M", "m", 0, 16, data="M"),
        VectorLoad("x", "v", Affine(0, lane=16), data="x"),
        Convert("f", "x"),
        MultiplyVector("y", "M", "x"),
        VectorStore("y", "out", Affine(0, lane=32)),
        MultiplyVector("y", "M", "f"),
        VectorStore("y", "out", Affine(4096, lane=32)),
    )
    return LinalgProgram(buffers("m", "v", "out"), body, matrices, declared, read_only=("m",))


def outer() -> LinalgProgram:
    """Outer products added to a matrix in an optimal layout, which conversions put there and bring back."""
    matrices = (Matrix("O", "F16", 8, 16, "Accumulator", "Thread"),)
    declared = (Vector("c", "F16", 8), Vector("r", "F16", 16))
    there = ConvertLayout("F16", 8, 16, "a", 0, "RowMajor", "w", 0, "OuterProductOptimal", 32, 0, data="W")
    back = ConvertLayout("F16", 8, 16, "w", 0, "OuterProductOptimal", "out", 0, "ColMajor", 0, 16)
    body = (
        there,
        VectorLoad("c", "v", Affine(0, lane=16), data="c"),
        VectorLoad("r", "v", Affine(2048, lane=32), data="r"),
        OuterProduct("O", "c", "r"),
        InterlockedAccumulate("O", "w", 0, 0, "OuterProductOptimal"),
        back,
    )
    return LinalgProgram(buffers("a", "v", "w", "out"), body, matrices, declared)


def optimal() -> LinalgProgram:
    """A Thread matrix loaded from an optimal layout, and its transpose through the transposed one."""
    matrices = (Matrix("M", "F16", 8, 16, "A", "Thread"), Matrix("T", "F16", 16, 8, "A", "Thread"))
    declared = (Vector("x", "F16", 16), Vector("y", "F16", 8), Vector("z", "F16", 16))
    body = (
        ConvertLayout("F16", 8, 16, "a", 0, "RowMajor", "w", 0, "MulOptimal", 32, 0, data="M"),
        VectorLoad("x", "v", 0, data="x"),
        Load("M", "w", 0, 0, "MulOptimal"),
        Load("T", "w", 0, 0, "MulOptimalTranspose"),
        MultiplyVector("y", "M", "x"),
        MultiplyVector("z", "T", "y"),
        VectorStore("z", "out", Affine(0, lane=32)),
    )
    return LinalgProgram(buffers("a", "v", "w", "out"), body, matrices, declared, read_only=("w",))


BASES: dict[str, Callable[[], LinalgProgram]] = {
    "product": product,
    "sums": sums,
    "arrays": arrays,
    "vectors": vectors,
    "packed": packed,
    "outer": outer,
    "optimal": optimal,
}


def declared(program: LinalgProgram, name: str, **changes: Any) -> LinalgProgram:
    """The program with one matrix or vector declared otherwise."""
    matrices = tuple(replace(m, **changes) if m.name == name else m for m in program.matrices)
    vectors = tuple(replace(v, **changes) if v.name == name else v for v in program.vectors)
    return replace(program, matrices=matrices, vectors=vectors)


def changed(program: LinalgProgram, at: int, **changes: Any) -> LinalgProgram:
    """The program with one instruction changed."""
    body = tuple(replace(i, **changes) if n == at else i for n, i in enumerate(program.body))  # type: ignore[type-var]
    return replace(program, body=body)


def without(program: LinalgProgram, *at: int) -> LinalgProgram:
    """The program without some instructions."""
    return replace(program, body=tuple(one for n, one in enumerate(program.body) if n not in at))


def before(program: LinalgProgram, at: int, *more: Instruction) -> LinalgProgram:
    """The program with instructions in front of one."""
    return replace(program, body=(*program.body[:at], *more, *program.body[at:]))


def after(program: LinalgProgram, *more: Instruction) -> LinalgProgram:
    """The program with instructions at its end."""
    return replace(program, body=(*program.body, *more))


def alone(matrix: Matrix, *body: Instruction, **fields: Any) -> LinalgProgram:
    """One matrix and what is done with it."""
    return LinalgProgram(buffers("a", "out"), body, (matrix,), **fields)
