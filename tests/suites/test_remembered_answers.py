"""An answer that was judged before has the result that it had, and every other one is judged as ever."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import msgspec.structs
import numpy as np
import pytest

from mmaspec.backends.faults import fault_named
from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.devices import DEVICES
from mmaspec.backends.numpy.units.sequential import SequentialUnit
from mmaspec.backends.protocol import Backend, Images, Refused
from mmaspec.programs.base import Program
from mmaspec.programs.profile import DOCUMENT, PRACTICE, Profile
from mmaspec.programs.specifications import ours
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.judging import judge_case
from mmaspec.suites.judging.ask import Answer, digest_of
from mmaspec.suites.judging.cache import keep
from mmaspec.suites.judging.judge_case import CaseJudge
from mmaspec.suites.judging.record import Result
from mmaspec.suites.judging.remembered.answers import (
    Judged,
    answers_path,
    keep_answers,
    read_answers,
    remembers,
    worth_keeping,
)
from mmaspec.suites.judging.repeats.repeat import is_sampled
from mmaspec.suites.score import stored_answers

from .conftest import every_recipe


@cache
def sample() -> tuple[Recipe, ...]:
    """Some of every list."""
    return every_recipe()[::45]


def plain() -> Backend:
    return NumpyBackend(SequentialUnit(), DEVICES, name="test", profile=PRACTICE)


def results(backend: Backend, recipes: tuple[Recipe, ...], before: Judged) -> list[Result]:
    found = []
    for recipe in recipes:
        known = {recipe.id: ("one",)}
        case_judge = CaseJudge(backend, backend.describe(), PRACTICE, known, limit=0, before=before)
        found.append(case_judge.judge_listed(recipe)[0])
    return found


@cache
def cold() -> tuple[Result, ...]:
    """The results of a right device, each answer judged."""
    return tuple(results(plain(), sample(), {}))


@pytest.fixture
def worked_out(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The cases for which it is worked out what is demanded, in order."""
    asked: list[str] = []
    real = judge_case.by_readings
    monkeypatch.setattr(
        judge_case, "by_readings", lambda expecting: (asked.append(expecting.case.spec), real(expecting))[1]
    )
    return asked


def test_the_same_answers_have_the_same_results_and_are_not_judged(worked_out: list[str]) -> None:
    before = worth_keeping(cold())
    worked_out.clear()
    assert results(plain(), sample(), before) == list(cold())
    assert len(worked_out) == len(sample()) - len(before)
    assert len(before) > 25
    assert {one.spec for one in before.values()} == set(ours())


def test_what_is_kept_is_legal_steady_and_has_no_sensitivity() -> None:
    for case, kept in worth_keeping(cold()).items():
        assert (kept.outcome, kept.case, kept.sensitive, kept.usual) == ("legal", case, (), None)
        assert len(kept.answer) == 32
        assert not is_sampled(case)
    told = msgspec.structs.replace(next(one for one in cold() if one.answer), case="sampled")
    number = next(number for number in range(1000) if is_sampled(f"{number}"))
    assert not worth_keeping([msgspec.structs.replace(told, case=f"{number}")])
    assert not worth_keeping([msgspec.structs.replace(told, outcome="inconclusive")])


def test_a_case_that_rules_a_reading_out_has_no_digest() -> None:
    """It is asked once more each time, since another answer may be explained by another reading."""
    ruling = [one for one in every_recipe() if one.spec == "amd-rdna3-wmma" and one.regime == "overflow"][:6]
    found = results(plain(), tuple(ruling), {})
    assert any(one.accepted and not one.answer for one in found)
    assert any(one.answer for one in found)


FAULTS = ("wm-row-stride-ignored", "rdna3-c-dropped", "cm-c-dropped")


@pytest.mark.parametrize("name", FAULTS)
def test_a_wrong_answer_is_judged_as_ever(name: str) -> None:
    """Though the same device, right then, answered all of it before."""
    fault = fault_named(name)
    chosen = tuple(one for one in every_recipe() if one.spec == fault.spec)[::9]
    before = worth_keeping(results(plain(), chosen, {}))
    found = results(fault.make(), chosen, before)
    assert found == results(fault.make(), chosen, {})
    assert any(one.outcome == "illegal" and one.case in before for one in found)
    assert any(one.outcome == "legal" and one.case in before for one in found)


@dataclass
class Once(NumpyBackend):
    """Does something else at its nth call."""

    instead: Callable[[Images], Images]
    at: int = 1
    calls: int = 0

    def __init__(self, instead: Callable[[Images], Images], at: int) -> None:
        super().__init__(SequentialUnit(), DEVICES, name="test", profile=PRACTICE)
        self.instead, self.at, self.calls = instead, at, 0

    def run(self, spec: str, program: Program, inputs: Images) -> Images:
        self.calls += 1
        outputs = super().run(spec, program, inputs)
        return self.instead(outputs) if self.calls == self.at else outputs


def one_bit(outputs: Images) -> Images:
    changed = {name: image.copy() for name, image in outputs.items()}
    last = max(changed)
    changed[last][-1, 0] ^= 1
    return changed


def raising(_: Images) -> Images:
    raise ValueError("not today")


def refusing(_: Images) -> Images:
    raise Refused("not today")


def nothing(_: Images) -> Images:
    return {}


@pytest.mark.parametrize("at", [1, 2])
@pytest.mark.parametrize("instead", [one_bit, raising, refusing, nothing])
def test_one_wrong_call_is_told_as_ever(instead: Callable[[Images], Images], at: int) -> None:
    before = worth_keeping(cold())
    chosen = tuple(one for one in sample() if one.id in before)[::8]
    assert len(chosen) > 4
    for recipe in chosen:
        (warm,) = results(Once(instead, at), (recipe,), before)
        assert [warm] == results(Once(instead, at), (recipe,), {})
        assert warm.outcome in {"illegal", "refused"}


def test_other_input_is_another_question() -> None:
    """The same bytes back from other bytes are another answer, and so are the same bytes of another buffer."""
    one = np.arange(12, dtype=np.uint8).reshape(2, 6)
    known = digest_of([Answer({"a": one}, {"a": one}), Answer({"a": one}, {"a": one})])
    assert known == digest_of([Answer({"a": one.copy()}, {"a": np.asfortranarray(one)})] * 2)
    others = [
        [Answer({"a": one + 1}, {"a": one})] * 2,
        [Answer({"a": one}, {"a": one}), Answer({"a": one}, {"a": one + 1})],
        [Answer({"b": one}, {"b": one})] * 2,
        [Answer({"a": one.reshape(6, 2)}, {"a": one.reshape(6, 2)})] * 2,
        [Answer({"a": one}, {"a": one})],
    ]
    assert len({known, *map(digest_of, others)}) == len(others) + 1


def test_a_changed_digest_is_believed_nowhere(worked_out: list[str]) -> None:
    before = {case: msgspec.structs.replace(one, answer="0" * 32) for case, one in worth_keeping(cold()).items()}
    worked_out.clear()
    assert results(plain(), sample(), before) == list(cold())
    assert len(worked_out) == len(sample())


def test_files_are_one_for_each_profile_and_backend_and_believed_as_they_were_kept(tmp_path: Path) -> None:
    sensitivity = tmp_path / "sensitivity-list-code.json"
    path = answers_path(sensitivity, PRACTICE, "numpy")
    others = (answers_path(sensitivity, DOCUMENT, "numpy"), answers_path(sensitivity, PRACTICE, "cmd:x \udcff"))
    assert len({path, *others}) == 3
    keep_answers(path, cold())
    assert read_answers(path) == worth_keeping(cold())
    first, *rest = (one for one in cold() if one.case in worth_keeping(cold()))
    keep_answers(others[0], [first])
    keep_answers(others[0], [*rest, msgspec.structs.replace(first, outcome="illegal")])
    assert read_answers(others[0]) == worth_keeping(cold()), "what is not kept of a later run takes nothing away"
    path.write_bytes(path.read_bytes()[:-1])
    assert read_answers(path) == {}
    keep(path, b"[1]")
    assert read_answers(path) == {}


def test_kept_answers_without_a_digest_are_not_read(tmp_path: Path) -> None:
    """Every answer without bytes of its own, such as none at all, would be taken for them."""
    path = answers_path(tmp_path / "sensitivity-list-code.json", PRACTICE, "numpy")
    first, *rest = worth_keeping(cold()).values()
    keep(path, msgspec.json.encode([msgspec.structs.replace(first, answer=""), *rest]))
    assert read_answers(path) == {one.case: one for one in rest}


def test_nothing_is_remembered_under_wide_profiles() -> None:
    """There it depends on the sets what a case is sensitive to."""
    assert remembers(PRACTICE)
    assert not remembers(msgspec.structs.replace(PRACTICE, subnormals="flushed"))
    assert not remembers(msgspec.structs.replace(PRACTICE, f64="single"))


@pytest.mark.parametrize("profile", stored_answers.profiles(), ids=lambda profile: profile.name)
@pytest.mark.parametrize("spec", ours())
def test_stored_answers_are_as_judged(spec: str, profile: Profile) -> None:
    """Some of them. Only where they are of this code: the build says which are stale."""
    if stored_answers.is_stale(spec):
        pytest.skip(f"the stored answers of {spec} are of other code")
    known = stored_answers.known(spec, profile)
    assert len(known) > 300
    chosen = [one for one in every_recipe() if one.id in known][::40]
    assert chosen
    assert stored_answers.judged_of(profile, chosen) == {one.id: known[one.id] for one in chosen}


def test_stored_answers_of_other_code_or_profiles_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    some = worth_keeping(one for one in cold() if one.spec == "amd-rdna3-wmma")
    spec = "amd-rdna3-wmma"
    stored_answers.store(spec, PRACTICE, some, tmp_path)
    assert stored_answers.known(spec, PRACTICE, tmp_path) == some != {}
    assert stored_answers.known("vendor-spec", PRACTICE, tmp_path) == {}
    changed = msgspec.structs.replace(PRACTICE, rounding="toward-zero")
    assert changed.name == PRACTICE.name
    assert stored_answers.known(spec, changed, tmp_path) == {}
    monkeypatch.setattr(stored_answers, "own_hash", lambda: "0" * 16)
    stored_answers.known.cache_clear()
    assert stored_answers.known(spec, PRACTICE, tmp_path) == {}
    stored_answers.known.cache_clear()


def test_damaged_stored_answers_are_none(tmp_path: Path) -> None:
    spec = "amd-rdna3-wmma"
    stored_answers.store(spec, PRACTICE, worth_keeping(cold()), tmp_path)
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:-50])
    assert stored_answers.known(spec, PRACTICE, tmp_path) == {}
    file.write_bytes(b"no archive")
    assert stored_answers.known(spec, PRACTICE, tmp_path / "." / "..") == {}
    assert stored_answers.is_stale(spec, tmp_path)
