"""Changes of a valid draft from which near misses are made."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from mmaspec.programs.base import Affine, Buffer, Index, Literal
from mmaspec.programs.nv_coopmat2.program import (
    CoopMatProgram,
    Instruction,
    Matrix,
    Repeat,
    Simple,
    Splat,
    Store,
    StoreTensor,
)
from mmaspec.strategies.circumstances import APART, ARGUMENTS, When, argument, loops, spread, word
from mmaspec.strategies.grammar import Draft
from mmaspec.strategies.nv_coopmat2.builder.program import with_program


def changed(draft: Draft, kind: type, *, fit: bool = True, **fields: Any) -> Draft:
    """The first instruction of a kind with other fields; ``fit``: with buffers of the right size."""
    program: CoopMatProgram = draft.program
    number = next(i for i, instruction in enumerate(program.body) if isinstance(instruction, kind))
    body = list(program.body)
    body[number] = replace(body[number], **fields)
    edited = replace(program, body=tuple(body))
    return with_program(draft, edited) if fit else unfitted(draft, body=tuple(body))


def unfitted(draft: Draft, **fields: Any) -> Draft:
    """Other fields of the program, whose values need not exist."""
    return Draft(replace(draft.program, **fields), draft.regime, draft.batch, draft.words)


def followed(draft: Draft, *steps: Instruction, matrices: tuple[Matrix, ...] = (), **fields: Any) -> Draft:
    """The draft with instructions at its end, and matrices that are declared and filled for them."""
    program: CoopMatProgram = draft.program
    filled = tuple(Splat(matrix.name, Literal(1)) for matrix in matrices)
    body = (*filled, *program.body, *steps)
    return with_program(draft, replace(program, matrices=(*program.matrices, *matrices), body=body, **fields))


def repeated(step: Simple, when: When) -> Instruction:
    """The instruction, in a loop of two passes where it shall stand in one."""
    return Repeat(2, (step,)) if loops(when) else step


def broken(draft: Draft, number: int, field: str, values: tuple[int, int], when: When) -> Draft:
    """The draft with an argument of one instruction right and wrong, the latter in one wave or pass alone or in all."""
    right, wrong = values
    program: CoopMatProgram = draft.program
    own: Any = program.body[number]
    apart = APART if field == "offset" and isinstance(own, Store | StoreTensor) else 0
    step = replace(stored_apart(draft, own, when), **{field: argument(right, wrong, when, apart)})
    body = (*program.body[:number], repeated(step, when), *program.body[number + 1 :])
    return with_words(draft, replace(program, body=body), wrong, when)


def with_words(draft: Draft, program: CoopMatProgram, wrong: int, when: When) -> Draft:
    """The draft with another program, and the waves and the words that its wrong argument needs."""
    words = word(wrong, when)
    if words:
        program = replace(program, buffers=(*program.buffers, Buffer(ARGUMENTS, 16)))
    if when.endswith("wave"):
        body: Any = tuple(stored_apart(draft, step, when) for step in program.body)
        program = replace(program, waves=2, body=body)
    else:
        program = replace(program, waves=1)
    return with_program(Draft(program, draft.regime, draft.batch, (*draft.words, *words)), program)


def stored_apart(draft: Draft, step: Any, when: When) -> Any:
    """The instruction; a store so that no wave or pass stores where another does."""
    if not isinstance(step, Store | StoreTensor) or (isinstance(step.offset, Affine) and when.endswith("wave")):
        return step
    return replace(step, offset=spread(at_first(draft, step.offset), when)) if when else step


def number_of(draft: Draft, kind: type) -> int:
    """The place of the first instruction of a kind."""
    return next(n for n, step in enumerate(draft.program.body) if isinstance(step, kind))


def first(draft: Draft, kind: type) -> Any:
    """The first instruction of a kind."""
    return draft.program.body[number_of(draft, kind)]


def shifted(draft: Draft, index: Index, by: int) -> Index:
    """An argument plus a constant, as a literal where it was read at run time."""
    if isinstance(index, int):
        return index + by
    if isinstance(index, Affine):
        return Affine(index.base + by, index.wave, index.loop)
    return next(word.value for word in draft.words if (word.buffer, word.offset) == (index.buffer, index.offset)) + by


def at_first(draft: Draft, index: Index) -> int:
    """The value of an argument in the first wave and pass."""
    found = shifted(draft, index, 0)
    if isinstance(found, Affine):
        return found.base
    assert isinstance(found, int)
    return found
