"""A store that is wrong in one orientation is told from a load whose state such a store would show."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest

from mmaspec.backends.numpy.hlsl_wave_matrix.device import WaveMatrixDevice
from mmaspec.programs.base import Place
from mmaspec.programs.hlsl_wave_matrix.program import Store
from mmaspec.programs.tree import at, walk
from mmaspec.suites.judging.recall import place_of
from mmaspec.suites.score.classes.proofs import smoke
from mmaspec.suites.verdict.attributes import noun

from .blamed import finding, listed, of_device

pytestmark = pytest.mark.exhaustive(every=2, alike="blamed")

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


@pytest.mark.exhaustive(every=2)
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


def stores_into_array(program: Any) -> bool:
    """Whether some matrix of 64 by 64 is stored into an array, column by column."""
    arrays = {array.name for array in program.arrays}
    sizes = {matrix.name: (matrix.m, matrix.n) for matrix in program.matrices}
    stores = [one for _, one, _ in walk(program) if isinstance(one, Store) and one.buffer in arrays]
    return any(sizes[one.matrix] == (64, 64) and one.col_major == 1 for one in stores)


def test_a_store_into_an_array_is_named_where_one_into_a_buffer_is_wrong_as_well() -> None:
    """What an array is addressed in is right then: the orientation is not, wherever the matrix goes."""
    backend = of_device(SPEC, type("Device", (Exchanging,), {"orientation": 1, "loads": False}))
    some = [one for one in smoke(SPEC) if not one.target and one.template == "shared-product"]
    found = [finding(backend, one) for one in some if stores_into_array(one.program)]
    blamed = [one.blamed[0] for one in found if one is not None and one.symptom == "value"]
    assert blamed
    assert set(blamed) == {"WM-ADDR-COL"}
