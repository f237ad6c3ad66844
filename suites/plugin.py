"""The pytest plugin through which the supervisor drives the conformance tests.

It stays light: the oracle and the backend are imported only when a plan is given.
"""

from __future__ import annotations

import gc
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mmaspec.suites.running import held
from mmaspec.suites.verdict.uncollected import uncollected

if TYPE_CHECKING:
    from mmaspec.suites.running.share import Share, Worker

_WORKER = pytest.StashKey["Worker"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--mmaspec-plan=FOLDER``: walk the plan of that run folder."""
    group = parser.getgroup("mmaspec", "matrix multiply-accumulate conformance")
    group.addoption("--mmaspec-plan", metavar="FOLDER", help="run folder that holds plan.json (use --option=value)")
    group.addoption(
        "--mmaspec-isolate", action="store_true", help="run the backend in a child process, whatever the plan says"
    )
    group.addoption("--mmaspec-run", metavar="RUN", default="", help="the run that its plan must be of")
    group.addoption("--mmaspec-backend", metavar="BACKEND", default="numpy", help="without a plan: the backend to test")
    group.addoption("--mmaspec-out", metavar="FOLDER", help="without a plan: where to write rows and cases")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None, None, None]:
    """Watch for the end of the supervisor from the start: before pytest captures, and so replaces, standard input."""
    held.listen(early_config)
    return (yield)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """A worker of pytest-xdist waits for the plan as this process does."""
    held.tell(node)


def _worker(config: pytest.Config) -> Worker:
    """The worker of this process, made on first use."""
    if _WORKER not in config.stash:
        with uncollected():
            from mmaspec.suites.running.local import local_plan
            from mmaspec.suites.running.run_folder import RunFolder
            from mmaspec.suites.running.share import Worker

        name = getattr(config, "workerinput", {}).get("workerid", "main")
        given = config.getoption("--mmaspec-plan")
        if given:
            held.wait_for_plan(config)
        folder = RunFolder(Path(given)) if given else local_plan(config)
        run = config.getoption("--mmaspec-run")
        if run and folder.plan.run != run:
            raise pytest.UsageError(f"{folder}: holds another run by now")
        config.stash[_WORKER] = Worker(folder, name, isolate=bool(config.getoption("--mmaspec-isolate")))
    return config.stash[_WORKER]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test per specification, template and datatype, in sorted order."""
    if "share" not in metafunc.fixturenames:
        return
    from mmaspec.suites.running.share import Share

    worker = _worker(metafunc.config)
    tests = sorted({planned.test for planned in worker.cases})
    shares: list[Share] = [Share(worker, test) for test in tests]
    metafunc.parametrize("share", shares, ids=[test.replace("/", "-") for test in tests])


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the backend's child process, and end this one soon."""
    if _WORKER in config.stash:
        config.stash[_WORKER].close()
    if config.getoption("--mmaspec-plan"):  # a session of ours: in any other these are not our values
        gc.freeze()  # so that Python looks for no cycles among them before it ends
