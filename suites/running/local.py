"""Planning without a supervisor, for ``pytest --pyargs mmaspec.suites --mmaspec-backend=NAME``."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from pathlib import Path

import pytest

from mmaspec.backends.resolve import resolve
from mmaspec.programs.errors import BadInput
from mmaspec.suites.planning.lists import listed
from mmaspec.suites.planning.prepare import Wanted, prepare
from mmaspec.suites.running.run_folder import RunFolder


def local_plan(config: pytest.Config) -> RunFolder:
    """Write the smoke plan of the chosen backend into a folder of this process and return the folder.

    Every worker of a distributed run plans for itself: the case list is a pure function, and the first one keeps it.
    """
    wanted = Wanted(backend=str(config.getoption("--mmaspec-backend")))
    out = config.getoption("--mmaspec-out")
    worker = getattr(config, "workerinput", {}).get("workerid", "main")
    folder = RunFolder(Path(out) / worker if out else Path(tempfile.mkdtemp(prefix="mmaspec-")))
    ownership = ExitStack()
    try:
        ownership.enter_context(folder.owned())
        config.add_cleanup(ownership.close)
        # Answers of an earlier session, of another backend maybe: a case with an answer is not run again.
        folder.forget_answers()
        plan, recipes = prepare(wanted, resolve(wanted.backend), listed)
        folder.write_plan(plan, recipes)
    except BadInput as error:
        raise pytest.UsageError(str(error)) from error
    return folder
