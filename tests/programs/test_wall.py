"""The import contracts hold, and each bites: a copy of the package with one wrong import fails ``lint-imports``."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LAYERS = "Imports run downward only"
WALL = "The numpy backend and its faults know nothing of the oracle"
CIRCLES = "No circles between rooms"
FLOOR = "Programs and the oracle stand on nothing above them"
LINT = "from importlinter.cli import lint_imports_command; lint_imports_command()"


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folders at the root as the one package that they are installed as, in a folder of its own."""
    place = tmp_path_factory.mktemp("wall")
    folders = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-dir"]
    for name, folder in sorted(folders.items()):
        code = (path for path in (ROOT / folder).rglob("*.py") if "adapters" not in path.parts)
        for path in code:
            target = place.joinpath(*name.split("."), path.relative_to(ROOT / folder))
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    return place


@pytest.fixture
def planted(copy: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """The copy with one more line at the end of one module, for one test."""
    module, line = request.param
    path = copy.joinpath("mmaspec", *module.split(".")).with_suffix(".py")
    there = path.exists()
    before = path.read_text() if there else ""
    path.write_text(f"{before}\n{line}\n")
    yield copy
    if there:
        path.write_text(before)
    else:
        path.unlink()


def broken(package: Path) -> set[str]:
    """The contracts that the copy breaks."""
    done = subprocess.run(
        [sys.executable, "-c", LINT, "--config", str(ROOT / "pyproject.toml"), "--no-cache"],
        cwd=package,
        env={**os.environ, "PYTHONPATH": str(package), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    told = {line.rpartition(" ")[0]: line.rpartition(" ")[2] for line in done.stdout.splitlines()}
    contracts = {name: told.get(name) for name in (LAYERS, WALL, CIRCLES, FLOOR)}
    assert set(contracts.values()) <= {"KEPT", "BROKEN"}, done.stdout + done.stderr
    found = {name for name, verdict in contracts.items() if verdict == "BROKEN"}
    assert (done.returncode == 0) == (not found)
    return found


def test_the_wall_is_one_line() -> None:
    """Whatever comes into the oracle is forbidden; nothing is excepted."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (wall,) = (contract for contract in contracts if contract["name"] == WALL)
    assert wall == {
        "name": WALL,
        "type": "forbidden",
        "source_modules": ["mmaspec.backends.numpy", "mmaspec.backends.faults"],
        "forbidden_modules": ["mmaspec.oracle"],
    }


def test_every_contract_is_kept(copy: Path) -> None:
    assert broken(copy) == set()


@pytest.mark.parametrize(
    ("planted", "contracts"),
    [
        (("backends.numpy.units.exact", "from mmaspec.oracle.numerics.rounding import round_to"), {WALL}),
        (("backends.faults.amd_rdna3_wmma.catalogue", "import mmaspec.oracle.amd_rdna3_wmma.builtins"), {WALL}),
        (("backends.numpy.units.blas", "def late():\n    from mmaspec.strategies.recipe import products"), {WALL}),
        (("programs.base", "from mmaspec.oracle.numerics.codec import decode"), {LAYERS, WALL, CIRCLES}),
        (("oracle.source", "from mmaspec.strategies.choices import Choices"), {LAYERS, CIRCLES}),
        (("oracle.nv_coopmat2.tensors.layouts", "import mmaspec.oracle.nv_coopmat2.validity.tensors"), {CIRCLES}),
        (("programs.formats", "import ml_dtypes"), {FLOOR}),
    ],
    ids=["direct", "fault", "indirect", "upward", "further upward", "circle", "library"],
    indirect=["planted"],
)
def test_one_wrong_import_breaks(planted: Path, contracts: set[str]) -> None:
    assert broken(planted) == contracts


@pytest.mark.parametrize("planted", [("oracle.brand_new", "VALUE = 1")], ids=["new"], indirect=True)
def test_what_is_new_in_the_oracle_is_behind_the_wall(planted: Path) -> None:
    assert broken(planted) == set()
    path = planted / "mmaspec" / "backends" / "faults" / "fault.py"
    before = path.read_text()
    path.write_text(f"{before}\nfrom mmaspec.oracle.brand_new import VALUE\n")
    try:
        assert broken(planted) == {WALL}
    finally:
        path.write_text(before)
