"""The reference device and the oracle agree: on what is refused, and on every byte."""

from __future__ import annotations

import numpy as np
import pytest

from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.protocol import Refused
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined, Rejected
from mmaspec.oracle.hlsl_wave_matrix import SPEC
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.programs.base import RunTime
from mmaspec.programs.hlsl_wave_matrix.caps import DEFAULT_CAPS
from mmaspec.programs.hlsl_wave_matrix.program import WaveMatrixProgram
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.recipe import Recipe, materialise
from mmaspec.suites.judging.ask import ask, hold
from mmaspec.suites.judging.invalid import outline
from tests.case_lists import case_list

BY_ROW = sorted(row.name for row in SPEC.rows(DEFAULT_CAPS))


def listed() -> tuple[Recipe, ...]:
    """The quick list."""
    return case_list(SPEC.name, DEFAULT_CAPS, "quick")


@pytest.mark.parametrize("row", BY_ROW)
def test_smoke_cases(device: NumpyBackend, row: str) -> None:
    """Some of them; `mmaspec check` asks the same of all."""
    sample = [recipe for recipe in listed() if recipe.row == row][::18]
    assert sample
    for recipe in sample:
        assert_agreement(device, recipe)


def assert_agreement(device: NumpyBackend, recipe: Recipe) -> None:
    case = materialise(recipe)
    by_reading = expect_by_reading(case, PRACTICE)
    if isinstance(by_reading.first, Rejected):
        with pytest.raises(Refused) as caught:
            device.run(case.spec, case.program, outline(case))
        assert set(caught.value.clauses) == by_reading.first.clauses
        return
    assert isinstance(by_reading.first, Defined)
    held = hold(case, by_reading, ask(device, case, by_reading.first))
    assert held.legal, held.judgement.wrong


def product_case(product: WaveMatrixProgram, c: int) -> Case:
    values = {
        "A": np.full((1, 1, 1, 16, 32), 255, np.uint64),
        "B": np.full((1, 1, 1, 32, 16), 127, np.uint64),
        "C": np.full((1, 1, 1, 16, 16), c, np.uint64),
    }
    return Case("hlsl-wave-matrix", "byte-16x16-s32", "test", product, DEFAULT_CAPS, 1, values)


def test_overflow_consults_the_readings(device: NumpyBackend, product: WaveMatrixProgram) -> None:
    calm = expect_by_reading(product_case(product, 5), PRACTICE)
    assert calm.first.consulted == frozenset()  # type: ignore[union-attr]
    case = product_case(product, 0x7FFFFFFF)
    by_reading = expect_by_reading(case, PRACTICE)
    assert isinstance(by_reading.first, Defined)
    held = hold(case, by_reading, ask(device, case, by_reading.first))
    accepted = {dict(assignment)["WM-AMB-07"] for assignment in held.accepted}
    assert accepted == {"wrap", "undefined"}


def test_the_states_of_all_instructions_are_stored(device: NumpyBackend, product: WaveMatrixProgram) -> None:
    case = product_case(product, 1)
    instrumented = SPEC.instrumented(product)
    assert [str(place) for place in instrumented.shows.values()] == ["1", "2", "3", "4"]
    shown = case.with_program(instrumented.program)
    by_reading = expect_by_reading(shown, PRACTICE)
    assert isinstance(by_reading.first, Defined)
    assert hold(shown, by_reading, ask(device, shown, by_reading.first)).legal


def test_run_time_arguments_come_from_memory(device: NumpyBackend) -> None:
    recipe = next(r for r in listed() if r.template == "run-time" and isinstance(r.program.body[-1].offset, RunTime))
    case = materialise(recipe)
    by_reading = expect_by_reading(case, PRACTICE)
    assert isinstance(by_reading.first, Defined)
    store = case.program.body[-1]
    base = next(buffer.base for buffer in case.program.buffers if buffer.name == store.offset.buffer)
    start = base + store.offset.offset
    images = {name: image.copy() for name, image in by_reading.first.images.items()}
    images[store.offset.buffer][:, start : start + 4] = 0
    before = device.run(case.spec, case.program, by_reading.first.images)
    after = device.run(case.spec, case.program, images)
    assert (after[store.buffer] != before[store.buffer]).any()
