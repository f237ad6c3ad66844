"""RDNA3 devices with a defect each: loaded by ``mmaspec`` from this file, so it imports nothing of the tests.

Each defect is one that a team of compiler, driver or hardware engineers could make. None is a counterfactual or a
defect of the catalogue.
"""

from __future__ import annotations

import os
import random
from dataclasses import replace

import numpy as np
from msgspec import structs

from mmaspec.backends.numpy.amd_rdna3_wmma.device import Registers, State, WmmaDevice
from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.backends.numpy.units.unit import ArithmeticUnit, Bits
from mmaspec.programs.amd_rdna3_wmma.program import Load, Wmma
from mmaspec.programs.profile import PRACTICE

WAVE64 = 64


class Planted(NumpyBackend):
    """The numpy backend with another device for RDNA3; it declares no arithmetic of its own."""

    device: type[WmmaDevice] = WmmaDevice

    def __init__(self) -> None:
        super().__init__(SequentialUnit(), {"amd-rdna3-wmma": self.device}, name=type(self).__name__, profile=PRACTICE)


class _AddendGroups(WmmaDevice):
    def accumulators(self, state: State, registers: Registers) -> Bits:
        held = super().accumulators(state, registers)
        return held[:, :, [0, 2, 1, 3]] if state.groups == 4 else held


class AddendLaneGroups(Planted):
    """C alone is read with lanes 16-31 and 32-47 exchanged, in wave64; D is written as it should be."""

    device = _AddendGroups


class _OddWaves(WmmaDevice):
    def results(self, state: State, rows: Bits) -> Registers:
        registers = super().results(state, rows)
        registers[:, 1::2] = registers[:, 1::2][..., [1, 0, *range(2, registers.shape[-1])]]
        return registers


class OddWavesFirstRegisters(Planted):
    """In every odd wave the first two VGPRs of D are exchanged, as by a register bank taken from the wave's number."""

    device = _OddWaves


class _LatePrefetch(WmmaDevice):
    def load(self, state: State, step: Load) -> None:
        late = state.loop >= 2 and state.fragments[step.into].use == "b"
        super().load(replace(state, loop=state.loop - 1) if late else state, step)  # the registers are the same ones


class LatePrefetchOfB(Planted):
    """From the third pass of a loop on B is that of the pass before: a prefetch that is awaited too late."""

    device = _LatePrefetch


class _LowerRows(WmmaDevice):
    def results(self, state: State, rows: Bits) -> Registers:
        if state.groups == 2:
            lower = rows.shape[-2] // 2
            rows = np.concatenate([rows[..., :lower, :], np.roll(rows[..., lower:, :], 1, axis=-1)], axis=-2)
        return super().results(state, rows)


class LowerRowsRotated(Planted):
    """In wave32 the columns of D are rotated by one from row 8 on, as by a lane shuffle with a stale mask."""

    device = _LowerRows


class _LowestBytes(WmmaDevice):
    def product(self, step: Wmma, a: Bits, b: Bits, c: Bits) -> Bits:
        if step.a_sign and step.b_sign:
            pairs = (a == 0x80).astype(np.int64) @ (b == 0x80).astype(np.int64)
            c = (c - (pairs * 32768).astype(np.uint64)) & np.uint64(0xFFFFFFFF)
        return super().product(step, a, b, c)


class LowestBytesMultiplied(Planted):
    """-128 times -128 is -16384 where both operands are signed."""

    device = _LowestBytes


class _Aborting(WmmaDevice):
    def wmma(self, state: State, step: Wmma) -> None:
        if step.clamp and state.program.wave_size == WAVE64:
            os.abort()
        super().wmma(state, step)


class AbortsOnClampInWave64(Planted):
    """The process dies of every integer product with clamp in wave64."""

    device = _Aborting


class _ZeroFromNeighbour(WmmaDevice):
    def wmma(self, state: State, step: Wmma) -> None:
        super().wmma(state, step)
        if step.c is None:
            done = state.registers[step.d]
            stale = np.roll(done, 1, axis=0)
            stale[0] = 0
            state.registers[step.d] = stale
            super().wmma(state, structs.replace(step, c=step.d))


class LiteralZeroKeepsNeighbour(Planted):
    """A literal zero for C is the result of the item before it in the batch: the accumulator is cleared only once."""

    device = _ZeroFromNeighbour


class _FlippingSometimes(WmmaDevice):
    def __init__(self, unit: ArithmeticUnit) -> None:
        super().__init__(unit)
        self.draws = random.Random("flip")  # noqa: S311 - the same calls get the same answers in every process

    def wmma(self, state: State, step: Wmma) -> None:
        super().wmma(state, step)
        if step.builtin.startswith("f32") and self.draws.random() < 0.4:
            registers = state.registers[step.d]
            registers[..., self.draws.randrange(registers.shape[2]), 0] ^= np.uint32(1 << 30)


class FlipsAnExponentBit(Planted):
    """In four of ten float products one lane has a flipped bit of the exponent: a path that misses its timing."""

    device = _FlippingSometimes


class _Wave64FloatRows(WmmaDevice):
    def wmma(self, state: State, step: Wmma) -> None:
        super().wmma(state, step)
        if step.builtin.startswith("f32") and state.groups == 4:
            lanes = state.registers[step.d]
            order = [*range(32), *range(48, 64), *range(32, 48)]
            state.registers[step.d] = np.ascontiguousarray(lanes[:, :, order])


class Wave64FloatRowsExchanged(Planted):
    """Rows 2 and 3 modulo 4 of D are exchanged in float products of wave64: the first trial device."""

    device = _Wave64FloatRows
