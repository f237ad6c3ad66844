"""Case files at the end of a run: one that shows a finding, at most five more, and no others, whoever did the work."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from mmaspec.backends.resolve import resolve
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.judging.kind import EVIDENCE
from mmaspec.suites.judging.record import Finding, Result
from mmaspec.suites.planning.plan import Plan, case_list_hash
from mmaspec.suites.planning.prepare import Wanted, prepare
from mmaspec.suites.running.deaths import listed_deaths
from mmaspec.suites.running.intact import check_intact
from mmaspec.suites.running.listed import keep_listed, kinds_shown
from mmaspec.suites.running.run_folder import RunFolder
from mmaspec.suites.running.unjudged import died
from mmaspec.suites.verdict.assemble import assemble
from tests.case_lists import case_list

SPEC = "amd-rdna3-wmma"
FILES = EVIDENCE + 4
CLAUSES = ("RDNA3-IU-CLAMP", "RDNA3-IU-SIGN")


@pytest.fixture(scope="module")
def planned() -> tuple[Plan, list[Recipe]]:
    plan, recipes = prepare(Wanted(backend="numpy", specs=(SPEC,), tier="quick"), resolve("numpy"), case_list)
    few = sorted((recipe for recipe in recipes if not recipe.target), key=lambda recipe: recipe.id)[: FILES + 3]
    return replace(plan, case_list=case_list_hash(recipe.id for recipe in few)), few


def finding(clause: str) -> Finding:
    return Finding(symptom="value", blamed=(clause,), how="toggle", says="wrong")


def failing(recipe: Recipe, clause: str) -> Result:
    return Result(
        case=recipe.id, spec=SPEC, row=recipe.row, template=recipe.template, outcome="illegal",
        finding=finding(clause), example=f"{recipe.id}.json",
    )  # fmt: skip


def recorded(path: Path, plan: Plan, recipes: Sequence[Recipe]) -> RunFolder:
    """A run in which nearly all cases fail alike, one otherwise, and each has left a file."""
    folder = RunFolder(path)
    folder.write_plan(plan, recipes)
    recorder = folder.recorder("gw0")
    for number, recipe in enumerate(recipes):
        result = failing(recipe, CLAUSES[number == 1])
        recorder.example(result.example, b"{}")
        recorder.append(result)
    recorder.close()
    return folder


def files(folder: RunFolder) -> set[str]:
    return {path.name for path in (folder.path / "cases").iterdir()}


def test_a_finding_keeps_one_file_and_five_more(planned: tuple[Plan, list[Recipe]], tmp_path: Path) -> None:
    plan, recipes = planned
    folder = recorded(tmp_path, plan, recipes)
    results = [folder.recorded().results[recipe.id] for recipe in recipes]
    run = assemble(plan, results, {})
    kept = keep_listed(folder, run, results)
    first, other = run.findings
    assert (first.clause, other.clause) == CLAUSES
    assert [len(group.evidence) for group in run.findings] == [EVIDENCE, 0]
    listed = {name for group in run.findings for name in (group.example, *group.evidence)}
    assert files(folder) == listed
    assert len(listed) == EVIDENCE + 2 < len(recipes)
    for result in kept:
        assert bool(result.example) == (f"{result.case}.json" in listed)
        assert result.finding is not None
    assert {group.example for group in assemble(plan, kept, {}).findings} == {first.example, other.example}


def test_a_run_without_its_needless_files_can_go_on(planned: tuple[Plan, list[Recipe]], tmp_path: Path) -> None:
    plan, recipes = planned
    folder = recorded(tmp_path, plan, recipes)
    results = [folder.recorded().results[recipe.id] for recipe in recipes]
    kept = keep_listed(folder, assemble(plan, results, {}), results)
    again = RunFolder(tmp_path)
    check_intact(again)
    found = again.recorded()
    assert [found.results[recipe.id] for recipe in recipes] == kept
    assert len(kinds_shown(again.cases, found)) == 2, "what was shown once is not shown again, though its file is gone"
    assert keep_listed(again, assemble(plan, kept, {}), kept) == kept


def test_a_death_gets_a_file_once_in_a_test(planned: tuple[Plan, list[Recipe]]) -> None:
    plan, recipes = planned
    kinds: set[tuple[str, str]] = set()
    told = [
        died(recipe, plan, f"crash: killed by SIGSEGV over {number}", kinds)
        for number, recipe in enumerate(recipes[:3])
    ]
    assert [bool(text) for _, text in told] == [True, False, False]
    assert [bool(result.example) for result, _ in told] == [True, False, False]
    assert {result.outcome for result, _ in told} == {"died"}
    _, other = died(recipes[3], plan, "hang: no answer", kinds)
    assert other


def test_the_deaths_that_a_finding_could_list_are_reduced(planned: tuple[Plan, list[Recipe]]) -> None:
    plan, recipes = planned
    results = [died(recipe, plan, "crash: killed by SIGSEGV", set())[0] for recipe in recipes]
    assert [result.case for result in listed_deaths(results)] == [recipe.id for recipe in recipes[: 1 + EVIDENCE]]
    assert not listed_deaths(replace(result, example="") for result in results)
