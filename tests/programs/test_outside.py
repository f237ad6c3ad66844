"""Arguments outside loops, and names that are free."""

from __future__ import annotations

import pytest
from msgspec import Struct

from mmaspec.programs.base import Affine, Index, Literal, RunTime, at
from mmaspec.programs.outside import names_pass, outside_loops
from mmaspec.programs.unused import unused


class Step(Struct, frozen=True):
    """An instruction with arguments, one of them in a tuple."""

    offset: Index
    more: tuple[Index, ...] = ()
    value: Literal = Literal(3)


STEPS = (
    Step(4),
    Step(RunTime("words", 8)),
    Step(Affine(1, 2)),
    Step(Affine(1, 2, 3)),
    Step(0, (Affine(5, loop=1), 7)),
    Step(Affine(1, 2, 3, 4, 5, 6), (Affine(0, 0, 9),)),
)


@pytest.mark.parametrize("step", STEPS)
def test_outside_loops_nothing_names_the_pass_and_every_value_stays(step: Step) -> None:
    plain = outside_loops(step)
    assert not names_pass(plain)
    assert names_pass(step) == (plain != step)
    for old, new in zip((step.offset, *step.more), (plain.offset, *plain.more), strict=True):
        if isinstance(old, RunTime):
            assert new == old
        else:
            assert [at(new, wave, 0) for wave in range(9)] == [at(old, wave, 0) for wave in range(9)]


def test_bodies_are_taken_one_by_one() -> None:
    assert outside_loops(STEPS) == tuple(outside_loops(step) for step in STEPS)
    assert names_pass(STEPS)
    assert not names_pass(STEPS[:3])


def test_a_name_that_is_taken_is_not_taken_again() -> None:
    assert unused("t", ()) == "t"
    assert unused("t", ("t", "t__")) == "t_"
    assert unused("t", iter(("t", "t_"))) == "t__"
