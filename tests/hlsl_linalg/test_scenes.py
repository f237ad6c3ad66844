"""Scenes: each is listed once, has the rare classes that it was made for, is judged, and is legal on the device."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest

from mmaspec.oracle.program_facts import resolve
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.hlsl_linalg import SOURCE_CAPS
from mmaspec.strategies.array import ROW, tuples
from mmaspec.strategies.axes.observation import observer_of, seen
from mmaspec.strategies.axes.reached import contradictions
from mmaspec.strategies.axes.space import space_of
from mmaspec.strategies.choices import Counted
from mmaspec.strategies.enumerate import DEFAULT_SEED, Lister, arrays_of, grammar_of
from mmaspec.strategies.grammar import Array, Chosen, Draft
from mmaspec.strategies.hlsl_linalg.arrays import SCENES
from mmaspec.strategies.hlsl_linalg.arrays.scenes.scene import SCENE
from mmaspec.strategies.hlsl_linalg.later_caps import random_later_caps as random_caps
from mmaspec.strategies.recipe import Recipe, materialise
from mmaspec.suites.score.classes.mutant import Mutant
from mmaspec.suites.score.classes.trial import Trial
from tests.hlsl_linalg.drawing import device, held

SPEC = spec_named("hlsl-linalg")
SPACE, OBSERVER = space_of(SPEC.name), observer_of(SPEC.name)
DEFAULT: Any = SPEC.default_caps

SHOWN: Mapping[str, tuple[str, ...]] = {
    "long-strides": ("load: stride=at-12-bits larger", "store: stride=at-12-bits larger"),
    "over-content": ("load: places=overlap", "store: memory-before=data stored added"),
    "far-sums": ("sum: buffer-offset=at-12-bits under-31-bits", "sum: stride=at-12-bits larger", "sum: places=overlap"),
    "ends-of-sums": ("sum: memory-before=unknown", "sum: sum-order=wraps", "sum: whole-or-none=one-inside"),
    "deepest": ("matrix: scope=group", "matrix: columns=more", "matrix: shape=wide"),
    "array-ways": (
        "array-load: content-goes=nothing cast elements overwritten",
        "array-store: content-from=splat cast elements",
    ),
    "array-parts": (
        "array-load: places=overlap",
        "copy: copied=tail middle",
        "copy: copy-data=unknown",
        "shared-array: array-width=more",
    ),
    "array-sums": (
        "array-sum: places=side-by-side overlap",
        "array-sum: in-flow=branch-waves",
        "array-sum: array-offset=larger",
        "array-sum: array-stride=sixty-four to-127 larger",
    ),
    "array-of-half": ("array-load: array-converts=float-to-float",),
    "rows-of-waves": ("argument: argument-by=grid",),
    "words-of-waves": ("count: counted=waves passes", "accumulator-layout: asked-words=waves"),
    "beyond-in-loops": ("beyond: in-flow=first-pass later-pass", "beyond: element-goes=nothing factor other"),
    "large-group": (
        "program: group-threads=more",
        "program: last-wave=all-but-one",
        "vector-load: vector-places=overlap",
    ),
    "far-vectors": (
        "vector-load: vector-offset=under-31-bits at-31-bits beyond",
        "vector-store: vector-offset=at-128 under-31-bits at-31-bits beyond",
    ),
    "far-vector-sums": (
        "vector-sum: bounds=far",
        "vector-sum: vector-offset=at-12-bits under-31-bits at-31-bits beyond",
    ),
    "cut-vector-sums": ("vector-sum: bounds=part-of-line half all",),
    "ends-of-vector-sums": ("vector-sum: sum-order=wraps", "vector-sum: vector-places=one"),
    "meeting-vector-sums": ("vector-sum: vector-places=overlap",),
    "results": (
        "convert: conversion-goes=sum addend overwritten",
        "repeat: count=one to-eight more",
        "repeat: loop-carries=vector",
        "vector-product: vector-goes=nothing sum overwritten",
    ),
    "optimal-loads": (
        "optimal-load: in-flow=first-pass later-pass branch-all branch-waves branch-lanes",
        "optimal-load: optimal-threads=by-wave",
        "optimal-load: optimal-readers=more",
    ),
    "layout-of-sums": ("optimal-load: layout=outer",),
    "thread-sums": (
        "thread-sum: in-flow=branch-all branch-waves branch-lanes",
        "thread-sum: optimal-threads=by-wave",
        "thread-sum: optimal-times=more",
        "outer-product: in-flow=branch-all branch-waves branch-lanes",
        "outer-product: vector-threads=some-lanes",
    ),
    "ends-of-outer-products": (
        "outer-product: product-data=all-zero highest lowest",
        "outer-product: sum-result=unjudged",
        "outer-product: outer-types=s32-s32",
    ),
    "stored-conversions": (
        "layout-conversion: converted-component=bf16",
        "layout-conversion: conversion-source=stored",
    ),
    "vectors-in-place": ("vector-product: vector-in-place=source bias both", "repeat: loop-carries=vector"),
    "loaded-places-of-sums": ("vector-sum: vector-offset=under-31-bits", "argument: argument-of=vector-sum-offset"),
    "least-outer-products": ("outer-product: outer-types=f16-f32",),
    "used-otherwise": ("cast: cast-uses=accumulator-to-a accumulator-to-b a-to-accumulator b-to-accumulator",),
    "many-elements": ("read-elements: element-use=a accumulator", "matrix: columns=one-hundred-twenty-eight"),
    "rows-in-place": ("vector-product: vector-in-place=source bias both",),
    "copies-that-are-changed": ("cast: source-after=changed result-changed",),
    "whole-copies": ("cast: source-after=changed result-changed",),
    "large-integers-in-arrays": ("array-load: array-converts=int-to-float",),
    "large-factors-of-rows": ("vector-product: vector-types=u32-u8-u32",),
    **{f"{name}-to-floats": ("cast: cast-to=f32 f16 bf16",) for name in ("s32", "u32")},
    **{f"{name}-to-floats": ("cast: cast-to=f16 bf16",) for name in ("s16", "u16")},
    "vectors-to-floats": ("convert: convert-from=s16 u16 s32 u32 s64 u64", "convert: convert-to=f64 f32 f16 bf16"),
    **{f"{name}-to-floats-of-2025": ("cast: cast-to=f32 f16",) for name in ("s32", "u32")},
    **{f"{name}-to-floats-of-2025": ("cast: cast-to=f16",) for name in ("s16", "u16")},
    **{
        f"{name}-of-a-{tag}{ending}": ("product: m-tiles=three", "product: n-tiles=three")
        for name in ("f16", "f32", "s32")
        for tag in ("wave", "group")
        for ending in ("", "-of-2025")
    },
}
"""Scene -> the classes for which it was made."""
NOTICED: Mapping[str, tuple[str, ...]] = {
    "vectors-in-place": ("vector-product: vector-in-place=source", "vector-product: vector-in-place=bias"),
    "rows-in-place": ("vector-product: vector-in-place=source",),
    "array-ways": ("array-load: content-goes=overwritten",),
    "words-of-waves": ("count: counted=waves", "count: counted=passes"),
    "far-vector-sums": ("vector-sum: vector-offset=at-12-bits",),
    "results": ("convert: conversion-goes=overwritten", "vector-product: vector-goes=overwritten"),
}
"""Scene -> classes of which it notices a mistake, though that takes more than having them."""
EARLIER = (
    "array-of-half", "ends-of-outer-products", "rows-in-place", "copies-that-are-changed", "whole-copies",
    "large-integers-in-arrays", "large-factors-of-rows",
    *(name for name in SHOWN if name.endswith("-of-2025")),
)  # fmt: skip
"""Those of the text of 2025-09-19."""
MOST = 60
"""Cases of a device."""


def lister(caps: Any) -> Lister:
    return Lister(SPEC, grammar_of(SPEC.name), caps, DEFAULT_SEED)


@cache
def listed(caps: Any) -> tuple[tuple[Array, Chosen], ...]:
    rows = SPEC.rows(caps)
    return tuple((one, chosen) for one in SCENES for chosen in tuples(arrays_of(SPEC.name)[one.name], caps, rows, 2))


@cache
def made(scene: str) -> Recipe:
    caps = SOURCE_CAPS if scene in EARLIER else DEFAULT
    ((array, chosen),) = [found for found in listed(caps) if found[1][SCENE] == scene]
    recipe = lister(caps).met(SPEC.row(caps, chosen[ROW]), array, chosen)
    assert recipe is not None
    return recipe


def test_every_scene_is_listed_once_and_says_what_it_shows() -> None:
    assert {chosen[SCENE] for _, chosen in listed(DEFAULT)} == SHOWN.keys() - {*EARLIER}
    assert {chosen[SCENE] for _, chosen in listed(SOURCE_CAPS)} == {*EARLIER}
    assert sum(len(listed(caps)) for caps in (DEFAULT, SOURCE_CAPS)) == len(SHOWN) <= MOST


@pytest.mark.parametrize("scene", SHOWN)
def test_a_scene_has_the_classes_that_it_was_made_for(scene: str) -> None:
    found = list(seen(materialise(made(scene)), OBSERVER, SPACE))
    assert not [(rule.together, one.thing.group) for rule, one in contradictions(SPACE, found)]
    there = {
        f"{one.thing.group}: {axis}={name}" for one in found for axis, names in one.classes.items() for name in names
    }
    for written in SHOWN[scene]:
        place, _, names = written.partition("=")
        assert {f"{place}={name}" for name in names.split()} <= there
    assert not {one.replace(": ", "/") for one in there} & OBSERVER.unseen.keys()
    assert not {one.partition(": ")[2] for one in there} & OBSERVER.unseen.keys()


@pytest.mark.parametrize("scene", SHOWN)
def test_the_device_leaves_what_is_demanded(scene: str) -> None:
    recipe = made(scene)
    caps: Any = recipe.caps
    draft = Draft(recipe.program, recipe.regime, recipe.batch, recipe.words)
    one = held(draft, SPEC.row(caps, recipe.row), recipe.seed, revision=caps.revision)
    assert one.judged()
    assert not one.left(device(caps))


@pytest.mark.parametrize("scene", NOTICED)
def test_a_mistake_where_something_has_one_of_these_classes_is_noticed(scene: str) -> None:
    """What some threads forget others keep, lengths come to their bound, and sums are exact in every order."""
    trial = Trial(materialise(made(scene)))
    wanted = []
    for text in NOTICED[scene]:
        group, _, written = text.partition(": ")
        axis, _, name = written.partition("=")
        wanted.append(Mutant(group, ((axis, name),)))
    assert [(one, trial.kind(one, things)) for one, things in trial.has(wanted)] == [(one, "illegal") for one in wanted]


@pytest.mark.parametrize("number", range(4))
def test_other_devices_have_those_that_they_can(number: int) -> None:
    """What a device lacks leaves a scene out, and makes none that is refused or undefined."""
    caps = random_caps(Counted(f"scenes/{number}"))
    for array, chosen in listed(caps):
        row = SPEC.row(caps, chosen[ROW])
        draft = array.build(lister(caps).context(Counted(f"{number}/{chosen[SCENE]}"), row), chosen)
        if draft is not None:
            program = resolve(draft.program, draft.words)
            assert not SPEC.rejected(program, caps), chosen
            assert not SPEC.undefined(program, caps), chosen
