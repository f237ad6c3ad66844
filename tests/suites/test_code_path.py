"""The code that sensitivities are keyed on is all that they depend on, and no more than imports tell."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from functools import cache
from importlib import resources
from pathlib import Path
from types import CodeType, SimpleNamespace

import pytest

import mmaspec.suites
from mmaspec.backends.faults import all_faults
from mmaspec.backends.resolve import resolve
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.oracle.spec import SPECS, spec_named
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.enumerate import DEFAULT_SEED, row_cases
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.judging import sensitivity
from mmaspec.suites.score import code_path
from mmaspec.suites.score.code_path import modules, path_hash

PARTS = ("programs", "oracle", "strategies", "backends", "suites", "generators", "reports")
CACHES = (code_path.path_hash, code_path.modules, code_path._file, code_path._lines)


def folder_of(spec: str) -> str:
    return spec.replace("-", "_")


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package."""
    root = tmp_path_factory.mktemp("copy") / "mmaspec"
    for part in PARTS:
        real = Path(str(resources.files(f"mmaspec.{part}")))
        shutil.copytree(real, root / part, ignore=shutil.ignore_patterns("__pycache__"))
    return root


@pytest.fixture
def copy(copied: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The same, to be changed; the hash is taken of it."""

    def find(name: str) -> SimpleNamespace | None:
        init = copied / name.rpartition(".")[2] / "__init__.py"
        return SimpleNamespace(origin=str(init)) if init.exists() else None

    monkeypatch.setattr(code_path, "find_spec", find)
    forget()
    yield copied
    forget()


def forget() -> None:
    for cached in CACHES:
        cached.cache_clear()


@cache
def as_copied(_: Path) -> dict[str, str]:
    """The hashes of a copy that nobody has changed, or that is again as it was."""
    return {spec: path_hash(spec) for spec in SPECS}


def changed(copy: Path, name: str, text: str) -> set[str]:
    """The specifications whose hash another last line of a file changes."""
    before = as_copied(copy)
    path = copy / name
    was = path.read_text(encoding="utf-8")
    path.write_text(was + text, encoding="utf-8")
    forget()
    after = {spec: path_hash(spec) for spec in SPECS}
    path.write_text(was, encoding="utf-8")
    forget()
    return {spec for spec in SPECS if after[spec] != before[spec]}


@pytest.mark.exhaustive(every=12)
@pytest.mark.parametrize(
    ("name", "text", "specs"),
    [
        ("oracle/numerics/rounding.py", "\n# a remark\n", set()),
        ("oracle/numerics/rounding.py", '\n"""More words."""\n', set()),
        ("oracle/numerics/rounding.py", "\nX = 1\n", set(SPECS)),
        ("suites/judging/sensitivity.py", "\nX = 1\n", set(SPECS)),
        ("suites/running/supervisor.py", "\nX = 1\n", set()),
        ("reports/words.py", "\nX = 1\n", set()),
        *(
            (f"oracle/{folder_of(spec)}/validity.py", "\nX = 1\n", {spec})
            for spec in ("amd-rdna3-wmma", "hlsl-wave-matrix")
        ),
        *((f"oracle/{folder_of(spec)}/clauses.toml", "\n# a remark\n", set()) for spec in SPECS),
        *((f"oracle/{folder_of(spec)}/clauses.toml", "\n[more]\nx = 1\n", {spec}) for spec in SPECS),
        *((f"backends/faults/{folder_of(spec)}/catalogue.py", "\nX = 1\n", {spec}) for spec in SPECS),
        *((f"programs/{folder_of(spec)}/caps.py", "\nX = 1\n", {spec}) for spec in SPECS),
    ],
)
def test_a_change_counts_for_whom_it_can_concern(copy: Path, name: str, text: str, specs: set[str]) -> None:
    assert changed(copy, name, text) == specs


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("spec", SPECS)
def test_no_module_that_is_executed_is_left_out(spec: str) -> None:
    """Drawing, expecting and counterfactuals of a few cases, with every function that is entered written down.

    What shared modules do when they are imported does not count: they import those of every specification.
    """
    resolve("numpy")
    all_faults()
    listed = spec_named(spec)
    root = Path(mmaspec.suites.__file__).parents[1]
    sensitivity.made.cache_clear()
    entered: set[CodeType] = set()

    def note(frame: object, event: str, _argument: object) -> None:
        if event == "call":
            entered.add(frame.f_code)  # type: ignore[attr-defined]

    row = listed.rows(listed.default_caps)[0].name
    sys.setprofile(note)
    try:
        recipes = row_cases(spec, listed.default_caps, "quick", DEFAULT_SEED, row)
        for recipe in (recipes[0], recipes[-1]):
            case = materialise(recipe)
            sensitivity.sensitive_to(case, expect_by_reading(case, PRACTICE))
    finally:
        sys.setprofile(None)
    files = {path.resolve() for name in modules(spec) if (path := code_path._file(name)) is not None}
    ran = {Path(code.co_filename).resolve() for code in entered if not code.co_filename.startswith("<")}
    ours = {path for path in ran if any(path.is_relative_to((root / part).resolve()) for part in PARTS)}
    assert len(ours) > 30
    assert ours <= files


def test_a_hash_is_worked_out_once_for_a_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    anew = code_path.kept_path_hash.__wrapped__
    monkeypatch.setattr(code_path, "user_file", lambda name: tmp_path / name)
    assert anew(SPECS[0]) == path_hash(SPECS[0])
    (file,) = tmp_path.iterdir()
    with monkeypatch.context() as patched:
        patched.setattr(code_path, "path_hash", lambda _: "another")
        assert anew(SPECS[0]) == path_hash(SPECS[0])
        patched.setattr(code_path, "own_hash", lambda: "of other code")
        assert anew(SPECS[0]) == "another"
    file.write_bytes(file.read_bytes()[:-1])
    assert anew(SPECS[0]) == path_hash(SPECS[0]), "a damaged file counts as none"
