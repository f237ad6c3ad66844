"""``mmaspec replay --all``: a folder of case files gates on them, years later too."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mmaspec.suites.planning.manifest import MANIFEST

from .conftest import ADAPTERS
from .in_process import mmaspec

KEPT = Path(__file__).parents[1] / "data" / "cases"
"""Case files as versions of this project wrote them; they are never written again."""
DIGESTS = {"rdna3-clamp.json": "9b4bd056c64c7be6"}


def test_kept_cases_are_as_they_were_written() -> None:
    found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest()[:16] for path in KEPT.glob("*.json")}
    assert found == DIGESTS


@pytest.mark.parametrize(
    ("backend", "code", "last"),
    [
        ("numpy", 0, "1 cases: 1 legal"),
        ("fault:rdna3-clamps-unsigned", 1, "1 cases: 1 illegal"),
    ],
    ids=["numpy", "fault"],
)
def test_kept_cases_gate_a_backend(backend: str, code: int, last: str) -> None:
    finished = mmaspec("replay", "--all", KEPT, "--backend", backend)
    assert finished.code == code, finished.out + finished.err
    assert finished.out.splitlines()[-1] == last


def test_a_crash_that_happens_again_is_a_failure_and_the_next_case_is_run(tmp_path: Path) -> None:
    lines = [f"import sys; sys.path.append({str(ADAPTERS.parent)!r})", "import os", "from adapters import Good"]
    lines += ["class Crashes(Good):", "    def run(self, spec, program, inputs):", "        os._exit(3)"]
    (tmp_path / "mine.py").write_text("\n".join(lines), encoding="utf-8")
    for name in ("a.json", "b.json"):
        shutil.copy(KEPT / "rdna3-clamp.json", tmp_path / name)
    finished = mmaspec("replay", "--all", tmp_path, "--backend", f"{tmp_path / 'mine.py'}:Crashes")
    assert finished.code == 1, finished.out + finished.err
    assert finished.out.count("the backend died twice") == 2


def test_a_case_replays_without_hypothesis() -> None:
    code = (
        "import sys; sys.modules['hypothesis'] = None; from mmaspec.commands.replay_all import replay_all;"
        f"from pathlib import Path; sys.exit(replay_all(Path({str(KEPT)!r}), 'numpy', None, 'profile', 60.0))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_nothing_to_replay_is_inconclusive(tmp_path: Path) -> None:
    finished = mmaspec("replay", "--all", tmp_path)
    assert finished.code == 3
    assert "holds no case file" in finished.out


def test_a_damaged_case_is_named_before_anything_runs(tmp_path: Path) -> None:
    shutil.copytree(KEPT, tmp_path / "cases")
    (tmp_path / "cases" / "zzz.json").write_text('{"schema": "mmaspec.case/2"}', encoding="utf-8")
    finished = mmaspec("replay", "--all", tmp_path / "cases")
    assert finished.code == 2
    assert "zzz.json" in finished.err
    assert "legal" not in finished.out


def test_a_run_folder_is_told_from_its_cases(tmp_path: Path) -> None:
    shutil.copytree(KEPT, tmp_path / "cases")
    (tmp_path / MANIFEST).write_text('{"schema": "mmaspec.manifest/1"}', encoding="utf-8")
    finished = mmaspec("replay", "--all", tmp_path)
    assert finished.code == 2
    (line,) = finished.err.splitlines()
    assert line.endswith(f"; {tmp_path} is a run folder: give {tmp_path / 'cases'}")


def test_a_case_of_another_version_is_refused_with_its_schema(tmp_path: Path) -> None:
    text = (KEPT / "rdna3-clamp.json").read_bytes().replace(b"mmaspec.case/1", b"mmaspec.case/2")
    (tmp_path / "case.json").write_bytes(text)
    finished = mmaspec("replay", "--all", tmp_path)
    assert finished.code == 2
    assert "schema 'mmaspec.case/2'; this version reads 'mmaspec.case/1'" in finished.err


@pytest.mark.parametrize("words", [[], ["case.json", "--all", "."], ["--all", "no-such-folder"]])
def test_wrong_use(words: list[str]) -> None:
    assert mmaspec("replay", *words).code == 2
