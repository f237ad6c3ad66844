"""Equal seeds draw equal cases beside every backend, although Hypothesis draws constants of the modules it finds."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import hypothesis

DRAWS = """
import importlib, json, sys
from hypothesis import HealthCheck, given, seed, settings, strategies as st
import mmaspec
from mmaspec.oracle.case import content_hash, encode_case
from mmaspec.strategies.hypothesis_driver import Drawn

if len(sys.argv) > 1:
    sys.path.insert(0, sys.argv[1])
    importlib.import_module("my_device")

def drawn(strategy, show):
    found = []

    @seed(7)
    @settings(max_examples=60, database=None, deadline=None, suppress_health_check=list(HealthCheck))
    @given(strategy)
    def collect(value):
        found.append(show(value))

    collect()
    return found

@st.composite
def choices(draw):
    drawn = Drawn(draw)
    return [drawn.integer(0, 1 << 40), drawn.one_of(range(5000)), drawn.weighted([(400, "a"), (500, "b")])]

cases = drawn(mmaspec.strategies.cases("amd-rdna3-wmma"), lambda case: content_hash(encode_case(case)))
print(json.dumps([[cases, drawn(choices(), list)], drawn(st.integers(0, 1 << 40), int)]))
"""


def draws(folder: Path, *arguments: str) -> Any:
    words = [sys.executable, "-c", DRAWS, *arguments]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_constants_of_a_backend_do_not_change_the_cases(tmp_path: Path) -> None:
    constants = [*range(100, 1000), *(3 << power for power in range(10, 40))]
    (tmp_path / "my_device.py").write_text(f"CONSTANTS = {constants}\n", encoding="utf-8")
    (ours, integers), (beside, disturbed) = draws(tmp_path), draws(tmp_path, str(tmp_path))
    assert integers != disturbed, (
        f"Hypothesis {hypothesis.__version__} draws no constants of loaded modules here: this test shows nothing any "
        "more. Plant what it does mine (hypothesis/internal/conjecture/providers.py), or drop the test."
    )
    assert ours == beside, (
        f"Hypothesis {hypothesis.__version__} draws constants of loaded modules where cases() makes a choice. "
        "Find a kind of choice that has none, for mmaspec.strategies.hypothesis_driver.Drawn.integer."
    )
    assert [len(drawn) >= 60 for drawn in ours] == [True, True]
