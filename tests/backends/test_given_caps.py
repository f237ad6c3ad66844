"""Built-in backends that report the caps in a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mmaspec.backends.given_caps import parted, with_files
from mmaspec.backends.resolve import isolated, resolve
from mmaspec.programs.amd_rdna3_wmma.caps import Caps
from mmaspec.programs.errors import BadInput

RDNA3, NV = "amd-rdna3-wmma", "nv-coopmat2"
ONE = Caps(builtins=("i32_16x16x16_iu8_w64",))


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """A device with one builtin."""
    path = tmp_path / "a device@work=1.json"
    path.write_text('{"builtins": ["i32_16x16x16_iu8_w64"]}')
    return path


@pytest.mark.parametrize("name", ["numpy", "legal:sequential", "fault:rdna3-half-wave-holds-eight-rows"])
def test_a_built_in_backend_reports_the_caps_of_a_file(name: str, record: Path) -> None:
    text = with_files(name, [RDNA3], [str(record)])
    backend = resolve(text)
    assert backend.caps(RDNA3) == ONE
    assert resolve(name).caps(RDNA3) != ONE
    if name != "fault:rdna3-half-wave-holds-eight-rows":  # which has one specification only
        assert backend.caps(NV) == resolve(name).caps(NV)


def test_so_does_one_in_a_child_process(record: Path) -> None:
    with isolated(with_files("numpy", [RDNA3], [str(record)])) as backend:
        assert backend.caps(RDNA3) == ONE


def test_names_are_taken_apart_at_specifications_only(record: Path) -> None:
    text = with_files("numpy", [], [f"{RDNA3}={record}"])
    assert parted(text) == ("numpy", {RDNA3: str(record)})
    assert parted("legal:blas") == ("legal:blas", {})
    assert parted(rf"numpy@{NV}=C:\caps\x.json@{RDNA3}=y") == ("numpy", {NV: r"C:\caps\x.json", RDNA3: "y"})


def test_paths_are_kept_whole(record: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(record.parent)
    assert parted(with_files("numpy", [RDNA3], [record.name]))[1] == {RDNA3: str(record)}


REFUSED: dict[str, tuple[Callable[[Path], object], str]] = {
    "no specification": (lambda path: with_files("numpy", [], [str(path)]), "of which specification"),
    "several": (lambda path: with_files("numpy", [RDNA3, NV], [str(path)]), "of which specification"),
    "another": (lambda path: with_files("numpy", [NV], [f"{RDNA3}={path}"]), "not among the specifications asked for"),
    "twice": (
        lambda path: with_files("numpy", [], [f"{RDNA3}={path}", f"{RDNA3}={path}"]),
        "there are caps of amd-rdna3-wmma already",
    ),
    "a program": (lambda path: with_files("cmd:run", [RDNA3], [str(path)]), "only built-in backends"),
    "a class": (lambda path: with_files("module:Class", [RDNA3], [str(path)]), "only built-in backends"),
    "no such file": (lambda path: with_files("numpy", [RDNA3], [f"{path}.not"]), "no such file"),
    "no such specification": (lambda path: with_files("numpy", [], [f"none={path}"]), "no specification named 'none'"),
    "caps of another": (lambda path: with_files("numpy", [NV], [str(path)]), "caps of nv-coopmat2"),
    "one it does not have": (
        lambda path: resolve(f"fault:rdna3-half-wave-holds-eight-rows@hlsl-wave-matrix={_waves(path)}"),
        "does not support hlsl-wave-matrix",
    ),
}


def _waves(path: Path) -> Path:
    other = path.with_name("waves.json")
    other.write_text("{}")
    return other


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_is_refused_in_one_line(what: str, record: Path) -> None:
    make, says = REFUSED[what]
    with pytest.raises(BadInput) as raised:
        make(record)
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)
