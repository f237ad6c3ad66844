"""The three examples of the text of 2025-09-19 as programs: what they call, with what shows and fills it around.

Their buffers are filled, and results stored, which the document leaves out. Vectors that it sets to zero are loaded.
"""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.programs.base import Affine, Buffer
from mmaspec.programs.hlsl_linalg import (
    SOURCE_CAPS,
    Construction,
    ConvertLayout,
    InterlockedAccumulate,
    LinalgProgram,
    Load,
    Matrix,
    MatrixProduct,
    Multiply,
    MultiplyVector,
    OuterProduct,
    Store,
    Vector,
    VectorLoad,
    VectorStore,
)

SHAPE = ((8, 32, 16),)
CAPS = replace(
    SOURCE_CAPS,
    construction=(Construction("F16", 8, 8, 8), Construction("F32", 8, 8, 8)),
    products=(MatrixProduct("F16", "F16", "F16", SHAPE), MatrixProduct("F16", "F16", "F32", SHAPE)),
)
"""A device that reports what the examples use."""

A_STRIDE, B_STRIDE = 8 * 4, 32 * 4
"""The bytes from row to row as printed: half of a row of A, four of B."""
A_ROW, B_ROW = 32 * 2, 16 * 2
"""The bytes of a row."""

WAVE = (
    Matrix("MatA", "F16", 8, 32, "A"),
    Matrix("MatB", "F16", 32, 16, "B"),
    Matrix("Accum", "F16", 8, 16, "Accumulator"),
    Matrix("Accum32", "F32", 8, 16, "Accumulator"),
)


def wave(a_stride: int = A_STRIDE, *, shown: bool = True) -> LinalgProgram:
    """``WaveMatrixExample``; both matrices begin where the buffer does."""
    body = (
        Load("MatA", "B", 0, a_stride),
        Load("MatB", "B", 0, B_STRIDE),
        Multiply("Accum", "MatA", "MatB", typed=False),
        Multiply("Accum32", "MatA", "MatB"),
        Store("MatA", "out", 0, A_ROW),
        Store("Accum", "out", 512, B_ROW),
        Store("Accum32", "out", 1024, 2 * B_ROW),
    )
    buffers = (Buffer("B", 4096, 128), Buffer("out", 2048, 128))
    return LinalgProgram(buffers, body if shown else body[:4], WAVE)


def stored(stride: int) -> LinalgProgram:
    """Its A matrix stored where it was loaded, at the stride that is printed or another one."""
    body = (Load("MatA", "B", 0, stride), Store("MatA", "out", 0, stride))
    return LinalgProgram((Buffer("B", 4096, 128), Buffer("out", 2048, 128)), body, WAVE[:1])


def cooperative_vectors() -> LinalgProgram:
    """``CoopVec``: the matrix of a wave, and the same row of every thread."""
    body = (
        VectorLoad("Vec", "given", 0),
        Load("MatB", "B", 0, B_STRIDE),
        MultiplyVector("Accum", "MatB", "Vec"),
        VectorStore("Accum", "out", Affine(0, lane=32)),
    )
    buffers = (Buffer("given", 64, 128), Buffer("B", 4096, 128), Buffer("out", 1024, 128))
    vectors = (Vector("Vec", "F16", 32), Vector("Accum", "F16", 16))
    return LinalgProgram(buffers, body, (Matrix("MatB", "F16", 32, 16, "B"),), vectors, read_only=("B",))


def outer_product(*, mended: bool, threads: int = 1) -> LinalgProgram:
    """``OuterProdAccum``; ``mended``: a matrix lies where it accumulates, and is converted back to rows after it."""
    there = ConvertLayout("F16", 16, 8, "old", 0, "RowMajor", "Buf", 0, "OuterProductOptimal", 16, 0, 512)
    back = ConvertLayout("F16", 16, 8, "Buf", 0, "OuterProductOptimal", "out", 0, "RowMajor", 0, 16)
    body = (
        VectorLoad("VecA", "given", 0),
        VectorLoad("VecB", "given", 32),
        OuterProduct("MatAcc", "VecA", "VecB"),
        InterlockedAccumulate("MatAcc", "Buf", 0, 0, "OuterProductOptimal"),
    )
    names = (("given", 64), ("Buf", 512), ("old", 256), ("out", 256))
    return LinalgProgram(
        tuple(Buffer(name, size, 128) for name, size in names),
        (there, *body, back) if mended else body,
        (Matrix("MatAcc", "F16", 16, 8, "Accumulator", "Thread"),),
        (Vector("VecA", "F16", 16), Vector("VecB", "F16", 8)),
        threads=threads,
    )
