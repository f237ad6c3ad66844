"""Where an argument of a near miss has its wrong value: everywhere, or in one wave or one pass of a loop alone."""

from __future__ import annotations

from typing import Literal

from mmaspec.programs.base import Affine, Index, RunTime, Word

When = Literal["", "at run time", "first wave", "last wave", "first pass", "last pass", "in a loop", "in a branch"]
"""Empty: as a literal. Of two waves, or two passes, the other one has the right value."""

ARGUMENTS = "wrong-args"
"""The buffer that a wrong argument is read from at run time; no valid program has it."""
OFFSET = 8
"""The byte of it at which a near miss finds its argument."""


def argument(right: int, wrong: int, when: When) -> Index:
    """The argument that is ``wrong`` there and ``right`` elsewhere; what it finds at run time is ``word``'s to say."""
    if when == "at run time":
        return RunTime(ARGUMENTS, OFFSET)
    if when in ("first wave", "first pass"):
        return _linear(wrong, right, when)
    if when in ("last wave", "last pass"):
        return _linear(right, wrong, when)
    return wrong


def word(wrong: int, when: When) -> tuple[Word, ...]:
    """What the argument finds at run time, where it is read then."""
    return (Word(ARGUMENTS, OFFSET, wrong),) if when == "at run time" else ()


def loops(when: When) -> bool:
    """Whether the instruction stands in a loop of two passes."""
    return when.endswith("pass") or when == "in a loop"


def _linear(first: int, last: int, when: When) -> Affine:
    return Affine(first, wave=last - first) if when.endswith("wave") else Affine(first, loop=last - first)
