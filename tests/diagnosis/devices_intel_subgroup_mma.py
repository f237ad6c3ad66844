"""Devices for the sub-group matrix functions with a defect each, loaded from this file by ``mmaspec``.

Each defect is one that a team of compiler, driver or hardware engineers could make. None is a counterfactual or a
defect of the catalogue.
"""

from __future__ import annotations

import os
import random
from dataclasses import replace
from typing import Any

import numpy as np
from msgspec import structs

from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.intel_subgroup_mma.device import MadDevice, MadState
from mmaspec.backends.numpy.register_kernels import Registers
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.backends.numpy.units.unit import ArithmeticUnit, Bits
from mmaspec.programs.intel_subgroup_mma.program import Mad
from mmaspec.programs.profile import PRACTICE

EIGHT_ROWS = 8


class Planted(NumpyBackend):
    """The numpy backend with another device for these functions; it declares no arithmetic of its own."""

    device: type[MadDevice] = MadDevice

    def __init__(self) -> None:
        made = {"intel-subgroup-mma": self.device}
        super().__init__(SequentialUnit(), made, name=type(self).__name__, profile=PRACTICE)


class _WordsExchanged(MadDevice):
    def parts(self, state: MadState, step: Mad) -> Registers:
        words = super().parts(state, step)
        order = [0, 1, 3, 2, *range(4, words.shape[-1])]
        return words[..., order] if "k64" in step.function else words


class WordsOfBExchanged(Planted):
    """Components 2 and 3 of B are exchanged in the 4-bit functions, as by a table of registers with a slip."""

    device = _WordsExchanged


class _OddGroups(MadDevice):
    def results(self, state: MadState, step: Mad, rows: Bits) -> Registers:
        kept = super().results(state, step, rows)
        if kept.shape[-1] > 1:
            kept[:, 1::2] = kept[:, 1::2][..., [1, 0, *range(2, kept.shape[-1])]]
        return kept


class OddGroupsFirstRows(Planted):
    """In every odd sub-group the first two rows of the result are exchanged."""

    device = _OddGroups


class _LatePrefetch(MadDevice):
    def load(self, state: MadState, step: Any) -> None:
        late = state.loop >= 2 and state.fragments[step.into].use == "b"
        super().load(replace(state, loop=state.loop - 1) if late else state, step)  # the registers are the same ones


class LateColumnsOfB(Planted):
    """From the third pass of a loop on B is that of the pass before: a prefetch that is awaited too late."""

    device = _LatePrefetch


class _UpperRows(MadDevice):
    def results(self, state: MadState, step: Mad, rows: Bits) -> Registers:
        if rows.shape[-2] == EIGHT_ROWS:
            rows = np.concatenate([rows[..., :4, :], np.roll(rows[..., 4:, :], 1, axis=-1)], axis=-2)
        return super().results(state, step, rows)


class UpperRowsRotated(Planted):
    """Of eight rows the upper four are rotated by a work-item, as by a shuffle with a stale offset."""

    device = _UpperRows


class _ThirteenBits(MadDevice):
    def product(self, formats: tuple[str, str, str], a: Bits, b: Bits, c: Bits) -> Bits:
        if formats[:2] != ("u4", "u4"):
            return super().product(formats, a, b, c)
        dot = super().product(formats, a, b, np.zeros_like(c)) & np.uint64(0x1FFF)
        return (dot + c) & np.uint64(0xFFFFFFFF)


class ThirteenBitDots(Planted):
    """Sums of products of two unsigned 4-bit matrices keep 13 bits; the largest takes 14."""

    device = _ThirteenBits


class _Aborting(MadDevice):
    def multiply(self, state: MadState, step: Mad) -> None:
        if step.function.startswith("bf16") and state.fragments[step.d].count == 1:
            os.abort()
        super().multiply(state, step)


class AbortsOnOneRowOfBf16(Planted):
    """The process dies of bfloat16 products with a single row, whose vectors are scalars."""

    device = _Aborting


class _ZeroFromNeighbour(MadDevice):
    def multiply(self, state: MadState, step: Mad) -> None:
        super().multiply(state, step)
        if step.c is None:
            stale = np.roll(state.registers[step.d], 1, axis=0)
            stale[0] = 0
            state.registers[step.d] = stale
            super().multiply(state, structs.replace(step, c=step.d))


class ZerosKeepNeighbour(Planted):
    """A literal zero for the accumulator is the result of the item before it in the batch: it is cleared only once."""

    device = _ZeroFromNeighbour


class _FlippingSometimes(MadDevice):
    def __init__(self, unit: ArithmeticUnit) -> None:
        super().__init__(unit)
        self.draws = random.Random("flip")  # noqa: S311 - the same calls get the same answers in every process

    def multiply(self, state: MadState, step: Mad) -> None:
        super().multiply(state, step)
        if self.sums(state, step) == "f32" and self.draws.random() < 0.4:
            registers = state.registers[step.d]
            registers[..., self.draws.randrange(registers.shape[2]), 0] ^= np.uint32(1 << 30)


class FlipsABitOfASum(Planted):
    """In four of ten float products one work-item has a flipped bit of the exponent: a path that misses its timing."""

    device = _FlippingSometimes
