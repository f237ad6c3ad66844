"""A run ends, and soon, whatever happens to its workers or its disk; and nothing that it started outlives it."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from pathlib import Path

import pytest

from mmaspec.backends.resolve import resolve
from mmaspec.suites.planning.lists import listed
from mmaspec.suites.planning.prepare import Wanted, prepare
from mmaspec.suites.running.run_folder import ROWS, RunFolder

from .conftest import SMALL, Command, Finished, adapter, few

posix = pytest.mark.skipif(os.name != "posix", reason="signals, groups of processes, limits of file sizes")


@pytest.mark.exhaustive(every=2)
@posix
@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_full_disk_ends_a_run_after_one_session_with_one_line(tmp_path: Path, mmaspec: Command, workers: str) -> None:
    import resource

    wanted = Wanted(backend=adapter("Good"), specs=(SMALL,), tier="quick")
    folder = RunFolder(tmp_path / "run")
    folder.write_plan(*prepare(wanted, resolve(wanted.backend), lambda *asked: few(listed(*asked))))
    words = [
        "check",
        "--backend",
        wanted.backend,
        "--spec",
        SMALL,
        "-n",
        workers,
        "--report",
        str(folder),
        "--resume",
        "--tier",
        "quick",
    ]
    most = 6000
    done = subprocess.run(
        [sys.executable, "-m", "mmaspec", *words],
        capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},  # it would leave cut ones behind
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)),
    )  # fmt: skip
    assert done.returncode == 4, done.stdout + done.stderr
    assert done.stderr == (
        f"mmaspec: {folder}: answers cannot be recorded: File too large; make room, then repeat the command with"
        " --resume\n"
    )
    assert done.stdout == ""
    assert len(list((folder.path / ROWS).iterdir())) <= max(1, 2 * int(workers)), "one session of pytest"
    again = mmaspec(*words)
    assert again.code == 3, "a few cases judge too little"
    totals = Finished(again.code, again.out, again.err, folder.path).run.totals
    assert totals.legal == totals.cases > 0, again.out + again.err


@pytest.mark.exhaustive(every=2)
@posix
@pytest.mark.parametrize("how", [(), ("--isolate",)], ids=["same-process", "child"])
def test_a_worker_that_is_killed_before_its_first_case_is_replaced(check_few: Command, how: tuple[str, ...]) -> None:
    finished = check_few(adapter("KilledAtFirst"), *how)
    # The child of a worker is told from it: there the first case died once, and not again.
    assert finished.code == 3, "a few cases judge too little"
    assert finished.run.totals.inconclusive == (1 if how else 0), finished.out + finished.err
    assert finished.run.environment["passes"] == (1 if how else 2)


@posix
@pytest.mark.parametrize("workers", ["0", pytest.param("2", marks=pytest.mark.long)])
def test_a_worker_that_is_always_killed_leaves_the_run_inconclusive(check_few: Command, workers: str) -> None:
    finished = check_few(adapter("KilledAlways"), "-n", workers)
    assert finished.code == 3, finished.out + finished.err
    assert finished.err == ""
    run = finished.run
    assert run.totals.inconclusive == run.totals.cases > 0
    assert run.environment["passes"] == 3
    assert "nobody lived to answer it: its " in (finished.folder / "results.jsonl").read_text(encoding="utf-8")


@posix
def test_a_shard_without_answers_is_no_verdict(check_few: Command) -> None:
    finished = check_few(adapter("KilledAlways"), "--shard", "1/2")
    assert finished.code == 4, finished.out + finished.err
    assert "cases have no answer: 3 times nobody lived to answer it: its process was killed by SIGKILL" in finished.err
    assert finished.err.endswith("repeat the command with --resume\n")


@pytest.mark.exhaustive(every=3)
@posix
@pytest.mark.parametrize("how", [(), ("--isolate",), ("-n", "2", "--isolate")], ids=["same-process", "child", "two"])
def test_what_a_backend_leaves_behind_ends_with_the_run(
    check_few: Command, tmp_path: Path, how: tuple[str, ...]
) -> None:
    os.mkfifo(tmp_path / "held")
    heard = os.open(tmp_path / "held", os.O_RDONLY | os.O_NONBLOCK)
    try:
        finished = check_few(adapter("LeavesSomething"), *how)
        totals = finished.run.totals
        assert totals.legal == totals.cases > 0, finished.out + finished.err
        assert select.select([heard], [], [], 20)[0], "what it started holds the pipe"
        assert os.read(heard, 4) == b"here", "it was never there"
        assert select.select([heard], [], [], 20)[0], "what it started holds the pipe"
        assert os.read(heard, 1) == b""
    finally:
        os.close(heard)
