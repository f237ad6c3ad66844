"""A valid case that a backend has answered, judged as one: of a longer batch see ``parts``."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np

from mmaspec.backends.faults.fault import Fault
from mmaspec.backends.protocol import Runner
from mmaspec.oracle.acceptance import Acceptance, acceptance
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.judge import ByReading, Wrong, expect_by_reading
from mmaspec.oracle.readings import Assignment
from mmaspec.programs.profile import Profile
from mmaspec.suites.judging.ask import Answer, Held, ask, ask_once, digest_of, hold
from mmaspec.suites.judging.sensitivity import made


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a whole batch shows: the readings that explain it, else what is wrong under that which explains most."""

    accepted: tuple[Assignment, ...]
    reading: Assignment
    """Under which the rest was found; none for the default ones."""
    run: int = 0
    wrong: tuple[Wrong, ...] = ()
    possible: int = 0
    """How many combinations of readings there are to choose from."""

    @property
    def rules_out(self) -> bool:
        """Whether some of them do not explain it."""
        return len(self.accepted) < self.possible

    @property
    def amount(self) -> int:
        """How much is wrong, elements and bytes."""
        return sum(wrong.count for wrong in self.wrong)


@dataclass(frozen=True, slots=True)
class Evidence:
    """Answers that are held in memory, and what is wrong with them: all of a case, or the part with the worst element.

    ``start`` is the first item of the part.
    """

    start: int
    case: Case
    first: Defined
    answers: Sequence[Answer]
    held: Held
    by_reading: ByReading


class Answered(Protocol):
    """A valid case that a backend has answered. Raises what ``mmaspec.backends.checked.call`` raises."""

    @property
    def case(self) -> Case:
        """The case as it was put to the backend."""
        ...

    @property
    def profile(self) -> Profile:
        """Under which it is judged."""
        ...

    @property
    def clauses(self) -> Collection[str]:
        """Every clause that acted."""
        ...

    def verdict(self) -> Verdict:
        """One combination of readings must explain every run."""
        ...

    def acceptance(self, reading: Assignment) -> Acceptance:
        """How much the sets accept under a reading; none: the default ones."""
        ...

    @property
    def digest(self) -> str:
        """Of the answers and of what the backend was given; empty where these are not all in memory."""
        ...

    def evidence(self, found: Verdict, /) -> Evidence:
        """The answers, where something is wrong."""
        ...

    def sample(self) -> Evidence:
        """The answers, where nothing is wrong: all of them, or those of the first part."""
        ...

    def under(self, profile: Profile) -> Answered:
        """The same judged under another profile."""
        ...

    def reproduced(self, fault: Fault) -> bool:
        """Whether a counterfactual leaves the bytes that the backend left, in every run."""
        ...


@dataclass
class Whole:
    """A case whose answers are all held in memory."""

    case: Case
    profile: Profile
    by_reading: ByReading
    answers: list[Answer] = field(repr=False)

    @classmethod
    def asked(cls, backend: Runner, case: Case, profile: Profile, by_reading: ByReading) -> Whole:
        """The case, put to a backend; ``by_reading`` comes from the profile, and says that it is defined."""
        assert isinstance(by_reading.first, Defined)
        return cls(case, profile, by_reading, ask(backend, case, by_reading.first))

    @property
    def first(self) -> Defined:
        """What is demanded under the default readings."""
        assert isinstance(self.by_reading.first, Defined)
        return self.by_reading.first

    @property
    def clauses(self) -> Collection[str]:
        """As in ``Answered``."""
        return self.first.clauses

    @property
    def digest(self) -> str:
        """As in ``Answered``."""
        return digest_of(self.answers)

    @cached_property
    def held(self) -> Held:
        """The answers, judged."""
        return hold(self.case, self.by_reading, self.answers)

    def verdict(self) -> Verdict:
        """As in ``Answered``."""
        held = self.held
        wrong = () if held.accepted else held.judgement.wrong
        return Verdict(held.accepted, held.reading, held.run, wrong, len(self.by_reading.variants))

    def acceptance(self, reading: Assignment) -> Acceptance:
        """As in ``Answered``."""
        return acceptance(dict(self.by_reading.variants)[reading] if reading else self.first)

    def evidence(self, _found: Verdict, /) -> Evidence:
        """As in ``Answered``."""
        return Evidence(0, self.case, self.first, self.answers, self.held, self.by_reading)

    def sample(self) -> Evidence:
        """As in ``Answered``."""
        return Evidence(0, self.case, self.first, self.answers, self.held, self.by_reading)

    def under(self, profile: Profile) -> Whole:
        """The same answers, judged under another profile."""
        demanded = expect_by_reading(self.case, profile, like=self.by_reading)
        return Whole(self.case, profile, demanded, self.answers)

    def reproduced(self, fault: Fault) -> bool:
        """As in ``Answered``."""
        stands_in = made(fault, self.case.caps)
        for run, answer in enumerate(self.answers):
            try:
                after = ask_once(stands_in, self.case, self.first, run).after
            except Exception:  # noqa: BLE001 - it may break down where the backend did not
                return False
            if not all(np.array_equal(after[name], image) for name, image in answer.after.items()):
                return False
        return True
