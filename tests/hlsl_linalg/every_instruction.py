"""Valid programs that have every instruction between them, over random data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mmaspec.programs.base import Affine, FromBuffer, Literal
from mmaspec.programs.hlsl_linalg import (
    Accumulate,
    AccumulatorLayout,
    Barrier,
    Beyond,
    Branch,
    Cast,
    Convert,
    ConvertLayout,
    CountElements,
    Instruction,
    InterlockedAccumulate,
    Load,
    Matrix,
    MemoryBias,
    Multiply,
    MultiplyAccumulate,
    MultiplyVector,
    OuterProduct,
    ReadElements,
    Repeat,
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

OPAQUE = "best"
"""The buffer with matrices in optimal layouts, which nobody compares."""
DRAWN = np.random.default_rng(2026)

Shown = tuple[tuple[Instruction, ...], Mapping[str, Any], dict[str, Any]]


def floats(*shape: int, dtype: str = "f2", scale: float = 8) -> Any:
    """Numbers with fractions."""
    return (DRAWN.integers(-64, 64, shape) / 64 * scale).astype(dtype)


def normals(*shape: int) -> Any:
    """Numbers of all bits."""
    return DRAWN.standard_normal(shape).astype(np.float16)


def words(count: int) -> Any:
    """Any bits."""
    return DRAWN.integers(0, 1 << 32, count, np.uint32)


ADDRESSES: Shown = (
    (
        Repeat(
            2,
            (
                Load("A", "in", Affine(128, wave=1024, loop=512), 48, "ColMajor"),
                Store("A", "out", Affine(0, wave=1024, loop=512), 32),
            ),
        ),
        Load("A", "short", 0, 32),
        Load("F", "in", 0, 32, "ColMajor"),
        Load("U", "bytes", 0, 16),
        Store("A", "out", Affine(2048, wave=512), 48),
        Load("A", "in", 0, 32),
        Store("A", "out", Affine(4096, wave=512), 32, "ColMajor"),
        Load("A", "short", 0, 32),
        Branch(0, (Store("A", "clipped", 0, 32), Store("F", "out", 3072, 64), Store("U", "out", 3840, 32)), waves=1),
        InterlockedAccumulate("F", "sums", Affine(0, wave=256), 32),
        InterlockedAccumulate("F", "sums", 0, 32),
        InterlockedAccumulate("F", "few", 0, 32),
    ),
    {
        "in": normals(2048),
        "short": floats(123),
        "bytes": words(64),
        "out": 5248,
        "clipped": 232,
        "sums": floats(128, dtype="f4"),
        "few": np.zeros(60, np.float32),
    },
    {
        "matrices": (
            Matrix("A", "F16", 8, 16, "A"),
            Matrix("F", "F32", 8, 8, "Accumulator"),
            Matrix("U", "U8", 8, 16, "A"),
        ),
        "waves": 2,
    },
)

ARRAYS: Shown = (
    (
        Stage("g", "in", 0, 256),
        Stage("h", "in", 0, 128),
        Stage("i", "whole", 0, 64),
        Barrier(),
        Load("A", "g", 64, 24, "ColMajor"),
        Load("F", "h", 32, 12),
        Barrier(),
        Store("A", "g", 128, 24),
        InterlockedAccumulate("F", "h", 0, 8),
        InterlockedAccumulate("F", "i", 0, 8),
        Barrier(),
        Unstage("g", "out", 0, 256),
        Unstage("h", "out", 1024, 128),
        Unstage("i", "out", 1536, 64),
        Barrier(),
        Store("F", "g", 0, 12, "ColMajor"),
        Barrier(),
        Unstage("g", "out", 1792, 256),
    ),
    {"in": floats(256, dtype="f4"), "whole": np.arange(64, dtype=np.int32), "out": 2816},
    {
        "matrices": (Matrix("A", "F16", 8, 16, "A"), Matrix("F", "F32", 8, 8, "Accumulator")),
        "arrays": (SharedArray("g", "uint", 256), SharedArray("h", "float", 128), SharedArray("i", "int", 64)),
    },
)

VALUES: Shown = (
    (
        Splat("A", "half", FromBuffer("a", 2), lane=1, wave=64),
        Store("A", "out", Affine(0, wave=512), 32),
        Splat("A", "int", Literal(2051)),
        Store("A", "out", Affine(1024, wave=512), 32),
        Splat("I", "int", Literal(0xFFFF0001)),
        Branch(0, (Store("I", "out", 2048, 32),), waves=1),
        Branch(
            0,
            (
                Load("A", "a", 0, 32),
                Cast("T", "A", transpose=True),
                Cast("W", "A"),
                Cast("I", "W"),
                Cast("E", "A"),
                Store("A", "out", 2560, 32),
                Store("T", "out", 3072, 32),
                Store("W", "out", 3584, 64),
                Store("I", "out", 4608, 32),
                Store("E", "out", 5120, 32),
                Load("W", "w", 0, 64),
                Cast("I", "W"),
                Cast("N", "W"),
                Store("I", "out", 5632, 32),
                Store("N", "out", 6144, 64),
                Cast("I", "N"),
                Store("I", "out", 7168, 32),
                Splat("S", "half", Literal(0x3C00)),
                Accumulate("S", "A"),
                Store("S", "out", 7680, 64),
                AccumulatorLayout("out", 8704),
            ),
            waves=1,
        ),
    ),
    {"a": normals(256), "w": floats(16, 16, dtype="f4", scale=1 << 20), "out": 8768},
    {
        "matrices": (
            Matrix("A", "F16", 16, 16, "A"),
            Matrix("T", "F16", 16, 16, "B"),
            Matrix("W", "F32", 16, 16, "A"),
            Matrix("I", "I16", 16, 16, "A"),
            Matrix("N", "I32", 16, 16, "A"),
            Matrix("E", "BFloat16", 16, 16, "A"),
            Matrix("S", "F32", 16, 16, "Accumulator"),
        ),
        "waves": 2,
    },
)

PRODUCTS: Shown = (
    (
        Load("A", "a", 0, 32),
        Load("B", "a", 512, 32),
        Splat("C", "float", Literal(0x40490FDB)),
        Multiply("C", "A", "B"),
        Store("C", "out", 0, 64),
        MultiplyAccumulate("C", "A", "B"),
        Store("C", "out", 1024, 64),
        Load("P", "bytes", 0, 32),
        Load("Q", "bytes", 512, 16),
        Splat("S", "int", Literal(1 << 26 | 1)),
        MultiplyAccumulate("S", "P", "Q"),
        Store("S", "out", 2048, 64),
        Load("R", "small", 0, 32),
        Load("L", "small", 512, 16),
        Multiply("C", "R", "L"),
        Store("C", "out", 3072, 64),
        Load("A", "nan", 0, 32),
        Multiply("C", "A", "B"),
        Store("C", "out", 4096, 64),
    ),
    {
        "a": floats(512),
        "bytes": words(256),
        "small": DRAWN.integers(0x30, 0x40, 1024, np.uint8),
        "nan": np.full(256, np.nan, np.float16),
        "out": 5120,
    },
    {
        "matrices": (
            Matrix("A", "F16", 16, 16, "A"),
            Matrix("B", "F16", 16, 16, "B"),
            Matrix("C", "F32", 16, 16, "Accumulator"),
            Matrix("P", "I8", 16, 32, "A"),
            Matrix("Q", "U8", 32, 16, "B"),
            Matrix("S", "I32", 16, 16, "Accumulator"),
            Matrix("R", "F8_E4M3FN", 16, 32, "A"),
            Matrix("L", "F8_E4M3FN", 32, 16, "B"),
        )
    },
)

VECTORS: Shown = (
    (
        ConvertLayout("F16", 8, 16, "rows", 0, "RowMajor", OPAQUE, 0, "MulOptimal", 48),
        ConvertLayout("F16", 8, 16, "zeros", 0, "RowMajor", "sums", 0, "OuterProductOptimal", 32),
        Load("M", "rows", Affine(0, lane=0), 48),
        Load("M", "rows", Affine(0, lane=128), 48),
        VectorLoad("x", "x", Affine(0, lane=32)),
        VectorLoad("b", "x", Affine(64, lane=16)),
        MultiplyVector("y", "M", "x", "b"),
        VectorStore("y", "out", Affine(0, lane=32)),
        MultiplyVector("y", "M", "x", MemoryBias("rows", 512, "F16")),
        VectorStore("y", "out", Affine(1024, lane=32)),
        Branch(9, (VectorLoad("x", "x", Affine(64, lane=16)),)),
        Load("M", OPAQUE, 0, layout="MulOptimal"),
        Load("N", OPAQUE, 0, layout="MulOptimalTranspose"),
        MultiplyVector("h", "N", "b"),
        VectorStore("h", "out", Affine(3072, lane=32)),
        MultiplyVector("y", "M", "x"),
        VectorStore("y", "out", Affine(2048, lane=32)),
        OuterProduct("O", "b", "x"),
        InterlockedAccumulate("O", "sums", 0, layout="OuterProductOptimal"),
        VectorAccumulate("b", "added", Affine(lane=64)),
        VectorAccumulate("b", "added", 0),
        VectorLoad("p", "x", Affine(lane=16)),
        Convert("h", "p"),
        VectorStore("h", "out", Affine(4096, lane=32)),
        Load("J", "bytes", 0, 16),
        VectorLoad("f", "floats", Affine(lane=64)),
        MultiplyVector("i", "J", "f"),
        VectorStore("i", "out", Affine(5120, lane=16)),
        ConvertLayout("F16", 8, 16, "sums", 0, "OuterProductOptimal", "total", 0, "RowMajor", 0, 32),
    ),
    {
        "rows": floats(4608),
        "zeros": np.zeros(128, np.float16),
        OPAQUE: 512,
        "sums": 512,
        "total": 256,
        "x": floats(1024, scale=2),
        "bytes": words(16),
        "floats": floats(512, dtype="f4", scale=200),
        "added": floats(1024),
        "out": 5632,
    },
    {
        "matrices": (
            Matrix("M", "F16", 8, 16, "A", "Thread"),
            Matrix("N", "F16", 16, 8, "A", "Thread"),
            Matrix("O", "F16", 8, 16, "Accumulator", "Thread"),
            Matrix("J", "I8", 4, 16, "A", "Thread"),
        ),
        "vectors": (
            Vector("x", "F16", 16),
            Vector("b", "F16", 8),
            Vector("y", "F32", 8),
            Vector("h", "F16", 16),
            Vector("p", "I8", 16),
            Vector("f", "F32", 16),
            Vector("i", "I32", 4),
        ),
        "read_only": ("rows", OPAQUE, "bytes"),
    },
)

ELEMENTS: Shown = (
    (
        Load("A", "a", Affine(wave=512), 32),
        ReadElements("A", "read", Affine(wave=512), 32),
        WriteElements("A", "a", Affine(1024, wave=512), 32, modulo=3),
        Beyond("A", "far", Affine(0), past=2, value=0x1234),
        CountElements("A", "count", Affine(wave=4)),
        Store("A", "out", Affine(wave=512), 32),
    ),
    {"a": floats(1024), "read": 1024, "far": 1024, "count": np.zeros(2, np.uint32), "out": 1024},
    {"matrices": (Matrix("A", "F16", 16, 16, "A"),), "waves": 2},
)

NARROW: Shown = (
    (
        Load("W", "w", 0, 128),
        Cast("H", "W"),
        Store("H", "out", 0, 64),
        Cast("P", "W"),
        Store("P", "out", 1024, 32),
        Load("H", "h", 0, 64),
        Cast("E", "H"),
        Load("L", "small", 0, 16),
        Multiply("C", "E", "L"),
        Store("C", "out", 1536, 64),
        Cast("P", "H"),
        Store("P", "out", 2560, 32),
    ),
    {
        "w": floats(512, dtype="f4", scale=1 << 20),
        "h": normals(512),
        "small": DRAWN.integers(0x30, 0x40, 512, np.uint8),
        "out": 3072,
    },
    {
        "matrices": (
            Matrix("W", "F32", 16, 32, "A"),
            Matrix("H", "F16", 16, 32, "A"),
            Matrix("P", "F8_E5M2", 16, 32, "A"),
            Matrix("E", "F8_E4M3FN", 16, 32, "A"),
            Matrix("L", "F8_E4M3FN", 32, 16, "B"),
            Matrix("C", "F32", 16, 16, "Accumulator"),
        )
    },
)

PROGRAMS: tuple[Shown, ...] = (ADDRESSES, ARRAYS, VALUES, PRODUCTS, VECTORS, ELEMENTS, NARROW)
