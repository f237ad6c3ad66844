"""A session of pytest that is started before the plan is drawn waits for it, and ends with whoever started it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from mmaspec.programs.errors import BadInput
from mmaspec.suites.running import held, session
from mmaspec.suites.running.run_folder import RunFolder
from mmaspec.suites.running.session import Session, begun_early
from mmaspec.suites.running.supervisor import answer

from .test_merge import Listed, listed

__all__ = ["listed"]
SOON = 60.0
"""Seconds within which a process that has nothing to wait for any more has ended."""


@pytest.mark.parametrize("workers", [0, 2])
def test_it_answers_a_plan_that_is_written_after_its_start(listed: Listed, tmp_path: Path, workers: int) -> None:
    plan, recipes = listed
    home = RunFolder(tmp_path / "run")
    with begun_early(home.path, workers) as early:
        assert early is not None
        assert not home.path.exists()
        home.write_plan(replace(plan, run=early.run), recipes)
        results, passes = answer(home, workers, lambda *_: None, early=early)
        assert early.over(0)
    assert passes == 1
    assert {result.case for result in results} == {planned.id for planned in home.own_cases}
    assert not any(result.outcome == "inconclusive" for result in results)
    assert b"passed" in home.log.read_bytes()


def test_it_answers_no_other_plan(listed: Listed, tmp_path: Path) -> None:
    home = RunFolder(tmp_path)
    home.write_plan(*listed)
    with Session(home.path, "0" * 16, 0) as other:
        other.go()
        assert other.over(SOON)
        assert other.end(home.log) != 0
    assert "holds another run by now" in home.log.read_text()
    assert not home.recorded().results


def test_a_mistake_meanwhile_ends_it_and_leaves_no_folder(tmp_path: Path) -> None:
    seen = []
    with pytest.raises(BadInput, match="a mistake"), begun_early(tmp_path / "run", 2) as early:  # noqa: PT012
        seen.append(early)
        raise BadInput("a mistake")
    assert seen[0] is not None
    assert seen[0].over(0)
    assert not (tmp_path / "run").exists()


@pytest.mark.skipif(os.name != "posix", reason="groups of processes")
@pytest.mark.parametrize("workers", [0, 2])
def test_while_it_waits_it_ends_with_its_supervisor(tmp_path: Path, workers: int) -> None:
    with Session(tmp_path, "0" * 16, workers) as waiting:
        pipe = waiting._process.stdin
        assert pipe is not None
        pipe.close()
        assert waiting.over(SOON)
        assert waiting._process.returncode < 0


def test_a_worker_is_told_once_it_listens_and_not_before() -> None:
    happened: list[str] = []
    written = Event()

    class Channel:
        def receive(self) -> None:
            happened.append("asked")
            written.set()

        def send(self, _: object) -> None:
            assert written.is_set()
            happened.append("told")

    held._pass_on(written, Channel())
    assert happened == ["asked", "told"]


def test_a_worker_asks_and_waits_for_the_answer() -> None:
    happened: list[str] = []
    channel = SimpleNamespace(send=lambda _: happened.append("asks"), receive=lambda: happened.append("waits"))
    worker: Any = SimpleNamespace(workerinput={held._CHANNEL: channel}, stash=pytest.Stash())
    held.wait_for_plan(worker)
    assert happened == ["asks", "waits"]


def test_a_session_without_workers_waits_itself() -> None:
    written = Event()
    alone: Any = SimpleNamespace(stash=pytest.Stash())
    alone.stash[held._WRITTEN] = written
    waiting = Thread(target=held.wait_for_plan, args=(alone,), daemon=True)
    waiting.start()
    waiting.join(0.2)
    assert waiting.is_alive()
    written.set()
    waiting.join(SOON)
    assert not waiting.is_alive()


def test_a_worker_that_is_gone_is_not_told() -> None:
    def gone() -> None:
        raise EOFError

    held._pass_on(Event(), SimpleNamespace(receive=gone))


def test_where_none_can_be_started_early_the_run_starts_it_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full() -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    monkeypatch.setattr(session.subprocess, "Popen", lambda *_, **__: pytest.fail("it was started"))
    with begun_early(tmp_path, 0) as early:
        assert early is None
