"""Reference devices that spoil what one instruction writes, to see whether anything judged depends on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
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

Held = Mapping[str, NDArray[Any]]
"""What a device holds of matrices, fragments, buffers or arrays."""

FLIPPED = 0x4040_4040_4040_4040
"""The bits that are flipped: the second highest of every byte, so of every element, whatever its width."""


class Turn:
    """Which execution of an instruction is meant, counted from 0, and how far a device has come in a program."""

    def __init__(self, program: Program, place: Place) -> None:
        every = [one for one, _ in tree.unrolled(program)]
        self.wanted: int = every.index(place)
        self.steps: int = len(every)
        self.next: int = 0

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


def byte(_: str) -> int:
    """The width of what memory holds."""
    return 8


def spoiling(spec: str, program: Program, place: Place, caps: object) -> NumpyBackend:
    """The numpy backend that spoils what one execution of an instruction writes, in one program.

    Each of our specifications has such a device in the module ``spoiling`` beside its faults.
    """
    turn = Turn(program, place)
    device_type = import_module(f"{specification(spec).module('faults')}.spoiling").Spoiling

    def make(_: ArithmeticUnit) -> ReferenceDevice:
        device: ReferenceDevice = device_type(turn)
        device.caps = caps
        return device

    return NumpyBackend(SequentialUnit(), {spec: make}, name="spoiling", profile=PRACTICE)
