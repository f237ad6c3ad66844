"""Arrays: every case has the classes that were chosen for it, and is judged; data show what they promise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import combinations

import pytest

from mmaspec.backends.resolve import resolve
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.amd_rdna3_wmma.arrays import ARRAYS
from mmaspec.strategies.amd_rdna3_wmma.observations import OBSERVER
from mmaspec.strategies.array import ROW, instead, tuples
from mmaspec.strategies.axes.observation import Observer, Subject, Thing, seen
from mmaspec.strategies.axes.reached import Class, contradictions, excluded_pairs
from mmaspec.strategies.axes.space import space_of
from mmaspec.strategies.enumerate import DEFAULT_SEED, TIERS, Lister, grammar_of
from mmaspec.strategies.grammar import Array, Chosen
from mmaspec.strategies.recipe import Recipe, materialise
from mmaspec.strategies.register_kernels.observations import (
    argument,
    buffer,
    fill,
    fragment,
    load,
    loop,
    product,
    program,
    sequence,
    store,
    tiling,
)
from mmaspec.suites.judging.judge_case import CaseJudge

SPEC = spec_named("amd-rdna3-wmma")
SPACE = space_of(SPEC.name)
LISTER = Lister(SPEC, grammar_of(SPEC.name), SPEC.default_caps, DEFAULT_SEED)
NAMES = [array.name for array in ARRAYS]


def named(name: str) -> Array:
    return next(array for array in ARRAYS if array.name == name)


def chosen_of(array: Array) -> tuple[Chosen, ...]:
    return tuples(array, SPEC.default_caps, SPEC.rows(SPEC.default_caps), TIERS["smoke"].strength)


@cache
def cases_of(name: str) -> tuple[tuple[Chosen, Recipe | None], ...]:
    array = named(name)
    return tuple((one, LISTER.met(SPEC.row(SPEC.default_caps, one[ROW]), array, one)) for one in chosen_of(array))


def made(name: str) -> Iterator[tuple[Chosen, Recipe]]:
    yield from ((chosen, recipe) for chosen, recipe in cases_of(name) if recipe is not None)


PARTS = (program, buffer, fragment, argument, load, store, fill, product, sequence, loop, tiling)


def structure(subject: Subject) -> Iterator[Thing]:
    """Everything but elements and operands, whose tables cost most, and whose axes no array chooses."""
    for part in PARTS:
        yield from part.things(subject)


def watching(array: Array) -> Observer:
    """Sees the axes of an array, and those in which a tiling could contradict itself."""
    axes = {*array.axes, "argument-grid", "argument-row", "waves", "tile-owner"}
    looks = {axis: look for axis, look in OBSERVER.looks.items() if axis in axes}
    return replace(OBSERVER, looks=looks, things=structure)


@pytest.mark.parametrize("name", NAMES)
def test_every_case_shows_the_classes_chosen_for_it(name: str) -> None:
    observer = watching(named(name))
    for chosen, recipe in made(name):
        found = list(seen(materialise(recipe), observer, SPACE))
        assert [rule.together for rule, _ in contradictions(SPACE, found)] == []
        shown = {(axis, one) for thing in found for axis, classes in thing.classes.items() for one in classes}
        missing = {(axis, one) for axis, one in chosen.items() if axis in SPACE.axis} - shown
        assert not missing, f"{dict(chosen)}: {sorted(missing)}"


@pytest.mark.parametrize("name", NAMES)
def test_axes_and_classes_are_those_of_the_space(name: str) -> None:
    array = named(name)
    # The name of a regime; where a round of classes begins; the name of a kernel; three axes that meet all together;
    # both signs of a call; what stands beside it.
    own = {"data", "turn", "scene", "flags", "signs", "neighbour"}
    assert array.axes.keys() - own <= SPACE.axis.keys()
    for axis, classes in array.axes.items():
        assert axis in own or set(classes) <= SPACE.axis[axis].classes.keys(), axis


@pytest.mark.parametrize("name", NAMES)
def test_nothing_impossible_is_chosen(name: str) -> None:
    excluded = excluded_pairs(SPACE)
    for chosen in chosen_of(named(name)):
        pairs = [frozenset(pair) for pair in combinations(chosen.items(), 2)]
        assert [sorted(pair) for pair in pairs if pair in excluded] == []


@pytest.mark.parametrize("name", NAMES)
def test_pairs_of_a_case_that_cannot_be_made_are_elsewhere(name: str) -> None:
    array, tier = named(name), TIERS["smoke"]
    lost = [chosen for chosen, recipe in cases_of(name) if recipe is None]
    assert len(lost) <= len(cases_of(name)) // 10
    there = [chosen for chosen, _ in made(name)]
    for chosen in lost:
        row = SPEC.row(SPEC.default_caps, chosen[ROW])
        for others in instead(array, SPEC.default_caps, row, chosen, list(there), tier.strength):
            there += [other for other in others if LISTER.met(row, array, other)][:1]
    pairs = {pair for chosen in there for pair in combinations(sorted(chosen.items()), tier.strength)}
    assert not {pair for chosen in lost for pair in combinations(sorted(chosen.items()), tier.strength)} - pairs


@pytest.mark.parametrize("name", NAMES)
def test_every_case_is_judged_and_the_reference_device_passes(name: str) -> None:
    device = resolve("numpy")
    for chosen, recipe in made(name):
        judge = CaseJudge(device, device.describe(), PRACTICE, {recipe.id: ()}, limit=0)
        found = judge.judge_listed(recipe)[0]
        assert found.outcome == "legal", dict(chosen)
        assert found.judged, dict(chosen)


def shown_by(name: str, observer: Observer) -> set[Class]:
    """All classes of the elements and operands of an array's cases."""
    found: set[Class] = set()
    for _, recipe in made(name):
        for thing in seen(materialise(recipe), observer, SPACE):
            found.update((axis, one) for axis, classes in thing.classes.items() for one in classes)
    return found


PROMISED = {
    "float-data": {
        "pattern": "single identity anti-diagonal permutation rows-equal columns-equal symmetric antisymmetric "
        "triangular checkerboard half-matrix banded",
        "k-mismatch": "equal same-word next-word reversed plus-eight",
        "special-count": "one one-row one-column one-word one-register all-but-one all",
        "nan-spread": "one-element one-row one-column cross all-but-one-row all diagonal",
        "a-float": "quiet-nan signalling-nan low-payload-nan negative-nan all-ones-nan",
        "b-float": "quiet-nan signalling-nan low-payload-nan negative-nan all-ones-nan",
        "c-float": "low-payload-nan all-ones-nan quiet-nan signalling-nan "
        "least-subnormal largest-subnormal least-normal largest-finite one-ulp-off",
        "nan-cause": "infinity-times-subnormal subnormal-times-infinity by-chain",
        "infinite-cause": "infinity-times-tiny tiny-times-infinity negative-times-infinity",
        "zero-result": "all-positive-zero all-negative-zero mixed-zeros negative-c-only negative-products-only",
        "rounding": "carry-out",
        "c-weight": "half-place accumulated-above",
        "large-position": "pair-with-c ascending descending",
        "exact-integers": "at-limit beyond-limit",
        "subnormals": "result-boundary",
        "overflow-place": "largest",
        "result-distinct": "only-c-distinct columns-distinct",
        "single-against-half": "bf16-infinity-bits",
        "row-position": " ".join(f"at-{n}" for n in range(16)),
        "column-position": "at-2",
    },
    "integer-data": {
        "part-of-word": "byte-0 byte-1 byte-2 byte-3",
        "dot": "lowest near-lowest near-highest highest mixed-magnitude signed-16-largest",
        "sum-place": "most-over most-under zero over-after-chain under-after-chain",
        "partial-range": "by-chain",
        "clamp-spread": "one one-row one-column all",
        "term-signs": "alternating",
        "row-position": " ".join(f"at-{n}" for n in range(16)),
        "column-position": " ".join(f"at-{n}" for n in range(16)),
        "k-position": " ".join(f"at-{n}" for n in range(16)),
        "chain-cancels": "overflow-then-back",
    },
}
"""Array -> axis -> classes that its regimes are made for."""


@pytest.mark.parametrize("name", PROMISED)
def test_data_show_what_their_regimes_are_for(name: str) -> None:
    shown = shown_by(name, OBSERVER)
    wanted = {(axis, one) for axis, classes in PROMISED[name].items() for one in classes.split()}
    assert not wanted - shown, " ".join(f"{axis}={one}" for axis, one in sorted(wanted - shown))
