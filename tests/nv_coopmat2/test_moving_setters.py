"""Setters whose arguments differ between waves or passes, and equal dimensions set again: nobody may pass over them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from msgspec.structs import replace

from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.nv_coopmat2.device import CoopMat2Device
from mmaspec.backends.numpy.nv_coopmat2.execution import Running
from mmaspec.backends.numpy.nv_coopmat2.tensors import Region
from mmaspec.backends.numpy.nv_coopmat2.views import Window
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.oracle.nv_coopmat2 import SPEC
from mmaspec.programs.base import Affine, Index
from mmaspec.programs.nv_coopmat2.program import (
    CONSTANT,
    Layout,
    LoadTensor,
    Repeat,
    SetBlockSize,
    SetClampValue,
    SetClip,
    SetDimension,
    SetStride,
    Setter,
    SetViewDimensions,
    SetViewStride,
    Slice,
    Store,
    View,
    ViewSetter,
)
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.array import tuples
from mmaspec.strategies.enumerate import DEFAULT_SEED, Lister, arrays_of, grammar_of
from mmaspec.strategies.recipe import Recipe, materialise
from mmaspec.suites.judging.ask import ask, lawful
from mmaspec.suites.judging.judge_case import CaseJudge
from mmaspec.suites.judging.record import Finding

from .shown import WORDS, shown, written

CAPS = SPEC.default_caps
ARGUMENTS: tuple[tuple[type[Any], str], ...] = (
    (SetBlockSize, "sizes"),
    (SetDimension, "dimensions"),
    (SetStride, "strides"),
    (Slice, "spans"),
    (SetClampValue, "value"),
    (SetViewDimensions, "dimensions"),
    (SetViewStride, "strides"),
    (SetClip, "row_offset"),
    (SetClip, "row_span"),
    (SetClip, "col_offset"),
    (SetClip, "col_span"),
)
CLAUSES: dict[type[Any], str] = {
    SetBlockSize: "NVCM2-SETBLOCK",
    SetDimension: "NVCM2-SETDIM",
    SetStride: "NVCM2-SETSTRIDE",
    Slice: "NVCM2-SLICE",
    SetClampValue: "NVCM2-CLAMPVALUE",
    SetViewDimensions: "NVCM2-SETVIEWDIM",
    SetViewStride: "NVCM2-SETVIEWSTRIDE",
    SetClip: "NVCM2-SETCLIP",
}
"""What every setter is blamed by."""


@cache
def listed(name: str) -> tuple[Recipe, ...]:
    """The cases of an array in the smoke list."""
    array, lister = arrays_of(SPEC.name)[name], Lister(SPEC, grammar_of(SPEC.name), CAPS, DEFAULT_SEED)
    every = tuples(array, CAPS, SPEC.rows(CAPS), 2)
    made = (lister.met(SPEC.row(CAPS, chosen["row"]), array, chosen) for chosen in every)
    return tuple(recipe for recipe in made if recipe is not None)


def found(device: type[CoopMat2Device]) -> dict[str, list[Finding]]:
    """What is found wrong with a device in the cases of two arrays, for those in which something is."""
    backend = NumpyBackend(SequentialUnit(), {SPEC.name: device}, name=device.__name__, profile=PRACTICE)

    def wrong(recipe: Recipe) -> Finding | None:
        case = materialise(recipe)
        by_reading = expect_by_reading(case, PRACTICE, defined=True)
        if lawful(case, by_reading, ask(backend, case, by_reading.variants[0][1])):
            return None
        judge = CaseJudge(backend, backend.describe(), PRACTICE, {recipe.id: ()}, limit=0)
        return judge.judge_listed(recipe)[0].finding

    findings = {
        name: [one for one in map(wrong, listed(name)) if one is not None]
        for name in ("layout-setters", "view-setter-calls")
    }
    return {name: some for name, some in findings.items() if some}


def uniform(kind: type[Any], name: str, by: str) -> type[CoopMat2Device]:
    """A device for which an argument of a setter has the value of wave 0, or of pass 0, everywhere."""

    def still(word: Index) -> Index:
        return replace(word, **{by: 0}) if isinstance(word, Affine) else word

    def stopped(call: Any) -> Any:
        if not isinstance(call, kind):
            return call
        given = getattr(call, name)
        return replace(call, **{name: tuple(map(still, given)) if isinstance(given, tuple) else still(given)})

    class Uniform(CoopMat2Device):
        def call(self, running: Running, region: Region, call: Setter, wave: int, loop: int) -> None:
            super().call(running, region, stopped(call), wave, loop)

        def view_call(self, running: Running, window: Window, call: ViewSetter, wave: int, loop: int) -> None:
            super().view_call(running, window, stopped(call), wave, loop)

    return Uniform


@pytest.mark.exhaustive(every=8)
@pytest.mark.parametrize("by", ["wave", "loop"])
@pytest.mark.parametrize(("kind", "name"), ARGUMENTS, ids=[f"{kind.__name__}-{name}" for kind, name in ARGUMENTS])
def test_an_argument_that_is_taken_from_the_first_is_noticed(kind: type[Any], name: str, by: str) -> None:
    viewed = kind in (SetViewDimensions, SetViewStride, SetClip)
    findings = found(uniform(kind, name, by))
    assert findings.keys() == {"view-setter-calls" if viewed else "layout-setters"}
    (some,) = findings.values()
    told = f"{kind.__struct_config__.tag} {name} the same in every {'wave' if by == 'wave' else 'pass'}"
    assert any(told in one.only and one.blamed[0] == CLAUSES[kind] for one in some)
    assert sum(one.blamed[0] == CLAUSES[kind] for one in some) * 2 >= len(some)


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("since", [Slice, SetStride, SetBlockSize])
def test_equal_dimensions_that_are_not_set_again_are_noticed(since: type[Any]) -> None:
    class PassedOver(CoopMat2Device):
        """Equal dimensions after a setter of this kind change nothing."""

        def set_dimension(self, region: Region, sizes: list[int]) -> None:
            before = region.history
            turn = max((turn for turn, name in enumerate(before) if name == "SetDimension"), default=len(before))
            if region.sizes != sizes or since.__name__ not in before[turn:]:
                super().set_dimension(region, sizes)

    assert found(PassedOver).keys() == {"layout-setters"}


def moving(by: str, *calls: Setter, view: tuple[ViewSetter, ...] = (), own: bool = False) -> dict[str, set[str]]:
    """What a load of 16 x 16 words shows in two waves, or in two passes."""
    access = LoadTensor("W", "in", 0, "t", data="T", view="v" if view else None)
    body = (access, Store("W", "out", Affine(0, 256, 512), 16))
    return shown(
        written(
            *(body if by == "wave" else (Repeat(2, body),)),
            matrices=(WORDS,),
            layouts=(Layout("t", calls, 2, CONSTANT),),
            views=(View("v", view, has_dimensions=own),) if view else (),
            waves=2 if by == "wave" else 1,
        )
    )


WHOLE = SetDimension((16, 16))
LAYOUTS: dict[str, Callable[[Index], tuple[Setter, ...]]] = {
    "block-size": lambda more: (WHOLE, SetBlockSize((1, more))),
    "dimension": lambda more: (SetDimension((16, more)),),
    "stride": lambda more: (SetDimension((16, 1)), SetStride((1, more))),
    "slice-offset": lambda more: (WHOLE, Slice((0, more), (16, 16))),
    "slice-span": lambda more: (WHOLE, Slice((0, 0), (16, more))),
    "clamp-value": lambda more: (WHOLE, SetClampValue(more)),
}
VIEWS: dict[str, Callable[[Index], tuple[ViewSetter, ...]]] = {
    "dimensions": lambda more: (SetViewDimensions((16, more)),),
    "strides": lambda more: (SetViewDimensions((16, 16)), SetViewStride((16, more))),
    "clip": lambda more: (SetViewDimensions((16, 16)), SetClip(0, 16, 0, more)),
}


def grown(by: str) -> Affine:
    return Affine(1, wave=1) if by == "wave" else Affine(1, loop=1)


@pytest.mark.parametrize("by", ["wave", "pass"])
@pytest.mark.parametrize("name", LAYOUTS)
def test_the_setter_of_a_layout_that_differs_is_seen(name: str, by: str) -> None:
    found = moving(by, *LAYOUTS[name](grown(by)))
    assert found[f"layout/setters-by-{by}"] == {name}
    assert found[f"layout/setters-by-{'pass' if by == 'wave' else 'wave'}"] == {"none"}


@pytest.mark.parametrize("by", ["wave", "pass"])
@pytest.mark.parametrize("name", VIEWS)
def test_the_setter_of_a_view_that_differs_is_seen(name: str, by: str) -> None:
    clip = () if name == "clip" else (SetClip(1, 15, 0, 16),)
    found = moving(by, WHOLE, view=(*VIEWS[name](grown(by)), *clip), own=True)
    assert found[f"view/view-setters-by-{by}"] == {name}
    assert found[f"view/view-setters-by-{'pass' if by == 'wave' else 'wave'}"] == {"none"}


def test_arguments_that_later_dimensions_overwrite_do_not_differ() -> None:
    more = grown("wave")
    found = moving("wave", WHOLE, SetStride((16, more)), Slice((0, more), (16, more)), WHOLE)
    assert found["layout/setters-by-wave"] == {"none"}
    assert found["layout/setter-repetition"] == {"equal-after-slice", "equal-after-stride"}


def test_other_dimensions_again_are_no_equal_ones() -> None:
    found = moving("wave", SetDimension((16, 17)), SetBlockSize((1, 2)), WHOLE)
    assert found["layout/setter-repetition"] == {"dimension-twice"}
    equal = moving("wave", WHOLE, SetBlockSize((1, 2)), WHOLE)
    assert equal["layout/setter-repetition"] == {"equal-after-block"}
