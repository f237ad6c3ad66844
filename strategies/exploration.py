"""Exploration: some random cases beyond the case list, over the same programs and data.

What they are is a pure function of (specification revision, caps, tier, seed, corpus version), like the list itself.
They may show a failure that no listed case shows; they prove nothing.
"""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from mmaspec.oracle.expect import resolve
from mmaspec.oracle.spec import AnySpec, spec_named
from mmaspec.strategies.any_case import any_recipe
from mmaspec.strategies.choices import Counted
from mmaspec.strategies.enumerate import ATTEMPTS, grammar_of, tier_named
from mmaspec.strategies.grammar import EXPLORATION
from mmaspec.strategies.recipe import Recipe

SEED_BITS = 63


def explored_cases(
    spec_name: str, caps: object, tier: str, seed: int, listed: Collection[str] = ()
) -> tuple[Recipe, ...]:
    """The explored cases of a tier, each once, none of them among the ``listed`` IDs.

    What cannot be made, or would not be valid and defined, is left out. Raises ``BadInput`` for an unknown tier.
    """
    spec = spec_named(spec_name)
    found: dict[str, Recipe] = {}
    for n in range(tier_named(tier).explored):
        recipe = _explored(spec, caps, seed, n)
        if recipe is not None and recipe.id not in listed:
            found.setdefault(recipe.id, recipe)
    return tuple(_marked(recipe) for recipe in found.values())


def _explored(spec: AnySpec, caps: object, seed: int, n: int) -> Recipe | None:
    """The n-th of them, under the name of its own template."""
    for attempt in range(ATTEMPTS):
        key = (seed, spec.name, spec.catalogue.revision, EXPLORATION, n, *((attempt,) if attempt else ()))
        choices = Counted("/".join(str(part) for part in key))
        recipe = any_recipe(spec, grammar_of(spec.name), caps, choices, SEED_BITS)
        if recipe is not None and not _breaks(spec, recipe):
            return recipe
    return None


def _breaks(spec: AnySpec, recipe: Recipe) -> frozenset[str]:
    """The clauses that forbid a program or leave it undefined."""
    program = resolve(recipe.program, recipe.words)
    return frozenset(spec.rejected(program, recipe.caps) or spec.undefined(program, recipe.caps))


def _marked(recipe: Recipe) -> Recipe:
    """The case as explored; a label says from which template it was drawn."""
    return replace(recipe, template=EXPLORATION, labels=(*recipe.labels, recipe.template))
