"""An instruction matters where something judged depends on what it writes, and nowhere else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mmaspec.oracle.case import Case
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.oracle.spec import spec_named
from mmaspec.programs import tree
from mmaspec.programs.base import Affine, Buffer, FromBuffer, Literal, Place
from mmaspec.programs.hlsl_wave_matrix.program import (
    Fill,
    Load,
    Matrix,
    Repeat,
    ScalarMultiply,
    Store,
    WaveMatrixProgram,
)
from mmaspec.programs.profile import PRACTICE
from mmaspec.programs.specifications import ours
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.score.depends import each_shows, shown, shows
from tests.case_lists import case_list


def case_of(*body: Any, batch: int = 1) -> Case:
    spec = spec_named("hlsl-wave-matrix")
    program = WaveMatrixProgram(
        buffers=(Buffer("in", 16 * 64 + 4), Buffer("out", 4 * 16 * 64)),
        matrices=(Matrix("c", "accumulator", "s32", 16, 16), Matrix("d", "accumulator", "s32", 16, 16)),
        body=body,
    )
    values = {
        source.name: np.arange(batch * np.prod(source.shape), dtype=np.uint64).reshape(batch, *source.shape)
        for source in spec.sources(program)
    }
    row = next(row.name for row in spec.rows(spec.default_caps) if "16x16" in row.name and "s32" in row.name)
    return Case(spec.name, row, "by hand", program, spec.default_caps, batch, values)


def paths(case: Case) -> list[tuple[int, ...]]:
    return sorted(shown(case))


def places(case: Case) -> list[Place]:
    expected = expect_by_reading(case, PRACTICE)
    return [place for place, _ in tree.unrolled(case.program) if shows(case, expected, place)]


STORE = Store("c", "out", 0, 64)


def test_what_is_stored_matters_and_what_is_overwritten_does_not() -> None:
    overwritten, kept = Fill("c", Literal(5)), Load("c", "in", 0, 64, data="c")
    assert paths(case_of(overwritten, kept, STORE)) == [(1,), (2,)]


def test_a_matrix_that_nobody_stores_does_not_matter() -> None:
    assert paths(case_of(Fill("d", Literal(7)), Fill("c", Literal(5)), STORE)) == [(1,), (2,)]


def test_each_pass_is_told_apart() -> None:
    """Only what the last pass fills is stored."""
    case = case_of(Repeat(3, (Fill("c", Literal(9)),)), STORE)
    assert places(case) == [Place((0, 0), 2), Place((1,))]
    assert paths(case) == [(0, 0), (1,)]
    case = case_of(Repeat(2, (Fill("c", Literal(9)), Store("c", "out", Affine(0, loop=1024), 64))))
    assert places(case) == [Place((0, 0), 0), Place((0, 1), 0), Place((0, 0), 1), Place((0, 1), 1)]


def test_what_shows_in_a_later_item_of_the_batch_alone_matters() -> None:
    """The first item is multiplied by 0, so that nothing is left of what was loaded."""
    loaded, times = Load("c", "in", 0, 64, data="c"), ScalarMultiply("c", FromBuffer("in", 16 * 64, "by"))
    assert paths(case_of(loaded, times, STORE)) == [(1,), (2,)]
    assert paths(case_of(loaded, times, STORE, batch=2)) == [(0,), (1,), (2,)]


def test_places_looked_at_in_one_run_are_told_as_alone() -> None:
    """Also where the first item of a batch tells another thing than the second, and where a pass is overwritten."""
    loaded, times = Load("c", "in", 0, 64, data="c"), ScalarMultiply("c", FromBuffer("in", 16 * 64, "by"))
    body = (Fill("d", Literal(7)), Repeat(3, (loaded, times)), STORE)
    for case in (case_of(*body), case_of(*body, batch=2)):
        expected = expect_by_reading(case, PRACTICE)
        every = [place for place, _ in tree.unrolled(case.program)]
        alone = [shows(case, expected, place) for place in every]
        assert each_shows(case, expected, every) == alone
        assert alone == [False, *[False] * 4, case.batch == 2, True, True]


@pytest.mark.parametrize("spec", ours())
def test_places_of_listed_cases_are_told_as_alone(spec: str) -> None:
    recipes = [one for one in case_list(spec, spec_named(spec).default_caps, "quick") if not one.target]
    for recipe in recipes[:: len(recipes) // 5]:
        case = materialise(recipe).head(2)
        expected = expect_by_reading(case, PRACTICE)
        every = [place for place, _ in tree.unrolled(case.program)][-12:]
        assert each_shows(case, expected, every) == [shows(case, expected, place) for place in every], recipe.template


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("spec", ours())
def test_every_store_of_listed_cases_matters(spec: str) -> None:
    """Whatever a listed program stores is judged somewhere, or what it stored is overwritten."""
    recipes = [one for one in case_list(spec, spec_named(spec).default_caps, "quick") if not one.target]
    for recipe in recipes[::40]:
        assert shown(materialise(recipe)), recipe.template


def test_near_misses_have_nothing_that_matters() -> None:
    recipes = case_list("amd-rdna3-wmma", spec_named("amd-rdna3-wmma").default_caps, "quick")
    assert shown(materialise(next(one for one in recipes if one.target))) == frozenset()
