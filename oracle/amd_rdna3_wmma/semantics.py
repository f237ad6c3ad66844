"""Executing a valid and defined program: its effect on registers and memory."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.amd_rdna3_wmma import coverage
from mmaspec.oracle.amd_rdna3_wmma.addresses import access_bits, element_format, extent, matrices
from mmaspec.oracle.amd_rdna3_wmma.builtins import Builtin, parse
from mmaspec.oracle.amd_rdna3_wmma.modifiers import (
    as_builtin,
    constant_nan,
    inline_bits,
    modified_addend,
    negated_left,
    negated_right,
)
from mmaspec.oracle.amd_rdna3_wmma.practice import FLOAT
from mmaspec.oracle.demands import float_rules
from mmaspec.oracle.expectation import Step
from mmaspec.oracle.memory import Memory
from mmaspec.oracle.numerics.deferred import Beside, Moved, product
from mmaspec.oracle.numerics.integer import Overflow, multiply_add_int
from mmaspec.oracle.numerics.legal import Legal, Reason, certain_bits, unjudged
from mmaspec.oracle.numerics.ordinals import Bits, Flags
from mmaspec.oracle.readings import Readings
from mmaspec.oracle.register_kernels.packed_bytes import first_of_bytes, packed_bytes
from mmaspec.programs.amd_rdna3_wmma.program import (
    AnyWmma,
    Fill,
    Fragment,
    Load,
    Plain,
    Store,
    Use,
    VWmma,
    Wmma,
    WmmaProgram,
)
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


Matrices = tuple[Legal, ...]
"""What a fragment holds: one matrix, or those of the low and of the high halves."""


class _Wave:
    """The fragments of all waves while a program executes: matrices of shape ``(batch, waves, rows, cols)``.

    A fragment of 16-bit C or D holds two, those of the low and of the high halves of its registers; every other one.
    """

    def __init__(self, program: WmmaProgram, memory: Memory, profile: Profile, readings: Readings) -> None:
        self.program, self.memory, self.readings = program, memory, readings
        self.rules = float_rules(profile, FLOAT)
        self.fragments = {fragment.name: fragment for fragment in program.fragments}
        self.state = {f.name: self._filled(f, f.fill) for f in program.fragments if f.fill is not None}
        self.filled = {f.name: f.fill for f in program.fragments if f.fill is not None}
        self.declared = set(self.filled)
        self.unequal: dict[str, tuple[Legal, ...]] = {}
        """Of fragments of A and B whose copies differ, what every group of sixteen lanes holds."""

    def _filled(self, fragment: Fragment, bits: int) -> Matrices:
        rows, cols = extent(fragment, self.program.wave_size)
        held = matrices(fragment)
        shape = (self.memory.batch, self.program.waves, rows, cols // len(held))
        return tuple(Moved(element_format(fragment), np.full(shape, bits, np.uint64)) for _ in held)

    def write(self, name: str, held: Matrices) -> Legal:
        """What the fragment holds from now on; as one matrix, two side by side."""
        self.state[name] = held
        self.filled.pop(name, None)
        self.declared.discard(name)
        self.unequal.pop(name, None)
        return held[0] if len(held) == 1 else Beside(held)

    def load(self, step: Load, place: Place) -> Step:
        """RDNA3-MEM-FREE: a fragment is read from wherever the kernel keeps it, lane by lane."""
        fragment = self.fragments[step.into]
        bits = self._bits(step, fragment, place)
        every = [self._copies(step.buffer, bits[..., columns], fragment) for columns in matrices(fragment)]
        if all(map(_alike, every)):
            return Step(place, step.into, coverage.of_load(place), self.write(step.into, tuple(map(_alone, every))))
        apart = [tuple(copies.index((slice(None), copy)) for copy in range(copies.shape[1])) for copies in every]
        legal = self.write(step.into, tuple(map(_one_of, apart)))
        if not _equal(apart[0]):
            self.unequal[step.into] = apart[0]
        return Step(place, step.into, coverage.of_load(place), legal)

    def _copies(self, buffer: str, bits: NDArray[np.int64], fragment: Fragment) -> Legal:
        """The matrix of every group of sixteen lanes that has one, ``(batch, copies, ...)``; of C and D one in all."""
        fmt = element_format(fragment)
        return self.memory.load(buffer, bits >> 3, fmt, bits & 7 if fmt.bits < 8 else None)

    def fill(self, step: Fill, place: Place) -> Step:
        """RDNA3-ZERO-C: a vector of zeros is the matrix of zeros, whatever the layout; so is any constant."""
        legal = self.write(step.into, self._filled(self.fragments[step.into], step.bits))
        self.filled[step.into] = step.bits
        return Step(place, step.into, coverage.of_fill(step, self.fragments[step.into]), legal)

    def factor(self, name: str, use: Use) -> Legal:
        """RDNA3-AB-ROWCOL: what is row i of A in lane i is column i of B to a call that takes it as B."""
        (held,) = self.state[name]
        return held if self.fragments[name].use == use else held.transpose()

    def wmma(self, step: Wmma, place: Place) -> Step:
        """RDNA3-MMA: D = A*B + C, every matrix taken from its place in the registers."""
        builtin = parse(step.builtin)
        if builtin is None:
            raise TypeError(f"{step.builtin}: no such builtin; rules exclude it")
        c = self._filled(self.fragments[step.d], 0) if step.c is None else self.state[step.c]
        return self._product(step, builtin, c, place)

    def v_wmma(self, step: VWmma, place: Place) -> Step:
        """The same as an instruction: C may be a constant (RDNA3-C-INLINE), and operands have signs (RDNA3-FP-NEG)."""
        builtin = as_builtin(step, self.program.wave_size)
        if step.c is not None:
            return self._product(step, builtin, self.state[step.c], place)
        d = self.fragments[step.d]
        bits = inline_bits(step, element_format(d))
        c = self._filled(d, bits)
        if step.opsel and bits:
            # Whether a constant is in high halves as well is nowhere stated.
            c = tuple(one.not_judged(np.ones(one.shape, np.bool_), Reason.SPEC_SILENT) for one in c)
        return self._product(step, builtin, c, place)

    def _product(self, step: AnyWmma, builtin: Builtin, c: Matrices, place: Place) -> Step:
        left, right = self.factor(step.a, "a"), self.factor(step.b, "b")
        (a, a_unknown), (b, b_unknown) = _bits_of(left), _bits_of(right)
        constants = coverage.Constants(self.filled, self.declared)
        points = coverage.of_wmma(self.program, step, builtin, place, constants)
        # RDNA3-OPSEL-LOW, RDNA3-OPSEL-HIGH: one flag says where C is read and where D is written.
        addend = c[bool(step.opsel)]
        if builtin.integer:
            legal = self._integer(step, builtin, a, b, addend)
        else:
            fmt = format_named(builtin.operand)
            if isinstance(step, VWmma):
                a, b = negated_left(step, fmt, a), negated_right(step, fmt, b)
                addend = modified_addend(step, addend)
            legal = product(a_fmt=fmt, a=a, b_fmt=fmt, b=b, c=addend, rules=self.rules)
            if legal.some_nan() and not constant_nan(step, addend.fmt):
                points = (*points, "RDNA3-FP-NAN")
        if a_unknown is not None or b_unknown is not None:
            unknown = np.zeros(legal.shape, np.bool_)
            if a_unknown is not None:
                unknown |= a_unknown.any(axis=-1, keepdims=True)
            if b_unknown is not None:
                unknown |= b_unknown.any(axis=-2, keepdims=True)
            legal = legal.not_judged(unknown, Reason.INEXACT_OPERAND)
        if not builtin.halves:
            return Step(place, step.d, points, self.write(step.d, (legal,)))
        other = self.other_half(builtin, c[not step.opsel])
        held = (other, legal) if step.opsel else (legal, other)
        return Step(place, step.d, points, self.write(step.d, held))

    def other_half(self, builtin: Builtin, addend: Legal) -> Legal:
        """RDNA3-OPSEL-OTHER: a tied builtin, or D that is C, leaves what C holds there; else it may be anything."""
        if builtin.tied:
            return addend
        return unjudged(addend.fmt, addend.shape, Reason.SPEC_SILENT)

    def _integer(self, step: AnyWmma, builtin: Builtin, a: Bits, b: Bits, c: Legal) -> Legal:
        """RDNA3-IU-SIGN, RDNA3-IU-NOCLAMP, RDNA3-IU-CLAMP with the readings of RDNA3-AMB-04."""
        bits = builtin.operand.removeprefix("iu")

        def sums(overflow: Overflow) -> tuple[Legal, bool]:
            found = multiply_add_int(
                a_fmt=format_named(f"s{bits}" if step.a_sign else f"u{bits}"),
                a=a,
                b_fmt=format_named(f"s{bits}" if step.b_sign else f"u{bits}"),
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
        fragment = self.fragments[step.fragment]
        bits = self._bits(step, fragment, place)
        for columns, matrix in zip(matrices(fragment), self.state[step.fragment], strict=True):
            mine = bits[..., columns]
            held = self.unequal.get(step.fragment, (matrix,))
            if matrix.fmt.bits < 8:
                held = tuple(packed_bytes(fragment.use, copy) for copy in held)
                mine = first_of_bytes(fragment.use, mine, matrix.fmt.bits)
            for legal, copy in zip(held * (len(mine) // len(held)), mine, strict=True):
                self.memory.store(step.buffer, copy >> 3, legal, index)
        return Step(place, step.fragment, coverage.of_store(), None)

    def _bits(self, step: Load | Store, fragment: Fragment, place: Place) -> NDArray[np.int64]:
        passes = range(place.loop, place.loop + 1)
        return access_bits(step, fragment, self.program.wave_size, self.program.waves, passes)[:, :, 0]


def _bits_of(factor: Legal) -> tuple[Bits, Flags | None]:
    """The bits that a product takes, and where they are not certain; None if they are everywhere."""
    if isinstance(factor, Moved):
        return factor.codes, None
    bits, known = certain_bits(factor)
    return bits, None if known.all() else ~known


def _alike(copies: Legal) -> bool:
    """Whether all copies are known to the bit, and the same."""
    if copies.shape[1] == 1:
        return True
    return isinstance(copies, Moved) and bool((copies.codes[:, 1:] == copies.codes[:, :1]).all())


def _alone(copies: Legal) -> Legal:
    """The first of them, without the memory of the others beside it."""
    first = copies.index((slice(None), 0))
    return Moved(first.fmt, np.ascontiguousarray(first.codes)) if isinstance(first, Moved) else first


def _one_of(copies: tuple[Legal, ...]) -> Legal:
    """The matrix that a product takes: where copies differ or are not known, none is stated."""
    first, *others = copies
    for other in others:
        codes, known = certain_bits(other)
        differs = (certain_bits(first)[0] != codes) | ~known
        first = first.not_judged(differs, Reason.SPEC_SILENT)
    return first


def _equal(copies: tuple[Legal, ...]) -> bool:
    first, *others = map(certain_bits, copies)
    return all(np.array_equal(first[0], codes) and first[1].all() and known.all() for codes, known in others)


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
    carry_out: dict[type, Callable[..., Step]] = {
        Load: wave.load,
        Fill: wave.fill,
        Wmma: wave.wmma,
        VWmma: wave.v_wmma,
    }
    return carry_out[type(step)](step, place)
