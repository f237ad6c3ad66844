"""A folder of installed packages that add specifications, and mmaspec run with it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).parent
Mmaspec = Callable[..., subprocess.CompletedProcess[str]]


def install(site: Path, package: str, name: str, version: str, value: str | None = None, spec: str = "") -> None:
    """What an installer leaves of a package: its metadata, with one entry point."""
    info = site / f"{package}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (info / "entry_points.txt").write_text(f"[mmaspec.specs]\n{spec or name} = {value or package}\n")


def runner(site: Path, work: Path) -> Mmaspec:
    """Runs mmaspec, or with ``code`` a program, in a process that finds the packages of ``site``."""

    def run(*words: str, code: str = "") -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])])
        command = [sys.executable, *(["-c", code] if code else ["-m", "mmaspec"]), *words]
        settings = {**os.environ, "PYTHONPATH": path, "XDG_CACHE_HOME": str(work / "cache")}
        return subprocess.run(command, cwd=work, env=settings, capture_output=True, text=True, timeout=300, check=False)

    return run


@pytest.fixture(scope="session")
def with_toy(tmp_path_factory: pytest.TempPathFactory) -> Mmaspec:
    """Mmaspec beside the installed package ``toy-mac``, as its pyproject.toml describes it."""
    site = tmp_path_factory.mktemp("site")
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    ((spec, package),) = project["entry-points"]["mmaspec.specs"].items()
    shutil.copytree(HERE / package, site / package, ignore=shutil.ignore_patterns("__pycache__"))
    install(site, package, project["name"], project["version"], package, spec)
    return runner(site, tmp_path_factory.mktemp("work"))


BROKEN = {
    "raises": ("broken_raises", "raise RuntimeError('first line\\nsecond line')\n"),
    "leaves": ("broken_leaves", "raise SystemExit(5)\n"),
    "lacks": ("broken_lacks", "SPEC = 5\n"),
    "absent": ("broken_absent", None),
}
"""Specification -> its package, and the text of the package's ``oracle`` module; None: the package is not there."""


@pytest.fixture(scope="session")
def with_broken(tmp_path_factory: pytest.TempPathFactory) -> Mmaspec:
    """Mmaspec beside packages with specifications that cannot be used; two claim one name, one claims one of ours."""
    site = tmp_path_factory.mktemp("site")
    for spec, (package, text) in BROKEN.items():
        install(site, package, f"of-{spec}", "2.5", package, spec)
        if text is not None:
            (site / package).mkdir()
            (site / package / "__init__.py").touch()
            (site / package / "oracle.py").write_text(text)
    for package in ("one", "other"):
        install(site, package, package, "1", package, "claimed")
    install(site, "usurper", "usurper", "1", "broken_lacks", "amd-rdna3-wmma")
    return runner(site, tmp_path_factory.mktemp("work"))
