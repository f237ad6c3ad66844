"""The smallest case that still fails in the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from mmaspec.backends.checked import BadReply, Raised
from mmaspec.backends.failures import Unasked
from mmaspec.backends.protocol import Refused, Runner
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.judge import ByReading, expect_by_reading
from mmaspec.programs.errors import BadInput
from mmaspec.programs.profile import Profile
from mmaspec.programs.tree import Path
from mmaspec.strategies.reducer import reduce_case
from mmaspec.suites.judging.ask import RUNS, Held, ask, hold
from mmaspec.suites.judging.blaming.blame import store_of
from mmaspec.suites.judging.kind import BREAKDOWNS, alike
from mmaspec.suites.judging.manner import manner_of
from mmaspec.suites.judging.parts import TOGETHER
from mmaspec.suites.judging.plain import refused, without_answer
from mmaspec.suites.judging.record import Symptom

_NOTHING = (None, "", None)
"""What a case shows that does not fail."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A case that failed, what was demanded of it, and its answers, judged."""

    case: Case
    by_reading: ByReading
    held: Held


@dataclass(slots=True)
class Reduction:
    """Reduces failing cases of one backend under one profile. Lets ``Died`` and ``Unasked`` through."""

    backend: Runner
    profile: Profile
    latest: Shown | None = field(default=None, init=False)
    """The last case with wrong bytes: mostly the smallest one."""
    _kept: str = field(default="", init=False)
    """The clause that has to act in what is left; empty: none."""

    def symptom(self, case: Case) -> Symptom | None:
        """How a defined case fails; None if it does not, or is not defined."""
        return self._shown(case, RUNS)[0]

    def _shown(self, case: Case, runs: int) -> tuple[Symptom | None, str, Path | None]:
        """The same after so many runs, what is said of it, and the instruction that stored what is wrong.

        Of a breakdown it is what was said there, of a wrong value the manner.
        """
        try:
            by_reading = expect_by_reading(case, self.profile)
            if not isinstance(by_reading.first, Defined):
                return _NOTHING
            held = hold(case, by_reading, ask(self.backend, case, by_reading.first, runs=runs))
        except Unasked:  # unlike any other ``BadInput``, it says nothing of the case
            raise
        except BadInput:
            return _NOTHING
        except Refused as refusal:
            return "refused", alike(refused(case.spec, refusal).says), None
        except Raised as error:
            return "raised", alike(without_answer(error)), None
        except BadReply as error:
            return "bad reply", alike(without_answer(error)), None
        if held.legal or (self._kept and self._kept not in by_reading.first.clauses):
            return _NOTHING
        self.latest = Shown(case, by_reading, held)
        worst = held.judgement.wrong[0]
        stored = None if worst.symptom == "touched" else store_of(held, worst).place.path
        return worst.symptom, manner_of(held), stored

    def smallest(self, case: Case, item: int, symptom: Symptom, clause: str = "", says: str = "") -> Case:
        """``case`` reduced to what still shows ``symptom``, starting from one batch item.

        ``clause``, one that acts in the case if any is given, still acts in what is left. ``says`` is what is said of
        a breakdown: a smaller program may have the backend break down over something else, which is another mistake.
        So may be a value that is wrong in another manner.

        Where that item alone does not fail the failure is between items: then from two that are neighbours, or from
        the whole case. A near miss is left as it is: a smaller one might break another rule.
        """
        if symptom == "not refused":
            return case
        self._kept = clause
        said = alike(says) if symptom in BREAKDOWNS else ""
        for start in _few(case, item):
            for runs in range(1, RUNS + 1):  # mostly one shows it, and then one will do
                shown, how, stored = self._shown(start, runs)
                if shown == symptom and (symptom not in BREAKDOWNS or how == said):
                    return reduce_case(start, self._failing((symptom, how), runs), wrong=stored)
        if case.batch > TOGETHER:
            return case
        how = said if symptom in BREAKDOWNS else self._shown(case, RUNS)[1]
        return reduce_case(case, self._failing((symptom, how), RUNS))

    def _failing(self, wanted: tuple[Symptom, str], runs: int) -> Callable[[Case], bool]:
        return lambda candidate: self._shown(candidate, runs)[:2] == wanted


def _few(case: Case, item: int) -> Iterator[Case]:
    """One item, and it with each of its neighbours: what one leaves behind mostly shows in the next."""
    yield case.item(item)
    for first in (item - 1, item):
        if first >= 0 and first + 1 < case.batch and case.batch > 2:
            yield case.items(slice(first, first + 2))
