"""Every clause is broken in every way, and whoever overlooks one of them is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec import structs

from mmaspec.oracle.intel_subgroup_mma import SPEC
from mmaspec.oracle.intel_subgroup_mma.caps_support import FORMATS
from mmaspec.oracle.intel_subgroup_mma.functions import signatures
from mmaspec.programs.intel_subgroup_mma.caps import DEFAULT_CAPS, FORMS, FORMS_OF, Caps
from mmaspec.programs.intel_subgroup_mma.program import Mad
from mmaspec.strategies.recipe import Recipe
from tests.blindness import Blindfold, noticed, rebuilt, without_loops
from tests.near_miss_forms import flaws, near_misses, not_listed

DEVICES = (DEFAULT_CAPS, Caps(16, FORMS_OF[16]))


@pytest.fixture(scope="module")
def recipes() -> tuple[Recipe, ...]:
    return near_misses(SPEC.name, *DEVICES)


def test_every_form_is_listed_for_one_class_of_device_or_the_other(recipes: tuple[Recipe, ...]) -> None:
    assert not_listed(SPEC.name, recipes) == set()


@pytest.mark.parametrize("caps", DEVICES, ids=lambda caps: f"n{caps.sub_group_size}")
def test_every_form_is_a_change_of_its_own(caps: Caps) -> None:
    assert not list(flaws(SPEC.name, caps))


def form_of(recipe: Recipe) -> Any:
    return SPEC.row(recipe.caps, recipe.row).entry


def with_calls(recipe: Recipe, change: Callable[[str], str]) -> Any:
    def changed(node: Any) -> Any:
        return structs.replace(node, function=change(node.function)) if isinstance(node, Mad) else node

    return rebuilt(recipe.program, changed)


def element(side: int) -> Blindfold:
    """The element of A or of B as the row has it."""

    def repaired(recipe: Recipe) -> Any:
        def change(function: str) -> str:
            parts = function.split("_")
            parts[side] = form_of(recipe)[side]
            return "_".join(parts)

        return with_calls(recipe, change)

    return repaired


def k(recipe: Recipe) -> Any:
    """K as the elements of A have it."""
    return with_calls(recipe, lambda function: f"{function.rsplit('_', 1)[0]}_k{form_of(recipe).k}")


def vector(names: str, field: str) -> Blindfold:
    """The component or the number of them of a vector, and of its copy for a wrong call, as the row has them."""

    def repaired(recipe: Recipe) -> Any:
        rows = next(each.count for each in recipe.program.fragments if each.name not in {*names, *_wrong(names), "b"})
        own = next(
            one
            for one in signatures()
            if (one.size, FORMS[one.form], one.rows)
            == (recipe.caps.sub_group_size, form_of(recipe), rows if rows < 16 else 8)
        )

        def changed(each: Any) -> Any:
            if each.name[0] not in names:
                return each
            component, count = {"a": own.a, "b": own.b, "cd": own.acc}[each.use]
            if field == "count":
                return structs.replace(each, count=count)
            held = form_of(recipe).acc if each.use == "cd" else each.holds
            return structs.replace(each, component=component, holds=FORMATS.get(held, held))

        return structs.replace(recipe.program, fragments=tuple(map(changed, recipe.program.fragments)))

    return repaired


def _wrong(names: str) -> set[str]:
    return {f"{name}_wrong" for name in names}


def first_call(recipe: Recipe) -> Any:
    """The program up to its first call."""
    body = recipe.program.body
    number = next((n for n, step in enumerate(body) if isinstance(step, Mad)), len(body) - 1)
    return structs.replace(recipe.program, body=body[: number + 1])


SIGNS_OF_A = {"ISGMMA-ARG-A8", "ISGMMA-ARG-A16"}


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize(
    ("blindfold", "clauses"),
    [
        (element(0), {"ISGMMA-FUNCS"}),
        (element(1), {"ISGMMA-FUNCS", "ISGMMA-INT-COMBOS"}),
        (k, {"ISGMMA-K-BY-TYPE"}),
        (vector("a", "component"), SIGNS_OF_A),
        (vector("b", "component"), {"ISGMMA-ARG-B"}),
        (vector("b", "count"), {"ISGMMA-ARG-B"}),
        (vector("a", "count"), {"ISGMMA-M"}),
        (vector("cd", "component"), {"ISGMMA-FP-ACC"}),
        (vector("d", "count"), {"ISGMMA-M"}),
        (vector("c", "count"), {"ISGMMA-M"}),
    ],
    ids=["A's element", "B's element", "K", "A's type", "B's type", "B's words", "A's rows", "sums' type", "d", "c"],
)
def test_who_overlooks_one_thing(recipes: tuple[Recipe, ...], blindfold: Blindfold, clauses: set[str]) -> None:
    assert noticed(blindfold, recipes) >= clauses


def test_who_overlooks_all_but_the_first_call_or_what_is_in_loops(recipes: tuple[Recipe, ...]) -> None:
    every = {recipe.target for recipe in recipes}
    assert len(every) == 8
    assert noticed(first_call, recipes) == every
    assert noticed(without_loops, recipes) == every
