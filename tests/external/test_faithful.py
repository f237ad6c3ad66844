"""The protocol changes nothing: what a backend is, and what is said of it, is the same as in process."""

from __future__ import annotations

import random

import pytest

from mmaspec.backends.failures import BadReply, Died, Raised
from mmaspec.backends.faults import faults_of
from mmaspec.backends.numpy.amd_rdna3_wmma.device import WmmaDevice
from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.backends.processes.wire import Garbage
from mmaspec.backends.protocol import Backend, Refused
from mmaspec.backends.resolve import resolve
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.oracle.spec import SPECS
from mmaspec.programs.errors import BadInput
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.recipe import Recipe, materialise
from mmaspec.suites.judging.ask import ask, lawful
from tests.case_lists import case_list
from tests.damage import damaged

from .judged import judged
from .loopback import external

SPEC = "amd-rdna3-wmma"


@pytest.mark.parametrize("spec", SPECS)
def test_programs_arrive(spec: str) -> None:
    """Near misses too: numpy refuses them, and runs the others, over the protocol as without it."""
    inside, outside = resolve("numpy"), external(resolve("numpy"))
    assert outside.describe() == inside.describe()
    assert outside.caps(spec) == inside.caps(spec)
    listed = case_list(spec, inside.caps(spec), "quick")
    invalid = [recipe for recipe in listed if recipe.target][::24]
    chosen = (*listed[::120], *invalid)
    assert invalid
    assert judged(outside, chosen) == judged(inside, chosen)


def test_counterfactuals_are_blamed_the_same() -> None:
    recipes = case_list(SPEC, resolve("numpy").caps(SPEC), "quick")
    positive = [recipe for recipe in recipes if not recipe.target][::90]
    failed = 0
    for fault in faults_of(SPEC)[::34]:
        found = judged(fault.make(), positive)
        assert judged(external(fault.make()), positive) == found, fault.name
        failed += any(result.finding is not None for result in found)
    assert failed > 0


class NoWaveSize(WmmaDevice):
    """Takes any wave size, and cannot do anything with most of them."""

    unchecked = frozenset({"RDNA3-WAVE-SIZE"})


def unchecked() -> NumpyBackend:
    return NumpyBackend(SequentialUnit(), {SPEC: NoWaveSize}, name="no-wave-size", profile=PRACTICE)


def test_a_breakdown_over_an_invalid_program_is_told_in_the_same_words() -> None:
    recipes = case_list(SPEC, resolve("numpy").caps(SPEC), "quick")
    chosen = [recipe for recipe in recipes if recipe.target == "RDNA3-WAVE-SIZE"][:1]
    found = judged(unchecked(), chosen)
    assert found[0].finding is not None
    assert (found[0].finding.symptom, found[0].finding.blamed) == ("raised", ())
    assert "broke down over an invalid program" in found[0].finding.says
    assert judged(external(unchecked()), chosen) == found


@pytest.mark.long
@pytest.mark.parametrize("spec", SPECS)
def test_every_counterfactual_is_blamed_the_same(spec: str) -> None:
    """On the first cases of each template that it gets wrong, and on the near misses of its clause."""
    recipes = case_list(spec, resolve("numpy").caps(spec), "quick")
    missed = []
    for fault in faults_of(spec):
        inside, outside = fault.make(), external(fault.make())
        chosen = [recipe for recipe in recipes if recipe.target == fault.clause][:2]
        telling: dict[str, int] = {}
        for recipe in recipes:
            enough = sum(telling.values()) >= 3 or telling.get(recipe.template, 0)
            if not recipe.target and not enough and wrong(recipe, inside):
                telling[recipe.template] = 1
                chosen.append(recipe)
        found = judged(inside, chosen)
        assert judged(outside, chosen) == found, fault.name
        if not any(result.finding is not None for result in found):
            missed.append(fault.name)
    assert missed == []


def wrong(recipe: Recipe, backend: Backend) -> bool:
    """Whether a backend gets a case wrong."""
    case = materialise(recipe)
    by_reading = expect_by_reading(case, PRACTICE)
    try:
        return isinstance(by_reading.first, Defined) and not lawful(
            case, by_reading, ask(backend, case, by_reading.first)
        )
    except (BadReply, Died, Raised, Refused):
        return True


def test_damaged_replies_are_clear_errors_or_answers(times: int) -> None:
    """Nothing but the failures that runs know how to record, each of them one line."""
    generator = random.Random(20)  # noqa: S311 - the same mutations each time
    numpy = resolve("numpy")
    recipes = case_list(SPEC, numpy.caps(SPEC), "quick")
    case = materialise(next(recipe for recipe in recipes if not recipe.target)).head(1)
    first = expect_by_reading(case, PRACTICE).first
    assert isinstance(first, Defined)
    wrong: list[str] = []
    for turn in range(1000 * times):
        only = turn % 2

        def change(reply: bytes, only: int = only) -> bytes:
            return damaged(reply, generator) if (b'"hello"' in reply[:40]) == (only == 0) else reply

        try:
            backend = external(numpy, change)
            backend.describe()
            backend.caps(SPEC)
            backend.run(SPEC, case.program, first.images)
        except (BadReply, Died, Raised, Refused, BadInput, Garbage) as error:
            wrong.append(str(error))
    assert len(wrong) > 500 * times
    assert not any("\n" in line for line in wrong)
