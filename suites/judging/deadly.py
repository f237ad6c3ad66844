"""The smallest case over which a backend still dies, asked in processes of its own."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from mmaspec.backends.checked import BadReply, Raised
from mmaspec.backends.failures import Death, Died
from mmaspec.backends.protocol import Refused, Runner
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.programs.errors import BadInput
from mmaspec.programs.profile import Profile
from mmaspec.strategies.reducer import reduce_program
from mmaspec.suites.judging.ask import ask
from mmaspec.suites.judging.parts import TOGETHER

DEATHS = 16
"""How often a backend may die while one case is reduced: each time it is started anew."""
HANGS = 6
"""The same for a backend that hangs: each time costs as long as is waited."""
PATIENCE = 10.0
"""Seconds after which a candidate counts as hanging; what is found so gets all its time once at the end."""

Starting = Callable[[float], AbstractContextManager[Runner]]
"""Makes the backend in a fresh process, with so many seconds for an answer."""


@dataclass(slots=True)
class _Deaths:
    """A backend that may still die so often over candidates."""

    backend: Runner
    profile: Profile
    left: int
    kind: Death | None = None
    """How it died first."""

    def again(self, case: Case) -> bool:
        """Whether it dies over a defined case, always in the same way; False when it has died often enough."""
        if not self.left:
            return False
        try:
            expected = expect_by_reading(case, self.profile).first
            if isinstance(expected, Defined):
                ask(self.backend, case, expected)
        except Died as death:
            self.left -= 1
            self.kind = self.kind or death.kind
            self.left = min(self.left, HANGS) if self.kind == "hang" else self.left
            return death.kind == self.kind
        except (BadInput, Refused, Raised, BadReply):
            pass
        return False


def smallest_deadly(case: Case, profile: Profile, starting: Starting, time_limit: float) -> Case:
    """``case``, over which a backend died, with all left out that its death does not need.

    ``time_limit`` is how long it may take to answer a case, in seconds. What hangs for a shorter time is not kept
    unless it hangs that long as well. A near miss is left as it is, and so is a batch that is run in parts.
    """
    if case.target or case.batch > TOGETHER:
        return case
    with starting(min(time_limit, PATIENCE)) as backend:
        deaths = _Deaths(backend, profile, DEATHS)
        if not deaths.again(case):
            return case
        smallest = reduce_program(case, deaths.again)
    if deaths.kind != "hang" or time_limit <= PATIENCE or smallest is case:
        return smallest
    with starting(time_limit) as backend:
        return smallest if _Deaths(backend, profile, 1).again(smallest) else case
