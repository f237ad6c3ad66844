"""Where an argument of a near miss has its wrong value: everywhere, or in one wave or one pass of a loop alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

from msgspec import structs

from mmaspec.programs.base import Affine, Index, RunTime, Word
from mmaspec.strategies.grammar import Draft, DrawContext, Form, Forms, NearMiss

When = Literal["", "at run time", "first wave", "last wave", "first pass", "last pass", "in a loop", "in a branch"]
"""Empty: as a literal. Of two waves, or two passes, the other one has the right value."""

ARGUMENTS = "wrong-args"
"""The buffer that a wrong argument is read from at run time; no valid program has it."""
OFFSET = 8
"""The byte of it at which a near miss finds its argument."""


APART = 1 << 15
"""How far apart two waves or passes store, in bytes or elements: a multiple of every alignment."""


def argument(right: int, wrong: int, when: When, apart: int = 0) -> Index:
    """The argument that is ``wrong`` there and ``right`` elsewhere; what it finds at run time is ``word``'s to say.

    ``apart`` is what the second wave or pass adds in either case.
    """
    if when == "at run time":
        return RunTime(ARGUMENTS, OFFSET)
    if when in ("first wave", "first pass"):
        return _linear(wrong, right + apart, when)
    if when in ("last wave", "last pass"):
        return _linear(right, wrong + apart, when)
    return wrong


def word(wrong: int, when: When) -> tuple[Word, ...]:
    """What the argument finds at run time, where it is read then."""
    return (Word(ARGUMENTS, OFFSET, wrong),) if when == "at run time" else ()


def spread(offset: int, when: When) -> Index:
    """The offset of a store, apart in the two waves or passes that there are then."""
    if when.endswith("wave"):
        return Affine(offset, wave=APART)
    return Affine(offset, loop=APART) if loops(when) else offset


def loops(when: When) -> bool:
    """Whether the instruction stands in a loop of two passes."""
    return when.endswith("pass") or when == "in a loop"


def _linear(first: int, last: int, when: When) -> Affine:
    return Affine(first, wave=last - first) if when.endswith("wave") else Affine(first, loop=last - first)


Around = Callable[[Any], Any]
"""The instruction in a loop, in the terms of its specification."""


def looping(near_miss: Forms, name: str, kind: type, around: Around) -> Forms:
    """The near miss with one of its forms changed: every instruction of a kind stands in a loop there."""
    assert name in {form.name for form in near_miss.forms}, name
    return Forms(tuple(_looped(form, kind, around) if form.name == name else form for form in near_miss.forms))


def _looped(form: Form, kind: type, around: Around) -> Form:
    change: NearMiss = form.change

    def near_miss(context: DrawContext[Any], draft: Draft) -> Draft | None:
        changed = change(context, draft)
        if changed is None:
            return None
        body = tuple(around(step) if isinstance(step, kind) else step for step in changed.program.body)
        return replace(changed, program=structs.replace(changed.program, body=body))

    return replace(form, change=near_miss, name=f"{form.name}, in a loop")
