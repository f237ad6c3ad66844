"""A failing case is run again before anything is blamed, and so is a sample of those that pass."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mmaspec.backends.failures import Died
from mmaspec.backends.protocol import Images
from mmaspec.backends.resolve import resolve
from mmaspec.oracle.case import decode_case
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.recipe import Recipe, materialise
from mmaspec.suites.judging.ask import RUNS
from mmaspec.suites.judging.blaming.elsewhere.between_items import ALONE
from mmaspec.suites.judging.judge_case import CaseJudge
from mmaspec.suites.judging.parts import Parts
from mmaspec.suites.judging.record import Result
from mmaspec.suites.judging.repeats.repeat import ONE_IN, is_sampled
from mmaspec.suites.judging.repeats.tries import AT_MOST, DOUBTED, REPEATS, fresh_order
from mmaspec.suites.judging.whole import Whole
from mmaspec.suites.score.matrix import listed

from .conftest import every_recipe
from .test_harness import SPEC, Numpy

Hurt = Callable[[int, Images], int]
"""The number of a call and what was given -> which bit of a written byte is flipped; 0: none."""


class Hurts(Numpy):
    """Flips one bit of the last written byte of the first item in some calls."""

    def __init__(self, hurt: Hurt) -> None:
        super().__init__()
        self.hurt = hurt
        self.calls = 0

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        answers = {name: image.copy() for name, image in super().run(spec, program, inputs).items()}
        bit = self.hurt(self.calls, inputs)
        self.calls += 1
        for name, image in answers.items():
            written = np.flatnonzero(image[0] != inputs[name][0])
            if bit and written.size:
                image[0, written[-1]] ^= bit
                return answers
        return answers


def recipe_for(*, sampled: bool, template: str = "product") -> Recipe:
    recipes = listed(spec_named(SPEC), "quick")
    return next(r for r in recipes if not r.target and r.template.startswith(template) and is_sampled(r.id) is sampled)


def judged(backend: Any, recipe: Recipe) -> tuple[Result, bytes]:
    return CaseJudge(backend, backend.describe(), PRACTICE, {recipe.id: ()}).judge_listed(recipe)


def in_calls(*calls: int) -> Hurt:
    return lambda call, _: 64 if call in calls else 0


@pytest.mark.parametrize(("calls", "wrong"), [((0,), 1), ((1,), 1), ((0, 2, 4), 3), ((1, 5), 2)])
def test_some_legal_and_some_not_is_unstable(calls: tuple[int, ...], wrong: int) -> None:
    result, example = judged(Hurts(in_calls(*calls)), recipe_for(sampled=False))
    finding = result.finding
    assert finding is not None
    assert (result.outcome, result.accepted, finding.symptom, finding.blamed) == ("illegal", (), "unstable", ())
    assert (finding.repeats, finding.wrong_repeats, finding.varies) == (REPEATS, wrong, True)
    assert finding.says.startswith(f"unstable: {wrong} of 5 wrong: element (")
    assert " in out was " in finding.says
    assert " and " in finding.says
    assert finding.element is not None
    assert finding.wrong == 1
    assert decode_case(example, "example").origin == result.case


def test_wrong_each_time_is_an_ordinary_failure() -> None:
    steady = Hurts(lambda *_: 64)
    result, _ = judged(steady, recipe_for(sampled=False))
    assert result.finding is not None
    assert result.finding.blamed
    assert (result.finding.symptom, result.finding.varies) == ("value", False)
    assert (result.finding.repeats, result.finding.wrong_repeats) == (5, 5)


def test_wrong_each_time_with_other_bytes_is_said_to_vary() -> None:
    result, _ = judged(Hurts(lambda call, _: 1 << 4 + call % 3), recipe_for(sampled=False))
    assert result.finding is not None
    assert result.finding.blamed
    assert (result.finding.wrong_repeats, result.finding.varies) == (AT_MOST, True)


def test_where_answers_vary_a_variation_is_run_until_it_is_wrong() -> None:
    """The item alone is right at first, and then wrong like the rest: one right answer says little here."""
    alone: list[int] = []

    def hurt(call: int, inputs: Images) -> int:
        if _batch(inputs) > 1:
            return 1 << 4 + call % 3
        alone.append(call)
        return 64 if len(alone) > RUNS else 0

    result, _ = judged(Hurts(hurt), recipe_for(sampled=False))
    assert result.finding is not None
    assert (result.finding.symptom, result.finding.varies) == ("value", True)
    assert ALONE not in result.finding.only
    assert result.finding.how != "batch"


class HurtsAll(Hurts):
    """Flips one bit of the same byte in every item, in some calls."""

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        answers = {name: image.copy() for name, image in Numpy.run(self, spec, program, inputs).items()}
        name = next(name for name, image in answers.items() if (image != inputs[name]).any())
        written = np.flatnonzero((answers[name] != inputs[name]).all(axis=0))
        answers[name][:, written[-1]] ^= self.hurt(self.calls, inputs)
        self.calls += 1
        return answers


@pytest.mark.parametrize("calls", range(6, 11))
def test_what_goes_away_with_another_program_is_not_blamed_if_it_goes_away_with_time(calls: int) -> None:
    """Wrong long enough to look steady, then right: while it is looked for, each variation in turn seems to help."""
    result, _ = judged(HurtsAll(lambda call, _: 64 if call < calls else 0), recipe_for(sampled=False))
    assert result.finding is not None
    assert (result.finding.symptom, result.finding.blamed) == ("unstable", ())


@pytest.mark.parametrize("kind", [Hurts, HurtsAll])
@pytest.mark.parametrize(("right", "symptom"), [(DOUBTED - 1, "unstable"), (10 * DOUBTED, "value")])
def test_a_backend_that_was_seen_to_waver_is_asked_more_often(kind: type[Hurts], right: int, symptom: str) -> None:
    """A steady failure of a backend that wavered elsewhere may be chance: it has to last longer to be one."""
    recipe = recipe_for(sampled=False)
    for seen in (set[str](), {"another case"}):
        device = kind(lambda call, _: 64 if call < right else 0)
        judge = CaseJudge(device, device.describe(), PRACTICE, {recipe.id: ()}, unsteady=set(seen))
        finding = judge.judge_listed(recipe)[0].finding
        assert finding is not None
        assert finding.symptom == (symptom if seen else "value")
        assert bool(finding.blamed) is (finding.symptom == "value")
        assert judge.unsteady == seen | ({recipe.id} if finding.symptom == "unstable" else set())


class Moves(Hurts):
    """Flips a bit of another byte of another item in each call: always wrong, and never twice in the same place."""

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        answers = {name: image.copy() for name, image in Numpy.run(self, spec, program, inputs).items()}
        name = next(name for name, image in answers.items() if (image != inputs[name]).any())
        places = np.argwhere(answers[name] != inputs[name])
        items = places[:: max(1, len(places) // 97)][self.calls * 7 % 97 % len(places)]
        answers[name][tuple(items | np.array([0, 3]))] ^= 64
        self.calls += 1
        return answers


def test_wrong_each_time_in_another_place_is_unstable() -> None:
    result, _ = judged(Moves(lambda *_: 0), recipe_for(sampled=False))
    finding = result.finding
    assert finding is not None
    assert (finding.symptom, finding.blamed, finding.repeats, finding.wrong_repeats) == ("unstable", (), 5, 5)
    assert finding.says.startswith("unstable: 5 of 5 wrong, in no place each time: element (")


class Stale(Hurts):
    """Answers a question wrongly unless it was the last one too: something of the call before is left."""

    last = 0

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        now = zlib.crc32(b"".join(image.tobytes() for image in inputs.values()))
        known, self.last = now == self.last, now
        self.hurt = lambda *_: 0 if known else 64
        return super().run(spec, program, inputs)


def test_an_answer_that_depends_on_the_question_before_is_unstable() -> None:
    result, _ = judged(Stale(lambda *_: 0), recipe_for(sampled=False))
    finding = result.finding
    assert finding is not None
    assert (finding.symptom, finding.blamed) == ("unstable", ())
    assert finding.wrong_repeats < finding.repeats


class Lost(Hurts):
    """Raises in some calls."""

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        self.calls += 1
        if self.hurt(self.calls - 1, inputs):
            raise RuntimeError(f"device lost at {self.calls}")
        return Numpy.run(self, spec, program, inputs)


def test_an_exception_that_does_not_come_again_is_unstable() -> None:
    result, example = judged(Lost(in_calls(0)), recipe_for(sampled=False))
    finding = result.finding
    assert finding is not None
    assert (result.outcome, finding.symptom, finding.blamed) == ("illegal", "unstable", ())
    told, _, place = finding.says.partition(" (")
    assert told == "unstable: 1 of 5 wrong: the backend raised RuntimeError: device lost at 1"
    assert place.startswith(f"{Path(__file__).name}, line ")
    assert example


def test_an_exception_that_comes_each_time_is_an_exception() -> None:
    result, _ = judged(Lost(lambda *_: 1), recipe_for(sampled=False))
    assert result.finding is not None
    assert (result.finding.symptom, result.finding.blamed) == ("raised", ())


class Mixed(Hurts):
    """Saturates in some calls what it wraps in others."""

    def __init__(self, hurt: Hurt) -> None:
        super().__init__(hurt)
        self.others = resolve("legal:saturating")

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        self.calls += 1
        if self.hurt(self.calls - 1, inputs):
            return self.others.run(spec, program, inputs)
        return Numpy.run(self, spec, program, inputs)


@pytest.mark.parametrize("by_chance", [False, True])
def test_readings_that_are_ruled_out_by_chance_are_told(by_chance: bool) -> None:
    recipes = [r for r in listed(spec_named("hlsl-wave-matrix"), "quick") if r.template == "overflow"]
    found = [judged(Mixed(lambda call, _: int(call < 2 or not by_chance)), recipe)[0] for recipe in recipes[:8]]
    assert {result.outcome for result in found} == {"legal"}
    assert any(result.accepted for result in found)
    assert any(result.usual is not None for result in found) is by_chance


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize(("template", "ruled_out"), [("overflow", True), ("move-subnormals", False)])
def test_a_case_that_rules_readings_out_is_asked_once_more(template: str, ruled_out: bool) -> None:
    recipes = [r for r in listed(spec_named("hlsl-wave-matrix"), "smoke") if r.template == template]
    for recipe in [r for r in recipes if not is_sampled(r.id)][:2]:
        case = materialise(recipe)
        by_reading = expect_by_reading(case, PRACTICE)
        assert len(by_reading.variants) > 1, "readings differ in what they allow"
        backend = Hurts(lambda *_: 0)
        whole = Whole.asked(backend, case, PRACTICE, by_reading).verdict()
        parts = Parts(backend, case, PRACTICE, case.batch // 2).verdict()
        assert (whole.rules_out, parts.rules_out) == (ruled_out, ruled_out)
        assert whole.possible == parts.possible == len(by_reading.variants)
        backend.calls = 0
        assert judged(backend, recipe)[0].outcome == "legal"
        assert backend.calls == RUNS * (1 + ruled_out)


def _batch(inputs: Images) -> int:
    return len(next(iter(inputs.values())))


def _first_item(inputs: Images) -> int:
    return zlib.crc32(b"".join(image[0].tobytes() for image in inputs.values()))


def test_what_depends_on_the_order_of_the_batch_alone_is_not_unstable() -> None:
    """A device that leaks between items may be right in one order and wrong in another, every time."""
    seen = set()
    for recipe in (r for r in every_recipe() if r.spec == SPEC and not r.target and not is_sampled(r.id)):
        result, _ = judged(Hurts(lambda _, inputs: 64 * (_batch(inputs) > 1 and _first_item(inputs) % 3 != 0)), recipe)
        finding = result.finding
        if finding is not None and finding.wrong_repeats < finding.repeats:
            assert (finding.symptom, finding.how, finding.varies) == ("value", "batch", False)
            seen.add(finding.wrong_repeats)
            break
    assert seen


class Raises(Hurts):
    """Raises in some calls, flips a bit in others."""

    def __init__(self, hurt: Hurt, error: Exception, *calls: int) -> None:
        super().__init__(hurt)
        self.error = error
        self.raising = calls

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        answers = super().run(spec, program, inputs)
        if self.calls - 1 in self.raising:
            raise self.error
        return answers


@pytest.mark.parametrize("error", [ValueError("busy"), Died("crash", "over run")])
def test_an_exception_in_a_repetition_is_a_wrong_answer(error: Exception) -> None:
    result, _ = judged(Raises(in_calls(0, 1), error, 3), recipe_for(sampled=False))
    assert result.finding is not None
    assert (result.finding.symptom, result.finding.wrong_repeats) == ("unstable", 2)


def test_a_death_in_a_repetition_ends_it_and_the_failure_stands() -> None:
    backend = Raises(lambda *_: 64, Died("crash", "over run"), 2)
    result, _ = judged(backend, recipe_for(sampled=False))
    assert result.finding is not None
    assert (result.finding.symptom, result.finding.repeats, result.finding.wrong_repeats) == ("value", 2, 2)


def test_a_passing_case_of_the_sample_that_fails_later_is_unstable() -> None:
    result, _ = judged(Hurts(in_calls(2)), recipe_for(sampled=True))
    assert result.finding is not None
    assert (result.outcome, result.sampled, result.accepted) == ("illegal", True, ())
    assert (result.finding.symptom, result.finding.repeats, result.finding.wrong_repeats) == ("unstable", 5, 1)


def test_a_passing_case_outside_of_the_sample_is_run_twice() -> None:
    backend = Hurts(in_calls(2))
    result, _ = judged(backend, recipe_for(sampled=False))
    assert (result.outcome, result.sampled, backend.calls) == ("legal", False, 2)


class Shuffled(Hurts):
    """Wrong in every order of the batch but the first two that it sees."""

    def __init__(self) -> None:
        super().__init__(self.other)
        self.ends: set[int] = set()

    def other(self, call: int, inputs: Images) -> int:
        masked = zlib.crc32(b"".join(np.sort(image[0]).tobytes() for image in inputs.values()))
        if call < 2:
            self.ends.add(masked if call == 0 else self.of_last(inputs))
        return 0 if call < 2 or masked in self.ends or _batch(inputs) == 1 else 64

    @staticmethod
    def of_last(inputs: Images) -> int:
        return zlib.crc32(b"".join(np.sort(image[-1]).tobytes() for image in inputs.values()))


def test_a_case_of_the_sample_that_fails_in_another_order_alone_is_shown_in_that_order() -> None:
    backend = Shuffled()
    result, example = judged(backend, recipe_for(sampled=True))
    finding = result.finding
    assert finding is not None
    assert (finding.symptom, finding.how, finding.blamed, finding.varies) == ("value", "batch", (), False)
    case = decode_case(example, "example")
    again = CaseJudge(backend, backend.describe(), PRACTICE, {"it": ()}, limit=0)
    assert again.judge(case, "it", expect_by_reading(case, PRACTICE))[0].outcome == "illegal"


class Changes(Numpy):
    """Adds in another legal order from its third call on."""

    def __init__(self) -> None:
        super().__init__()
        self.other = resolve("legal:nvidia-hopper")
        self.calls = 0

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        self.calls += 1
        return (self.inner if self.calls < 3 else self.other).run(spec, program, inputs)


def test_answers_that_differ_and_are_all_legal_are_counted_and_no_finding() -> None:
    varied = 0
    for recipe in every_recipe():
        if recipe.spec == SPEC and not recipe.target and is_sampled(recipe.id):
            result, _ = judged(Changes(), recipe)
            assert (result.outcome, result.finding, result.sampled) == ("legal", None, True)
            varied += result.varied
    assert varied > 0


def test_the_sample_depends_on_the_id_alone_and_is_as_large_as_it_should_be() -> None:
    chosen = sum(is_sampled(f"{number:016x}") for number in range(4000))
    assert 0.7 < chosen * ONE_IN / 4000 < 1.3


def test_fresh_orders_are_orders_and_differ() -> None:
    orders = [tuple(fresh_order("case", number, 64)) for number in range(1, REPEATS)]
    assert all(sorted(order) == list(range(64)) for order in orders)
    assert len(set(orders)) == len(orders)
    assert orders[0] == tuple(fresh_order("case", 1, 64))
