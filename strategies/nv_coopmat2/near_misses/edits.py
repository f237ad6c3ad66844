"""Changes of a valid draft from which near misses are made."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from mmaspec.programs.base import Affine, Index
from mmaspec.programs.nv_coopmat2.program import CoopMatProgram
from mmaspec.strategies.grammar import Draft
from mmaspec.strategies.nv_coopmat2.builder.program import with_program


def changed(draft: Draft, kind: type, *, fit: bool = True, **fields: Any) -> Draft:
    """The first instruction of a kind with other fields; ``fit``: with buffers of the right size."""
    program: CoopMatProgram = draft.program
    number = next(i for i, instruction in enumerate(program.body) if isinstance(instruction, kind))
    body = list(program.body)
    body[number] = replace(body[number], **fields)
    edited = replace(program, body=tuple(body))
    return with_program(draft, edited) if fit else Draft(edited, draft.regime, draft.batch, draft.words)


def first(draft: Draft, kind: type) -> Any:
    """The first instruction of a kind."""
    return next(instruction for instruction in draft.program.body if isinstance(instruction, kind))


def shifted(draft: Draft, index: Index, by: int) -> Index:
    """An argument plus a constant, as a literal where it was read at run time."""
    if isinstance(index, int):
        return index + by
    if isinstance(index, Affine):
        return Affine(index.base + by, index.wave, index.loop)
    return next(word.value for word in draft.words if (word.buffer, word.offset) == (index.buffer, index.offset)) + by
