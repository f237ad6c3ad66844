"""ONNX Runtime as arithmetic. Its u8 x s8 products depend on the processor: both outcomes are known."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from mmaspec.backends.arithmetic_only import DTYPES, ArithmeticOnly, Shape, Types
from mmaspec.backends.resolve import resolve

from .checking import checked, exact, operands

pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")

BYTES = tuple(product(("u8", "s8"), repeat=2))


def arithmetic() -> ArithmeticOnly:
    backend = resolve("onnxruntime")
    assert isinstance(backend, ArithmeticOnly)
    return backend


def saturates() -> bool:
    """Whether this processor adds pairs of u8 x s8 products in 16 bits (onnxruntime#6004): 2 * 255 * 127."""
    a, b = np.full((1, 16, 32), 255, np.uint8), np.full((1, 32, 16), 127, np.int8)
    found = arithmetic().mma(Shape(16, 16, 32), Types("u8", "s8", "s32"), a, b, np.zeros((1, 16, 16), np.int32))
    assert set(np.unique(found)) <= {32 * 255 * 127, 16 * 32767}
    return bool(found[0, 0, 0] != 32 * 255 * 127)


@pytest.mark.parametrize("pair", BYTES, ids="-".join)
def test_bytes_are_exact_but_for_saturated_pairs(pair: tuple[str, str]) -> None:
    types = Types(*pair, "s32")
    shape, a, b, c = operands(types)
    right = bool((arithmetic().mma(shape, types, a, b, c) == exact(a, b, c)).all())
    assert right != (pair == ("u8", "s8") and saturates())


def test_small_bytes_are_exact_everywhere() -> None:
    types = Types("u8", "s8", "s32")
    shape, a, b, c = operands(types)
    a //= 2
    assert (arithmetic().mma(shape, types, a, b, c) == exact(a, b, c)).all()


def test_halves_are_summed_in_floats() -> None:
    for accumulator in ("f16", "f32"):
        types = Types("f16", "f16", accumulator)
        a, b = np.full((1, 2, 3), 1.5, np.float16), np.full((1, 3, 2), 2.25, np.float16)
        c = np.full((1, 2, 2), 0.5, DTYPES[accumulator])
        assert (arithmetic().mma(Shape(2, 2, 3), types, a, b, c) == 3 * 1.5 * 2.25 + 0.5).all()


@pytest.mark.parametrize(
    ("spec", "clause"),
    [("amd-rdna3-wmma", "RDNA3-IU-SIGN"), ("hlsl-wave-matrix", "WM-MUL-MIXSIGN"), ("nv-coopmat2", None)],
)
def test_the_verdict_is_that_of_the_processor(spec: str, clause: str | None) -> None:
    run = checked(resolve("onnxruntime"), spec)
    failing = {group.clause for group in run.findings}
    assert failing == ({clause} if clause and saturates() else set())
    assert (run.verdict == "not conformant") == bool(failing)
