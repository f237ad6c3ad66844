"""Chains of operations of the text of 2025-09-19: each is in its program, is judged, and has the classes it is for."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest
from msgspec.structs import replace

from mmaspec.oracle.case import Case
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.hlsl_linalg import SOURCE_CAPS, LinalgCaps
from mmaspec.programs.hlsl_linalg.program import Store, Unstage, VectorStore
from mmaspec.programs.tree import unrolled
from mmaspec.strategies.array import ROW, tuples
from mmaspec.strategies.axes.observation import observer_of, seen
from mmaspec.strategies.axes.reached import contradictions
from mmaspec.strategies.axes.space import space_of
from mmaspec.strategies.enumerate import DEFAULT_SEED, Lister, grammar_of
from mmaspec.strategies.hlsl_linalg.arrays.earlier.chains import CHAINS, PROGRAM, PROGRAMS, possible
from mmaspec.strategies.recipe import Recipe, materialise
from mmaspec.suites.score.depends import shown
from tests.hlsl_linalg.drawing import breaches, device, held

SPEC = spec_named("hlsl-linalg")
SPACE, OBSERVER = space_of(SPEC.name), observer_of(SPEC.name)
ROWS = {row.name: row for row in SPEC.rows(SOURCE_CAPS)}

FOR: Mapping[str, tuple[str, ...]] = {
    "added-to-memory": (
        *(f"{group}: content-from={one}" for group in ("sum", "array-sum") for one in ("operator", "unary", "outer")),
        "sum: content-from=square-sum", "array-sum: content-from=square-sum", "operator: changed-goes=sum",
        "unary: changed-goes=sum", "square-sum: changed-goes=sum",
    ),
    "arrays": (
        *(f"array-store: content-from={one}" for one in ("operator", "unary", "square-sum", "outer", "vectors")),
        *(f"array-load: content-goes={one}" for one in ("operator", "unary", "square-sum", "vectors")),
    ),
    "square-sums": (
        *(f"square-sum: changed-from={one}" for one in ("operator", "unary", "cast")),
        *(f"square-sum: changed-goes={one}" for one in ("operator", "unary", "cast")),
        "operator: changed-from=sum", "unary: changed-from=sum", "operator: changed-goes=square-sum",
        "unary: changed-goes=square-sum", "cast: conversion-goes=square-sum", "square-sum: in-flow=branch-all",
        "square-sum: square-again=more", "store: content-from=square-sum", "square-sum: changed-goes=overwritten",
    ),
    "operands": (
        "from-vectors: thread-vector-goes=other", "unary: changed-from=outer", "product: c-from=outer",
        "square-sum: square-side=more", "store: content-from=unary", "load: content-goes=square-sum",
    ),
    "vectors": (
        "operator: changed-goes=vectors", "unary: changed-goes=vectors", "cast: conversion-goes=vectors",
        "splat: conversion-goes=vectors", "to-vectors: thread-vector-from=other",
        "to-vectors: thread-vector-goes=other", "to-vectors: vector-index=many", "to-vectors: in-flow=branch-waves",
        "from-vectors: thread-vector-from=product", "vector-product: vector-goes=vectors",
        "vector-product: vector-goes=outer",
        # Some waves, or lanes, keep what others forget.
        "from-vectors: thread-vector-goes=overwritten", "to-vectors: thread-vector-goes=overwritten",
    ),
    "signed-ends": (
        *(f"square-sum: changed-data={one}" for one in ("all-zero", "lowest", "highest")),
        "splat: conversion-data=lowest",
    ),
    "unsigned-ends": ("square-sum: changed-data=high-unsigned",),
    "specials": (
        *(f"square-sum: {one}" for one in ("changed-data=infinity", "changed-data=nan", "sum-result=infinity")),
        "square-sum: sum-result=nan", "operator: operator-scalar-kind=nan",
    ),
    "subnormals": ("square-sum: changed-data=subnormal",),
    "signed-bytes": ("unary: changed-component=s8",),
    "unsigned-bytes": ("unary: changed-component=u8",),
}  # fmt: skip
"""Program -> classes of things that something judged depends on."""
UNUSED: Mapping[str, tuple[str, ...]] = {
    "square-sums": ("square-sum: changed-goes=nothing",),
    "vectors": ("from-vectors: thread-vector-goes=nothing", "to-vectors: thread-vector-goes=nothing"),
}  # fmt: skip
"""Program -> classes of things that nothing can depend on."""


@cache
def lister(caps: LinalgCaps = SOURCE_CAPS) -> Lister:
    return Lister(SPEC, grammar_of(SPEC.name), caps, DEFAULT_SEED)


@cache
def made() -> Mapping[str, tuple[str, Recipe | None]]:
    found = tuples(CHAINS, SOURCE_CAPS, [*ROWS.values()], 2)
    return {one[PROGRAM]: (one[ROW], lister().met(ROWS[one[ROW]], CHAINS, one)) for one in found}


def case_of(name: str) -> Case:
    recipe = made()[name][1]
    assert recipe is not None
    return materialise(recipe)


def test_every_program_is_one_case() -> None:
    assert set(made()) == set(PROGRAMS) == set(FOR)
    assert len(tuples(CHAINS, SOURCE_CAPS, [*ROWS.values()], 2)) == len(PROGRAMS)


def test_the_later_text_has_none() -> None:
    assert not tuples(CHAINS, SPEC.default_caps, SPEC.rows(SPEC.default_caps), 2)


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_chain_is_in_its_program(name: str) -> None:
    """The device lists what they need, and each ends in a store of its own, but for those that nothing uses."""
    program, row = PROGRAMS[name], ROWS[made()[name][0]]
    assert possible(SOURCE_CAPS, row.entry.answer.component, program.chains) == len(program.chains)
    ends = [one for _, one in unrolled(case_of(name).program) if isinstance(one, Store | VectorStore | Unstage)]
    stored = [line for line in program.chains if not line.endswith("nothing")]
    apart = sum(line.endswith("array-store") for line in stored)
    in_place = sum(line.endswith(" sum") for line in stored)
    assert len(ends) == len(stored) + apart - in_place


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_has_the_classes_that_it_is_for(name: str) -> None:
    case = case_of(name)
    found = list(seen(case, OBSERVER, SPACE))
    assert not [(rule.together, one.thing.group) for rule, one in contradictions(SPACE, found)]
    places = shown(case)
    every, judged = set(), set()
    for one in found:
        names = {f"{one.thing.group}: {axis}={each}" for axis, classes in one.classes.items() for each in classes}
        every |= names
        judged |= names if one.thing.place is not None and one.thing.place.path in places else set()
    assert not [one for one in FOR[name] if one not in judged]
    assert not [one for one in UNUSED.get(name, ()) if one not in every]


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_device_leaves_what_is_demanded(name: str) -> None:
    row = ROWS[made()[name][0]]
    draft = CHAINS.build(lister().context(lister().choices(row, "device"), row), {PROGRAM: name})
    assert draft is not None
    one = held(draft, row, 1, revision=SOURCE_CAPS.revision)
    assert one.judged()
    assert not one.left(device(SOURCE_CAPS))


def _without(**lists: Any) -> LinalgCaps:
    return replace(SOURCE_CAPS, **lists)


@pytest.mark.parametrize(
    "caps",
    [
        _without(outer_products=(), atomics=()),
        _without(products=(), vector_products=()),
        _without(wave_sizes=(4,)),
        _without(construction=SOURCE_CAPS.construction[:1]),
        _without(construction=SOURCE_CAPS.construction[4:6]),
        _without(construction=SOURCE_CAPS.construction[1:]),
        _without(native_16_bit=False),
    ],
    ids=["no sums", "no products", "small waves", "half alone", "short integers alone", "no half", "no 16 bits"],
)
def test_other_devices_have_the_chains_that_they_can(caps: LinalgCaps) -> None:
    rows = {row.name: row for row in SPEC.rows(caps)}
    found = tuples(CHAINS, caps, [*rows.values()], 2)
    drafts = []
    for chosen in found:
        row = rows[chosen[ROW]]
        drafts.append(CHAINS.build(lister(caps).context(lister(caps).choices(row, "others"), row), chosen))
    assert any(drafts)
    assert not [breaches(draft, caps) for draft in drafts if draft is not None and breaches(draft, caps)]
