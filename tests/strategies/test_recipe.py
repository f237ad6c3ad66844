"""Recipes: identity, files, and the cases that they make."""

from __future__ import annotations

from types import SimpleNamespace

import msgspec
import numpy as np
import pytest

from mmaspec.oracle.case import decode_case, encode_case
from mmaspec.programs.errors import BadInput
from mmaspec.strategies import recipe as recipe_module
from mmaspec.strategies.enumerate import case_list
from mmaspec.strategies.recipe import Recipe, decode_recipe, encode_recipe, materialise, products


@pytest.fixture
def recipes(toy: SimpleNamespace) -> tuple[Recipe, ...]:
    return case_list(toy.NAME, toy.ToyCaps(), "smoke")


def test_round_trip(recipes: tuple[Recipe, ...]) -> None:
    for recipe in recipes:
        again = decode_recipe(encode_recipe(recipe))
        assert again == recipe
        assert again.id == recipe.id


def test_the_id_follows_everything_and_the_corpus_version(
    recipes: tuple[Recipe, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = recipes[0]
    assert msgspec.structs.replace(first, seed=first.seed + 1).id != first.id
    assert msgspec.structs.replace(first, target="T-ALIGN").id != first.id
    monkeypatch.setattr(recipe_module, "CORPUS_VERSION", 99)
    assert msgspec.structs.replace(first).id != first.id


def test_a_case_has_values_for_every_source_and_survives_its_file(recipes: tuple[Recipe, ...]) -> None:
    case = materialise(recipes[0])
    assert {name: bits.shape for name, bits in case.values.items()} == dict.fromkeys("CAB", (4, 1, 1, 8, 8))
    again = decode_case(encode_case(case), "case")
    assert all(np.array_equal(again.values[name], bits) for name, bits in case.values.items())


def test_equal_recipes_give_equal_cases(recipes: tuple[Recipe, ...]) -> None:
    assert encode_case(materialise(recipes[3])) == encode_case(materialise(decode_recipe(encode_recipe(recipes[3]))))


@pytest.mark.parametrize("data", [b"", b"{}", b"[1]", b'{"spec": "toy-mac"}', b"[" * 5000])
@pytest.mark.usefixtures("toy")
def test_a_bad_file_is_bad_input(data: bytes) -> None:
    with pytest.raises(BadInput, match=r"^plan line 3: "):
        decode_recipe(data, "plan line 3")


def test_unknown_fields_are_refused(recipes: tuple[Recipe, ...]) -> None:
    data = msgspec.json.decode(encode_recipe(recipes[0]))
    with pytest.raises(BadInput, match="surprise"):
        decode_recipe(msgspec.json.encode({**data, "surprise": 1}))


def test_products_counts_every_pass(toy: SimpleNamespace) -> None:
    body = (toy.Mac(), toy.Repeat(3, (toy.Load("a", "x", 0, "A"), toy.Mac())))
    assert products(toy.ToyProgram((), body)) == 4
    assert products(toy.ToyProgram((), (toy.Fill("a", toy.LiteralBits(1)),))) == 1
