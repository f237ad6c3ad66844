"""Loads, Fills and Stores may flush subnormals, or not (WM-AMB-18): who is legal, and which readings are left."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import numpy as np
import pytest

from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.hlsl_wave_matrix.device import Arguments, Shader, WaveMatrixDevice
from mmaspec.backends.numpy.hlsl_wave_matrix.flushing import FlushingLoads
from mmaspec.backends.numpy.units.sequential import SequentialUnit
from mmaspec.backends.numpy.units.unit import ArithmeticUnit, Bits
from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import expect
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.hlsl_wave_matrix import SPEC
from mmaspec.oracle.judge import ByReading, expect_by_reading
from mmaspec.programs.base import Buffer
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.caps import DEFAULT_CAPS
from mmaspec.programs.hlsl_wave_matrix.program import (
    Barrier,
    Load,
    Matrix,
    Multiply,
    SharedArray,
    Stage,
    Store,
    Unstage,
    WaveMatrixProgram,
)
from mmaspec.programs.profile import PRACTICE, PROFILES
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.judging.ask import ask, hold
from tests.case_lists import case_list
from tests.readings_left import still_possible

READINGS = SPEC.catalogue.ambiguity["WM-AMB-18"].readings


class FlushesOneFormat(FlushingLoads):
    """Loads flush one format and keep the other."""

    def __init__(self, element: str, unit: ArithmeticUnit) -> None:
        super().__init__(unit)
        self.element = element

    def load(self, shader: Shader, load: Load, matrix: Matrix, waves: list[Arguments]) -> Bits:
        mine = matrix.element == self.element
        return (
            super().load(shader, load, matrix, waves)
            if mine
            else WaveMatrixDevice.load(self, shader, load, matrix, waves)
        )


class StoresPositiveZeros(WaveMatrixDevice):
    """Stores make every subnormal +0."""

    def outgoing(self, shader: Shader, matrix: Matrix, waves: list[Arguments]) -> Bits:
        bits, fmt = super().outgoing(shader, matrix, waves), FORMATS[matrix.element]
        magnitude = bits & np.uint64(fmt.sign_bit - 1)
        tiny = (magnitude > 0) & (magnitude < 1 << fmt.fraction_bits)
        return np.where(tiny, np.uint64(0), bits) if fmt.is_float else bits


class FlushesNowAndThen(FlushingLoads):
    """Flushes in some Loads only."""

    def load(self, shader: Shader, load: Load, matrix: Matrix, waves: list[Arguments]) -> Bits:
        if waves[0].start // 4 % 2:
            return super().load(shader, load, matrix, waves)
        return WaveMatrixDevice.load(self, shader, load, matrix, waves)


class LosesTheLastBit(WaveMatrixDevice):
    """Loads lose the last bit of subnormals, and of nothing else."""

    def load(self, shader: Shader, load: Load, matrix: Matrix, waves: list[Arguments]) -> Bits:
        bits, fmt = super().load(shader, load, matrix, waves), FORMATS[matrix.element]
        tiny = bits & np.uint64(fmt.sign_bit - 1) < 1 << fmt.fraction_bits
        return np.where(tiny, bits & ~np.uint64(1), bits) if fmt.is_float else bits


@cache
def cases() -> tuple[tuple[Case, ByReading], ...]:
    recipes = [r for r in case_list(SPEC.name, DEFAULT_CAPS, "quick") if r.template == "move-subnormals"]
    made = [materialise(recipe) for recipe in recipes]
    return tuple((case, expect_by_reading(case, PRACTICE)) for case in made)


def left(device: Callable[[ArithmeticUnit], WaveMatrixDevice]) -> set[str]:
    """The readings that explain all answers of a device."""
    backend = NumpyBackend(SequentialUnit(), {SPEC.name: device})
    accepted = [hold(case, expected, ask(backend, case, expected.first)).accepted for case, expected in cases()]  # type: ignore[arg-type]
    return {dict(one)["WM-AMB-18"] for one in still_possible({"WM-AMB-18": READINGS}, accepted)}


def test_every_float_row_has_a_case_that_tells_the_readings_apart() -> None:
    rows = {row.name for row in SPEC.rows(DEFAULT_CAPS) if "float" in row.tags}
    assert {case.row for case, expected in cases() if len(expected.variants) == 2} == rows


@pytest.mark.parametrize(
    ("device", "readings"),
    [
        (WaveMatrixDevice, {"bits", "flush"}),
        (FlushingLoads, {"flush"}),
        (StoresPositiveZeros, {"flush"}),
        (partial(FlushesOneFormat, "f16"), {"flush"}),
        (partial(FlushesOneFormat, "f32"), {"flush"}),
        (FlushesNowAndThen, {"flush"}),
        (LosesTheLastBit, set()),
    ],
    ids=["keeps", "on-load", "on-store", "f16-only", "f32-only", "now-and-then", "damages"],
)
def test_readings_left(device: Callable[[ArithmeticUnit], WaveMatrixDevice], readings: set[str]) -> None:
    assert left(device) == readings


TINY, MINUS_TINY, ONE = 0x0003, 0x8003, 0x3C00
HALF = Matrix("C", "accumulator", "f16", 16, 16)


def expected_of(
    program: WaveMatrixProgram, values: dict[str, Bits], profile: str = "practice", **chosen: str
) -> Defined:
    case = Case(SPEC.name, "f16-16x16-f16", "by hand", program, DEFAULT_CAPS, 1, values)
    found = expect(case, PROFILES[profile], chosen and {"WM-AMB-18": chosen["reading"]})
    assert isinstance(found, Defined)
    return found


def moved() -> tuple[WaveMatrixProgram, dict[str, Bits]]:
    """A subnormal of each sign and a normal number, through a matrix and an array."""
    buffers = (Buffer("in", 512), Buffer("out", 1024), Buffer("kept", 1024))
    body = (
        Load("C", "in", 0, 32, data="C"),
        Store("C", "out", 0, 32),
        Stage("g", "in", 0, 256),
        Barrier(),
        Unstage("g", "kept", 0, 256),
        Store("C", "h", 0, 16),
        Barrier(),
        Unstage("h", "out", 512, 256),
    )
    arrays = (SharedArray("g", "f16", 256), SharedArray("h", "f16", 256))
    data = np.full((1, 1, 1, 16, 16), ONE, np.uint64)
    data[..., 0, :2] = TINY, MINUS_TINY
    return WaveMatrixProgram(buffers, (HALF,), body, arrays=arrays), {"C": data}


@pytest.mark.parametrize(("got", "legal"), [((TINY, MINUS_TINY), True), ((0, 0x8000), True), ((0x8000, 0), True)])
def test_flushed_is_one_or_the_other(got: tuple[int, int], legal: bool) -> None:
    for reading, wanted in (("flush", legal), ("bits", got[0] == TINY)):
        for region in (0, 2):
            found = expected_of(*moved(), reading=reading).regions[region].legal.reshape(1, 1, 16, 16)
            answer = np.full((1, 1, 16, 16), ONE, np.uint64)
            answer[..., 0, :2] = got
            assert found.illegal(answer).any() != wanted
            answer[..., 0, 0] = TINY - 1
            assert found.illegal(answer).sum() == 1 + (not wanted and got[1] != MINUS_TINY)


def test_plain_copies_do_not_flush() -> None:
    found = expected_of(*moved(), reading="flush")
    copied = found.regions[1].legal
    assert copied.moved.all()
    assert not copied.flushable.any()


def test_a_profile_that_keeps_subnormals_leaves_no_choice() -> None:
    for reading in ("bits", "flush"):
        found = expected_of(*moved(), profile="ieee-subnormals", reading=reading)
        assert "WM-AMB-18" not in found.consulted
        assert not found.regions[0].legal.flushable.any()


def test_a_product_of_them_needs_no_reading() -> None:
    matrices = (Matrix("A", "left", "f16", 16, 16, 16), Matrix("B", "right", "f16", 16, 16, 16), HALF)
    body = (
        Load("A", "in", 0, 32, data="A"),
        Load("B", "in", 512, 32, data="B"),
        Multiply("C", "A", "B"),
        Store("C", "out", 0, 32),
    )
    program = WaveMatrixProgram((Buffer("in", 1024), Buffer("out", 512)), matrices, body)
    values = {name: np.full((1, 1, 1, 16, 16), bits, np.uint64) for name, bits in (("A", TINY), ("B", ONE))}
    assert "WM-AMB-18" not in expected_of(program, values).consulted
