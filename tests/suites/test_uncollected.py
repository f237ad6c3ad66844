"""Python's search for cycles is off inside, and afterwards as it was before."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from mmaspec.suites.verdict.uncollected import uncollected


@pytest.fixture(autouse=True)
def searching() -> Iterator[None]:
    searched = gc.isenabled()
    yield
    (gc.enable if searched else gc.disable)()


@pytest.mark.parametrize("before", [True, False])
def test_it_is_off_inside_and_as_before_afterwards(before: bool) -> None:
    (gc.enable if before else gc.disable)()
    with uncollected():
        assert not gc.isenabled()
    assert gc.isenabled() == before


def test_it_is_on_again_after_an_error() -> None:
    gc.enable()
    with pytest.raises(ValueError, match="inside"), uncollected():
        raise ValueError("inside")
    assert gc.isenabled()
