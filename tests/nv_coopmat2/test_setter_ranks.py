"""Setters in every order and rank: a mistake in one rank alone is noticed, as is one about views."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import pytest

from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.nv_coopmat2.device import CoopMat2Device
from mmaspec.backends.numpy.nv_coopmat2.execution import Running
from mmaspec.backends.numpy.nv_coopmat2.tensors import Region
from mmaspec.backends.numpy.nv_coopmat2.views import Window
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.oracle.case import Case
from mmaspec.oracle.judge import ByReading, expect_by_reading
from mmaspec.oracle.nv_coopmat2 import SPEC
from mmaspec.programs.nv_coopmat2.program import (
    SetBlockSize,
    SetClip,
    SetDimension,
    SetStride,
    Setter,
    SetViewDimensions,
    SetViewStride,
    Slice,
    ViewSetter,
)
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.array import tuples
from mmaspec.strategies.enumerate import DEFAULT_SEED, Lister, arrays_of, grammar_of
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.judging.ask import ask, lawful

CAPS = SPEC.default_caps
LAYOUTS = ("layout-setters", "clamped-setters", "stored-setters", "moving-setters")
VIEWS = ("view-setter-calls", "moving-view-setters")
RANKS = range(1, 6)


@cache
def cases(*arrays: str) -> tuple[tuple[Case, ByReading], ...]:
    lister, found = Lister(SPEC, grammar_of(SPEC.name), CAPS, DEFAULT_SEED), []
    for name in arrays:
        for chosen in tuples(arrays_of(SPEC.name)[name], CAPS, SPEC.rows(CAPS), 2):
            recipe = lister.met(SPEC.row(CAPS, chosen["row"]), arrays_of(SPEC.name)[name], chosen)
            if recipe is not None:
                case = materialise(recipe)
                found.append((case, expect_by_reading(case, PRACTICE)))
    return tuple(found)


def noticed(device: type[CoopMat2Device], arrays: Sequence[str]) -> bool:
    backend = NumpyBackend(SequentialUnit(), {SPEC.name: device})
    return any(
        not lawful(case, by_reading, ask(backend, case, by_reading.first, runs=1))  # type: ignore[arg-type]
        for case, by_reading in cases(*arrays)
    )


class KeepsOffsets(CoopMat2Device):
    """Dimensions that are set after a slice leave its innermost offset."""

    def set_dimension(self, region: Region, sizes: list[int]) -> None:
        before = region.starts[-1]
        super().set_dimension(region, sizes)
        region.starts[-1] = before


class KeepsSpans(CoopMat2Device):
    """And its innermost span."""

    def set_dimension(self, region: Region, sizes: list[int]) -> None:
        before = region.spans[-1]
        super().set_dimension(region, sizes)
        if "Slice" in region.history:
            region.spans[-1] = before


class KeepsStrides(CoopMat2Device):
    """Dimensions that are set after strides leave these."""

    def set_dimension(self, region: Region, sizes: list[int]) -> None:
        before = list(region.steps)
        super().set_dimension(region, sizes)
        if "SetStride" in region.history:
            region.steps[:] = before


class BlocksSetStrides(CoopMat2Device):
    """Block sizes that are set after dimensions count blocks in the strides."""

    def set_block(self, region: Region, blocks: list[int]) -> None:
        super().set_block(region, blocks)
        if "SetDimension" in region.history:
            starts, spans = list(region.starts), list(region.spans)
            self.set_dimension(region, list(region.sizes))
            region.starts[:], region.spans[:] = starts, spans


class StridesReturn(CoopMat2Device):
    """Strides that are set after a slice undo its offsets."""

    def set_stride(self, region: Region, steps: list[int]) -> None:
        super().set_stride(region, steps)
        if "Slice" in region.history:
            region.starts[:] = [0] * len(region.starts)


class Shares(CoopMat2Device):
    """What is set of a copy is set of its original as well."""

    def start_from(self, region: Region) -> Region:
        return region


def only(device: type[CoopMat2Device], rank: int) -> type[CoopMat2Device]:
    """The device that is wrong about layouts of one rank alone."""

    def chosen(name: str) -> Callable[..., Any]:
        def method(self: CoopMat2Device, region: Region, *given: Any) -> Any:
            kind = device if len(region.sizes) == rank else CoopMat2Device
            return getattr(kind, name)(self, region, *given)

        return method

    overridden = [name for name in vars(device) if callable(getattr(device, name)) and not name.startswith("__")]
    return type(device.__name__, (device,), {name: chosen(name) for name in overridden})


MISTAKES = (KeepsOffsets, KeepsSpans, KeepsStrides, BlocksSetStrides, StridesReturn, Shares)
SETTERS, VIEW_SETTERS = (SetBlockSize, SetDimension, SetStride, Slice), (SetViewDimensions, SetViewStride, SetClip)
AGAIN = {
    "set_view_dimensions": "SetViewDimensions",
    "set_view_stride": "SetViewStride",
    "set_clip": "SetClip",
}
"""Method of the device -> the setter."""


def ranked(*kinds: Any, but: Sequence[Any] = ()) -> list[Any]:
    """Each in every rank; in two and more those of which one dimension shows nothing.

    There the innermost stride is 1 whatever the blocks, and elements follow one another whatever a view's size.
    """
    return [
        pytest.param(kind, rank, id=f"{kind if isinstance(kind, str) else kind.__name__}-{rank}")
        for kind in kinds
        for rank in RANKS
        if rank > 1 or kind not in but
    ]


@pytest.mark.parametrize(("device", "rank"), ranked(*MISTAKES, but=[BlocksSetStrides]))
def test_a_mistake_in_one_rank_is_noticed(device: type[CoopMat2Device], rank: int) -> None:
    assert noticed(only(device, rank), LAYOUTS)


@pytest.mark.parametrize("by", ["wave", "loop"])
@pytest.mark.parametrize(("setter", "rank"), ranked(*SETTERS))
def test_whoever_evaluates_a_setter_once_in_one_rank_is_noticed(setter: type[Any], by: str, rank: int) -> None:
    class Once(CoopMat2Device):
        def call(self, running: Running, region: Region, call: Setter, wave: int, loop: int) -> None:
            if isinstance(call, setter) and len(region.sizes) == rank:
                wave, loop = (0, loop) if by == "wave" else (wave, 0)
            super().call(running, region, call, wave, loop)

    assert noticed(Once, LAYOUTS)


@pytest.mark.parametrize("by", ["wave", "loop"])
@pytest.mark.parametrize(("setter", "rank"), ranked(*VIEW_SETTERS, but=[SetViewDimensions]))
def test_whoever_evaluates_a_setter_of_views_once_is_noticed(setter: type[Any], by: str, rank: int) -> None:
    class Once(CoopMat2Device):
        def view_call(self, running: Running, window: Window, call: ViewSetter, wave: int, loop: int) -> None:
            if isinstance(call, setter) and len(window.order) == rank:
                wave, loop = (0, loop) if by == "wave" else (wave, 0)
            super().view_call(running, window, call, wave, loop)

    assert noticed(Once, VIEWS)


@pytest.mark.parametrize(("setter", "rank"), ranked(*AGAIN, but=["set_view_dimensions"]))
def test_a_second_call_that_is_ignored_in_one_rank_is_noticed(setter: str, rank: int) -> None:
    def ignored(self: CoopMat2Device, window: Window, *given: Any) -> None:
        if len(window.order) != rank or AGAIN[setter] not in window.history:
            getattr(CoopMat2Device, setter)(self, window, *given)

    assert noticed(type("Ignores", (CoopMat2Device,), {setter: ignored}), VIEWS)
