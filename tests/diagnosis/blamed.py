"""What is found in single cases of a list on a device."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import expect
from mmaspec.oracle.expectation import Defined
from mmaspec.programs.profile import PRACTICE
from mmaspec.programs.tree import unrolled
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.judging.judge_case import CaseJudge
from mmaspec.suites.judging.record import Finding
from mmaspec.suites.score.classes.proofs import smoke
from tests.case_lists import case_list


def finding(backend: Any, recipe: Recipe) -> Finding | None:
    """What is found in one case; None where all is legal."""
    judge = CaseJudge(backend, backend.describe(), PRACTICE, {recipe.id: ()}, limit=0)
    return judge.judge_listed(recipe)[0].finding


def shortest(recipes: Iterable[Recipe]) -> list[Recipe]:
    """Those that execute the fewest instructions first: blame runs each of them many times."""
    return sorted(recipes, key=lambda recipe: sum(1 for _ in unrolled(recipe.program)))


def findings(backend: Any, spec: str, template: str, most: int = 3) -> list[Finding]:
    """The first so many of the smoke list, in the shortest cases of one template."""
    some = shortest(one for one in smoke(spec) if one.template == template and not one.target)
    return list(islice((found for one in some if (found := finding(backend, one)) is not None), most))


def listed(backend: Any, spec: str, template: str) -> list[Recipe]:
    """The cases of one template in the quick list, near misses apart."""
    recipes = case_list(spec, backend.caps(spec), "quick")
    return [recipe for recipe in recipes if recipe.template == template and not recipe.target]


def of_device(spec: str, device: type[Any]) -> NumpyBackend:
    """A backend with a device for one specification, and nothing else."""
    return NumpyBackend(SequentialUnit(), {spec: device}, name=device.__name__, profile=PRACTICE)


def acting(case: Case) -> frozenset[str]:
    """The clauses that act in a case; none where it is not defined."""
    expected = expect(case, PRACTICE)
    return expected.clauses if isinstance(expected, Defined) else frozenset()
