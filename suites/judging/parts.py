"""A case with a long batch, run and judged a part at a time: its legal sets take ten times the memory of its data.

The backend sees every item in the order in which it would see it in one batch: the first run from front to back, the
second one, under the other poison, from back to front. What is found is what the whole batch would show. Only a reload
of a result that is exactly known in one part and not in another is judged in the one; in one batch it is in neither.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b

import numpy as np

from mmaspec.backends.faults.fault import Fault
from mmaspec.backends.protocol import Runner
from mmaspec.oracle.acceptance import Acceptance, Tally
from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import default_readings
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.judge import ByReading, Judgement, Wrong, expect_by_reading, judge
from mmaspec.oracle.readings import Assignment, combinations
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.profile import Profile
from mmaspec.suites.judging.ask import RUNS, Answer, Held, ask_once, buffers_of, hold
from mmaspec.suites.judging.sensitivity import made
from mmaspec.suites.judging.whole import Evidence, Verdict

TOGETHER = 256
"""Items that are run and judged together; no listed case has more."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What one run of one part showed: under each of its readings what is wrong, and a digest of the answer."""

    wrong: Mapping[Assignment, tuple[Wrong, ...]]
    digest: bytes


@dataclass
class Parts:
    """A long case on one backend. Raises what ``mmaspec.backends.checked.call`` raises, from wherever it is asked."""

    backend: Runner
    case: Case
    profile: Profile
    size: int
    clauses: set[str] = field(default_factory=set)
    """Those that acted in some part."""
    tally: Tally = field(default_factory=Tally)
    """How much the sets under the default readings accept."""
    kept: dict[tuple[int, int], Answer] = field(default_factory=dict, repr=False)
    """Run and first item -> the answer: of the first part, and of the first in each run that no reading explains."""

    @property
    def starts(self) -> range:
        """The first item of each part."""
        return range(0, self.case.batch, self.size)

    def part(self, start: int) -> Case:
        """The part that starts there, as a case."""
        return self.case.items(slice(start, start + self.size))

    def expected(self, start: int) -> tuple[ByReading, Defined]:
        """What is demanded of a part."""
        by_reading = expect_by_reading(self.part(start), self.profile)
        assert isinstance(by_reading.first, Defined), "whether a program is defined depends on no data"
        return by_reading, by_reading.first

    @cached_property
    def seen(self) -> list[dict[int, Seen]]:
        """Of each run, what each part showed. The backend is run for it, once."""
        where = buffers_of(self.case.program)
        runs: list[dict[int, Seen]] = []
        for run in range(RUNS):
            found: dict[int, Seen] = {}
            for start in reversed(self.starts) if run else self.starts:
                by_reading, first = self.expected(start)
                if not run:
                    self.clauses |= first.clauses
                    self.tally.add(first)  # before judging: where the sets are computed anyway, they judge as well
                answer = ask_once(self.backend, self.part(start), first, run)
                wrong = {
                    name: judge(held, answer.before, answer.after, where).wrong for name, held in by_reading.variants
                }
                found[start] = Seen(wrong, _digest(answer))
                if not start or all(wrong.values()):
                    self._keep(run, start, answer)
            runs.append(dict(sorted(found.items())))
        return runs

    def _keep(self, run: int, start: int, answer: Answer) -> None:
        """Keep the answer of one wrong part alone: all of them may not fit into memory."""
        earlier = next((key for key in self.kept if key[0] == run and key[1]), None)
        if start and earlier is not None:
            if earlier[1] < start:
                return
            del self.kept[earlier]
        self.kept[run, start] = answer

    def verdict(self) -> Verdict:
        """One combination of readings must explain every part of every run."""
        spec = spec_named(self.case.spec)
        consulted = sorted({name for seen in self.seen[0].values() for one in seen.wrong for name, _ in one})
        defaults = default_readings(spec, self.profile)
        usual = tuple((name, defaults[name]) for name in consulted)
        every = combinations({name: spec.catalogue.ambiguity[name].readings for name in consulted})
        accepted: list[Assignment] = []
        shown: Verdict | None = None
        failed: Verdict | None = None
        possible = 0
        for assignment in sorted(every, key=lambda one: (one != usual, one)):
            if not all(_own(assignment, seen) in seen.wrong for seen in self.seen[0].values()):
                continue  # the program is not valid under these
            possible += 1
            reading = () if assignment == usual else assignment
            bad = next(self._bad(assignment, reading), None)
            if bad is None:
                accepted.append(assignment)
                shown = shown or Verdict((), reading)
            if bad is not None and (failed is None or bad.amount < failed.amount):
                failed = bad
        found = shown or failed
        assert found is not None
        return replace(found, accepted=tuple(sorted(accepted)), possible=possible)

    def _bad(self, assignment: Assignment, reading: Assignment) -> Iterator[Verdict]:
        for run, parts in enumerate(self.seen):
            if wrong := merged((start, seen.wrong[_own(assignment, seen)]) for start, seen in parts.items()):
                yield Verdict((), reading, run, wrong)

    def acceptance(self, reading: Assignment) -> Acceptance:
        """How much the sets accept under a reading."""
        if not reading:
            return self.tally.acceptance()
        tally = Tally()
        for start in self.starts:
            tally.add(self.under_reading(start, reading))
        return tally.acceptance()

    def under_reading(self, start: int, reading: Assignment) -> Defined:
        """What is demanded of a part under a reading; none: the default ones."""
        by_reading, first = self.expected(start)
        found = [variant for name, variant in by_reading.variants if set(name) <= set(reading)]
        return found[0] if reading else first

    @property
    def digest(self) -> str:
        """None: the answers are not all in memory."""
        return ""

    def under(self, profile: Profile) -> Parts:
        """The same judged under another profile; the backend is asked once more."""
        return Parts(self.backend, self.case, profile, self.size)

    def evidence(self, found: Verdict, /) -> Evidence:
        """The part with the worst wrong element. The backend is asked once more where its answer was not kept."""
        item = found.wrong[0].item
        start = item - item % self.size
        by_reading, first = self.expected(start)
        part = self.part(start)
        answers = [self.kept.get((run, start)) or ask_once(self.backend, part, first, run) for run in range(RUNS)]
        here = tuple(replace(wrong, item=wrong.item - start) for wrong in found.wrong)
        shown = self.under_reading(start, found.reading)
        held = Held((), Judgement(here, shown), shown, found.run, found.reading)
        return Evidence(start, part, first, answers, held, by_reading)

    def sample(self) -> Evidence:
        """The first part."""
        by_reading, first = self.expected(0)
        part = self.part(0)
        answers = [self.kept[run, 0] for run in range(RUNS)]
        return Evidence(0, part, first, answers, hold(part, by_reading, answers), by_reading)

    def reproduced(self, fault: Fault) -> bool:
        """Whether a counterfactual leaves the bytes that the backend left, in every part of every run."""
        stands_in = made(fault, self.case.caps)
        for run, parts in enumerate(self.seen):
            for start, seen in parts.items():
                try:
                    answer = ask_once(stands_in, self.part(start), self.expected(start)[1], run)
                except Exception:  # noqa: BLE001 - it may break down where the backend did not
                    return False
                if _digest(answer) != seen.digest:
                    return False
        return True


def merged(parts: Iterator[tuple[int, tuple[Wrong, ...]]]) -> tuple[Wrong, ...]:
    """What is wrong in a batch, from what is wrong in its parts, of which each has the number of its first item."""
    groups: dict[tuple[bool, int, str], list[Wrong]] = {}
    for start, wrong in parts:
        for one in wrong:
            place = (one.symptom == "touched", one.region, one.buffer)
            groups.setdefault(place, []).append(replace(one, item=one.item + start))
    return tuple(_one(group) for _, group in sorted(groups.items()))


def _one(group: Sequence[Wrong]) -> Wrong:
    """The same kind of wrong in one place; copies are only compared where no value is wrong."""
    if any(wrong.symptom == "value" for wrong in group):
        group = [wrong for wrong in group if wrong.symptom == "value"]
    first = min(group, key=lambda wrong: wrong.item)
    return replace(
        first,
        count=sum(wrong.count for wrong in group),
        farthest=max(wrong.farthest for wrong in group),
        slight=all(wrong.slight for wrong in group),
        nan_due=all(wrong.nan_due for wrong in group),
    )


def _own(assignment: Assignment, seen: Seen) -> Assignment:
    """The readings of an assignment on which a part depends."""
    known = {name for one in seen.wrong for name, _ in one}
    return tuple(entry for entry in assignment if entry[0] in known)


def _digest(answer: Answer) -> bytes:
    digest = blake2b()
    for name, image in sorted(answer.after.items()):
        digest.update(f"{name}\0{image.shape}\0".encode())
        digest.update(np.ascontiguousarray(image).data)
    return digest.digest()
