"""A run folder is of one run: another that comes along is told whose it is, and a killed one leaves nothing behind."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import platformdirs
import pytest
from msgspec.structs import replace

from mmaspec.programs.errors import BadInput
from mmaspec.suites.planning.plan import CASES, PLAN, encode_plan
from mmaspec.suites.running import owner
from mmaspec.suites.running.owner import LOCK, OWNER, owning, refuse_at_work
from mmaspec.suites.running.run_folder import ROWS, RunFolder

from .conftest import SMALL, adapter
from .in_process import mmaspec
from .test_gate_command import FAULTY, begin, go_on, waiver

CHECK = ("check", "--backend", "numpy", "--spec", SMALL, "-n", "0", "--tier", "quick")


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(owner, "WAIT", 0.01)


def files(folder: Path) -> dict[str, bytes]:
    return {path.as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of a few cases, all of which fail."""
    folder = tmp_path_factory.mktemp("ended")
    begin(folder, FAULTY)
    assert go_on(folder, FAULTY).code == 1
    return folder


@pytest.fixture
def run(ended: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(ended, tmp_path / "run"))


@pytest.fixture
def stalled(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """A run that never ends, once its first case is begun."""
    os.mkfifo(tmp_path / "begun")
    words = [
        sys.executable,
        "-m",
        "mmaspec",
        "check",
        "-b",
        adapter("Stalls"),
        "-s",
        SMALL,
        "-n",
        "0",
        "--tier",
        "quick",
        "--report",
    ]
    process = subprocess.Popen(
        [*words, str(tmp_path / "run")], env={**os.environ, "MMASPEC_TEST_STATE": str(tmp_path)},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        assert (tmp_path / "begun").read_bytes() == b"up"
        yield process, tmp_path / "run"
    finally:
        process.kill()
        process.wait()


@pytest.mark.skipif(os.name != "posix", reason="named pipes, SIGKILL")
def test_a_second_run_is_told_who_has_the_folder_and_a_killed_one_has_it_no_more(
    stalled: tuple[subprocess.Popen[bytes], Path], tmp_path: Path
) -> None:
    process, folder = stalled
    before = files(folder)
    for words in (
        (*CHECK, "--report", folder),
        ("check", "-b", adapter("Stalls"), "-s", SMALL, "-n", "0", "--tier", "quick", "--report", folder, "--resume"),
        ("report", folder),
        ("compare", folder, folder),
        ("baseline", "update", folder, tmp_path / "baseline.json"),
        ("merge", folder, "-o", tmp_path / "merged"),
    ):
        refused = mmaspec(*words)
        assert (refused.code, refused.out) == (2, "")
        if words[0] != "merge":  # a whole run is no shard anyway
            assert f"a run is going on there: process {process.pid} on " in refused.err
    assert files(folder) == before
    process.kill()
    process.wait()
    with owning(folder):
        assert json.loads((folder / OWNER).read_bytes())["pid"] == os.getpid()


def test_merging_into_a_folder_of_a_run_and_judging_vectors_there_are_refused(run: Path, tmp_path: Path) -> None:
    shard = tmp_path / "shard"
    begin(shard, FAULTY, shard="1/1")
    assert go_on(shard, FAULTY, "--shard", "1/1").code == 0
    with owning(run):
        refused = mmaspec("merge", shard, "-o", run)
        assert refused.code == 2
        assert "a run is going on there" in refused.err
    assert mmaspec("merge", shard, "-o", run).code == 1


def test_no_program_is_started_because_a_shard_says_so(tmp_path: Path) -> None:
    shard, waivers, ran = tmp_path / "shard", tmp_path / "waivers.toml", tmp_path / "ran"
    begin(shard, FAULTY, shard="1/1")
    assert go_on(shard, FAULTY, "--shard", "1/1").code == 0
    (pinned, *_) = (path.relative_to(tmp_path).as_posix() for path in (shard / "cases").iterdir())
    hostile = f"cmd:{sys.executable} -c \"open({str(ran)!r}, 'w')\""
    (shard / PLAN).write_bytes(encode_plan(replace(RunFolder(shard).plan, backend=hostile)))
    RunFolder(shard).seal()
    waivers.write_text(waiver(case=f'"{pinned}"'), encoding="utf-8")
    refused = mmaspec("merge", shard, "-o", tmp_path / "merged", "--waivers", waivers)
    assert refused.code == 2
    assert "waivers are replayed on it, so say so: --backend 'cmd:" in refused.err
    refused = mmaspec("merge", shard, "-o", tmp_path / "merged", "--waivers", waivers, "-b", FAULTY)
    assert f", not {FAULTY}" in refused.err
    assert not ran.exists()
    (shard / PLAN).write_bytes(encode_plan(replace(RunFolder(shard).plan, backend=FAULTY)))
    RunFolder(shard).seal()
    assert "waived" in mmaspec("merge", shard, "-o", tmp_path / "merged", "--waivers", waivers).out, "it is built in"


def test_a_lock_is_had_once_and_again_after_it_was_given_back(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "run"
    with owning(folder):
        with pytest.raises(BadInput, match="a run is going on there: process"), owning(folder):
            pytest.fail("two runs have it")
        refuse_at_work(folder)  # which is for others
    with owning(folder):
        pass
    assert sorted(path.name for path in folder.rglob("*")) == ["run.lock", "work"]


def test_clearing_a_folder_leaves_the_lock(run: Path) -> None:
    home = RunFolder(run)
    with home.owned():
        home.clear()
        assert sorted(path.relative_to(run).as_posix() for path in run.rglob("*")) == ["work", OWNER, LOCK]
        with pytest.raises(BadInput, match="a run is going on"), owning(run):
            pytest.fail("two runs have it")
    home.check()


def test_a_mistake_leaves_no_lock_behind(tmp_path: Path) -> None:
    assert mmaspec("check", "--backend", "nobody", "--report", tmp_path / "run").code == 2
    assert not (tmp_path / "run").exists()


def test_a_lock_that_is_a_link_is_not_followed(run: Path, tmp_path: Path) -> None:
    (tmp_path / "precious").write_bytes(b"precious")
    (run / LOCK).unlink(missing_ok=True)
    (run / LOCK).symlink_to(tmp_path / "precious")
    for words in ((*CHECK, "--report", run), ("report", run)):
        refused = mmaspec(*words)
        assert refused.code == 2
        assert "run.lock: is a link" in refused.err
    (run / LOCK).unlink()
    os.link(tmp_path / "precious", run / LOCK)
    refused = mmaspec("report", run)
    assert "not a file of its own" in refused.err
    assert (tmp_path / "precious").read_bytes() == b"precious"


def test_a_folder_that_cannot_be_written_is_read_all_the_same(run: Path) -> None:
    (run / LOCK).chmod(0o400)
    assert mmaspec("compare", run, run).code == 0


def change_rows(run: Path, old: bytes, new: bytes) -> None:
    for path in (run / ROWS).iterdir():
        path.write_bytes(path.read_bytes().replace(old, new))


def cut_list(run: Path) -> None:
    lines = (run / CASES).read_bytes().splitlines(keepends=True)
    (run / CASES).write_bytes(b"".join(lines[1:]))


def change_plan(run: Path, old: bytes, new: bytes) -> None:
    data = (run / PLAN).read_bytes()
    assert old in data
    (run / PLAN).write_bytes(data.replace(old, new))


def change_example(run: Path) -> None:
    path = next((run / "cases").iterdir())
    path.write_bytes(path.read_bytes().replace(b'"spec"', b' "spec"'))


EDITS: dict[str, tuple[Callable[[Path], None], str]] = {
    "a line cut from the case list": (cut_list, "work/plan.jsonl: was cut or edited"),
    "failures made legal": (lambda run: change_rows(run, b'"illegal"', b'"legal"'), ".jsonl: line "),
    "a clause borrowed": (
        lambda run: change_plan(run, b'"borrowed": []', b'"borrowed": ["RDNA3-IU-CLAMP"]'),
        "work/plan.json: was cut or edited",
    ),
    "a case file": (change_example, "remove that file, and its cases are run again"),
    "a case file removed": (lambda run: next((run / "cases").iterdir()).unlink(), ".jsonl lists it: remove that file"),
}


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("name", sorted(EDITS))
def test_nothing_is_built_on_an_edited_run(run: Path, name: str) -> None:
    edit, says = EDITS[name]
    edit(run)
    (run / LOCK).touch()
    before = files(run)
    refused = go_on(run, FAULTY)
    assert (refused.code, refused.out) == (2, "")
    assert says in refused.err
    assert files(run) == before


def test_a_backend_that_says_something_else_of_itself_does_not_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MMASPEC_TEST_STATE", str(tmp_path))
    for version in ("2", "3"):
        (tmp_path / "version").write_text(version, encoding="utf-8")
        if version == "2":
            begin(tmp_path / "run", adapter("Updated"))
    refused = go_on(tmp_path / "run", adapter("Updated"))
    assert refused.code == 2
    assert 'description.version was "2", and is now "3"' in refused.err


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("answered", [True, False])
def test_only_what_was_computed_here_is_kept_for_later_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answered: bool
) -> None:
    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda *_, **__: str(tmp_path / "cache"))
    begin(tmp_path / "run", FAULTY)
    home = RunFolder(tmp_path / "run")
    (home.path / PLAN).write_bytes(encode_plan(replace(home.plan, cached=True)))
    if not answered:
        home.forget_answers()
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "workers"))
    assert go_on(home.path, FAULTY).code == 1
    assert (tmp_path / "cache").exists() == (not answered)


def test_no_path_is_taken_from_a_plan(run: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside" / "cache.json"
    change_plan(run, b'"cached": false', b'"sensitivity": {"amd-rdna3-wmma": "%s"}' % str(outside).encode())
    assert go_on(run, FAULTY).code == 2
    assert not outside.parent.exists()
