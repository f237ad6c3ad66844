"""Walking and editing programs: what an edit changes, and that it changes nothing else."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmaspec.programs import tree
from mmaspec.programs.base import Buffer, Place
from mmaspec.suites.judging.blaming.trial import among_stores

from .toy import NEW, Act, Repeat, Show, Toy, numbers, programs, programs_and_places

Placed = tuple[Toy, Place]


@given(programs())
def test_walk_covers_what_is_executed(program: Toy) -> None:
    executed = list(tree.unrolled(program))
    listed = list(tree.walk(program))
    assert Counter(place.path for place, _ in executed) == {place.path: passes for place, _, passes in listed}
    assert [(place, one) for place, one in executed if not place.loop] == [(place, one) for place, one, _ in listed]
    assert all(place.loop == 0 for place, _, _ in listed)
    assert tree.paths(program) == tuple(place.path for place, _, _ in listed)


@given(programs())
def test_execution_goes_pass_by_pass(program: Toy) -> None:
    places = [place for place, _ in tree.unrolled(program)]
    assert places == sorted(places, key=lambda place: (place.path[0], place.loop, place.path))
    assert all(tree.at(program, place) == one for place, one in tree.unrolled(program))


@given(programs())
def test_places_have_their_passes(program: Toy) -> None:
    assert all(tree.passes(program, place) == passes for place, _, passes in tree.walk(program))


@given(programs_and_places())
def test_what_is_replaced_is_there_and_alone(drawn: Placed) -> None:
    program, place = drawn
    changed = tree.replace(program, place, NEW)
    assert tree.at(changed, place) == NEW
    old = tree.at(program, place)
    assert [NEW if one == old else one for _, one, _ in tree.walk(program)] == [one for _, one, _ in tree.walk(changed)]
    assert tree.replace(changed, place, old) == program


@given(programs_and_places())
def test_what_is_inserted_stands_right_before(drawn: Placed) -> None:
    program, place = drawn
    grown = tree.insert(program, place, NEW)
    *outer, last = place.path
    assert tree.at(grown, place) == NEW
    assert tree.at(grown, Place((*outer, last + 1))) == tree.at(program, place)
    assert tree.passes(grown, place) == tree.passes(program, place)
    assert tree.drop(grown, [place.path]) == program


@given(programs_and_places())
def test_what_is_appended_ends_the_body_of_the_place(drawn: Placed) -> None:
    program, place = drawn
    grown = tree.append(program, place, NEW)
    body = grown.body if len(place.path) == 1 else grown.body[place.path[0]].body  # type: ignore[union-attr]
    assert body[-1] == NEW
    assert numbers(grown).count(NEW.number) == 1
    assert tree.keep(grown, lambda _, one: one != NEW) == program


@given(programs(), st.data())
def test_what_is_dropped_is_gone_and_so_are_empty_loops(program: Toy, data: st.DataObject) -> None:
    gone = data.draw(st.sets(st.sampled_from(tree.paths(program))))
    left = tree.drop(program, gone)
    assert numbers(left) == [one.number for place, one, _ in tree.walk(program) if place.path not in gone]
    assert all(one.body for one in left.body if isinstance(one, Repeat))
    counts = {one.number: passes for _, one, passes in tree.walk(program)}
    assert all(counts[one.number] == passes for _, one, passes in tree.walk(left))
    assert (left == program) == (not gone)


@given(programs(), st.integers(0, 2))
def test_instrumented_programs_store_after_each(program: Toy, every: int) -> None:
    """Every instruction, none, or those with even numbers."""
    asked: list[tuple[Place, Any, int]] = []

    def store(place: Place, one: Any, passes: int) -> tuple[Any, Buffer] | None:
        asked.append((place, one, passes))
        buffer = Buffer(f"after {one.number}", 4 * passes)
        return (Show(buffer.name), buffer) if every and one.number % every == 0 else None

    shown, shows = tree.instrument(program, store)
    assert asked == list(tree.walk(program))
    wanted = [(place, one) for place, one, _ in asked if every and one.number % every == 0]
    assert list(shows.items()) == [(f"after {one.number}", place) for place, one in wanted]
    assert [buffer.name for buffer in shown.buffers] == ["data", *shows]
    after = {one.number: following for (_, one, _), (_, following, _) in zip(
        tree.walk(shown), list(tree.walk(shown))[1:], strict=False) if isinstance(one, Act)}  # fmt: skip
    assert all(after[one.number] == Show(f"after {one.number}") for _, one in wanted)
    for place, one, _ in asked:
        assert tree.at(shown, Place(among_stores(place, shows), place.loop)) == one
    bare = tree.keep(shown, lambda _, one: not isinstance(one, Show))
    assert (bare.body, bare.waves) == (program.body, program.waves)


@pytest.mark.parametrize("path", [(3,), (1, 2), (0, 0)])
def test_where_nothing_stands_nothing_is_changed(path: tuple[int, ...]) -> None:
    program = Toy((Act(0), Repeat(2, (Act(1), Act(2))), Act(3)))
    place = Place(path)
    for edit in (tree.replace, tree.insert, tree.append):
        with pytest.raises((IndexError, AttributeError)):
            edit(program, place, NEW)
    with pytest.raises((IndexError, AttributeError)):
        tree.at(program, place)


def test_a_loop_is_an_instruction_of_its_own_place() -> None:
    loop = Repeat(2, (Act(1),))
    program = Toy((Act(0), loop))
    assert tree.at(program, Place((1,))) is loop
    assert tree.replace(program, Place((1,)), NEW).body == (Act(0), NEW)
