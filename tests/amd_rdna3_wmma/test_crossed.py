"""One vector as A and as B: what the oracle says of it in plain integers, and devices that get it wrong."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
from msgspec.structs import replace

from mmaspec.backends.numpy.amd_rdna3_wmma.device import Registers, State, WmmaDevice
from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.oracle.amd_rdna3_wmma import SPEC
from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import expect
from mmaspec.oracle.expectation import Defined
from mmaspec.programs.amd_rdna3_wmma.program import Wmma
from mmaspec.programs.errors import BadInput
from mmaspec.strategies.axes.observation import Subject
from mmaspec.strategies.register_kernels.observations.contents import operand_of
from mmaspec.strategies.register_kernels.observations.elements.dependence import dependence
from mmaspec.strategies.register_kernels.observations.flow import flow_of
from tests.suites.caught import caught

from .programs import product

BYTES = (np.arange(256) * 37 % 251).astype(np.uint64).reshape(16, 16)
OTHERS = (np.arange(256) * 91 % 241).astype(np.uint64).reshape(16, 16)
NOTHING = np.zeros((16, 16), np.uint64)


def crossed(wave_size: int, a: str, b: str) -> Case:
    """A product with these fragments for factors, all bytes unsigned."""
    program = product(f"i32_16x16x16_iu8_w{wave_size}")
    body = tuple(
        replace(step, a=a, b=b, a_sign=False, b_sign=False) if isinstance(step, Wmma) else step for step in program.body
    )
    values = {name: one.reshape(1, 1, 1, 16, 16) for name, one in (("A", BYTES), ("B", OTHERS), ("C", NOTHING))}
    row = f"i32_16x16x16_iu8_w{wave_size}"
    return Case(SPEC.name, row, "by hand", replace(program, body=body), SPEC.default_caps, 1, values)


def left(wave_size: int, a: str, b: str) -> np.ndarray:
    """D of such a product."""
    found = expect(crossed(wave_size, a, b))
    assert isinstance(found, Defined)
    legal = found.regions[-1].legal
    assert np.array_equal(legal.lo, legal.hi)
    return legal.lo[0, 0]


@pytest.mark.parametrize("wave_size", [32, 64])
def test_the_other_factor_is_the_matrix_transposed(wave_size: int) -> None:
    """RDNA3-AB-ROWCOL: lane i has row i of A, and column i of B."""
    a, b = BYTES.astype(np.int64), OTHERS.astype(np.int64)
    assert np.array_equal(left(wave_size, "a", "b"), a @ b)
    assert np.array_equal(left(wave_size, "a", "a"), a @ a.T)
    assert np.array_equal(left(wave_size, "b", "b"), b.T @ b)
    assert np.array_equal(left(wave_size, "b", "a"), b.T @ a.T)


def test_an_accumulator_is_no_factor() -> None:
    with pytest.raises(BadInput, match=r"fragment c is declared to hold 'cd'; expected 'a' or 'b'"):
        left(32, "a", "c")


class Squares(WmmaDevice):
    """Of one vector as both factors B is not taken by columns: A times A."""

    def wmma(self, state: State, step: Wmma) -> None:
        self.same = step.a == step.b
        super().wmma(state, step)

    def right(self, state: State, registers: Registers, width: Literal[8, 16]) -> Bits:
        found = super().right(state, registers, width)
        return np.swapaxes(found, -1, -2) if self.same else found


class StaleOrder(WmmaDevice):
    """A vector that was A of the call before is still taken by rows where it is B."""

    before = ""

    def wmma(self, state: State, step: Wmma) -> None:
        self.stale, self.before = step.b == self.before != step.a, step.a
        super().wmma(state, step)

    def right(self, state: State, registers: Registers, width: Literal[8, 16]) -> Bits:
        found = super().right(state, registers, width)
        return np.swapaxes(found, -1, -2) if self.stale else found


@pytest.mark.parametrize("device", [Squares, StaleOrder])
def test_the_array_shows_it(device: type[WmmaDevice]) -> None:
    assert any(True for _ in caught(SPEC.name, "crossed-factors", device))


def test_the_device_as_it_is_passes() -> None:
    assert not list(caught(SPEC.name, "crossed-factors", WmmaDevice))


@pytest.mark.parametrize("wave_size", [32, 64])
def test_what_is_seen_of_a_crossed_factor_is_the_matrix_transposed(wave_size: int) -> None:
    subject = Subject(crossed(wave_size, "b", "a"))
    (event,) = flow_of(subject).products
    assert np.array_equal(operand_of(subject, event, "a").bits[0, 0], OTHERS.T)
    assert np.array_equal(operand_of(subject, event, "b").bits[0, 0], BYTES.T)
    found = dependence(subject.program, event.step)
    assert (found.operands["b"], found.operands["a"]) == ((None, 0), (1, None))
