"""Reference devices that spoil what one instruction writes, to see whether anything judged depends on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.numpy.backend import NumpyBackend, ReferenceDevice
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.backends.numpy.units.unit import ArithmeticUnit
from mmaspec.programs import tree
from mmaspec.programs.base import Place, Program
from mmaspec.programs.profile import PRACTICE
from mmaspec.programs.specifications import specification

Held = MutableMapping[str, NDArray[Any]]
"""What a device holds of matrices, fragments, buffers or arrays."""

FLIPPED = 0x4040_4040_4040_4040
"""The bits that are flipped: the second highest of every byte, so of every element, whatever its width."""


class Turn:
    """Which execution of an instruction is meant, counted from 0, and how far a device has come in a program.

    Of several executions each is meant in items of the batch of its own: in the first as many as ``share`` says, in
    the next as many, and so on.
    """

    def __init__(self, program: Program, *places: Place, share: int | None = None) -> None:
        every = {one: number for number, (one, _) in enumerate(tree.unrolled(program))}
        self.wanted: dict[int, slice] = {
            every[place]: slice(None) if share is None else slice(number * share, (number + 1) * share)
            for number, place in enumerate(places)
        }
        self.steps: int = len(every)
        self.next: int = 0
        self.items: slice = slice(None)
        """The items of the batch in which the instruction that came last is meant."""

    def come(self) -> bool:
        """Whether the next instruction is meant; counts it. Every run of the program has all of its instructions."""
        found = self.wanted.get(self.next % self.steps)
        self.next += 1
        if found is not None:
            self.items = found
        return found is not None

    def changing(self, matrices: Held, bits: Callable[[str], int], *memory: Held) -> AbstractContextManager[None]:
        """What is done around the execution that is meant: whatever it writes is spoilt.

        ``bits`` says how wide the elements of a matrix are.
        """
        return spoilt(self.items, (matrices, bits), *((one, byte) for one in memory))


@contextmanager
def spoilt(items: slice, *held: tuple[Held, Callable[[str], int]]) -> Iterator[None]:
    """Whatever is written meanwhile to these items of the batch is changed once more.

    With each mapping, how many bits wide its elements are. A matrix that is new is changed everywhere, even if it holds
    what the one before held.
    """
    before = [{name: (array, array[items].copy()) for name, array in one.items()} for one, _ in held]
    yield
    for (now, bits), old in zip(held, before, strict=True):
        for name, whole in now.items():
            array = whole[items]
            array_before, contents = old.get(name, (None, array))
            same = array == contents if whole is array_before else np.zeros(array.shape, np.bool_)
            if not same.all():
                mask = FLIPPED & (1 << bits(name)) - 1
                array[...] = np.where(same, array, array ^ array.dtype.type(mask))


def byte(_: str) -> int:
    """The width of what memory holds."""
    return 8


def _copied(held: Held) -> dict[str, NDArray[Any]]:
    return {name: array.copy() for name, array in held.items()}


class Deviation(Turn):
    """A small mistake of one execution of an instruction: ``change`` says what a matrix holds instead.

    The matrix is the one that the instruction writes; where it is ``stored``, the one that is stored, which is
    changed before and put back afterwards. A store that writes nothing, as all of it lies out of bounds, is wrong by
    writing: the lowest bit flips of the byte ``stray``, given by the name of its memory and its place there. Without a
    matrix the lowest bit of each byte that is written flips.
    """

    def __init__(
        self,
        program: Program,
        place: Place,
        matrix: str,
        change: Callable[[NDArray[Any]], NDArray[Any]],
        *,
        stored: bool = False,
        stray: tuple[str, int] = ("", 0),
    ) -> None:
        super().__init__(program, place)
        self.matrix = matrix
        self.change = change
        self.stored = stored
        self.stray = stray

    @contextmanager
    def changing(self, matrices: Held, bits: Callable[[str], int], *memory: Held) -> Iterator[None]:  # noqa: ARG002
        """The mistake, around the execution that makes it."""
        before = [] if self.matrix and not self.stored else [_copied(one) for one in memory]
        if not self.matrix:
            yield
            for one, old in zip(memory, before, strict=True):
                for name in one:
                    one[name][...] ^= one[name] != old[name]
        elif self.stored:
            kept = matrices[self.matrix]
            matrices[self.matrix] = self.change(kept)
            yield
            matrices[self.matrix] = kept
            name, byte = self.stray
            if not any((one[each] != old[each]).any() for one, old in zip(memory, before, strict=True) for each in one):
                for one in memory:
                    if name in one:
                        one[name][:, byte] ^= 1
        else:
            yield
            matrices[self.matrix] = self.change(matrices[self.matrix])


def spoiling(spec: str, program: Program, caps: object, *places: Place, share: int | None = None) -> NumpyBackend:
    """The numpy backend that spoils what one execution of an instruction writes, in one program.

    Of several executions, each in ``share`` items of the batch of its own, as a `Turn` has it.
    """
    return deviating(spec, Turn(program, *places, share=share), caps)


def deviating(spec: str, turn: Turn, caps: object) -> NumpyBackend:
    """The numpy backend that does something about one execution of an instruction, in one program.

    Each of our specifications has such a device in the module ``spoiling`` beside its faults.
    """
    device_type = import_module(f"{specification(spec).module('faults')}.spoiling").Spoiling

    def make(_: ArithmeticUnit) -> ReferenceDevice:
        device: ReferenceDevice = device_type(turn)
        device.caps = caps
        return device

    return NumpyBackend(SequentialUnit(), {spec: make}, name="spoiling", profile=PRACTICE)
