"""Shards: whoever answers a case, what comes out is one run; and shards of two runs do not mix."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from mmaspec.backends.resolve import resolve
from mmaspec.commands import merge
from mmaspec.commands.gate import Expectations
from mmaspec.programs.errors import BadInput
from mmaspec.programs.profile import PROFILES
from mmaspec.reports.run_folder import read_run, write_reports
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.planning.plan import (
    CASES,
    PLAN,
    Plan,
    case_list_hash,
    encode_plan,
    shard_of,
)
from mmaspec.suites.planning.prepare import Wanted, prepare
from mmaspec.suites.running.merge import Gathered, gather
from mmaspec.suites.running.run_folder import RunFolder
from mmaspec.suites.running.share import Worker
from mmaspec.suites.running.supervisor import supervise
from tests.case_lists import case_list
from tests.damage import damaged, refusal

COUNT = 3
Listed = tuple[Plan, list[Recipe]]


@pytest.fixture(scope="module")
def listed() -> Listed:
    """Five cases of one test that fail in one way, of every shard, and a near miss."""
    backend = "fault:rdna3-c-dropped"
    wanted = Wanted(backend=backend, specs=("amd-rdna3-wmma",), tier="smoke")
    plan, recipes = prepare(wanted, resolve(backend), case_list)
    row = [recipe for recipe in recipes if recipe.row == "i32_16x16x16_iu8_w32"]
    failing = [recipe for recipe in row if recipe.template == "block-numbers"][:5]
    few = [*failing, *(recipe for recipe in row if recipe.target == "RDNA3-SHAPE")][:6]
    return replace(plan, cached=False, case_list=case_list_hash(recipe.id for recipe in few)), few


def answered(folder: Path, plan: Plan, recipes: list[Recipe]) -> Path:
    """A run folder whose cases this process has answered."""
    home = RunFolder(folder)
    home.write_plan(plan, recipes)
    worker = Worker(home, "main")
    for test in sorted({planned.test for planned in worker.cases}):
        worker.walk(test)
    worker.close()
    return folder


def reported(folder: Path) -> Path:
    write_reports(folder, *supervise(RunFolder(folder), 0, lambda *_: None))
    return folder


@pytest.fixture(scope="module")
def sharded(listed: Listed, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    plan, recipes = listed
    folders = []
    for number in range(1, COUNT + 1):
        folder = tmp_path_factory.mktemp("shard")
        folders.append(answered(folder, replace(plan, shard=f"{number}/{COUNT}"), recipes))
        RunFolder(folder).seal()
    return folders


@pytest.fixture
def shards(sharded: list[Path], tmp_path: Path) -> list[Path]:
    """Copies, to be damaged."""
    return [Path(shutil.copytree(folder, tmp_path / f"{number}")) for number, folder in enumerate(sharded, 1)]


def gathered(folders: list[Path]) -> Gathered:
    return gather([RunFolder(folder) for folder in folders])


def files_of(folder: Path) -> dict[str, bytes]:
    """Everything that must not depend on who did the work."""
    isolated = {"manifest.json", "plan.json"}
    found = {
        path.relative_to(folder).as_posix(): path.read_bytes().replace(folder.as_posix().encode(), b"FOLDER")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.parent.name != "rows" and path.name not in isolated
    }
    run = json.loads(found["run.json"])
    del run["environment"]
    found["run.json"] = json.dumps(run).encode()
    del found["report.html"]
    return found


def test_a_run_that_did_not_end_says_how_it_goes_on(listed: Listed, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"the run did not end, it has no run\.json;.*--resume"):
        read_run(answered(tmp_path / "run", *listed))


def test_a_shard_has_no_report_and_says_where_to_look(shards: list[Path]) -> None:
    with pytest.raises(BadInput, match=f"holds shard 1/{COUNT} only; mmaspec merge .* mmaspec replay --all"):
        read_run(shards[0])


def test_an_interrupted_merge_leaves_what_was_there(
    listed: Listed, shards: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a merge that ends is what one run leaves, whatever was there."""
    out = tmp_path / "out"
    whole = files_of(reported(answered(tmp_path / "whole", *listed)))
    whole["work/run.lock"] = b""
    assert merge.merge_shards(shards, out, Expectations()) == 1
    assert files_of(out) == whole
    with monkeypatch.context() as patched:
        patched.setattr(merge, "supervise", interrupted)
        with pytest.raises(KeyboardInterrupt):
            merge.merge_shards(shards, out, Expectations())
    assert files_of(out) == whole
    assert read_run(out)[0].verdict == "not conformant"
    assert not list(tmp_path.glob(".*"))
    assert merge.merge_shards(shards, out, Expectations()) == 1
    assert files_of(out) == whole


def interrupted(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_merged_shards_are_byte_for_byte_one_run(listed: Listed, shards: list[Path], tmp_path: Path) -> None:
    whole = reported(answered(tmp_path / "whole", *listed))
    gathered(list(reversed(shards))).write(RunFolder(tmp_path / "merged"))
    merged = reported(tmp_path / "merged")
    assert files_of(merged) == files_of(whole)
    examples = [len(list((folder / "cases").glob("*.json"))) for folder in (*shards, whole)]
    assert sum(examples[:COUNT]) > examples[COUNT] > 0, "shards must have written more than one run does"


def test_each_case_is_in_one_shard(listed: Listed, sharded: list[Path]) -> None:
    shares = [{case.id for case in RunFolder(folder).own_cases} for folder in sharded]
    assert set.union(*shares) == {recipe.id for recipe in listed[1]}
    assert sum(map(len, shares)) == len(listed[1])


def edit_plan(**changed: object) -> Callable[[Path], None]:
    """Another run's plan, sealed like any other."""

    def edit(folder: Path) -> None:
        (folder / PLAN).write_bytes(encode_plan(replace(RunFolder(folder).plan, **changed)))
        RunFolder(folder).seal()

    return edit


def drop_rows(folder: Path) -> None:
    for path in (folder / "work" / "rows").iterdir():
        path.write_bytes(b"")
    RunFolder(folder).seal()


def drop_case(folder: Path) -> None:
    path = folder / CASES
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[1:]))
    RunFolder(folder).seal()


def append(name: str) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        path = next(folder.glob(name))
        path.write_bytes(path.read_bytes() + b"\n")

    return edit


MISTAKES = {
    "another version": (edit_plan(code="0" * 16), "another version of mmaspec"),
    "another profile": (edit_plan(profile=PROFILES["ieee-subnormals"]), "another profile"),
    "another seed": (edit_plan(seed=7), "another seed"),
    "other caps": (edit_plan(caps={}), "another caps"),
    "another list": (edit_plan(case_list="0" * 16), "is not the case list"),
    "a list cut": (drop_case, "plan.jsonl: was cut or edited"),
    "other shards": (edit_plan(shard="2/4"), "shard 2/4, but"),
    "the same shard": (edit_plan(shard="1/3"), "shard 1/3, as"),
    "no shard": (edit_plan(shard=""), "not a shard"),
    "no such shard": (edit_plan(shard="0/3"), "expected I/N"),
    "no answers": (drop_rows, "has no answer"),
    "an edited plan": (append("work/plan.json"), "plan.json: was cut or edited"),
    "edited rows": (append("work/rows/*.jsonl"), "was edited"),
    "an edited case": (append("cases/*.json"), "was edited"),
    "no manifest": (lambda folder: (folder / "manifest.json").unlink(), "no such file"),
    "no plan": (lambda folder: (folder / PLAN).unlink(), "cannot be read"),
}


@pytest.mark.parametrize("name", sorted(MISTAKES))
def test_shards_that_do_not_belong_together_are_refused(shards: list[Path], tmp_path: Path, name: str) -> None:
    edit, says = MISTAKES[name]
    edit(shards[1])
    with pytest.raises(BadInput) as caught:
        gathered(shards)
    assert says in str(caught.value)
    assert str(shards[1]) in str(caught.value)
    assert not (tmp_path / "merged").exists()


def test_a_shard_that_is_given_twice_is_named(shards: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shards[0].parent)
    with pytest.raises(BadInput, match=f"^{shards[0].name}: given twice; expected each shard once$"):
        gathered([shards[0], Path(shards[0].name)])


def test_a_missing_shard_is_named(shards: list[Path]) -> None:
    with pytest.raises(BadInput, match="shard 2/3 is missing"):
        gathered([shards[0], shards[2]])


@pytest.mark.parametrize("text", ["0/3", "4/3", "1", "1/0", "-1/2", "1/2/3", "a/b", "1/99999", " 1/2"])
def test_what_is_no_shard_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="expected I/N"):
        shard_of(text)


def test_damaged_files_of_a_shard_are_read_or_refused(sharded: list[Path], tmp_path: Path, times: int) -> None:
    draw = Random(7)  # noqa: S311 - the same mutations every time
    folder = Path(shutil.copytree(sharded[0], tmp_path / "shard"))
    said = []
    rows = next((folder / "work" / "rows").iterdir()).relative_to(folder).as_posix()
    for name in (PLAN, CASES, rows, "manifest.json"):
        good = (folder / name).read_bytes()
        for _ in range(80 * times):
            (folder / name).write_bytes(damaged(good, draw))
            if name != "manifest.json":
                RunFolder(folder).seal()
            said.append(refusal(lambda: gathered([folder, *sharded[1:]]).write(RunFolder(tmp_path / "merged"))))
        (folder / name).write_bytes(good)
    assert {bool(line) for line in said} == {True, False}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["merged", "shard"]
