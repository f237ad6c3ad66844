"""ONNX Runtime as arithmetic. Its u8 x s8 products depend on the processor: both outcomes are known."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

from mmaspec.backends.arithmetic_only import DTYPES, ArithmeticOnly, Shape, Types
from mmaspec.backends.resolve import resolve
from mmaspec.oracle.spec import SPECS, spec_named
from mmaspec.programs.amd_rdna3_wmma.program import WmmaProgram
from mmaspec.programs.intel_subgroup_mma.program import MadProgram
from mmaspec.programs.register_kernels import products
from tests.external.judged import judged, recipes

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


@pytest.mark.parametrize("spec", SPECS)
def test_the_verdict_is_that_of_the_processor(spec: str) -> None:
    """All is right, or nothing but products and sums is wrong; which of their clauses are blamed hangs on the cases."""
    run = checked(resolve("onnxruntime"), spec)
    failing = {group.clause for group in run.findings}
    catalogue = spec_named(spec).catalogue.clause
    assert {catalogue[clause].carried_by for clause in failing} <= {"arithmetic"}
    assert (run.verdict == "not conformant") == bool(failing) == (run.totals.legal < run.totals.cases)
    assert saturates() or not failing


Mixes = set[tuple[bool, bool]]


def mixes_of_rdna3(program: WmmaProgram) -> Mixes:
    """Whether A and B are signed, of every product of bytes."""
    return {(bool(step.a_sign), bool(step.b_sign)) for _, step, _ in products(program) if "iu8" in step.builtin}


def mixes_of_intel(program: MadProgram) -> Mixes:
    """The same."""
    names = [step.function.split("_")[:2] for _, step, _ in products(program)]
    return {(a == "i8", b == "i8") for a, b in names if a.endswith("8")}


@pytest.mark.parametrize(
    ("spec", "mixes"), [("amd-rdna3-wmma", mixes_of_rdna3), ("intel-subgroup-mma", mixes_of_intel)]
)
def test_integers_of_every_mix_of_signs_are_right(spec: str, mixes: Callable[[Any], Mixes]) -> None:
    """But unsigned with signed bytes on a processor that adds pairs of them in 16 bits."""
    backend = resolve("onnxruntime")
    chosen = {recipe: found for recipe in recipes(backend, spec, 2) if (found := mixes(recipe.program))}
    results = judged(backend, list(chosen))
    wrong = [found for found, result in zip(chosen.values(), results, strict=True) if result.outcome != "legal"]
    assert all((False, True) in found for found in wrong)
    assert bool(wrong) == saturates()
    legal = [found for found, result in zip(chosen.values(), results, strict=True) if result.outcome == "legal"]
    signs = {(True, True), (True, False), (False, False)} | (set() if saturates() else {(False, True)})
    assert signs <= {mix for found in legal for mix in found}, "where a case is legal, each mix in it is right"
