"""Failing cases asked once more, each as the first one of a process of its own.

A backend that keeps something from one program to the next is wrong in cases that have nothing to do with its mistake,
each time as long as its process lives. Blame for such a case would be of innocent clauses, and its replay would be
right. So the case that a finding shows is asked alone; where one of them is right then, or wrong in another way, every
failing case is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from mmaspec.backends.failures import BadReply, Raised
from mmaspec.backends.protocol import Refused
from mmaspec.backends.resolve import isolated
from mmaspec.oracle.case import Case, decode_case, encode_case
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.judging.ask import RUNS, ask_once, hold, lawful
from mmaspec.suites.judging.kind import kind_of
from mmaspec.suites.judging.parts import TOGETHER
from mmaspec.suites.judging.record import Alone, AloneOutcome, Element, Finding, Result
from mmaspec.suites.judging.repeats.unstable import told_alone
from mmaspec.suites.judging.telling.finding import element
from mmaspec.suites.judging.telling.found import found_by, found_in, with_found
from mmaspec.suites.planning.plan import Plan, Planned, recipe_of
from mmaspec.suites.pool import Progress
from mmaspec.suites.running.run_folder import RunFolder
from mmaspec.suites.suited import suited
from mmaspec.suites.verdict.groups import Filed, shown_of

MOST_SHOWN = 8
"""Of how many findings the shown case is asked: the largest ones. Each costs the start of a process."""
MOST = 200
"""How many failing cases are asked at most, where what ran before decides some of them."""

_UNASKED = {"unstable", "died", "reported"}
"""Symptoms that are not asked alone: chance decides, it was seen to die in two processes, or no case is about it."""

Asked = tuple[AloneOutcome, bytes]
"""The outcome, and the text of a case file where none was written, or that one does not show it; else empty."""


def ask_alone(folder: RunFolder, results: Sequence[Result], workers: int, progress: Progress) -> list[Result]:
    """The results, sorted by case ID, with those of cases that are right alone said to depend on what ran before.

    What was found is recorded. Raises ``OSError`` where it cannot be.
    """
    alone = folder.recorded().alone
    failing = [one for one in results if _counts(one)]
    _ask(folder, [one for one in _shown(failing, folder.filed) if one.case not in alone], workers, progress)
    alone = folder.recorded().alone
    if {"legal", "otherwise"}.intersection(one.outcome for one in alone.values()):
        _ask(folder, [one for one in failing if one.case not in alone][:MOST], workers, progress)
    now = folder.recorded().results
    return [now.get(one.case, one) for one in results]


def _counts(result: Result) -> bool:
    """Whether a case fails in a way that what ran before may have caused.

    Of a sampled one that fails in another order of its batch only the file knows which.
    """
    if result.finding is None or result.finding.symptom in _UNASKED or result.target:
        return False
    return bool(result.example) or not result.sampled


def _shown(failing: Iterable[Result], filed: Filed) -> list[Result]:
    """The case that a finding of each kind would show, those of large kinds first."""
    kinds: dict[tuple[str, bool, tuple[str, str]], list[Result]] = {}
    for result in failing:
        assert result.finding is not None
        kinds.setdefault((result.spec, result.explored, kind_of(result.finding)), []).append(result)
    ranked = sorted(kinds.items(), key=lambda kind: (-len(kind[1]), kind[0]))
    filed_ones = [members for _, members in ranked if any(one.example for one in members)]
    return [shown_of(members, filed) for members in filed_ones[:MOST_SHOWN]]


def _ask(folder: RunFolder, failing: Sequence[Result], workers: int, progress: Progress) -> None:
    if not failing:
        return
    planned = {one.id: one for one in folder.own_cases}
    texts = [folder.example(result) if result.example else b"" for result in failing]
    recorder = folder.recorder("alone")
    with ThreadPoolExecutor(max(1, workers)) as pool:
        answers = pool.map(partial(_asked, folder.plan), [planned[one.case] for one in failing], failing, texts)
        for done, (result, (outcome, text)) in enumerate(zip(failing, answers, strict=True), 1):
            new = f"{result.case}.json" if text and not result.example else ""
            if new:
                recorder.example(new, text)
            elif text:
                recorder.smaller(result.example, text)
            recorder.append(Alone(case=result.case, outcome=outcome, example=new))
            progress(done, len(failing))
    recorder.close()


def _asked(plan: Plan, planned: Planned, result: Result, text: bytes) -> Asked:
    """What becomes of the case of a file in processes of its own, and of the listed one where that is another."""
    try:
        whole = suited(materialise(recipe_of(planned)), plan.description)
        if whole is None or result.finding is None:
            return "not known", b""
        kept = decode_case(text, result.example) if text else whole
        found = found_in(kept)
        shown = result.finding.element if found is None else found.shown.element
        outcome = _outcome(plan, kept, shown, result.finding)
        reduced = found is not None and found.here is not None
        again = reduced and outcome == "legal"
        if again:
            outcome = _outcome(plan, whole, result.finding.element, result.finding)
        # What had no file may be all that is left of a finding whose files show something else now.
        changed = not text or outcome in ("legal", "otherwise") or (again and outcome == "failed")
        told = told_alone(result, Alone(case=result.case, outcome=outcome))
        return outcome, _filed(plan, whole, told) if changed else b""
    except Exception:  # noqa: BLE001 - the failure stands; only whether it needs other cases is not known
        return "not known", b""


def _outcome(plan: Plan, case: Case, shown: Element | None, finding: Finding) -> AloneOutcome:
    """Whether one combination of readings explains the answers to a case, each the first one of a process.

    Of a long batch the part with the wrong element is asked, which ``shown`` is.
    """
    start = 0 if shown is None else shown.item - shown.item % TOGETHER
    part = case if case.batch <= TOGETHER else case.items(slice(start, start + TOGETHER))
    by_reading = expect_by_reading(part, plan.profile)
    if not isinstance(by_reading.first, Defined):
        return "not known"
    answers = []
    for run in range(RUNS):
        with isolated(plan.backend, timeout_s=plan.time_limit) as backend:
            try:
                answers.append(ask_once(backend, part, by_reading.first, run))
            except (Refused, Raised, BadReply):
                return "failed"
        if not lawful(part, by_reading, answers):
            held = hold(part, by_reading, answers)
            worst = element(held.expected, held.judgement.wrong[0], part.program.waves)
            same = finding.varies or shown is None or _place(worst, start) == _place(shown, 0)
            return "failed" if same else "otherwise"
    return "legal"


def _place(one: Element, start: int) -> tuple[object, ...]:
    """Where an element is, and what it holds; ``start`` is the first item of its part."""
    return one.buffer, start + one.item, one.wave, one.row, one.col, one.address, one.got


def _filed(plan: Plan, whole: Case, result: Result) -> bytes:
    """The text of a case file with the listed case and what is said of it."""
    assert result.finding is not None
    return encode_case(with_found(whole, found_by(plan.description, plan.profile, result.outcome, result.finding)))
