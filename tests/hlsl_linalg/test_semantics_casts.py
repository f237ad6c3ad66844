"""Accumulate, Cast and Convert, with results worked out by hand."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from mmaspec.programs.base import Buffer, Literal
from mmaspec.programs.hlsl_linalg import (
    Accumulate,
    Cast,
    Convert,
    LinalgProgram,
    Load,
    Matrix,
    Splat,
    Store,
    Vector,
    VectorLoad,
    VectorStore,
)

from .by_hand import HALF, SINGLE, image, in_rows, is_right, left, points

KINDS = {
    "I8": np.int8, "U8": np.uint8, "I16": np.int16, "I32": np.int32, "I64": np.int64, "F16": HALF, "F32": SINGLE,
    "F64": np.float64, "BFloat16": ml_dtypes.bfloat16, "F8_E4M3FN": ml_dtypes.float8_e4m3fn,
    "F8_E5M2": ml_dtypes.float8_e5m2,
}  # fmt: skip


# Accumulate


@pytest.mark.parametrize(
    ("operand", "use", "total"), [("F16", "A", "F32"), ("F16", "B", "F16"), ("I8", "B", "I32"), ("I32", "A", "I64")]
)
def test_accumulate_adds_element_by_element(operand, use, total):
    program = LinalgProgram(
        buffers=(Buffer("a", 512, 0), Buffer("d", 512, 0)),
        matrices=(Matrix("A", operand, 4, 4, use), Matrix("C", total, 4, 4, "Accumulator")),
        body=(
            Load("A", "a", 0, 64), Splat("C", "int", Literal(5)), Accumulate("C", "A"), Accumulate("C", "A"),
            Store("C", "d", 0, 64),
        ),
    )  # fmt: skip
    values = np.arange(16).reshape(4, 4) - 6
    held = {"a": image(512, *in_rows(values.astype(KINDS[operand]), 0, 64))}
    answer = (5 + 2 * values).astype(KINDS[total])
    assert is_right(program, held, left(program, held, "d", *in_rows(answer, 0, 64)))
    assert not is_right(program, held, left(program, held, "d", *in_rows(answer.T, 0, 64)))
    once = (5 + values).astype(KINDS[total])
    assert not is_right(program, held, left(program, held, "d", *in_rows(once, 0, 64)))
    assert f"LINALG-ACCUMULATE/{use}-{total}" in points(program, held)


# Cast and Convert


def test_a_transposing_cast_exchanges_rows_and_columns_and_leaves_its_source():
    """LINALG-CAST-TRANSPOSE and LINALG-CAST-COPY."""
    program = LinalgProgram(
        buffers=(Buffer("a", 512, 0), Buffer("d", 1024, 0)),
        matrices=(Matrix("A", "F16", 3, 4, "A"), Matrix("B", "I32", 4, 3, "B")),
        body=(Load("A", "a", 0, 64), Cast("B", "A", True), Store("B", "d", 0, 64), Store("A", "d", 512, 64)),
    )
    values = np.arange(12).reshape(3, 4)
    held = {"a": image(512, *in_rows(values.astype(HALF), 0, 64))}
    kept = in_rows(values.astype(HALF), 512, 64)
    assert is_right(program, held, left(program, held, "d", *in_rows(values.T.astype(np.int32), 0, 64), *kept))
    plain = in_rows(values.reshape(4, 3).astype(np.int32), 0, 64)
    assert not is_right(program, held, left(program, held, "d", *plain, *kept))
    assert "LINALG-CAST-TRANSPOSE/A-B" in points(program, held)


def test_convert_unpacks_and_packs():
    program = LinalgProgram(
        buffers=(Buffer("b", 64, 0), Buffer("d", 64, 0)),
        vectors=(Vector("s", "I8", 8), Vector("f", "F16", 8), Vector("u", "U8", 8)),
        body=(
            VectorLoad("s", "b", 0), Convert("f", "s"), VectorStore("f", "d", 0), Convert("u", "f"),
            VectorStore("u", "d", 16),
        ),
        wave_size=1,
    )  # fmt: skip
    values = np.array([1, -2, 3, 127, -128, 0, 7, 9], np.int8)
    held = {"b": image(64, (0, values.tobytes()))}
    unsigned = np.maximum(values, 0).astype(np.uint8)
    lowest = {"LINALG-AMB-12": "lowest-first"}
    right = left(program, held, "d", (0, values.astype(HALF).tobytes()), (16, unsigned.tobytes()))
    assert is_right(program, held, right, lowest)
    assert not is_right(
        program, held, left(program, held, "d", (0, values.astype(HALF).tobytes()), (16, values.tobytes())), lowest
    )
    # packed again in the order in which they were unpacked: bytes of a word turned twice are where they were
    turned = values.reshape(2, 4)[:, ::-1].reshape(8)
    other = left(program, held, "d", (0, turned.astype(HALF).tobytes()), (16, unsigned.tobytes()))
    assert is_right(program, held, other, {"LINALG-AMB-12": "highest-first"})
