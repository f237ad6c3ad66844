"""What a backend made of a case, held until it is known what is demanded of it."""

from __future__ import annotations

from dataclasses import dataclass

from mmaspec.backends.checked import BadReply, Raised
from mmaspec.backends.failures import Unanswered
from mmaspec.backends.protocol import Refused, Runner
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined, Start
from mmaspec.suites.judging.ask import Answer, ask, digest_of


@dataclass(frozen=True, slots=True)
class Replied:
    """The answers to both runs, or what came instead."""

    answered: list[Answer] | None
    instead: Refused | Raised | BadReply | Unanswered | None = None

    def answers(self) -> list[Answer]:
        """The answers; raises what came instead."""
        if self.answered is None:
            assert self.instead is not None
            raise self.instead
        return self.answered

    @property
    def digest(self) -> str:
        """Of the answers and of what was given; empty where there are none."""
        return "" if self.answered is None else digest_of(self.answered)


def replied_to(backend: Runner, case: Case, start: Defined | Start) -> Replied:
    """Ask the backend once. ``Died`` passes through: what it means depends on whether it happens again."""
    try:
        return Replied(ask(backend, case, start))
    except (Refused, Raised, BadReply, Unanswered) as instead:
        return Replied(None, instead)
