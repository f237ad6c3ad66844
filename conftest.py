"""Settings of the project's own tests: Hypothesis draws the same examples every time; ``--long`` looks much further."""

from __future__ import annotations

import pytest
from hypothesis import settings

settings.register_profile("project", derandomize=True, deadline=None, database=None, max_examples=50)
settings.load_profile("project")

LONG = 6
"""How many times as often the long mode tries what CI samples."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--long``."""
    parser.addoption("--long", action="store_true", help="the long mode: more of every sample, and tests marked long")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what only the long mode runs."""
    if not config.getoption("--long"):
        for item in items:
            if item.get_closest_marker("long"):
                item.add_marker(pytest.mark.skip(reason="only with --long"))


@pytest.fixture(scope="session")
def times(pytestconfig: pytest.Config) -> int:
    """How many times as often as in CI something is tried."""
    return LONG if pytestconfig.getoption("--long") else 1
