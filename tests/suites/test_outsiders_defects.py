"""Defects that outsiders planted from the texts alone and no list caught at first; the arrays show each of them now."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mmaspec.backends.numpy.amd_rdna3_wmma.device import WmmaDevice
from mmaspec.backends.numpy.hlsl_wave_matrix.device import WaveMatrixDevice
from mmaspec.backends.numpy.units.exact import ExactUnit
from mmaspec.backends.numpy.units.unit import Bits, Overflow
from mmaspec.programs.hlsl_wave_matrix.program import Multiply, MultiplyAccumulate

from .caught import caught

RDNA3, WM = "amd-rdna3-wmma", "hlsl-wave-matrix"
INFINITY, LEAST_NORMAL = np.uint64(0x7C00), np.uint64(0x400)


class SubnormalTimesInfinity(ExactUnit):
    """A subnormal of A times an infinity of B counts for nothing."""

    def multiply_add(
        self, a_fmt: str, a: Bits, b_fmt: str, b: Bits, c_fmt: str, c: Bits, overflow: Overflow = "wrap"
    ) -> Bits:
        found = super().multiply_add(a_fmt, a, b_fmt, b, c_fmt, c, overflow)
        if a_fmt != "f16":
            return found
        left, right = a & np.uint64(0x7FFF), b & np.uint64(0x7FFF)
        tiny = (left > 0) & (left < LEAST_NORMAL)
        lost = (tiny[..., :, :, None] & (right == INFINITY)[..., None, :, :]).any(axis=-2)
        return np.where(lost, c, found)


class SignOfTheOther(WaveMatrixDevice):
    """A sum of unsigned bytes right after a product with them takes the sign of the product's other factor."""

    side = "right"

    def execute(self, shader: Any, instruction: Any, loop: int) -> None:
        shader.before, shader.now = getattr(shader, "now", None), instruction
        super().execute(shader, instruction, loop)

    def sum_accumulate(self, shader: Any, method: Any, matrix: Any) -> Any:
        product, operand = shader.before, shader.program.matrix(method.operand)
        element = operand.element
        if isinstance(product, Multiply | MultiplyAccumulate):
            factors = {"left": product.left, "right": product.right}
            if factors.pop(self.side) == method.operand and element == "u8":
                element = shader.program.matrix(*factors.values()).element
        return self.sums(element, matrix, shader.contents(operand.name), shader.contents(matrix.name))


class SignOfTheRight(SignOfTheOther):
    side = "left"


class DwordsOfBefore(WaveMatrixDevice):
    """A store writes whole dwords, of which it knows what stood there before the store ahead of it."""

    def store(self, shader: Any, store: Any, matrix: Any, loop: int) -> None:
        if shader.array(store.buffer) is not None or shader.buffer(store.buffer).windows:
            super().store(shader, store, matrix, loop)
            return
        known = shader.__dict__.setdefault("known", {})
        image = shader.memory[store.buffer]
        before = image.copy()
        super().store(shader, store, matrix, loop)
        written = image != before
        whole = written.shape[1] // 4 * 4
        dwords = np.repeat(written[:, :whole].reshape(len(written), -1, 4).any(axis=2), 4, axis=1)
        stale = dwords & ~written[:, :whole]
        image[:, :whole] = np.where(stale, known.get(store.buffer, before)[:, :whole], image[:, :whole])
        known[store.buffer] = before


class LaterWavesAccumulate(WaveMatrixDevice):
    """From the fourth pass on, a Multiply of all waves but the first accumulates."""

    def execute(self, shader: Any, instruction: Any, loop: int) -> None:
        shader.loop = loop
        super().execute(shader, instruction, loop)

    def multiply(self, shader: Any, product: Any, matrix: Any) -> Any:
        found = super().multiply(shader, product, matrix)
        if shader.loop < 3:
            return found
        more = self.product(shader, product, matrix, shader.contents(matrix.name))
        return np.concatenate([found[:, :1], more[:, 1:]], axis=1)


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("device", [SignOfTheOther, SignOfTheRight, DwordsOfBefore, LaterWavesAccumulate])
def test_wave_matrix(device: type[Any]) -> None:
    array = "loops" if device is LaterWavesAccumulate else "relations"
    assert any(True for _ in caught(WM, array, device))


def test_rdna3() -> None:
    assert any(True for _ in caught(RDNA3, "float-data", WmmaDevice, SubnormalTimesInfinity))


@pytest.mark.parametrize("array", ["relations", "loops"])
def test_the_device_as_it_is_passes(array: str) -> None:
    assert not list(caught(WM, array, WaveMatrixDevice))
