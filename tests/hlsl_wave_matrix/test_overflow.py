"""What is left beyond int32 (WM-INT-OVERFLOW, WM-AMB-07): one reading has to explain sums, additions and scalars."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.hlsl_wave_matrix.device import WaveMatrixDevice
from mmaspec.backends.numpy.hlsl_wave_matrix.execution import Addition
from mmaspec.backends.numpy.units.integers import multiply_add_integers
from mmaspec.backends.numpy.units.sequential import SequentialUnit
from mmaspec.backends.numpy.units.unit import ArithmeticUnit, Bits
from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import expect
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.hlsl_wave_matrix import SPEC
from mmaspec.oracle.judge import ByReading, expect_by_reading
from mmaspec.programs.base import Buffer, Literal
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.caps import DEFAULT_CAPS
from mmaspec.programs.hlsl_wave_matrix.program import (
    Add,
    Instruction,
    Load,
    Matrix,
    MultiplyAccumulate,
    ScalarAdd,
    ScalarMultiply,
    ScalarSubtract,
    Store,
    SumAccumulate,
    WaveMatrixProgram,
)
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.judging.ask import ask, hold
from tests.case_lists import case_list
from tests.readings_left import still_possible

READINGS = SPEC.catalogue.ambiguity["WM-AMB-07"].readings
LEAST, MOST = -(2**31), 2**31 - 1
S32 = FORMATS["s32"]


def wide(bits: Bits) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """The integers of int32 bits."""
    return bits.astype(np.uint32).view(np.int32).astype(np.int64)


def clamped(values: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> Bits:
    """Integers clamped to int32, as bits."""
    return np.clip(values, LEAST, MOST).astype(np.int64).astype(np.uint64) & np.uint64(0xFFFFFFFF)


class Clamps(WaveMatrixDevice):
    """Every integer result is clamped once."""

    def sum_of_products(self, elements: tuple[str, str, str], a: Bits, b: Bits, c: Bits) -> Bits:
        left, right, total = (FORMATS[name] for name in elements)
        if total.is_float:
            return super().sum_of_products(elements, a, b, c)
        return self.added(left.name, a, right.name, b, c)

    def sums(self, element: str, matrix: Matrix, operand: Bits, addend: Bits) -> Bits:
        if matrix.element != "s32":
            return super().sums(element, matrix, operand, addend)
        if matrix.kind == "left-col-acc":
            return self.added(element, operand, element, np.ones((operand.shape[-1], 1), np.uint64), addend)
        return self.added(element, np.ones((1, operand.shape[-2]), np.uint64), element, operand, addend)

    def added(self, left: str, a: Bits, right: str, b: Bits, c: Bits) -> Bits:
        """The integer sum."""
        return multiply_add_integers(FORMATS[left], a, FORMATS[right], b, S32, c, "saturate")

    def total(self, addition: Addition, x: Bits, y: Bits) -> Bits:
        return clamped(wide(x) + wide(y)) if addition.element == "s32" else super().total(addition, x, y)

    def operate(self, operation: str, matrix: Matrix, elements: Bits, value: Bits) -> Bits:
        x, y = wide(elements), wide(value)
        results = {"add": x + y, "subtract": x - y, "multiply": x * y}
        if matrix.element != "s32" or operation not in results:
            return super().operate(operation, matrix, elements, value)
        return clamped(results[operation])


class ClampsInSteps(Clamps):
    """The running sum is clamped after every term, the accumulator first."""

    def added(self, left: str, a: Bits, right: str, b: Bits, c: Bits) -> Bits:
        for k in range(a.shape[-1]):
            c = super().added(left, a[..., k : k + 1], right, b[..., k : k + 1, :], c)
        return c


class ClampsSums(Clamps):
    """Products and sums are clamped; additions and operations with scalars wrap."""

    def total(self, addition: Addition, x: Bits, y: Bits) -> Bits:
        return WaveMatrixDevice.total(self, addition, x, y)

    def operate(self, operation: str, matrix: Matrix, elements: Bits, value: Bits) -> Bits:
        return WaveMatrixDevice.operate(self, operation, matrix, elements, value)


@cache
def cases() -> tuple[tuple[Case, ByReading], ...]:
    found = []
    for recipe in case_list(SPEC.name, DEFAULT_CAPS, "quick"):
        if not recipe.target and recipe.row.startswith("byte") and recipe.regime == "overflow":
            case = materialise(recipe)
            found.append((case, expect_by_reading(case, PRACTICE)))
    return tuple(found)


@pytest.mark.parametrize(
    ("device", "left"),
    [
        (WaveMatrixDevice, {"wrap", "undefined"}),
        (Clamps, {"saturate", "saturate-steps", "undefined"}),
        (ClampsInSteps, {"saturate-steps", "undefined"}),
        (ClampsSums, {"undefined"}),
    ],
)
def test_readings_left(device: Callable[[ArithmeticUnit], WaveMatrixDevice], left: set[str]) -> None:
    backend = NumpyBackend(SequentialUnit(), {SPEC.name: device})
    accepted = [hold(case, expected, ask(backend, case, expected.first)).accepted for case, expected in cases()]  # type: ignore[arg-type]
    assert {dict(one)["WM-AMB-07"] for one in still_possible({"WM-AMB-07": READINGS}, accepted)} == left


def test_every_method_overflows_in_the_list() -> None:
    clauses = {clause for case, expected in cases() if len(expected.variants) > 1 for clause in expected.first.clauses}
    assert clauses >= {"WM-MAC", "WM-SUMACC-LEFT", "WM-SUMACC-RIGHT", "WM-ADD-FULL", "WM-SCALAR-OPS"}


A, B = Matrix("A", "left", "s8", 16, 16, 32), Matrix("B", "right", "s8", 16, 16, 32)
C, D = (Matrix(name, "accumulator", "s32", 16, 16) for name in "CD")
L = Matrix("L", "left-col-acc", "s32", 16, 16)
OUT = Store("C", "out", 0, 64)


def expected(reading: str, start: int, terms: tuple[int, ...], *methods: Instruction) -> tuple[int, int] | None:
    """Legal values of element 0 after the methods; None where it is not judged.

    C (D, L alike) begins as ``start``; row 0 of A holds the terms, B has ones in column 0.
    """
    buffers = tuple(Buffer(name, 1024) for name in ("a", "b", "c", "d", "l", "out"))
    loads = (
        Load("A", "a", 0, 32, data="A"),
        Load("B", "b", 0, 16, data="B"),
        Load("C", "c", 0, 64, data="C"),
        Load("D", "d", 0, 64, data="D"),
        Load("L", "l", 0, 4, data="L"),
    )
    program = WaveMatrixProgram(buffers, (A, B, C, D, L), (*loads, *methods))
    values = {
        name: np.zeros((1, 1, 1, *shape), np.uint64)
        for name, shape in (("A", (16, 32)), ("B", (32, 16)), ("C", (16, 16)), ("D", (16, 16)), ("L", (16, 1)))
    }
    values["A"][..., 0, : len(terms)] = [term & 0xFF for term in terms]
    values["B"][..., 0] = 1
    for name in "CDL":
        values[name][..., 0, 0] = start & 0xFFFFFFFF
    found = expect(
        Case(SPEC.name, "byte-16x16-s32", "by hand", program, DEFAULT_CAPS, 1, values), PRACTICE, {"WM-AMB-07": reading}
    )
    assert isinstance(found, Defined)
    legal = found.regions[-1].legal
    return None if legal.why[0, 0, 0, 0] else (int(legal.lo[0, 0, 0, 0]), int(legal.hi[0, 0, 0, 0]))


MAC = (MultiplyAccumulate("C", "A", "B"), OUT)
SUM = (SumAccumulate("L", "A"), Store("L", "out", 0, 4))


@pytest.mark.parametrize("methods", [MAC, SUM], ids=["product", "sum"])
def test_a_sum_that_crosses_and_comes_back(methods: tuple[Instruction, ...]) -> None:
    """2^31 - 1 + 5 - 3 is out of range; + 5 - 7 is not, but + 5 alone is."""
    out, back = (MOST, (5, -3), *methods), (MOST, (5, -7), *methods)
    assert expected("wrap", *out) == (LEAST + 1, LEAST + 1)
    assert expected("saturate", *out) == (MOST, MOST)
    assert expected("saturate-steps", *out) == (MOST - 3, MOST)
    assert expected("undefined", *out) is None
    assert expected("wrap", *back) == expected("saturate", *back) == (MOST - 2, MOST - 2)
    assert expected("saturate-steps", *back) == (MOST - 7, MOST - 2)
    assert expected("undefined", *back) is None


def test_a_sum_within_the_range_is_exact_under_every_reading() -> None:
    for reading in READINGS:
        assert expected(reading, MOST - 5, (5, -7), *MAC) == (MOST - 7, MOST - 7)
        assert expected(reading, LEAST + 7, (5, -7), *SUM) == (LEAST + 5, LEAST + 5)


@pytest.mark.parametrize(
    ("start", "method", "wrapped", "end"),
    [
        (MOST, ScalarAdd("C", Literal(3)), LEAST + 2, MOST),
        (LEAST, ScalarSubtract("C", Literal(3)), MOST - 2, LEAST),
        (MOST, ScalarMultiply("C", Literal(2)), -2, MOST),
        (LEAST, Add("C", "D"), 0, LEAST),
    ],
    ids=["add", "subtract", "multiply", "Add"],
)
def test_operations_on_elements_are_one_step(start: int, method: Instruction, wrapped: int, end: int) -> None:
    assert expected("wrap", start, (), method, OUT) == (wrapped, wrapped)
    assert expected("saturate", start, (), method, OUT) == (end, end)
    assert expected("saturate-steps", start, (), method, OUT) == (end, end)
    assert expected("undefined", start, (), method, OUT) is None
