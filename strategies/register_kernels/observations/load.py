"""Loads: what lies there, what the fragment held before, and how the blocks of loads and stores lie."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from string import digits
from typing import Any

from mmaspec.programs.register_kernels import Store
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.register_kernels.observations.flow import Event, flow_of
from mmaspec.strategies.register_kernels.observations.touched import Touch, Touched, touched_of


def _data(subject: Subject, thing: Thing) -> Answer:
    """A matrix of every wave has one load; one for all waves is loaded by each of them."""
    step = thing.of.step
    if step.data is not None:
        others = [e for e in flow_of(subject).loads if e.step.data == step.data and e.path != thing.of.path]  # type: ignore[union-attr]
        places = {touch.bytes for touch in touched_of(subject).of[thing.of.turn]}
        return ["named", "named-twice"] if others or len(places) < subject.program.waves else "named"
    return "as-it-stands" if touched_of(subject).source(thing.of) else "background"


def _into(_: Subject, thing: Thing) -> Answer:
    held = thing.of.before
    if held is None:
        return "uninitialised"
    if held.product is not None:
        stored = held.read_as("store")
        kept = held.product.call.c == held.product.call.d
        return "accumulator" if stored and kept else "result"
    last = held.readers[-1][0] if held.readers else None
    if last is not None and last.turn == thing.of.turn - 1 and {"a", "b"} & {r for e, r in held.readers if e is last}:
        return "operand"
    return "loaded" if held.load is not None else "filled"


def _shared(subject: Subject, thing: Thing) -> Answer:
    """Other loads of the same bytes, by the first wave and whatever wave."""
    touched, found = touched_of(subject), set()
    mine = touched.of[thing.of.turn][0]
    for other in touched.by_buffer[mine.buffer]:
        if other.writes or other.event is mine.event or not other.meets(mine):
            continue
        if other.fragment.name == mine.fragment.name:
            if other.bytes == mine.bytes:
                found.add("reloaded")
        elif {other.fragment.use, mine.fragment.use} == {"a", "b"} and other.bytes == mine.bytes:
            found.add("a-and-b")
        elif {other.fragment.use, mine.fragment.use} >= {"cd"} and other.fragment.use != mine.fragment.use:
            found.add("two-types")
    return found or "own"


Kinds = Callable[[Any, Any], Iterator[str]]
"""(stored fragment, loaded fragment) -> the classes of what the load makes of the other's bytes."""


def reinterpreted(kinds: Kinds) -> Look:
    """Of a load the store before it; of a store the loads after it; of a sequence its loads."""

    def look(subject: Subject, thing: Thing) -> Answer:
        touched = touched_of(subject)
        if thing.group == "sequence":
            loads = [event for event in thing.of.loads if touched.source(event)]
        elif isinstance(thing.of.step, Store):
            loads = [event for event in flow_of(subject).loads if touched.source(event) is thing.of]
        else:
            loads = [thing.of] if touched.source(thing.of) else []
        return {name for event in loads for name in kinds(*_fragments(touched, event))} or None

    return look


def _fragments(touched: Touched, load: Event) -> tuple[Any, Any]:
    """The fragment whose bytes a load finds, and that which it fills."""
    source = touched.source(load)
    assert source is not None
    return touched.of[source.turn][0].fragment, touched.of[load.turn][0].fragment


def _kinds(stored: Any, loaded: Any) -> Iterator[str]:
    names = {("cd", "a"): "cd-as-a", ("cd", "b"): "cd-as-b", ("a", "cd"): "a-as-c"}
    special = names.get((stored.use, loaded.use))
    if special:
        yield special
    elements = {one.type_name.rstrip(digits) for one in (stored, loaded)}
    if elements == {"float", "int"}:
        yield "float-as-int"
    if elements == {"half", "short"}:
        yield "half-as-short"
    if stored.vector_bytes != loaded.vector_bytes:
        yield "cross-lane"
    if stored.use == loaded.use and stored.type_name == loaded.type_name:
        yield "no"


def _overlap(subject: Subject, thing: Thing) -> Answer:
    """With the blocks of other loads and stores in the same buffer, whatever their wave."""
    touched, found = touched_of(subject), set()
    mine = touched.of[thing.of.turn][0]
    for other in touched.by_buffer[mine.buffer]:
        if other.event.path != mine.event.path:
            found.add(_lie(mine, other))
    return found - {"apart"} or "apart"


def _lie(mine: Touch, other: Touch) -> str:
    if mine.bytes == other.bytes:
        return "same"
    if other.meets(mine):
        inside = other.start <= mine.start and mine.end <= other.end
        around = mine.start <= other.start and other.end <= mine.end
        return "contained" if inside or around else "partly"
    return "adjacent" if mine.end == other.start or other.end == mine.start else "apart"


def wave_places(touches: list[Touch], others: list[Touch]) -> str:
    """How the blocks of the waves lie; ``others`` are those of the further passes, which may lie between."""
    if len(touches) == 1:
        return "one-wave"
    starts = [touch.start for touch in touches]
    size = touches[0].end - touches[0].start
    if len(set(starts)) < len(starts):
        return "shared"
    if starts != sorted(starts):
        return "backwards"
    if all(then - first == size for first, then in pairwise(starts)):
        return "adjacent"
    between = [touch for touch in others if starts[0] < touch.start < starts[-1] and touch.start not in starts]
    return "interleaved" if between else "gaps"


def _places(subject: Subject, thing: Thing) -> Answer:
    touched = touched_of(subject)
    moves = thing.of.moves if thing.group == "tiling" else [thing.of]
    found = set()
    for event in moves:
        passes = [t for t in touched.by_buffer[event.step.buffer] if t.event.path == event.path]
        found.add(wave_places(touched.of[event.turn], passes))
    return found


def things(subject: Subject) -> Iterator[Thing]:
    """Every load; one in a loop in the passes that differ."""
    flow = flow_of(subject)
    for event in flow.told_apart(flow.loads):
        yield Thing("load", event, event.place)


LOOKS: dict[str, Look] = {
    "load-data": _data,
    "load-into": _into,
    "load-place-shared": _shared,
    "reinterpreted": reinterpreted(_kinds),
    "blocks-overlap": _overlap,
    "wave-places": _places,
}
