"""A backend in a child process: what it says arrives, and its deaths are told apart."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from mmaspec.backends.checked import BadReply, Raised, call
from mmaspec.backends.processes.child_backend import ChildBackend, Died
from mmaspec.backends.protocol import Images, Refused
from mmaspec.programs.amd_rdna3_wmma.caps import DEFAULT_CAPS
from mmaspec.programs.errors import BadInput

from .programs import BATCH, PROGRAM, SPEC, images, misbehaving


@contextmanager
def child(name: str, timeout_s: float = 20.0) -> Iterator[ChildBackend]:
    with ChildBackend(misbehaving(name), timeout_s=timeout_s) as backend:
        yield backend


def run(backend: ChildBackend) -> Images:
    return call(backend, SPEC, PROGRAM, images(), BATCH)


def test_everything_arrives() -> None:
    with child("Copies") as backend:
        description = backend.describe()
        assert (description.name, description.version, description.roles) == ("Copies", "7", ("executes", "validates"))
        assert backend.caps(SPEC) == DEFAULT_CAPS
        assert backend.caps("nv-coopmat2") is None
        for _ in range(2):
            after = run(backend)
            assert list(after) == ["first", "second"]
            assert all(np.array_equal(after[name], image) for name, image in images().items())


@pytest.mark.parametrize("name", ["Prints", "Floods"])
def test_what_a_backend_prints_is_no_message(name: str) -> None:
    with child(name) as backend:
        assert np.array_equal(run(backend)["second"], images()["second"])
        assert np.array_equal(run(backend)["first"], images()["first"])


def test_a_refusal_arrives_with_its_clauses() -> None:
    with child("Refuses") as backend, pytest.raises(Refused, match="not this one") as refusal:
        run(backend)
    assert refusal.value.clauses == ("A-CLAUSE", "B-CLAUSE")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Raises", "ZeroDivisionError: two lines"),
        ("Leaves", "SystemExit: enough"),
        ("WritesToItsInputs", "ValueError: assignment destination is read-only"),
    ],
)
def test_an_exception_arrives_as_one_line(name: str, text: str) -> None:
    with child(name) as backend:
        for _ in range(2):  # and the child goes on
            with pytest.raises(Raised) as raised:
                run(backend)
            assert re.sub(r" \(misbehaving\.py, line \d+\)$", "", str(raised.value)) == text
            assert "misbehaving.py" in str(raised.value)


def test_a_bad_reply_arrives_as_one() -> None:
    with child("WrongShape") as backend, pytest.raises(BadReply, match=r"'first' came back with shape \(3, 167\)"):
        run(backend)


def test_a_crash_is_told_with_its_exit_code_and_last_words() -> None:
    with child("Crashes") as backend:
        for _ in range(2):  # a new child each time
            with pytest.raises(Died) as died:
                run(backend)
            assert died.value.kind == "crash"
            assert died.value.detail == "exited with 17 over run; it last said: to fall"
        assert backend.describe().name == "Crashes"


@pytest.mark.skipif(sys.platform == "win32", reason="signals end processes on POSIX only")
def test_a_crash_is_told_with_its_signal() -> None:
    with child("Aborts") as backend, pytest.raises(Died, match="crash: killed by SIGABRT over run"):
        run(backend)


def test_after_a_crash_the_next_request_finds_a_new_child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MMASPEC_TEST_STATE", str(tmp_path / "crashed"))
    with child("CrashesOnce") as backend:
        with pytest.raises(Died, match="exited with 3"):
            run(backend)
        assert np.array_equal(run(backend)["second"], images()["second"])


def test_a_hang_is_killed_in_time() -> None:
    with child("Hangs", timeout_s=0.5) as backend:
        backend.describe()
        start = time.monotonic()
        with pytest.raises(Died, match=r"hang: no answer to run in 0.5 s"):
            run(backend)
        assert time.monotonic() - start < 10
        assert backend.describe().name == "Hangs"


def test_a_hang_at_the_start_is_a_death() -> None:
    backend = ChildBackend(misbehaving("HangsAtTheStart"), start_timeout_s=0.5)
    with backend, pytest.raises(Died, match=r"hang: no answer to start in 0.5 s"):
        backend.describe()


@pytest.mark.parametrize(("name", "line"), [("Nobody", "no class 'Nobody'"), ("CannotBeMade", "OSError: no device")])
def test_a_backend_that_cannot_be_loaded_is_bad_input(name: str, line: str) -> None:
    with child(name) as backend, pytest.raises(BadInput, match=line):
        backend.describe()


READY = (
    "import sys; from mmaspec.backends.processes.wire import *; o = sys.stdout.buffer; o.writelines(framed(Ready()));"
)


class Scripted(ChildBackend):
    """A child that is a Python one-liner."""

    def __init__(self, script: str) -> None:
        super().__init__("scripted", timeout_s=20)
        self._script = script

    def command(self) -> list[str]:
        return [sys.executable, "-c", self._script]


@pytest.mark.parametrize(
    "script",
    [
        "print('hello, here is the adapter')",
        "print('MMA1' + 'x' * 100)",
        "from mmaspec.backends.processes.wire import *; import sys; sys.stdout.buffer.writelines(framed(Describe()))",
        READY + "o.write(b'MMA1' + (3).to_bytes(8, 'little') + bytes(8) + b'abc')",
        READY + "o.writelines(framed(Ready()))",
        READY + "o.writelines(framed(Ran(())))",
        READY + "o.write(b'no'); o.flush(); sys.stdin.buffer.read()",
        READY + "o.write(b'MMA1' + b'\\xff' * 16)",
    ],
)
def test_garbage_is_told_from_a_crash(script: str) -> None:
    with Scripted(script) as backend, pytest.raises(Died) as died:
        backend.describe()
    assert died.value.kind == "garbage"
    assert "\n" not in str(died.value)


def test_buffers_that_do_not_fill_the_body_are_garbage() -> None:
    script = READY + "o.writelines(framed(Ran((Extent('first', (3, 9)),)))); o.flush(); sys.stdin.buffer.read()"
    with Scripted(script) as backend, pytest.raises(Died, match="garbage: buffers of 27 bytes in a body of 0"):
        run(backend)


@pytest.mark.parametrize("script", ["pass", READY + "pass", READY + "o.write(b'MM')", READY + "o.close(); sys.exit(4)"])
def test_an_end_inside_a_message_is_a_crash(script: str) -> None:
    with Scripted(script) as backend, pytest.raises(Died) as died:
        backend.describe()
    assert died.value.kind == "crash"
