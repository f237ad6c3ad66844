"""Sensitivities that come along count for exactly the code that they were computed with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import platformdirs
import pytest

from mmaspec.backends.resolve import resolve
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.oracle.spec import SPECS, spec_named
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.enumerate import row_cases
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.judging.cache import sensitivity_path, write_sensitivity
from mmaspec.suites.judging.sensitivity import sensitive_to
from mmaspec.suites.planning.plan import Plan, case_list_hash
from mmaspec.suites.running.run_folder import RunFolder
from mmaspec.suites.running.share import Worker
from mmaspec.suites.score import shipped
from mmaspec.suites.score.code_path import path_hash
from mmaspec.suites.score.matrix import listed_whole
from mmaspec.suites.score.table_command import run_command

SPEC = SPECS[0]
SOME = {"0" * 16: ("some-fault",), "f" * 16: ()}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of files in place of that which comes along."""
    monkeypatch.setattr(shipped, "folder", lambda: tmp_path)
    monkeypatch.setattr(shipped, "known", shipped.known.__wrapped__)
    return tmp_path


def write(files: Path, spec: str, code: str) -> None:
    (files / f"{spec}.json").write_bytes(shipped.text(shipped.Shipped(code, SOME)))


def test_those_of_other_code_are_ignored(files: Path) -> None:
    for code, counts in (("0123456789abcdef", False), (path_hash(SPEC), True)):
        write(files, SPEC, code)
        assert shipped.known(SPEC) == (SOME if counts else {})
    assert shipped.known(SPECS[1]) == {}, "each has a file of its own"


@pytest.mark.parametrize("text", [None, b"", b"[]", b'{"code": 1, "cases": {}}', b"\xff"], ids=repr)
def test_a_missing_or_damaged_file_is_as_none(files: Path, text: bytes | None) -> None:
    if text is not None:
        (files / f"{SPEC}.json").write_bytes(text)
    assert shipped.read(SPEC) == shipped.Shipped("", {})
    assert shipped.is_stale(SPEC)


def test_a_stale_file_is_named_with_the_command_that_writes_it(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for spec in SPECS:
        write(files, spec, path_hash(spec))
    assert run_command(shipped.TABLE, ["--check"]) == 0
    assert "stale" not in capsys.readouterr().out
    write(files, SPECS[1], "0123456789abcdef")
    assert run_command(shipped.TABLE, ["--check"]) == 1
    said = capsys.readouterr().out
    assert f"python -m mmaspec.suites.score.shipped {SPECS[1]}\n" in said
    assert SPECS[0] not in said


def test_each_case_has_a_line(files: Path) -> None:
    write(files, SPEC, "c0de")
    text = (files / f"{SPEC}.json").read_text()
    assert text.splitlines()[2:4] == [f'"{"0" * 16}":["some-fault"],', f'"{"f" * 16}":[]']
    assert shipped.read(SPEC) == shipped.Shipped("c0de", SOME)


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("spec", SPECS)
def test_a_sample_of_what_comes_along_is_right(spec: str, one_in: Callable[[int], int]) -> None:
    """Only where it is of this code; `python -m mmaspec.suites.score.shipped --compare` computes all of it again."""
    if shipped.is_stale(spec):
        pytest.skip("computed with other code: ignored")
    found = shipped.read(spec)
    recipes = listed_whole(spec_named(spec), "smoke")
    assert set(found.cases) == {recipe.id for recipe in recipes}
    for recipe in recipes[:: 20 * one_in(30)]:
        case = materialise(recipe)
        assert found.cases[recipe.id] == sensitive_to(case, expect_by_reading(case, PRACTICE))


@pytest.mark.parametrize("kept", [False, True])
def test_a_worker_asks_for_them_only_where_none_are_kept(
    kept: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shipped, "known", lambda spec: {spec: ("shipped",)})
    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda *_, **__: str(tmp_path / "cache"))
    caps = spec_named(SPEC).default_caps
    recipes = row_cases(SPEC, caps, "smoke", 1, spec_named(SPEC).rows(caps)[0].name)[:1]
    if kept:
        write_sensitivity(sensitivity_path(recipe.id for recipe in recipes), {SPEC: ("kept",)})
    description = resolve("numpy").describe()
    plan = Plan(
        backend="numpy", isolate=False, time_limit=1.0, description=description, profile=PRACTICE, authority="profile",
        tier="smoke", seed=1, specs=(SPEC,), caps={SPEC: caps},
        case_list=case_list_hash(recipe.id for recipe in recipes),
    )  # fmt: skip
    folder = RunFolder(tmp_path / "run")
    folder.write_plan(plan, recipes)
    worker = Worker(folder, "main")
    worker.close()
    assert worker.known == {SPEC: ("kept" if kept else "shipped",)}


def test_what_differs_is_named() -> None:
    assert shipped.differing({"a": ("x",), "b": ()}, {"b": ("y",), "c": ()}) == ["a", "b", "c"]
    assert shipped.differing({"a": ("x",)}, {"a": ("x",)}) == []
