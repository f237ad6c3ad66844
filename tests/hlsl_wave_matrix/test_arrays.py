"""Arrays: every case has the classes that it was made for, together in one thing, and something is judged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import pytest
from msgspec.structs import replace

from mmaspec.backends.protocol import Images
from mmaspec.backends.resolve import resolve
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.hlsl_wave_matrix.rows import Entry
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.oracle.spec import Row, spec_named
from mmaspec.programs.base import Program
from mmaspec.programs.hlsl_wave_matrix.program import (
    Add,
    Instruction,
    MultiplyAccumulate,
    SumAccumulate,
    WaveMatrixProgram,
)
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.array import ROW, tuples, unknown
from mmaspec.strategies.axes.observation import Seen, observer_of, seen
from mmaspec.strategies.axes.reached import contradictions
from mmaspec.strategies.axes.space import Axis, space_of
from mmaspec.strategies.enumerate import DEFAULT_SEED, Lister, arrays_of, grammar_of
from mmaspec.strategies.grammar import Array, Chosen
from mmaspec.strategies.hlsl_wave_matrix.arrays import ARRAYS, PACKED
from mmaspec.strategies.hlsl_wave_matrix.arrays.operations import NONE
from mmaspec.strategies.hlsl_wave_matrix.arrays.packed import PART, Packed
from mmaspec.strategies.recipe import Recipe, materialise
from mmaspec.suites.judging.ask import ask, hold
from mmaspec.suites.judging.judge_case import CaseJudge

SPEC = spec_named("hlsl-wave-matrix")
SPACE = space_of(SPEC.name)
BY_NAME = {packed.name: packed for packed in PACKED}
EVERY = 20
"""Without --long one case of so many is looked at, which takes most of the time."""


@cache
def rows() -> dict[str, Row[Entry]]:
    return {row.name: row for row in SPEC.rows(SPEC.default_caps)}


@cache
def made(name: str) -> tuple[tuple[Chosen, Recipe | None], ...]:
    array = arrays_of(SPEC.name)[name]
    lister = Lister(SPEC, grammar_of(SPEC.name), SPEC.default_caps, DEFAULT_SEED)
    found = tuples(array, SPEC.default_caps, [*rows().values()], 2)
    return tuple((chosen, lister.met(rows()[chosen[ROW]], array, chosen)) for chosen in found)


def looked_at(array: Array, times: int) -> Sequence[tuple[Chosen, Recipe]]:
    cases = [(chosen, recipe) for chosen, recipe in made(array.name) if recipe is not None]
    return cases if times > 1 else cases[::EVERY]


def things_of(packed: Packed, chosen: Chosen) -> tuple[Chosen, ...]:
    return packed.parts(SPEC.default_caps, chosen[ROW])[int(chosen[PART]) - 1]


def axis(name: str, group: str) -> Axis | None:
    """The axis of the space, if it has one of that name in the group."""
    found = SPACE.axis.get(name)
    return found if found is not None and group in found.groups else None


def absent(packed: Packed, thing: Chosen, found: Sequence[Seen]) -> Iterator[str]:
    """The groups in which no one thing has all classes that were chosen together; groups that the case lacks aside."""
    groups = {one.thing.group for one in found} & set(packed.groups)
    if not groups:
        yield "no thing of any group"
    for group in sorted(groups):
        wanted = {name: one for name, one in thing.items() if axis(name, group) and one != NONE}
        own = [one for one in found if one.thing.group == group]
        if not any(all(name in one.classes.get(on, ()) for on, name in wanted.items()) for one in own):
            yield f"{group}: {wanted}"


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("array", ARRAYS, ids=lambda array: array.name)
def test_the_chosen_classes_are_seen(array: Array, times: int) -> None:
    observer = observer_of(SPEC.name)
    for chosen, recipe in looked_at(array, times):
        found = list(seen(materialise(recipe), observer, SPACE))
        assert not [(rule.together, one.thing.group) for rule, one in contradictions(SPACE, found)], chosen
        packed = BY_NAME.get(array.name)
        for thing in things_of(packed, chosen) if packed else ():
            assert packed is not None
            assert not list(absent(packed, thing, found)), (chosen, thing)
        for name, one in chosen.items() if packed is None else ():
            if name in SPACE.axis:
                assert any(one in each.classes.get(name, ()) for each in found), (chosen, name)


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("array", ARRAYS, ids=lambda array: array.name)
def test_every_tuple_is_realised(array: Array) -> None:
    assert made(array.name)
    assert not [chosen for chosen, recipe in made(array.name) if recipe is None]
    assert not list(unknown(array))


@pytest.mark.parametrize("packed", PACKED, ids=lambda packed: packed.name)
def test_every_part_is_a_case(packed: Packed) -> None:
    """And no class of an axis was lost to the rules."""
    cases = {(chosen[ROW], chosen[PART]) for chosen, _ in made(packed.name)}
    parts = {(row, f"{n + 1}") for row in rows() for n in range(len(packed.parts(SPEC.default_caps, row)))}
    assert cases == parts
    things = [thing for row in rows() for part in packed.parts(SPEC.default_caps, row) for thing in part]
    for name, classes in packed.axes.items():
        possible = {thing[name] for thing in things}
        assert possible == set(classes) - LOST.get((packed.name, name), set()), name


LOST: dict[tuple[str, str], set[str]] = {}
"""Classes that no row of the default caps can have."""


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("array", ARRAYS, ids=lambda array: array.name)
def test_something_is_judged_and_legal(array: Array, times: int) -> None:
    backend = resolve("numpy")
    for chosen, recipe in looked_at(array, times):
        judge = CaseJudge(backend, backend.describe(), PRACTICE, {recipe.id: ()}, limit=0)
        result = judge.judge_listed(recipe)[0]
        assert result.outcome == "legal", (chosen, result)
        assert result.judged, chosen


class Once:
    """A device that leaves out an operation of a kind where the one before it is the same."""

    def __init__(self, kind: type[Instruction]) -> None:
        self.kind, self.inner = kind, resolve("numpy")

    def run(self, spec: str, program: Program, images: Images) -> Images:
        assert isinstance(program, WaveMatrixProgram)
        body = program.body
        kept = tuple(
            one for at, one in enumerate(body) if not (isinstance(one, self.kind) and body[at - 1 : at] == (one,))
        )
        return self.inner.run(spec, replace(program, body=kept), images)


@pytest.mark.parametrize("kind", [SumAccumulate, MultiplyAccumulate, Add], ids=lambda kind: kind.__name__)
def test_one_operation_twice_in_a_row_is_two(kind: type[Instruction]) -> None:
    cases = [materialise(recipe) for chosen, recipe in made("relations") if recipe and chosen["scene"] == "repeated"]
    assert cases
    for case in cases:
        by_reading = expect_by_reading(case, PRACTICE)
        assert isinstance(by_reading.first, Defined)
        assert not hold(case, by_reading, ask(Once(kind), case, by_reading.first)).legal
        assert hold(case, by_reading, ask(resolve("numpy"), case, by_reading.first)).legal
