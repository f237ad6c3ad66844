"""Case files: what is written is read back, and what is damaged is told in a line."""

from __future__ import annotations

import json
import pickle
import random

import numpy as np
import pytest
from msgspec.structs import replace

from mmaspec.oracle.case import MAX_FILE, Case, decode_case, encode_case
from mmaspec.oracle.expect import expect
from mmaspec.oracle.spec import SPECS, spec_named
from mmaspec.programs.errors import BadInput
from mmaspec.strategies.recipe import Recipe, encode_recipe, materialise
from tests.damage import damaged, refusal

from .conftest import every_recipe, smoke_case

MUTATIONS = 150
"""Damaged files per specification."""


def small_cases(spec: str, count: int) -> list[Case]:
    """Smoke cases of different templates, cut to one batch item so that files stay short."""
    chosen: dict[str, Case] = {}
    for recipe in every_recipe():
        if recipe.spec == spec and recipe.template not in chosen and len(chosen) < count:
            chosen[recipe.template] = smoke_case(recipe.id).case.item(0)
    return list(chosen.values())


@pytest.mark.parametrize("spec", SPECS)
def test_case_survives_its_file(spec: str) -> None:
    for case in small_cases(spec, 4):
        text = encode_case(case)
        again = decode_case(text, "file")
        assert encode_case(again) == text
        assert again.program == case.program
        assert all(np.array_equal(again.values[name], bits) for name, bits in case.values.items())


@pytest.mark.parametrize("spec", SPECS)
def test_neither_id_nor_file_depends_on_whether_a_case_was_in_another_process(spec: str) -> None:
    recipes = [recipe for recipe in every_recipe() if recipe.spec == spec][::9]
    sent: list[Recipe] = [replace(recipe) for recipe in pickle.loads(pickle.dumps(recipes))]  # noqa: S301
    assert [recipe.id for recipe in sent] == [recipe.id for recipe in recipes]
    assert encode_recipe(sent[0]) == encode_recipe(recipes[0])
    assert encode_case(materialise(sent[0])) == encode_case(materialise(recipes[0]))


@pytest.mark.parametrize("spec", SPECS)
def test_damaged_case_is_bad_input_or_another_case(spec: str, times: int) -> None:
    draw = random.Random(f"damage {spec}")  # noqa: S311 - the same mutations every time
    texts = [encode_case(case) for case in small_cases(spec, 8)]

    def used() -> None:
        case = decode_case(damaged(draw.choice(texts), draw), "damaged.json")
        expect(case)
        spec_named(case.spec).text(case.program, case.caps)

    told = [line for _ in range(MUTATIONS * times) if (line := refusal(used))]
    assert MUTATIONS * times // 4 < len(told) < MUTATIONS * times


def test_values_given_twice_and_unknown_targets_are_bad_input() -> None:
    case = small_cases("amd-rdna3-wmma", 1)[0]
    body = json.loads(encode_case(case))
    twice = json.dumps({**body, "values": [*body["values"], body["values"][0]]}).encode()
    with pytest.raises(BadInput, match=rf"^c\.json: values {body['values'][0]['name']}: given twice; expected once"):
        decode_case(twice, "c.json")
    with pytest.raises(BadInput, match=r"^c\.json: target 'RDNA3-NOPE': no clause of amd-rdna3-wmma has this ID"):
        decode_case(json.dumps({**body, "target": "RDNA3-NOPE"}).encode(), "c.json")


def test_deep_nesting_is_bad_input() -> None:
    with pytest.raises(BadInput, match=r"deep\.json"):
        decode_case(b'{"program":' + b"[" * 100_000, "deep.json")


@pytest.mark.parametrize("place", ["first", "nested"])
def test_a_key_that_stands_twice_in_one_object_is_bad_input(place: str) -> None:
    text = encode_case(small_cases(SPECS[0], 1)[0])
    twice = (
        text.replace(b"{", b'{"row":"another",', 1)
        if place == "first"
        else text.replace(b'"size":', b'"size":1,"size":', 1)
    )
    assert twice != text
    with pytest.raises(BadInput, match=r"twice\.json: not a valid case: key '(row|size)' twice in one object"):
        decode_case(twice, "twice.json")
    decode_case(text, "once.json")


def test_oversized_file_is_bad_input() -> None:
    with pytest.raises(BadInput, match="at most"):
        decode_case(b" " * (MAX_FILE + 1), "big.json")
