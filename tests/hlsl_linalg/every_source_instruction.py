"""Valid programs of the text of 2025-09-19 with all that it has alone or otherwise, over random data."""

from __future__ import annotations

from typing import Any

import numpy as np

from mmaspec.programs.base import Affine, FromBuffer, Literal
from mmaspec.programs.hlsl_linalg import (
    AccumulatorLayout,
    Barrier,
    Branch,
    ConvertLayout,
    FromThreadVectors,
    GetThreadVector,
    Instruction,
    InterlockedAccumulate,
    Load,
    Matrix,
    MultiplyVector,
    Operate,
    OuterProduct,
    SharedArray,
    Splat,
    Stage,
    Store,
    SumAccumulate,
    Unary,
    Unstage,
    Vector,
    VectorLoad,
    VectorStore,
)
from tests.hlsl_linalg.every_instruction import OPAQUE, Shown

DRAWN = np.random.default_rng(919)


def floats(*shape: int, dtype: str = "f2", scale: float = 8) -> Any:
    """Numbers with fractions."""
    return (DRAWN.integers(-64, 64, shape) / 64 * scale).astype(dtype)


MEMORY: Shown = (
    (
        Load("A", "in", 6, 34, align=2),
        Store("A", "out", Affine(wave=256), 32),
        Load("A", "short", 2, 32),
        Store("A", "out", Affine(512, wave=256), 32),
        Load("A", "in", 0, 16, "ColMajor"),
        Branch(0, (Store("A", "clipped", 0, 34),), waves=1),
        Splat("F", "float", Literal(0x3FC00000)),
        InterlockedAccumulate("F", "sums", Affine(0, wave=256), 32),
        Branch(0, (InterlockedAccumulate("F", "few", 4, 32),), waves=1),
    ),
    {
        "in": floats(512),
        "short": floats(127),
        "out": 1024,
        "clipped": 250,
        "sums": floats(128, dtype="f4"),
        "few": np.zeros(64, np.float32),
    },
    {
        "matrices": (Matrix("A", "F16", 8, 16, "A"), Matrix("F", "F32", 8, 8, "Accumulator")),
        "waves": 2,
    },
)

ARRAYS: Shown = (
    (
        Stage("g", "words", 0, 256),
        Stage("h", "halves", 0, 256),
        Barrier(),
        Load("A", "g", 9, 19),
        Load("I", "h", 3, 9, "ColMajor"),
        Load("H", "h", 5, 16, "ColMajor"),
        Store("A", "out", 0, 32),
        Store("I", "out", 256, 32),
        Store("H", "out", 512, 16, "ColMajor"),
        Barrier(),
        Store("A", "g", 7, 18),
        Store("I", "h", 1, 17),
        Splat("F", "float", Literal(0x40200000)),
        InterlockedAccumulate("F", "i", 3, 9),
        Barrier(),
        Unstage("g", "out", 768, 256),
        Unstage("h", "out", 1792, 256),
        Unstage("i", "out", 2304, 96),
    ),
    {
        "words": (DRAWN.integers(-40, 3000, 256) * 13 % 5000).astype(np.int32),
        "halves": floats(256, scale=200),
        "out": 2688,
    },
    {
        "matrices": (
            Matrix("A", "F16", 8, 16, "A"),
            Matrix("H", "F16", 8, 16, "A"),
            Matrix("I", "I16", 8, 16, "A"),
            Matrix("F", "F32", 8, 8, "Accumulator"),
        ),
        "arrays": (SharedArray("g", "int", 256), SharedArray("h", "half", 256), SharedArray("i", "int", 96)),
    },
)

_FUNCTIONS = ("nop", "negate", "abs", "sin", "cos", "tan")


def _functions() -> tuple[Instruction, ...]:
    """Each function of the same elements, one store after the other."""
    body: list[Instruction] = []
    for number, op in enumerate(_FUNCTIONS):
        body += [Load("A", "in", 0, 64), Unary("U", op, "A"), Store("U", "out", 4096 + 1024 * number, 64)]
    return tuple(body)


ELEMENTS: Shown = (
    (
        Load("A", "in", 0, 64),
        Operate("A", "add", "float", Literal(0x3F800000)),
        Store("A", "out", 0, 64),
        Operate("A", "sub", "float", FromBuffer("by", 4)),
        Store("A", "out", 1024, 64),
        Operate("A", "mul", "float", Literal(0x40400000)),
        Store("A", "out", 2048, 64),
        Operate("A", "div", "float", Literal(0x40000000)),
        Store("A", "out", 3072, 64),
        *_functions(),
        Load("B", "in", 1024, 64),
        Load("A", "in", 0, 64),
        Splat("C", "float", Literal(0x3F400000)),
        SumAccumulate("C", "A", "B"),
        Store("C", "out", 10240, 64),
    ),
    {
        "in": np.concatenate(
            (floats(252, dtype="f4"), np.array([np.inf, -np.inf, np.nan, 0], "f4"), floats(256, dtype="f4"))
        ),
        "by": floats(2, dtype="f4"),
        "out": 11264,
    },
    {
        "matrices": (
            Matrix("A", "F32", 16, 16, "A"),
            Matrix("U", "F32", 16, 16, "A"),
            Matrix("B", "F32", 16, 16, "B"),
            Matrix("C", "F32", 16, 16, "Accumulator"),
        )
    },
)

LINES: Shown = (
    (
        VectorLoad("v", "in", Affine(lane=16, wave=512)),
        FromThreadVectors("A", "v"),
        Store("A", "out", Affine(wave=256), 32),
        GetThreadVector("v", "A"),
        VectorStore("v", "out", Affine(512, lane=16, wave=512)),
        Load("B", "in", Affine(wave=64), 16),
        GetThreadVector("v", "B", 1),
        VectorStore("v", "out", Affine(1536, lane=16, wave=512)),
        Load("A", "in", Affine(wave=32), 32),
        GetThreadVector("v", "A"),
        VectorStore("v", "out", Affine(2560, lane=16, wave=512)),
    ),
    {"in": floats(1024), "out": 3584},
    {
        "matrices": (Matrix("A", "F16", 8, 16, "A"), Matrix("B", "F16", 64, 8, "B")),
        "vectors": (Vector("v", "F16", 8),),
        "waves": 2,
    },
)

VECTORS: Shown = (
    (
        ConvertLayout("F16", 8, 16, "rows", 0, "RowMajor", OPAQUE, 0, "OuterProductOptimal", 32),
        Load("W", "rows", Affine(lane=2), 34),
        Load("V", "rows", Affine(wave=64), 32),
        Load("P", "bytes", 0, 16),
        VectorLoad("x", "x", Affine(lane=16, wave=512)),
        VectorLoad("b", "b", Affine(lane=4)),
        MultiplyVector("y", "W", "x"),
        VectorStore("y", "out", Affine(lane=64, wave=2048)),
        MultiplyVector("y", "V", "x", "b"),
        VectorStore("y", "out", Affine(4096, lane=64, wave=2048)),
        VectorLoad("i", "whole", Affine(lane=8, wave=256)),
        MultiplyVector("j", "P", "i"),
        VectorStore("j", "out", Affine(8192, lane=64, wave=2048)),
        VectorLoad("c", "x", 0),
        VectorLoad("r", "x", 16),
        OuterProduct("O", "c", "r"),
        Store("O", "out", Affine(12288, wave=256), 32),
        AccumulatorLayout("out", 12800),
    ),
    {
        "rows": floats(512),
        OPAQUE: 512,
        "bytes": DRAWN.integers(0, 256, 256, np.uint8),
        "x": floats(1024, scale=2),
        "b": floats(64, dtype="f4"),
        "whole": DRAWN.integers(-100, 100, 512, np.int32),
        "out": 12864,
    },
    {
        "matrices": (
            Matrix("W", "F16", 8, 16, "B", "Thread"),
            Matrix("V", "F16", 8, 16, "B"),
            Matrix("P", "PackedS8x32", 16, 16, "B", "ThreadGroup"),
            Matrix("O", "F16", 8, 16, "Accumulator"),
        ),
        "vectors": (
            Vector("x", "F16", 8),
            Vector("y", "F32", 16),
            Vector("b", "F32", 16),
            Vector("i", "I32", 16),
            Vector("j", "I32", 16),
            Vector("c", "F16", 8),
            Vector("r", "F16", 16),
        ),
        "read_only": ("rows", "bytes"),
        "waves": 2,
    },
)

PROGRAMS: tuple[Shown, ...] = (MEMORY, ARRAYS, ELEMENTS, LINES, VECTORS)
