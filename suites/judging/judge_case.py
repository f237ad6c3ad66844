"""Judging one case, from recipe to result: expect, run, judge, blame, reduce, compute its sensitivity."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from msgspec.structs import replace

from mmaspec.backends.checked import BadReply, Raised
from mmaspec.backends.checked import ask as put
from mmaspec.backends.failures import Unanswered
from mmaspec.backends.protocol import Description, Refused, Runner
from mmaspec.oracle.acceptance import Acceptance
from mmaspec.oracle.case import Case, encode_case
from mmaspec.oracle.demands import may_widen, may_widen_apart
from mmaspec.oracle.expect import Expecting
from mmaspec.oracle.expectation import Defined, Rejected
from mmaspec.oracle.judge import ByReading, by_readings, expect_by_reading
from mmaspec.oracle.readings import Assignment
from mmaspec.programs.profile import DOCUMENT, PRACTICE, Profile
from mmaspec.strategies.recipe import Recipe, materialise
from mmaspec.suites.judging.ask import frozen
from mmaspec.suites.judging.blaming.apart import apart
from mmaspec.suites.judging.diagnose import Settings
from mmaspec.suites.judging.explain import Explaining, LiveExplainer, Reduced
from mmaspec.suites.judging.kind import EXAMPLES, Listable, breaks_alike, shows
from mmaspec.suites.judging.near_miss import judge_near_miss
from mmaspec.suites.judging.parts import TOGETHER, Parts
from mmaspec.suites.judging.plain import allowed, plain, refused
from mmaspec.suites.judging.recall import Recall
from mmaspec.suites.judging.record import Finding, Result
from mmaspec.suites.judging.remembered.acceptance import Accepted
from mmaspec.suites.judging.remembered.answers import Judged
from mmaspec.suites.judging.remembered.replied import Replied, replied_to
from mmaspec.suites.judging.repeats.outcome import broke_down, failed, sampled, usual
from mmaspec.suites.judging.sensitivity import sensitive_to, still_sensitive
from mmaspec.suites.judging.telling.found import found_by, with_found
from mmaspec.suites.judging.whole import Answered, Whole
from mmaspec.suites.suited import not_possible, suited


@dataclass(slots=True)
class CaseJudge:
    """Judges the cases of one test, in order, on one backend.

    ``known`` maps case IDs to the names of counterfactuals they are sensitive to, where already computed.
    """

    backend: Runner
    description: Description
    profile: Profile
    known: Mapping[str, tuple[str, ...]]
    shown: set[tuple[str, str]] = field(default_factory=set)
    """The kinds of failures that have a case file already."""
    limit: int = EXAMPLES
    """How many failures get a case file."""
    listable: Listable | None = None
    """Tells of a case file whether the run may list it in the end; None: any may be. Judges of a process share it."""
    unknown: Collection[str] = ()
    """Counterfactuals that are not looked for as the cause of a failure."""
    explaining: Explaining = LiveExplainer
    """Whom it asks about failures."""
    spared: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict)
    """Specification and row -> counterfactuals that are not tried on a legal case of it whose ``known`` is missing."""
    before: Judged = field(default_factory=dict)
    """The results of answers that were judged before, under this profile."""
    accepted: Accepted = field(default_factory=dict)
    """How much the sets of a case accept under this profile, where already computed."""
    together: int = TOGETHER
    """A longer batch is run and judged in parts of so many items."""
    reordered: dict[str, Case] = field(default_factory=dict)
    """Case -> the same with its batch in another order, where it fails in that and not in its own."""
    unsteady: set[str] = field(default_factory=set)
    """Cases that the backend was seen to answer now rightly and now wrongly; every judge of a process shares them."""

    @property
    def _borrowed(self) -> frozenset[str]:
        return frozenset(self.description.borrowed)

    def judge_listed(self, recipe: Recipe) -> tuple[Result, bytes]:
        """The result of one listed case, and the text of its reduced case file (empty if there is none).

        ``Died`` passes through: what it means depends on whether it happens again. So does ``Unasked``, of which
        nothing follows.
        """
        case = materialise(recipe)
        # The lister has asked the rules about every program that is not a near miss.
        expecting = Expecting(case, self.profile, defined=not recipe.target)
        before = self._judged_before(case, recipe.id)
        start = expecting.start() if before is not None else None
        if before is None or start is None:
            return self.judge(case, recipe.id, by_readings(expecting))
        replied = replied_to(self.backend, case, start)
        if replied.digest == before.answer:
            return replace(before, sensitive=self.known[recipe.id]), b""
        return self.judge(case, recipe.id, by_readings(expecting), replied)

    def _judged_before(self, case: Case, identity: str) -> Result | None:
        """The result of an answer to this case that was judged before, where the same answer need not be."""
        whole = suited(case, self.description) is case and case.batch <= self.together
        known = identity in self.known and "executes" in self.description.roles
        return self.before.get(identity) if whole and known else None

    def judge(
        self, case: Case, identity: str, by_reading: ByReading, replied: Replied | None = None
    ) -> tuple[Result, bytes]:
        """The same for a case that is already in memory; ``by_reading`` comes from this judge's profile.

        Of a longer batch than is judged together it may be that of a part: `expect_some`. ``replied`` is what the
        backend made of it, if it was asked already. A case that nobody answered proves nothing.
        """
        facts = self._facts(case, identity, by_reading)
        taken = suited(case, self.description)
        if taken is None:
            return replace(facts, outcome="not applicable", why=not_possible(case, self.description)), b""
        try:
            expected = by_reading if taken is case else expect_some(taken, self.profile)
            return self._judged(taken, expected, facts, replied)
        except Unanswered as missing:
            return replace(facts, outcome="inconclusive", why=missing.why), b""

    def _judged(
        self, case: Case, by_reading: ByReading, facts: Result, replied: Replied | None
    ) -> tuple[Result, bytes]:
        if isinstance(by_reading.first, Rejected):
            near_miss = case.head(self.together)
            result = judge_near_miss(self.backend, self.description, near_miss, by_reading.first, facts)
            return self._with_example(case, result)
        if not isinstance(by_reading.first, Defined):
            return replace(facts, outcome="not applicable", why="undefined by the specification: never sent"), b""
        result = self._program(case, by_reading, by_reading.first, facts, replied)
        return self._with_example(self.reordered.get(facts.case, case), result)

    def _facts(self, case: Case, identity: str, by_reading: ByReading) -> Result:
        """The facts about a case that do not depend on the backend's answer."""
        case = case.head(self.together)
        return Result(
            case=identity,
            spec=case.spec,
            row=case.row,
            template=case.template,
            target=case.target,
            clauses=tuple(sorted(by_reading.first.clauses)),
            sensitive=self._sensitive(case, by_reading, self.known.get(identity), self._spared(case)),
            outcome="inconclusive",
        )

    def _sensitive(
        self, case: Case, by_reading: ByReading, known: tuple[str, ...] | None, without: Collection[str] = ()
    ) -> tuple[str, ...]:
        if known is None:
            plain = by_reading if self.profile == PRACTICE else expect_by_reading(case, PRACTICE)
            known = sensitive_to(case, plain, without)
        widened = may_widen(self.profile)
        widened |= may_widen_apart(self.profile) and bool(apart(case.spec, by_reading.first.clauses))
        if widened and isinstance(by_reading.first, Defined):
            return still_sensitive(case, by_reading, known)
        return known

    def _spared(self, case: Case) -> frozenset[str]:
        # Of a near miss there is little to try.
        return frozenset() if case.target else self.spared.get((case.spec, case.row), frozenset())

    def _whole(self, facts: Result, case: Case) -> Result:
        """The facts about a failing case with all counterfactuals that fail it: its cause is one of these, or none."""
        if facts.case in self.known or not self._spared(case):
            return facts
        by_reading = expect_some(case, self.profile, self.together)
        return replace(facts, sensitive=self._sensitive(case.head(self.together), by_reading, None))

    def _accepted(self, case: Case, by_reading: ByReading, first: Defined, facts: Result) -> Result:
        """A valid program for a backend that does not execute: all it has to do is accept it."""
        try:
            put(self.backend, case.spec, case.program, frozen(first.images))
        except Refused as refusal:
            if by_reading.refusals:
                return allowed(by_reading, facts)
            return replace(facts, outcome="refused", finding=refused(case.spec, refusal, self._borrowed))
        except (Raised, BadReply) as error:  # whatever it was, it was no answer
            says = f"broke down over a valid program: {error}"
            return replace(facts, outcome="illegal", finding=plain("raised", (), says))
        run = tuple(assignment for assignment, _ in by_reading.variants) if by_reading.refusals else ()
        return replace(facts, outcome="legal", accepted=run)

    def _program(
        self, case: Case, by_reading: ByReading, first: Defined, facts: Result, replied: Replied | None
    ) -> Result:
        if "executes" not in self.description.roles:
            return self._accepted(case, by_reading, first, facts)
        try:
            if case.batch > self.together:
                long = Parts(self.backend, case, self.profile, self.together)
                long.verdict()  # asks the backend
                return self._answered(long, facts)
            answers = (replied or replied_to(self.backend, case, first)).answers()
            return self._answered(Whole(case, self.profile, by_reading, answers), facts)
        except Refused as refusal:
            # Whether a program is valid is not for arithmetic to say: who has nothing else refuses what it can add.
            if by_reading.refusals and not self._borrowed:
                return allowed(by_reading, facts)
            return replace(facts, outcome="refused", finding=refused(case.spec, refusal, self._borrowed))
        except (Raised, BadReply) as error:  # which says nothing of what the program demands
            some, expected = case, by_reading
            if case.batch > self.together:
                some, expected = case.head(self.together), expect_some(case, self.profile, self.together)
            return broke_down(some, expected, facts, self._settings, self.profile, error)

    def _answered(self, answered: Answered, facts: Result) -> Result:
        """The result of a case that the backend has answered."""
        known = self.accepted.get(facts.case, {})
        # Before judging: where the sets are computed anyway, they judge as well.
        by_default = known.get(()) or answered.acceptance(())
        found = answered.verdict()
        taken = known.get(found.reading) or (answered.acceptance(found.reading) if found.reading else by_default)
        counted = replace(_counted(facts, taken), clauses=tuple(sorted(answered.clauses)))
        if found.accepted:
            legal = replace(counted, outcome="legal", accepted=_told(found.accepted))
            if found.rules_out:
                legal = replace(legal, usual=usual(answered, facts.case, self._settings))
            else:
                legal = replace(legal, answer=answered.digest)
            return sampled(answered, legal, self._settings, self.reordered)
        counted = self._whole(counted, answered.case)
        result = failed(answered, found, counted, self._settings, doubted=bool(self.unsteady))
        if result.finding is not None and result.finding.symptom == "unstable":
            self.unsteady.add(facts.case)
        return result

    @property
    def _settings(self) -> Settings:
        return Settings(self.backend, self._borrowed, self.unknown, self.explaining)

    def _with_example(self, case: Case, result: Result) -> tuple[Result, bytes]:
        """The result with a case file, if it is the first failure of its kind in this test.

        The case of the file is reduced if the run may list it. The result speaks of the case as listed, the file of
        both.
        """
        finding = result.finding
        if finding is None or not shows(finding, self.shown, self.limit):
            return result, b""
        told_apart = () if finding.profile_only else apart(case.spec, result.clauses)
        documents = bool(told_apart) and finding.blamed[:1] != told_apart[:1]
        profile = DOCUMENT if documents else self.profile
        explainer = self._settings.explainer(profile)
        reduced = Reduced(case)
        try:
            # Of what is unstable a smaller case would show what chance has it show. What differs each time may come
            # of cases that ran before: a smaller one that fails now need not fail as the first of a new process.
            listed = self.listable is None or self.listable.may_list(result, finding)
            if listed and finding.symptom != "unstable" and not finding.varies:
                reduced = explainer.reduced(case, finding, result.clauses)
            known = reduced.by_reading if profile is self.profile else None
            here = None if reduced.case is case else self._here(reduced.case, finding, reduced.place, known)
        except Exception:  # noqa: BLE001 - the failure stands; only its smallest form was not found
            here = None
        smallest = case if here is None else reduced.case
        drawn = smallest.program == case.program
        found = found_by(self.description, self.profile, result.outcome, finding, here, drawn=drawn)
        return replace(result, example=f"{result.case}.json"), encode_case(with_found(smallest, found))

    def _here(self, case: Case, finding: Finding, place: str, known: ByReading | None) -> Finding | None:
        """What is wrong in the reduced case, found as a replay will find it; None if that is not as in the finding.

        ``known`` is what is demanded of it, if that was worked out already.
        """
        identity = case.identity
        recalled = CaseJudge(
            self.backend, self.description, self.profile, {identity: ()}, limit=0, explaining=Recall(finding, place)
        )
        here = recalled.judge(case, identity, known or expect_some(case, self.profile))[0].finding
        if here is None or not breaks_alike(here, finding):
            return None
        # A smaller case may fall outside what the documents grant, where this one does not: it would show another.
        return None if finding.practice_only and not here.practice_only else here


def expect_some(case: Case, profile: Profile, together: int = TOGETHER) -> ByReading:
    """What is demanded of a case, of a longer batch than is judged together of the first part only."""
    return expect_by_reading(case.head(together), profile)


def _counted(facts: Result, taken: Acceptance) -> Result:
    """The facts with what the legal sets accept."""
    return replace(
        facts,
        judged=taken.judged,
        weak=taken.weak,
        share=taken.median,
        widest=taken.widest,
        unjudged=taken.unjudged,
    )


def _told(accepted: tuple[Assignment, ...]) -> tuple[Assignment, ...]:
    """The readings that a result lists; none where none mattered."""
    return accepted if accepted != ((),) else ()
