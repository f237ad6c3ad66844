"""The example adapters conform, on every level and transport, and their broken twins do not."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from mmaspec.backends.external.backend import ExternalBackend

from .judged import judged, recipes

ADAPTERS = Path(__file__).parents[2] / "examples" / "adapters"
COMPILER = next((found for name in ("c++", "g++", "clang++") if (found := shutil.which(name))), None)
PYTHON = f'"{sys.executable}" "{ADAPTERS / "python"}{"/" if sys.platform != "win32" else chr(92)}'
WM, RDNA3 = "hlsl-wave-matrix", "amd-rdna3-wmma"


def outcomes(backend: ExternalBackend, spec: str, step: int = 1) -> Counter[str]:
    chosen = recipes(backend, spec, step)
    assert len(chosen) > 1
    return Counter(result.outcome for result in judged(backend, chosen))


def blamed(backend: ExternalBackend, spec: str, step: int) -> Counter[str]:
    """Clauses that were blamed first."""
    findings = [result.finding for result in judged(backend, recipes(backend, spec, step))]
    return Counter(finding.blamed[0] for finding in findings if finding is not None and finding.blamed)


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


def test_the_cpp_adapter_runs_whole_wave_matrix_programs(built: dict[str, Path]) -> None:
    with ExternalBackend(f'"{built["adapter"]}"') as backend:
        assert backend.describe().borrowed == ()
        assert set(outcomes(backend, WM, 2)) == {"legal"}


def test_its_broken_twin_ignores_the_row_stride(built: dict[str, Path]) -> None:
    with ExternalBackend(f'"{built["broken"]}"') as backend:
        found = blamed(backend, WM, 8)
        assert found["WM-ADDR-ROW"] > 0
        assert set(found) <= {"WM-ADDR-ROW", "WM-ADDR-COL", "WM-ADDR-GS"}


@pytest.mark.parametrize("files", ["", ' "{request}" "{reply}"'], ids=["pipes", "files"])
def test_the_cpp_adapter_multiplies(built: dict[str, Path], files: str) -> None:
    with ExternalBackend(f'"{built["adapter"]}" --mma{files}') as backend:
        assert set(outcomes(backend, RDNA3, 8 if files else 2)) == {"legal"}


def test_the_cpp_adapter_is_short() -> None:
    assert len((ADAPTERS / "cpp" / "adapter.cpp").read_text(encoding="utf-8").splitlines()) < 300


@pytest.mark.parametrize("words", ["", " {stdio}", ' "{request}" "{reply}"'], ids=["pipes", "streams", "files"])
def test_the_python_adapter_multiplies(words: str) -> None:
    with ExternalBackend(f'{PYTHON}adapter.py"{words}') as backend:
        assert set(outcomes(backend, RDNA3, 60 if "request" in words else 6)) == {"legal"}


def test_elements_may_lie_in_the_other_order_and_batches_be_small(tmp_path: Path) -> None:
    text = (ADAPTERS / "python" / "adapter.py").read_text(encoding="utf-8").replace('"<', '">')
    changed = text.replace('"level": "mma"', '"level": "mma", "byte_order": "big", "max_batch": 50')
    (tmp_path / "adapter.py").write_text(changed, encoding="utf-8")
    with ExternalBackend(f'"{sys.executable}" "{tmp_path / "adapter.py"}"') as backend:
        assert set(outcomes(backend, RDNA3, 20)) == {"legal"}


def replayed(backend: str, clause: str) -> tuple[int, str]:
    """The exit code and first line for a golden example."""
    golden = ADAPTERS.parent / "clauses" / f"{clause}.toml"
    words = [sys.executable, "-m", "mmaspec", "replay", str(golden), "--backend", f"cmd:{backend}"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_the_command_line_tells_twins_apart_and_names_the_clause(built: dict[str, Path]) -> None:
    assert replayed(f'{PYTHON}adapter.py"', "RDNA3-IU-SIGN")[0] == 0
    code, said = replayed(f'{PYTHON}broken.py"', "RDNA3-IU-SIGN")
    assert (code, said.partition(": wrong")[0]) == (1, "illegal: RDNA3-IU-SIGN")
    assert replayed(f'"{built["adapter"]}"', "WM-ADDR-ROW")[0] == 0
    code, said = replayed(f'"{built["broken"]}"', "WM-ADDR-ROW")
    assert (code, said.partition(": wrong")[0]) == (1, "illegal: WM-ADDR-ROW")
