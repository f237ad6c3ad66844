"""Answers of an earlier run are known by their bytes: the next one says the same, and judges all of them on demand."""

from __future__ import annotations

from pathlib import Path

import platformdirs
import pytest

from .conftest import Command, Finished


def rows(finished: Finished) -> bytes:
    return (finished.folder / "results.jsonl").read_bytes()


def test_a_second_run_knows_the_answers_of_the_first(
    check_few: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda *_, **__: str(tmp_path / "cache"))
    first, second = check_few("numpy", "-n", "0"), check_few("numpy", "-n", "0")
    assert (first.code, second.code) == (3, 3), "a few cases judge too little to conform"
    assert "known_answers" not in first.run.environment
    known = second.run.environment["known_answers"]
    assert isinstance(known, int)
    assert 0 < known <= len(rows(second).splitlines())
    assert f">{known}<" in (second.folder / "report.html").read_text(encoding="utf-8")
    wrong = check_few("fault:rdna3-clamps-unsigned", "-n", "0")
    assert wrong.code == 1, "what another device answered excuses nobody"
    fresh = check_few("numpy", "-n", "0", "--afresh")
    assert "known_answers" not in fresh.run.environment
    assert rows(first) == rows(second) == rows(fresh)


def test_nothing_of_a_run_afresh_is_kept(check_few: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda *_, **__: str(tmp_path / "cache"))
    assert check_few("numpy", "-n", "0", "--afresh").run.verdict == "inconclusive"
    assert not list((tmp_path / "cache").glob("answers-*"))
    assert check_few("numpy", "-n", "0").run.verdict == "inconclusive"
    assert len(list((tmp_path / "cache").glob("answers-*"))) == 1
