"""What belongs to threads is told by the thread's number, and an element of a vector by one number."""

from __future__ import annotations

import numpy as np
import pytest

from mmaspec.oracle.expectation import Region
from mmaspec.oracle.numerics.legal import full
from mmaspec.programs.formats import FORMATS
from mmaspec.suites.judging.record import Element, Owner
from mmaspec.suites.judging.telling.whose import coordinates, owner_of, spot


@pytest.mark.parametrize(
    ("shape", "waves", "owner", "sentence", "listed"),
    [
        ((2, 8, 8), 2, "wave", "element (6, 0) of wave 1", "wave 1, row 6, column 0"),
        ((1, 8, 8), 2, "wave", "element (6, 0) of wave 1", "wave 1, row 6, column 0"),
        ((64, 8, 8), 2, "thread", "element (6, 0) of thread 1", "thread 1, row 6, column 0"),
        ((32, 8, 1), 1, "vector", "element 6 of thread 1", "thread 1, element 6"),
    ],
)
def test_only_threads_are_more_than_the_waves(
    shape: tuple[int, int, int], waves: int, owner: Owner, sentence: str, listed: str
) -> None:
    region = Region("out", 0, np.zeros(shape, np.int64), full(FORMATS["f16"], (1, *shape), 0), np.ones(shape, np.bool_))
    assert owner_of(region, waves) == owner
    assert spot(owner, 1, 6, 0) == sentence
    assert coordinates(Element(buffer="out", address=0, item=0, wave=1, owner=owner, row=6, got="00")) == listed
