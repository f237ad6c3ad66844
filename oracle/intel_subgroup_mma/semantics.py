"""Executing a valid and defined program: its effect on fragments and memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.demands import float_rules
from mmaspec.oracle.expectation import Step
from mmaspec.oracle.intel_subgroup_mma import coverage
from mmaspec.oracle.intel_subgroup_mma.addresses import access_bits, element_format, extent
from mmaspec.oracle.intel_subgroup_mma.caps_support import FORMATS
from mmaspec.oracle.intel_subgroup_mma.practice import FLOAT
from mmaspec.oracle.intel_subgroup_mma.rule_context import meant
from mmaspec.oracle.memory import Memory
from mmaspec.oracle.numerics.deferred import Moved, product
from mmaspec.oracle.numerics.integer import Overflow, multiply_add_int
from mmaspec.oracle.numerics.legal import Legal, Reason, certain_bits
from mmaspec.oracle.readings import Readings
from mmaspec.oracle.register_kernels.packed_bytes import first_of_bytes, packed_bytes
from mmaspec.programs.base import Place
from mmaspec.programs.formats import Format, format_named
from mmaspec.programs.intel_subgroup_mma.caps import FORMS, Form
from mmaspec.programs.intel_subgroup_mma.program import Fill, Fragment, Load, Mad, MadProgram, Plain, Store
from mmaspec.programs.profile import Profile
from mmaspec.programs.tree import unrolled


class _SubGroups:
    """The fragments of all sub-groups while a program executes: matrices of shape ``(batch, waves, rows, cols)``."""

    def __init__(self, program: MadProgram, memory: Memory, profile: Profile) -> None:
        self.program, self.memory = program, memory
        self.rules = float_rules(profile, FLOAT)
        self.state = {v.name: self._filled(v, v.fill) for v in program.fragments if v.fill is not None}

    def _filled(self, fragment: Fragment, bits: int) -> Legal:
        shape = (self.memory.batch, self.program.waves, *extent(fragment, self.program.sub_group_size))
        return Moved(element_format(fragment), np.full(shape, bits, np.uint64))

    def load(self, step: Load, place: Place) -> Step:
        """ISGMMA-MEM-FREE: each work-item reads its own vector, from wherever the kernel keeps it."""
        fmt = element_format(self.program.fragment(step.into))
        bits = self._bits(step, place)
        first_bits = bits % 8 if fmt.bits < 8 else None
        self.state[step.into] = self.memory.load(step.buffer, bits // 8, fmt, first_bits)
        return Step(place, step.into, coverage.of_load(place), self.state[step.into])

    def fill(self, step: Fill, place: Place) -> Step:
        """A vector with one element in all of its places is a matrix of that element, whatever the layout."""
        self.state[step.into] = self._filled(self.program.fragment(step.into), step.bits)
        return Step(place, step.into, coverage.of_fill(), self.state[step.into])

    def mad(self, step: Mad, place: Place) -> Step:
        """ISGMMA-OP: the result is A*B + acc, every matrix taken from its place in the vectors."""
        signature = meant(self.program, step)
        if signature is None:
            raise TypeError(f"{step.function}: no such function; rules exclude it")
        (a, a_known), (b, b_known) = certain_bits(self.state[step.a]), certain_bits(self.state[step.b])
        acc = self._filled(self.program.fragment(step.d), 0) if step.c is None else self.state[step.c]
        legal, said = self._sums(FORMS[signature.form], a, b, acc)
        if not (a_known.all() and b_known.all()):
            unknown = np.any(~a_known, axis=-1, keepdims=True) | np.any(~b_known, axis=-2, keepdims=True)
            legal = legal.not_judged(np.broadcast_to(unknown, legal.shape), Reason.INEXACT_OPERAND)
        self.state[step.d] = legal
        return Step(place, step.d, (*said, *coverage.of_mad(step, signature, place)), legal)

    def _sums(
        self, form: Form, a: NDArray[np.uint64], b: NDArray[np.uint64], acc: Legal
    ) -> tuple[Legal, tuple[str, ...]]:
        """The sums, and the clauses that their values alone bring in.

        ISGMMA-SIGN: each factor by the sign in the name. ISGMMA-INT-EXACT, ISGMMA-FP-ORDER.
        """
        a_fmt, b_fmt = _format(form.a), _format(form.b)
        if form.integer:
            found = multiply_add_int(a_fmt=a_fmt, a=a, b_fmt=b_fmt, b=b, c=acc, overflow=Overflow.WRAP)
            return found.legal, ("ISGMMA-INT-WRAP",) if found.overflowed.any() else ()
        sums = product(a_fmt=a_fmt, a=a, b_fmt=b_fmt, b=b, c=acc, rules=self.rules)
        return sums, ("ISGMMA-FP-NAN",) if sums.some_nan() else ()

    def store(self, step: Store, place: Place, index: int) -> Step:
        """ISGMMA-MEM-FREE, and ISGMMA-STORE-ONLY: each work-item writes its own vector, and nothing else."""
        legal, bits = self.state[step.fragment], self._bits(step, place)
        if legal.fmt.bits < 8:
            use, width = self.program.fragment(step.fragment).use, legal.fmt.bits
            legal, bits = packed_bytes(use, legal), first_of_bytes(use, bits, width)
        self.memory.store(step.buffer, bits // 8, legal, index)
        return Step(place, step.fragment, coverage.of_store(), None)

    def _bits(self, step: Load | Store, place: Place) -> NDArray[np.int64]:
        return access_bits(self.program, step, self.program.waves, range(place.loop, place.loop + 1))[:, 0]


def _format(element: str) -> Format:
    return format_named(FORMATS.get(element, element))


def execute(program: MadProgram, memory: Memory, profile: Profile, readings: Readings) -> tuple[Step, ...]:
    """Execute a valid and defined program; one step an executed instruction. No reading changes what is computed."""
    del readings
    groups = _SubGroups(program, memory, profile)
    steps: list[Step] = []
    for place, step in unrolled(program):
        steps.append(_one(groups, step, place, len(steps)))
    return tuple(steps)


def _one(groups: _SubGroups, step: Plain, place: Place, index: int) -> Step:
    if isinstance(step, Load):
        return groups.load(step, place)
    if isinstance(step, Fill):
        return groups.fill(step, place)
    return groups.mad(step, place) if isinstance(step, Mad) else groups.store(step, place, index)
