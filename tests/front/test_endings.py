"""However a command ends, its exit code is never that of a verdict which it did not reach, and one line says why."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import SMALL, Command, adapter

WORDS = [sys.executable, "-m", "mmaspec"]

posix = pytest.mark.skipif(os.name != "posix", reason="a POSIX shell and its signals")
full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full, a device without room")


def shell(line: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command line, in which ``$M`` is ours, as a POSIX shell runs it."""
    ours = " ".join(WORDS)
    return subprocess.run(
        ["/bin/sh", "-c", line.replace("$M", ours)],
        capture_output=True, text=True, check=False, encoding="utf-8", env={**os.environ, **environment},
    )  # fmt: skip


@pytest.mark.exhaustive(every=2)
@full
@pytest.mark.parametrize("command", ["specs", "clauses", "example RDNA3-IU-CLAMP", "--help"])
def test_a_full_standard_output_is_no_verdict(command: str) -> None:
    done = shell(f"$M {command} >/dev/full")
    assert done.returncode == 4
    assert done.stderr.startswith("mmaspec: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.exhaustive(every=2)
@posix
@pytest.mark.parametrize("command", ["specs", "example RDNA3-IU-CLAMP", "--help"])
def test_a_closed_standard_output_changes_no_exit_code(command: str) -> None:
    done = shell(f"$M {command} >&-")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.exhaustive(every=2)
@posix
@pytest.mark.parametrize("how", ["2>&-", "2>&- >&-", "2>/dev/full", "<&- >&- 2>&-"])
def test_bad_input_is_exit_code_2_though_nobody_can_be_told(how: str) -> None:
    if "/dev/full" in how and not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    assert shell(f"$M report nowhere {how}").returncode == 2


@pytest.mark.exhaustive(every=2)
@posix
@pytest.mark.parametrize("command", ["specs", "clauses", "example RDNA3-IU-CLAMP"])
def test_a_reader_who_leaves_is_no_verdict(command: str) -> None:
    here, there = os.pipe()
    os.close(here)
    done = subprocess.run([*WORDS, *command.split()], stdout=there, stderr=subprocess.PIPE, check=False)
    os.close(there)
    assert (done.returncode, done.stderr) == (141, b"")


@posix
def test_a_reader_of_one_line_disturbs_nothing() -> None:
    done = shell("$M clauses | head -1")
    assert done.stdout.startswith("CLAUSE")
    assert done.stderr == ""


@posix
def test_a_run_into_a_folder_whose_name_cannot_be_printed(tmp_path: Path) -> None:
    folder = tmp_path / "ünï"
    done = shell(
        f"$M check --backend {adapter('Silent')} --spec {SMALL} -n 0 --report '{folder}'", PYTHONIOENCODING="ascii"
    )
    assert done.returncode == 3, done.stderr
    assert done.stdout.endswith("\\xfcn\\xef/report.html\n")


@posix
def test_a_backend_whose_name_is_no_text_is_bad_input(tmp_path: Path) -> None:
    name = os.fsdecode(b"b\xff.py:Good")
    words = [*WORDS, "check", "--backend", name, "--tier", "quick", "--report", str(tmp_path / "run")]
    done = subprocess.run(words, capture_output=True, check=False)
    assert done.returncode == 2
    assert b"is not text in UTF-8" in done.stderr
    assert done.stderr.count(b"\n") == 1


BROKEN = (
    "import mmaspec.commands.catalogue as c\n"
    "def specs():\n    raise {}\n"
    "c.specs = specs\n"
    "import sys; sys.argv = ['mmaspec', 'specs']\n"
    "from mmaspec.__main__ import main; main()"
)


@pytest.mark.exhaustive(every=4)
@pytest.mark.parametrize(
    ("raised", "code", "says"),
    [
        ("ZeroDivisionError('two\\nlines')", 4, "internal failure: ZeroDivisionError at "),
        ("MemoryError()", 4, "internal failure: MemoryError at "),
        ("RecursionError('deep')", 4, "internal failure: RecursionError at "),
        ("EOFError()", 4, "internal failure: EOFError at "),
        ("OSError(28, 'No space left on device', 'there')", 4, "cannot go on: there: No space left on device\n"),
        ("KeyboardInterrupt", 130, "interrupted\n"),
        ("__import__('mmaspec.programs.errors').programs.errors.Halted('no disk')", 4, "no disk\n"),
        ("type('E', (Exception,), {'__str__': lambda _: 1 / 0})()", 4, "internal failure: E at "),
    ],
)
def test_whatever_goes_wrong_has_a_line_and_an_exit_code_of_its_own(raised: str, code: int, says: str) -> None:
    words = [sys.executable, "-c", BROKEN.format(raised)]
    environment = {name: value for name, value in os.environ.items() if name != "MMASPEC_TRACEBACK"}
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == code, done.stderr
    assert done.stderr.startswith(f"mmaspec: {says}")
    assert "Traceback" not in done.stderr
    internal = says.startswith("internal")
    assert done.stderr.count("\n") == 1 + internal, "one line, and one that says where to go with it"
    assert done.stdout == ""


def test_the_traceback_of_an_internal_failure_is_there_for_who_asks() -> None:
    words = [sys.executable, "-c", BROKEN.format("ZeroDivisionError")]
    environment = {**os.environ, "MMASPEC_TRACEBACK": "1"}
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 4
    assert "Traceback" in done.stderr


@pytest.mark.exhaustive(every=2)
@posix
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)], ids=["TERM", "INT"])
def test_a_run_that_is_stopped_says_how_to_go_on(mmaspec: Command, tmp_path: Path, number: int, code: int) -> None:
    folder = tmp_path / "run"
    options = [
        "check",
        "--backend",
        adapter("WaitsForLeave"),
        "--spec",
        SMALL,
        "-n",
        "0",
        "--tier",
        "quick",
        "--report",
        str(folder),
    ]
    os.mkfifo(tmp_path / "waits")
    heard = os.open(tmp_path / "waits", os.O_RDONLY | os.O_NONBLOCK)
    # What a shell starts in the background ignores SIGINT, and so would its children.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(
        [*WORDS, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "MMASPEC_TEST_STATE": str(tmp_path)},
    )  # fmt: skip
    signal.signal(signal.SIGINT, before)
    assert select.select([heard], [], [], 120)[0], "the backend was never asked"
    os.close(heard)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == code, err
    word = "terminated" if number == signal.SIGTERM else "interrupted"
    assert err == f"mmaspec: {word}; what was answered is kept; go on with the same command and --resume\n"
    assert out == ""
    assert not (folder / "run.json").exists()
    (tmp_path / "waits").unlink()
    (tmp_path / "leave").touch()
    again = mmaspec(*options, "--resume")
    assert again.code == 0, again.out + again.err


def test_there_is_nothing_to_resume_where_nothing_was_begun(mmaspec: Command, tmp_path: Path) -> None:
    done = mmaspec("check", "--resume", "--report", str(tmp_path / "none"))
    assert done.code == 2
    assert done.err == (
        f"mmaspec: {tmp_path / 'none'}: no run was begun there, so there is nothing to resume; leave out --resume\n"
    )
