"""Blame for a failure that needs one argument to be loaded at run time: which one, found by halves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pytest

from mmaspec.backends.protocol import Description, Images, Runner
from mmaspec.backends.resolve import resolve as backend_named
from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import resolve
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.arguments import loaded_arguments
from mmaspec.programs.base import Program, RunTime
from mmaspec.programs.profile import PRACTICE, Profile
from mmaspec.programs.specifications import ours
from mmaspec.programs.tree import walk
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.judging.ask import Held, ask, hold
from mmaspec.suites.judging.blaming.blame import store_of
from mmaspec.suites.judging.blaming.elsewhere.run_time import step_at_run_time
from mmaspec.suites.judging.blaming.trial import Trial
from tests.case_lists import case_list

CASES = 4
"""Of each specification."""


@dataclass
class WrongWith:
    """A device whose last stored byte is wrong where a program loads these arguments."""

    arguments: frozenset[RunTime]
    inner: Runner = field(default_factory=lambda: backend_named("numpy"))
    asked: list[int] = field(default_factory=list)
    """How many arguments each program loaded."""

    def describe(self) -> Description:
        return self.inner.describe()

    def caps(self, spec: str) -> object:
        return self.inner.caps(spec)

    def run(self, spec: str, program: Program, images: Images) -> Images:
        loaded = loaded_arguments(program)
        self.asked.append(len(loaded))
        after = {name: np.array(image) for name, image in self.inner.run(spec, program, images).items()}
        if self.arguments <= set(loaded):
            name = next(name for name in sorted(after) if not np.array_equal(after[name], images[name]))
            after[name][tuple(np.argwhere(after[name] != images[name])[-1])] ^= 0x40
        return after


def with_arguments(spec: str) -> Iterator[Case]:
    """Listed cases of one item whose instructions load several arguments."""
    found = 0
    for recipe in case_list(spec, spec_named(spec).default_caps, "quick"):
        if recipe.target or found == CASES:
            continue
        case = materialise(recipe).item(0)
        if len(loaded_arguments(case.program)) > 2:
            found += 1
            yield case


def failing(case: Case, device: WrongWith) -> tuple[Trial, Held]:
    by_reading = expect_by_reading(case, PRACTICE)
    assert isinstance(by_reading.first, Defined)
    held = hold(case, by_reading, ask(device, case, by_reading.first))
    assert not held.legal
    return Trial(device, PRACTICE, case), held


def holders(program: Program, argument: RunTime) -> list[tuple[int, ...]]:
    """The instructions that load an argument."""
    found = []
    for place, instruction, _ in walk(program):
        if argument in loaded_arguments(instruction):
            found.append(place.path)
    return found


@pytest.mark.parametrize("spec", ours())
def test_the_argument_is_found_by_halves(spec: str) -> None:
    seen = 0
    for case in with_arguments(spec):
        arguments = loaded_arguments(case.program)
        for argument in arguments:
            if not (wanted := holders(case.program, argument)):
                continue
            device = WrongWith(frozenset({argument}))
            trial, held = failing(case, device)
            device.asked.clear()
            step, name = step_at_run_time(trial, held, store_of(held, held.judgement.wrong[0]))
            assert step.place.path == wanted[0]
            assert name
            # Two runs of each half at most, and half as many arguments each time.
            assert len(device.asked) <= 4 * (len(arguments) - 1).bit_length()
            seen += 1
    assert seen > 2


@pytest.mark.parametrize("spec", ours())
def test_two_that_are_needed_together_are_not_told_as_one(spec: str) -> None:
    for case in with_arguments(spec):
        arguments = loaded_arguments(case.program)
        trial, held = failing(case, WrongWith(frozenset({arguments[0], arguments[-1]})))
        base = store_of(held, held.judgement.wrong[0])
        assert step_at_run_time(trial, held, base) == (base, "")
        return
    pytest.fail("no case loads several arguments")


def test_what_is_demanded_is_worked_out_once_for_loaded_and_literal_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    case = next(with_arguments("hlsl-wave-matrix"))
    trial, _ = failing(case, WrongWith(frozenset(loaded_arguments(case.program))))
    worked = []

    def counted(one: Case, profile: Profile) -> object:
        worked.append(one)
        return expect_by_reading(one, profile)

    monkeypatch.setattr("mmaspec.suites.judging.blaming.trial.expect_by_reading", counted)
    literal = resolve(case.program, case.words)
    wrong, right = trial.run(case.program, "as it is"), trial.run(literal, "literal arguments")
    assert wrong is not None
    assert not wrong.legal
    assert right is not None
    assert right.legal
    assert len(worked) == 1
    other = {name: np.zeros_like(bits) for name, bits in case.values.items()}
    trial.run(literal, "zeros", other)
    trial.run(case.program, "as it is")
    assert len(worked) == 3
