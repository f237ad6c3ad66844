"""Arguments outside loops, and names that are free."""

from __future__ import annotations

import pytest
from msgspec import Struct

from mmaspec.programs.base import Affine, Index, Literal, RunTime, at
from mmaspec.programs.outside import as_wave, in_one_wave, in_pass, outside_loops
from mmaspec.programs.unused import unused


class Step(Struct, frozen=True):
    """An instruction with arguments, one of them in a tuple."""

    offset: Index
    more: tuple[Index, ...] = ()
    value: Literal = Literal(3)


def arguments(step: Step) -> tuple[Index, ...]:
    return (step.offset, *step.more)


STEPS = (
    Step(4),
    Step(RunTime("words", 8)),
    Step(Affine(1, 2)),
    Step(Affine(1, 2, 3)),
    Step(0, (Affine(5, loop=1), 7)),
    Step(Affine(1, 2, 3, 4, 5, 6), (Affine(0, 0, 9),)),
)


@pytest.mark.parametrize("step", STEPS)
def test_outside_loops_and_in_one_wave_nothing_names_them_and_values_stay(step: Step) -> None:
    no_pass, no_wave = outside_loops(step), in_one_wave(step)
    for old, outside, alone in zip(*map(arguments, (step, no_pass, no_wave)), strict=True):
        if isinstance(old, RunTime):
            assert outside == alone == old
            continue
        for number in range(9):
            assert at(outside, number, 5) == at(old, number, 0)
            assert at(alone, 5, number) == at(old, 0, number)
    assert (no_pass.value, no_wave.value) == (step.value, step.value)


@pytest.mark.parametrize("step", STEPS)
def test_in_a_pass_values_are_those_of_that_pass(step: Step) -> None:
    for number in range(4):
        for old, here in zip(arguments(step), arguments(in_pass(step, number)), strict=True):
            assert here == old if isinstance(old, RunTime) else at(here, 3, 9) == at(old, 3, number)


@pytest.mark.parametrize("step", STEPS)
def test_as_a_wave_values_are_those_of_that_wave(step: Step) -> None:
    for number in range(9):
        for old, here in zip(arguments(step), arguments(as_wave(step, number)), strict=True):
            assert here == old if isinstance(old, RunTime) else at(here, 5, 3) == at(old, number, 3)


class Reads(Struct, frozen=True):
    """An instruction that finds data."""

    offset: Index
    data: str | None = None


def test_data_of_a_pass_has_a_name_of_its_own() -> None:
    body = (Reads(Affine(1, loop=2), "A"), Reads(4, "B"), Reads(5))
    assert in_pass(body, 3, {"A"}) == (Reads(Affine(7), "A of pass 3"), Reads(4, "B"), Reads(5))


def test_bodies_are_taken_one_by_one() -> None:
    assert outside_loops(STEPS) == tuple(map(outside_loops, STEPS))
    assert in_one_wave(STEPS) == tuple(map(in_one_wave, STEPS))


def test_a_name_that_is_taken_is_not_taken_again() -> None:
    assert unused("t", ()) == "t"
    assert unused("t", ("t", "t__")) == "t_"
    assert unused("t", iter(("t", "t_"))) == "t__"
