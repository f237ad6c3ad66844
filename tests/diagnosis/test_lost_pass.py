"""A loop that is unrolled by two without its remainder: one mistake is one finding, and names no instruction in it."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from mmaspec.backends.protocol import Description, Images
from mmaspec.backends.resolve import resolve
from mmaspec.oracle.case import Case
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.base import Place, Program
from mmaspec.programs.tree import at, nested, paths
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.judging import explain
from mmaspec.suites.judging.recall import place_of
from mmaspec.suites.judging.record import Finding
from mmaspec.suites.judging.telling.likeness import Likeness
from mmaspec.suites.verdict.attributes import noun
from tests.case_lists import case_list

from .blamed import finding

CLAUSES = {
    "amd-rdna3-wmma": "RDNA3-TILE",
    "hlsl-wave-matrix": "WM-STORE-ALL",
    "nv-coopmat2": "NVCM2-STORE-ONLY-ELEMS",
}
"""The clause about loops, else the widest about stores."""


class WithoutRemainder:
    """The last pass of loops with an odd number of passes is left out, but for loops of one."""

    def __init__(self) -> None:
        self.inner: Any = resolve("numpy")

    def describe(self) -> Description:
        return Description(name="without-remainder", version="1")

    def caps(self, spec: str) -> object:
        return self.inner.caps(spec)

    def run(self, spec: str, program: Program, inputs: Images) -> Images:
        body = tuple(self.shorter(one) for one in program.body)
        done: Images = self.inner.run(spec, replace(program, body=body), inputs)
        return done

    def shorter(self, instruction: Any) -> Any:
        count = getattr(instruction, "count", 0) if nested(instruction) is not None else 0
        return replace(instruction, count=count - 1) if count > 1 and count % 2 else instruction


class WithoutFirst(WithoutRemainder):
    """Only the first instruction of the last pass is: a store that is put behind it is carried out."""

    def run(self, spec: str, program: Program, inputs: Images) -> Images:
        body: list[Any] = []
        for one in program.body:
            inside = nested(one)
            left = self.shorter(one)
            body.append(left)
            if inside is not None and left is not one and len(inside) > 1:
                body.append(replace(one, count=1, body=inside[1:]))
        done: Images = self.inner.run(spec, replace(program, body=tuple(body)), inputs)
        return done


def odd(spec: str) -> list[Recipe]:
    """Cases with a loop of three passes or more."""
    recipes = case_list(spec, spec_named(spec).default_caps, "quick")
    counts = {
        recipe.id: [getattr(one, "count", 0) for one in recipe.program.body if nested(one) is not None]
        for recipe in recipes
    }
    return [one for one in recipes if not one.target and any(n > 1 and n % 2 for n in counts[one.id])]


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("spec", sorted(CLAUSES))
def test_a_pass_that_is_left_out_is_one_finding(spec: str) -> None:
    pairs = [(recipe, finding(WithoutRemainder(), recipe)) for recipe in odd(spec)]
    found = [(recipe, one) for recipe, one in pairs if one is not None]
    assert len(found) > 2
    assert {(one.blamed[0], one.cause) for _, one in found} == {(CLAUSES[spec], "")}
    told = [one for _, one in found if "as if the pass were left out" in one.says]
    assert not [one.place for one in told if "." in one.place], "no instruction inside has to do with it"
    # A loop that holds nothing but stores has no state: there the store itself is named.
    others = [
        at(recipe.program, place_of(one.place) or Place(())) for recipe, one in found if "left out" not in one.says
    ]
    assert all("store" in noun(instruction) for instruction in others)
    assert len(told) > 4 * len(others)


def test_where_only_an_instruction_is_left_out_it_is_named() -> None:
    spec = "hlsl-wave-matrix"
    recipes = [recipe for recipe in odd(spec) if len(paths(recipe.program)) < 30][:8]
    found: list[Finding] = [
        one for one in (finding(WithoutFirst(), recipe) for recipe in recipes) if one is not None
    ]  # fmt: skip
    assert found
    assert not [one.says for one in found if "left out" in one.says]


def test_no_counterfactual_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is wrong in some instruction, and would be named for a loop of which no instruction is wrong."""
    spec = "hlsl-wave-matrix"
    asked: list[Case] = []

    def alike(case: Case, *_: object) -> Likeness:
        asked.append(case)
        return Likeness()

    monkeypatch.setattr(explain, "alike", alike)
    found = finding(WithoutRemainder(), next(one for one in odd(spec) if len(paths(one.program)) < 30))
    assert found is not None
    assert "left out" in found.says
    assert not asked
