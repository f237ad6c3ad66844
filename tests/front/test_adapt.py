"""``mmaspec adapt``: what it writes runs, what it writes is current, and planted mistakes are seen."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mmaspec.backends.external.backend import ExternalBackend
from mmaspec.backends.external.schema import schemas
from mmaspec.commands import adapt_check
from mmaspec.commands.adapt import adapt
from mmaspec.programs.errors import BadInput
from mmaspec.suites.score import wiring
from mmaspec.suites.score.wiring import PLANTS, Plant

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "adapters"


def new(language: str, place: Path) -> int:
    return adapt(place, language, None, [], 60.0, schema=False)


@pytest.mark.parametrize("language", ["c", "cpp", "python"])
def test_a_new_adapter_is_the_example(language: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert new(language, tmp_path / "new") == 0
    assert str(tmp_path / "new" / "README.md") in capsys.readouterr().out
    for path in (EXAMPLES / language).iterdir():
        assert path.is_dir() or (tmp_path / "new" / path.name).read_bytes() == path.read_bytes()
    with pytest.raises(BadInput, match="exists already"):
        new(language, tmp_path / "new")


def test_it_runs_where_it_was_written(tmp_path: Path) -> None:
    new("python", tmp_path)
    with ExternalBackend(f'"{sys.executable}" "{tmp_path / "adapter.py"}"') as backend:
        assert backend.describe().name == "example-python"


@pytest.mark.parametrize(
    ("place", "language", "check", "schema", "line"),
    [
        (None, None, None, False, "expected one of --new LANGUAGE DIR, --check BACKEND and --schema DIR"),
        (None, "cpp", "numpy", False, "expected one of"),
        (None, "cpp", None, False, "--new cpp: expected a folder to write to"),
        (None, None, None, True, "--schema: expected a folder to write to"),
        (Path("x"), "rust", None, False, "--new rust: there are c, cpp, python"),
        (Path("x"), None, "numpy", False, "writes nothing; leave out x"),
    ],
)
def test_wrong_use_is_one_line(
    place: Path | None, language: str | None, check: str | None, *, schema: bool, line: str
) -> None:
    with pytest.raises(BadInput) as bad:
        adapt(place, language, check, [], 60.0, schema=schema)
    assert line in str(bad.value)


def test_a_folder_that_cannot_be_written_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BadInput, match="cannot be written"):
        new("cpp", tmp_path / "file")


def test_the_schemas_in_the_documents_are_current(tmp_path: Path) -> None:
    """If this fails: ``mmaspec adapt --schema docs/schemas``."""
    adapt(tmp_path, None, None, [], 60.0, schema=True)
    folder = ROOT / "docs" / "schemas"
    assert {path.name for path in folder.iterdir()} == set(schemas())
    for path in folder.iterdir():
        assert path.read_bytes() == (tmp_path / path.name).read_bytes(), path.name


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapt_check, "A_ROW", 1)


def checked(text: str) -> int:
    return adapt(None, None, text, ["amd-rdna3-wmma"], 60.0, schema=False)


@pytest.mark.usefixtures("quick")
def test_every_planted_mistake_is_seen(capsys: pytest.CaptureFixture[str]) -> None:
    assert checked(f'cmd:"{sys.executable}" "{EXAMPLES / "python" / "adapter.py"}"') == 0
    out = capsys.readouterr().out
    assert out.endswith("every mistake would be seen\n")
    assert all(name in out for name in PLANTS)


@pytest.mark.usefixtures("quick")
def test_a_mistake_that_is_not_seen_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    harmless = Plant("nothing at all", lambda _, execute, images: execute(images))
    for module in (wiring, adapt_check):
        monkeypatch.setattr(module, "PLANTS", {**dict(list(PLANTS.items())[:1]), "batch-order": harmless})
    assert checked("numpy") == 1
    assert capsys.readouterr().out.endswith("not every mistake would be seen\n")


@pytest.mark.usefixtures("quick")
def test_an_adapter_that_fails_by_itself_proves_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert checked(f'cmd:"{sys.executable}" "{EXAMPLES / "python" / "broken.py"}"') == 1
    assert "fails with nothing planted: amd-rdna3-wmma: " in capsys.readouterr().out


@pytest.mark.usefixtures("quick")
def test_caps_without_a_case_for_a_mistake_are_inconclusive(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(adapt_check, "_cases", lambda *_: ())
    assert checked("numpy") == 3
    assert capsys.readouterr().out.endswith("there is no case for some mistakes\n")
