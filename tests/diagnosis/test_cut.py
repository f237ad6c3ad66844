"""What stands behind the wrong instruction is left out where the failure does not need it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mmaspec.backends.numpy.amd_rdna3_wmma.device import WmmaDevice
from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.backends.protocol import Images
from mmaspec.oracle.expect import resolve
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.amd_rdna3_wmma.program import Wmma, WmmaProgram
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.judging.ask import ask, hold
from mmaspec.suites.judging.blaming.culprit import Culprit, located
from mmaspec.suites.judging.blaming.cut import WORTH, cut_behind
from mmaspec.suites.judging.blaming.trial import Trial
from mmaspec.suites.score.classes.proofs import smoke

pytestmark = pytest.mark.exhaustive(every=2, alike="blamed")

SPEC = "amd-rdna3-wmma"


class RowsExchanged(WmmaDevice):
    """The first two rows of every product are exchanged."""

    def product(self, step: Wmma, a: Bits, b: Bits, c: Bits) -> Bits:
        found = super().product(step, a, b, c)
        return found[..., [1, 0, *range(2, found.shape[-2])], :]


class OnlyBeforeOthers(RowsExchanged):
    """The same, where some product follows in the program."""

    more = False

    def run(self, program: WmmaProgram, inputs: Images) -> Images:
        self.more = sum(isinstance(one, Wmma) for one in program.body) > 1
        return super().run(program, inputs)

    def product(self, step: Wmma, a: Bits, b: Bits, c: Bits) -> Bits:
        found = super().product(step, a, b, c)
        return found if self.more else found[..., [1, 0, *range(2, found.shape[-2])], :]


def culprit_of(device: type[WmmaDevice]) -> tuple[Culprit, Any]:
    """The culprit of the first case with two products whose first one is wrong, well before the end."""
    backend = NumpyBackend(SequentialUnit(), {SPEC: device}, name="planted", profile=PRACTICE)
    spec = spec_named(SPEC)
    for recipe in smoke(SPEC):
        if recipe.target or sum(isinstance(one, Wmma) for one in recipe.program.body) < 2:
            continue
        case = materialise(recipe).item(0)
        by_reading = expect_by_reading(case, PRACTICE)
        held = hold(case, by_reading, ask(backend, case, by_reading.first))  # type: ignore[arg-type]
        if held.legal:
            continue
        program = resolve(case.program, case.words)
        found = located(Trial(backend, PRACTICE, case), spec, program, held, held.expected.steps[-1])
        if found is None or not found.in_state:
            continue
        first = found.step.place.path[0]
        alone = sum(isinstance(one, Wmma) for one in program.body[: first + 1]) == 1
        if alone and len(program.body) - first > WORTH:
            return found, program
    pytest.fail("no such case")


def test_what_is_not_needed_is_left_out() -> None:
    culprit, program = culprit_of(RowsExchanged)
    short, body = cut_behind(culprit, program)
    assert body.body == program.body[: culprit.step.place.path[0] + 1]
    assert short.trial.case.program == body
    number, before = short.region, culprit.region
    assert number is not None
    assert before is not None
    assert np.array_equal(short.seen.wrong.regions[number], culprit.seen.wrong.regions[before])


def test_what_is_needed_stays() -> None:
    culprit, program = culprit_of(OnlyBeforeOthers)
    assert cut_behind(culprit, program) == (culprit, program)
