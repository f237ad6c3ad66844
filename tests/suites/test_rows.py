"""Rows are read on from where the last look ended, whatever happens to the files in between."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from mmaspec.suites.judging.record import Abandoned, Begin, Result, Row
from mmaspec.suites.running import rows as reading
from mmaspec.suites.running.recorder import Recorder
from mmaspec.suites.running.rows import Rows


def result(case: str, why: str = "") -> Result:
    return Result(case=case, spec="s", row="r", template="t", outcome="legal", why=why)


def line(row: Row) -> bytes:
    return msgspec.json.encode(row) + b"\n"


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


@pytest.fixture
def worker(tmp_path: Path) -> Path:
    """The file of a worker that has answered one case and begun another."""
    path = tmp_path / "gw0-1.jsonl"
    append(path, line(Begin("a")) + line(result("a")) + line(Begin("b")))
    return path


def test_rows_that_come_between_two_looks_are_taken_in(worker: Path) -> None:
    rows = Rows(worker.parent)
    rows.look()
    assert (rows.answered, list(rows.in_flight())) == (1, ["b"])
    append(worker, line(result("b")) + line(Begin("c")))
    assert (rows.answered, list(rows.in_flight())) == (1, ["b"]), "as of the last look"
    rows.look()
    assert (rows.answered, list(rows.in_flight())) == (2, ["c"])
    found = rows.recorded()
    assert list(found.results) == ["a", "b"]
    assert +found.begun == {"c": 1}


def test_what_was_read_is_not_read_again(worker: Path) -> None:
    rows = Rows(worker.parent)
    rows.look()
    seen = worker.stat().st_size
    worker.write_bytes(b"x" * (seen - 1) + b"\n" + line(result("b")))
    rows.look()
    assert list(rows.recorded().results) == ["a", "b"]


def test_a_row_counts_when_it_is_whole(worker: Path) -> None:
    rows = Rows(worker.parent)
    whole = line(result("b"))
    for cut in range(len(whole)):
        append(worker, whole[cut : cut + 1])
        rows.look()
        assert rows.answered == 1 + (cut == len(whole) - 1)
        assert bool(rows.in_flight()) == (cut < len(whole) - 1), "a row half written is no answer yet"


def test_a_row_longer_than_a_block(worker: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "READ_AT_ONCE", 16)
    append(worker, line(result("b", "long " * 100)) + line(result("c"))[:-5])
    rows = Rows(worker.parent)
    rows.look()
    append(worker, line(result("c"))[-5:])
    rows.look()
    assert list(rows.recorded().results) == ["a", "b", "c"]
    assert rows.recorded().results["b"].why == "long " * 100


def test_a_worker_that_starts_later_and_one_that_starts_again(worker: Path) -> None:
    rows = Rows(worker.parent)
    rows.look()
    ended = rows.files
    assert ended == {worker}
    append(worker.with_name("gw0-2.jsonl"), line(Begin("b")))
    rows.look()
    assert list(rows.in_flight(ended)) == ["b"]
    assert rows.recorded().begun == {"b": 2}
    assert rows.files == {worker, worker.with_name("gw0-2.jsonl")}


def test_when_a_case_was_begun_is_when_its_file_was_written(worker: Path) -> None:
    rows = Rows(worker.parent)
    os.utime(worker, (1000.0, 1000.0))
    rows.look()
    assert rows.in_flight() == {"b": 1000.0}


def test_a_run_that_goes_on_is_read_from_the_start(worker: Path) -> None:
    rows = Rows(worker.parent)
    rows.look()
    append(worker.with_name("supervisor-9.jsonl"), line(Abandoned("b")))
    again = Rows(worker.parent)
    again.look()
    rows.look()
    for found in (rows.recorded(), again.recorded()):
        assert list(found.results) == ["a"]
        assert not +found.begun


def test_the_first_result_of_a_case_counts_in_order_of_the_names(worker: Path) -> None:
    rows = Rows(worker.parent)
    rows.look()
    append(worker.with_name("gw0-0.jsonl"), line(result("a", "another")))
    rows.look()
    assert rows.recorded().results["a"].why == "another"


def test_files_that_are_gone_or_begun_anew(worker: Path) -> None:
    rows = Rows(worker.parent)
    rows.look()
    worker.write_bytes(line(result("z")))
    rows.look()
    assert list(rows.recorded().results) == ["z"]
    worker.unlink()
    rows.look()
    assert (rows.answered, rows.files, rows.recorded().results) == (0, frozenset(), {})


def test_lines_that_are_no_rows_are_left_out(worker: Path) -> None:
    rows = Rows(worker.parent)
    append(worker, b'\xff\n[]\n{"type":"result"}\n\n' + b"[" * 5000 + b"\n" + line(result("b")))
    rows.look()
    assert list(rows.recorded().results) == ["a", "b"]


def test_a_process_whose_number_came_again_does_not_write_into_a_torn_row(tmp_path: Path) -> None:
    rows, examples = tmp_path / "rows", tmp_path / "cases"
    recorder = Recorder(rows, examples, "main")
    recorder.append(Begin("a"))
    recorder.close()
    path = next(rows.iterdir())
    append(path, line(result("a"))[:20])
    again = Recorder(rows, examples, "main")
    again.append(Begin("b"))
    again.close()
    found = Rows(rows)
    found.look()
    assert list(rows.iterdir()) == [path]
    assert found.recorded().begun == {"a": 1, "b": 1}
