"""Exploration in ``mmaspec check``: what only it sees fails the run, and nothing else of the run knows of it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from xml.etree import ElementTree as ET

import pytest

from mmaspec.commands import check
from mmaspec.oracle.spec import spec_named
from mmaspec.strategies import enumerate as lister
from mmaspec.strategies.enumerate import DEFAULT_SEED, Tier
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.running.run_folder import ROWS, RunFolder
from mmaspec.suites.running.share import Worker
from tests.case_lists import case_list

from .conftest import SMALL, Finished
from .in_process import mmaspec

FAULT = "fault:rdna3-sums-in-f16"
EXPLORED = 3


@cache
def few() -> tuple[Recipe, ...]:
    """A case list of integers alone, in which nobody can see how floats are summed."""
    smoke = case_list(SMALL, spec_named(SMALL).default_caps, "quick", DEFAULT_SEED)
    return tuple(recipe for recipe in smoke if recipe.template == "sums-wrap")[:3]


@pytest.fixture(scope="module")
def short() -> Iterator[None]:
    """Short lists, of which the standard one goes a few cases further."""
    tiers = {"quick": Tier(1, 1, 0), "smoke": Tier(1, 1, sparing=True), "standard": Tier(8, 4, explored=EXPLORED)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lister, "TIERS", MappingProxyType(tiers))
        patch.setattr(check, "draw_spread", lambda *_, **__: few())
        patch.setattr(check, "drawn_once", lambda draw, *_: draw)  # nobody else may find these lists
        yield


def checked(folder: Path, *options: str, tier: str = "standard") -> Finished:
    """``mmaspec check`` on the fault, in a run folder."""
    words = ("check", "-b", FAULT, "-s", SMALL, "-n", "0", "--tier", tier, "--report", str(folder), *options)
    done = mmaspec(*words)
    return Finished(done.code, done.out, done.err, folder)


def held(run: Finished, folder: Path, *options: str) -> Finished:
    """``mmaspec check`` goes on with a copy of an ended run: what is answered already is not asked again."""
    shutil.copytree(run.folder, folder)
    return checked(folder, "--resume", *options)


@dataclass(frozen=True)
class Both:
    """The same run with exploration, and without."""

    explored: Finished
    plain: Finished


@pytest.fixture(scope="module")
def both(short: None, tmp_path_factory: pytest.TempPathFactory) -> Both:
    del short
    folder = tmp_path_factory.mktemp("runs")
    return Both(checked(folder / "explored"), checked(folder / "plain", "--no-explore"))


def test_what_only_exploration_sees_fails_the_run(both: Both) -> None:
    assert both.explored.code == 1, both.explored.out + both.explored.err
    run = both.explored.run
    assert run.verdict == "not conformant"
    (found,) = run.exploration.values()
    assert found.cases == sum(found.outcomes.values()) == EXPLORED
    assert found.failed == found.outcomes["illegal"] > 0
    assert f"; {found.failed} of {EXPLORED} explored cases fail" in run.headline
    assert "RDNA3-FP-ACC" in {group.clause for group in found.findings}
    assert both.plain.code == 3
    assert both.plain.run.verdict == "inconclusive"


def test_nothing_else_of_the_run_knows_of_it(both: Both) -> None:
    """Clauses, readings, findings of the list, totals, the hash of the list: the same without."""
    with_it, without = both.explored.run, both.plain.run
    assert not without.exploration
    assert with_it.case_list == without.case_list
    assert (with_it.specs, with_it.readings, with_it.findings) == (without.specs, without.readings, without.findings)
    assert with_it.totals == without.totals
    assert not with_it.findings
    assert "fail" not in {clause.status for clause in with_it.specs[SMALL].clauses.values()}


def test_its_cases_stand_in_the_results_and_prove_nothing(both: Both) -> None:
    lines = (both.explored.folder / "results.jsonl").read_text(encoding="utf-8").splitlines()
    results = [json.loads(line) for line in lines]
    explored = [result for result in results if result["template"] == "exploration"]
    assert len(explored) == EXPLORED
    assert not any("sensitive" in result for result in explored)
    plain = (both.plain.folder / "results.jsonl").read_text(encoding="utf-8").splitlines()
    assert [line for line, result in zip(lines, results, strict=True) if result not in explored] == plain


def test_its_case_file_is_small_and_a_replay_confirms_it(both: Both) -> None:
    (found,) = both.explored.run.exploration.values()
    files = {name for group in found.findings for name in (group.example, *group.evidence)}
    assert {path.name for path in (both.explored.folder / "cases").iterdir()} == files
    group = next(group for group in found.findings if group.clause == "RDNA3-FP-ACC")
    file = both.explored.folder / "cases" / group.example
    replayed = mmaspec("replay", file, "-b", FAULT)
    assert replayed.code == 1, replayed.out
    assert "RDNA3-FP-ACC" in replayed.out
    assert mmaspec("replay", file, "-b", "numpy").code == 0


def test_every_report_has_a_heading_for_it(both: Both) -> None:
    folder = both.explored.folder
    (found,) = both.explored.run.exploration.values()
    assert f"exploration:\n  {SMALL}: {EXPLORED} cases beyond the list: " in both.explored.out
    assert found.findings[0].says in both.explored.out.partition("exploration:")[2]
    _, heading, rest = (folder / "summary.md").read_text(encoding="utf-8").partition("### Exploration\n")
    assert heading
    assert "RDNA3-FP-ACC" in rest.partition("###")[0]
    html = (folder / "report.html").read_text(encoding="utf-8")
    section = html.partition('<h2 id="exploration">')[2].partition("<h2")[0]
    assert "RDNA3-FP-ACC" in section
    assert "mmaspec replay" in section
    for report in ("summary.md", "report.html", "junit.xml"):
        assert "xploration" not in (both.plain.folder / report).read_text(encoding="utf-8"), report


def test_junit_has_a_suite_for_it(both: Both) -> None:
    root = ET.parse(both.explored.folder / "junit.xml").getroot()  # noqa: S314 - our own
    suites = {suite.get("name"): suite for suite in root}
    assert set(suites) == {SMALL, "exploration"}
    failed = {case.get("name") for case in suites["exploration"] if case.find("failure") is not None}
    assert f"{SMALL}: RDNA3-FP-ACC" in failed
    assert suites[SMALL].get("failures") == "0"
    assert root.get("failures") == str(len(failed))


def test_the_reports_can_be_written_again_and_runs_compared(both: Both) -> None:
    files = {path.name: path.read_bytes() for path in both.explored.folder.iterdir() if path.is_file()}
    assert mmaspec("report", both.explored.folder).code == 0
    assert files == {path.name: path.read_bytes() for path in both.explored.folder.iterdir() if path.is_file()}
    assert mmaspec("compare", both.plain.folder, both.explored.folder).code == 0


def test_baselines_are_the_same_and_accept_nothing_of_it(both: Both, tmp_path: Path) -> None:
    for name, run in (("explored", both.explored), ("plain", both.plain)):
        assert mmaspec("baseline", "update", run.folder, tmp_path / name).code == 0
    assert (tmp_path / "explored").read_bytes() == (tmp_path / "plain").read_bytes()
    failing = held(both.explored, tmp_path / "run", "--baseline", str(tmp_path / "explored"))
    assert failing.code == 1
    assert "new failure in exploration: RDNA3-FP-ACC" in failing.out
    gate = json.loads((failing.folder / "gate.json").read_bytes())
    assert gate["new"]
    assert all(one["explored"] for one in gate["new"])
    passing = held(both.plain, tmp_path / "without", "--baseline", str(tmp_path / "plain"), "--no-explore")
    assert passing.code == 0


def test_a_baseline_that_knows_the_failure_from_the_list_accepts_it(both: Both, tmp_path: Path) -> None:
    file = tmp_path / "baseline.json"
    assert mmaspec("baseline", "update", both.explored.folder, file).code == 0
    known = json.loads(file.read_bytes())
    listed = both.explored.folder / "results.jsonl"
    for line in listed.read_text(encoding="utf-8").splitlines():
        result = json.loads(line)
        if "finding" in result:
            failing = known["specs"][SMALL]["failing"].setdefault(result["finding"]["blamed"][0], {})
            failing[result["row"]] = [result["finding"]["symptom"]]
    file.write_text(json.dumps(known), encoding="utf-8")
    accepted = held(both.explored, tmp_path / "run", "--baseline", str(file))
    assert accepted.code == 0, accepted.out
    suite = ET.parse(accepted.folder / "junit.xml").getroot().find("testsuite[@name='exploration']")  # noqa: S314 - our own
    assert suite is not None
    assert suite.get("failures") == "0"
    assert int(suite.get("skipped", "0")) > 0


def test_workers_change_nothing(both: Both, tmp_path: Path) -> None:
    spread = checked(tmp_path / "run", "-n", "2")
    assert spread.code == 1
    assert (spread.folder / "results.jsonl").read_bytes() == (both.explored.folder / "results.jsonl").read_bytes()
    assert spread.run.exploration == both.explored.run.exploration


def test_smoke_has_none(short: None, tmp_path: Path) -> None:
    del short
    done = checked(tmp_path / "run", tier="smoke")
    assert done.code == 3
    assert not done.run.exploration


def test_the_list_says_which_cases_lie_beyond_it(both: Both) -> None:
    del both  # for its short lists
    words = ("check", "-s", SMALL, "--tier", "standard", "--list")
    lines = mmaspec(*words).out.splitlines()
    assert lines[-1].startswith("3 cases, case list ")
    assert lines[-1].endswith(f"; {EXPLORED} explored cases beyond it")
    assert sum(line.split()[3] == "exploration" for line in lines[:-1]) == EXPLORED
    assert mmaspec(*words, "--no-explore").out.splitlines()[-1] == lines[-1].partition(";")[0]


@pytest.fixture(scope="module")
def shards(short: None, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    del short
    folders = [tmp_path_factory.mktemp("shard") for _ in range(2)]
    for number, folder in enumerate(folders, 1):
        assert checked(folder, "--shard", f"{number}/2").code == 0
    return folders


def test_the_first_shard_has_it_all_and_the_merge_is_one_run(both: Both, shards: list[Path], tmp_path: Path) -> None:
    counts = [sum(planned.explored for planned in RunFolder(folder).own_cases) for folder in shards]
    assert counts == [EXPLORED, 0]
    merged = tmp_path / "merged"
    assert mmaspec("merge", *shards, "-o", merged).code == 1
    assert (merged / "results.jsonl").read_bytes() == (both.explored.folder / "results.jsonl").read_bytes()
    now, then = (json.loads((folder / "run.json").read_bytes()) for folder in (merged, both.explored.folder))
    assert {**now, "environment": 0} == {**then, "environment": 0}
    assert {path.name for path in (merged / "cases").iterdir()} == {
        path.name for path in (both.explored.folder / "cases").iterdir()
    }


def test_shards_with_and_without_it_do_not_mix(shards: list[Path], tmp_path: Path) -> None:
    assert checked(tmp_path / "2", "--shard", "2/2", "--no-explore").code == 0
    refused = mmaspec("merge", shards[0], tmp_path / "2", "-o", tmp_path / "out")
    assert refused.code == 2
    assert "another choice of --no-explore than" in refused.err


def test_a_killed_run_goes_on_and_keeps_what_was_explored(both: Both, tmp_path: Path) -> None:
    asked = check.wanted(FAULT, [SMALL], None, "profile", "standard", None, isolate=False, time_limit=60.0)
    home = RunFolder(tmp_path / "run")
    home.write_plan(*check._plan(asked, 0))
    worker = Worker(home, "killed")
    done = next(planned.test for planned in worker.cases if planned.explored)
    worker.walk(done)
    worker.close()
    (rows,) = (home.path / ROWS).iterdir()
    before, kept = rows.read_bytes(), RunFolder(home.path).recorded().results
    assert 0 < len(kept) < EXPLORED
    assert all(result.explored for result in kept.values())
    other = checked(home.path, "--resume", "--no-explore")
    assert other.code == 2
    assert "(--no-explore: not given then, given now); repeat its options to resume" in other.err
    assert checked(home.path, "--resume").code == 1
    assert rows.read_bytes() == before
    assert (home.path / "results.jsonl").read_bytes() == (both.explored.folder / "results.jsonl").read_bytes()
    lines = [line for file in (home.path / ROWS).iterdir() for line in file.read_text(encoding="utf-8").splitlines()]
    assert sum('"type":"result"' in line for line in lines) == EXPLORED + len(few())
