"""A case file carries what the run found; a replay confirms it or says what has changed, and makes nothing up."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from mmaspec.api import assert_conforms
from mmaspec.backends.failures import Died, Raised
from mmaspec.backends.faults import fault_named
from mmaspec.backends.protocol import Backend, Images, Refused
from mmaspec.backends.resolve import resolve
from mmaspec.commands.cases import _of_death as deadly
from mmaspec.oracle.case import MAX_FOUND, Case, decode_case, encode_case
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.base import Place
from mmaspec.programs.errors import BadInput
from mmaspec.programs.profile import PRACTICE
from mmaspec.suites.judging.ask import RUNS
from mmaspec.suites.judging.confirm import of_death
from mmaspec.suites.judging.death import UNSEEN, died_of
from mmaspec.suites.judging.explain import Reduced
from mmaspec.suites.judging.judge_case import CaseJudge
from mmaspec.suites.judging.recall import place_of
from mmaspec.suites.judging.record import Finding, Result, Symptom
from mmaspec.suites.judging.single import UNSTABLE_TRIES, judge_one, replayed
from mmaspec.suites.judging.telling.found import Found, edited, found_in
from mmaspec.suites.judging.telling.likeness import Likeness
from mmaspec.suites.score import shipped
from mmaspec.suites.score.matrix import listed

from .test_harness import Numpy

FAULTS = (
    "rdna3-c-dropped",
    "rdna3-clamps-unsigned",
    "rdna3-sums-of-16-bits",
    "rdna3-bytes-of-b-big-endian",
    "cm-strides-in-elements",
    "wm-row-stride-ignored",
)
FAULT = FAULTS[1]


@cache
def failing(fault: str) -> tuple[Result, Case]:
    """The first smoke case that a counterfactual fails, and its reduced case as read from its file."""
    spec = fault_named(fault).spec
    backend = resolve(f"fault:{fault}")
    catching = shipped.read(spec).cases
    for recipe in listed(spec_named(spec), "quick"):
        if recipe.target or fault not in catching.get(recipe.id, ()):
            continue
        result, text = CaseJudge(backend, backend.describe(), PRACTICE, {recipe.id: ()}).judge_listed(recipe)
        if result.finding is not None:
            return result, decode_case(text, "case.json")
    raise AssertionError(f"no smoke case catches {fault}")


def found(case: Case) -> Found:
    """What a run found in it."""
    carried = found_in(case)
    assert carried is not None
    return carried


def carrying(case: Case, **fields: Any) -> Case:
    """The case, as if the run had found something else in it."""
    return dataclasses.replace(case, found=msgspec.json.encode(msgspec.structs.replace(found(case), **fields)))


class Scrambles(Numpy):
    """Every byte that a program stores is wrong."""

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        return {name: image ^ (image != inputs[name]) for name, image in super().run(spec, program, inputs).items()}


class RefusesAll(Numpy):
    def run(self, *_: Any) -> Images:
        raise Refused("out of registers")


class BreaksDown(Numpy):
    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def run(self, *_: Any) -> Images:
        raise self.error


@pytest.mark.parametrize("fault", FAULTS)
def test_replay_confirms_what_the_run_found(fault: str) -> None:
    result, case = failing(fault)
    assert result.finding is not None
    carried = found(case)
    assert carried.finding == result.finding, "the result and the file speak of the case as listed"
    again = judge_one(resolve(f"fault:{fault}"), case)
    assert again.failed
    assert again.says.startswith(f"confirmed: {result.finding.blamed[0]}: wrong: element (")
    assert not result.finding.cause or f"; in this case it behaves as if {result.finding.cause}" in again.says
    assert carried.here is not None
    assert carried.drawn is False, "it has fewer instructions than the listed one"
    element = carried.finding.element
    assert element is not None
    reduced = f"; this case was reduced: in the listed one element ({element.row}, {element.col}) of wave "
    assert (reduced in again.says) == (element != carried.here.element)
    assert carried.finding.says.partition("; ")[2] in again.says, "as the report explains it"
    assert again.result.finding is not None
    assert again.result.finding.element == carried.shown.element, "the element is that of the reduced case"
    assert replayed(resolve(f"fault:{fault}"), case).says == again.says


def test_a_failure_that_is_gone_is_legal_and_named() -> None:
    result, case = failing(FAULT)
    assert result.finding is not None
    verdict = judge_one(resolve("numpy"), case)
    assert (verdict.result.outcome, verdict.failed) == ("legal", False)
    ours, theirs = resolve("numpy").describe(), found(case)
    first = f"legal on {ours.name} {ours.version}; the run was of {theirs.backend} {theirs.version}, and found "
    assert verdict.says.startswith(f"{first}{result.finding.blamed[0]}: wrong ")
    fixed = carrying(case, backend=ours.name, version="0")
    assert judge_one(resolve("numpy"), fixed).says.startswith("no longer fails as recorded (")
    now = f"{ours.name} {ours.version}"
    assert judge_one(resolve("numpy"), fixed).says.endswith(f"; the run was of {ours.name} 0, this is {now}")


@pytest.mark.parametrize("fault", FAULTS)
def test_a_file_as_it_was_written_is_not_edited(fault: str) -> None:
    _, case = failing(fault)
    assert found(case).contents
    assert not edited(case, found(case))
    assert not edited(decode_case(encode_case(case), "again.json"), found(case))
    assert not edited(case.item(0).with_program(case.program), msgspec.structs.replace(found(case), contents=""))


def test_a_case_of_which_no_smaller_one_fails_so_is_said_to_be_as_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    result, _ = failing(FAULT)
    (recipe,) = (one for one in listed(spec_named(result.spec), "quick") if one.id == result.case)
    backend = resolve(f"fault:{FAULT}")
    monkeypatch.setattr("mmaspec.suites.judging.explain.LiveExplainer.reduced", lambda _, case, *__: Reduced(case))
    _, text = CaseJudge(backend, backend.describe(), PRACTICE, {recipe.id: ()}).judge_listed(recipe)
    assert found(decode_case(text, "case.json")).drawn is True


def rewritten(case: Case, old: str, new: str) -> Case:
    """The case of a file in which one word was replaced by hand."""
    text = encode_case(case).decode()
    assert old in text
    return decode_case(text.replace(old, new).encode(), "edited.json")


def test_a_case_that_was_edited_is_judged_as_it_is_now() -> None:
    result, case = failing(FAULT)
    assert result.finding is not None
    mended = rewritten(case, '"clamp": true', '"clamp": false')
    verdict = judge_one(resolve(f"fault:{FAULT}"), mended)
    assert verdict.result.outcome == "legal"
    assert verdict.says.startswith("the case was edited since the run; as it is now: ")
    assert f" judged; the run found {result.finding.blamed[0]}: wrong " in verdict.says
    still = judge_one(resolve(f"fault:{FAULT}"), dataclasses.replace(case, labels=("by hand",)))
    assert still.failed
    assert still.says.startswith(f"the case was edited since the run; as it is now: {result.finding.blamed[0]}: wrong")


def test_a_case_that_was_edited_and_over_which_the_backend_dies_confirms_nothing() -> None:
    _, case = failing(FAULT)
    case = carrying(case, finding=Finding(symptom="died", blamed=(), how="symptom", says=died_of(UNSEEN)), here=None)
    path = Path("case.json")
    assert deadly(case, path, Died("crash", "killed")) == "confirmed: crash: killed"
    told = deadly(rewritten(case, '"clamp": true', '"clamp": false'), path, Died("crash", "killed"))
    assert told.startswith("the case was edited since the run; as it is now: crash: killed; the run found ")


def test_a_case_that_is_invalid_since_it_was_edited_says_by_which_clause() -> None:
    _, case = failing(FAULT)
    broken = rewritten(case, '"builtin": "i32_16x16x16', '"builtin": "i32_16x16x32')
    told = "the case was edited since the run; as it is now: invalid by RDNA3-SHAPE: refused, as it has to be; "
    verdict = judge_one(resolve("numpy"), broken)
    assert (verdict.result.outcome, verdict.says[: len(told)]) == ("legal", told)
    accepted = judge_one(resolve("fault:rdna3-takes-k-32"), broken)
    assert accepted.failed
    assert "as it is now: RDNA3-SHAPE: an invalid program was accepted; " in accepted.says


@pytest.mark.parametrize("backend", [Scrambles, RefusesAll])
def test_another_failure_is_said_to_be_another_and_blames_nothing_new(backend: Callable[[], Backend]) -> None:
    result, case = failing(FAULT)
    assert result.finding is not None
    verdict = judge_one(backend(), case)
    assert verdict.failed
    assert verdict.says.startswith(f"changed: the run found {result.finding.blamed[0]}: wrong ")
    assert "; now " in verdict.says
    assert verdict.result.finding is not None
    assert set(verdict.result.finding.blamed) <= set(result.finding.blamed)
    with pytest.raises(AssertionError, match="changed: the run found"):
        assert_conforms(backend(), case)


def test_no_instruction_is_named_that_no_replay_has_seen() -> None:
    _, case = failing(FAULT)
    here = found(case).here
    assert here is not None
    verdict = judge_one(resolve(f"fault:{FAULT}"), carrying(case, here=msgspec.structs.replace(here, place="999")))
    assert verdict.says.startswith("confirmed: ")
    assert "instruction" not in verdict.says
    assert "999" not in verdict.says


def test_another_item_is_said_and_another_address_of_the_same_element_is_nothing() -> None:
    _, case = failing(FAULT)
    here = found(case).here
    assert here is not None
    assert here.element is not None

    def says(**fields: Any) -> str:
        element = msgspec.structs.replace(here.element, **fields)
        other = carrying(case, here=msgspec.structs.replace(here, element=element))
        return judge_one(resolve(f"fault:{FAULT}"), other).says

    assert says(address=here.element.address + 64).startswith("confirmed: ")
    assert says(item=7).startswith("changed: ")
    assert says(item=7).endswith(f"; in item 7 then, in item {here.element.item} now")
    assert says(got="0").endswith(f"; bits 0 then, {here.element.got} now")


RAISED = "the backend raised ValueError: no row 3 of 'a'"
CRASHED = "crash: killed by SIGABRT over run; it last said: at 0x7f12"
BREAKDOWNS: dict[str, tuple[Symptom, str, Exception, str]] = {
    "raised-alike": ("raised", RAISED, Raised("ValueError: no row 14 of 'b'"), "confirmed"),
    "raised-otherwise": ("raised", RAISED, Raised("KeyError: 3"), "changed"),
    "refused-otherwise": ("raised", RAISED, Refused("out of registers"), "changed"),
    "crashed-alike": ("died", died_of(CRASHED), Died("crash", "killed by SIGABRT over run", "bye"), "confirmed"),
    "crashed-otherwise": ("died", died_of(CRASHED), Died("crash", "killed by SIGSEGV over run"), "changed"),
    "hangs-now": ("died", died_of(CRASHED), Died("hang", "no answer to run in 60 s"), "changed"),
    "nobody-saw-how": ("died", died_of(UNSEEN), Died("hang", "no answer to run in 60 s"), "confirmed"),
}


@pytest.mark.parametrize("name", BREAKDOWNS)
def test_only_a_breakdown_of_the_same_kind_is_confirmed(name: str) -> None:
    symptom, says, error, word = BREAKDOWNS[name]
    _, case = failing(FAULT)
    case = carrying(case, finding=Finding(symptom=symptom, blamed=(), how="symptom", says=says), here=None)
    verdict = replayed(BreaksDown(error), case)
    assert verdict.failed
    assert verdict.says.startswith(f"{word}: ")
    if isinstance(error, Died):
        assert of_death(found(case), error).startswith(f"{word}: ")


def test_a_file_without_a_finding_is_diagnosed_as_ever() -> None:
    _, case = failing(FAULT)
    plain = dataclasses.replace(case, found=b"")
    assert b'"found"' not in encode_case(plain)
    again = decode_case(encode_case(plain), "old.json")
    assert found_in(again) is None
    verdict = judge_one(resolve(f"fault:{FAULT}"), again)
    assert verdict.failed
    assert "confirmed" not in verdict.says
    assert verdict.result.finding is not None
    assert verdict.result.finding.blamed
    assert judge_one(resolve("numpy"), again).says.endswith(" judged")


def test_what_was_found_is_read_as_it_was_written_and_changes_no_identity() -> None:
    _, case = failing(FAULT)
    text = encode_case(case)
    assert encode_case(decode_case(text, "again")) == text
    plain = dataclasses.replace(case, origin="")
    assert plain.identity == dataclasses.replace(plain, found=b"").identity == plain.content_id


def test_the_recorded_profile_judges_a_replay_on_the_same_backend() -> None:
    _, case = failing(FAULT)
    other = msgspec.structs.replace(found(case), profile=msgspec.structs.replace(PRACTICE, name="another"))
    case = dataclasses.replace(case, found=msgspec.json.encode(other))
    with pytest.MonkeyPatch.context() as patch:
        judged: list[str] = []
        patch.setattr(CaseJudge, "judge", lambda self, *_: judged.append(self.profile.name) or (failing(FAULT)[0], b""))
        judge_one(resolve(f"fault:{FAULT}"), case)
        judge_one(resolve("numpy"), case)
    assert judged == ["another", resolve("numpy").describe().profile.name]


class WrongEach(Scrambles):
    """Wrong in each so-many-th call."""

    def __init__(self, each: int) -> None:
        super().__init__()
        self.each = each
        self.calls = 0

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        self.calls += 1
        return super().run(spec, program, inputs) if self.calls % self.each == 0 else Numpy().run(spec, program, inputs)


@pytest.fixture
def unstable() -> Case:
    """A case of which a run found that its answers are unstable."""
    _, case = failing(FAULT)
    carried = found(case)
    finding = Finding(symptom="unstable", blamed=(), how="repeat", says="unstable: 1 of 5 wrong", varies=True)
    carried = msgspec.structs.replace(carried, finding=finding, here=None, profile=PRACTICE)
    return dataclasses.replace(case, found=msgspec.json.encode(carried))


class WrongFrom(WrongEach):
    """Wrong in each call from the so-many-th on."""

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        self.calls += 1
        backend = Numpy() if self.calls < self.each else Scrambles()
        return backend.run(spec, program, inputs)


def test_unstable_answers_are_asked_for_until_one_is_wrong(unstable: Case) -> None:
    verdict = judge_one(WrongEach(23), unstable)
    assert verdict.failed
    rounds = -(-23 // RUNS)  # the last of them is wrong, and asked for four times more
    assert verdict.says.startswith(f"confirmed: unstable: 1 of {rounds + 4} wrong: element (")
    finding = verdict.result.finding
    assert finding is not None
    assert (finding.blamed, finding.wrong_repeats, finding.repeats) == ((), 1, rounds + 4)


def test_answers_that_were_legal_and_are_always_wrong_then_are_both_said(unstable: Case) -> None:
    verdict = judge_one(WrongFrom(1 + 3 * RUNS), unstable)
    assert verdict.says.startswith("changed: the run found unstable: 1 of 5 wrong; now wrong: element (")
    assert "; legal 3 times before" in verdict.says


def test_unstable_answers_that_are_legal_now_are_so_many_times(unstable: Case) -> None:
    verdict = judge_one(resolve("numpy"), unstable)
    assert not verdict.failed
    tries = f"legal {UNSTABLE_TRIES} times here, where no other case ran before it"
    assert verdict.says.endswith(f", and found unstable: 1 of 5 wrong; {tries}")


def test_unstable_answers_that_are_always_wrong_now_have_changed(unstable: Case) -> None:
    verdict = judge_one(Scrambles(), unstable)
    assert verdict.says.startswith("changed: the run found unstable: 1 of 5 wrong; now wrong: element (")
    assert verdict.result.finding is not None
    assert verdict.result.finding.blamed == ()


def _changed(**fields: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda carried: {**carried, **fields}


HOSTILE: dict[str, Callable[[dict[str, Any]], Any]] = {
    "list": lambda _: [],
    "null": lambda _: None,
    "empty": lambda _: {},
    "unknown-field": _changed(more=1),
    "finding-of-another-type": _changed(finding=3),
    "unknown-symptom": lambda carried: {**carried, "finding": {**carried["finding"], "symptom": "sad"}},
    "element-of-another-type": _changed(here={"says": "x", "element": [1]}),
    "huge": _changed(backend="x" * (MAX_FOUND + 1)),
    "deep": lambda _: json.loads("[" * 500 + "]" * 500),
}


@pytest.mark.parametrize("harm", HOSTILE)
def test_damaged_findings_are_bad_input_in_one_line(harm: str) -> None:
    _, case = failing(FAULT)
    body = json.loads(encode_case(case))
    body["found"] = HOSTILE[harm](body["found"])
    with pytest.raises(BadInput, match=r"^mine\.json: found: ") as told:
        found_in(decode_case(json.dumps(body).encode(), "mine.json"), "mine.json")
    assert len(str(told.value).splitlines()) == 1


def test_a_cause_is_claimed_only_where_nothing_else_explains_the_failure() -> None:
    one, other = (fault_named(name) for name in ("rdna3-c-dropped", "rdna3-clamps-unsigned"))
    assert (Likeness((one,)).cause, Likeness((one,)).candidates) == (one.behaves_as_if, ())
    both = Likeness((one, other))
    assert (both.cause, both.clause) == ("", "")
    assert both.candidates == (one.behaves_as_if, other.behaves_as_if)
    twin = dataclasses.replace(one, name="twin")
    assert Likeness((one, twin)).cause == one.behaves_as_if, "two in the same words are one"
    sibling = dataclasses.replace(one, name="sibling", behaves_as_if="C were A")
    assert Likeness((one, sibling)).clause == one.clause
    assert Likeness().cause == Likeness().clause == ""


@pytest.mark.parametrize("place", [Place((2,)), Place((1, 0), 3), Place((11, 2, 9))])
def test_a_place_is_read_as_it_is_written(place: Place) -> None:
    assert place_of(str(place)) == place


@pytest.mark.parametrize("text", ["", "0", "1.", "x", "1 (pass 0)", "9" * 5000, "1\n"])
def test_what_is_no_place_is_none(text: str) -> None:
    assert place_of(text) is None
