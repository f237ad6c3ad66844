"""Settings of the project's own tests: Hypothesis draws the same examples every time.

Two options look further: ``--exhaustive`` runs all parameters of tests of which a plain run takes a sample, ``--long``
also draws larger samples and runs the tests marked long.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from zlib import crc32

import pytest
from hypothesis import settings

settings.register_profile("project", derandomize=True, deadline=None, database=None, max_examples=50)
settings.load_profile("project")

LONG = 6
"""How many times as often the long mode tries what CI samples."""

_LEFT_OUT = pytest.StashKey[int]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--exhaustive`` and ``--long``."""
    parser.addoption("--exhaustive", action="store_true", help="all parameters of the tests marked exhaustive")
    parser.addoption("--long", action="store_true", help="also more of every sample, and tests marked long")


@pytest.hookimpl(trylast=True)  # of what -k and -m leave
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what only the other modes run."""
    if config.getoption("--long"):
        return
    for item in items:
        if item.get_closest_marker("long"):
            item.add_marker(pytest.mark.skip(reason="only with --long"))
    if not config.getoption("--exhaustive"):
        sample = sampled(items)
        left_out = [item for item in items if item not in sample]
        config.stash[_LEFT_OUT] = len(left_out)
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item in sample]


def sampled(items: list[pytest.Item]) -> set[pytest.Item]:
    """All items but those that ``exhaustive(every)`` leaves to others of their test: it keeps one of so many.

    Which ones is a matter of chance, so that no parameter is left out as a whole, but always the same; of every test at
    least one stays. With ``exhaustive(every, alike="...")`` the tests of a file that say the same word count as one.
    """
    found: set[pytest.Item] = set()
    tests: dict[str, list[pytest.Item]] = {}
    for item in items:
        marker = item.get_closest_marker("exhaustive")
        if marker and not item.get_closest_marker("long"):
            file, _, test = item.nodeid.partition("[")[0].partition("::")
            tests.setdefault(f"{file}::{marker.kwargs.get('alike', test)}", []).append(item)
        else:
            found.add(item)
    for same in tests.values():
        marker = same[0].get_closest_marker("exhaustive")
        assert marker is not None
        same.sort(key=lambda item: crc32(item.nodeid.encode()))
        found.update(same[: -(-len(same) // marker.kwargs["every"])])
    return found


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Each worker begins with a half of its own, so that what tests of a folder share is made once, and then helps.

    ``--dist`` in the settings would do the same, and break runs without ``-n``.
    """
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log) if config.getoption("dist") == "load" else None


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker tells how much it left out."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = session.config.stash.get(_LEFT_OUT, 0)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Every worker left out the same."""
    node.config.stash[_LEFT_OUT] = getattr(node, "workeroutput", {}).get("left_out", 0)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """How much was left out."""
    if left_out := config.stash.get(_LEFT_OUT, 0):
        terminalreporter.write_line(f"{left_out} parameters of tests left to samples of them; --exhaustive runs all")


@pytest.fixture(scope="session")
def times(pytestconfig: pytest.Config) -> int:
    """How many times as often as in CI something is tried."""
    return LONG if pytestconfig.getoption("--long") else 1


@pytest.fixture(scope="session")
def one_in(pytestconfig: pytest.Config) -> Callable[[int], int]:
    """``one_in(every)``: a step through what a test looks at one after the other; 1 in the exhaustive mode."""
    whole = pytestconfig.getoption("--exhaustive") or pytestconfig.getoption("--long")
    return lambda every: 1 if whole else every
