"""Every clause is broken in every way, and whoever overlooks one of them is shown."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from mmaspec.oracle.amd_rdna3_wmma.builtins import parse
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.amd_rdna3_wmma.caps import Caps
from mmaspec.programs.amd_rdna3_wmma.program import AnyWmma, VWmma, Wmma
from mmaspec.strategies.recipe import Recipe
from tests.blindness import Blindfold, noticed, rebuilt, without_loops
from tests.near_miss_forms import flaws, near_misses, not_listed

NAME = "amd-rdna3-wmma"


@pytest.fixture(scope="module")
def recipes() -> tuple[Recipe, ...]:
    return near_misses(NAME, *spec_named(NAME).devices)


def test_every_form_is_listed(recipes: tuple[Recipe, ...]) -> None:
    assert not_listed(NAME, recipes) == set()


@pytest.mark.parametrize("caps", spec_named(NAME).devices, ids=["builtins", "instructions"])
def test_every_form_is_a_change_of_its_own(caps: Caps) -> None:
    assert not list(flaws(NAME, caps))


def with_calls(recipe: Recipe, **fields: Any) -> Any:
    return rebuilt(recipe.program, lambda node: structs.replace(node, **fields) if isinstance(node, Wmma) else node)


def first_call(recipe: Recipe) -> Any:
    """The program up to its first call."""
    body = recipe.program.body
    number = next((n for n, step in enumerate(body) if isinstance(step, AnyWmma)), len(body) - 1)
    return structs.replace(recipe.program, body=body[: number + 1])


def flag(name: str) -> Blindfold:
    """The flag as the row's builtin takes it."""
    return lambda recipe: with_calls(recipe, **{name: True if recipe.row.startswith("i32") else None})


def vector(name: str, field: str) -> Blindfold:
    """The element type or the length of a vector as the row's builtin takes it."""

    def repaired(recipe: Recipe) -> Any:
        builtin = parse(recipe.row.removeprefix("v_wmma_"))
        assert builtin is not None
        element, count = builtin.operand_vector if name in "ab" else builtin.accumulator_vector
        right = {"element": element, "count": count}[field]
        fragments = tuple(
            structs.replace(each, **{field: right}) if each.name == name else each for each in recipe.program.fragments
        )
        return structs.replace(recipe.program, fragments=fragments)

    return repaired


def part(number: int) -> Blindfold:
    """One of M, N and K as every builtin has it, or the wave size of the row."""

    def repaired(recipe: Recipe) -> Any:
        def changed(node: Any) -> Any:
            if not isinstance(node, Wmma):
                return node
            results, sizes, operands, *tied, wave = node.builtin.split("_")
            three = sizes.split("x")
            if number < 3:
                three[number] = "16"
            name = (results, "x".join(three), operands, *tied, wave if number < 3 else recipe.row.split("_")[-1])
            return structs.replace(node, builtin="_".join(name))

        return rebuilt(recipe.program, changed)

    return repaired


VECTORS = {f"{field} of {name}": vector(name, field) for name in "abcd" for field in ("element", "count")}


def opsel(recipe: Recipe) -> Any:
    """OPSEL as the row's builtin takes it."""
    return with_calls(recipe, opsel=False if recipe.row.startswith(("f16", "bf16")) else None)


def modifiers(**fields: Any) -> Blindfold:
    """Modifiers of instructions as they have to be."""

    def repaired(recipe: Recipe) -> Any:
        def changed(node: Any) -> Any:
            return structs.replace(node, **fields) if isinstance(node, VWmma) else node

        return rebuilt(recipe.program, changed)

    return repaired


def bit(number: int) -> Blindfold:
    """One bit of OPSEL of instructions as it has to be with C and D of 32 bits."""

    def repaired(recipe: Recipe) -> Any:
        def changed(node: Any) -> Any:
            if not isinstance(node, VWmma):
                return node
            return structs.replace(node, op_sel=tuple(one and n != number for n, one in enumerate(node.op_sel)))

        return rebuilt(recipe.program, changed)

    return repaired


FLAGS = {name: flag(name) for name in ("a_sign", "b_sign", "clamp")}
PARTS = {"M": part(0), "N": part(1), "K": part(2), "wave": part(3)}


@pytest.mark.parametrize("what", VECTORS)
def test_who_overlooks_a_vector(recipes: tuple[Recipe, ...], what: str) -> None:
    assert noticed(VECTORS[what], recipes) == {"RDNA3-SIG"}


@pytest.mark.parametrize("what", FLAGS)
def test_who_overlooks_a_flag(recipes: tuple[Recipe, ...], what: str) -> None:
    assert noticed(FLAGS[what], recipes) == {"RDNA3-SIG", "RDNA3-IU-IMMEDIATE"}


def test_who_overlooks_opsel(recipes: tuple[Recipe, ...]) -> None:
    assert noticed(opsel, recipes) == {"RDNA3-SIG", "RDNA3-OPSEL-ONLY16", "RDNA3-OPSEL-IMMEDIATE"}


@pytest.mark.parametrize("what", PARTS)
def test_who_overlooks_a_size(recipes: tuple[Recipe, ...], what: str) -> None:
    found = noticed(PARTS[what], recipes)
    assert found == ({"RDNA3-SHAPE", "RDNA3-WAVE-SIZE"} if what == "wave" else {"RDNA3-SHAPE"})


@pytest.mark.parametrize("number", range(3))
def test_who_overlooks_a_bit_of_opsel(recipes: tuple[Recipe, ...], number: int) -> None:
    assert noticed(bit(number), recipes) == {"RDNA3-OPSEL-BITS"}


def test_who_overlooks_clamp_of_floats(recipes: tuple[Recipe, ...]) -> None:
    assert noticed(modifiers(clamp=False), recipes) == {"RDNA3-FP-CLAMP"}


def test_who_overlooks_all_but_the_first_call_or_what_is_in_loops(recipes: tuple[Recipe, ...]) -> None:
    every = {recipe.target for recipe in recipes}
    assert noticed(first_call, recipes) == every
    assert noticed(without_loops, recipes) == every
