"""What repetition showed: a finding of its own where answers are unstable, else a few words about an ordinary one."""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.oracle.case import Case
from mmaspec.oracle.judge import ByReading, expect_by_reading, judge
from mmaspec.programs.profile import DOCUMENT, PRACTICE, Profile
from mmaspec.suites.judging.ask import buffers_of, lawful
from mmaspec.suites.judging.record import Alone, Finding, Result
from mmaspec.suites.judging.repeats.differing import Differing
from mmaspec.suites.judging.repeats.repeat import Repeated
from mmaspec.suites.judging.telling.finding import element

HOW = "repeat"
"""How an unstable finding came about; it blames no clause."""
RIGHT_ALONE = "right in a process of its own: what ran before, or chance, decides"
"""What is said of a case that fails in the run, and does not as the first one of a process."""


def unstable(case: Case, by_reading: ByReading, found: Repeated, profile: Profile) -> Finding:
    """The finding of a case of which some answers are legal and some are not. It blames nothing."""
    reading = found.unstable
    assert reading is not None
    expected = dict(by_reading.variants)[reading]
    wrong = [one for one in found.tries if reading not in one.legal]
    counted = _counted(found.wrong, found.repeats)
    plain = Finding(
        symptom="unstable",
        blamed=(),
        how=HOW,
        says=f"{counted}: {wrong[0].error}",
        profile_only=profile not in (PRACTICE, DOCUMENT) and explained(case, found, PRACTICE),
        practice_only=profile != DOCUMENT and explained(case, found, DOCUMENT),
        repeats=found.repeats,
        wrong_repeats=found.wrong,
        varies=True,
    )
    answers = [one.answer for one in found.tries if one.answer is not None]
    shown = next((one.answer for one in wrong if one.answer is not None), None)
    if shown is None:
        return plain
    where = buffers_of(case.program)
    judgement = judge(expected, shown.before, shown.after, where)
    differing = Differing.of(expected, answers, where)
    worst = differing.shown(judgement.wrong[0])
    return replace(
        plain,
        says=f"{counted}: {differing.told(worst, case.program.waves)}",
        element=element(expected, worst, case.program.waves),
        wrong=judgement.wrong[0].count,
        judged=judgement.judged,
    )


def told_alone(result: Result, alone: Alone | None) -> Result:
    """A failing case with what became of it as the first one of a process of its own, if it was asked so."""
    if alone is None:
        return result
    result, outcome = replace(result, example=result.example or alone.example), alone.outcome
    if outcome == "otherwise" and result.finding is not None:
        return replace(result, finding=replace(result.finding, varies=True))
    return after_others(result) if outcome == "legal" else result


def after_others(result: Result) -> Result:
    """A failing case that is right as the first one of a process of its own: what ran before it decides.

    It is as unstable as one that is right now and then, so it blames no clause and rules out no reading.
    """
    finding = result.finding
    if finding is None or finding.alone:
        return result
    runs, wrong = max(finding.repeats, 1), max(finding.wrong_repeats, 1)
    told = Finding(
        symptom="unstable",
        blamed=(),
        how=HOW,
        says=f"{_counted(wrong, runs + 1)}: {_seen(finding)}; {RIGHT_ALONE}",
        element=finding.element,
        wrong=finding.wrong,
        judged=finding.judged,
        profile_only=finding.profile_only,
        practice_only=finding.practice_only,
        gross=finding.gross,
        farthest=finding.farthest,
        repeats=runs + 1,
        wrong_repeats=wrong,
        varies=True,
        alone=True,
    )
    return replace(result, outcome="illegal", accepted=(), finding=told)


def _seen(finding: Finding) -> str:
    """What is wrong, without where and why: that was found by running it after others."""
    first = finding.says.partition("; ")[0]
    return first.partition(": ")[2] or first if finding.element is not None else first


def after_legal(finding: Finding, legal: int) -> Finding:
    """An unstable finding of a case that was run so often before, each time with a legal answer."""
    runs = finding.repeats + legal
    rest = finding.says.removeprefix(_counted(finding.wrong_repeats, finding.repeats))
    return replace(finding, says=f"{_counted(finding.wrong_repeats, runs)}{rest}", repeats=runs)


def _counted(wrong: int, runs: int) -> str:
    return f"unstable: {wrong} of {runs} wrong" + (", in no place each time" if wrong == runs else "")


def repeated_too(finding: Finding, found: Repeated) -> Finding:
    """An ordinary finding with what repetition showed of the case."""
    return replace(finding, repeats=found.repeats, wrong_repeats=found.wrong, varies=found.varies)


def how_often(finding: Finding) -> str:
    """What a sentence about an ordinary failure goes on with; empty where it is there each time and always the same."""
    told = f"{finding.wrong_repeats} of {finding.repeats} wrong"
    if finding.symptom == "unstable":
        return ""
    if finding.wrong_repeats < finding.repeats:
        return f"; {told}, by the order of the batch"
    return f"; {told}, with different bytes: chance, or what ran before, decides" if finding.varies else ""


def explained(case: Case, found: Repeated, profile: Profile) -> bool:
    """Whether one combination of readings explains all answers under another profile."""
    answers = [one.answer for one in found.tries]
    given = [answer for answer in answers if answer is not None]
    return len(given) == len(answers) and lawful(case, expect_by_reading(case, profile), given)
