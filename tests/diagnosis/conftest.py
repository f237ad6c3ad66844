"""The second trial device: the generated C++ adapter with two rows of every float product exchanged."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from .measuring import command

COMPILER = next((found for name in ("c++", "g++", "clang++") if (found := shutil.which(name))), None)

RIGHT = """  for (int i = 0; i < m * n; ++i) c[i] = bits_of(types[2], sums[i]);
"""
EXCHANGED = f"""{RIGHT}  if (types[2] == "f32") std::swap_ranges(c + (m - 2) * n, c + (m - 1) * n, c + (m - 1) * n);
"""


@pytest.fixture(scope="session")
def rows_exchanged(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The backend text of the adapter that ``adapt --new cpp`` writes, edited in one line and compiled."""
    if COMPILER is None:
        pytest.skip("NO C++ COMPILER: the second trial device is not tried")
    folder = tmp_path_factory.mktemp("adapter") / "cpp"
    assert command("adapt", "--new", "cpp", str(folder)).returncode == 0
    source, place = folder / "adapter.cpp", folder / "exchanged.exe"
    text = source.read_text(encoding="utf-8")
    assert text.count(RIGHT) == 1
    source.write_text(text.replace(RIGHT, EXCHANGED), encoding="utf-8")
    done = subprocess.run(
        [COMPILER, "-std=c++17", "-O1", "-o", str(place), str(source)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return f"cmd:{place}"
