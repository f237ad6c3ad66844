"""What becomes of a run when an adapter misbehaves over some of its cases: the table in docs/adapters.md."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest
from msgspec.structs import replace

from mmaspec.backends.external.backend import ExternalBackend
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.judging.record import Result
from mmaspec.suites.planning.plan import Plan, case_list_hash
from mmaspec.suites.planning.prepare import Wanted, prepare
from mmaspec.suites.running.run_folder import RunFolder
from mmaspec.suites.running.share import Worker
from tests.case_lists import case_list

SPEC = "amd-rdna3-wmma"


def command(mode: str) -> str:
    return f'"{sys.executable}" "{Path(__file__).with_name("misbehaving.py")}" {mode}'


@pytest.fixture(scope="module")
def listed() -> tuple[Plan, list[Recipe]]:
    """A plan of a few cases; over some of them the adapter is asked for unsigned bytes."""
    with ExternalBackend(command("good")) as backend:
        plan, recipes = prepare(Wanted(specs=(SPEC,), tier="quick", time_limit=20.0), backend, case_list)
    return plan, [recipe for recipe in recipes if not recipe.target and "iu8" in recipe.row][::7]


def results(listed: tuple[Plan, list[Recipe]], mode: str, folder: Path, time_limit: float = 20.0) -> list[Result]:
    """Every case is answered, whatever happened over the ones before it."""
    plan, recipes = listed
    plan = replace(
        plan,
        backend=f"cmd:{command(mode)}",
        time_limit=time_limit,
        case_list=case_list_hash(recipe.id for recipe in recipes),
    )
    home = RunFolder(folder)
    home.write_plan(plan, recipes)
    worker = Worker(home, "main")
    worker.known = {recipe.id: () for recipe in recipes}  # how sensitive cases are is not the question here
    for test in dict.fromkeys(case.test for case in worker.cases):
        worker.walk(test)
    worker.close()
    found = home.recorded().results
    assert found.keys() == {recipe.id for recipe in recipes}
    return list(found.values())


@pytest.mark.parametrize(
    ("mode", "outcome", "says"),
    [
        ("crashes", "died", "crash: exited with 3 over mma"),
        ("refuses", "refused", "not this one"),
        ("fails", "illegal", "the backend raised out of registers"),
        ("lies-about-sizes", "illegal", "the reply cannot be used: D came back with 4 bytes"),
    ],
)
def test_what_happens_each_time_is_a_failure(
    listed: tuple[Plan, list[Recipe]], mode: str, outcome: str, says: str, tmp_path: Path
) -> None:
    found = results(listed, mode, tmp_path)
    counted = Counter(result.outcome for result in found)
    assert set(counted) == {"legal", outcome}
    texts = [result.finding.says for result in found if result.finding is not None]
    assert texts
    assert all(says in text.replace("backend's ", "") for text in texts)


@pytest.mark.parametrize(("mode", "limit"), [("crashes-once", 20.0), ("hangs-once", 1.0)])
def test_what_does_not_happen_again_is_inconclusive(
    listed: tuple[Plan, list[Recipe]], mode: str, limit: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MMASPEC_TEST_STATE", str(tmp_path))
    counted = Counter(result.outcome for result in results(listed, mode, tmp_path, limit))
    assert counted["inconclusive"] == 1
    assert set(counted) == {"legal", "inconclusive"}


def test_a_hang_each_time_is_a_failure(listed: tuple[Plan, list[Recipe]], tmp_path: Path) -> None:
    plan, recipes = listed
    found = results((plan, recipes[:2]), "hangs", tmp_path, 1.0)
    died = [result.finding.says for result in found if result.outcome == "died" and result.finding is not None]
    assert died
    assert all("hang: no answer to mma in 1 s" in says for says in died)


def test_prints_on_the_standard_output_change_nothing(listed: tuple[Plan, list[Recipe]], tmp_path: Path) -> None:
    assert {result.outcome for result in results(listed, "prints", tmp_path)} == {"legal"}
