"""Judging one case, from recipe to result: expect, run, judge, blame, reduce, compute its sensitivity."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from dataclasses import replace as dataclass_replace

from msgspec.structs import replace

from mmaspec.backends.checked import BadReply, Raised
from mmaspec.backends.checked import ask as put
from mmaspec.backends.failures import Unanswered, error_line
from mmaspec.backends.faults import faults_of
from mmaspec.backends.protocol import Description, Refused, Runner
from mmaspec.oracle.acceptance import Acceptance, acceptance
from mmaspec.oracle.case import Case, encode_case
from mmaspec.oracle.clauses import Catalogue
from mmaspec.oracle.demands import may_widen, may_widen_apart
from mmaspec.oracle.expectation import Defined, Rejected
from mmaspec.oracle.judge import ByReading, expect_by_reading
from mmaspec.oracle.readings import Assignment
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.profile import DOCUMENT, PRACTICE, Profile
from mmaspec.strategies.recipe import Recipe, materialise
from mmaspec.suites.judging.acceptance import Accepted
from mmaspec.suites.judging.ask import Answer, Held, ask, frozen, hold
from mmaspec.suites.judging.blame import Blame, not_borrowed
from mmaspec.suites.judging.explain import Explainer, Explaining, LiveExplainer
from mmaspec.suites.judging.finding import describe
from mmaspec.suites.judging.invalid import outline
from mmaspec.suites.judging.parts import TOGETHER, Parts, Verdict
from mmaspec.suites.judging.record import Finding, Result, Symptom
from mmaspec.suites.judging.sensitivity import sensitive_to, still_sensitive

EXAMPLES = 3
"""How many failing cases of one test get a case file: the first of each blamed clause and cause."""


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
    """Blamed clause and cause of the failures that have a case file already."""
    limit: int = EXAMPLES
    """How many failures get a case file."""
    unreduced: dict[str, Finding] = field(default_factory=dict)
    """Case -> what was found in it as listed, where the result speaks of its reduced form."""
    unknown: Collection[str] = ()
    """Counterfactuals that are not looked for as the cause of a failure."""
    explaining: Explaining = LiveExplainer
    """Whom it asks about failures."""
    accepted: Accepted = field(default_factory=dict)
    """How much the sets of a case accept under this profile, where already computed."""
    together: int = TOGETHER
    """A longer batch is run and judged in parts of so many items."""

    @property
    def _borrowed(self) -> frozenset[str]:
        return frozenset(self.description.borrowed)

    @property
    def _explainer(self) -> Explainer:
        return self.explaining(self.backend, self.profile, self._borrowed, self.unknown)

    def judge_listed(self, recipe: Recipe) -> tuple[Result, bytes]:
        """The result of one listed case, and the text of its reduced case file (empty if there is none).

        ``Died`` passes through: what it means depends on whether it happens again. So does ``Unasked``, of which
        nothing follows.
        """
        case = materialise(recipe)
        return self.judge(case, recipe.id, expect_by_reading(case, self.profile))

    def judge(self, case: Case, identity: str, by_reading: ByReading) -> tuple[Result, bytes]:
        """The same for a case that is already in memory; ``by_reading`` comes from this judge's profile.

        Of a longer batch than is judged together it may be that of a part: `expect_some`.
        A case that nobody answered proves nothing.
        """
        facts = self._facts(case, identity, by_reading)
        try:
            return self._judged(case, by_reading, facts)
        except Unanswered as missing:
            return replace(facts, outcome="inconclusive", why=missing.why), b""

    def _judged(self, case: Case, by_reading: ByReading, facts: Result) -> tuple[Result, bytes]:
        if isinstance(by_reading.first, Rejected):
            return self._with_example(case, self._near_miss(case.head(self.together), by_reading.first, facts))
        if not isinstance(by_reading.first, Defined):
            return replace(facts, outcome="not applicable", why="undefined by the specification: never sent"), b""
        return self._with_example(case, self._program(case, by_reading, by_reading.first, facts))

    def _facts(self, case: Case, identity: str, by_reading: ByReading) -> Result:
        """The facts about a case that do not depend on the backend's answer."""
        sensitive = self.known.get(identity)
        case = case.head(self.together)
        if sensitive is None:
            plain = by_reading if self.profile == PRACTICE else expect_by_reading(case, PRACTICE)
            sensitive = sensitive_to(case, plain)
        widened = may_widen(self.profile)
        widened |= may_widen_apart(self.profile) and bool(apart(case.spec, by_reading.first.clauses))
        if widened and isinstance(by_reading.first, Defined):
            sensitive = still_sensitive(case, by_reading, sensitive)
        return Result(
            case=identity,
            spec=case.spec,
            row=case.row,
            template=case.template,
            target=case.target,
            clauses=tuple(sorted(by_reading.first.clauses)),
            sensitive=sensitive,
            outcome="inconclusive",
        )

    def _near_miss(self, case: Case, rejected: Rejected, facts: Result) -> Result:
        targets = (case.target,) if case.target else tuple(sorted(rejected.clauses))
        reasons = [unenforced(spec_named(case.spec).catalogue, clause, self.description) for clause in targets]
        if all(reasons):
            return replace(facts, outcome="not applicable", why=reasons[0])
        images = outline(case)  # a mistake in it would be ours
        try:
            put(self.backend, case.spec, case.program, images)
        except Refused:
            return replace(facts, outcome="legal", judged=1)
        except (Raised, BadReply) as error:  # whatever it was, it was not a refusal
            says = f"broke down over an invalid program instead of refusing it: {error}"
            return replace(facts, outcome="illegal", finding=_plain("not refused", targets, says))
        says = "an invalid program was accepted"
        return replace(facts, outcome="illegal", finding=_plain("not refused", targets, says))

    def _accepted(self, case: Case, by_reading: ByReading, first: Defined, facts: Result) -> Result:
        """A valid program for a backend that does not execute: all it has to do is accept it."""
        try:
            put(self.backend, case.spec, case.program, frozen(first.images))
        except Refused as refusal:
            if by_reading.refusals:
                return allowed(by_reading, facts)
            known = spec_named(case.spec).catalogue.clause
            named = not_borrowed((clause for clause in refusal.clauses if clause in known), self._borrowed)
            says = f"a valid program was refused: {refusal.reason}"
            return replace(facts, outcome="refused", finding=_plain("refused", named, says))
        except (Raised, BadReply) as error:  # whatever it was, it was no answer
            says = f"broke down over a valid program: {error}"
            return replace(facts, outcome="illegal", finding=_plain("raised", (), says))
        run = tuple(assignment for assignment, _ in by_reading.variants) if by_reading.refusals else ()
        return replace(facts, outcome="legal", accepted=run)

    def _program(self, case: Case, by_reading: ByReading, first: Defined, facts: Result) -> Result:
        if "executes" not in self.description.roles:
            return self._accepted(case, by_reading, first, facts)
        try:
            if case.batch > self.together:
                return self._long(case, facts)
            answers = ask(self.backend, case, first)
        except Refused as refusal:
            if by_reading.refusals:
                return allowed(by_reading, facts)
            return replace(facts, outcome="refused", finding=refused(case, first, refusal, self._borrowed))
        except Raised as error:
            finding = _plain("raised", all_own(first, self._borrowed), f"the backend raised {error}")
            return replace(facts, outcome="illegal", finding=finding)
        except BadReply as error:
            says = f"the backend's reply cannot be used: {error}"
            finding = _plain("bad reply", all_own(first, self._borrowed), says)
            return replace(facts, outcome="illegal", finding=finding)
        accepted = dict(self.accepted.get(facts.case, {}))
        if () not in accepted:
            accepted[()] = acceptance(first)  # before judging: where the sets are computed anyway, they judge as well
        held = hold(case, by_reading, answers)
        taken = accepted.get(held.reading) or acceptance(held.expected)
        counted = _counted(facts, taken)
        if held.legal:
            return replace(counted, outcome="legal", accepted=_told(held.accepted))
        try:
            finding = self._finding(case, first, answers, held)
        except Exception as error:  # noqa: BLE001 - the bytes are wrong, whatever happens while that is explained
            finding = unexplained(held.judgement.wrong[0].symptom, all_own(first, self._borrowed), error)
        return replace(counted, outcome="illegal", finding=finding)

    def _long(self, case: Case, facts: Result) -> Result:
        """The same for a batch that is run and judged in parts."""
        parts = Parts(self.backend, case, self.profile, self.together)
        held = parts.verdict()
        counted = replace(_counted(facts, parts.acceptance(held.reading)), clauses=tuple(sorted(parts.clauses)))
        if held.accepted:
            return replace(counted, outcome="legal", accepted=_told(held.accepted))
        try:
            finding = self._finding_in(parts, held)
        except Exception as error:  # noqa: BLE001 - as above
            own = not_borrowed(counted.clauses, self._borrowed)
            finding = unexplained(held.wrong[0].symptom, own, error)
        return replace(counted, outcome="illegal", finding=finding)

    def _finding_in(self, parts: Parts, found: Verdict) -> Finding:
        """As ``_finding``, by the part in which the worst element is; the cause has to explain all of them."""
        declared = self.profile not in (PRACTICE, DOCUMENT)
        profile_only = declared and bool(Parts(self.backend, parts.case, PRACTICE, parts.size).verdict().accepted)
        told_apart = () if profile_only else apart(parts.case.spec, parts.clauses)
        documents = True
        if told_apart:
            by_documents = Parts(self.backend, parts.case, DOCUMENT, parts.size)
            under = by_documents.verdict()
            documents = not under.accepted
            if documents:
                parts, found = by_documents, under
        start, case, first, answers, held = parts.evidence(found)
        unknown = set(self.unknown)
        while True:
            explainer = self.explaining(self.backend, parts.profile, self._borrowed, unknown)
            blamed, looks_like = explainer.blamed(case, first, answers, held)
            claimed = [fault for fault in faults_of(case.spec) if looks_like and fault.behaves_as_if == looks_like]
            if not claimed or any(parts.reproduced(fault) for fault in claimed if fault.name not in unknown):
                break
            unknown |= {fault.name for fault in claimed}
        if told_apart:
            blamed = narrowed(blamed, parts.clauses, told_apart, documents=documents)
        finding = describe(held, blamed, looks_like)
        assert finding.element is not None
        element = replace(finding.element, item=finding.element.item + start)
        judged = parts.tally.acceptance().judged
        return replace(finding, element=element, judged=judged, profile_only=bool(profile_only))

    def _finding(self, case: Case, first: Defined, answers: list[Answer], held: Held) -> Finding:
        """Blame and word a failure of value."""
        declared = self.profile not in (PRACTICE, DOCUMENT)
        profile_only = declared and hold(case, expect_by_reading(case, PRACTICE), answers).legal
        told_apart = () if profile_only else apart(case.spec, held.expected.clauses)
        explainer, documents = self._explainer, True
        if told_apart:
            # What breaks the documents is explained by what they demand, what does not by practice alone.
            by_documents = expect_by_reading(case, DOCUMENT)
            under = hold(case, by_documents, answers)
            documents = not under.legal
            if documents and isinstance(by_documents.first, Defined):
                explainer, first, held = self._under_documents, by_documents.first, under
        blamed, looks_like = explainer.blamed(case, first, answers, held)
        if told_apart:
            blamed = narrowed(blamed, held.expected.clauses, told_apart, documents=documents)
        finding = describe(held, blamed, looks_like)
        return replace(finding, profile_only=True) if profile_only else finding

    @property
    def _under_documents(self) -> Explainer:
        return self.explaining(self.backend, DOCUMENT, self._borrowed, self.unknown)

    def _with_example(self, case: Case, result: Result) -> tuple[Result, bytes]:
        """The result with a reduced case file, if it is the first failure of its kind in this test.

        The finding then speaks of the reduced case's element, which is what a reader replays.
        """
        finding = result.finding
        if finding is None:
            return result, b""
        key = kind_of(finding)
        if key in self.shown or len(self.shown) >= self.limit:
            return result, b""
        self.shown.add(key)
        self.unreduced[result.case] = finding
        told_apart = () if finding.profile_only else apart(case.spec, result.clauses)
        documents = bool(told_apart) and finding.blamed[:1] != told_apart[:1]
        explainer = self._under_documents if documents else self._explainer
        try:
            smallest, finding = explainer.reduced(case, finding)
        except Exception:  # noqa: BLE001 - the failure stands; only its smallest form was not found
            smallest = case
        return replace(result, finding=finding, example=f"{result.case}.json"), encode_case(smallest)


def apart(spec: str, clauses: Collection[str]) -> tuple[str, ...]:
    """Which of the clauses are on practice and told apart from what the documents demand (``Clause.apart``)."""
    known = spec_named(spec).catalogue.clause
    return tuple(sorted(name for name in clauses if known[name].apart))


def narrowed(blamed: Blame, acted: Collection[str], told_apart: Collection[str], *, documents: bool) -> Blame:
    """The blame without the clauses that are told apart where documents are broken, and else one of these alone."""
    suspects = (*blamed.clauses, *blamed.own, *sorted(acted))
    if not documents:
        return dataclass_replace(blamed, clauses=tuple(name for name in suspects if name in told_apart)[:1])
    for some in (blamed.clauses, blamed.own, tuple(sorted(acted))):
        if left := tuple(name for name in some if name not in told_apart):
            return dataclass_replace(blamed, clauses=left)
    return blamed


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


def unexplained(symptom: Symptom, blamed: tuple[str, ...], error: Exception) -> Finding:
    """The finding of wrong bytes over whose explanation something broke down."""
    says = f"wrong bytes, which could not be explained: {type(error).__name__}: {error_line(error)}"
    return _plain(symptom, blamed, says)


def kind_of(finding: Finding) -> tuple[str, str]:
    """The kind of a failure, its blamed clause and cause; one case file is written for each kind."""
    return finding.blamed[0] if finding.blamed else finding.symptom, finding.cause


def unenforced(catalogue: Catalogue, clause: str, description: Description) -> str:
    """Why this backend need not refuse a near miss of ``clause``; empty if it must."""
    if "validates" not in description.roles:
        return "the backend does not validate"
    if catalogue.clause[clause].visible == "run" and description.enforces != "all":
        return "the backend checks only what a compiler can see"
    return ""


def allowed(by_reading: ByReading, facts: Result) -> Result:
    """The result of a program that was refused and is invalid under some reading: no failure, and no proof either."""
    told = " or ".join(
        ", ".join(f"{name} ({reading})" for name, reading in assignment) for assignment in by_reading.refusals
    )
    return replace(facts, outcome="not applicable", accepted=by_reading.refusals, why=f"refused, as {told} allows")


def refused(case: Case, expected: Defined, refusal: Refused, borrowed: Collection[str] = ()) -> Finding:
    """The finding of a valid program that was refused: the rule it claims, else what the program is about."""
    known = spec_named(case.spec).catalogue.clause
    named = not_borrowed((clause for clause in refusal.clauses if clause in known), borrowed)
    says = f"a valid program was refused: {refusal.reason}"
    return _plain("refused", named or all_own(expected, borrowed), says)


def all_own(expected: Defined, borrowed: Collection[str]) -> tuple[str, ...]:
    """Every clause that acts in a case and is not borrowed."""
    return not_borrowed((clause for step in expected.steps for clause in step.clauses), borrowed)


def _plain(symptom: Symptom, blamed: tuple[str, ...], says: str) -> Finding:
    return Finding(symptom=symptom, blamed=blamed, how="symptom", says=" ".join(says.split()))
