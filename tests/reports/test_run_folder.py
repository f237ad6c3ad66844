"""Run folders: what is written is read back, and what is not as written is refused in one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from mmaspec.programs.errors import BadInput
from mmaspec.reports.example import plain_name
from mmaspec.reports.run_folder import JUNIT, REPORT, RESULTS, RUN, SUMMARY, read_run, write_reports
from mmaspec.suites.planning.manifest import MANIFEST, write_manifest
from mmaspec.suites.planning.plan import case_list_hash
from tests.damage import damaged, refusal

FILES = (RUN, RESULTS, REPORT, JUNIT, SUMMARY, MANIFEST)


@pytest.fixture
def folder(failing: Any, changed: Any, tmp_path: Path) -> Path:
    listed = case_list_hash(result.case for result in failing.results)
    totals = changed(failing.run.totals, cases=len(failing.results))
    run = changed(failing.run, totals=totals, case_list=listed)
    write_reports(tmp_path / "out", run, failing.results, failing.examples)
    return tmp_path / "out"


def test_a_run_is_read_back_and_written_again_as_it_was(folder: Path, failing: Any) -> None:
    before = {name: (folder / name).read_bytes() for name in FILES}
    run, results = read_run(folder)
    assert results == list(failing.results)
    write_reports(folder, run, results, failing.examples)
    assert {name: (folder / name).read_bytes() for name in FILES} == before
    assert sorted(path.name for path in folder.iterdir()) == sorted(FILES)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-40])


def drop_last_line(path: Path) -> None:
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))


def replace(old: bytes, new: bytes) -> Callable[[Path], None]:
    def edit(path: Path) -> None:
        assert old in path.read_bytes()
        path.write_bytes(path.read_bytes().replace(old, new, 1))

    return edit


@pytest.mark.parametrize(
    ("name", "edit", "says"),
    [
        (RESULTS, Path.unlink, "no such file"),
        (RUN, cut, "not a valid run"),
        (RESULTS, cut, "line 3: not a valid result"),
        (RESULTS, drop_last_line, "2 results; run.json counts 3 cases"),
        (RUN, replace(b'"seed": 0', b'"seed": 0, "speed": 1'), "unknown field `speed`"),
        (RUN, replace(b'"seed": 0', b'"seed": "0"'), "Expected `int`"),
        (RUN, replace(b"mmaspec.run/1", b"mmaspec.run/9"), "schema 'mmaspec.run/9'"),
        (RUN, replace(b'"not conformant"', b'"splendid"'), "Invalid enum value 'splendid'"),
        (RUN, lambda path: path.write_bytes(b"\xff\xfe"), "not a valid run"),
        (RUN, lambda path: path.write_bytes(b'{"backend":' + b"[" * 100_000), "run"),
        (RESULTS, replace(b'"illegal"', b'"odd"'), "line 1: not a valid result"),
        (RESULTS, lambda path: path.write_bytes(b"\n"), "line 1: not a valid result"),
        (RUN, replace(b'"seed": 0', b'"seed": 7'), "was edited"),
        (RESULTS, replace(b"77", b"78"), "was edited"),
        (MANIFEST, Path.unlink, "no such file"),
        (RUN, Path.unlink, "no run folder"),
    ],
)
def test_a_damaged_folder_is_refused_in_one_line(
    folder: Path, name: str, edit: Callable[[Path], object], says: str
) -> None:
    edit(folder / name)
    with pytest.raises(BadInput) as caught:
        read_run(folder)
    message = str(caught.value)
    assert says in message
    assert name in message
    assert "\n" not in message


def test_case_files_of_another_run_are_refused_and_removed(folder: Path, failing: Any) -> None:
    (folder / "cases").mkdir(exist_ok=True)
    stray = folder / "cases" / "0123456789abcdef.json"
    stray.write_bytes(b"{}")
    with pytest.raises(BadInput, match=r"0123456789abcdef\.json: was added after the run"):
        read_run(folder)
    stray.unlink()
    run, results = read_run(folder)
    stray.write_bytes(b"{}")
    write_reports(folder, run, results, failing.examples)
    assert not stray.exists()


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no such folder"):
        read_run(tmp_path / "none")
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(BadInput, match="file: not a folder"):
        read_run(tmp_path / "file")


def test_a_missing_case_file_is_named_and_the_rest_is_kept(failing: Any, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"wm-addr-row-1\.json"):
        write_reports(tmp_path, failing.run, failing.results)
    assert (tmp_path / RUN).exists()
    assert (tmp_path / JUNIT).exists()


@pytest.mark.parametrize("name", ["", "..", "../x.json", "a/b.json", "a\\b.json", "c:x.json", "a\0b"])
def test_only_names_of_files_below_cases_are_opened(name: str) -> None:
    with pytest.raises(BadInput):
        plain_name(name)


def test_damaged_files_are_read_or_refused(folder: Path, times: int) -> None:
    draw = Random(8)  # noqa: S311 - the same mutations every time
    said = []
    for name in (RUN, RESULTS, MANIFEST):
        good = (folder / name).read_bytes()
        for _ in range(100 * times):
            (folder / name).write_bytes(damaged(good, draw))
            if name != MANIFEST:  # so that what is behind the hashes is met too
                write_manifest(folder, [RUN, RESULTS])
            said.append(refusal(lambda: read_run(folder)))
        (folder / name).write_bytes(good)
    assert {bool(line) for line in said} == {True, False}
