"""From answers to a result: wrong ones are asked for again before anything is blamed, and a sample of right ones."""

from __future__ import annotations

import dataclasses
from collections.abc import MutableMapping

from msgspec.structs import replace

from mmaspec.backends.checked import BadReply, Raised
from mmaspec.oracle.case import Case
from mmaspec.oracle.judge import ByReading, expect_by_reading
from mmaspec.oracle.readings import Assignment
from mmaspec.programs.profile import Profile
from mmaspec.suites.judging.blaming.blame import GONE
from mmaspec.suites.judging.blaming.elsewhere.between_items import ALONE
from mmaspec.suites.judging.diagnose import Settings, diagnosed
from mmaspec.suites.judging.plain import not_borrowed, plain, unexplained, without_answer
from mmaspec.suites.judging.record import Finding, Result, Symptom
from mmaspec.suites.judging.repeats.repeat import (
    Repeated,
    after_breakdown,
    in_order,
    is_sampled,
    once_more,
    repeated,
    run_again,
)
from mmaspec.suites.judging.repeats.tries import AT_MOST, DOUBTED, Repetition, fresh_order
from mmaspec.suites.judging.repeats.unstable import repeated_too, unstable
from mmaspec.suites.judging.whole import Answered, Evidence, Verdict, Whole


def failed(
    answered: Answered, found: Verdict, facts: Result, settings: Settings, *, again: bool = True, doubted: bool = False
) -> Result:
    """The result of wrong bytes. ``again``: whether they are asked for again, if the backend is there for it.

    ``doubted``: whether the backend answered another case now rightly and now wrongly. Then it is asked so often that
    a failure each time is no chance.
    """
    repeats: Repeated | None = None
    try:
        here = answered.evidence(found)
        repetition = Repetition.of(settings.backend, here.case, here.by_reading, f"{facts.case} {here.start}")
        if again and settings.explainer(answered.profile).reruns:
            if doubted:
                repetition.confirmations = DOUBTED
            repeats = repeated(repetition, here.answers)
            if doubted and repeats.unstable is None and not repeats.by_order:
                repeats = once_more(repetition, repeats, DOUBTED)
            if repeats.unstable is not None:
                return _unstable(here, repeats, facts, answered.profile)
        varies = repeats is not None and repeats.varies
        # In another order of the batch it may be other counterfactuals that fail.
        finding = diagnosed(answered, found, settings, AT_MOST if varies else 1, facts.sensitive if again else ())
        if repeats is not None and not (varies or repeats.by_order) and _went_away(finding):
            repeats = once_more(repetition, repeats)
            if repeats.unstable is not None:
                return _unstable(here, repeats, facts, answered.profile)
    except Exception as error:  # noqa: BLE001 - the bytes are wrong, whatever happens while that is explained
        finding = unexplained(found.wrong[0].symptom, not_borrowed(facts.clauses, settings.borrowed), error)
    return replace(facts, outcome="illegal", finding=finding if repeats is None else repeated_too(finding, repeats))


def _went_away(finding: Finding) -> bool:
    """Whether the blame stands on another run that was right, which chance may have made so."""
    return finding.how in GONE or ALONE in finding.only


def _unstable(here: Evidence, repeats: Repeated, facts: Result, profile: Profile) -> Result:
    told = unstable(here.case, here.by_reading, repeats, profile)
    return replace(facts, outcome="illegal", finding=_listed(told, here.start))


def broke_down(
    case: Case, by_reading: ByReading, facts: Result, settings: Settings, profile: Profile, error: Raised | BadReply
) -> Result:
    """The result of a case to which there was an exception or a useless reply: unstable if it is answered legally now.

    ``by_reading`` is that of the case, which is not judged in parts.
    """
    told = without_answer(error)
    symptom: Symptom = "raised" if isinstance(error, Raised) else "bad reply"
    if settings.explainer(profile).reruns:
        found = after_breakdown(Repetition.of(settings.backend, case, by_reading, facts.case), told)
        if found is not None:
            return replace(facts, outcome="illegal", finding=unstable(case, by_reading, found, profile))
    return replace(facts, outcome="illegal", finding=plain(symptom, (), told))


def usual(answered: Answered, case: str, settings: Settings) -> tuple[Assignment, ...] | None:
    """The readings that explain most answers to a passing case that rules some out; None if each answer has the same.

    The case is asked once more, and where other readings explain that answer, as often as a failing one.
    """
    if not settings.explainer(answered.profile).reruns:
        return None
    here = answered.sample()
    if len(here.held.accepted) == len(here.by_reading.variants):
        return None
    repetition = Repetition.of(settings.backend, here.case, here.by_reading, case)
    left = {name for name, _ in here.by_reading.variants}
    differ = False
    for pattern, answer in enumerate(here.answers):
        tries = [repetition.tried(answer)]
        tries.append(repetition.again(pattern, fresh_order(case, 1, here.case.batch), tries, dying=False))
        if tries[1].legal != tries[0].legal:
            differ = True
            repetition.fill(pattern, tries)
        left = {name for name in left if 2 * sum(name in one.legal for one in tries) > len(tries)}
    return tuple(sorted(left)) if differ else None


def sampled(answered: Answered, legal: Result, settings: Settings, reordered: MutableMapping[str, Case]) -> Result:
    """The result of a case that passes, after another run if it is in the sample.

    A case that fails in another order of its batch alone goes to ``reordered`` as it failed. Raises what ``call``
    raises.
    """
    if not (is_sampled(legal.case) and settings.explainer(answered.profile).reruns):
        return legal
    here = answered.sample()
    repetition = Repetition.of(settings.backend, here.case, here.by_reading, legal.case)
    found = run_again(repetition, here.answers, here.held.accepted)
    result = replace(legal, sampled=True, varied=found.varies)
    repeats = found.repeated
    if repeats is None:
        return result
    result = replace(result, accepted=())
    if repeats.order is not None:
        other = in_order(here.case, repeats.order)
        asked = Whole.asked(settings.backend, other, answered.profile, expect_by_reading(other, answered.profile))
        shown = asked.verdict()
        if not shown.accepted:
            reordered[legal.case] = other
            wrong = failed(asked, shown, result, settings, again=False)
            assert wrong.finding is not None
            return replace(wrong, finding=repeated_too(wrong.finding, repeats))
        repeats = dataclasses.replace(repeats, unstable=repeats.readings[0])
    return replace(result, outcome="illegal", finding=unstable(here.case, here.by_reading, repeats, answered.profile))


def _listed(finding: Finding, start: int) -> Finding:
    """The finding of a part of a case, which starts at that item, as one of the case."""
    if finding.element is None or not start:
        return finding
    return replace(finding, element=replace(finding.element, item=finding.element.item + start))
