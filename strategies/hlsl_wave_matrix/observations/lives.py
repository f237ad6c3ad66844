"""One matrix object over its life: how it gets content, what goes over it, and how often it is used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from types import MappingProxyType

import numpy as np

from mmaspec.oracle.hlsl_wave_matrix.wave_sizes import wave_size
from mmaspec.programs.hlsl_wave_matrix.operands import reads, writes
from mmaspec.programs.hlsl_wave_matrix.program import (
    Barrier,
    Fill,
    Load,
    Matrix,
    MatrixDepth,
    Multiply,
    Repeat,
    Store,
)
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.hlsl_wave_matrix.observations.access import view
from mmaspec.strategies.hlsl_wave_matrix.observations.flow import Event, flow_of, touched
from mmaspec.strategies.hlsl_wave_matrix.observations.provenance import all_touches

SIZES = {16: "sixteen", 64: "sixty-four"}


def _per_lane(subject: Subject, thing: Thing) -> Answer:
    elements, lanes = thing.of.rows * thing.of.cols, wave_size(subject.program, subject.caps)
    if elements <= lanes:
        return "as-many" if elements == lanes else "fewer-than-lanes"
    each = elements / lanes
    return "to-eight" if each <= 8 else "to-64" if each <= 64 else "more"


def _writers(subject: Subject, name: str) -> list[Event]:
    return [event for event in flow_of(subject).events if writes(event.instruction) == name]


def _first(subject: Subject, thing: Thing) -> Answer:
    given = _writers(subject, thing.of.name)
    if not given:
        return None
    one = given[0].instruction
    if isinstance(one, Load):
        return "buffer" if subject.program.array(one.buffer) is None else "array"
    return "fill" if isinstance(one, Fill) else "multiply" if isinstance(one, Multiply) else None


def _overwritten(subject: Subject, thing: Thing) -> Answer:
    found = {
        name for before, after in pairwise(_writers(subject, thing.of.name)) for name in _over(subject, before, after)
    }
    return found or "never"


def _over(subject: Subject, before: Event, after: Event) -> Iterator[str]:
    old, new = before.instruction, after.instruction
    if isinstance(new, Multiply):
        yield "multiply-over"
    if not isinstance(new, Load | Fill):
        return
    now = "load" if isinstance(new, Load) else "fill"
    if not isinstance(old, Load | Fill):
        yield f"{now}-over-computed"
        return
    yield f"{'load' if isinstance(old, Load) else 'fill'}-{now}"
    if isinstance(old, Load) and isinstance(new, Load):
        turned = view(subject.program, before, 0).col_major != view(subject.program, after, 0).col_major
        if turned and not subject.program.matrix(old.matrix).is_fragment:
            yield "load-load-transposed"
        if not any(True for event in _between(subject, before, after) if old.matrix in reads(event.instruction)):
            yield "dead-load"


def _between(subject: Subject, first: Event, second: Event) -> tuple[Event, ...]:
    return flow_of(subject).events[first.turn + 1 : second.turn]


def _held_across(subject: Subject, thing: Thing) -> Answer:
    name, flow = thing.of.name, flow_of(subject)
    found: set[str] = set()
    for event in _writers(subject, name):
        uses = list(flow.uses_until_changed(name, event))
        for use in uses:
            found |= set(_between_use(subject, name, event, use))
    for number, one in enumerate(subject.program.body):
        if isinstance(one, Repeat) and one.count > 1:
            found |= _in_loop(one, name, number, flow.events)
    return found or ("nothing" if _writers(subject, name) else None)


def _between_use(subject: Subject, name: str, event: Event, use: Event) -> Iterator[str]:
    between = _between(subject, event, use)
    if any(isinstance(one.instruction, Barrier) for one in between):
        yield "barrier"
    if any(touched(one.instruction) - {name} and name not in touched(one.instruction) for one in between):
        yield "other-matrices"
    body = subject.program.body
    passed = body[event.path[0] + 1 : use.path[0]]
    if any(isinstance(one, Repeat) and not any(name in touched(each) for each in one.body) for one in passed):
        yield "whole-loop"
    load = event.instruction
    if isinstance(load, Load):
        places = view(subject.program, event, 0).touched
        for touch in all_touches(subject):
            later = event.turn < touch.event.turn < use.turn
            if later and touch.writes and touch.memory == load.buffer and np.intersect1d(touch.places, places).size:
                yield "memory-changed"


def _in_loop(loop: Repeat, name: str, number: int, events: tuple[Event, ...]) -> set[str]:
    changed = any(writes(one) == name for one in loop.body)
    used = any(name in reads(one) for one in loop.body)
    before = any(writes(event.instruction) == name and event.path[0] < number for event in events)
    carried = {name} & {target for one in loop.body if (target := writes(one)) is not None and target in reads(one)}
    if carried and before:
        return {"loop-carried"}
    return {"loop-invariant"} if used and before and not changed else set()


def _uses(subject: Subject, thing: Thing) -> Answer:
    flow = flow_of(subject)
    return {
        sum(1 for _ in flow.uses_until_changed(thing.of.name, event)) for event in _writers(subject, thing.of.name)
    } or None


def _stored(subject: Subject, thing: Thing) -> Answer:
    matrix: Matrix = thing.of
    flow = flow_of(subject)
    stores = [
        event
        for event in flow.events
        if isinstance(event.instruction, Store) and event.instruction.matrix == matrix.name
    ]
    if not stores:
        return "never"
    views = [view(subject.program, event, 0) for event in stores]
    found: set[str] = set()
    for one, two in pairwise(views):
        changed = [
            event for event in _between(subject, one.event, two.event) if writes(event.instruction) == matrix.name
        ]
        if changed:
            same = one.instruction.buffer == two.instruction.buffer and np.array_equal(one.touched, two.touched)
            found.add("then-changed-same-place" if same else "then-changed")
        elif not matrix.is_fragment and one.col_major != two.col_major:
            found.add("both-orientations")
    if {one.shared for one in views} == {False, True}:
        found.add("both-memories")
    return found or ("once" if len(stores) == 1 else None)


def _depth_object(subject: Subject, thing: Thing) -> Answer:
    name, flow = thing.of.instruction.matrix, flow_of(subject)
    if not any(name in touched(event.instruction) for event in flow.events):
        return "used-only-here"
    gave = flow.gave(name, thing.of)
    return "nothing" if gave is None else "loaded" if isinstance(gave.instruction, Load) else "filled"


def _depth_flow(subject: Subject, thing: Thing) -> Answer:
    flow, event, depth = flow_of(subject), thing.of, thing.of.instruction
    around = flow.around(event)
    found = {"straight" if around is None else "loop" if isinstance(around, Repeat) else "uniform-branch"}
    own = [touch for touch in all_touches(subject) if touch.event.turn == event.turn]
    if len(own) > 1 and len({int(touch.places.min()) for touch in own}) == len(own):
        found.add("own-place-per-wave")
    for touch in all_touches(subject):
        if touch.memory != depth.buffer or isinstance(touch.event.instruction, MatrixDepth):
            continue
        place = int(own[0].places.min())
        if touch.writes and touch.places.min() < place < touch.places.max():
            found.add("into-padding")
        if not touch.writes and touch.event.turn < event.turn and place in touch.places:
            found.add("over-source")
    return found


def _depth_place(subject: Subject, thing: Thing) -> Answer:
    return {int(touch.places.min()) for touch in all_touches(subject) if touch.event.turn == thing.of.turn}


LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        "kind": lambda _, thing: thing.of.kind,
        "element": lambda _, thing: thing.of.element,
        "m": lambda _, thing: SIZES.get(thing.of.m),
        "n": lambda _, thing: SIZES.get(thing.of.n),
        "elements-per-lane": _per_lane,
        "first-content": _first,
        "overwritten": _overwritten,
        "held-across": _held_across,
        "uses": _uses,
        "stored": _stored,
        "depth-kind": lambda subject, thing: subject.program.matrix(thing.of.instruction.matrix).kind,
        "depth-element": lambda subject, thing: subject.program.matrix(thing.of.instruction.matrix).element,
        "depth-object": _depth_object,
        "depth-place": _depth_place,
        "depth-flow": _depth_flow,
    }
)
"""Axis -> how it is seen in a matrix or a MatrixDepth."""
