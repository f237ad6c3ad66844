"""Loops and branches: what they hold, and who goes there."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mmaspec.programs.hlsl_linalg.operands import reads, writes
from mmaspec.programs.hlsl_linalg.program import (
    Branch,
    InterlockedAccumulate,
    LinalgProgram,
    Repeat,
    VectorAccumulate,
)
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.hlsl_linalg.observations.flow import touched
from mmaspec.strategies.hlsl_linalg.observations.whole import body_kinds


def _branch_lanes(subject: Subject, thing: Thing) -> Answer:
    branch: Branch = thing.of
    size = subject.program.wave_size
    if not branch.lanes:
        return "no-condition"
    if branch.lanes == size:
        return "all"
    return "one" if branch.lanes == 1 else "all-but-one" if branch.lanes == size - 1 else "some"


def _branch_waves(subject: Subject, thing: Thing) -> Answer:
    branch: Branch = thing.of
    return "no-condition" if not branch.waves else "all" if branch.waves == subject.program.waves else "some"


_SCOPES = {"Thread": "thread", "Wave": "wave", "ThreadGroup": "group"}


def _branch_scope(subject: Subject, thing: Thing) -> Answer:
    program: LinalgProgram = subject.program
    names = {name for one in thing.of.body for name in touched(one)}
    found = {_SCOPES[matrix.scope] for matrix in program.matrices if matrix.name in names}
    return found | ({"thread"} if any(vector.name in names for vector in program.vectors) else set()) or None


def _carries(subject: Subject, thing: Thing) -> Answer:
    loop: Repeat = thing.of
    program: LinalgProgram = subject.program
    written: set[str] = set()
    carried: set[str] = set()
    changed = {name for one in loop.body if (name := writes(one)) is not None}
    for one in loop.body:
        carried |= {name for name in reads(one) if name in changed and name not in written}
        if (target := writes(one)) is not None:
            written.add(target)
    found = {"matrix"} if any(matrix.name in carried for matrix in program.matrices) else set()
    found |= {"vector"} if any(vector.name in carried for vector in program.vectors) else set()
    if any(isinstance(one, InterlockedAccumulate | VectorAccumulate) and isinstance(one.offset, int)
           for one in loop.body):  # fmt: skip
        found.add("memory")
    return found or "nothing"


LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        "count": lambda _, thing: thing.of.count,
        "loop-body": body_kinds,
        "loop-carries": _carries,
        "loop-length": lambda _, thing: len(thing.of.body),
        "branch-lanes": _branch_lanes,
        "branch-waves": _branch_waves,
        "branch-scope": _branch_scope,
        "branch-body": body_kinds,
    }
)
"""Axis -> how it is seen in a loop or branch."""
