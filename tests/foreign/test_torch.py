"""PyTorch as arithmetic, on whatever device it finds."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from mmaspec.backends.arithmetic_only import DTYPES, ArithmeticOnly, Shape, Types
from mmaspec.backends.resolve import resolve
from mmaspec.oracle.spec import SPECS

from .checking import checked, exact, operands

pytest.importorskip("torch")

BYTES = tuple(product(("u8", "s8"), repeat=2))


def arithmetic() -> ArithmeticOnly:
    backend = resolve("torch")
    assert isinstance(backend, ArithmeticOnly)
    return backend


@pytest.mark.parametrize("pair", BYTES, ids="-".join)
def test_bytes_are_exact_in_every_mix_of_signs(pair: tuple[str, str]) -> None:
    types = Types(*pair, "s32")
    shape, a, b, c = operands(types)
    assert (arithmetic().mma(shape, types, a, b, c) == exact(a, b, c)).all()


@pytest.mark.parametrize("shape", [(1, 1, 1), (17, 9, 5), (48, 40, 72), (64, 64, 32)])
def test_sizes_that_int_mm_does_not_take_are_padded(shape: tuple[int, int, int]) -> None:
    m, n, k = shape
    a, b = np.full((2, m, k), 200, np.uint8), np.full((2, k, n), 100, np.uint8)
    found = arithmetic().mma(Shape(*shape), Types("u8", "u8", "s32"), a, b, np.ones((2, m, n), np.int32))
    assert found.shape == (2, m, n)
    assert (found == k * 200 * 100 + 1).all()


@pytest.mark.parametrize("types", [("f16", "f16", "f16"), ("f16", "f16", "f32"), ("bf16", "bf16", "f32")], ids="-".join)
def test_floats_are_summed(types: tuple[str, str, str]) -> None:
    a, b, c = (DTYPES[fmt] for fmt in types)
    found = arithmetic().mma(
        Shape(2, 2, 3),
        Types(*types),
        np.full((1, 2, 3), 1.5, a),
        np.full((1, 3, 2), 2.25, b),
        np.full((1, 2, 2), 0.5, c),
    )
    assert found.dtype == c
    assert (found == 3 * 1.5 * 2.25 + 0.5).all()


@pytest.mark.parametrize("spec", SPECS)
def test_it_is_legal(spec: str) -> None:
    run = checked(resolve("torch"), spec)
    assert run.totals.legal == run.totals.cases > 5
    assert " borrowed; " in run.headline
