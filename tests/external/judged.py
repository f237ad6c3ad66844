"""Judging a backend on listed cases, without the cost of a whole run: nobody asks how sensitive a case is."""

from __future__ import annotations

from collections.abc import Sequence

from mmaspec.backends.protocol import Backend
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.judging.judge_case import CaseJudge
from mmaspec.suites.judging.record import Result
from tests.case_lists import case_list


def recipes(backend: Backend, spec: str, step: int = 1) -> Sequence[Recipe]:
    """Every ``step``-th valid case of the quick tier, under the caps that the backend reports."""
    return [recipe for recipe in case_list(spec, backend.caps(spec), "quick") if not recipe.target][::step]


def judged(backend: Backend, chosen: Sequence[Recipe]) -> list[Result]:
    """The results of these cases."""
    description = backend.describe()
    known: dict[str, tuple[str, ...]] = {recipe.id: () for recipe in chosen}
    case_judge = CaseJudge(backend, description, description.profile, known, limit=0)
    return [case_judge.judge_listed(recipe)[0] for recipe in chosen]
