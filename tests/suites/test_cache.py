"""What a user's cache says is believed only as it was kept, and never against the stored table."""

from __future__ import annotations

from pathlib import Path

import msgspec
import platformdirs
import pytest

from mmaspec.backends.resolve import resolve
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.amd_rdna3_wmma.caps import Caps
from mmaspec.programs.errors import Halted
from mmaspec.strategies.enumerate import case_list
from mmaspec.suites.judging.cache import (
    is_damaged,
    keep,
    kept,
    read_sensitivity,
    sensitivity_path,
    write_sensitivity,
)
from mmaspec.suites.judging.remembered.acceptance import acceptance_path, read_acceptance
from mmaspec.suites.planning.prepare import Wanted, prepare
from mmaspec.suites.running.run_folder import RunFolder
from mmaspec.suites.running.supervisor import drop_doubtful
from mmaspec.suites.score import shipped
from mmaspec.suites.score.matrix import sensitivities

SPEC = "amd-rdna3-wmma"
FOUND = {"a": ("one", "two"), "b": ()}


def test_what_was_kept_is_read(tmp_path: Path) -> None:
    path = tmp_path / "sensitivity.json"
    assert read_sensitivity(path) == {}
    assert not is_damaged(path)
    write_sensitivity(path, FOUND)
    assert read_sensitivity(path) == FOUND
    assert not is_damaged(path)


@pytest.mark.parametrize("old", [b'"two"', b"one", b"\n", b"}", b'["one","two"]'])
def test_what_was_edited_or_cut_is_not(tmp_path: Path, old: bytes) -> None:
    path = tmp_path / "sensitivity.json"
    write_sensitivity(path, FOUND)
    for new in (b"", b"[]", b"x"):
        path.write_bytes(path.read_bytes().replace(old, new, 1))
        assert read_sensitivity(path) == {}
        assert is_damaged(path)


def test_what_has_no_hash_or_that_of_another_file_is_not(tmp_path: Path) -> None:
    path, other = tmp_path / "sensitivity-1.json", tmp_path / "sensitivity-2.json"
    path.write_bytes(msgspec.json.encode({"a": (), "b": ()}))
    assert read_sensitivity(path) == {}
    write_sensitivity(path, FOUND)
    path.rename(other)
    assert read_sensitivity(other) == {}
    assert is_damaged(other)


@pytest.fixture
def planned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunFolder:
    """A run of one row, whose user keeps a cache of his own."""
    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda *_, **__: str(tmp_path / "cache"))
    folder = RunFolder(tmp_path / "run")
    backend = resolve("numpy")
    monkeypatch.setattr(backend, "caps", lambda _: Caps(builtins=("i32_16x16x16_iu8_w32",)))
    folder.write_plan(*prepare(Wanted(specs=(SPEC,), tier="quick"), backend))
    return folder


def test_a_cache_that_contradicts_the_stored_table_is_removed(
    planned: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = [case.id for case in planned.cases]
    monkeypatch.setattr(shipped, "known", lambda _: {cases[3]: ("one",), "of another list": ("two",)})
    path = planned.sensitivity(SPEC)
    assert path is not None
    write_sensitivity(path, {**dict.fromkeys(cases, ()), cases[3]: ("one",)})
    assert drop_doubtful(planned) == []
    assert path.exists()
    write_sensitivity(path, dict.fromkeys(cases, ()))
    (hint,) = drop_doubtful(planned)
    assert hint == (
        f"{path}: not used, and computed anew: it says something else of case {cases[3]} than mmaspec's own table"
    )
    assert not path.exists()
    assert drop_doubtful(planned) == []


def test_damaged_files_are_removed_and_told(planned: RunFolder) -> None:
    path = planned.sensitivity(SPEC)
    assert path is not None
    accepted = acceptance_path(path, planned.plan.profile)
    keep(accepted, b"{}")
    write_sensitivity(path, {})
    assert drop_doubtful(planned) == []
    for file in (path, accepted):
        file.write_bytes(b"{}")
    hints = drop_doubtful(planned)
    assert [hint.partition(": ")[0] for hint in hints] == [str(path), str(accepted)]
    assert all(hint.endswith("its hash is not that of what it says") for hint in hints)
    assert not path.exists()
    assert not accepted.exists()
    assert read_acceptance(accepted) == {}


def test_what_cannot_be_removed_ends_the_run(planned: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    path = planned.sensitivity(SPEC)
    assert path is not None
    keep(path, b"{}")
    path.write_bytes(b"{}")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(Halted, match="cannot be removed: Permission denied"):
        drop_doubtful(planned)


def test_the_matrix_believes_no_cache_that_contradicts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda *_, **__: str(tmp_path / "cache"))
    recipes = case_list(SPEC, spec_named(SPEC).default_caps, "quick")[:2]
    stored = {recipe.id: ("stored",) for recipe in recipes}
    monkeypatch.setattr(shipped, "known", lambda _: stored)
    path = sensitivity_path(recipe.id for recipe in recipes)
    write_sensitivity(path, {recipe.id: () for recipe in recipes})
    assert sensitivities(recipes, lambda *_: None) == stored
    assert kept(path)
