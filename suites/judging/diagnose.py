"""The diagnosis of wrong bytes: whose demand is broken, which clause, and as what mistake the backend behaves."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from dataclasses import replace as dataclass_replace

from msgspec.structs import replace

from mmaspec.backends.protocol import Runner
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.profile import DOCUMENT, PRACTICE, Profile
from mmaspec.suites.judging.blaming.apart import apart, narrowed
from mmaspec.suites.judging.blaming.beyond_rounding import beyond_rounding
from mmaspec.suites.judging.blaming.blame import NAN_DUE
from mmaspec.suites.judging.explain import Explainer, Explaining
from mmaspec.suites.judging.plain import not_borrowed
from mmaspec.suites.judging.record import Finding
from mmaspec.suites.judging.sensitivity import passing
from mmaspec.suites.judging.telling.finding import describe
from mmaspec.suites.judging.whole import Answered, Verdict


@dataclass(frozen=True, slots=True)
class Settings:
    """What explanations of one backend need beside the case."""

    backend: Runner
    borrowed: frozenset[str]
    unknown: Collection[str]
    """Counterfactuals that are not looked for as the cause of a failure."""
    explaining: Explaining

    def explainer(self, profile: Profile, times: int = 1, besides: Collection[str] = ()) -> Explainer:
        """Whom to ask about failures under a profile; every variation is run so many times.

        ``besides`` are more counterfactuals that are not looked for.
        """
        return self.explaining(self.backend, profile, self.borrowed, {*self.unknown, *besides}, times)


def diagnosed(
    answered: Answered, found: Verdict, settings: Settings, times: int = 1, sensitive: Collection[str] = ()
) -> Finding:
    """The finding of a case with wrong bytes, by the part in which the worst element is; a cause has to explain all.

    ``sensitive`` are the counterfactuals that fail the case by practice, if that is known: no other leaves its bytes.
    What breaks the documents is explained by what they demand, what does not by practice alone. Documents are broken
    by what is illegal without any demand of accuracy, and where the program fails with data for which accuracy is no
    matter (``probes``). Where answers vary, every variation has to be run several ``times``.
    """
    declared = answered.profile not in (PRACTICE, DOCUMENT)
    by_practice = answered.under(PRACTICE) if declared else answered
    profile_only = declared and bool(by_practice.verdict().accepted)
    told_apart = () if profile_only else apart(answered.case.spec, answered.clauses)
    documents = not told_apart
    here = answered.evidence(found)
    if told_apart:
        by_documents = answered.under(DOCUMENT)
        under = by_documents.verdict()
        there = None if under.accepted else by_documents.evidence(under)
        if there is not None and beyond_rounding(there, told_apart):
            documents, answered, found, here = True, by_documents, under, there
        else:
            documents = settings.explainer(DOCUMENT, times).fails_probes(here.case, here.first, told_apart)
    whole = here.case.batch == answered.case.batch and settings.explainer(DOCUMENT).reruns
    legal = passing(answered.case, by_practice.clauses, sensitive) if whole and by_practice.profile == PRACTICE else ()
    explainer = settings.explainer(answered.profile, times, () if profile_only else legal)
    blamed, like = explainer.blamed(here.case, here.first, list(here.answers), here.held, answered.reproduced)
    if blamed.how == NAN_DUE:
        documents = spec_named(here.case.spec).catalogue.clause[blamed.clauses[0]].basis != "practice"
    elif told_apart:
        # Where none of these clauses acts in the wrong instruction, accuracy is not in question.
        documents = documents or bool(blamed.own and not set(told_apart).intersection(blamed.own))
        # Nor where the same sums are right by another way.
        documents = documents or (blamed.removed is not None and blamed.removed.same_sums())
        otherwise = dataclass_replace(blamed, clauses=blamed.otherwise)
        blamed, otherwise = (
            narrowed(here.case.spec, some, answered.clauses, told_apart, documents=documents) if some.clauses else some
            for some in (blamed, otherwise)
        )
        own, plainly = (not_borrowed(some.clauses, settings.borrowed) for some in (blamed, otherwise))
        blamed = dataclass_replace(blamed, clauses=own, otherwise=plainly if plainly != own else ())
    finding = describe(here.held, blamed, like, here.case.program.waves)
    if finding.element is not None and here.start:
        finding = replace(finding, element=replace(finding.element, item=finding.element.item + here.start))
    return replace(
        finding,
        judged=answered.acceptance(found.reading).judged,
        profile_only=bool(profile_only),
        practice_only=not documents,
        gross=bool(told_apart) and documents,
    )
