"""Deaths and leaks between batch items are reduced: to what they need, within a bound, and to nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from mmaspec.backends.failures import Death, Died
from mmaspec.backends.protocol import Images, Runner
from mmaspec.oracle.case import Case
from mmaspec.programs.profile import PRACTICE
from mmaspec.programs.tree import walk
from mmaspec.strategies.enumerate import grammar_of
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.judging.deadly import DEATHS, HANGS, PATIENCE, smallest_deadly
from mmaspec.suites.judging.reduction import Reduction

from .conftest import every_recipe
from .test_harness import Numpy

RDNA3 = "amd-rdna3-wmma"


def instructions(program: Any) -> list[Any]:
    return [instruction for _, instruction, _ in walk(program)]


def clamps(program: Any) -> bool:
    return any(getattr(instruction, "clamp", None) is True for instruction in instructions(program))


class Dies(Numpy):
    """Dies over some programs, and counts how often."""

    def __init__(self, over: Callable[[Any], bool], kind: Death = "crash") -> None:
        super().__init__()
        self.over = over
        self.kind: Death = kind
        self.deaths = 0
        self.patience: list[float] = []

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        if self.over(program):
            self.deaths += 1
            raise Died(self.kind, "over run")
        return super().run(spec, program, inputs)

    @contextmanager
    def starting(self, seconds: float) -> Iterator[Runner]:
        self.patience.append(seconds)
        yield self


def case_with(fits: Callable[[Any], bool], batch: int = 9) -> Case:
    """A long case whose program fits."""
    drawn = {template.name for template in grammar_of(RDNA3).templates}
    found = [one for one in every_recipe() if one.spec == RDNA3 and one.template in drawn and fits(one.program)]
    return materialise(max(found, key=lambda one: len(instructions(one.program)))).head(batch)


def test_a_crash_is_reduced_to_what_it_needs() -> None:
    backend, case = Dies(clamps), case_with(clamps)
    smallest = smallest_deadly(case, PRACTICE, backend.starting, 60.0)
    assert clamps(smallest.program)
    assert smallest.batch == 1
    wmmas = [one for one in instructions(smallest.program) if hasattr(one, "clamp")]
    assert [(one.a_sign, one.b_sign, one.clamp) for one in wmmas] == [(False, False, True)]
    assert len(instructions(smallest.program)) <= 4 < len(instructions(case.program))
    assert not any(bits.any() for bits in smallest.values.values())
    assert backend.deaths <= DEATHS


def test_a_crash_in_several_waves_keeps_them() -> None:
    def over(program: Any) -> bool:
        return program.waves > 1

    smallest = smallest_deadly(case_with(over), PRACTICE, Dies(over).starting, 60.0)
    assert (smallest.program.waves, len(instructions(smallest.program))) == (2, 1)


def test_a_device_may_die_so_often_and_no_oftener() -> None:
    backend = Dies(lambda _: True)
    smallest_deadly(case_with(lambda program: len(program.body) > 15), PRACTICE, backend.starting, 60.0)
    assert backend.deaths <= DEATHS


def test_what_hung_for_a_short_time_gets_all_its_time_once() -> None:
    backend = Dies(clamps, "hang")
    smallest = smallest_deadly(case_with(clamps), PRACTICE, backend.starting, 60.0)
    assert backend.patience == [PATIENCE, 60.0]
    assert backend.deaths <= 1 + HANGS + 1
    assert len(instructions(smallest.program)) < len(instructions(case_with(clamps).program))


def test_what_hangs_no_longer_with_all_its_time_is_left_as_it_was() -> None:
    class Slow(Dies):
        def run(self, spec: str, program: Any, inputs: Images) -> Images:
            self.over = clamps if self.patience[-1] == PATIENCE else lambda _: False
            return super().run(spec, program, inputs)

    case = case_with(clamps)
    assert smallest_deadly(case, PRACTICE, Slow(clamps, "hang").starting, 60.0) is case


def test_a_death_that_does_not_happen_again_leaves_the_case_as_it_is() -> None:
    case = case_with(clamps)
    assert smallest_deadly(case, PRACTICE, Dies(lambda _: False).starting, 60.0) is case


def test_a_near_miss_is_left_as_it_is() -> None:
    near_miss = materialise(next(one for one in every_recipe() if one.spec == RDNA3 and one.target))
    backend = Dies(lambda _: True)
    assert smallest_deadly(near_miss, PRACTICE, backend.starting, 60.0) is near_miss
    assert not backend.deaths


class Leaks(Numpy):
    """The first stored bytes of an item are those of another one: ``back`` places before it."""

    def __init__(self, back: int) -> None:
        super().__init__()
        self.back = back

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        images = {name: image.copy() for name, image in super().run(spec, program, inputs).items()}
        for name, image in images.items():
            stored = (image != inputs[name]).all(axis=0).nonzero()[0][:4]
            image[self.back :, stored] = np.array(image[: len(image) - self.back, stored])
        return images


@pytest.mark.parametrize("back", [1, 3])
def test_a_leak_is_reduced_to_the_items_that_show_it(back: int) -> None:
    case = case_with(lambda program: program.waves == 1, 12)
    reduction = Reduction(Leaks(back), PRACTICE)
    assert reduction.symptom(case) == "value"
    assert reduction.symptom(case.item(5)) is None
    smallest = reduction.smallest(case, 5, "value")
    assert reduction.symptom(smallest) == "value"
    assert smallest.batch == back + 1
    assert sum(int(np.count_nonzero(bits)) for bits in smallest.values.values()) < 20
