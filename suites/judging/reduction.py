"""The smallest case that still fails in the same way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mmaspec.backends.checked import BadReply, Raised
from mmaspec.backends.failures import Unasked
from mmaspec.backends.protocol import Refused, Runner
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.programs.errors import BadInput
from mmaspec.programs.profile import Profile
from mmaspec.strategies.reducer import reduce_case
from mmaspec.suites.judging.ask import ask, hold
from mmaspec.suites.judging.parts import TOGETHER
from mmaspec.suites.judging.record import Symptom


@dataclass(frozen=True, slots=True)
class Reduction:
    """Reduces failing cases of one backend under one profile. Lets ``Died`` and ``Unasked`` through."""

    backend: Runner
    profile: Profile

    def symptom(self, case: Case) -> Symptom | None:
        """How a defined case fails; None if it does not, or is not defined."""
        try:
            by_reading = expect_by_reading(case, self.profile)
            if not isinstance(by_reading.first, Defined):
                return None
            held = hold(case, by_reading, ask(self.backend, case, by_reading.first))
        except Unasked:  # unlike any other ``BadInput``, it says nothing of the case
            raise
        except BadInput:
            return None
        except Refused:
            return "refused"
        except Raised:
            return "raised"
        except BadReply:
            return "bad reply"
        return None if held.legal else held.judgement.wrong[0].symptom

    def smallest(self, case: Case, item: int, symptom: Symptom) -> Case:
        """``case`` reduced to what still shows ``symptom``, starting from one batch item.

        Where that item alone does not fail the failure is between items: then from two that are neighbours, or from
        the whole case. A near miss is left as it is: a smaller one might break another rule.
        """
        if symptom == "not refused":
            return case

        def fails(candidate: Case) -> bool:
            return self.symptom(candidate) == symptom

        for start in _few(case, item):
            if fails(start):
                return reduce_case(start, fails)
        return case if case.batch > TOGETHER else reduce_case(case, fails)


def _few(case: Case, item: int) -> Iterator[Case]:
    """One item, and it with each of its neighbours: what one leaves behind mostly shows in the next."""
    yield case.item(item)
    for first in (item - 1, item):
        if first >= 0 and first + 1 < case.batch and case.batch > 2:
            yield case.items(slice(first, first + 2))
