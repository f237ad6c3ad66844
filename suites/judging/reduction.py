"""The smallest case that still fails in the same way."""

from __future__ import annotations

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

        The whole case where that item alone does not fail: then the failure is between items. A near miss
        is left as it is: a smaller one might break another rule.
        """
        if symptom == "not refused":
            return case
        alone = case.item(item)
        if self.symptom(alone) != symptom:
            return case
        return reduce_case(alone, lambda candidate: self.symptom(candidate) == symptom)
