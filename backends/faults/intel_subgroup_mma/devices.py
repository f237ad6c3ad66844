"""Devices for sub-group matrix functions that deviate in one place each; ``catalogue.FAULTS`` names the clauses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace as changed
from typing import Any

import numpy as np
from msgspec.structs import replace

from mmaspec.backends.faults import register_kernels
from mmaspec.backends.faults.defects.defective_unit import DefectiveUnit, Deviation
from mmaspec.backends.numpy.intel_subgroup_mma.device import SUMS, MadDevice, MadState
from mmaspec.backends.numpy.register_kernels import Registers
from mmaspec.backends.numpy.units.unit import ArithmeticUnit, Bits
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.intel_subgroup_mma.program import Fragment, Mad, MadProgram, Repeat, Store

Change = Callable[[Bits], Bits]


def calls(program: MadProgram) -> Iterator[Mad]:
    """Every call of a function."""
    for outer in program.body:
        for step in outer.body if isinstance(outer, Repeat) else (outer,):
            if isinstance(step, Mad):
                yield step


def tags(program: MadProgram, step: Mad | None) -> frozenset[str]:
    """The tags of the caps row to which a call in a program belongs; None: of all rows that it can belong to."""
    size = f"n{program.sub_group_size}"
    if step is None:
        return frozenset({size})
    a, b = step.function.split("_")[:2]
    acc = SUMS[program.fragment(step.d).component.removeprefix("u")]
    kind = "float" if FORMATS[acc].is_float else "int"
    return frozenset({size, kind, f"bits-{a.strip('iubf')}", f"a-{a}", f"b-{b}", f"acc-{acc}"})


class AChanged(MadDevice):
    """A as it is broadcast is changed."""

    def __init__(self, unit: ArithmeticUnit, *, change: Change) -> None:
        super().__init__(unit)
        self._change = change

    def left(self, state: MadState, step: Mad) -> Bits:
        """Changed."""
        return self._change(super().left(state, step))


class BChanged(MadDevice):
    """B as the work-items hold it is changed."""

    def __init__(self, unit: ArithmeticUnit, *, change: Change) -> None:
        super().__init__(unit)
        self._change = change

    def right(self, state: MadState, step: Mad) -> Bits:
        """Changed."""
        return self._change(super().right(state, step))


class ComponentsOfBChanged(MadDevice):
    """The components of B are changed, ``(batch, waves, items, 8)``."""

    def __init__(self, unit: ArithmeticUnit, *, change: Callable[[Registers], Registers]) -> None:
        super().__init__(unit)
        self._change = change

    def multiply(self, state: MadState, step: Mad) -> None:
        """As if the registers held that."""
        registers = {**state.registers, step.b: self._change(state.registers[step.b])}
        inner = changed(state, registers=registers)
        super().multiply(inner, step)
        state.registers[step.d] = inner.registers[step.d]


def fields_reversed(bits: int) -> Callable[[Registers], Registers]:
    """Fields of so many bits in the other order in each word; of words so wide, nothing."""

    def change(words: Registers) -> Registers:
        shifts = range(0, 8 * words.dtype.itemsize, bits)
        mask = words.dtype.type((1 << bits) - 1)
        found = np.zeros_like(words)
        for at, to in zip(shifts, reversed(shifts), strict=True):
            found |= (words >> words.dtype.type(at) & mask) << words.dtype.type(to)
        return found

    return change


class BReversedInComponents(MadDevice):
    """The highest row of B in the lowest bits of each component."""

    def multiply(self, state: MadState, step: Mad) -> None:
        """By the width of its elements."""
        inner = ComponentsOfBChanged(self.unit, change=fields_reversed(self.width(step)))
        inner.multiply(state, step)


class AddendChanged(MadDevice):
    """The addend is changed, ``(batch, waves, rows, items)``."""

    def __init__(self, unit: ArithmeticUnit, *, change: Change) -> None:
        super().__init__(unit)
        self._change = change

    def accumulators(self, state: MadState, step: Mad) -> Bits:
        """Changed."""
        return self._change(super().accumulators(state, step))


class SumsChanged(MadDevice):
    """The results are changed, ``(batch, waves, rows, items)``."""

    def __init__(self, unit: ArithmeticUnit, *, change: Change) -> None:
        super().__init__(unit)
        self._change = change

    def product(self, formats: tuple[str, str, str], a: Bits, b: Bits, c: Bits) -> Bits:
        """Changed."""
        return self._change(super().product(formats, a, b, c))


class WithRows(MadDevice):
    """Deviates in calls with at least ``fewest`` rows."""

    def __init__(self, unit: ArithmeticUnit, *, device: Callable[[ArithmeticUnit], MadDevice], fewest: int) -> None:
        super().__init__(unit)
        self._device, self._fewest = device(unit), fewest

    def multiply(self, state: MadState, step: Mad) -> None:
        """As one device or the other."""
        if state.fragments[step.d].count >= self._fewest:
            self._device.multiply(state, step)
        else:
            super().multiply(state, step)


class FormatsChanged(MadDevice):
    """Elements of A, B or the accumulator are read as another format has them."""

    def __init__(
        self,
        unit: ArithmeticUnit,
        *,
        a: Mapping[str, str] | None = None,
        b: Mapping[str, str] | None = None,
        acc: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(unit)
        self._a, self._b, self._acc = a or {}, b or {}, acc or {}

    def factors(self, step: Mad) -> tuple[str, str]:
        """Of A and B."""
        a, b = super().factors(step)
        return self._a.get(a, a), self._b.get(b, b)

    def sums(self, state: MadState, step: Mad) -> str:
        """Of the accumulator."""
        found = super().sums(state, step)
        return self._acc.get(found, found)


def over(unit: ArithmeticUnit, *, deviation: Deviation, floats: bool | None) -> MadDevice:
    """The reference device over an arithmetic unit that deviates in sums of floats, in others, or (None) in all."""
    del unit
    return MadDevice(DefectiveUnit(deviation, floats=floats))


class BroadcastsOfFirstSubGroup(MadDevice):
    """Every sub-group gets what the first one broadcasts."""

    def broadcasts(self, state: MadState, step: Mad) -> Registers:
        """That of wave 0."""
        found = super().broadcasts(state, step)
        return np.broadcast_to(found[:, :1], found.shape)


class ConstantsFillLowestElement(MadDevice):
    """A constant is in the lowest bits of each component, and nowhere else."""

    def word_of(self, fragment: Fragment, bits: int) -> int:  # noqa: ARG002
        """One element."""
        return bits


class StoresSixteenWorkItems(MadDevice):
    """A store writes the vectors of sixteen work-items."""

    def store(self, state: MadState, step: Store) -> None:
        """Those of eight are followed by as much of something else."""
        fragment = state.fragments[step.fragment]
        beyond = (16 - state.program.lanes) * fragment.vector_bytes
        for _, stretch in self.stretches(state, step, fragment):
            image: Any = state.images[step.buffer]
            image[:, stretch.stop : stretch.stop + beyond] = 0xEE
        super().store(state, step)


class StoresWriteVectorBefore(MadDevice):
    """A store writes a vector more, before its first one."""

    def store(self, state: MadState, step: Store) -> None:
        """The bytes before."""
        fragment = state.fragments[step.fragment]
        for _, stretch in self.stretches(state, step, fragment):
            first = max(stretch.start - fragment.vector_bytes, 0)
            state.images[step.buffer][:, first : stretch.start] = 0xEE
        super().store(state, step)


class OneRowDropsC(MadDevice):
    """Scalars are not added."""

    def multiply(self, state: MadState, step: Mad) -> None:
        """Zeros for one row."""
        super().multiply(state, replace(step, c=None) if state.fragments[step.d].count == 1 else step)


class CDropped(register_kernels.CDropped, MadDevice):
    """The accumulator is zero."""


class InPlaceReadsNewValue(register_kernels.InPlaceReadsNewValue, MadDevice):
    """Where the accumulator is the result, it is read after A*B was written there."""


class LiteralReadsDestination(register_kernels.LiteralReadsDestination, MadDevice):
    """Zeros for the accumulator are taken to mean the result, as it stands."""


class PassesStartAfresh(register_kernels.PassesStartAfresh, MadDevice):
    """Every pass of a loop finds the accumulator as it was before the loop."""


class FirstTileEveryPass(register_kernels.FirstTileEveryPass, MadDevice):
    """A load does not move on with the loop."""


class BaseIgnored(register_kernels.BaseIgnored, MadDevice):
    """Loads count blocks from the start of the buffer."""


class WavesShareBlock(register_kernels.WavesShareBlock, MadDevice):
    """Every sub-group loads what the first one does."""


class LaterWavesDoNotStore(register_kernels.LaterWavesDoNotStore, MadDevice):
    """Only the first sub-group stores."""


class ComponentsApart(register_kernels.ComponentsApart, MadDevice):
    """Vectors are taken from memory component by component."""


class StoreSpills(register_kernels.StoreSpills, MadDevice):
    """A store writes four bytes past its block."""
