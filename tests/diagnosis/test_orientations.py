"""A store that is wrong in one orientation is told from a load whose state such a store would show."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest

from mmaspec.backends.numpy.hlsl_wave_matrix.device import WaveMatrixDevice
from mmaspec.programs.base import Place
from mmaspec.programs.tree import at
from mmaspec.suites.judging.recall import place_of
from mmaspec.suites.verdict.attributes import noun

from .blamed import finding, listed, of_device

SPEC = "hlsl-wave-matrix"
CLAUSES = {0: "WM-ADDR-ROW", 1: "WM-ADDR-COL"}


def exchanged(place: Any) -> Any:
    """Tiles of 16 by 16 change places with those across the diagonal."""
    row, col = np.indices(place.shape)
    return place[col // 16 * 16 + row % 16, row // 16 * 16 + col % 16]


class Exchanging(WaveMatrixDevice):
    """Places of large square accumulators in one orientation, in stores or in loads, are those of other tiles."""

    orientation: ClassVar[int]
    loads: ClassVar[bool]
    storing = False

    def store(self, *given: Any) -> None:
        self.storing = True
        try:
            super().store(*given)
        finally:
            self.storing = False

    def positions(self, rows: int, cols: int, size: int, arguments: Any) -> Any:
        place = super().positions(rows, cols, size, arguments)
        meant = rows == cols == 64 and bool(arguments.col_major) == self.orientation
        return exchanged(place) if meant and self.storing != self.loads else place


@pytest.mark.parametrize("orientation", [0, 1])
@pytest.mark.parametrize("loads", [False, True])
def test_the_wrong_access_is_named(orientation: int, loads: bool) -> None:
    device = type("Device", (Exchanging,), {"orientation": orientation, "loads": loads})
    backend = of_device(SPEC, device)
    pairs = [(recipe, finding(backend, recipe)) for recipe in listed(backend, SPEC, "move")]
    found = [(recipe, one) for recipe, one in pairs if one is not None and one.symptom == "value"]
    assert len(found) > 1
    named = [noun(at(recipe.program, place_of(one.place) or Place(()))) for recipe, one in found]
    assert set(named) == {"load" if loads else "store"}
    assert {one.blamed[0] for _, one in found} == {CLAUSES[orientation]}
    assert all("blocks of 16 x 16 are transposed as wholes" in one.says for _, one in found)
