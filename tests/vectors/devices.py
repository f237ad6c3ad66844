"""Devices of one RDNA3 builtin: loaded by ``mmaspec`` from this file, so it imports nothing of the tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from mmaspec.backends.faults import fault_named
from mmaspec.backends.numpy.amd_rdna3_wmma.device import State, WmmaDevice
from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.devices import DEVICES
from mmaspec.backends.numpy.units.exact import ExactUnit
from mmaspec.backends.protocol import Description, Images, Refused
from mmaspec.programs.amd_rdna3_wmma.caps import Caps
from mmaspec.programs.amd_rdna3_wmma.program import Repeat, Wmma

SPEC = "amd-rdna3-wmma"
CAPS = Caps(builtins=("i32_16x16x16_iu8_w32",))


class Device(NumpyBackend):
    """The numpy backend under small caps."""

    def __init__(self) -> None:
        super().__init__(ExactUnit(), DEVICES, name="device")
        self.report(SPEC, CAPS)

    def caps(self, spec: str) -> Any | None:
        return CAPS if spec == SPEC else None


class Executes(Device):
    """The same without a check of its own: like most devices behind a compiler that is not theirs."""

    def describe(self) -> Description:
        return Description(name="executes", version="1")


class Validates(Device):
    """A compiler: it refuses what is invalid, and runs nothing."""

    def describe(self) -> Description:
        return Description(name="validates", version="1", roles=("validates",), enforces="compile")


class Broken(Device):
    """Its broken twin: clamps as if results had no sign."""

    fault = "rdna3-clamps-unsigned"

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        backend = fault_named(self.fault).make()
        backend.report(SPEC, CAPS)
        found: Images = backend.run(spec, program, inputs)
        return found


class OffByOne(WmmaDevice):
    """Sums are one too high where D is C: nothing that any counterfactual does."""

    def wmma(self, state: State, step: Wmma) -> None:
        super().wmma(state, step)
        if step.c == step.d:
            state.registers[step.d] = state.registers[step.d] + np.uint32(1)


class OffInPlace(Device):
    """A device with that device."""

    def __init__(self) -> None:
        NumpyBackend.__init__(self, ExactUnit(), {SPEC: OffByOne}, name="off")
        self.report(SPEC, CAPS)


class Refuses(Device):
    """Refuses programs with a loop."""

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        if any(isinstance(step, Repeat) for step in program.body):
            raise Refused("no loops here", ["RDNA3-TILE"])
        return super().run(spec, program, inputs)
