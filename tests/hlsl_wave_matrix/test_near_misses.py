"""Every clause is broken in every way, and whoever overlooks one of them is shown."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from mmaspec.programs.hlsl_wave_matrix.program import (
    FACTORS,
    Add,
    Load,
    Matrix,
    MatrixDepth,
    Multiply,
    MultiplyAccumulate,
    ScalarAdd,
    ScalarDivide,
    ScalarMultiply,
    ScalarSubtract,
    Store,
    SumAccumulate,
)
from mmaspec.strategies.hlsl_wave_matrix.near_misses.edits import NAMES
from mmaspec.strategies.recipe import Recipe
from tests.blindness import EYES, Blindfold, noticed, rebuilt, without
from tests.near_miss_forms import flaws, near_misses, not_listed

NAME = "hlsl-wave-matrix"

PLACES = {"WM-LOAD-OFFSET-DWORD", "WM-ALIGN-COMBINED"}
"""Clauses about where an access begins."""
ROW_STRIDES = {"WM-LOAD-STRIDE-MIN", "WM-ALIGN-STRIDE", "WM-LOAD-GS-STRIDE-MIN"}
STRIDES = {*ROW_STRIDES, "WM-FRAG-STRIDE-MIN"}
AS_WRITTEN = {"WM-ALIGN-POW2", "WM-GS-TYPE-MATCH"}
"""Clauses about what an access says that no wave or pass changes."""
PRODUCTS = {"WM-METHODS", "WM-MUL-USE", "WM-MUL-TYPE-MATCH", "WM-MUL-CAPS"}
IN_CODE = {*PRODUCTS, "WM-SUMACC-SIDE", "WM-SHAPE-AGREE", "WM-SCALAR-NO-LR", "WM-DEPTH-ONLY-LR", "WM-STORE-TARGET"}

OVERLOOKED = {
    **dict.fromkeys(EYES, PLACES | STRIDES),
    "straight code alone": PLACES | STRIDES | AS_WRITTEN | IN_CODE,
}
"""What somebody sees alone -> the clauses that notice it."""

INSTRUCTIONS = {
    Load: PLACES | STRIDES | AS_WRITTEN,
    Store: PLACES | STRIDES | AS_WRITTEN | {"WM-STORE-TARGET"},
    Multiply: PRODUCTS,
    MultiplyAccumulate: PRODUCTS,
    Add: {"WM-METHODS", "WM-SHAPE-AGREE"},
    SumAccumulate: {"WM-METHODS", "WM-SHAPE-AGREE", "WM-SUMACC-SIDE"},
    MatrixDepth: {"WM-DEPTH-ONLY-LR"},
    **{kind: {"WM-SCALAR-NO-LR"} for kind in (ScalarAdd, ScalarSubtract, ScalarMultiply, ScalarDivide)},
}
"""An instruction that somebody overlooks -> the clauses that notice it."""


@pytest.fixture(scope="module")
def recipes() -> tuple[Recipe, ...]:
    return near_misses(NAME)


def test_every_form_is_listed(recipes: tuple[Recipe, ...]) -> None:
    assert not_listed(NAME, recipes) == set()


def test_every_form_is_a_change_of_its_own() -> None:
    assert not list(flaws(NAME))


@pytest.mark.parametrize("eyes", EYES)
def test_who_sees_one_circumstance_alone(recipes: tuple[Recipe, ...], eyes: str) -> None:
    assert noticed(EYES[eyes], recipes) == OVERLOOKED[eyes]


@pytest.mark.parametrize("kind", INSTRUCTIONS, ids=lambda kind: kind.__name__)
def test_who_overlooks_an_instruction(recipes: tuple[Recipe, ...], kind: type) -> None:
    assert noticed(without(kind), recipes) == INSTRUCTIONS[kind]


def of_kind(kind: str) -> Blindfold:
    """No access of matrices of a kind."""

    def blindfold(recipe: Recipe) -> Any:
        named = {matrix.name for matrix in recipe.program.matrices if matrix.kind == kind}
        return rebuilt(
            recipe.program, lambda node: None if isinstance(node, Load | Store) and node.matrix in named else node
        )

    return blindfold


@pytest.mark.parametrize("kind", NAMES)
def test_who_overlooks_accesses_of_a_kind(recipes: tuple[Recipe, ...], kind: str) -> None:
    strides = ROW_STRIDES if kind in (*FACTORS, "accumulator") else {"WM-FRAG-STRIDE-MIN"}
    assert noticed(of_kind(kind), recipes) == PLACES | strides | AS_WRITTEN | {"WM-STORE-TARGET"}


def declared(kind: str) -> Blindfold:
    """Matrices of a kind as the row has them."""

    def blindfold(recipe: Recipe) -> Any:
        right = {matrix.name: matrix for matrix in recipe.program.matrices}
        own = {"left": "A", "right": "B"}.get(kind, "C")

        def changed(node: Any) -> Any:
            if not isinstance(node, Matrix) or node.kind != kind or node.name in ("A", "B", "C"):
                return node
            like = right[own]
            return structs.replace(node, element=like.element, m=like.m, n=like.n, k=like.k if kind in FACTORS else 0)

        return rebuilt(recipe.program, changed)

    return blindfold


@pytest.mark.parametrize("kind", NAMES)
def test_who_overlooks_matrices_of_a_kind_beside_the_product(recipes: tuple[Recipe, ...], kind: str) -> None:
    own = {"WM-TYPE-IN"} if kind in FACTORS else {"WM-SHAPE-AGREE"}
    fragment = {"WM-TYPE-ACC", "WM-SUMACC-SIDE"} if kind.endswith("-acc") else set()
    assert noticed(declared(kind), recipes) == own | fragment | {"WM-DIM-ENUM", "WM-TYPE-SUPPORTED"}


def dimension(name: str) -> Blindfold:
    """M or N of every matrix as the row has it."""

    def blindfold(recipe: Recipe) -> Any:
        m, n = recipe.row.split("-")[1].split("x")
        right = {"m": int(m), "n": int(n)}[name]
        return rebuilt(
            recipe.program, lambda node: structs.replace(node, **{name: right}) if isinstance(node, Matrix) else node
        )

    return blindfold


@pytest.mark.parametrize("name", ["m", "n"])
def test_who_overlooks_a_dimension(recipes: tuple[Recipe, ...], name: str) -> None:
    found = noticed(dimension(name), recipes)
    assert found == {"WM-DIM-ENUM", "WM-MUL-USE", "WM-SHAPE-AGREE", "WM-TYPE-SUPPORTED"}
