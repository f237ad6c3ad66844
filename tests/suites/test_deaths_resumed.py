"""Making case files of deaths small goes on where it was interrupted, and not in a run that ended."""

from __future__ import annotations

from pathlib import Path

import pytest

from mmaspec.suites.running import supervisor

from .conftest import empty_run


@pytest.mark.parametrize(
    ("passes", "ended", "reduced"), [(1, False, True), (0, False, True), (1, True, True), (0, True, False)]
)
def test_what_was_left_is_reduced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, passes: int, ended: bool, reduced: bool
) -> None:
    folder = empty_run(tmp_path)
    if ended:
        folder.seal()
    calls: list[object] = []
    monkeypatch.setattr(supervisor, "_answered", lambda *_, **__: ([], passes))
    monkeypatch.setattr(supervisor, "reduce_deaths", lambda *asked: calls.append(asked))
    supervisor.answer(folder, 1, lambda *_: None)
    assert bool(calls) is reduced
