"""The C++ adapter and its twin, compiled once."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ADAPTERS = Path(__file__).parents[2] / "examples" / "adapters"
COMPILER = next((found for name in ("c++", "g++", "clang++") if (found := shutil.which(name))), None)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The C++ adapter and its twin, compiled at the same time."""
    if COMPILER is None:
        pytest.skip("no C++ compiler")
    folder = tmp_path_factory.mktemp("built")
    places = {name: folder / f"{name}.exe" for name in ("adapter", "broken")}
    commands = [
        [COMPILER, "-std=c++17", "-O1", "-Wall", "-Wextra", "-o", str(place), str(ADAPTERS / "cpp" / f"{name}.cpp")]
        for name, place in places.items()
    ]
    for compiling in [subprocess.Popen(command, stderr=subprocess.PIPE) for command in commands]:
        assert compiling.communicate()[1] == b""
        assert compiling.returncode == 0
    return places
