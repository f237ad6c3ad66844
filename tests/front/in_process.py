"""The command in this process, which saves the time of starting one."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from mmaspec.cli import app
from mmaspec.programs.errors import BadInput

from .conftest import Finished


def mmaspec(*words: object) -> Finished:
    """Run the command; bad input is exit code 2, as ``python -m mmaspec`` makes it."""
    done = CliRunner().invoke(app, list(map(str, words)))
    if done.exception is not None and not isinstance(done.exception, SystemExit | BadInput):
        raise done.exception
    bad = isinstance(done.exception, BadInput)
    return Finished(2 if bad else done.exit_code, done.output, str(done.exception) if bad else "", Path())
