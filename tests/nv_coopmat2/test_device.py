"""The reference device and the oracle, written apart, agree; instrumented and ablated programs stay defined."""

from __future__ import annotations

from functools import cache

import pytest

from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import resolve
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.oracle.nv_coopmat2 import SPEC
from mmaspec.programs.errors import BadInput
from mmaspec.programs.nv_coopmat2.caps import DEFAULT_CAPS
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.recipe import Recipe, materialise
from mmaspec.suites.judging.ask import ask, hold
from tests.case_lists import case_list

ROWS = [row.name for row in SPEC.rows(DEFAULT_CAPS)]
SEED = 7
"""Not the seed of the suites: other programs, other data."""


@cache
def recipes() -> tuple[Recipe, ...]:
    return case_list("nv-coopmat2", DEFAULT_CAPS, "quick", SEED)


@cache
def cases(row: str) -> tuple[Case, ...]:
    return tuple(materialise(recipe) for recipe in recipes() if recipe.row == row and not recipe.target)


@pytest.mark.exhaustive(every=6)
@pytest.mark.parametrize("row", ROWS)
def test_device_does_what_the_oracle_demands(row: str, device: NumpyBackend) -> None:
    for case in cases(row)[::6]:  # `mmaspec check` asks the same of all
        by_reading = expect_by_reading(case, PRACTICE)
        assert isinstance(by_reading.first, Defined)
        held = hold(case, by_reading, ask(device, case, by_reading.first))
        assert held.legal, (case.template, held.judgement.wrong)
        # Sums in f16 are sharp for tame numbers only.
        hard = row.startswith("f16-f16") and case.template.startswith("mul-add-")
        assert not held.judgement.weak or hard, case.template


def test_instrumented_programs_are_right_as_well(device: NumpyBackend) -> None:
    for case in cases(ROWS[3]):
        instrumented = SPEC.instrumented(resolve(case.program, case.words))
        shown = case.item(0).with_program(instrumented.program)
        by_reading = expect_by_reading(shown, PRACTICE)
        assert isinstance(by_reading.first, Defined)
        assert set(instrumented.shows) <= {region.buffer for region in by_reading.first.regions}
        assert hold(shown, by_reading, ask(device, shown, by_reading.first)).legal


@pytest.mark.parametrize(("row", "first"), [(ROWS[0], 0), (ROWS[5], 1)], ids=[ROWS[0], ROWS[5]])
def test_ablated_programs_are_right_as_well(row: str, first: int, device: NumpyBackend) -> None:
    """In two rows that show addresses, every eighth case of each."""
    ran = set()
    for case in cases(row)[first::8]:
        program = resolve(case.program, case.words)
        steps = expect_by_reading(case, PRACTICE).first
        assert isinstance(steps, Defined)
        for step in steps.steps:
            for ablation in SPEC.ablations(program, step.place) if not step.place.loop else ():
                ablated = case.item(0).with_program(ablation.program)
                if SPEC.rejected(ablation.program, DEFAULT_CAPS) or SPEC.undefined(ablation.program, DEFAULT_CAPS):
                    continue
                try:
                    by_reading = expect_by_reading(ablated, PRACTICE)
                except BadInput:  # its loads find data of another shape: blame passes over it as well
                    continue
                assert isinstance(by_reading.first, Defined)
                assert hold(ablated, by_reading, ask(device, ablated, by_reading.first)).legal, ablation.clause
                ran.add(ablation.clause)
    assert len(ran) >= 12


def test_programs_are_printed_as_glsl() -> None:
    for row in ROWS:
        for case in cases(row):
            text = SPEC.text(case.program, case.caps)
            assert text.startswith("#version 460\n#extension GL_KHR_cooperative_matrix : require\n")
            assert text.count("{") == text.count("}")
            assert text.count("(") == text.count(")")
            for matrix in case.program.matrices:
                assert f" {matrix.name};" in text
