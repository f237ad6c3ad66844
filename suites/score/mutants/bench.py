"""The cases of a list on mutants, one after the other, until one fails. It runs in a process that may be killed."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from mmaspec.backends.checked import BadReply
from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.protocol import Refused
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined, Rejected
from mmaspec.oracle.judge import ByReading, expect_by_reading
from mmaspec.programs.profile import Profile
from mmaspec.strategies.recipe import Recipe, materialise
from mmaspec.suites.judging.ask import RUNS, Answer, ask_once, lawful
from mmaspec.suites.judging.invalid import outline
from mmaspec.suites.score.mutants.drawing import Reached
from mmaspec.suites.score.mutants.planting import planted, text_of
from mmaspec.suites.score.mutants.sites import mutated
from mmaspec.suites.score.mutants.tracing import Lines, forget, traced

HELD = 1000
"""Cases that a process keeps with their expectations, for the next mutant."""

Kind = Literal["illegal", "refused", "raised", "accepted", "hung", "died", "stillborn", ""]
"""How a mutant was noticed: a wrong result, a valid program refused or broken down over, an invalid one accepted, no
answer in time, the end of its process. ``stillborn``: it cannot be imported, and is no mutant; empty: it was not."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a mutant."""

    kind: Kind
    case: str = ""
    """ID of the case that noticed it; empty if it was seen before any."""


class Bench:
    """The cases of one specification, drawn and expected when they are first needed.

    ``beat`` is called whenever the work has come further.
    """

    def __init__(self, recipes: Sequence[Recipe], profile: Profile, beat: Callable[[], None]) -> None:
        self.recipes: Sequence[Recipe] = recipes
        self.profile: Profile = profile
        self.beat: Callable[[], None] = beat
        self.spec: str = recipes[0].spec if recipes else ""
        self.case: Callable[[int], tuple[Case, ByReading]] = lru_cache(HELD)(self._case)

    def _case(self, at: int) -> tuple[Case, ByReading]:
        case = materialise(self.recipes[at])
        found = case, expect_by_reading(case, self.profile)
        self.beat()
        return found

    def lines(self, positions: Sequence[int]) -> tuple[dict[int, Lines], list[int]]:
        """The lines that each of these cases executes on the device as it is, and the cases that fail it."""
        found: dict[int, Lines] = {}
        wrong: list[int] = []
        backend, modules = planted(self.spec, {})
        for at in positions:
            case, by_reading = self.case(at)
            forget(modules.values())
            with traced() as found[at]:
                kind = noticed(backend, case, by_reading)
            if kind:
                wrong.append(at)
            self.beat()
        return found, wrong

    def outcome(self, reached: Reached) -> Outcome:
        """Run the cases that reach a mutant until one fails."""
        change = reached.mutant.mutation
        module = reached.mutant.module
        tree = mutated(text_of(module), change.operator, change.node, change.variant)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a wrong device may well divide by zero
            try:
                backend, _ = planted(self.spec, {module: tree})
            except Exception:  # noqa: BLE001 - it is not even a device
                return Outcome("stillborn")
            try:
                backend.caps(self.spec)  # what every run asks first
            except Exception:  # noqa: BLE001 - no run would begin
                return Outcome("raised")
            for at in reached.cases:
                case, by_reading = self.case(at)
                kind = noticed(backend, case, by_reading)
                self.beat()
                if kind:
                    return Outcome(kind, self.recipes[at].id)
        return Outcome("")


def noticed(backend: NumpyBackend, case: Case, by_reading: ByReading) -> Kind:
    """How a case fails a backend; empty if it does not."""
    backend.report(case.spec, case.caps)
    if isinstance(by_reading.first, Rejected):
        images = outline(case)
        try:
            backend.run(case.spec, case.program, images)
        except Refused:
            return ""
        except Exception:  # noqa: BLE001 - whatever it was, it was not a refusal
            return "raised"
        return "accepted"
    if not isinstance(by_reading.first, Defined):
        return ""
    answers: list[Answer] = []
    for pattern in range(RUNS):
        try:
            answers.append(ask_once(backend, case, by_reading.first, pattern))
        except Refused:
            return "" if by_reading.refusals else "refused"
        except BadReply:
            return "illegal"
        except Exception:  # noqa: BLE001 - breaking down over a valid program is a failure
            return "raised"
        if not lawful(case, by_reading, answers):
            return "illegal"
    return ""
