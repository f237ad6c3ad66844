"""One case from recipe to result: expect, ask, judge, blame, reduce, and how sensitive the case is."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from msgspec.structs import replace

from mmaspec.backends.checked import BadReply, Raised
from mmaspec.backends.process import Died
from mmaspec.backends.protocol import Backend, Description, Refused
from mmaspec.oracle.case import Case, encode_case
from mmaspec.oracle.clauses import Catalogue
from mmaspec.oracle.errors import BadInput
from mmaspec.oracle.expectation import Defined, Rejected
from mmaspec.oracle.judge import Expected, expectations
from mmaspec.oracle.profile import PRACTICE, Profile
from mmaspec.oracle.spec import spec_named
from mmaspec.strategies.recipe import Recipe, materialise
from mmaspec.strategies.reducer import reduce_case
from mmaspec.suites.blame import Blame, blame, not_borrowed
from mmaspec.suites.finding import cause, describe
from mmaspec.suites.harness import Held, ask, hold
from mmaspec.suites.invalid import outline
from mmaspec.suites.record import Finding, Result, Symptom
from mmaspec.suites.sensitivity import sensitive_to

REDUCTIONS = 3
"""How many failing cases of one test are reduced: the first of each blamed clause and cause."""


@dataclass(slots=True)
class Examiner:
    """Examines the cases of one test, in order, on one backend.

    ``known`` maps case IDs to the names of counterfactuals they are sensitive to, where already computed.
    """

    backend: Backend
    description: Description
    profile: Profile
    known: Mapping[str, tuple[str, ...]]
    reduced: set[tuple[str, str]] = field(default_factory=set)

    @property
    def _borrowed(self) -> frozenset[str]:
        return frozenset(self.description.borrowed)

    def examine(self, recipe: Recipe) -> tuple[Result, bytes]:
        """The result of one listed case, and the text of its reduced case file (empty if there is none).

        ``Died`` passes through: what it means depends on whether it happens again.
        """
        case = materialise(recipe)
        return self.judge(case, recipe.id, expectations(case, self.profile))

    def judge(self, case: Case, identity: str, expected: Expected) -> tuple[Result, bytes]:
        """The same for a case that is already in memory; ``expected`` comes from this examiner's profile."""
        facts = self._facts(case, identity, expected)
        if isinstance(expected.first, Rejected):
            return self._near_miss(case, expected.first, facts), b""
        if not isinstance(expected.first, Defined):
            return replace(facts, outcome="not applicable", why="undefined by the specification: never sent"), b""
        return self._program(case, expected, expected.first, facts)

    def _facts(self, case: Case, identity: str, expected: Expected) -> Result:
        """What is true of the case whatever the backend answers."""
        sensitive = self.known.get(identity)
        if sensitive is None:
            plain = expected if self.profile == PRACTICE else expectations(case, PRACTICE)
            sensitive = sensitive_to(case, plain)
        return Result(
            case=identity,
            spec=case.spec,
            row=case.row,
            template=case.template,
            target=case.target,
            clauses=tuple(sorted(expected.first.clauses)),
            sensitive=sensitive,
            outcome="inconclusive",
        )

    def _near_miss(self, case: Case, rejected: Rejected, facts: Result) -> Result:
        targets = (case.target,) if case.target else tuple(sorted(rejected.clauses))
        reasons = [unenforced(spec_named(case.spec).catalogue, clause, self.description) for clause in targets]
        if all(reasons):
            return replace(facts, outcome="not applicable", why=reasons[0])
        try:
            self.backend.run(case.spec, case.program, outline(case))
        except Refused:
            return replace(facts, outcome="legal", judged=1)
        except Died:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it was, it was not a refusal
            says = f"broke down over an invalid program instead of refusing it: {type(error).__name__}: {error}"
            return replace(facts, outcome="illegal", finding=_plain("not refused", targets, says))
        says = "an invalid program was accepted"
        return replace(facts, outcome="illegal", finding=_plain("not refused", targets, says))

    def _program(self, case: Case, expected: Expected, first: Defined, facts: Result) -> tuple[Result, bytes]:
        try:
            answers = ask(self.backend, case, first)
        except Refused as refusal:
            return replace(facts, outcome="refused", finding=refused(case, first, refusal, self._borrowed)), b""
        except Raised as error:
            finding = _plain("raised", all_own(first, self._borrowed), f"the backend raised {error}")
            return replace(facts, outcome="illegal", finding=finding), b""
        except BadReply as error:
            says = f"the backend's reply cannot be used: {error}"
            finding = _plain("bad reply", all_own(first, self._borrowed), says)
            return replace(facts, outcome="illegal", finding=finding), b""
        held = hold(case, expected, answers)
        counted = {"judged": held.judgement.judged, "weak": held.judgement.weak}
        if held.legal:
            accepted = held.accepted if held.accepted != ((),) else ()
            return replace(facts, **counted, outcome="legal", accepted=accepted), b""
        blamed = blame(self.backend, case, held, self.profile, self._borrowed)
        looks_like, clause = cause(case, first, answers, blamed.clauses, self._borrowed)
        if clause in first.clauses and clause not in blamed.clauses[:1] and blamed.how != "toggle":
            blamed = Blame((clause, *(other for other in blamed.clauses if other != clause)), blamed.how, blamed.place)
        finding = describe(held, blamed, looks_like)
        if self.profile != PRACTICE and hold(case, expectations(case, PRACTICE), answers).legal:
            finding = replace(finding, profile_only=True)
        text = self._example(case, held, finding)
        example = f"{case.origin}.json" if text else ""
        return replace(facts, **counted, outcome="illegal", finding=finding, example=example), text

    def _example(self, case: Case, held: Held, finding: Finding) -> bytes:
        key = ("".join(finding.blamed[:1]), finding.cause)
        if key in self.reduced or len(self.reduced) >= REDUCTIONS:
            return b""
        self.reduced.add(key)
        return encode_case(self.reduce(case.item(held.judgement.wrong[0].item)))

    def reduce(self, case: Case) -> Case:
        """The smallest case found that still fails; the case itself if it does not fail alone."""

        def fails(candidate: Case) -> bool:
            try:
                expected = expectations(candidate, self.profile)
                if not isinstance(expected.first, Defined):
                    return False
                return not hold(candidate, expected, ask(self.backend, candidate, expected.first)).legal
            except (BadInput, Refused, Raised, BadReply):
                return False

        return reduce_case(case, fails) if fails(case) else case


def unenforced(catalogue: Catalogue, clause: str, description: Description) -> str:
    """Why a near miss of ``clause`` is not for this backend; empty if it is."""
    if "validates" not in description.roles:
        return "the backend does not validate"
    if catalogue.clause[clause].visible == "run" and description.enforces != "all":
        return "the backend checks only what a compiler can see"
    return ""


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
