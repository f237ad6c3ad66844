"""WaveMatrix devices with a defect each: loaded by ``mmaspec`` from this file, so it imports nothing of the tests.

Each defect is one that a team of compiler, driver or hardware engineers could make. None is a counterfactual or a
defect of the catalogue.
"""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np

from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.hlsl_wave_matrix.device import Access, Arguments, Shader, WaveMatrixDevice
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.backends.numpy.units.unit import ArithmeticUnit, Bits
from mmaspec.programs.base import Affine, Literal, RunTime
from mmaspec.programs.hlsl_wave_matrix.program import (
    Barrier,
    Fill,
    Load,
    Matrix,
    Multiply,
    MultiplyAccumulate,
    ScalarOperation,
    Store,
)
from mmaspec.programs.profile import PRACTICE
from mmaspec.programs.tree import walk


class Planted(NumpyBackend):
    """The numpy backend with another device for WaveMatrix; it declares no arithmetic of its own."""

    device: type[WaveMatrixDevice] = WaveMatrixDevice

    def __init__(self) -> None:
        made = {"hlsl-wave-matrix": self.device}
        super().__init__(SequentialUnit(), made, name=type(self).__name__, profile=PRACTICE)


class _RoundedStride(WaveMatrixDevice):
    def arguments(self, shader: Shader, access: Access, loop: int) -> list[Arguments]:
        found = super().arguments(shader, access, loop)
        if isinstance(access, Load) and isinstance(access.stride, RunTime) and not found[0].vector:
            return [replace(each, stride=each.stride // 16 * 16) for each in found]
        return found


class RunTimeStrideRounded(Planted):
    """A Load's stride that is read at run time loses its low four bits: a field of the descriptor counts 16 bytes."""

    device = _RoundedStride


class _RightOfNeighbour(WaveMatrixDevice):
    def product(self, shader: Shader, product: Multiply | MultiplyAccumulate, matrix: Matrix, addend: Bits) -> Bits:
        right = shader.contents(product.right)
        pairs = np.arange(right.shape[1]) & ~1
        shader.matrices[product.right] = right[:, pairs]
        try:
            return super().product(shader, product, matrix, addend)
        finally:
            shader.matrices[product.right] = right


class RightOfWaveBefore(Planted):
    """Odd waves multiply by the Right of the wave before: two waves share one staging buffer."""

    device = _RightOfNeighbour


class _ThirdPass(WaveMatrixDevice):
    def load(self, shader: Shader, load: Load, matrix: Matrix, waves: list[Arguments]) -> Bits:
        offset = load.offset
        if matrix.kind == "right" and isinstance(offset, Affine) and not waves[0].shared:
            first = self.argument(shader, offset, 0, 0)
            step = offset.loop
            beyond = step and (waves[0].start - first) // step >= 2 and waves[0].col_major
            if beyond:
                waves = [replace(each, start=each.start - step) for each in waves]
        return super().load(shader, load, matrix, waves)


class ThirdPassLoadsSecond(Planted):
    """Column-major Loads of a Right find one pass less from the third on: a loop unrolled by two forgets to advance."""

    device = _ThirdPass


class _Quadrants(WaveMatrixDevice):
    def multiply_accumulate(self, shader: Shader, product: MultiplyAccumulate, matrix: Matrix) -> Bits:
        held = shader.contents(matrix.name)
        if (matrix.m, matrix.n) == (64, 64):
            held = held.copy()
            upper, lower = held[..., :32, 32:].copy(), held[..., 32:, :32].copy()
            held[..., :32, 32:], held[..., 32:, :32] = lower, upper
        return self.product(shader, product, matrix, held)


class AddendQuadrantsExchanged(Planted):
    """Of a 64 x 64 accumulator the right upper and the left lower quadrant are exchanged when they are added to."""

    device = _Quadrants


class _ShortImmediate(WaveMatrixDevice):
    def scalar(self, shader: Shader, method: Fill | ScalarOperation, size: int) -> Bits:
        bits = super().scalar(shader, method, size)
        whole = shader.program.matrix(method.matrix).element == "s32"
        if whole and isinstance(method, ScalarOperation) and isinstance(method.value, Literal):
            low = bits & np.uint64(0xFFFF)
            return np.where(low >> np.uint64(15) == 1, low | np.uint64(0xFFFF0000), low)
        return bits


class ImmediateOfSixteenBits(Planted):
    """A literal operand of an integer operation is a signed immediate of 16 bits, whatever its value."""

    device = _ShortImmediate


class _Raising(WaveMatrixDevice):
    def load(self, shader: Shader, load: Load, matrix: Matrix, waves: list[Arguments]) -> Bits:
        if matrix.is_fragment and waves[0].shared:
            raise RuntimeError("unhandled opcode: vector gather from LDS")
        return super().load(shader, load, matrix, waves)


class RaisesOnSharedFragments(Planted):
    """An exception for every Load of a fragment from a groupshared array."""

    device = _Raising


class _Hoisted(WaveMatrixDevice):
    def value(self, shader: Shader, method: Fill | ScalarOperation, size: int) -> Bits:
        found = super().value(shader, method, size)
        return np.broadcast_to(found[:1], found.shape) if isinstance(method, ScalarOperation) else found


class ScalarOfFirstItem(Planted):
    """A scalar operand is read from memory once, for the first item of the batch: a load hoisted too far."""

    device = _Hoisted


class _LastWaveLate(WaveMatrixDevice):
    def __init__(self, unit: ArithmeticUnit) -> None:
        super().__init__(unit)
        self.draws = random.Random("late")  # noqa: S311 - the same calls get the same answers in every process

    def store(self, shader: Shader, store: Store, matrix: Matrix, loop: int) -> None:
        fenced = any(isinstance(instruction, Barrier) for _, instruction, _ in walk(shader.program))
        if fenced and self.draws.random() < 0.4:
            held = shader.contents(matrix.name)
            shader.matrices[matrix.name] = held.copy()
            shader.matrices[matrix.name][:, -1, -1] = 0
            super().store(shader, store, matrix, loop)
            shader.matrices[matrix.name] = held
        else:
            super().store(shader, store, matrix, loop)


class LastRowLateAtTimes(Planted):
    """Where there are barriers, four of ten Stores find the last row of the last wave still zero: a race."""

    device = _LastWaveLate
