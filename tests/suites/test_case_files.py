"""Case files: what is written is read back, and what is damaged is told in a line."""

from __future__ import annotations

import json
import pickle
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from mmaspec.oracle.case import MAX_FILE, Case, decode_case, encode_case
from mmaspec.oracle.errors import BadInput
from mmaspec.oracle.expect import expect
from mmaspec.oracle.spec import SPECS, spec_named
from mmaspec.strategies.recipe import Recipe, encode_recipe, materialise

from .conftest import every_recipe, smoke_case

MUTATIONS = 150
"""Damaged files per specification."""

ODD = (
    -1,
    0,
    1,
    3,
    1 << 31,
    (1 << 32) - 1,
    1 << 64,
    -(1 << 63),
    1.5,
    "",
    "nobody",
    None,
    True,
    [],
    {},
    [[]],
    "0" * 3000,
)


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


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a JSON value at which something else could stand."""
    if path:
        yield path
    if isinstance(node, dict):
        for key in node:
            yield from places(node[key], (*path, key))
    elif isinstance(node, list):
        for index in range(len(node)):
            yield from places(node[index], (*path, index))


def damaged(text: bytes, draw: random.Random) -> bytes:
    """A case file with one thing wrong."""
    kind = draw.randrange(6)
    if kind == 0:
        return text[: draw.randrange(len(text))]
    if kind == 1:
        where = draw.randrange(len(text))
        return text[:where] + bytes([draw.randrange(256)]) + text[where + 1 :]
    document = json.loads(text)
    *path, last = draw.choice(list(places(document)))
    node = document
    for step in path:
        node = node[step]
    if kind == 2:
        del node[last]
    elif kind == 3 and isinstance(node, dict):
        node[f"{last}s"] = node[last]
    else:
        node[last] = draw.choice(ODD)
    return json.dumps(document).encode()


@pytest.mark.parametrize("spec", SPECS)
def test_damaged_case_is_bad_input_or_another_case(spec: str) -> None:
    draw = random.Random(f"damage {spec}")  # noqa: S311
    texts = [encode_case(case) for case in small_cases(spec, 8)]
    told = []
    for _ in range(MUTATIONS):
        text = damaged(draw.choice(texts), draw)
        try:
            case = decode_case(text, "damaged.json")
            expect(case)
            spec_named(case.spec).text(case.program, case.caps)
        except BadInput as error:
            told.append(str(error))
    assert len(told) > MUTATIONS // 4
    assert all("\n" not in line and len(line) < 1000 for line in told)


def test_deep_nesting_is_bad_input() -> None:
    with pytest.raises(BadInput, match=r"deep\.json"):
        decode_case(b'{"program":' + b"[" * 100_000, "deep.json")


def test_oversized_file_is_bad_input() -> None:
    with pytest.raises(BadInput, match="at most"):
        decode_case(b" " * (MAX_FILE + 1), "big.json")
