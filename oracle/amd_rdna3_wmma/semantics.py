"""Executing a valid and defined program: its effect on registers and memory."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.amd_rdna3_wmma import coverage
from mmaspec.oracle.amd_rdna3_wmma.addresses import access_addresses, element_format, extent
from mmaspec.oracle.amd_rdna3_wmma.builtins import parse
from mmaspec.oracle.amd_rdna3_wmma.practice import FLOAT
from mmaspec.oracle.demands import float_rules
from mmaspec.oracle.expectation import Step
from mmaspec.oracle.memory import Memory
from mmaspec.oracle.numerics.deferred import Moved, product
from mmaspec.oracle.numerics.integer import Overflow, multiply_add_int
from mmaspec.oracle.numerics.legal import Legal, Reason, certain_bits
from mmaspec.oracle.numerics.ordinals import Bits
from mmaspec.oracle.readings import Readings
from mmaspec.programs.amd_rdna3_wmma.program import Fill, Fragment, Load, Plain, Store, Use, Wmma, WmmaProgram
from mmaspec.programs.base import Place
from mmaspec.programs.formats import format_named
from mmaspec.programs.profile import Profile
from mmaspec.programs.tree import unrolled

CLAMP = "RDNA3-AMB-04"

_CLAMP_READINGS = {
    "final-saturate": Overflow.SATURATE,
    "stepwise-saturate": Overflow.SATURATE_STEP,
    "wrap": Overflow.WRAP,
}


class _Wave:
    """The fragments of all waves while a program executes: matrices of shape ``(batch, waves, rows, cols)``."""

    def __init__(self, program: WmmaProgram, memory: Memory, profile: Profile, readings: Readings) -> None:
        self.program, self.memory, self.readings = program, memory, readings
        self.rules = float_rules(profile, FLOAT)
        self.fragments = {fragment.name: fragment for fragment in program.fragments}
        self.state = {f.name: self._filled(f, f.fill) for f in program.fragments if f.fill is not None}
        self.filled = {f.name: f.fill for f in program.fragments if f.fill is not None}
        self.declared = set(self.filled)

    def _filled(self, fragment: Fragment, bits: int) -> Legal:
        shape = (self.memory.batch, self.program.waves, *extent(fragment, self.program.wave_size))
        return Moved(element_format(fragment), np.full(shape, bits, np.uint64))

    def write(self, name: str, legal: Legal) -> Legal:
        self.state[name] = legal
        self.filled.pop(name, None)
        self.declared.discard(name)
        return legal

    def load(self, step: Load, place: Place) -> Step:
        """RDNA3-MEM-FREE: a fragment is read from wherever the kernel keeps it, lane by lane."""
        fragment = self.fragments[step.into]
        addresses = self._addresses(step, fragment, place)
        legal = self.memory.load(step.buffer, addresses[0], element_format(fragment))
        for copy in addresses[1:]:
            other = self.memory.load(step.buffer, copy, element_format(fragment))
            # Copies that a program stored itself may differ or hold poison: no result is stated for them.
            bits, known = certain_bits(other)
            differs = (certain_bits(legal)[0] != bits) | ~known
            legal = legal.not_judged(differs, Reason.SPEC_SILENT)
        return Step(place, step.into, coverage.of_load(place), self.write(step.into, legal))

    def fill(self, step: Fill, place: Place) -> Step:
        """RDNA3-ZERO-C: a vector of zeros is the matrix of zeros, whatever the layout; so is any constant."""
        legal = self.write(step.into, self._filled(self.fragments[step.into], step.bits))
        self.filled[step.into] = step.bits
        return Step(place, step.into, coverage.of_fill(step, self.fragments[step.into]), legal)

    def factor(self, name: str, use: Use) -> Legal:
        """RDNA3-AB-ROWCOL: what is row i of A in lane i is column i of B to a call that takes it as B."""
        held = self.state[name]
        return held if self.fragments[name].use == use else held.transpose()

    def wmma(self, step: Wmma, place: Place) -> Step:
        """RDNA3-MMA: D = A*B + C, every matrix taken from its place in the registers."""
        builtin = parse(step.builtin)
        if builtin is None:
            raise TypeError(f"{step.builtin}: no such builtin; rules exclude it")
        a, a_known = certain_bits(self.factor(step.a, "a"))
        b, b_known = certain_bits(self.factor(step.b, "b"))
        c = self._filled(self.fragments[step.d], 0) if step.c is None else self.state[step.c]
        constants = coverage.Constants(self.filled, self.declared)
        points = coverage.of_wmma(self.program, step, builtin, place, constants)
        if builtin.integer:
            legal = self._integer(step, a, b, c)
        else:
            half = format_named("f16")
            legal = product(a_fmt=half, a=a, b_fmt=half, b=b, c=c, rules=self.rules)
            if legal.some_nan():
                points = (*points, "RDNA3-FP-NAN")
        if not (a_known.all() and b_known.all()):
            unknown = np.any(~a_known, axis=-1, keepdims=True) | np.any(~b_known, axis=-2, keepdims=True)
            legal = legal.not_judged(np.broadcast_to(unknown, legal.shape), Reason.INEXACT_OPERAND)
        return Step(place, step.d, points, self.write(step.d, legal))

    def _integer(self, step: Wmma, a: Bits, b: Bits, c: Legal) -> Legal:
        """RDNA3-IU-SIGN, RDNA3-IU-NOCLAMP, RDNA3-IU-CLAMP with the readings of RDNA3-AMB-04."""

        def sums(overflow: Overflow) -> tuple[Legal, bool]:
            found = multiply_add_int(
                a_fmt=format_named("s8" if step.a_sign else "u8"),
                a=a,
                b_fmt=format_named("s8" if step.b_sign else "u8"),
                b=b,
                c=c,
                overflow=overflow,
            )
            return found.legal, bool(found.overflowed.any())

        if not step.clamp:
            return sums(Overflow.WRAP)[0]
        # Readings differ only where some step can leave the range; elsewhere every one of them gives the exact sum.
        stepwise, overflowed = sums(Overflow.SATURATE_STEP)
        if not overflowed:
            return stepwise
        return sums(_CLAMP_READINGS[self.readings.choose(CLAMP)])[0]

    def store(self, step: Store, place: Place, index: int) -> Step:
        """RDNA3-MEM-FREE: a fragment goes wherever the kernel puts it; RDNA3-STORE-ONLY: and nothing else."""
        addresses = self._addresses(step, self.fragments[step.fragment], place)
        for copy in addresses:
            self.memory.store(step.buffer, copy, self.state[step.fragment], index)
        return Step(place, step.fragment, coverage.of_store(), None)

    def _addresses(self, step: Load | Store, fragment: Fragment, place: Place) -> NDArray[np.int64]:
        passes = range(place.loop, place.loop + 1)
        return access_addresses(step, fragment, self.program.wave_size, self.program.waves, passes)[:, :, 0]


def execute(program: WmmaProgram, memory: Memory, profile: Profile, readings: Readings) -> tuple[Step, ...]:
    """Execute a valid and defined program; one step an executed instruction."""
    wave = _Wave(program, memory, profile, readings)
    steps: list[Step] = []
    for place, step in unrolled(program):
        steps.append(_execute_one(wave, step, place, len(steps)))
    return tuple(steps)


def _execute_one(wave: _Wave, step: Plain, place: Place, index: int) -> Step:
    if isinstance(step, Store):
        return wave.store(step, place, index)
    carry_out: dict[type, Callable[..., Step]] = {Load: wave.load, Fill: wave.fill, Wmma: wave.wmma}
    return carry_out[type(step)](step, place)
