"""The consumer in C++: it answers a folder, and is judged like any device."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from mmaspec.programs.amd_rdna3_wmma.caps import FORMS, Caps
from mmaspec.suites.vectors.request import planned
from mmaspec.suites.vectors.write import write_vectors

from . import devices
from .conftest import WANTED, Written, silent
from .judging import failing, later, live, run_of

SOURCES = Path(__file__).parents[2] / "examples" / "vectors"


@pytest.fixture(scope="module")
def consumer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example, compiled."""
    compiler = shutil.which("c++")
    if compiler is None:
        pytest.skip("there is no C++ compiler named c++")
    binary = tmp_path_factory.mktemp("consumer") / "consumer"
    flags = ["-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic"]
    subprocess.run([compiler, *flags, "-o", binary, SOURCES / "consumer.cpp"], check=True)
    return binary


def ran(consumer: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([consumer, *words], capture_output=True, text=True, check=False)


def test_consumer_conforms_with_the_results_of_a_live_run(consumer: Path, written: Written, tmp_path: Path) -> None:
    done = ran(consumer, written.folder, tmp_path / "answers")
    assert (done.returncode, done.stderr) == (0, "")
    listed = json.loads((written.folder / "vectors.json").read_text(encoding="utf-8"))["cases"]
    cases = sum(case["demand"] == "results" for case in listed)
    assert cases >= 20
    assert done.stdout == f"{cases} of {cases} cases legal\n"
    results = later(written, tmp_path / "answers")
    assert results == live(written, devices.Executes)
    assert run_of(written, devices.Executes(), results).verdict == "conformant"


@pytest.mark.long
def test_every_builtin_of_the_example_is_right(consumer: Path, tmp_path: Path) -> None:
    """With the caps that ``docs/vectors.md`` has: waves in lines, 64 lanes, floats."""
    forms = ("f32_16x16x16_f16", "i32_16x16x16_iu8")
    caps = Caps(builtins=tuple(name for name in FORMS if name.rpartition("_")[0] in forms))
    assert len(caps.builtins) == 4
    plan, recipes = planned(replace(WANTED, tier="smoke"), caps)  # the arrays are not in shorter lists
    write_vectors(tmp_path / "vectors", plan, recipes, silent)
    done = ran(consumer, tmp_path / "vectors", tmp_path / "answers")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


def test_its_broken_twin_fails_on_the_clause_that_it_breaks(consumer: Path, written: Written, tmp_path: Path) -> None:
    done = ran(consumer, written.folder, tmp_path / "answers", "--broken")
    assert done.returncode == 1
    run = run_of(written, devices.Executes(), later(written, tmp_path / "answers"))
    assert (run.verdict, failing(run)) == ("not conformant", ["RDNA3-IU-SIGN"])
    assert run.totals.illegal == len(done.stdout.splitlines()) - 1  # as many as it counted itself


def test_consumer_says_what_is_missing(consumer: Path, tmp_path: Path) -> None:
    done = ran(consumer, tmp_path, tmp_path / "answers")
    assert done.returncode == 2
    assert "vectors.json: cannot be read" in done.stderr


def test_consumer_is_short() -> None:
    assert len((SOURCES / "consumer.cpp").read_text(encoding="utf-8").splitlines()) < 150
