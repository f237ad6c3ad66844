"""Damaged, edited and hostile folders: refused in one line that names the file, and nothing outside is touched."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from mmaspec.backends.given_caps import decode_caps
from mmaspec.commands.vectors import verify
from mmaspec.programs.errors import BadInput
from mmaspec.suites.vectors.answers import read_results
from mmaspec.suites.vectors.folder import check_files, read_manifest
from mmaspec.suites.vectors.layout import FileEntry, render
from mmaspec.suites.vectors.write import signed
from tests.damage import damaged, refusal

from . import devices
from .conftest import Written

MUTATIONS = 400
"""Of each kind of file."""


def _flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


EDITS: dict[str, Callable[[Path], object]] = {
    "flipped": _flip,
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-1]),
    "longer": lambda path: path.write_bytes(path.read_bytes() + b"\n"),
    "removed": lambda path: path.unlink(),
}


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("kind", ["vectors.json", "schema.json", "json", "bin"])
def test_edited_file_is_refused_by_name(written: Written, own: tuple[Path, Path], kind: str, edit: str) -> None:
    name = kind if "." in kind else f"cases/{written.recipes[3].id}.{kind}"
    EDITS[edit](own[0] / name)
    with pytest.raises(BadInput) as caught:
        verify(*own, None, "profile", own[0].parent / "report", 0)
    assert str(caught.value).startswith(str(own[0] / name))
    assert not (own[0].parent / "report").exists()


def _resigned(folder: Path, **changed: Any) -> None:
    """Change the list of vectors as someone would who knows how its digest is made."""
    manifest = signed(replace(read_manifest(folder), **changed))
    (folder / "vectors.json").write_bytes(render(manifest))


def _answer_again(results: Path, vectors: Path) -> None:
    told = json.loads((results / "results.json").read_bytes())
    told["vectors"] = json.loads((vectors / "vectors.json").read_bytes())["digest"]
    (results / "results.json").write_text(json.dumps(told), encoding="utf-8")


FORGED: dict[str, tuple[dict[str, Any], str]] = {
    "seed": ({"seed": 1}, "its cases are not those"),
    "tier": ({"tier": "smoking"}, "no tier named"),
    "spec": ({"spec": "no-such"}, "no specification named"),
    "other-spec": ({"spec": "nv-coopmat2"}, "not caps of nv-coopmat2"),
    "caps": ({"caps": msgspec.Raw(b'{"builtins":["f32_16x16x16_f16_w64"]}')}, "its cases are not those"),
    "no-caps": ({"caps": msgspec.Raw(b"5")}, "not caps of amd-rdna3-wmma"),
    "list": ({"case_list": "0" * 16}, "its cases are not those"),
    "path": ({"files": {"../../outside": FileEntry(1, "0" * 64)}}, "its files are not those of its cases"),
}


@pytest.mark.parametrize("name", FORGED)
def test_forged_list_is_no_other_verdict(own: tuple[Path, Path], name: str) -> None:
    changed, says = FORGED[name]
    _resigned(own[0], **changed)
    _answer_again(own[1], own[0])
    with pytest.raises(BadInput, match=says):
        verify(*own, None, "profile", own[0].parent / "report", 0)


def test_cases_left_out_are_missed(own: tuple[Path, Path]) -> None:
    manifest = read_manifest(own[0])
    gone = manifest.cases[0].id
    for kind in ("json", "bin"):
        (own[0] / "cases" / f"{gone}.{kind}").unlink()
    for path in own[1].glob(f"{gone}.*"):
        path.unlink()
    files = {name: entry for name, entry in manifest.files.items() if gone not in name}
    _resigned(own[0], cases=manifest.cases[1:], files=files)
    _answer_again(own[1], own[0])
    with pytest.raises(BadInput, match="its cases are not those"):
        verify(*own, None, "profile", own[0].parent / "report", 0)


def test_identity_that_is_a_path_is_refused(own: tuple[Path, Path]) -> None:
    path = own[0] / "vectors.json"
    first = read_manifest(own[0]).cases[0].id
    path.write_bytes(path.read_bytes().replace(first.encode(), b"../../../outside"))
    with pytest.raises(BadInput, match=r"vectors\.json: not a list of vectors"):
        read_manifest(own[0])


@pytest.mark.parametrize("where", ["answer", "case"])
@pytest.mark.parametrize("what", ["link", "pipe", "folder"])
def test_what_is_no_plain_file_is_not_opened(written: Written, own: tuple[Path, Path], where: str, what: str) -> None:
    identity = written.recipes[0].id
    path = own[1] / f"{identity}.bin" if where == "answer" else own[0] / "cases" / f"{identity}.bin"
    path.unlink()
    if what == "folder":
        path.mkdir()
    elif what == "pipe" and hasattr(os, "mkfifo"):
        os.mkfifo(path)
    else:
        try:
            path.symlink_to(written.folder / "vectors.json")
        except OSError as error:
            pytest.skip(f"this system makes no links: {error}")
    with pytest.raises(BadInput, match="not a plain file") as caught:
        verify(*own, None, "profile", own[0].parent / "report", 0)
    assert path.name in str(caught.value)


def test_reports_do_not_go_where_vectors_or_answers_are(own: tuple[Path, Path]) -> None:
    for folder in own:
        with pytest.raises(BadInput, match="not a run folder"):
            verify(*own, None, "profile", folder, 0)


@pytest.mark.parametrize("folder", [0, 1], ids=["vectors", "results"])
def test_missing_folder(own: tuple[Path, Path], folder: int) -> None:
    given = list(own)
    given[folder] = own[0].parent / "nowhere"
    with pytest.raises(BadInput, match="nowhere: no such folder"):
        verify(given[0], given[1], None, "profile", own[0].parent / "report", 0)


def _tried(path: Path, data: bytes, read: Callable[[], object]) -> bool:
    """Whether damaged contents are refused."""
    path.write_bytes(data)
    return bool(refusal(read))


def test_damaged_lists_of_vectors_are_refused(own: tuple[Path, Path], times: int) -> None:
    path = own[0] / "vectors.json"
    good = path.read_bytes()
    draw = random.Random(11)  # noqa: S311
    for _ in range(MUTATIONS * times):
        data = damaged(good, draw)
        assert _tried(path, data, lambda: check_files(own[0], read_manifest(own[0]))) or data == good


def test_damaged_results_are_refused_or_read(own: tuple[Path, Path], times: int) -> None:
    manifest = read_manifest(own[0])
    path = own[1] / "results.json"
    good = path.read_bytes()
    draw = random.Random(12)  # noqa: S311
    count = MUTATIONS * times
    assert (
        sum(_tried(path, damaged(good, draw), lambda: read_results(own[1], manifest)) for _ in range(count))
        > count // 2
    )


def test_damaged_caps_are_refused_or_read(times: int) -> None:
    draw = random.Random(13)  # noqa: S311
    good = msgspec.json.encode({"architecture": "rdna3", "builtins": list(devices.Caps().builtins)})
    count = MUTATIONS * times
    said = [refusal(lambda: decode_caps(devices.SPEC, damaged(good, draw), "caps.json")) for _ in range(count)]
    assert sum(map(bool, said)) > count // 2


def test_deep_nesting_is_refused(own: tuple[Path, Path]) -> None:
    path = own[0] / "vectors.json"
    whole = path.read_bytes()
    start = whole.index(b'"caps": ') + 8
    deep = b"[" * 100_000 + b"]" * 100_000
    path.write_bytes(whole[:start] + deep + whole[whole.index(b',\n "tier"') :])
    with pytest.raises(BadInput, match=r"vectors\.json: not a list of vectors .*nested too deeply"):
        read_manifest(own[0])
