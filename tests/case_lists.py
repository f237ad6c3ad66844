"""Case lists for tests: each is drawn once for a process, those of the default caps once for all processes."""

from __future__ import annotations

from functools import cache

from mmaspec.oracle.spec import spec_named
from mmaspec.strategies import enumerate as drawing
from mmaspec.strategies.enumerate import DEFAULT_SEED
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.planning.lists import listed


@cache
def case_list(spec: str, caps: object, tier: str, seed: int = DEFAULT_SEED) -> tuple[Recipe, ...]:
    """The list that ``mmaspec.strategies.enumerate.case_list`` draws; under the default caps, as it was kept.

    Tests of the drawing itself take that function.
    """
    if seed == DEFAULT_SEED and caps == spec_named(spec).default_caps:
        return listed(spec, caps, tier, seed)
    return drawing.case_list(spec, caps, tier, seed)
