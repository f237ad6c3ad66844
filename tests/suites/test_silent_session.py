"""A session of pytest that no longer hears its workers is ended, though no case is in flight."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mmaspec.suites.running import session, supervisor
from mmaspec.suites.running.run_folder import RunFolder
from mmaspec.suites.running.supervisor import GRACE, STALLED, answer

from .test_merge import Listed, listed

__all__ = ["listed"]
DEAF = [sys.executable, "-c", "import sys; sys.stdin.read()"]
"""It only ends when it is ended."""


@pytest.fixture
def home(listed: Listed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunFolder:
    """The folder of a run whose sessions may be silent for a second."""
    home = RunFolder(tmp_path)
    home.write_plan(*listed)
    monkeypatch.setattr(supervisor, "SILENT", 1.0)
    monkeypatch.setattr(supervisor, "GRACE", -listed[0].time_limit)
    return home


def test_its_cases_are_inconclusive_after_some_tries(home: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "command", lambda *_, **__: DEAF)
    results, passes = answer(home, 0, lambda *_: None)
    assert passes == STALLED
    assert {result.outcome for result in results} == {"inconclusive"}
    assert len(results) == len(home.own_cases)
    assert "nobody lived to answer it: its process was " in results[0].why


def test_the_next_session_goes_on(home: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    real, given = session.command, [DEAF]

    def command(folder: Path, run: str, workers: int, *, isolate: bool) -> list[str]:
        if given:
            return given.pop()
        monkeypatch.setattr(supervisor, "SILENT", 300.0)
        monkeypatch.setattr(supervisor, "GRACE", GRACE)
        return real(folder, run, workers, isolate=isolate)

    monkeypatch.setattr(session, "command", command)
    results, passes = answer(home, 0, lambda *_: None)
    assert passes == 2
    assert not any(result.outcome == "inconclusive" for result in results)
