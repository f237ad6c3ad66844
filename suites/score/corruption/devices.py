"""Reference devices that spoil what one instruction leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.numpy.amd_rdna3_wmma.device import State as WmmaState
from mmaspec.backends.numpy.amd_rdna3_wmma.device import WmmaDevice
from mmaspec.backends.numpy.backend import NumpyBackend, ReferenceDevice
from mmaspec.backends.numpy.hlsl_wave_matrix.device import WaveMatrixDevice
from mmaspec.backends.numpy.hlsl_wave_matrix.execution import WIDTH, Shader
from mmaspec.backends.numpy.nv_coopmat2.device import CoopMat2Device
from mmaspec.backends.numpy.nv_coopmat2.execution import Running
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.backends.numpy.units.unit import ArithmeticUnit
from mmaspec.programs import tree
from mmaspec.programs.amd_rdna3_wmma.program import Plain
from mmaspec.programs.base import Place, Program
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.program import Simple
from mmaspec.programs.nv_coopmat2.program import Simple as Step
from mmaspec.programs.profile import PRACTICE

Held = Mapping[str, NDArray[Any]]
"""What a device holds of matrices, fragments, buffers or arrays."""

FLIPPED = 0x4040_4040_4040_4040
"""The bits that are flipped: the second highest of every byte, so of every element, whatever its width."""


class Turn:
    """Which execution of an instruction is meant, counted from 0, and how far a device has come in a program."""

    def __init__(self, program: Program, place: Place) -> None:
        every = [one for one, _ in tree.unrolled(program)]
        self.wanted, self.steps = every.index(place), len(every)
        self.next = 0

    def come(self) -> bool:
        """Whether the next instruction is meant; counts it. Every run of the program has all of its instructions."""
        found = self.next % self.steps == self.wanted
        self.next += 1
        return found


@contextmanager
def spoilt(*held: tuple[Held, Callable[[str], int]]) -> Iterator[None]:
    """Whatever is written meanwhile is changed once more; with each mapping, how many bits wide its elements are.

    A matrix that is new is changed everywhere, even if it holds what the one before held.
    """
    before = [{name: (array, array.copy()) for name, array in one.items()} for one, _ in held]
    yield
    for (now, bits), old in zip(held, before, strict=True):
        for name, array in now.items():
            array_before, contents = old.get(name, (None, array))
            same = array == contents if array is array_before else np.zeros(array.shape, np.bool_)
            if not same.all():
                mask = FLIPPED & (1 << bits(name)) - 1
                now[name][...] = np.where(same, array, array ^ array.dtype.type(mask))


def corrupted(spec: str, program: Program, place: Place, caps: object) -> NumpyBackend:
    """The numpy backend that spoils what one execution of an instruction writes, in one program."""
    turn = Turn(program, place)

    def make(_: ArithmeticUnit) -> ReferenceDevice:
        device: ReferenceDevice = DEVICES[spec](turn)
        device.caps = caps
        return device

    return NumpyBackend(SequentialUnit(), {spec: make}, name="corrupted", profile=PRACTICE)


class _WaveMatrix(WaveMatrixDevice):
    def __init__(self, turn: Turn) -> None:
        super().__init__(SequentialUnit())
        self.turn = turn

    def execute(self, shader: Shader, instruction: Simple, loop: int) -> None:
        if not self.turn.come():
            super().execute(shader, instruction, loop)
            return

        def width(name: str) -> int:
            return 8 * WIDTH[shader.program.matrix(name).element]

        with spoilt((shader.matrices, width), (shader.memory, _byte), (shader.shared, _byte)):
            super().execute(shader, instruction, loop)


class _CoopMat2(CoopMat2Device):
    def __init__(self, turn: Turn) -> None:
        super().__init__(SequentialUnit())
        self.turn = turn

    def step(self, running: Running, instruction: Step, loop: int) -> None:
        if not self.turn.come():
            super().step(running, instruction, loop)
            return

        def width(name: str) -> int:
            return FORMATS[running.program.matrix(name).component].bits

        with spoilt((running.matrices, width), (running.memory, _byte)):
            super().step(running, instruction, loop)


class _Wmma(WmmaDevice):
    def __init__(self, turn: Turn) -> None:
        super().__init__(SequentialUnit())
        self.turn = turn

    def step(self, state: WmmaState, step: Plain) -> None:
        if not self.turn.come():
            super().step(state, step)
            return
        with spoilt((state.registers, lambda _: 32), (state.images, _byte)):
            super().step(state, step)


def _byte(_: str) -> int:
    return 8


DEVICES: Mapping[str, Callable[[Turn], Any]] = MappingProxyType(
    {"hlsl-wave-matrix": _WaveMatrix, "nv-coopmat2": _CoopMat2, "amd-rdna3-wmma": _Wmma}
)
"""Specification -> its spoiling device."""
