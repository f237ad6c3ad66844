"""Every row that multiplies floats meets every data regime by templates, at the smallest tier and whatever the seed."""

from __future__ import annotations

import pytest

from mmaspec.oracle.spec import SPECS, spec_named
from mmaspec.strategies.enumerate import DEFAULT_SEED, TIERS, Lister, grammar_of
from mmaspec.strategies.recipe import Recipe
from mmaspec.strategies.regimes.catalogue import FLOAT_REGIMES

OF_ARRAYS = frozenset(
    (
        "twins", "zero-addends", "padded", "patterns", "nan-kinds", "rounding", "patterned", "marked", "brinks",
        "limits", "operands", "combined", "lone", "infinities", "few-terms", "single-terms", "range-ends",
        "least-products", "met-infinities",
    )
)  # fmt: skip
"""They show classes that arrays choose, or registers of every form; only some specifications draw them."""

OF_PRODUCTS = frozenset(FLOAT_REGIMES) - {"distinct", "moved", "whole", "edges", "whole-and-edges"} - OF_ARRAYS
"""The others are for layouts, casts and operations on single elements."""

NOT_OF_BYTES = frozenset(("near-tie", "subnormal", "overflow-edge"))
"""Of these nothing is left to judge where vectors are multiplied by 8-bit floats."""
WORDS = ("MulAdd(", "Wmma(", "Mad(", "Multiply(", "MultiplyAccumulate(", "MultiplyVector(", "OuterProduct(")


def multiplies(recipe: Recipe) -> bool:
    """Whether a case contains a product: by the names of its instructions, which say so in every specification."""
    text = repr(recipe.program.body)
    return any(word in text for word in WORDS)


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("seed", [DEFAULT_SEED, 7])
@pytest.mark.parametrize("name", SPECS)
def test_every_float_row_draws_from_every_regime(name: str, seed: int) -> None:
    spec = spec_named(name)
    drawn: dict[str, set[str]] = {}
    lister = Lister(spec, grammar_of(name), spec.default_caps, seed)
    for row in spec.rows(spec.default_caps):
        drawn[row.name] = {recipe.regime for recipe in lister.positive(row, TIERS["smoke"]) if multiplies(recipe)}
    for row in spec.rows(spec.default_caps):
        if "float" in row.tags:
            none = NOT_OF_BYTES if row.tags >= {"fp8", "vector"} else frozenset()
            assert drawn[row.name] >= OF_PRODUCTS - none, row.name
        elif "int" in row.tags:
            assert drawn[row.name] >= {"wild", "overflow"}, row.name
