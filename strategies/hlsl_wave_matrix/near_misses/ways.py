"""The ways to break a rule about one access: which access, what about it, and in which wave or pass alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from msgspec.structs import replace

from mmaspec.oracle.hlsl_wave_matrix.addresses import Access, element_bytes, least_stride, memory_row_bytes
from mmaspec.programs.base import Buffer, Word
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import (
    FACTORS,
    Barrier,
    Branch,
    ElementType,
    Instruction,
    Load,
    Matrix,
    MatrixKind,
    Repeat,
    SharedArray,
    Stage,
    Store,
    WaveMatrixProgram,
    is_packed,
)
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.circumstances import APART, ARGUMENTS, When, loops, spread, word
from mmaspec.strategies.circumstances import argument as index
from mmaspec.strategies.grammar import Draft, DrawContext, Form, Forms, form_of
from mmaspec.strategies.hlsl_wave_matrix.near_misses.edits import (
    filled,
    matrix_of,
    roomy,
    up,
    with_instructions,
    with_program,
)

WHOLE_GROUP = 1024
"""Lanes of a branch that every lane takes."""


@dataclass(frozen=True, slots=True)
class Way:
    """One row of a table: an access, what is wrong with it, and when."""

    verb: Literal["load", "store"]
    kind: MatrixKind
    how: str = ""
    when: When = ""
    col_major: int | None = None
    """None: drawn."""
    alignment: int | None = None
    """None: drawn from those above 4."""
    rows: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The form in words."""
        words = f"{self.verb} of {self.kind}"
        if self.col_major is not None:
            words += ", column-major" if self.col_major else ", row-major"
        return ", ".join(filter(None, (words, self.how, self.when)))


@dataclass(frozen=True, slots=True)
class Chosen:
    """An access that is valid still, and the facts that a change of it depends on."""

    choices: Choices
    draft: Draft
    number: int
    """Its place in the body."""
    access: Access
    matrix: Matrix
    base: int = 0
    """Address at which the view begins; 0 for an array."""

    def literal(self, argument: str) -> int:
        """An argument, as it was placed."""
        value = getattr(self.access, argument)
        assert isinstance(value, int)
        return value


Breach = Callable[[DrawContext[WaveMmaCaps], Draft, Way], Draft | None]


def in_ways(change: Breach, ways: Iterable[Way]) -> Forms:
    """The near miss with a form for every row of a table."""
    forms: tuple[Form, ...] = tuple(form_of(change, way, way.name, way.rows) for way in ways)
    return Forms(forms)


def in_buffer(context: DrawContext[WaveMmaCaps], draft: Draft, way: Way) -> Chosen:
    """The draft's own access of that kind, or a new one, placed anew in a buffer of its own."""
    choices, program = context.choices, draft.program
    matrix, method = matrix_of(draft, way.kind), Load if way.verb == "load" else Store
    number = next(
        (n for n, step in enumerate(program.body) if type(step) is method and step.matrix == matrix.name), None
    )
    if number is None:
        buffer = Buffer("extra", 0, 16 * choices.integer(1, 12))
        declared = () if way.kind in FACTORS else (matrix,)
        before = (filled(matrix),) if declared else ()
        new = method(matrix.name, buffer.name, 0, 0)
        draft = with_instructions(draft, *before, new, matrices=declared, buffers=(*program.buffers, buffer))
        number = len(draft.program.body) - 2
    access = draft.program.body[number]
    base = next(buffer.base for buffer in draft.program.buffers if buffer.name == access.buffer)
    alignment = choices.one_of((8, 16, 32)) if way.alignment is None else way.alignment
    unit = max(alignment, 4)
    offset = up(base + 4 * choices.integer(1, 12), unit) - base
    more = choices.integer(0, 2)
    if matrix.is_fragment:
        col_major, stride = 0, element_bytes(matrix) * (1 + more)
    else:
        col_major = choices.integer(0, 1) if way.col_major is None else way.col_major
        stride = up(memory_row_bytes(matrix, col_major), unit) + unit * more
    placed = replace(access, offset=offset, stride=stride, col_major=col_major, alignment=alignment)
    return Chosen(choices, roomy_with(draft, number, placed), number, placed, matrix, base)


def in_array(context: DrawContext[WaveMmaCaps], draft: Draft, way: Way, element: ElementType | None = None) -> Chosen:
    """A new access of an array that the group has filled, of the matrix's element type unless one is given."""
    choices, program = context.choices, draft.program
    matrix = matrix_of(draft, way.kind)
    col_major = choices.integer(0, 1) if way.col_major is None else way.col_major
    col_major = 0 if matrix.is_fragment else col_major
    least = least_stride(matrix, col_major, shared=True)
    offset, stride = choices.integer(1, 9), least + choices.integer(0, 3)
    # Elements of a packed matrix are counted singly where the array is not packed: four times as many.
    length = (4 if element and is_packed(matrix) else 1) * (offset + (max(matrix.rows, matrix.cols) + 1) * stride)
    array = SharedArray("shared", element or matrix.element, length)
    method = Load if way.verb == "load" else Store
    access = method(matrix.name, array.name, offset, stride, col_major)
    declared = () if way.kind in FACTORS or way.kind == "accumulator" else (matrix,)
    before: tuple[Instruction, ...] = (Stage(array.name, "in-C", 0, 8), Barrier())
    if declared:
        before = (*before, filled(matrix))
    draft = with_instructions(draft, *before, access, matrices=declared, arrays=(*program.arrays, array))
    return Chosen(choices, draft, len(draft.program.body) - 2, access, matrix)


def roomy_with(draft: Draft, number: int, step: Instruction, words: tuple[Word, ...] = ()) -> Draft:
    """The draft with another instruction at a place of its body."""
    program: WaveMatrixProgram = draft.program
    body = (*program.body[:number], step, *program.body[number + 1 :])
    return roomy(draft, replace(program, body=body), words)


def broken(chosen: Chosen, argument: str, wrong: int, when: When) -> Draft:
    """The draft with a wrong argument of the chosen access, in one wave or pass alone or in all."""
    draft, program = chosen.draft, chosen.draft.program
    words = word(wrong, when)
    if words:
        draft = with_program(draft, replace(program, buffers=(*program.buffers, Buffer(ARGUMENTS, 16))))
    if when.endswith("wave"):
        body = tuple(_stored_apart(program, step, when) for step in program.body)
        draft = with_program(draft, replace(program, waves=2, body=body))
    access = _stored_apart(program, chosen.access, when)
    apart = APART if argument == "offset" and access != chosen.access else 0
    step: Instruction = replace(access, **{argument: index(chosen.literal(argument), wrong, when, apart)})
    return roomy_with(draft, chosen.number, _repeated(step, when), words)


def _stored_apart(program: WaveMatrixProgram, step: Any, when: When) -> Any:
    """The instruction; a store into a buffer so that no wave or pass stores where another does."""
    if not isinstance(step, Store) or program.array(step.buffer) is not None or not isinstance(step.offset, int):
        return step
    return replace(step, offset=spread(step.offset, when))


def apart(program: WaveMatrixProgram, step: Any) -> Any:
    """The instruction; a store into a buffer so that every wave has a place of its own."""
    return _stored_apart(program, step, "last wave")


def around(program: WaveMatrixProgram, step: Access, when: When) -> Instruction:
    """The access in the loop or branch that is asked for; a store goes elsewhere in every pass."""
    return _repeated(_stored_apart(program, step, when), when)


def _repeated(step: Instruction, when: When) -> Instruction:
    if loops(when):
        assert not isinstance(step, Repeat | Branch)
        return Repeat(2, (step,))
    if when == "in a branch":
        assert not isinstance(step, Repeat | Branch)
        return Branch(WHOLE_GROUP, (step,))
    return step
