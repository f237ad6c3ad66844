"""What the execution tests of DXC hold drivers of shader model 6.10 to, as programs and answers of ours.

Those tests are public (DirectXShaderCompiler, commit 9a3e225d, the suite of linear algebra among its execution tests).
Taken from them is what is asked, which answers pass and the extents that make it sharp; numbers and programs are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmaspec.programs.base import Literal
from mmaspec.programs.hlsl_linalg import (
    Accumulate,
    AccumulatorLayout,
    Barrier,
    Beyond,
    Cast,
    Convert,
    CountElements,
    Instruction,
    InterlockedAccumulate,
    Load,
    Matrix,
    Multiply,
    MultiplyAccumulate,
    MultiplyVector,
    SharedArray,
    Splat,
    Stage,
    Store,
    Unstage,
    Vector,
    VectorAccumulate,
    VectorLoad,
    VectorStore,
)
from tests.hlsl_linalg.by_hand import in_rows

Array = NDArray[Any]
Parts = list[tuple[int, bytes]]
OUT = "out"
"""The buffer that is read back; what an answer does not name stays as it was."""


@dataclass(frozen=True)
class Rule:
    """A rule: a program over these buffers, the answers that pass, and answers that must not."""

    asked: str
    """The tests of DXC that ask for it, by what is common to their names."""
    body: tuple[Instruction, ...]
    given: Mapping[str, Any]
    right: tuple[Parts, ...]
    wrong: tuple[Parts, ...]
    fields: Mapping[str, Any] = field(default_factory=dict)


F16, F32, I32 = np.float16, np.float32, np.int32


def pattern(m: int, n: int, by: tuple[int, int], modulo: int, less: int, dtype: Any = F16) -> Array:
    """Small whole numbers that repeat neither along rows nor along columns."""
    return ((np.arange(m)[:, None] * by[0] + np.arange(n) * by[1]) % modulo - less).astype(dtype)


def distinct(m: int, n: int, dtype: Any = F16) -> Array:
    """1, 2, 3 and so on."""
    return (np.arange(m * n).reshape(m, n) + 1).astype(dtype)


def view(size: int, *parts: tuple[int, bytes]) -> Array:
    """The bytes of a view, cut where it ends; what the parts leave out is 0xEE."""
    found = bytearray(b"\xee" * size)
    for offset, part in parts:
        kept = part[: max(size - offset, 0)]
        found[offset : offset + len(kept)] = kept
    return np.frombuffer(bytes(found), np.uint8)


def inside(parts: Parts, size: int, element: int) -> Parts:
    """What of them lies in a view of so many bytes, by whole elements."""
    return [(offset, part[: max(size - offset, 0) // element * element]) for offset, part in parts if offset < size]


def zero_outside(values: Array, offset: int, stride: int, size: int) -> Array:
    """The matrix with zeros for the elements that do not lie in a view of so many bytes."""
    m, n = values.shape
    ends = offset + np.arange(m)[:, None] * stride + (np.arange(n) + 1) * values.itemsize
    return np.where(ends <= size, values, 0).astype(values.dtype)


def _bounds() -> Iterator[tuple[str, Rule]]:
    for m, n, offset, size in ((16, 16, 0, 264), (4, 8, 128, 172)):
        values = distinct(m, n)
        rows = in_rows(values, offset, 32)
        matrix = {"matrices": (Matrix("M", "F16", m, n, "A"),)}
        whole = offset + m * 32
        kept = zero_outside(values, offset, 32, size)
        only_rows = np.where((kept == values).all(axis=1, keepdims=True), values, 0).astype(F16)
        answers = [in_rows(one, offset, 32) for one in (kept, np.zeros_like(values), values, only_rows)]
        yield (
            f"load, {m} x {n} in {size} bytes",
            Rule(
                "LoadDescriptorOOB",
                (Load("M", "in", offset, 32), Store("M", OUT, offset, 32)),
                {"in": view(size, *rows), OUT: whole},
                (answers[0], answers[1]),
                (answers[2], answers[3], []),
                matrix,
            ),
        )
        part = inside(rows, size, 2)
        yield (
            f"store, {m} x {n} in {size} bytes",
            Rule(
                "StoreDescriptorOOB",
                (Load("M", "in", offset, 32), Store("M", OUT, offset, 32)),
                {"in": view(whole, *rows), OUT: size},
                (part, []),
                (part[:-1], part[1:], [*part[:-1], (part[-1][0], part[-1][1][:-2])]),
                matrix,
            ),
        )


def _moves() -> Iterator[tuple[str, Rule]]:
    values = distinct(4, 8, F32)
    padded, turned = in_rows(values, 128, 48), in_rows(values.T.copy(), 128, 32)
    yield (
        "layouts, offsets and padding",
        Rule(
            "LoadStoreDescriptor",
            (Load("M", "in", 128, 48), Store("M", OUT, 128, 32, "ColMajor")),
            {"in": view(320, *padded), OUT: 384},
            (turned,),
            (padded, [*turned, (128 + 16, b"\0")], [*turned, (0, b"\0")]),
            {"matrices": (Matrix("M", "F32", 4, 8, "A"),)},
        ),
    )
    halves = distinct(4, 8)
    there = in_rows(halves, 128, 32)
    for scope in ("Wave", "ThreadGroup"):
        yield (
            f"through an array, {scope}",
            Rule(
                "LoadMemory and StoreMemory",
                (
                    Stage("g", "in", 0, 128),
                    Barrier(),
                    Load("M", "g", 64, 16),
                    Barrier(),
                    Store("M", "g", 0, 8),
                    Barrier(),
                    Unstage("g", OUT, 0, 128),
                ),
                {"in": view(256, *there), OUT: 256},
                ([(0, view(256, *there).tobytes()), *in_rows(halves, 0, 16)],),
                ([(0, view(256, *there).tobytes())], [(0, bytes(256)), *in_rows(halves, 0, 16)]),
                {"matrices": (Matrix("M", "F16", 4, 8, "A", scope),), "arrays": (SharedArray("g", "half", 128),)},
            ),
        )
    yield (
        "splat",
        Rule(
            "SplatStore",
            (Splat("M", "half", Literal(0x5140)), Store("M", OUT, 0, 32)),
            {OUT: 512},
            (in_rows(np.full((16, 16), 42, F16), 0, 32),),
            (in_rows(np.full((16, 16), 43, F16), 0, 32), [(0, np.full(8, 42, F16).tobytes())]),
            {"matrices": (Matrix("M", "F16", 16, 16, "Accumulator"),)},
        ),
    )


def _elements() -> Iterator[tuple[str, Rule]]:
    for component, kind, m, n in (("F32", F32, 4, 8), ("F16", F16, 16, 16)):
        values = distinct(m, n, kind)
        size = values.itemsize
        stored = in_rows(values, 512, n * size)
        for past in (0, 64):
            far = [(16 * thread, b"\xff" * 8 + bytes(size)) for thread in range(32)]
            poisoned = [(16 * thread + 8, kind(999).tobytes()) for thread in range(32)]
            changed = in_rows(np.where(values == 3, kind(999), values), 512, n * size)
            yield (
                f"index {past} beyond, {component}",
                Rule(
                    "ElementGetOOB and ElementSetOOB",
                    (
                        Load("M", "in", 0, n * size),
                        Beyond("M", OUT, 0, past, int(kind(999).view(f"u{size}"))),
                        Store("M", OUT, 512, n * size),
                    ),
                    {"in": values, OUT: 512 + values.nbytes},
                    ([*far, *stored],),
                    ([*far, *poisoned, *stored], [*far, *changed], [*far, *stored, poisoned[31]]),
                    {"matrices": (Matrix("M", component, m, n, "A"),)},
                ),
            )
    yield (
        "lengths",
        Rule(
            "ElementAccess",
            (Splat("M", "int", Literal(0)), CountElements("M", OUT, 0)),
            {OUT: np.array([0, 5], np.uint32)},
            ([(0, np.uint32(256).tobytes())], [(0, np.uint32(512).tobytes())]),
            ([(0, np.uint32(255).tobytes())], [(0, np.uint32(256).tobytes() + bytes(4))]),
            {"matrices": (Matrix("M", "F16", 16, 16, "A"),)},
        ),
    )
    layout = {"matrices": (), "waves": 1}
    words = [[(0, np.uint32(code).tobytes())] for code in range(3)]
    yield (
        "accumulator layout",
        Rule("QueryAccumLayout", (AccumulatorLayout(OUT, 0),), {OUT: 16}, (words[0],), (words[2], []), layout),
    )


def _sums() -> Iterator[tuple[str, Rule]]:
    before, added = distinct(16, 16), pattern(16, 16, (3, 5), 11, 4)
    rows = in_rows((before + added).astype(F16), 0, 32)
    lost = in_rows(added, 0, 32)
    matrices = {"matrices": (Matrix("M", "F16", 16, 16, "Accumulator"),)}
    yield (
        "sum in a buffer",
        Rule(
            "AccumulateDescriptor",
            (Load("M", "in", 0, 32), InterlockedAccumulate("M", OUT, 0, 32)),
            {"in": added, OUT: before},
            (rows,),
            (lost, [], rows[:-1]),
            matrices,
        ),
    )
    yield (
        "sum in an array",
        Rule(
            "AccumulateMemory",
            (
                Load("M", "in", 0, 32),
                Stage("g", "start", 0, 256),
                Barrier(),
                InterlockedAccumulate("M", "g", 0, 16),
                Barrier(),
                Unstage("g", OUT, 0, 256),
            ),
            {"in": added, "start": before, OUT: 512},
            (rows,),
            (lost, in_rows(before, 0, 32)),
            {**matrices, "arrays": (SharedArray("g", "half", 256),)},
        ),
    )
    wide, b = pattern(8, 32, (2, 1), 5, 2), pattern(8, 32, (1, 3), 7, 3)
    yield (
        "a B added to an accumulator",
        Rule(
            "MatAccum_Wave_8x32_F16_BUse",
            (Load("C", "c", 0, 64), Load("B", "b", 0, 64), Accumulate("C", "B"), Store("C", OUT, 0, 64)),
            {"c": wide, "b": b, OUT: 512},
            (in_rows((wide + b).astype(F16), 0, 64),),
            (in_rows(b, 0, 64), in_rows(wide, 0, 64)),
            {"matrices": (Matrix("C", "F16", 8, 32, "Accumulator"), Matrix("B", "F16", 8, 32, "B"))},
        ),
    )
    for component, kind in (("F16", F16), ("F32", F32)):
        start, vector = distinct(1, 8, kind), pattern(1, 8, (0, 3), 7, 2, kind)
        yield (
            f"a vector's sum, {component}",
            Rule(
                "VectorAccumulateDescriptor",
                (VectorLoad("v", "in", 0), VectorAccumulate("v", OUT, 0)),
                {"in": vector, OUT: start},
                (in_rows((start + vector).astype(kind), 0, 0),),
                (in_rows(vector, 0, 0), []),
                {"vectors": (Vector("v", component, 8),), "wave_size": 1},
            ),
        )


def _products() -> Iterator[tuple[str, Rule]]:
    for scope, a_type, c_type, (m, k, n) in (
        ("Wave", "F16", "F16", (8, 32, 16)),
        ("Wave", "F16", "F32", (8, 32, 16)),
        ("Wave", "I32", "I32", (16, 16, 16)),
        ("ThreadGroup", "F16", "F16", (8, 16, 8)),
        ("ThreadGroup", "F16", "F32", (8, 16, 8)),
        ("ThreadGroup", "I32", "I32", (8, 8, 8)),
    ):
        kind, result = ({"F16": F16, "F32": F32, "I32": I32}[one] for one in (a_type, c_type))
        a, b = pattern(m, k, (2, 3), 5, 2, kind), pattern(k, n, (3, 1), 7, 3, kind)
        c = pattern(m, n, (1, 2), 5, 2, result)
        product = a.astype(int) @ b.astype(int)
        size = c.itemsize
        matrices = (
            Matrix("A", a_type, m, k, "A", scope),
            Matrix("B", a_type, k, n, "B", scope),
            Matrix("C", c_type, m, n, "Accumulator", scope),
        )
        loads = (Load("A", "a", 0, k * a.itemsize), Load("B", "b", 0, n * b.itemsize))
        stored = Store("C", OUT, 0, n * size)
        exact, summed = (in_rows(one.astype(result), 0, n * size) for one in (product, product + c))
        row = in_rows((product - a[:, -1:].astype(int) * b[-1:].astype(int)).astype(result), 0, n * size)
        yield (
            f"product, {scope}, {a_type} into {c_type}",
            Rule(
                "MatMatMul",
                (*loads, Multiply("C", "A", "B"), stored),
                {"a": a, "b": b, OUT: product.size * size},
                (exact,),
                (row, exact[:-1], summed),
                {"matrices": matrices},
            ),
        )
        yield (
            f"product and sum, {scope}, {a_type} into {c_type}",
            Rule(
                "MatMatMulAccum",
                (*loads, Load("C", "c", 0, n * size), MultiplyAccumulate("C", "A", "B"), stored),
                {"a": a, "b": b, "c": c, OUT: product.size * size},
                (summed,),
                (exact, in_rows(c, 0, n * size)),
                {"matrices": matrices},
            ),
        )


def _vectors() -> Iterator[tuple[str, Rule]]:
    half = pattern(4, 8, (3, 2), 7, 3)
    column = np.array([2, -1, 3, 1, -2, 1, -3, 2], F16)
    bias = np.array([4, -6, 5, -7], F16)
    for layout in ("RowMajor", "ColMajor"):
        for added in (False, True):
            right = (half.astype(int) @ column.astype(int) + added * bias.astype(int)).astype(F16)
            other = (half.astype(int) @ column.astype(int) + (not added) * bias.astype(int)).astype(F16)
            given = view(256, *in_rows(half if layout == "RowMajor" else half.T.copy(), 0, 16))
            yield (
                f"matrix by vector, F16, {layout}{', bias' * added}",
                Rule(
                    "MatVecMulAdd" if added else "MatVecMul",
                    (
                        Load("M", "m", 0, 16, layout),
                        VectorLoad("x", "x", 0),
                        VectorLoad("z", "z", 0),
                        MultiplyVector("y", "M", "x", "z" if added else None),
                        VectorStore("y", OUT, 0),
                    ),
                    {"m": given, "x": column, "z": bias, OUT: 8},
                    ([(0, right.tobytes())],),
                    ([(0, other.tobytes())], [(0, right[::-1].tobytes())]),
                    {
                        "matrices": (Matrix("M", "F16", 4, 8, "A", "Thread"),),
                        "vectors": (Vector("x", "F16", 8), Vector("y", "F16", 4), Vector("z", "F16", 4)),
                        "read_only": ("m",),
                        "wave_size": 1,
                    },
                ),
            )
    for component, kind, result, matrix, vector in (
        ("I8", np.int8, "I32", pattern(4, 8, (5, 3), 17, 9), [-1, 2, -3, 4, -4, 3, -2, 1]),
        ("U8", np.uint8, "I32", 255 - pattern(4, 8, (5, 3), 17, 0), [1, 254, 3, 252, 5, 250, 7, 248]),
        (
            "U32",
            np.uint32,
            "U32",
            np.array([[2**31, *[0] * 7], [9, 8, 7, 6, 5, 4, 3, 2], [0, 50] * 4, [70, 0] * 4]),
            [1] * 8,
        ),
    ):
        held, factor = np.array(matrix).astype(int), np.array(vector)
        right, stride = held @ factor, 16 if component != "U32" else 32
        kept = {"I32": I32, "U32": np.uint32}[result]
        flipped = np.where(held > 127, held - 256, held) if component == "U8" else held % 256
        yield (
            f"matrix by vector, {component}",
            Rule(
                f"MatVecMul_Thread_4x8_{component}",
                (
                    Load("M", "m", 0, stride),
                    VectorLoad("x", "x", 0),
                    MultiplyVector("y", "M", "x"),
                    VectorStore("y", OUT, 0),
                ),
                {"m": view(256, *in_rows(held.astype(kind), 0, stride)), "x": factor.astype(kind), OUT: 16},
                ([(0, right.astype(kept).tobytes())],),
                ([(0, (flipped @ factor).astype(kept).tobytes())], [(0, (right + 1).astype(kept).tobytes())]),
                {
                    "matrices": (Matrix("M", component, 4, 8, "A", "Thread"),),
                    "vectors": (Vector("x", component, 8), Vector("y", result, 4)),
                    "read_only": ("m",),
                    "wave_size": 1,
                },
            ),
        )


def _converted(source: str, target: str, values: Array, right: Array, *wrong: Array) -> Rule:
    return Rule(
        f"Convert_{source}_To{target}",
        (VectorLoad("s", "in", 0), Convert("t", "s"), VectorStore("t", OUT, 0)),
        {"in": values, OUT: right.nbytes},
        ([(0, right.tobytes())],),
        tuple([(0, one.astype(right.dtype).tobytes())] for one in wrong),
        {"vectors": (Vector("s", source, 8), Vector("t", target, 8)), "wave_size": 1},
    )


def _conversions() -> Iterator[tuple[str, Rule]]:
    words = np.array([-32768, -20001, -257, -2, 0, 2, 20001, 32767], np.int16)
    yield "integers widened", _converted("I16", "I32", words, words.astype(I32), words.view(np.uint16))
    floats = np.array([-5e4, -32769.5, -4.5, -3.5, 3.5, 4.5, 32767.5, 5e4], F32)
    even = np.array([-32768, -32768, -4, -4, 4, 4, 32767, 32767], np.int16)
    away = np.array([-32768, -32768, -5, -4, 4, 5, 32767, 32767], np.int16)
    yield (
        "floats to the nearest integer, ties to even, kept in range",
        _converted(
            "F32", "I16", floats, even, away, np.trunc(even + 0.0) - [0, 0, -1, -1, 0, 0, 0, 0], floats.astype(I32)
        ),
    )
    # 1.140625 lies above, 1.203125 below the middle of two numbers of E4M3; packed first to last from the lowest byte.
    given = np.array([0, 2, -2, 1.140625, -1.203125, 2.1875, 5.75, -13.75], F16)
    for target, codes in (
        ("F8_E4M3FN", [0x00, 0x40, 0xC0, 0x39, 0xBA, 0x41, 0x4C, 0xD6]),
        ("F8_E5M2", [0x00, 0x40, 0xC0, 0x3D, 0xBD, 0x40, 0x46, 0xCB]),
    ):
        right = np.array(codes, np.uint8)
        swapped = right.reshape(2, 4)[:, ::-1].ravel()
        yield f"halves to {target}, packed", _converted("F16", target, given, right, swapped, right + 2)
    for source, codes, values in (
        ("F8_E4M3FN", [0x3A, 0xBB, 0x44, 0xCA, 0x51, 0xD7, 0x28, 0xA3], [1.25, -1.375, 3, -5, 9, -15, 0.25, -0.171875]),
        ("F8_E5M2", [0x3D, 0xBE, 0x44, 0xC9, 0x4A, 0xCF, 0x31, 0xB6], [1.25, -1.5, 4, -10, 12, -28, 0.15625, -0.375]),
    ):
        decoded = np.array(values, F16)
        yield (
            f"{source} to halves",
            _converted(
                source, "F16", np.array(codes, np.uint8), decoded, -decoded, decoded.reshape(2, 4)[:, ::-1].ravel()
            ),
        )
    for source, target, kind, result, turned in (("F16", "F32", F16, F32, False), ("F32", "F16", F32, F16, True)):
        values = distinct(4, 8, kind)
        kept = (values.T if turned else values).astype(result)
        m, n = kept.shape
        flat = in_rows(values.reshape(m, n).astype(result), 0, 32)
        yield (
            f"cast {source} to {target}{', transposed' * turned}",
            Rule(
                "CopyConvert",
                (Load("M", "in", 0, 8 * values.itemsize), Cast("T", "M", turned), Store("T", OUT, 0, 32)),
                {"in": values, OUT: m * 32},
                (in_rows(kept, 0, 32),),
                (flat if turned else in_rows(kept[::-1].copy(), 0, 32), []),
                {"matrices": (Matrix("M", source, 4, 8, "A"), Matrix("T", target, m, n, "A"))},
            ),
        )


_PARTS: tuple[Callable[[], Iterator[tuple[str, Rule]]], ...] = (
    _bounds, _moves, _elements, _sums, _products, _vectors, _conversions,
)  # fmt: skip
RULES: Mapping[str, Rule] = {name: rule for part in _PARTS for name, rule in part()}
