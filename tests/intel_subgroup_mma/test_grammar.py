"""Templates, frames and free programs are valid and defined in every row; near misses break one clause."""

from __future__ import annotations

from typing import Any

import pytest

from mmaspec.oracle.case import decode_case, encode_case
from mmaspec.oracle.expect import expect, resolve
from mmaspec.oracle.expectation import Defined, Rejected
from mmaspec.oracle.intel_subgroup_mma import SPEC
from mmaspec.oracle.intel_subgroup_mma.rule_context import meant
from mmaspec.oracle.spec import Row
from mmaspec.programs.intel_subgroup_mma.caps import FORMS_OF, Caps
from mmaspec.programs.intel_subgroup_mma.program import Mad
from mmaspec.programs.tree import walk
from mmaspec.strategies.choices import Counted
from mmaspec.strategies.enumerate import closure, templates_of
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.intel_subgroup_mma import GRAMMAR
from mmaspec.strategies.intel_subgroup_mma.caps import random_caps
from mmaspec.strategies.recipe import Recipe, materialise
from tests.case_lists import case_list

DEVICES = (SPEC.default_caps, Caps(16, FORMS_OF[16]))
ROWS = [(caps, row) for caps in DEVICES for row in SPEC.rows(caps)]
DRAWS = 6


def fine(draft: Draft, caps: Caps) -> None:
    program = resolve(draft.program, draft.words)
    assert not SPEC.rejected(program, caps)
    assert not SPEC.undefined(program, caps)
    SPEC.sources(program)
    assert SPEC.text(draft.program, caps)


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize(("caps", "row"), ROWS, ids=[row.name for _, row in ROWS])
def test_everything_drawn_is_valid_and_defined(caps: Caps, row: Row[Any]) -> None:
    for template in templates_of(GRAMMAR, row):
        for n in range(DRAWS):
            context = DrawContext(Counted(f"{row.name}/{template.name}/{n}"), row, caps)
            draft = template.build(context)
            assert draft is not None
            fine(draft, caps)
            fine(GRAMMAR.frame(context, draft), caps)
    for n in range(4 * DRAWS):
        fine(GRAMMAR.free(DrawContext(Counted(f"{row.name}/free/{n}"), row, caps)), caps)


BROKEN = [
    (caps, row, clause)
    for caps, row in ROWS
    for clause in GRAMMAR.near_misses
    if SPEC.catalogue.applies(clause, row.tags)
]


@pytest.mark.exhaustive(every=4)
@pytest.mark.parametrize(("caps", "row", "clause"), BROKEN, ids=[f"{row.name}-{clause}" for _, row, clause in BROKEN])
def test_a_near_miss_breaks_its_clause_and_what_it_entails(caps: Caps, row: Row[Any], clause: str) -> None:
    made = 0
    for n in range(2 * DRAWS):
        context = DrawContext(Counted(f"{row.name}/{clause}/{n}"), row, caps)
        draft = GRAMMAR.near_misses[clause](context, GRAMMAR.near_miss_base(context))
        if draft is not None:  # with one row some scalars are converted
            assert SPEC.rejected(draft.program, caps) == closure(SPEC.catalogue, clause)
            made += 1
    assert made > 2


def test_every_validity_clause_has_near_misses_in_some_row() -> None:
    assert {clause for _, _, clause in BROKEN} == set(GRAMMAR.near_misses)
    assert set(GRAMMAR.near_misses) == {name for name, one in SPEC.catalogue.clause.items() if one.kind == "V"}


def test_templates_and_arrays_name_clauses_that_exist_and_together_all() -> None:
    focused = {clause for part in (*GRAMMAR.templates, *GRAMMAR.arrays) for clause in part.focus}
    testable = {name for name, clause in SPEC.catalogue.clause.items() if clause.testable}
    assert focused <= testable
    assert focused | set(GRAMMAR.near_misses) == testable


@pytest.fixture(scope="module", params=DEVICES, ids=lambda caps: f"n{caps.sub_group_size}")
def smoke(request: pytest.FixtureRequest) -> tuple[Caps, tuple[Recipe, ...]]:
    return request.param, case_list(SPEC.name, request.param, "smoke")


def test_a_smoke_list_is_within_its_budget_and_has_every_function(smoke: tuple[Caps, tuple[Recipe, ...]]) -> None:
    caps, recipes = smoke
    assert 350 <= len(recipes) <= 740
    called = {
        meant(recipe.program, step)
        for recipe in recipes
        if not recipe.target
        for _, step, _ in walk(recipe.program)
        if isinstance(step, Mad)
    }
    assert len(called) == 4 * len(FORMS_OF[caps.sub_group_size])


def test_cases_are_what_their_lists_say_and_survive_their_files(smoke: tuple[Caps, tuple[Recipe, ...]]) -> None:
    _, recipes = smoke
    for recipe in recipes[::9]:
        case = materialise(recipe)
        assert isinstance(expect(case), Rejected if recipe.target else Defined)
        again = decode_case(encode_case(case), "case")
        assert again.program == case.program
        assert encode_case(again) == encode_case(case)


def test_any_caps_that_are_drawn_have_a_list() -> None:
    seen = set()
    for n in range(20):
        caps = random_caps(Counted(f"caps/{n}"))
        assert caps.in_reach
        kind = (caps.sub_group_size, caps.fp16)
        if n >= 4 and kind in seen:
            continue
        seen.add(kind)
        recipes = case_list(SPEC.name, caps, "quick")
        assert {recipe.row for recipe in recipes} == {row.name for row in SPEC.rows(caps)}
    assert len(seen) == 4


def test_arrays_of_a_device_with_one_form_are_of_that_form() -> None:
    caps = Caps(16, ("bf16_bf16_bf16",), fp16=False)
    (row,) = SPEC.rows(caps)
    arrays = {recipe.template for recipe in case_list(SPEC.name, caps, "smoke")} & {one.name for one in GRAMMAR.arrays}
    assert {"functions", "block-numbers", "loops", "float-data"} <= arrays
    assert row.name == "n16_bf16_bf16_bf16"
