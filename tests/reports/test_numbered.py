"""The numbers of instructions in the text of a program."""

from __future__ import annotations

import re

import pytest

from mmaspec.oracle.spec import SPECS, spec_named
from mmaspec.programs.tree import paths
from mmaspec.reports.numbered import MOST, numbered
from tests.case_lists import case_list

NUMBER = re.compile(r"  // ([0-9]+(?:[.][0-9]+)*)$")


@pytest.mark.parametrize("name", SPECS)
def test_every_instruction_has_its_number_once_and_in_order(name: str) -> None:
    spec = spec_named(name)
    caps = spec.default_caps
    shown = loops = 0
    for recipe in case_list(name, caps, "quick")[::7]:
        program = recipe.program
        if recipe.target or len(paths(program)) > 20:
            continue
        text = numbered(program, lambda one: spec.text(one, caps))
        found = [match[1] for line in text.splitlines() if (match := NUMBER.search(line))]
        expected = [".".join(str(step + 1) for step in path) for path in paths(program)]
        if found == expected:
            shown += 1
            loops += any("." in number for number in found)
        assert set(found) <= set(expected)
        assert len(found) == len(set(found))
        # Nothing but numbers was added.
        plain = [NUMBER.sub("", line) for line in text.splitlines()]
        assert plain == [NUMBER.sub("", line) for line in spec.text(program, caps).splitlines()]
    assert shown > 3
    assert loops or name == "hlsl-linalg"


def test_lines_that_are_alike_have_numbers_of_their_own() -> None:
    recipe = next(one for one in case_list("amd-rdna3-wmma", spec_named("amd-rdna3-wmma").default_caps, "quick"))
    spec = spec_named(recipe.spec)
    twice = type(recipe.program)(
        **{
            field: getattr(recipe.program, field)
            for field in recipe.program.__struct_fields__
            if field != "body"
        },
        body=(recipe.program.body[0],) * 3,
    )  # fmt: skip
    text = numbered(twice, lambda one: spec.text(one, recipe.caps))
    assert [match[1] for line in text.splitlines() if (match := NUMBER.search(line))] == ["1", "2", "3"]


def test_long_programs_stay_without_numbers() -> None:
    spec = spec_named("intel-subgroup-mma")
    recipe = max(case_list(spec.name, spec.default_caps, "smoke"), key=lambda one: len(paths(one.program)))
    assert len(paths(recipe.program)) > MOST
    assert numbered(recipe.program, lambda one: spec.text(one, recipe.caps)) == spec.text(recipe.program, recipe.caps)
