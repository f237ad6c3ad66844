"""Programs of no specification: instructions that are only told apart, loops of them, and strategies that draw both."""

from __future__ import annotations

from hypothesis import strategies as st
from msgspec import Struct

from mmaspec.programs.base import Buffer, Place
from mmaspec.programs.tree import walk


class Act(Struct, frozen=True):
    """An instruction with a number of its own."""

    number: int


class Show(Struct, frozen=True):
    """What stores the state after an instruction."""

    buffer: str


class Repeat(Struct, frozen=True):
    """A loop."""

    count: int
    body: tuple[Act | Show, ...]


class Toy(Struct, frozen=True):
    """A program of them."""

    body: tuple[Act | Show | Repeat, ...]
    buffers: tuple[Buffer, ...] = (Buffer("data", 64),)
    waves: int = 1


NEW = Act(-1)
"""An instruction that no drawn program has."""


@st.composite
def programs(draw: st.DrawFn) -> Toy:
    """Programs of one to six instructions or loops, none of them empty, every instruction once."""
    shapes = draw(st.lists(st.none() | st.tuples(st.integers(1, 4), st.integers(1, 4)), min_size=1, max_size=6))
    numbers = iter(range(100))
    body: list[Act | Show | Repeat] = []
    for shape in shapes:
        if shape is None:
            body.append(Act(next(numbers)))
        else:
            count, length = shape
            body.append(Repeat(count, tuple(Act(next(numbers)) for _ in range(length))))
    return Toy(tuple(body))


@st.composite
def programs_and_places(draw: st.DrawFn) -> tuple[Toy, Place]:
    """A program and the place of one of its instructions."""
    program = draw(programs())
    return program, draw(st.sampled_from([place for place, _, _ in walk(program)]))


def numbers(program: Toy) -> list[int]:
    """The numbers of all instructions in the order of the text, loops opened."""
    return [one.number for _, one, _ in walk(program) if isinstance(one, Act)]
