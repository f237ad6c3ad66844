"""Counterfactuals: for each clause the device with that clause misread."""

from __future__ import annotations

from functools import partial

import numpy as np

from mmaspec.backends.faults.fault import Fault
from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.units.sequential import SequentialUnit
from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.backends.protocol import Images
from mmaspec.programs.profile import PRACTICE
from toy_mac.device import ToyMachine
from toy_mac.program import ToyProgram


class _TakesAnyOffset(ToyMachine):
    def broken(self, program: ToyProgram, inputs: Images) -> tuple[str, ...]:
        return ()


class _ByColumns(ToyMachine):
    def load(self, matrix: Bits) -> Bits:
        return np.swapaxes(matrix, 1, 2)


class _WithoutC(ToyMachine):
    def mac(self, kind: str, a: Bits, b: Bits, c: Bits) -> Bits:
        return super().mac(kind, a, b, np.zeros_like(c))


class _Spills(ToyMachine):
    def stored(self, image: Bits, end: int) -> None:
        image[:, end] ^= 1


def _fault(name: str, clause: str, behaves_as_if: str, machine: type[ToyMachine]) -> Fault:
    make = partial(NumpyBackend, SequentialUnit(), {"toy-mac": machine}, name=f"fault:{name}", profile=PRACTICE)
    return Fault(name, "toy-mac", clause, behaves_as_if, make)


FAULTS = (
    _fault("toy-takes-any-offset", "TOY-ALIGN", "offsets needed no alignment", _TakesAnyOffset),
    _fault("toy-by-columns", "TOY-ROW", "matrices lay in memory column by column", _ByColumns),
    _fault("toy-without-c", "TOY-MAC", "C were zero", _WithoutC),
    _fault("toy-spills", "TOY-STORE", "a store wrote one byte more", _Spills),
)
