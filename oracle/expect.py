"""``expect``: what a specification demands of a case, under a profile and one choice of readings."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from mmaspec.oracle.case import MAX_HELD, Case, fits
from mmaspec.oracle.expectation import Defined, Expectation, Rejected, Start, Undefined
from mmaspec.oracle.free_choices import with_alternatives
from mmaspec.oracle.memory import Memory
from mmaspec.oracle.program_facts import facts_of, resolve
from mmaspec.oracle.readings import Readings
from mmaspec.oracle.source import Source
from mmaspec.oracle.spec import AnySpec, spec_named
from mmaspec.oracle.stored_arguments import check_arguments
from mmaspec.programs.base import Program
from mmaspec.programs.errors import BadInput
from mmaspec.programs.formats import format_named
from mmaspec.programs.profile import PRACTICE, Profile

__all__ = ["Expecting", "default_readings", "expect", "initial_memory", "resolve"]


def default_readings(spec: AnySpec, profile: Profile, chosen: Mapping[str, str] | None = None) -> dict[str, str]:
    """One reading per open ambiguity: what was chosen, else what the profile pins, else the catalogue's default."""
    readings = {name: ambiguity.default for name, ambiguity in spec.catalogue.open_points.items()}
    readings.update((pin.ambiguity, pin.reading) for pin in profile.pins if pin.ambiguity in readings)
    for name, reading in (chosen or {}).items():
        if name in spec.catalogue.decisions:
            raise BadInput(f"{name}: is decided, so there is no reading to choose; see mmaspec explain {name}")
        if name not in readings:
            raise BadInput(
                f"{spec.name}: no ambiguity named {name!r}; there are {', '.join(sorted(readings)) or 'none'}"
            )
        readings[name] = reading
    for name, reading in readings.items():
        options = spec.catalogue.ambiguity[name].readings
        if reading not in options:
            raise BadInput(f"{name}: no reading named {reading!r}; there are {', '.join(sorted(options))}")
    return readings


def initial_memory(case: Case, program: Program, spec: AnySpec) -> Memory:
    """The case's buffers filled with poison, its values scattered by the oracle's addresses, its words placed."""
    return _filled(case, program, spec.sources(program))


def _filled(case: Case, program: Program, sources: tuple[Source, ...]) -> Memory:
    memory = Memory(program.buffers, case.batch)
    for source in sources:
        if source.name not in case.values:
            raise BadInput(f"case: no values for {source.name}, which the program loads")
        bits = case.values[source.name]
        if bits.shape != (case.batch, *source.shape):
            wanted = [case.batch, *source.shape]
            raise BadInput(f"case: values {source.name} of shape {list(bits.shape)}; the program needs {wanted}")
        memory.place(source.buffer, source.addresses, bits[:, np.newaxis], source.fmt, source.first_bits)
    for word in case.words:
        if not 0 <= word.value < 1 << 32:
            raise BadInput(f"case: word {word.value} at byte {word.offset} of buffer {word.buffer}; expected 32 bits")
        bits = np.full((case.batch, 1), word.value, np.uint64)
        memory.place(word.buffer, np.array([word.offset], np.int64), bits, format_named("u32"))
    return memory


class Expecting:
    """What a specification demands of one case under one profile, by readings.

    What no reading changes is worked out once: whether the program is valid and defined, and its initial memory.
    """

    def __init__(
        self, case: Case, profile: Profile = PRACTICE, *, defined: bool = False, like: Expecting | None = None
    ) -> None:
        """``like`` is asked about the same case under another profile, if it is given."""
        self.case: Case = case
        self.profile: Profile = profile
        self._like = like if like is not None and like.case is case else None
        self._defined = defined
        """Whether the program is known to be valid and defined, as that of a listed case is."""
        self.spec: AnySpec = spec_named(case.spec)
        self._facts = facts_of(self.spec, case.program, case.words, case.caps)
        self._program: Program = self._facts.resolved

    @cached_property
    def _rejected(self) -> frozenset[str]:
        return frozenset() if self._defined else self._facts.rejected

    @cached_property
    def _undefined(self) -> frozenset[str]:
        return frozenset() if self._defined else self._facts.undefined

    @cached_property
    def _memory(self) -> Memory:
        if self._like is not None:
            return self._like._memory  # nothing changes it
        return _filled(self.case, self._program, self._facts.sources)

    def start(self) -> Start | None:
        """What a device is given, none of it executed; None if the program is invalid or undefined as things stand."""
        if self._barred(Readings(default_readings(self.spec, self.profile))) is not None:
            return None
        return Start(self._memory.initial(), self._memory.known)

    def under(self, readings: Mapping[str, str] | None = None) -> Expectation:
        """The same as ``expect``."""
        chosen = Readings(default_readings(self.spec, self.profile, readings))
        return self._barred(chosen) or with_alternatives(chosen, self._executed)

    def _barred(self, chosen: Readings) -> Rejected | Undefined | None:
        """Why the program is not executed, if it is not."""
        if not fits(self._program, self.case.batch):
            raise BadInput(f"case: buffers of more than {MAX_HELD} bytes in all")
        if self._rejected:
            return Rejected(self._rejected)
        invalid_under = self.spec.of(self.case.caps).invalid_under
        for one in invalid_under(self._program) if invalid_under else ():
            if chosen.choose(one.ambiguity) == one.reading:
                return Rejected(frozenset({one.clause}))
        return Undefined(self._undefined) if self._undefined else None

    def _executed(self, chosen: Readings) -> Defined:
        memory = self._memory.again()
        images, known = self._memory.initial(), self._memory.known
        steps = self.spec.of(self.case.caps).execute(self._program, memory, self.profile, chosen)
        if self.case.words:
            check_arguments(self.case.program, memory, steps)
        return Defined(
            images, known, memory.owned(), steps, memory.regions(), frozenset(chosen.consulted), parts=memory.parts
        )


def expect(case: Case, profile: Profile = PRACTICE, readings: Mapping[str, str] | None = None) -> Expectation:
    """What the specification demands of ``case``.

    ``readings`` chooses readings of ambiguities by ID; the others take the profile's or the default one.
    Rejected beats undefined. Raises ``BadInput`` for a case that cannot be read as a program at all.
    """
    return Expecting(case, profile).under(readings)
