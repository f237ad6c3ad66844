"""Rows are read on from where the last look ended, and only as they were written, for this run, in their own file."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from mmaspec.programs.errors import BadInput
from mmaspec.suites.judging.record import Abandoned, Begin, Opened, Result, Row
from mmaspec.suites.running import recorder as recording
from mmaspec.suites.running import rows as reading
from mmaspec.suites.running.marks import DIGITS, Marks, read_line, write_line
from mmaspec.suites.running.recorder import Recorder
from mmaspec.suites.running.rows import Rows

RUN = "0123456789abcdef"


def result(case: str, why: str = "") -> Result:
    return Result(case=case, spec="s", row="r", template="t", outcome="legal", why=why)


class Written:
    """A file of rows, written without a recorder."""

    def __init__(self, path: Path, run: str = RUN) -> None:
        self.path = path
        opened = Opened(run, path.name)
        self._marks = Marks(opened)
        self.append(opened)

    def line(self, row: Row) -> bytes:
        return write_line(self._marks, row)

    def append(self, *rows: Row) -> None:
        self.add(b"".join(self.line(row) for row in rows))

    def add(self, data: bytes) -> None:
        with self.path.open("ab") as file:
            file.write(data)


@pytest.fixture
def worker(tmp_path: Path) -> Written:
    """The file of a worker that has answered one case and begun another."""
    file = Written(tmp_path / "gw0-1.jsonl")
    file.append(Begin("a"), result("a"), Begin("b"))
    return file


def looked(worker: Written) -> Rows:
    rows = Rows(worker.path.parent, RUN)
    rows.look()
    return rows


def test_rows_that_come_between_two_looks_are_taken_in(worker: Written) -> None:
    rows = looked(worker)
    assert (rows.answered, list(rows.in_flight())) == (1, ["b"])
    worker.append(result("b"), Begin("c"))
    assert (rows.answered, list(rows.in_flight())) == (1, ["b"]), "as of the last look"
    rows.look()
    assert (rows.answered, list(rows.in_flight())) == (2, ["c"])
    found = rows.recorded()
    assert list(found.results) == ["a", "b"]
    assert +found.begun == {"c": 1}


def test_what_was_read_is_not_read_again(worker: Written) -> None:
    rows = looked(worker)
    seen = worker.path.stat().st_size
    worker.path.write_bytes(b"x" * (seen - 1) + b"\n")
    worker.append(result("b"))
    rows.look()
    assert list(rows.recorded().results) == ["a", "b"]


def test_a_row_counts_when_it_is_whole(worker: Written) -> None:
    rows = looked(worker)
    whole = worker.line(result("b"))
    for cut in range(len(whole)):
        worker.add(whole[cut : cut + 1])
        rows.look()
        assert rows.answered == 1 + (cut == len(whole) - 1)
        assert bool(rows.in_flight()) == (cut < len(whole) - 1), "a row half written is no answer yet"


def test_a_row_longer_than_a_block(worker: Written, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "READ_AT_ONCE", 16)
    worker.append(result("b", "long " * 100))
    last = worker.line(result("c"))
    worker.add(last[:-5])
    rows = looked(worker)
    worker.add(last[-5:])
    rows.look()
    assert list(rows.recorded().results) == ["a", "b", "c"]
    assert rows.recorded().results["b"].why == "long " * 100


def test_a_worker_that_starts_later_and_one_that_starts_again(worker: Written) -> None:
    rows = looked(worker)
    ended = rows.files
    assert ended == {worker.path}
    again = Written(worker.path.with_name("gw0-2.jsonl"))
    again.append(Begin("b"))
    rows.look()
    assert list(rows.in_flight(ended)) == ["b"]
    assert rows.recorded().begun == {"b": 2}
    assert rows.files == {worker.path, again.path}


def test_a_run_that_goes_on_is_read_from_the_start(worker: Written) -> None:
    rows = looked(worker)
    Written(worker.path.with_name("supervisor-9.jsonl")).append(Abandoned("b"))
    again = looked(worker)
    rows.look()
    for found in (rows.recorded(), again.recorded()):
        assert list(found.results) == ["a"]
        assert not +found.begun


def test_the_first_result_of_a_case_counts_in_order_of_the_names(worker: Written) -> None:
    rows = looked(worker)
    Written(worker.path.with_name("gw0-0.jsonl")).append(result("a", "another"))
    rows.look()
    assert rows.recorded().results["a"].why == "another"


def test_files_that_are_gone(worker: Written) -> None:
    rows = looked(worker)
    worker.path.unlink()
    rows.look()
    assert (rows.answered, rows.files, rows.recorded().results) == (0, frozenset(), {})


def edit(old: bytes, new: bytes) -> Callable[[Path], None]:
    def edited(path: Path) -> None:
        assert old in path.read_bytes()
        path.write_bytes(path.read_bytes().replace(old, new, 1))

    return edited


def lines(choose: Callable[[list[bytes]], list[bytes]]) -> Callable[[Path], None]:
    def edited(path: Path) -> None:
        path.write_bytes(b"".join(choose(path.read_bytes().splitlines(keepends=True))))

    return edited


def linked(path: Path) -> None:
    outside = path.parent.parent / "outside.jsonl"
    shutil.move(path, outside)
    path.symlink_to(outside)


EDITS = {
    "a value": (edit(b'"outcome":"legal"', b'"outcome":"died"'), "line 3: was cut or edited"),
    "a mark": (lambda path: path.write_bytes(b"0" * DIGITS + path.read_bytes()[DIGITS:]), "line 1: is not the first"),
    "a line too few": (lines(lambda every: [*every[:2], *every[3:]]), "line 3: was cut or edited"),
    "a line twice": (lines(lambda every: [*every[:3], every[2], *every[3:]]), "line 4: was cut or edited"),
    "two lines swapped": (lines(lambda every: [*every[:2], every[3], every[2]]), "line 3: was cut or edited"),
    "no first line": (lines(lambda every: every[1:]), "line 1: is not the first row"),
    "a blank line": (lines(lambda every: [*every[:2], b"\n", *every[2:]]), "line 3: was cut or edited"),
    "other line ends": (edit(b"\n", b"\r\n"), "line 1: is not the first row"),
    "another run": (lambda path: Written(unlinked(path), "f" * 16).append(result("a")), "line 1: is not the first row"),
    "another name": (lambda path: shutil.move(path, path.with_name("gw1-7.jsonl")), "gw1-7.jsonl: line 1: is not the"),
    "a copy": (lambda path: shutil.copy(path, path.with_name("gw1-7.jsonl")), "gw1-7.jsonl: line 1: is not the"),
    "a link": (linked, "not a plain file"),
    "a folder": (lambda path: unlinked(path).mkdir(), "not a plain file"),
}


def unlinked(path: Path) -> Path:
    path.unlink()
    return path


@pytest.mark.parametrize("name", sorted(EDITS))
def test_rows_that_were_not_written_so_are_refused_by_name(worker: Written, tmp_path: Path, name: str) -> None:
    (tmp_path / "rows").mkdir()
    worker.path = Path(shutil.move(worker.path, tmp_path / "rows"))
    change, says = EDITS[name]
    change(worker.path)
    with pytest.raises(BadInput) as caught:
        looked(worker)
    assert says in str(caught.value)
    assert "gw" in str(caught.value)


def test_what_a_kill_cut_off_is_as_if_it_was_never_written(worker: Written) -> None:
    whole = worker.path.read_bytes()
    for cut in range(len(whole)):
        worker.path.write_bytes(whole[:cut])
        answered = whole[:cut].count(b"\n") >= 3
        assert list(looked(worker).recorded().results) == ["a"] * answered


def test_a_line_that_is_no_row_is_none(worker: Written) -> None:
    for data in (b"\xff", b"[]", b'{"type":"result"}', b"", b"[" * 5000):
        marks, same = (Marks(Opened(RUN, "x")) for _ in range(2))
        assert read_line(marks, same.mark(data) + b" " + data) is None
    assert worker.path.exists()


def recorded(tmp_path: Path, *rows: Row) -> list[Path]:
    recorder = Recorder(tmp_path / "rows", tmp_path / "cases", "main", RUN)
    for row in rows:
        recorder.append(row)
    recorder.close()
    return sorted((tmp_path / "rows").iterdir())


def test_a_process_whose_number_came_again_writes_another_file(tmp_path: Path) -> None:
    (path,) = recorded(tmp_path, Begin("a"))
    path.write_bytes(path.read_bytes() + b"torn")
    assert len(recorded(tmp_path, Begin("b"))) == 2
    found = Rows(tmp_path / "rows", RUN)
    found.look()
    assert found.recorded().begun == {"a": 1, "b": 1}


def test_a_row_for_which_the_disk_has_no_room_is_taken_back_and_none_follows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = Recorder(tmp_path / "rows", tmp_path / "cases", "main", RUN)
    recorder.append(Begin("a"))

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(recording, "SYNC", 0.0)
    monkeypatch.setattr(os, "fsync", full)
    for _ in range(2):
        with pytest.raises(OSError, match="No space left"):
            recorder.append(Begin("b"))
    monkeypatch.undo()
    found = Rows(tmp_path / "rows", RUN)
    found.look()
    assert +found.recorded().begun == {"a": 1}


def test_rows_reach_the_disk_in_batches_and_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    clock = iter((0.0, *(0.4 * number for number in range(1, 100))))
    monkeypatch.setattr(recording.time, "monotonic", lambda: next(clock))
    recorder = Recorder(tmp_path / "rows", tmp_path / "cases", "main", RUN)
    for _ in range(12):
        recorder.append(Begin("a"))
    assert 3 <= len(synced) <= 5
    before = len(synced)
    recorder.close()
    assert len(synced) == before + 1
