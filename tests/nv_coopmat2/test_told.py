"""Decode functions that are told coordinates of every magnitude: the cases have the classes that they were made for."""

from __future__ import annotations

from functools import cache

import numpy as np

from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.nv_coopmat2.device import CoopMat2Device
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.oracle.case import Case
from mmaspec.oracle.spec import spec_named
from mmaspec.strategies.axes.observation import observer_of, seen
from mmaspec.strategies.axes.space import space_of
from mmaspec.strategies.enumerate import case_list
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.judging.single import judge_one

SPEC = "nv-coopmat2"
AXES = ("told-block-coordinate", "told-within-coordinate", "told-dimension", "tensor-rank")
SMALL = {"to-15", "to-255"}


class Cut(CoopMat2Device):
    """Decode functions are told the lowest eight bits of each coordinate of the block."""

    def given(self, block: np.ndarray, within: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return block & 0xFF, within


@cache
def cases() -> tuple[tuple[Case, dict[str, str]], ...]:
    """The cases of the array, and the classes that each is seen to have."""
    observer, space, found = observer_of(SPEC), space_of(SPEC), []
    for recipe in case_list(SPEC, spec_named(SPEC).default_caps, "smoke"):
        if recipe.template == "told-coordinates":
            case = materialise(recipe)
            (one,) = (thing for thing in seen(case, observer, space) if thing.thing.group == "decode")
            found.append((case, {axis: name for axis in AXES for name in one.classes[axis]}))
    return tuple(found)


def test_every_two_classes_meet() -> None:
    met = {(a, one[a], b, one[b]) for _, one in cases() for a in AXES for b in AXES if a < b}
    blocks = {one["told-block-coordinate"] for _, one in cases()}
    assert len(blocks) == 6
    for block in blocks:
        for rank in ("one", "two", "three", "four", "five"):
            assert ("tensor-rank", rank, "told-block-coordinate", block) in met


def test_a_coordinate_that_is_cut_is_seen_wherever_it_has_more_bits() -> None:
    backend = NumpyBackend(SequentialUnit(), {SPEC: Cut}, name="cut")
    for case, classes in cases():
        wrong = judge_one(backend, case).result.outcome == "illegal"
        assert wrong == (classes["told-block-coordinate"] not in SMALL), classes
