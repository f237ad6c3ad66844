"""The example adapters conform, on every level and transport, and their broken twins do not."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from mmaspec.backends.external.backend import ExternalBackend
from mmaspec.backends.external.file_transport import FileTransport
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.recipe import encode_recipe
from mmaspec.suites.planning.plan import Planned
from mmaspec.suites.running.prefetch import prefetch_answers
from mmaspec.suites.vectors.layout import compact, explicit
from tests.front.in_process import told
from tests.vectors.lab import answer

from .judged import judged, recipes

ADAPTERS = Path(__file__).parents[2] / "examples" / "adapters"
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


def test_the_cpp_adapter_runs_whole_wave_matrix_programs(built: dict[str, Path]) -> None:
    with ExternalBackend(f'"{built["adapter"]}"') as backend:
        assert backend.describe().borrowed == ()
        assert set(outcomes(backend, WM, 8)) == {"legal"}


def test_its_broken_twin_ignores_the_row_stride(built: dict[str, Path]) -> None:
    with ExternalBackend(f'"{built["broken"]}"') as backend:
        found = blamed(backend, WM, 16)
        assert found["WM-ADDR-ROW"] > 0
        assert set(found) <= {"WM-ADDR-ROW", "WM-ADDR-COL", "WM-ADDR-GS"}


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("files", ["", ' "{request}" "{reply}"'], ids=["pipes", "files"])
def test_the_cpp_adapter_multiplies(built: dict[str, Path], files: str) -> None:
    with ExternalBackend(f'"{built["adapter"]}" --mma{files}') as backend:
        assert set(outcomes(backend, RDNA3, 30 if files else 8)) == {"legal"}


def test_the_cpp_adapter_takes_several_cases_in_a_file(built: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    starts = []
    run_once = FileTransport._run
    monkeypatch.setattr(FileTransport, "_run", lambda *given: starts.append(1) or run_once(*given))
    with ExternalBackend(f'"{built["adapter"]}" "{{request}}" "{{reply}}"') as backend:
        chosen = recipes(backend, WM, 10)
        planned = [Planned(recipe.id, "", msgspec.Raw(encode_recipe(recipe))) for recipe in chosen]
        assert prefetch_answers(backend, planned, PRACTICE, backend.describe()) == len(chosen) > 5
        assert len(starts) == 2, "hello, and all the cases"
        assert {result.outcome for result in judged(backend, chosen)} == {"legal"}
    assert len(starts) < len(chosen)  # only what is asked once more


def test_the_cpp_adapter_is_short() -> None:
    assert len((ADAPTERS / "cpp" / "adapter.cpp").read_text(encoding="utf-8").splitlines()) < 310


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("words", ["", " {stdio}", ' "{request}" "{reply}"'], ids=["pipes", "streams", "files"])
def test_the_python_adapter_multiplies(words: str) -> None:
    with ExternalBackend(f'{PYTHON}adapter.py"{words}') as backend:
        assert set(outcomes(backend, RDNA3, 60 if "request" in words else 20)) == {"legal"}


def test_elements_may_lie_in_the_other_order_and_batches_be_small(tmp_path: Path) -> None:
    text = (ADAPTERS / "python" / "adapter.py").read_text(encoding="utf-8").replace('"<', '">')
    changed = text.replace('"level": "mma"', '"level": "mma", "byte_order": "big", "max_batch": 50')
    (tmp_path / "adapter.py").write_text(changed, encoding="utf-8")
    with ExternalBackend(f'"{sys.executable}" "{tmp_path / "adapter.py"}"') as backend:
        assert set(outcomes(backend, RDNA3, 20)) == {"legal"}


def replayed(backend: str, clause: str) -> tuple[int, str]:
    """The exit code and first line for a golden example."""
    golden = ADAPTERS.parent / "clauses" / f"{clause}.toml"
    done = told("replay", str(golden), "--backend", f"cmd:{backend}", folder=golden.parent)
    return done.code, done.out + done.err


def test_the_command_line_tells_twins_apart_and_names_the_clause(built: dict[str, Path]) -> None:
    assert replayed(f'{PYTHON}adapter.py"', "RDNA3-IU-SIGN")[0] == 0
    code, said = replayed(f'{PYTHON}broken.py"', "RDNA3-IU-SIGN")
    assert (code, said.partition(": wrong")[0]) == (1, "illegal: RDNA3-IU-SIGN")
    assert replayed(f'"{built["adapter"]}"', "WM-ADDR-ROW")[0] == 0
    code, said = replayed(f'"{built["broken"]}"', "WM-ADDR-ROW")
    assert (code, said.partition(": wrong")[0]) == (1, "illegal: WM-ADDR-ROW")


def run_of(folder: Path) -> dict[str, Any]:
    run: dict[str, Any] = json.loads((folder / "run.json").read_bytes())
    return run


@pytest.mark.long
@pytest.mark.parametrize(("name", "code"), [("adapter", 0), ("broken", 1)])
def test_the_cpp_adapter_gets_the_same_verdicts_live_and_through_vectors(
    built: dict[str, Path], name: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))  # sensitivities are computed once

    def mmaspec(*words: str | Path) -> int:
        done = subprocess.run([sys.executable, "-m", "mmaspec", *map(str, words)], capture_output=True, check=False)
        assert b"Traceback" not in done.stderr, done.stderr
        return done.returncode

    with ExternalBackend(f'"{built[name]}"') as backend:
        caps = tmp_path / "caps.json"
        caps.write_bytes(compact(explicit(backend.caps(WM))))
        assert mmaspec("vectors", WM, "--caps", caps, "--out", tmp_path / "vectors") == 0
        answer(tmp_path / "vectors", tmp_path / "answers", backend)
    live, later = tmp_path / "live", tmp_path / "later"
    assert mmaspec("check", "-b", f'cmd:"{built[name]}"', "-s", WM, "-n", "0", "--report", live) == code
    folders = tmp_path / "vectors", tmp_path / "answers"
    assert mmaspec("vectors", "verify", *folders, "-n", "0", "--report", later) == code
    now, then = run_of(live), run_of(later)
    for part in ("verdict", "readings", "case_list", "caps", "backend"):
        assert now.get(part) == then.get(part), part
    assert {**now["totals"], "clauses": None} == {**then["totals"], "clauses": None}
    failing = [
        {clause for clause, found in run["specs"][WM]["clauses"].items() if found["status"] == "fail"}
        for run in (now, then)
    ]
    assert failing[0] == failing[1]
    assert ("WM-ADDR-ROW" in failing[0]) == (name == "broken")
    if code == 0:
        assert now["specs"] == then["specs"]
