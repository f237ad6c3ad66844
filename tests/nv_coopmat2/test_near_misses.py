"""Every clause is broken in every way, and whoever overlooks one of them is shown."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from mmaspec.programs.nv_coopmat2.operands import reads, writes
from mmaspec.programs.nv_coopmat2.program import (
    USE_A,
    USE_B,
    Arithmetic,
    Convert,
    Load,
    LoadTensor,
    MulAdd,
    Negate,
    PerElement,
    Reduce,
    Store,
    StoreTensor,
    Transpose,
)
from mmaspec.strategies.recipe import Recipe
from tests.blindness import EYES, Blindfold, noticed, rebuilt, without
from tests.near_miss_forms import flaws, near_misses, not_listed

NAME = "nv-coopmat2"

ARGUMENTS = {"KHRCM-ALIGN", "KHRCM-STRIDE-ZERO", "NVCM2-BASE-ALIGN", "NVCM2-SETSTRIDE-MIN", "NVCM2-STORE-NOBLOCK"}
"""Clauses about the values of arguments."""
OPERATIONS = {
    "KHRCM-ARITH-SCALAR",
    "NVCM2-CONVERT-TYPES",
    "NVCM2-TRANSPOSE-TYPES",
    "NVCM2-REDUCE-USE",
    "NVCM2-REDUCE-MASK",
    "NVCM2-REDUCE-SHAPE",
    "NVCM2-PERELEM-SIG",
}
IN_CODE = {
    *OPERATIONS,
    "KHRCM-CAPS-MATCH",
    "KHRCM-CAPS-SAT",
    "KHRCM-ENUMS",
    "KHRCM-STORAGE",
    "NVCM2-DECODE-SIG",
    "NVCM2-ENUMS",
}

OVERLOOKED = {**dict.fromkeys(EYES, ARGUMENTS), "straight code alone": ARGUMENTS | IN_CODE}
"""What somebody sees alone -> the clauses that notice it."""

INSTRUCTIONS = {
    Load: {"KHRCM-ALIGN", "KHRCM-ENUMS", "KHRCM-STORAGE"},
    Store: {"KHRCM-ALIGN", "KHRCM-ENUMS", "KHRCM-STORAGE", "KHRCM-STRIDE-ZERO"},
    LoadTensor: {"KHRCM-STORAGE", "NVCM2-BASE-ALIGN", "NVCM2-DECODE-SIG", "NVCM2-SETSTRIDE-MIN"},
    StoreTensor: {"KHRCM-STORAGE", "NVCM2-BASE-ALIGN", "NVCM2-STORE-NOBLOCK"},
    MulAdd: {"KHRCM-CAPS-MATCH", "KHRCM-CAPS-SAT", "KHRCM-ENUMS", "KHRCM-STORAGE"},
    Arithmetic: {"KHRCM-ARITH-SCALAR", "KHRCM-STORAGE"},
    Negate: {"KHRCM-STORAGE"},
    Convert: {"NVCM2-CONVERT-TYPES"},
    Transpose: {"NVCM2-TRANSPOSE-TYPES"},
    Reduce: {"NVCM2-REDUCE-USE", "NVCM2-REDUCE-MASK", "NVCM2-REDUCE-SHAPE", "NVCM2-ENUMS"},
    PerElement: {"NVCM2-PERELEM-SIG"},
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


def of_use(use: int, *, result: bool) -> Blindfold:
    """No operation, access or product of which a source, or the result, is of a use."""

    def blindfold(recipe: Recipe) -> Any:
        named = {matrix.name for matrix in recipe.program.matrices if matrix.use == use}

        def changed(node: Any) -> Any:
            if not isinstance(node, (Load, Store, LoadTensor, StoreTensor, Convert, Transpose, Reduce, PerElement)):
                return node
            found = {writes(node)} if result else set(reads(node))
            return None if found & named else node

        return rebuilt(recipe.program, changed)

    return blindfold


FROM = {
    USE_A: {"KHRCM-ALIGN", "KHRCM-STRIDE-ZERO", "NVCM2-CONVERT-TYPES", "NVCM2-TRANSPOSE-TYPES", "NVCM2-REDUCE-USE"},
    USE_B: {"KHRCM-ALIGN", "KHRCM-STRIDE-ZERO", "NVCM2-CONVERT-TYPES", "NVCM2-TRANSPOSE-TYPES", "NVCM2-REDUCE-USE"},
}
INTO = {
    USE_A: {"KHRCM-ALIGN", "NVCM2-CONVERT-TYPES", "NVCM2-TRANSPOSE-TYPES", "NVCM2-REDUCE-USE"},
    USE_B: {"KHRCM-ALIGN", "NVCM2-CONVERT-TYPES", "NVCM2-TRANSPOSE-TYPES", "NVCM2-REDUCE-USE"},
}


@pytest.mark.parametrize("use", [USE_A, USE_B])
def test_who_overlooks_a_use(recipes: tuple[Recipe, ...], use: int) -> None:
    assert noticed(of_use(use, result=False), recipes) >= FROM[use]
    assert noticed(of_use(use, result=True), recipes) >= INTO[use]


def without_declarations(recipe: Recipe) -> Any:
    """No layout or view that no access names and no other starts from."""
    program: Any = recipe.program
    used = {getattr(step, name, None) for step in _accesses(program) for name in ("tensor", "view")}
    used |= {each.start for each in (*program.layouts, *program.views) if each.name in used}
    layouts = tuple(each for each in program.layouts if each.name in used)
    views = tuple(each for each in program.views if each.name in used)
    return structs.replace(program, layouts=layouts, views=views)


def _accesses(program: Any) -> list[Any]:
    found: list[Any] = []
    rebuilt(program.body, lambda node: found.append(node) or node if hasattr(node, "buffer") else node)
    return found


def test_who_overlooks_layouts_and_views_that_nothing_uses(recipes: tuple[Recipe, ...]) -> None:
    found = noticed(without_declarations, recipes)
    assert found == {"NVCM2-DIM-RANGE", "NVCM2-ENUMS", "NVCM2-SETSTRIDE-MIN", "NVCM2-TYPE-PARAMS"}


def extent(name: str) -> Blindfold:
    """Rows or columns of matrices beside the product as those of the same use in it."""

    def blindfold(recipe: Recipe) -> Any:
        program: Any = recipe.program
        own = {matrix.use: getattr(matrix, name) for matrix in reversed(program.matrices[:4])}
        others = tuple(
            structs.replace(each, **{name: own[each.use]}) if each.use in own else each for each in program.matrices[4:]
        )
        return structs.replace(program, matrices=(*program.matrices[:4], *others))

    return blindfold


@pytest.mark.parametrize("name", ["rows", "cols"])
def test_who_overlooks_an_extent(recipes: tuple[Recipe, ...], name: str) -> None:
    wanted = {"KHRCM-CAPS-MATCH", "KHRCM-STORAGE", "NVCM2-FLEX-CAPS", "NVCM2-PERELEM-SIG"}
    assert noticed(extent(name), recipes) >= wanted


@pytest.mark.parametrize("size", ["M", "N", "K"])
def test_either_operand_of_a_product_of_multiples_is_the_larger(recipes: tuple[Recipe, ...], size: str) -> None:
    """Whoever compares sizes by order, and not for equality, accepts one of them."""
    extents = {
        "M": (("a", "rows"), ("c", "rows")),
        "N": (("b", "cols"), ("c", "cols")),
        "K": (("a", "cols"), ("b", "rows")),
    }
    found = set()
    for recipe in recipes:
        labels = (f"no product with {other} {size} of" for other in ("a larger", "another"))
        if not recipe.labels[-1].startswith(tuple(labels)) or "multiples" not in recipe.row:
            continue
        product = next(step for step in recipe.program.body if isinstance(step, MulAdd) and "odd" in str(step))
        sizes = [getattr(recipe.program.matrix(getattr(product, role)), name) for role, name in extents[size]]
        first_is_odd = getattr(product, extents[size][0][0]).startswith("odd")
        found.add((first_is_odd, sizes[0] > sizes[1]))
    wanted = {(True, True), (False, False)}
    assert found >= wanted if size == "M" else found == wanted
