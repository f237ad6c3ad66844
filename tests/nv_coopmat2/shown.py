"""The classes that a program written by hand shows."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from mmaspec.oracle.case import Case
from mmaspec.oracle.nv_coopmat2 import SPEC
from mmaspec.programs.base import Buffer
from mmaspec.programs.nv_coopmat2.caps import DEFAULT_CAPS, CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import CoopMatProgram, Instruction, Matrix
from mmaspec.strategies.axes.observation import observer_of, seen
from mmaspec.strategies.axes.reached import contradictions
from mmaspec.strategies.axes.space import space_of

OBSERVER = observer_of(SPEC.name)
SPACE = space_of(SPEC.name)
ROOM = 1 << 16

A = Matrix("A", "f16", 16, 16, 0)
B = Matrix("B", "f16", 16, 16, 1)
C = Matrix("C", "f32", 16, 16, 2)
D = Matrix("D", "f32", 16, 16, 2)
WORDS = Matrix("W", "s32", 16, 16, 2)
OTHER = Matrix("V", "s32", 16, 16, 2)


def written(*body: Instruction, matrices: tuple[Matrix, ...], **fields: object) -> CoopMatProgram:
    """A program over the buffers ``in``, ``more`` and ``out``, large enough for anything here."""
    buffers = (Buffer("in", ROOM), Buffer("more", ROOM), Buffer("out", ROOM))
    return CoopMatProgram(buffers=buffers, matrices=matrices, body=body, **fields)  # type: ignore[arg-type]


def shown(
    program: CoopMatProgram,
    values: Mapping[str, object] | None = None,
    caps: CoopMatCaps = DEFAULT_CAPS,
    target: str = "",
) -> dict[str, set[str]]:
    """``group/axis`` -> its classes in all things of the group; data that are not given count from 1.

    Nothing in it may have classes together that a rule calls impossible.
    """
    given = dict(values or {})
    sources = () if target else SPEC.sources(program)
    bits = {}
    for source in sources:
        count = int(np.prod(source.shape))
        words = np.resize(np.array(given.get(source.name, np.arange(1, count + 1)), np.uint64), count)
        bits[source.name] = words.reshape(1, *source.shape)
    case = Case(SPEC.name, "by hand", "by hand", program, caps, 1, bits, target=target)
    found = list(seen(case, OBSERVER, SPACE))
    assert not [rule.together for rule, _ in contradictions(SPACE, found)]
    answer: dict[str, set[str]] = {}
    for one in found:
        for axis, classes in one.classes.items():
            answer.setdefault(f"{one.thing.group}/{axis}", set()).update(classes)
    return answer
