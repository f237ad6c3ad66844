"""Defects of memory planted in the machine of each specification."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.faults.defects.memory import MemoryDefect
from mmaspec.backends.numpy.amd_rdna3_wmma.device import State, WmmaMachine
from mmaspec.backends.numpy.backend import Machine
from mmaspec.backends.numpy.hlsl_wave_matrix.device import Arguments, Shader, WaveMatrixMachine
from mmaspec.backends.numpy.hlsl_wave_matrix.execution import WIDTH
from mmaspec.backends.numpy.nv_coopmat2.device import CoopMat2Machine
from mmaspec.backends.numpy.nv_coopmat2.execution import Running
from mmaspec.backends.numpy.units.unit import ArithmeticUnit, Bits
from mmaspec.programs.amd_rdna3_wmma import program as rdna3
from mmaspec.programs.hlsl_wave_matrix import program as wave_matrix
from mmaspec.programs.nv_coopmat2 import program as coopmat2

Image = NDArray[np.uint8]


def _beside(image: Image, first: int, last: int, reach: int) -> None:
    """Overwrite bytes beside ``first`` to ``last``, as far as there are any."""
    start, stop = (first + reach, first) if reach < 0 else (last + 1, last + 1 + reach)
    image[:, max(start, 0) : max(stop, 0)] = 0xEE


class _Registers(WmmaMachine):
    """Lines are lanes, places are VGPRs."""

    def __init__(self, unit: ArithmeticUnit, defect: MemoryDefect) -> None:
        super().__init__(unit)
        self._defect = defect

    def load(self, state: State, step: rdna3.Load) -> None:
        super().load(state, step)
        if self._defect.verb == "load":
            found = self._defect.change(state.registers[step.into].astype(np.uint64))
            state.registers[step.into] = found.astype(np.uint32)

    def store(self, state: State, step: rdna3.Store) -> None:
        held, image = state.registers[step.fragment], state.images[step.buffer]
        before, fragment = image.copy(), state.fragments[step.fragment]
        if self._defect.verb == "spill":
            for _, stretch in self.stretches(state, step, fragment):
                _beside(image, stretch.start, stretch.stop - 1, self._defect.reach)
        if self._defect.verb == "store":
            found = self._defect.change(held.astype(np.uint64))
            state.registers[step.fragment] = found.astype(np.uint32)
        super().store(state, step)
        state.registers[step.fragment] = held
        if self._defect.verb == "skip":
            for _, stretch in self.stretches(state, step, fragment):
                lane = slice(stretch.stop - fragment.vector_bytes, stretch.stop)
                image[:, lane] = before[:, lane]


class _WaveMatrices(WaveMatrixMachine):
    """Lines are rows, places are columns. Row-major and column-major: matrices in buffers, no fragments."""

    def __init__(self, unit: ArithmeticUnit, defect: MemoryDefect) -> None:
        super().__init__(unit)
        self._defect = defect

    def _meant(self, one: Arguments) -> bool:
        if self._defect.way == "any":
            return True
        return not one.shared and not one.vector and one.col_major == (self._defect.way == "column")

    def load(self, shader: Shader, load: wave_matrix.Load, matrix: wave_matrix.Matrix, waves: list[Arguments]) -> Bits:
        bits = super().load(shader, load, matrix, waves)
        return self._defect.change(bits) if self._defect.verb == "load" and self._meant(waves[0]) else bits

    def outgoing(self, shader: Shader, matrix: wave_matrix.Matrix, waves: list[Arguments]) -> Bits:
        bits = super().outgoing(shader, matrix, waves)
        return self._defect.change(bits) if self._defect.verb == "store" and self._meant(waves[0]) else bits

    def store(self, shader: Shader, store: wave_matrix.Store, matrix: wave_matrix.Matrix, loop: int) -> None:
        view, size = shader.view(store.buffer), WIDTH[matrix.element]
        _, _, rows, cols = shader.shape(matrix)
        arguments = self.arguments(shader, store, loop)
        waves = [self.positions(rows, cols, size, one) for one in arguments]
        before = view.copy()
        if self._defect.verb == "spill":
            for where in waves:
                _beside(view, int(where.min()), int(where.max()) + size - 1, self._defect.reach)
        super().store(shader, store, matrix, loop)
        if self._defect.verb == "skip":
            for where, one in zip(waves, arguments, strict=True):
                if not self._meant(one):
                    continue
                line = (where[-1, :] if rows > 1 else where[:, -1])[:, np.newaxis] + np.arange(size)
                view[:, line] = before[:, line]


class _CooperativeMatrices(CoopMat2Machine):
    """Lines are rows, places are columns. Row-major and column-major: plain accesses."""

    def __init__(self, unit: ArithmeticUnit, defect: MemoryDefect) -> None:
        super().__init__(unit)
        self._defect = defect

    def _changed(self, verb: str, way: str, bits: Bits) -> Bits:
        meant = self._defect.verb == verb and self._defect.way in {way, "any"}
        return self._defect.change(bits) if meant else bits

    def load(self, running: Running, access: coopmat2.Load, loop: int) -> Bits:
        way = "column" if self.by_columns(access) else "row"
        return self._changed("load", way, super().load(running, access, loop))

    def store(self, running: Running, access: coopmat2.Store, loop: int) -> None:
        where, width = self.lines(running, access, loop), self.width(running, access)
        way = "column" if self.by_columns(access) else "row"
        image, base = running.memory[access.buffer], running.base(access.buffer)
        held, before = running.matrices[access.matrix], image.copy()
        running.matrices[access.matrix] = self._changed("store", way, held)
        if self._defect.verb == "spill":
            for wave in where + base:
                _beside(image, int(wave.min()), int(wave.max()) + width - 1, self._defect.reach)
        super().store(running, access, loop)
        running.matrices[access.matrix] = held
        if self._defect.verb == "skip" and self._defect.way in {way, "any"}:
            for wave in where + base:
                line = wave[-1, :, np.newaxis] + np.arange(width)
                image[:, line] = before[:, line]


MACHINES: Mapping[str, Callable[[ArithmeticUnit, MemoryDefect], Machine]] = MappingProxyType(
    {"amd-rdna3-wmma": _Registers, "hlsl-wave-matrix": _WaveMatrices, "nv-coopmat2": _CooperativeMatrices}
)
"""Specification -> its machine with a defect of memory."""
