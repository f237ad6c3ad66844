"""The quick list of every specification, materialised and expected once per process."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mmaspec.backends.protocol import Description
from mmaspec.oracle.case import Case
from mmaspec.oracle.judge import ByReading, expect_by_reading
from mmaspec.oracle.spec import SPECS, spec_named
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.recipe import Recipe, materialise
from mmaspec.suites.planning.plan import Plan, case_list_hash
from mmaspec.suites.running.run_folder import RunFolder
from mmaspec.suites.score.matrix import listed


@dataclass(frozen=True, slots=True)
class Listed:
    """One case of it."""

    recipe: Recipe
    case: Case
    expected: ByReading


@cache
def every_recipe() -> tuple[Recipe, ...]:
    """The quick list of every specification, as ``mmaspec check`` enumerates it."""
    return tuple(recipe for name in SPECS for recipe in listed(spec_named(name), "quick"))


@cache
def smoke_case(identity: str) -> Listed:
    """A case of it by ID."""
    recipe = next(recipe for recipe in every_recipe() if recipe.id == identity)
    case = materialise(recipe)
    return Listed(recipe, case, expect_by_reading(case, PRACTICE))


def empty_run(folder: Path) -> RunFolder:
    """The folder of a run without a case."""
    plan = Plan(
        backend="nobody", isolate=False, time_limit=1.0, description=Description(name="nobody", version="1"),
        profile=PRACTICE, authority="profile", tier="smoke", seed=1, specs=(), caps={}, case_list=case_list_hash([]),
    )  # fmt: skip
    home = RunFolder(folder)
    home.write_plan(plan, [])
    return home
