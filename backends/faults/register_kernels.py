"""Deviations of devices of register kernels that are about loads, stores, loops and addends: mix-ins.

What a product does is the matter of each specification, whose device stands behind one of these as a base.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np
from msgspec.structs import replace

from mmaspec.backends.faults.defects.memory import MemoryDefect, beside
from mmaspec.backends.faults.spoiling import Turn
from mmaspec.backends.numpy.backend import ReferenceDevice, Submitted
from mmaspec.backends.numpy.register_kernels import RegisterDevice, Registers, State
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.backends.numpy.units.unit import ArithmeticUnit
from mmaspec.backends.protocol import Images
from mmaspec.programs.base import Affine
from mmaspec.programs.register_kernels import Fill, Fragment, Load, Repeat, Store

AnyState = State[Any, Any]


class Deviating(RegisterDevice[Any, Any, Any]):
    """The base of all mix-ins: a device of whichever kernels."""


class OnlyWhere:
    """Deviates in some calls only: a rule of one layout leaves the others alone, and so does what breaks it.

    ``meant`` says of a program and a call in it whether it deviates there; of a program without calls, with None.
    """

    def __init__(
        self,
        unit: ArithmeticUnit,
        *,
        device: Callable[[ArithmeticUnit], ReferenceDevice],
        plain: Callable[[ArithmeticUnit], ReferenceDevice],
        meant: Callable[[Any, Any], bool],
    ) -> None:
        self._deviating, self._plain, self._meant = device(unit), plain(unit), meant
        self._mixed = _by_call(device(unit), plain(unit), meant)
        self.caps: Any = self._plain.caps

    def broken(self, submitted: Submitted) -> tuple[str, ...]:
        """The checks of the plain device."""
        return self._plain.broken(submitted)

    def run(self, program: Any, inputs: Images) -> Images:
        """Run on the deviating or the plain device, or its calls on one or the other."""
        found = {self._meant(program, call) for call in list(_calls(program)) or [None]}
        device = self._mixed if len(found) > 1 else self._deviating if True in found else self._plain
        return device.run(program, inputs)


def _calls(program: Any) -> Iterator[Any]:
    """Every product of a program."""
    for outer in program.body:
        for step in outer.body if isinstance(outer, Repeat) else (outer,):
            if not isinstance(step, Load | Store | Fill):
                yield step


def _by_call(deviating: Any, plain: Any, meant: Callable[[Any, Any], bool]) -> ReferenceDevice:
    """The deviating device, of which the plain one carries out the calls that are not meant."""

    def multiply(_: Any, state: AnyState, step: Any) -> None:
        if meant(state.program, step):
            kind.multiply(deviating, state, step)
        else:
            plain.multiply(state, step)

    kind: Any = type(deviating)
    deviating.__class__ = type(f"{kind.__name__}ByCall", (kind,), {"multiply": multiply})
    found: ReferenceDevice = deviating
    return found


class CDropped(Deviating):
    """C is zero."""

    def addend(self, state: AnyState, step: Any) -> Registers:
        """Zeros."""
        return np.zeros_like(super().addend(state, step))


class InPlaceReadsNewValue(Deviating):
    """Where C is the destination, it is read after A*B was written there."""

    def multiply(self, state: AnyState, step: Any) -> None:
        """A*B first, then A*B plus what that left."""
        if step.c == step.d:
            super().multiply(state, replace(step, c=None))
        super().multiply(state, step)


class LiteralReadsDestination(Deviating):
    """A literal zero for C is taken to mean the destination, as it stands."""

    def addend(self, state: AnyState, step: Any) -> Registers:
        """The registers of D."""
        return state.registers[step.d] if step.c is None else super().addend(state, step)


class FillSkipsOddRegisters(Deviating):
    """Setting an accumulator to zero leaves every other register as it was."""

    def fill(self, state: AnyState, step: Fill) -> None:
        """Every other register as before."""
        before = state.registers[step.into]
        super().fill(state, step)
        if step.bits == 0 and state.fragments[step.into].use == "cd":
            state.registers[step.into][..., 1::2] = before[..., 1::2]


class PassesStartAfresh(Deviating):
    """Every pass of a loop finds C as it was before the loop."""

    def addend(self, state: AnyState, step: Any) -> Registers:
        """The registers at the start of the loop."""
        found = super().addend(state, step)
        return state.entry.get(step.c, found) if state.loop and step.c is not None else found


class FirstTileEveryPass(Deviating):
    """A load does not move on with the loop."""

    def stretches(self, state: AnyState, step: Any, fragment: Fragment) -> Iterator[tuple[int, slice]]:
        """Without the loop's step."""
        if isinstance(step, Load) and isinstance(step.block, Affine):
            step = replace(step, block=replace(step.block, loop=0))
        return super().stretches(state, step, fragment)


class BaseIgnored(Deviating):
    """Loads count blocks from the start of the buffer."""

    def stretches(self, state: AnyState, step: Any, fragment: Fragment) -> Iterator[tuple[int, slice]]:
        """From block 0."""
        if isinstance(step, Load):
            step = replace(step, block=replace(step.block, base=0) if isinstance(step.block, Affine) else 0)
        return super().stretches(state, step, fragment)


class WavesShareBlock(Deviating):
    """Every wave loads what the first one does."""

    def stretches(self, state: AnyState, step: Any, fragment: Fragment) -> Iterator[tuple[int, slice]]:
        """Without the wave's step."""
        if isinstance(step, Load) and isinstance(step.block, Affine):
            step = replace(step, block=replace(step.block, wave=0))
        return super().stretches(state, step, fragment)


class LaterWavesDoNotStore(Deviating):
    """Only the first wave stores."""

    def stretches(self, state: AnyState, step: Any, fragment: Fragment) -> Iterator[tuple[int, slice]]:
        """None but the first."""
        found = super().stretches(state, step, fragment)
        return islice(found, 1) if isinstance(step, Store) else found


class ComponentsApart(Deviating):
    """Loads find the first component of every lane, then the second of every lane, and so on."""

    def load(self, state: AnyState, step: Any) -> None:
        """What lies there, dealt out in the other order."""
        super().load(state, step)
        found = state.registers[step.into]
        batch, waves, lanes, count = found.shape
        state.registers[step.into] = np.swapaxes(found.reshape(batch, waves, count, lanes), -1, -2).copy()


class StoreSpills(Deviating):
    """A store writes four bytes past its block."""

    def store(self, state: AnyState, step: Store) -> None:
        """Four bytes more are overwritten."""
        for _, stretch in self.stretches(state, step, state.fragments[step.fragment]):
            image = state.images[step.buffer]
            image[:, stretch.stop : stretch.stop + 4] = 0xEE
        super().store(state, step)


class DefectiveMemory(Deviating):
    """A defect in moving elements: lines are lanes, places are registers."""

    def __init__(self, unit: ArithmeticUnit, defect: MemoryDefect) -> None:
        super().__init__(unit)
        self._defect = defect

    def load(self, state: AnyState, step: Any) -> None:
        """What arrives is changed."""
        super().load(state, step)
        if self._defect.verb == "load":
            state.registers[step.into] = self._changed(state.registers[step.into])

    def store(self, state: AnyState, step: Store) -> None:
        """What is written is changed, or where."""
        held, image = state.registers[step.fragment], state.images[step.buffer]
        before, fragment = image.copy(), state.fragments[step.fragment]
        if self._defect.verb == "spill":
            for _, stretch in self.stretches(state, step, fragment):
                beside(image, stretch.start, stretch.stop - 1, self._defect.reach)
        if self._defect.verb == "store":
            state.registers[step.fragment] = self._changed(held)
        super().store(state, step)
        state.registers[step.fragment] = held
        if self._defect.verb == "skip":
            for _, stretch in self.stretches(state, step, fragment):
                lane = slice(stretch.stop - fragment.vector_bytes, stretch.stop)
                image[:, lane] = before[:, lane]

    def _changed(self, registers: Registers) -> Registers:
        return self._defect.change(registers.astype(np.uint64)).astype(registers.dtype)


class SpoilingDevice(Deviating):
    """Executes everything, and changes what one instruction writes."""

    def __init__(self, turn: Turn) -> None:
        super().__init__(SequentialUnit())
        self.turn = turn

    def step(self, state: AnyState, step: Any) -> None:
        """One instruction; changed if it is its turn."""
        if not self.turn.come():
            super().step(state, step)
            return
        with self.turn.changing(state.registers, lambda name: 8 * state.registers[name].itemsize, state.images):
            super().step(state, step)
