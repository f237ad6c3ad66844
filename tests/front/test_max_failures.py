"""A run that stops when so many cases have failed: what it keeps, what it says, how it goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from mmaspec.suites.judging.record import NOT_RUN
from mmaspec.suites.running.run_folder import RunFolder
from mmaspec.suites.verdict.verdicts import FAILURES

from .in_process import Finished, mmaspec

SPEC = "intel-subgroup-mma"


def stopped(folder: Path, most: int, *options: str) -> Finished:
    return mmaspec(
        "check", "--backend", "fault:isgmma-rows-of-a-reversed", "--spec", SPEC, "--tier", "quick", "-n", "0",
        "--report", folder, "--max-failures", most, *options,
    )  # fmt: skip


def test_what_was_answered_stays_and_the_rest_waits_for_resume(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    first = stopped(folder, 1)
    assert first.code == 1, first.out + first.err
    home = RunFolder(folder)
    answered = home.recorded().results
    failing = [one for one in answered.values() if one.outcome in FAILURES]
    assert 1 <= len(failing) < len(home.cases)
    left = len(home.cases) - len(answered)
    assert left > 0
    told = f"stopped when enough cases had failed: {left} of {len(home.cases)} not run"
    assert told in first.out
    assert told in (folder / "summary.md").read_text(encoding="utf-8")
    assert told in (folder / "report.html").read_text(encoding="utf-8")
    assert NOT_RUN in (folder / "results.jsonl").read_text(encoding="utf-8")
    again = stopped(folder, 1, "--resume")
    assert again.code == 1, again.out + again.err
    now = RunFolder(folder).recorded().results
    assert now.items() > answered.items()
    assert sum(one.outcome in FAILURES for one in now.values()) > len(failing)


@pytest.mark.parametrize("options", [("--shard", "1/2"), ("--scheduler", "tcp://127.0.0.1:1"), ("--list",)])
def test_only_a_whole_run_on_this_machine_stops_so(options: tuple[str, ...], tmp_path: Path) -> None:
    finished = stopped(tmp_path / "run", 3, *options)
    assert finished.code == 2
    assert "--max-failures" in finished.err


def test_no_failure_is_no_number_to_stop_at(tmp_path: Path) -> None:
    assert stopped(tmp_path / "run", 0).code == 2
