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


ORACLE, GRAMMAR, FAULTS, DEVICE = "oracle.py", "strategies.py", "faults.py", "device.py"
CONTEXT, ONE = "(context, draft)", "(context)"
WRONG: dict[str, tuple[str, str, str, str]] = {
    "rows-no-function": (ORACLE, "rows=rows", "rows=5", "oracle.SPEC.rows is not a function of (caps)"),
    "rows-other-arguments": (ORACLE, "rows=rows", "rows=lambda: ()", "oracle.SPEC.rows is not a function of (caps)"),
    "rows-list": (
        ORACLE,
        "rows=rows",
        "rows=lambda caps: 'abc'",
        "oracle.SPEC.rows(default_caps) returned a str; expected a tuple of Row",
    ),
    "rows-of-names": (
        ORACLE,
        "rows=rows",
        "rows=lambda caps: caps.kinds",
        "oracle.SPEC.rows(default_caps) returned a tuple with a str; expected a tuple of Row",
    ),
    "rows-raise": (
        ORACLE,
        "rows=rows",
        "rows=lambda caps: caps.sorts",
        "oracle.SPEC raised AttributeError: 'ToyCaps' object has no attribute 'sorts'",
    ),
    **{
        f"{name}-other-arguments": (
            ORACLE,
            f"{name}={name},",
            f"{name}=lambda: 5,",
            f"oracle.SPEC.{name} is not a function of ({arguments})",
        )
        for name, arguments in (
            ("rejected", "program, caps"),
            ("undefined", "program, caps"),
            ("sources", "program"),
            ("execute", "program, memory, profile, readings"),
            ("text", "program, caps"),
            ("instrumented", "program"),
            ("ablations", "program, place"),
        )
    },
    "invalid-under-other-arguments": (
        ORACLE,
        'untouched="TOY-STORE"',
        'untouched="TOY-STORE", invalid_under=lambda: ()',
        "oracle.SPEC.invalid_under is not a function of (program)",
    ),
    "untouched-unknown": (
        ORACLE,
        'untouched="TOY-STORE"',
        'untouched="TOY-STOER"',
        "oracle.SPEC.untouched names 'TOY-STOER', which is no clause of its catalogue",
    ),
    "caps-of-another-type": (
        ORACLE,
        "default_caps=ToyCaps()",
        "default_caps=5",
        "oracle.SPEC.default_caps is not of its caps_type",
    ),
    "entails-unknown": (
        "clauses.toml",
        'visible = "compile"',
        'entails = ["TOY-ROWS"]',
        "oracle.SPEC.catalogue: TOY-ALIGN entails TOY-ROWS, which the catalogue does not have",
    ),
    "near-miss-unknown": (
        GRAMMAR,
        'near_misses={"TOY-ALIGN"',
        'near_misses={"TOY-ALIGNED"',
        "strategies.GRAMMAR.near_misses names 'TOY-ALIGNED', which is no clause of the catalogue",
    ),
    "near-miss-of-a-value": (
        GRAMMAR,
        'near_misses={"TOY-ALIGN"',
        'near_misses={"TOY-MAC"',
        "strategies.GRAMMAR.near_misses names TOY-MAC, which is not a validity clause",
    ),
    "near-miss-other-arguments": (
        GRAMMAR,
        ": unaligned}",
        ": product}",
        f"strategies.GRAMMAR: the near miss of TOY-ALIGN is not a function of {CONTEXT}",
    ),
    "focus-unknown": (
        GRAMMAR,
        '("TOY-ROW", ',
        '("TOY-ROWS", ',
        "strategies.GRAMMAR: template 'product' names TOY-ROWS, which the catalogue does not have",
    ),
    "build-other-arguments": (
        GRAMMAR,
        "product, weight=4",
        "frame, weight=4",
        f"strategies.GRAMMAR: the build of template 'product' is not a function of {ONE}",
    ),
    "base-other-arguments": (
        GRAMMAR,
        "near_miss_base=product",
        "near_miss_base=frame",
        f"strategies.GRAMMAR.near_miss_base is not a function of {ONE}",
    ),
    "frame-other-arguments": (
        GRAMMAR,
        "frame=frame",
        "frame=product",
        f"strategies.GRAMMAR.frame is not a function of {CONTEXT}",
    ),
    "free-other-arguments": (GRAMMAR, "free=product", "free=5", f"strategies.GRAMMAR.free is not a function of {ONE}"),
    "grammar-of-another": (
        GRAMMAR,
        'spec="{spec}"',
        'spec="toy"',
        "strategies.GRAMMAR.spec is 'toy'; expected '{spec}'",
    ),
    "fault-unknown": (
        FAULTS,
        '"TOY-ROW"',
        '"TOY-ROWS"',
        "faults.FAULTS: fault 'toy-by-columns' names 'TOY-ROWS', which is no clause of the catalogue",
    ),
    "fault-no-fault": (FAULTS, "FAULTS = (", "FAULTS = (5,", "faults.FAULTS has a int; expected a Fault"),
    "device-other-arguments": (
        DEVICE,
        "make=ToyDevice",
        "make=lambda: 5",
        "device.DEVICE.make is not a function of (unit)",
    ),
    "device-other-caps": (
        DEVICE,
        "offered=offered",
        "offered=ToyDevice",
        "device.DEVICE.offered is not a function of (caps, supports)",
    ),
    "device-liberty": (
        DEVICE,
        "offered=offered",
        "offered=offered, liberties=frozenset({'oder'})",
        "device.DEVICE.liberties has oder; there are order, subnormals, nan, small-integers, int-overflow",
    ),
}
"""Specification -> the file of the toy that is changed, what is replaced by what, and what is said after the package.

Each stands alone in a package of its own, which is the specification's name with underscores.
"""

LATE: dict[str, tuple[str, str, str, str]] = {
    "template-raises": (
        GRAMMAR,
        "gaps = [4",
        "gaps = [{}[0] or 4",
        "strategies.GRAMMAR raised KeyError: 0",
    ),
    "template-breaks-a-rule": (
        GRAMMAR,
        "gaps = [4",
        "gaps = [1 + 4",
        "strategies.GRAMMAR raised GrammarError: {spec}: product in row s8-8x8 breaks TOY-ALIGN",
    ),
    "rejected-raises": (
        ORACLE,
        "    moves = [",
        "    moves = 1 // 0, [",
        "oracle.SPEC.rejected raised ZeroDivisionError: integer division or modulo by zero",
    ),
    "rejected-returns-none": (
        ORACLE,
        "    return frozenset({",
        "    frozenset({",
        "oracle.SPEC.rejected returned a NoneType; expected a frozenset of str",
    ),
}
"""The same, for what shows only when a program is drawn."""


def beside(site: Path, spec: str, change: tuple[str, str, str, str]) -> str:
    """Install the toy under another name with one change; what mmaspec should say of it."""
    package = spec.replace("-", "_")
    file, old, new, says = (text.replace("{spec}", spec) for text in change)
    install(site, package, f"of-{spec}", "2.5", package, spec)
    shutil.copytree(HERE / "toy_mac", site / package, ignore=shutil.ignore_patterns("__pycache__"))
    for path in (site / package).rglob("*.*"):
        text = path.read_text().replace("toy_mac", package).replace("toy-mac", spec)
        if path.name == file:
            assert text.count(old) == 1, (spec, old)
            text = text.replace(old, new)
        path.write_text(text)
    return f"specification {spec!r} (package {package} of of-{spec} 2.5): {package}.{says}"


@pytest.fixture(scope="session")
def with_wrong(tmp_path_factory: pytest.TempPathFactory) -> tuple[Mmaspec, dict[str, str]]:
    """Mmaspec beside a package for each of these mistakes, and what it should say of each; ``sound`` has none."""
    site = tmp_path_factory.mktemp("site")
    says = {spec: beside(site, spec, change) for spec, change in (WRONG | LATE).items()}
    beside(site, "sound", ("", "", "", ""))
    return runner(site, tmp_path_factory.mktemp("work")), says
