"""Planning without a supervisor, for ``pytest --pyargs mmaspec.suites --mmaspec-backend=NAME``."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest

from mmaspec.backends.resolve import resolve
from mmaspec.programs.errors import BadInput
from mmaspec.suites.planning.plan import PLAN, write_plan
from mmaspec.suites.planning.prepare import Wanted, prepare
from mmaspec.suites.running.recorder import EXAMPLES, ROWS


def local_plan(config: pytest.Config) -> Path:
    """Write the smoke plan of the chosen backend into a folder of this process and return the folder.

    Every worker of a distributed run plans for itself: the case list is a pure function.
    """
    wanted = Wanted(backend=str(config.getoption("--mmaspec-backend")))
    out = config.getoption("--mmaspec-out")
    worker = getattr(config, "workerinput", {}).get("workerid", "main")
    folder = Path(out) / worker if out else Path(tempfile.mkdtemp(prefix="mmaspec-"))
    folder.mkdir(parents=True, exist_ok=True)
    if (folder / PLAN).exists():
        # Answers of an earlier session, of another backend maybe: a case with an answer is not run again.
        for name in (ROWS, EXAMPLES):
            shutil.rmtree(folder / name, ignore_errors=True)
    try:
        plan, recipes = prepare(wanted, resolve(wanted.backend))
    except BadInput as error:
        raise pytest.UsageError(str(error)) from error
    write_plan(folder, plan, recipes)
    return folder
