"""``mmaspec vectors`` as a user runs it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from mmaspec.backends.protocol import Backend
from mmaspec.suites.vectors.layout import compact, explicit
from tests.front.in_process import told

from . import devices
from .conftest import Written


def mmaspec(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the command in this process."""
    given = list(map(str, words))
    done = told(*given, folder=Path())
    return subprocess.CompletedProcess(given, done.code, done.out, done.err)


def test_command_writes_the_same_folder(written: Written, tmp_path: Path) -> None:
    caps = tmp_path / "caps.json"
    caps.write_bytes(compact(explicit(devices.CAPS)))
    done = mmaspec("vectors", devices.SPEC, "--caps", caps, "--tier", "quick", "--out", tmp_path / "v")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "v" / "vectors.json").read_bytes() == (written.folder / "vectors.json").read_bytes()
    assert json.loads((tmp_path / "v" / "vectors.json").read_bytes())["digest"] in done.stdout


def test_command_says_which_rows_it_does_not_cover(tmp_path: Path) -> None:
    caps = tmp_path / "caps.json"
    caps.write_text('{"sub_group_size": 8, "forms": ["i8_i8_i32", "f16_f16_f16"]}')
    done = mmaspec("vectors", "intel-subgroup-mma", "--caps", caps, "--tier", "quick", "--out", tmp_path / "v")
    assert done.returncode == 0, done.stderr
    first, second, _ = done.stdout.splitlines()
    assert first.endswith("; 1 of 2 rows not covered")
    assert second == "  not covered: n8_f16_f16_f16: devices with sub-groups of 8 have no such functions"
    assert json.loads((tmp_path / "v" / "vectors.json").read_bytes())["caps"]["forms"][1] == "f16_f16_f16"


def test_good_answers_and_the_broken_twin(
    written: Written, answered: Callable[[type[Backend]], Path], tmp_path: Path
) -> None:
    good = mmaspec(
        "vectors", "verify", written.folder, answered(devices.Device), "-n", "0", "--report", tmp_path / "good"
    )
    assert good.returncode == 0, good.stdout + good.stderr
    assert "conformant on 22 of 22 clauses" in good.stdout
    broken = mmaspec(
        "vectors", "verify", written.folder, answered(devices.Broken), "-n", "0", "--report", tmp_path / "broken"
    )
    assert broken.returncode == 1, broken.stdout + broken.stderr
    assert "RDNA3-IU-CLAMP: " in broken.stdout
    for name in ("run.json", "results.jsonl", "report.html", "junit.xml", "summary.md"):
        assert (tmp_path / "good" / name).stat().st_size
        assert b"RDNA3-IU-CLAMP" in (tmp_path / "broken" / name).read_bytes()
    run = json.loads((tmp_path / "broken" / "run.json").read_bytes())
    assert run["findings"][0]["cause"]
    assert run["environment"]["answers"] == str(answered(devices.Broken))
    assert "--backend device" in (tmp_path / "broken" / "junit.xml").read_text(encoding="utf-8")
    assert (tmp_path / "broken" / "cases" / run["findings"][0]["example"]).is_file()


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("vectors", "no-such-spec", "--out", "x"), "mmaspec: no specification named"),
        (("vectors", "verify", "nowhere", "nowhere"), "mmaspec: nowhere: no such folder"),
        (("vectors", "verify", "v", "r", "--waivers", "no.toml"), "mmaspec: no.toml: cannot be read"),
        (("vectors", "amd-rdna3-wmma", "--out", "x", "--waivers", "no.toml"), "mmaspec: no.toml: cannot be read"),
        (("vectors", "verify", "v", "r", "--baseline", "no.json"), "mmaspec: no.json: cannot be read"),
    ],
    ids=["spec", "folder", "waivers", "pinned", "baseline"],
)
def test_mistake_is_told_in_a_line(words: tuple[str, ...], says: str) -> None:
    done = mmaspec(*words)
    assert done.returncode == 2
    assert done.stderr.startswith(says)
    assert done.stderr.count("\n") == 1
