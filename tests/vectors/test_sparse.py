"""Sparse buffers in vector folders: with windows for devices that take them, and left out or whole for others."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from mmaspec.oracle.case import Case
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.profile import PRACTICE
from mmaspec.suites.judging.judge_case import CaseJudge, expect_some
from mmaspec.suites.judging.record import Result
from mmaspec.suites.planning.prepare import Wanted
from mmaspec.suites.vectors.answers import Replayed
from mmaspec.suites.vectors.folder import check_files, read_manifest
from mmaspec.suites.vectors.recorded_run import RecordedExplainer
from mmaspec.suites.vectors.request import NOBODY, planned
from mmaspec.suites.vectors.write import write_vectors
from tests.sparse_cases import HUGE, KERNEL, MODERATE, Spills, Takes

from .conftest import silent
from .lab import answer, illegal_elements, loaded
from .test_consumer import consumer, ran

__all__ = ["consumer"]

EVERY = 1 << 40


def written(folder: Path, case: Case, sparse: int) -> Any:
    """A folder with one case, as the pinned case of a waiver; its manifest."""
    wanted = Wanted(backend="vectors", specs=(case.spec,), tier="quick", profile=PRACTICE)
    plan, _ = planned(wanted, spec_named(case.spec).default_caps, replace(NOBODY, sparse=sparse))
    write_vectors(folder, plan, (), silent, [case])
    check_files(folder, read_manifest(folder))
    return loaded(folder, "vectors.json")


def later(folder: Path, results: Path, case: Case) -> Result:
    """What is judged of the recorded answer."""
    backend = Replayed(folder, results)
    description = replace(backend.describe(), sparse=read_manifest(folder).sparse or 0)
    case_judge = CaseJudge(backend, description, PRACTICE, {case.content_id: ()}, limit=0, explaining=RecordedExplainer)
    return case_judge.judge(case, case.content_id, expect_some(case, PRACTICE))[0]


@pytest.mark.parametrize(
    ("device", "outcome", "wrong"),
    [(Takes(EVERY), "legal", 0), (Takes(EVERY, Spills), "illegal", 4)],
    ids=["right", "spills"],
)
def test_a_device_that_takes_windows_gets_them(tmp_path: Path, device: Takes, outcome: str, wrong: int) -> None:
    manifest = written(tmp_path / "vectors", HUGE, EVERY)
    (entry,) = manifest["cases"]
    assert (manifest["schema"], manifest["sparse"], entry["demand"]) == ("mmaspec.vectors/2", EVERY, "results")
    answer(tmp_path / "vectors", tmp_path / "answers", device)
    case = loaded(tmp_path / "vectors", f"cases/{entry['id']}.json")
    (buffer,) = HUGE.program.buffers
    assert case["buffers"][0]["windows"] == [list(window) for window in buffer.windows]
    assert entry["total"] == case["buffers"][0]["total"] == buffer.total
    files = [path.read_bytes() for path in (tmp_path / "vectors" / "cases").glob("*.bin")]
    outputs = (tmp_path / "answers" / f"{entry['id']}.bin").read_bytes()
    assert illegal_elements(case, files[0], outputs, manifest["formats"]) == wrong
    assert later(tmp_path / "vectors", tmp_path / "answers", HUGE).outcome == outcome


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize(
    ("case", "demand", "outcome"), [(HUGE, "nothing", "not applicable"), (MODERATE, "results", "legal")]
)
def test_others_get_whole_buffers_or_nothing(tmp_path: Path, case: Case, demand: str, outcome: str) -> None:
    manifest = written(tmp_path / "vectors", case, 0)
    (entry,) = manifest["cases"]
    assert manifest["schema"] == "mmaspec.vectors/1"
    assert "sparse" not in manifest
    assert entry["demand"] == demand
    answer(tmp_path / "vectors", tmp_path / "answers", Takes(0))
    assert later(tmp_path / "vectors", tmp_path / "answers", case).outcome == outcome


def test_the_consumer_in_cpp_takes_windows(consumer: Path, tmp_path: Path) -> None:
    written(tmp_path / "vectors", KERNEL, EVERY)
    done: subprocess.CompletedProcess[str] = ran(consumer, tmp_path / "vectors", tmp_path / "answers")
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "1 of 1 cases legal\n")
    assert later(tmp_path / "vectors", tmp_path / "answers", KERNEL).outcome == "legal"
    broken = ran(consumer, tmp_path / "vectors", tmp_path / "broken", "--broken")
    assert broken.returncode == 1
    assert later(tmp_path / "vectors", tmp_path / "broken", KERNEL).outcome == "illegal"
