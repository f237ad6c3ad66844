"""Devices of GL_NV_cooperative_matrix2 with a defect each: loaded by ``mmaspec`` from this file.

It imports nothing of the tests. Each defect is one that a team of compiler, driver or hardware engineers could make.
None is a counterfactual or a defect of the catalogue.
"""

from __future__ import annotations

import os
import random

import numpy as np

from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.nv_coopmat2.device import CoopMat2Device
from mmaspec.backends.numpy.nv_coopmat2.execution import Running
from mmaspec.backends.numpy.nv_coopmat2.tensors import Region
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.backends.numpy.units.unit import ArithmeticUnit, Bits, Overflow
from mmaspec.backends.protocol import Images
from mmaspec.programs.formats import Format
from mmaspec.programs.nv_coopmat2.program import (
    CoopMatProgram,
    Matrix,
    MulAdd,
    Repeat,
    Setter,
    Simple,
    Slice,
    StoreTensor,
)
from mmaspec.programs.profile import PRACTICE


class Planted(NumpyBackend):
    """The numpy backend with another device for coopmat2; it declares no arithmetic of its own."""

    device: type[CoopMat2Device] = CoopMat2Device

    def __init__(self) -> None:
        super().__init__(SequentialUnit(), {"nv-coopmat2": self.device}, name=type(self).__name__, profile=PRACTICE)


class _PitchRounded(CoopMat2Device):
    def set_stride(self, region: Region, steps: list[int]) -> None:
        super().set_stride(region, [*(step & ~7 if step > 8 else step for step in steps[:-1]), steps[-1]])


class PitchRoundedDown(Planted):
    """A stride that is set explicitly loses its low three bits: the descriptor's pitch counts eight elements."""

    device = _PitchRounded


class _FirstWaveSlices(CoopMat2Device):
    def call(self, running: Running, region: Region, call: Setter, wave: int, loop: int) -> None:
        super().call(running, region, call, 0 if isinstance(call, Slice) else wave, loop)


class SliceOfFirstWave(Planted):
    """The arguments of a slice are those of the first subgroup in all of them: kept in scalar registers."""

    device = _FirstWaveSlices


class _OddLoops(CoopMat2Device):
    def run(self, program: CoopMatProgram, inputs: Images) -> Images:
        self.last = {
            nested: instruction.count - 1
            for instruction in program.body
            if isinstance(instruction, Repeat) and instruction.count % 2 and instruction.count > 1
            for nested in instruction.body
        }
        return super().run(program, inputs)

    def step(self, running: Running, instruction: Simple, loop: int) -> None:
        if isinstance(instruction, MulAdd) and self.last.get(instruction) == loop:
            return
        super().step(running, instruction, loop)


class LastPassOfOddLoopsLost(Planted):
    """The last product of a loop with an odd number of passes is left out: unrolled by two without the remainder."""

    device = _OddLoops


class _UseQuadrants(CoopMat2Device):
    def convert(self, source: Matrix, bits: Bits, result: Matrix) -> Bits:
        found = super().convert(source, bits, result)
        if source.use != result.use and found.shape[-1] >= 16 and found.shape[-2] >= 16:
            rows, cols = found.shape[-2] // 2, found.shape[-1] // 2
            upper, lower = found[..., :rows, cols:].copy(), found[..., rows:, :cols].copy()
            if upper.shape == lower.shape:
                found[..., :rows, cols:], found[..., rows:, :cols] = lower, upper
        return found


class QuadrantsExchangedByUse(Planted):
    """A change of use exchanges the right upper and the left lower quadrant: registers 2 and 3 of every lane."""

    device = _UseQuadrants


class _ShortMultiplier(CoopMat2Device):
    def apply(self, op: str, fmt: Format, left: Bits, right: Bits) -> Bits:
        if op == "*" and fmt.name in ("s32", "u32"):
            left, right = left & np.uint64(0xFFFFFF), right & np.uint64(0xFFFFFF)
        return super().apply(op, fmt, left, right)


class MultipliesTwentyFourBits(Planted):
    """Products of 32-bit integers, component by component, take 24 bits of each: the fast multiplier is chosen."""

    device = _ShortMultiplier


class _AbortingStore(CoopMat2Device):
    def store_tensor(self, running: Running, access: StoreTensor, loop: int) -> None:
        if access.view is not None:
            os.abort()
        super().store_tensor(running, access, loop)


class AbortsOnStoreThroughView(Planted):
    """The process dies of every tensor store through a view."""

    device = _AbortingStore


class _AddendOfCallBefore(CoopMat2Device):
    def __init__(self, unit: ArithmeticUnit) -> None:
        super().__init__(unit)
        self.before: dict[tuple[str, tuple[int, ...]], Bits] = {}

    def product(
        self, a_type: Matrix, a: Bits, b_type: Matrix, b: Bits, c_type: Matrix, c: Bits, overflow: Overflow
    ) -> Bits:
        key = (c_type.component, c.shape)
        stale, self.before[key] = self.before.get(key, c), c.copy()
        return super().product(a_type, a, b_type, b, c_type, stale, overflow)


class AddendOfCallBefore(Planted):
    """C is that of the product before, where one of the same type and size has run: a cached upload."""

    device = _AddendOfCallBefore


class _NeighbourSometimes(CoopMat2Device):
    def __init__(self, unit: ArithmeticUnit) -> None:
        super().__init__(unit)
        self.draws = random.Random("neighbour")  # noqa: S311 - the same calls get the same answers in every process

    def mul_add(self, running: Running, instruction: MulAdd) -> Bits:
        found = super().mul_add(running, instruction)
        if self.draws.random() < 0.4:
            found = found.copy()
            found[..., 3, 5] = found[..., 3, 4]
        return found


class TakesNeighbourAtTimes(Planted):
    """In four of ten products one element is that of the column before: a lane exchange that misses its timing."""

    device = _NeighbourSometimes
