"""Case files are the same whatever a worker has seen before: small where they are the first few of their kind."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from mmaspec.backends.resolve import resolve
from mmaspec.oracle.case import decode_case
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.judging.kind import EVIDENCE, Listable
from mmaspec.suites.judging.telling.found import found_in
from mmaspec.suites.planning.plan import case_list_hash
from mmaspec.suites.planning.prepare import Wanted, prepare
from mmaspec.suites.running import supervisor
from mmaspec.suites.running.as_listed import all_as_listed
from mmaspec.suites.running.run_folder import EXAMPLES, RunFolder
from mmaspec.suites.running.share import Worker
from tests.case_lists import case_list

BACKEND = "fault:rdna3-c-dropped"
SPEC = "amd-rdna3-wmma"
TEMPLATES = ("product", "chain", "tiles", "accumulators", "addends")
"""Of each there is a test in every row, and all fail in one way."""


def wanted(recipe: Recipe) -> bool:
    return recipe.template in TEMPLATES and recipe.row.startswith("i32")


def answered(folder: Path) -> RunFolder:
    """A run of one case from each of some tests, all of which fail in one way."""
    plan, recipes = prepare(Wanted(backend=BACKEND, specs=(SPEC,), tier="smoke"), resolve(BACKEND), case_list)
    few = [*{(one.row, one.template): one for one in recipes if wanted(one)}.values()]
    home = RunFolder(folder)
    home.write_plan(replace(plan, cached=False, case_list=case_list_hash(one.id for one in few)), few)
    worker = Worker(home, "main")
    for test in sorted({planned.test for planned in worker.cases}):
        worker.walk(test)
    worker.close()
    return home


def files(home: RunFolder) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((home.path / EXAMPLES).iterdir())}


def rows(home: RunFolder) -> list[str]:
    return sorted(path.name for path in (home.path / "work" / "rows").iterdir())


def small(text: bytes) -> bool:
    found = found_in(decode_case(text, "file"))
    assert found is not None
    return found.here is not None


def test_no_history_of_a_worker_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = answered(tmp_path / "one")
    monkeypatch.setattr(Listable, "may_list", lambda *_: True)
    other = answered(tmp_path / "other")
    assert files(one).keys() == files(other).keys()
    assert len(files(one)) > EVIDENCE + 2
    assert files(one) != files(other), "what they have seen before decides which are small"
    for home in (one, other):
        results = home.recorded().results
        all_as_listed(home, [results[case] for case in sorted(results)])
    assert files(one) == files(other)
    assert {small(text) for text in files(one).values()} == {False, True}


def test_what_is_as_listed_is_not_written_again(tmp_path: Path) -> None:
    home = answered(tmp_path / "run")
    results = list(home.recorded().results.values())
    all_as_listed(home, results)
    before = rows(home)
    all_as_listed(home, results)
    assert rows(home) == before


@pytest.mark.parametrize("shard", ["", "1/1"])
def test_every_run_that_is_whole_is_evened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shard: str) -> None:
    """A shard keeps what it made small: it does not know which of its files the whole run would list."""
    plan, _ = prepare(Wanted(backend=BACKEND, specs=(SPEC,), tier="smoke"), resolve(BACKEND), case_list)
    home = RunFolder(tmp_path)
    home.write_plan(replace(plan, cached=False, shard=shard, case_list=case_list_hash([])), [])
    evened: list[RunFolder] = []
    monkeypatch.setattr(supervisor, "all_as_listed", lambda folder, _: evened.append(folder))
    supervisor.supervise(home, 0, lambda *_: None)
    assert evened == ([] if shard else [home])
