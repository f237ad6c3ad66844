"""What is shown of long work where there is no terminal."""

from __future__ import annotations

import pytest

from mmaspec.commands.progress import EVERY, lines, progress


def test_a_line_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    times = iter([0.0, 1.0, EVERY, EVERY, EVERY + 1, 3 * EVERY, 3 * EVERY])
    show = lines("checking it", lambda: next(times))
    for done in range(1, 5):
        show(done, 9)
    assert capsys.readouterr().err == "checking it: 2 of 9\nchecking it: 4 of 9\n"


def test_what_is_over_soon_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("drawing") as show:
        show(1, 2)
    assert capsys.readouterr() == ("", "")
