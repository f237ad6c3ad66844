"""The command in this process, which saves the time of starting one."""

from __future__ import annotations

import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from unittest.mock import patch

import msgspec
from typer.testing import CliRunner

from mmaspec import __main__ as command
from mmaspec.cli import app
from mmaspec.programs.errors import BadInput
from mmaspec.suites.verdict.model import Run


@dataclass(frozen=True, slots=True)
class Finished:
    """What a command left behind."""

    code: int
    out: str
    err: str
    folder: Path

    @property
    def run(self) -> Run:
        """The run.json of its run folder."""
        return msgspec.json.decode((self.folder / "run.json").read_bytes(), type=Run)


def mmaspec(*words: object) -> Finished:
    """Run the command; bad input is exit code 2, as ``python -m mmaspec`` makes it."""
    done = CliRunner().invoke(app, list(map(str, words)))
    if done.exception is not None and not isinstance(done.exception, SystemExit | BadInput):
        raise done.exception
    bad = isinstance(done.exception, BadInput)
    return Finished(2 if bad else done.exit_code, done.output, str(done.exception) if bad else "", Path())


def told(*words: str, folder: Path) -> Finished:
    """Run the command as ``python -m mmaspec`` does, with its exit codes and all that it prints, but in this process.

    What no command expects is raised: ``test_endings.py`` has what a process makes of it.
    """
    out, err = StringIO(), StringIO()
    with patch.object(sys, "argv", ["mmaspec", *words]), redirect_stdout(out), redirect_stderr(err):
        code = command._carried_out()
    return Finished(code, out.getvalue(), err.getvalue(), folder)
