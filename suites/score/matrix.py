"""The coverage of a case list: per clause and caps row, the cases that a counterfactual fails."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mmaspec.backends.faults import faults_of
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.oracle.spec import AnySpec, Row
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.enumerate import DEFAULT_SEED
from mmaspec.strategies.recipe import Recipe, materialise
from mmaspec.suites.judging.cache import read_sensitivity, sensitivity_path, write_sensitivity
from mmaspec.suites.judging.reported import sensitive_rows
from mmaspec.suites.judging.sensitivity import sensitive_to
from mmaspec.suites.planning import lists
from mmaspec.suites.pool import Progress
from mmaspec.suites.score import shipped


@dataclass(frozen=True, slots=True)
class Coverage:
    """The number of sensitive cases of each clause in each row; ``faults`` are the counterfactuals that fail there."""

    cases: dict[tuple[str, str], int]
    faults: dict[tuple[str, str], frozenset[str]]


def sensitivities(recipes: Sequence[Recipe], progress: Progress) -> dict[str, tuple[str, ...]]:
    """The counterfactuals that each case of one specification's list catches, from the cache if it has them."""
    path = sensitivity_path(recipe.id for recipe in recipes)
    believed = read_sensitivity(path) if recipes and not shipped.doubt(recipes[0].spec, path) else {}
    before = believed or (shipped.known(recipes[0].spec) if recipes else {})
    known = {recipe.id: before[recipe.id] for recipe in recipes if recipe.id in before}
    missing = [recipe for recipe in recipes if recipe.id not in known]
    for done, recipe in enumerate(missing):
        progress(done, len(missing))
        case = materialise(recipe)
        known[recipe.id] = sensitive_to(case, expect_by_reading(case, PRACTICE))
    if missing:
        write_sensitivity(path, known)
    return known


def coverage(spec: AnySpec, recipes: Iterable[Recipe], known: dict[str, tuple[str, ...]]) -> Coverage:
    """Count sensitive cases per (clause, row); what is judged of the caps counts as a case."""
    clause_of = {fault.name: fault.clause for fault in faults_of(spec.name)}
    cases: dict[tuple[str, str], int] = defaultdict(int)
    faults: dict[tuple[str, str], set[str]] = defaultdict(set)
    for recipe in recipes:
        for clause in {clause_of[name] for name in known[recipe.id]}:
            cases[clause, recipe.row] += 1
        for name in known[recipe.id]:
            faults[clause_of[name], recipe.row].add(name)
    for caps in spec.devices:
        for cell, names in sensitive_rows(spec, caps).items():
            cases[cell] += 1
            faults[cell] |= names
    return Coverage(dict(cases), {cell: frozenset(names) for cell, names in faults.items()})


def listed(spec: AnySpec, tier: str) -> tuple[Recipe, ...]:
    """The case list of a tier over the specification's default caps, at the default seed."""
    return lists.listed(spec.name, spec.default_caps, tier, DEFAULT_SEED)


def listed_whole(spec: AnySpec, tier: str) -> tuple[Recipe, ...]:
    """The case lists of a tier for the specification's devices, at the default seed."""
    return lists.listed_whole(spec.name, tier, DEFAULT_SEED)


def every_row(spec: AnySpec) -> list[Row[object]]:
    """The rows of the specification's devices."""
    return [row for caps in spec.devices for row in spec.rows(caps)]


def empty_cells(spec: AnySpec, covered: Coverage) -> list[tuple[str, str]]:
    """Testable clauses and the rows they apply to in which no case is sensitive."""
    catalogue = spec.catalogue
    return [
        (clause, row.name)
        for clause, entry in sorted(catalogue.clause.items())
        if entry.testable
        for row in every_row(spec)
        if catalogue.applies(clause, row.tags) and not covered.cases.get((clause, row.name))
    ]
