"""A run that is killed goes on, and ends as one that nobody disturbed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from types import SimpleNamespace

import msgspec
import pytest

from mmaspec.suites.judging.record import Begin, Result, Row
from mmaspec.suites.planning.plan import PLAN
from mmaspec.suites.running import watch
from mmaspec.suites.running.marks import DIGITS
from mmaspec.suites.running.run_folder import ROWS
from mmaspec.suites.running.supervisor import _forget_interrupted
from mmaspec.suites.running.watch import SUPERVISED

from .conftest import empty_run

COMMAND = [
    *(sys.executable, "-m", "mmaspec", "check", "--backend", "fault:rdna3-clamps-unsigned"),
    *("--spec", "amd-rdna3-wmma", "-n", "0", "--tier", "quick", "--report"),
]
KILLS = 50


@pytest.mark.skipif(os.name != "posix", reason="groups of processes")
def test_a_worker_ends_with_its_supervisor() -> None:
    script = (
        "import time, mmaspec.suites.running.watch as w; "
        "w.end_with_supervisor(); print('up', flush=True); time.sleep(600)"
    )
    worker = subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
        env={**os.environ, SUPERVISED: "1"},
    )  # fmt: skip
    assert worker.stdin is not None
    assert worker.stdout is not None
    with worker.stdout, worker.stdin:
        assert worker.stdout.readline() == b"up\n"
        assert worker.poll() is None
        worker.stdin.close()
        assert worker.wait(20) < 0


@pytest.mark.skipif(os.name != "posix", reason="groups of processes")
def test_a_session_of_pytest_ends_with_its_supervisor_though_it_captures_standard_input(tmp_path: Path) -> None:
    here, there = os.pipe()
    (tmp_path / "test_waits.py").write_text(
        f"import os, time\ndef test_waits():\n    os.write({there}, b'up')\n    time.sleep(600)\n"
    )
    session = subprocess.Popen(
        [sys.executable, "-m", "pytest", "-p", "mmaspec", "-p", "no:cacheprovider", "-q", str(tmp_path)],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True, cwd=tmp_path, pass_fds=(there,),
        env={**os.environ, SUPERVISED: "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )  # fmt: skip
    os.close(there)
    assert session.stdin is not None
    with session.stdin, os.fdopen(here, "rb") as said:
        assert said.read(2) == b"up", "it ended before its supervisor did"
        session.stdin.close()
        assert session.wait(20) < 0


def test_on_windows_what_a_worker_started_ends_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[object] = []
    windows = SimpleNamespace(name="nt", read=lambda *_: b"", getpid=lambda: 77, _exit=done.append)
    monkeypatch.setattr(watch, "os", windows)
    monkeypatch.setattr(subprocess, "run", lambda words, **_: done.append(words))
    watch._wait(0)
    assert done == [["taskkill", "/F", "/T", "/PID", "77"], 1]


def test_what_was_in_flight_is_forgotten_and_what_died_before_is_not(tmp_path: Path) -> None:
    folder = empty_run(tmp_path)
    recorder = folder.recorder("gw0")
    for case in ("died and begun again", "in flight", "died and begun again"):
        recorder.append(Begin(case))
    recorder.close()
    _forget_interrupted(folder)
    assert +folder.recorded().begun == {"died and begun again": 1}


def outcome(folder: Path) -> dict[str, object]:
    """What must not depend on who did the work, or how often: ``run.json`` but for its environment, rows, cases."""
    run = json.loads((folder / "run.json").read_bytes())
    del run["environment"]
    files = [folder / "results.jsonl", *sorted((folder / "cases").iterdir())]
    return {"run.json": run, **{path.name: path.read_bytes() for path in files}}


def rows(folder: Path) -> Iterator[Row]:
    files = sorted((folder / ROWS).glob("*.jsonl"))
    lines = (line for path in files for line in path.read_bytes().splitlines())
    return (msgspec.json.decode(line[DIGITS:], type=Row) for line in lines)


def command(folder: Path) -> list[str]:
    """Begin a run, or go on with it."""
    return [*COMMAND, str(folder), *(["--resume"] if (folder / PLAN).exists() else [])]


def killed(folder: Path, seconds: float) -> bool:
    """Begin or go on with a run and kill its supervisor after so many seconds; False: it ended before."""
    process = subprocess.Popen(command(folder), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        said = process.communicate(timeout=seconds)[1]
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return True
    assert process.returncode == 1, said.decode()
    return False


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="SIGKILL")
def test_a_run_that_is_killed_at_any_moment_ends_as_an_undisturbed_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    whole, folder = tmp_path / "whole", tmp_path / "run"
    for _ in range(2):  # the second time, sensitivities are known, as they are from then on
        started = time.monotonic()
        assert subprocess.run(command(whole), capture_output=True, check=False).returncode == 1
        seconds = time.monotonic() - started
        expected = outcome(whole)
        shutil.rmtree(whole)
    draw = Random(50)  # noqa: S311 - the same moments every time, as far as a machine has them
    kills = here = 0
    ended = Counter[int]()
    while kills < KILLS or here:
        if kills < KILLS and killed(folder, draw.uniform(0, seconds)):
            kills, here = kills + 1, here + 1
            continue
        if kills == KILLS:
            assert subprocess.run(command(folder), capture_output=True, check=False).returncode == 1
        assert outcome(folder) == expected
        found = list(rows(folder))
        results = Counter(row.case for row in found if isinstance(row, Result))
        assert set(results.values()) == {1}, "a case was answered twice"
        assert sum(isinstance(row, Begin) for row in found) - len(results) <= here, "more than the case in flight"
        ended[here] += 1
        shutil.rmtree(folder)
        here = 0
    sys.stdout.write(f"{kills} kills; runs by how often they were killed: {dict(sorted(ended.items()))}\n")
