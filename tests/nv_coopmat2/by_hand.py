"""Programs over known words, written by hand, and what they leave.

One tensor load of 32 x 32 words without gaps puts the words into memory; whatever other loads find is then said in
terms of words and bytes, by no rule of ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import expect
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.nv_coopmat2 import SPEC
from mmaspec.programs.base import Buffer
from mmaspec.programs.nv_coopmat2.caps import DEFAULT_CAPS
from mmaspec.programs.nv_coopmat2.program import (
    USE_ACCUMULATOR,
    CoopMatProgram,
    Instruction,
    Layout,
    LoadTensor,
    Matrix,
    SetDimension,
)

SIDE = 16
COUNT = 1024
WORDS = np.arange(COUNT, dtype=np.uint32) + 1
"""Word n of the memory holds n + 1, so that no word is the clamp value of a new layout."""
MEMORY = Matrix("M", "s32", SIDE, SIDE, USE_ACCUMULATOR)
TARGET = Matrix("c", "s32", SIDE, SIDE, USE_ACCUMULATOR)
WHOLE = Layout("whole", (SetDimension((32, 32)),))


def program(
    *body: Instruction, matrices: tuple[Matrix, ...] = (TARGET,), memory: Matrix = MEMORY, **fields: Any
) -> CoopMatProgram:
    """A program over ``in``, which holds the known words, and ``out``. The matrices of one program have one scope."""
    return CoopMatProgram(
        buffers=(Buffer("in", 4 * COUNT), Buffer("out", 16 * COUNT)),
        matrices=(memory, *matrices),
        body=(LoadTensor("M", "in", 0, "whole", data="T"), *body),
        layouts=(WHOLE, *fields.pop("layouts", ())),
        **fields,
    )


def answer(
    made: CoopMatProgram, words: NDArray[np.uint32] = WORDS, readings: Mapping[str, str] | None = None
) -> Defined:
    """What is expected of a valid and defined program over these words, by other readings than the default ones."""
    assert not SPEC.rejected(made, DEFAULT_CAPS)
    assert not SPEC.undefined(made, DEFAULT_CAPS)
    values = {"T": words.astype(np.uint64).reshape(1, 1, 1, 32, 32)}
    found = expect(Case(SPEC.name, "by hand", "by hand", made, DEFAULT_CAPS, 1, values), readings=readings)
    assert isinstance(found, Defined)
    assert np.array_equal(found.images["in"][0, 64 : 64 + 4 * COUNT], words.view(np.uint8))
    return found


def acted(found: Defined) -> set[str]:
    """The clauses that acted after the load which puts the words there."""
    return {clause for step in found.steps[1:] for clause in step.clauses}


def numbers(found: Defined, region: int = -1) -> NDArray[np.int64]:
    """The ordinals that one store leaves, which have to be certain: of integers their values; ``(rows, cols)``."""
    legal = found.regions[region].legal
    assert not legal.why.any()
    assert np.array_equal(legal.lo, legal.hi)
    return legal.lo[0, 0].astype(np.int64)


def table(shape: tuple[int, int], rule: Any) -> NDArray[np.int64]:
    """The matrix of ``rule(r, c)``."""
    return np.array([[rule(r, c) for c in range(shape[1])] for r in range(shape[0])], np.int64)
