"""The three examples of the document as programs: as they stand there, and with what makes them defined.

The document's arrays are read before anything is in them, so that ours are staged first; its matrices of a wave go to
arrays without barriers; and what no program here can have, a tanh between Get and Set, is a value read from a buffer.
"""

from __future__ import annotations

from types import MappingProxyType

from msgspec.structs import replace

from mmaspec.programs.base import Affine, Buffer
from mmaspec.programs.hlsl_linalg import (
    DEFAULT_CAPS,
    AtomicSum,
    Barrier,
    Convert,
    ConvertLayout,
    Instruction,
    InterlockedAccumulate,
    LinalgProgram,
    Load,
    Matrix,
    MatrixProduct,
    MemoryBias,
    Multiply,
    MultiplyAccumulate,
    MultiplyVector,
    OuterProduct,
    ReadElements,
    SharedArray,
    Stage,
    Store,
    Unstage,
    Vector,
    VectorAccumulate,
    VectorLoad,
    VectorProduct,
    VectorStore,
    WriteElements,
)

SHAPE = ((8, 32, 16),)
CAPS = replace(
    DEFAULT_CAPS,
    wave_sizes=(4, 32),
    products=(MatrixProduct("F16", "F16", "F16", SHAPE), MatrixProduct("F16", "F16", "F32", SHAPE)),
    vector_products=(
        VectorProduct("F16", "F16", "F16", ("F16", "F8_E4M3FN")),
        VectorProduct("F8_E4M3FN", "F16", "F16", ("F16", "F8_E4M3FN")),
    ),
    atomics=tuple(AtomicSum(component, True, True) for component in ("F16", "F32", "I8")),
)
"""A device that reports what the examples use: they ask for more than tier 1 requires."""

WAVE = (
    Matrix("MatA", "F16", 8, 32, "A"),
    Matrix("MatB", "F16", 32, 16, "B"),
    Matrix("Accum", "F16", 8, 16, "Accumulator"),
    Matrix("Accum32", "F32", 8, 16, "Accumulator"),
    Matrix("M", "F32", 8, 16, "Accumulator"),
    Matrix("M2", "F32", 8, 16, "Accumulator"),
    Matrix("M16", "F16", 8, 16, "Accumulator"),
)
ARRAYS = (
    SharedArray("GSMat", "float", 128),
    SharedArray("GSMatVec", "float", 16, 8),
    SharedArray("GSMatPacked", "uint8_t4_packed", 32),
    SharedArray("GSMatPackedVec", "uint8_t4_packed", 16, 4),
)
BUFFERS = (
    Buffer("B", 2048, 128),
    Buffer("first", 512, 128),
    Buffer("second", 512, 128),
    Buffer("tanh", 1024, 128),
    Buffer("out", 2560, 128),
)
STAGED = (
    Stage("GSMat", "first", 0, 128),
    Stage("GSMatVec", "second", 0, 128),
    Stage("GSMatPackedVec", "first", 0, 64),
    Stage("GSMatPacked", "first", 0, 32),
    Barrier(),
)
A_STRIDE, B_STRIDE = 32 * 4, 16 * 4
"""The document's strides in the buffer: columns times four, though a half has two bytes."""


def wave_body(*body: Instruction) -> LinalgProgram:
    """Instructions of the first example after the arrays are staged."""
    return LinalgProgram(BUFFERS, (*STAGED, *body), WAVE, arrays=ARRAYS)


PRODUCTS = (
    Load("MatA", "B", 0, A_STRIDE),
    Load("MatB", "B", 0, B_STRIDE),
    Multiply("Accum", "MatA", "MatB", typed=False),
    Multiply("Accum32", "MatA", "MatB"),
)


def wave(stride: int, *, barriers: bool = False, bytes_stride: int = 2, sums: bool = True) -> LinalgProgram:
    """The first example's operations in arrays; it has 8 for the stride there, and 2 where bytes are summed."""
    apart = (Barrier(),) if barriers else ()
    body: tuple[Instruction, ...] = (
        Load("M", "GSMat", 0, stride),
        *apart,
        Store("M", "GSMat", 0, stride),
        Load("M2", "GSMatVec", 0, stride),
        *apart,
        MultiplyAccumulate("M2", "MatA", "MatB"),
        Store("M2", "GSMatVec", 0, stride),
        Load("M16", "GSMatPackedVec", 0, stride),
        *apart,
        Store("M", "GSMat", 0, stride),
        *apart,
        InterlockedAccumulate("M", "GSMat", 0, stride),
    )
    if sums:
        body += (
            InterlockedAccumulate("M", "GSMatPacked", 0, bytes_stride, target="I8"),
            InterlockedAccumulate("M", "GSMatPackedVec", 0, bytes_stride, target="I8"),
        )
    return wave_body(*PRODUCTS, *body)


def mended() -> LinalgProgram:
    """The first example at the stride of its rows, with barriers, without sums of bytes, and results written out.

    Its loop leaves out the diagonal of a matrix of 32 rows and 16 columns, which is every 17th element of the first 16
    rows, and here those of the other rows that follow in this.
    """
    loop = (WriteElements("MatB", "tanh", 0, 32, modulo=17), ReadElements("MatB", "out", 1536, 32))
    found = wave(16, barriers=True, sums=False)
    body = list(found.body)
    place = body.index(PRODUCTS[1]) + 1
    body[place:place] = loop
    body += [
        Barrier(),
        Unstage("GSMat", "out", 0, 128),
        Unstage("GSMatVec", "out", 512, 128),
        Store("Accum", "out", 1024, 32),
        Store("Accum32", "B", 1536, 64),
    ]
    return replace(found, body=tuple(body))


def cooperative_vectors(*, emulated_words: int = 4) -> LinalgProgram:
    """The second example: seven layers, of which the last four interpret packed words, and the sum of the third."""
    bias = MemoryBias("MBuf", 4096, "F8_E4M3FN")
    halves = ("Vec", "NullBias", *(f"Layer{number}" for number in range(1, 8)))
    vectors = (
        *(Vector(name, "F16", 16) for name in halves),
        Vector("SomeData", "F8_E4M3FN", 4 * emulated_words),
        Vector("SomeData2", "U32", 16),
        Vector("Converted", "F8_E4M3FN", 16),
    )
    layers: tuple[tuple[str, str, str | MemoryBias | None], ...] = (
        ("Layer1", "Vec", None),
        ("Layer2", "Layer1", "NullBias"),
        ("Layer3", "Layer2", bias),
        ("Layer4", "SomeData", bias),
        ("Layer5", "SomeData", "NullBias"),
        ("Layer6", "SomeData", bias),
        ("Layer7", "Converted", bias),
    )
    body: tuple[Instruction, ...] = (
        VectorLoad("Vec", "given", 0),
        VectorLoad("NullBias", "given", 32),
        VectorLoad("SomeData", "given", 64),
        VectorLoad("SomeData2", "given", 128),
        Load("MatA", "MBuf", 0, 16 * 4),
        Convert("Converted", "SomeData2"),
        *(MultiplyVector(name, "MatA", source, added) for name, source, added in layers),
        *(VectorStore(name, "out", 32 * number) for number, (name, _, _) in enumerate(layers)),
        VectorAccumulate("Layer3", "B", 128, 128),
    )
    buffers = (Buffer("MBuf", 4128, 128), Buffer("given", 256, 128), Buffer("B", 256, 128), Buffer("out", 224, 128))
    matrix = Matrix("MatA", "F16", 16, 16, "A", "Thread")
    return LinalgProgram(buffers, body, (matrix,), vectors, read_only=("MBuf", "given"), wave_size=4, threads=1)


def outer_product(threads: int = 1) -> LinalgProgram:
    """The third example, between the conversions that put a matrix where it adds, and bring it back."""
    body = (
        ConvertLayout("F16", 16, 8, "before", 0, "RowMajor", "Buf", 0, "OuterProductOptimal", 16, 0, 512),
        VectorLoad("VecA", "given", Affine(0, lane=64)),
        VectorLoad("VecB", "given", Affine(32, lane=64)),
        OuterProduct("MatAcc", "VecA", "VecB"),
        InterlockedAccumulate("MatAcc", "Buf", 0, layout="OuterProductOptimal", align=128),
        ConvertLayout("F16", 16, 8, "Buf", 0, "OuterProductOptimal", "after", 0, "RowMajor", 0, 16),
    )
    buffers = (
        Buffer("before", 256, 128),
        Buffer("Buf", 512, 128),
        Buffer("given", 64 * threads, 128),
        Buffer("after", 256, 128),
    )
    vectors = (Vector("VecA", "F16", 16), Vector("VecB", "F16", 8))
    matrix = Matrix("MatAcc", "F16", 16, 8, "Accumulator", "Thread")
    return LinalgProgram(buffers, body, (matrix,), vectors, wave_size=4, threads=threads)


AS_THEY_STAND = MappingProxyType(
    {
        "wave matrices": wave(8),
        "what is called an error there: floats for a matrix of halves": wave_body(Load("Accum", "GSMat", 0, 8)),
        "cooperative vectors": cooperative_vectors(),
        "outer product": outer_product(),
    }
)
"""The examples with the document's strides, and the line that it has as a comment."""
