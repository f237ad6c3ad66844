"""A valid draft that is being changed: what near misses are made with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from msgspec.structs import replace

from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Affine, Buffer, Word
from mmaspec.programs.hlsl_linalg.caps import LinalgCaps
from mmaspec.programs.hlsl_linalg.program import (
    Branch,
    ConvertLayout,
    Instruction,
    LinalgProgram,
    Matrix,
    Repeat,
    SharedArray,
    Vector,
)
from mmaspec.strategies.circumstances import ARGUMENTS, When, argument, loops, word
from mmaspec.strategies.grammar import Draft, DrawContext, Form, Forms

SPARE = 1 << 13
"""Bytes of a buffer that a near miss adds."""
BASE = 128

Where = When | Literal["other lanes"]
"""When an argument is wrong; of a Thread matrix or a vector also in the lanes after the first."""


class NothingThereError(LookupError):
    """The draft has no such instruction: nothing to break."""


@dataclass
class Edit:
    """A draft under change; methods give the edit back, so that they can be chained."""

    context: DrawContext[LinalgCaps]
    draft: Draft
    program: LinalgProgram
    words: tuple[Word, ...]

    @classmethod
    def of(cls, context: DrawContext[LinalgCaps], draft: Draft) -> Edit:
        """The edit that has changed nothing yet."""
        return cls(context, draft, draft.program, draft.words)

    @property
    def caps(self) -> LinalgCaps:
        """What the device reports."""
        return self.context.caps

    def one_of(self, options: Iterable[Any]) -> Any:
        """Any of the options."""
        return self.context.choices.one_of(tuple(options))

    def done(self) -> Draft:
        """The changed draft."""
        return Draft(self.program, self.draft.regime, self.draft.batch, self.words)

    def find(self, kind: type, name: str = "", memory: str = "") -> int:
        """The number of the first instruction of a kind, of a matrix or vector and at a buffer or array if named."""
        for number, step in enumerate(self.program.body):
            named = getattr(step, "matrix", None) or getattr(step, "vector", None)
            place = getattr(step, "memory", None) or getattr(step, "buffer", None)
            if isinstance(step, kind) and name in ("", named) and memory in ("", place):
                return number
        raise NothingThereError(kind.__name__, name, memory)

    def step(self, number: int) -> Any:
        """An instruction."""
        return self.program.body[number]

    def put(self, number: int, *steps: Instruction) -> Edit:
        """Other instructions in place of one."""
        body = self.program.body
        self.program = replace(self.program, body=(*body[:number], *steps, *body[number + 1 :]))
        return self

    def set(self, number: int, **fields: Any) -> Edit:
        """Other arguments of an instruction."""
        return self.put(number, replace(self.step(number), **fields))

    def only(self, *steps: Instruction) -> Edit:
        """These instructions and no others."""
        self.program = replace(self.program, body=steps)
        return self

    def more(
        self,
        *steps: Instruction,
        matrices: tuple[Matrix, ...] = (),
        vectors: tuple[Vector, ...] = (),
        arrays: tuple[SharedArray, ...] = (),
        buffers: tuple[str, ...] = (),
        read_only: tuple[str, ...] = (),
    ) -> Edit:
        """Instructions at the end of the shader, and declarations; buffers by name."""
        body = list(self.program.body)
        end = len(body)
        while end and isinstance(body[end - 1], ConvertLayout):
            end -= 1
        body[end:end] = steps
        program = self.program
        new = tuple(Buffer(name, SPARE, BASE) for name in (*buffers, *read_only))
        self.program = replace(
            program,
            body=tuple(body),
            matrices=(*program.matrices, *matrices),
            vectors=(*program.vectors, *vectors),
            arrays=(*program.arrays, *arrays),
            buffers=(*program.buffers, *new),
            read_only=(*program.read_only, *read_only),
        )
        return self

    def declare(self, name: str, **changes: Any) -> Edit:
        """A matrix, vector or array declared otherwise."""
        program = self.program
        self.program = replace(
            program,
            matrices=tuple(replace(one, **changes) if one.name == name else one for one in program.matrices),
            vectors=tuple(replace(one, **changes) if one.name == name else one for one in program.vectors),
            arrays=tuple(replace(one, **changes) if one.name == name else one for one in program.arrays),
        )
        return self

    def matrix(self, like: str, name: str = "X", **changes: Any) -> Matrix:
        """A matrix like another one."""
        return replace(self.program.matrix(like), name=name, **changes)

    def rebased(self, buffer: str, by: int) -> Edit:
        """A buffer whose view begins further on."""
        buffers = tuple(replace(one, base=one.base + by) if one.name == buffer else one for one in self.program.buffers)
        self.program = replace(self.program, buffers=buffers)
        return self

    def read_only(self, *names: str) -> Edit:
        """Buffers bound as read-only."""
        self.program = replace(self.program, read_only=(*self.program.read_only, *names))
        return self

    def writable(self, name: str) -> Edit:
        """A buffer bound as read-write."""
        kept = tuple(one for one in self.program.read_only if one != name)
        self.program = replace(self.program, read_only=kept)
        return self

    def wrong(self, number: int, field: str, by: int, when: Where = "") -> Edit:
        """An argument, a literal so far, that is so much more: everywhere, or in one wave, pass or lane alone."""
        step = self.step(number)
        right = getattr(step, field)
        assert isinstance(right, int)
        if when == "other lanes":
            return self.set(number, **{field: Affine(right, lane=by)})
        if when.endswith("wave"):
            self.program = replace(self.program, waves=2, wave_size=min(self.caps.wave_sizes))
        if words := word(right + by, when):
            self.words = (*self.words, *words)
            self.program = replace(self.program, buffers=(*self.program.buffers, Buffer(ARGUMENTS, 16)))
        changed = replace(step, **{field: argument(right, right + by, when)})
        if loops(when):
            return self.put(number, Repeat(2, (changed,)))
        if when == "in a branch":
            return self.put(number, Branch(self.program.wave_size, (changed,)))
        return self.put(number, changed)


Change = Callable[[Edit], Edit | None]
"""What breaks the clause, and nothing else; None where nothing was drawn to break."""
Possible = Callable[[Row[Any], Any], bool]


def two_waves(_: Row[Any], caps: Any) -> bool:
    """Whether a group can have two of the smallest waves."""
    return bool(2 * min(caps.wave_sizes) <= caps.largest_group)


def form(name: str, change: Change, rows: tuple[str, ...] = (), possible: Possible | None = None) -> Form:
    """One way to break a clause."""

    def near_miss(context: DrawContext[Any], draft: Draft) -> Draft | None:
        try:
            changed = change(Edit.of(context, draft))
        except NothingThereError:
            return None
        return None if changed is None else changed.done()

    return Form(near_miss, rows, name, possible)


def forms(
    changes: Mapping[str, Change], rows: tuple[str, ...] = (), possible: Possible | None = None
) -> tuple[Form, ...]:
    """A way for each entry."""
    return tuple(form(name, change, rows, possible) for name, change in changes.items())


def joined(*parts: tuple[Form, ...]) -> Forms:
    """A near miss with all these ways."""
    return Forms(tuple(one for part in parts for one in part))
