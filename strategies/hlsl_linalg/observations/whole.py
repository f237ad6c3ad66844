"""What a program as a whole has: threads, declarations, loops, and what it computes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from mmaspec.programs.hlsl_linalg.components import COMPONENTS
from mmaspec.programs.hlsl_linalg.program import (
    Accumulate,
    AccumulatorLayout,
    Barrier,
    Beyond,
    Branch,
    Cast,
    Convert,
    ConvertLayout,
    CountElements,
    InterlockedAccumulate,
    LinalgProgram,
    Multiply,
    MultiplyAccumulate,
    MultiplyVector,
    OuterProduct,
    ReadElements,
    Repeat,
    Splat,
    VectorAccumulate,
    WriteElements,
)
from mmaspec.programs.hlsl_linalg.removed import FromThreadVectors, GetThreadVector, Operate, SumAccumulate, Unary
from mmaspec.programs.tree import walk
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.hlsl_linalg.observations.flow import flow_of

_KINDS: Mapping[str, tuple[type, ...]] = MappingProxyType(
    {
        "conversions": (Cast, Splat, Convert, Operate, Unary),
        "elements": (ReadElements, WriteElements, Beyond, CountElements, FromThreadVectors, GetThreadVector),
        "sums": (Accumulate, SumAccumulate, InterlockedAccumulate, VectorAccumulate),
        "products": (Multiply, MultiplyAccumulate),
        "vector-products": (MultiplyVector,),
        "outer-products": (OuterProduct,),
    }
)
"""What a program does -> the instructions that do it."""


def kinds_of(instructions: Any) -> set[str]:
    """What some instructions do."""
    return {name for one in instructions for name, types in _KINDS.items() if isinstance(one, types)}


def _recipe(subject: Subject, _: Thing) -> Answer:
    found = kinds_of(one for _, one, _ in walk(subject.program))
    if "outer-products" in found:
        found -= {"sums"}
    return "moves" if not found else next(iter(found)) if len(found) == 1 else "several"


def _last_wave(subject: Subject, _: Thing) -> Answer:
    program: LinalgProgram = subject.program
    missing = program.waves * program.wave_size - program.group
    if not missing:
        return "whole"
    return "one-lane" if missing == program.wave_size - 1 else "all-but-one" if missing == 1 else "part"


_SCOPES = {
    frozenset(): "no-matrix",
    frozenset({"Thread"}): "thread",
    frozenset({"Wave"}): "wave",
    frozenset({"ThreadGroup"}): "group",
    frozenset({"Thread", "Wave"}): "thread-and-wave",
    frozenset({"Wave", "ThreadGroup"}): "wave-and-group",
    frozenset({"Thread", "Wave", "ThreadGroup"}): "all",
}


def _component_mix(subject: Subject, _: Thing) -> Answer:
    program: LinalgProgram = subject.program
    components = [one.component for one in program.matrices] + [one.component for one in program.vectors]
    rows = [COMPONENTS[name] for name in components]
    formats = {row.name: row.format for row in rows}.values()
    if len(formats) < 2:
        return "one"
    found = {"same-size"} if len({fmt.bits for fmt in formats}) == 1 else set()
    floats = {fmt.is_float for fmt in formats}
    return found | {"both" if len(floats) == 2 else "floats" if True in floats else "integers"}


def _flow(subject: Subject, _: Thing) -> Answer:
    body = subject.program.body
    loops = sum(isinstance(one, Repeat) for one in body)
    branches = any(isinstance(one, Branch) for one in body)
    if loops and branches:
        return "both"
    return "branch" if branches else "straight" if not loops else "loop" if loops == 1 else "loops"


_BODY_KINDS = {
    "conversions": "conversions",
    "elements": "elements",
    "sums": "sums",
    "products": "products",
    "vector-products": "vectors",
    "outer-products": "vectors",
}


def body_kinds(_: Subject, thing: Thing) -> Answer:
    """What a loop or branch holds."""
    return {_BODY_KINDS[kind] for kind in kinds_of(thing.of.body)} or "moves"


def _in_flow(subject: Subject, thing: Thing) -> Answer:
    flow, place = flow_of(subject), thing.of.place
    around = flow.around(place)
    if around is None:
        return "straight"
    if isinstance(around, Repeat):
        return "first-pass" if place.loop == 0 else "later-pass"
    program: LinalgProgram = subject.program
    found = {"branch-waves"} if around.waves not in (0, program.waves) else set()
    if around.lanes not in (0, program.wave_size):
        found.add("branch-lanes")
    return found or "branch-all"


def threads_taken(subject: Subject, thing: Thing) -> Answer:
    """Whether whole waves take part in an instruction."""
    program: LinalgProgram = subject.program
    around = flow_of(subject).around(thing.of.place)
    found = {"partial-wave"} if program.group % program.wave_size else set()
    if isinstance(around, Branch) and around.lanes not in (0, program.wave_size):
        found.add("some-lanes")
    return found or "all"


COMMANDS = (ConvertLayout, Barrier, AccumulatorLayout)
"""Instructions that have neither matrix nor vector."""

LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        "waves": lambda subject, _: subject.program.waves,
        "wave-size": lambda subject, _: subject.program.wave_size,
        "group-threads": lambda subject, _: subject.program.group,
        "last-wave": _last_wave,
        "matrices": lambda subject, _: len(subject.program.matrices),
        "vectors": lambda subject, _: len(subject.program.vectors),
        "arrays": lambda subject, _: len(subject.program.arrays),
        "buffers": lambda subject, _: len(subject.program.buffers),
        "scope-mix": lambda subject, _: _SCOPES.get(frozenset(one.scope for one in subject.program.matrices)),
        "component-mix": _component_mix,
        "flow": _flow,
        "body-length": lambda subject, _: len(flow_of(subject).events) or None,
        "recipe": _recipe,
        "in-flow": _in_flow,
        "vector-threads": threads_taken,
    }
)
"""Axis -> how it is seen in a program, or in where an instruction stands."""
