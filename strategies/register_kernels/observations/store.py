"""Stores: what is stored, how often, and what lies around it."""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.register_kernels.observations.flow import Held, flow_of
from mmaspec.strategies.register_kernels.observations.touched import touched_of


def _source(_: Subject, thing: Thing) -> Answer:
    held: Held | None = thing.of.reads["store"]
    if held is None:
        return None
    made = held.product
    if made is not None:
        if made.loop is not None and thing.of.loop != made.loop:
            return "result-of-loop"
        return "result-in-place" if made.call.c == made.call.d else "result-apart"
    used = {role for event, role in held.readers if role != "store" and event.turn < thing.of.turn}
    found = [f"{role}-after" for role in ("a", "b", "c") if role in used]
    return found or ("loaded" if held.load is not None else "filled")


def _times(subject: Subject, thing: Thing) -> Answer:
    """By all stores of the fragment: of one value to several places, or of several values."""
    flow, name = flow_of(subject), thing.of.step.fragment
    stores = [
        event for event in flow.stores if event.reads["store"] is not None and event.reads["store"].fragment == name
    ]
    place = {event.turn: touched_of(subject).of[event.turn][0].bytes for event in stores}
    found = set()
    same = [event for event in stores if event.reads["store"] is thing.of.reads["store"]]
    if len({place[event.turn] for event in same}) > 1:
        found.add("two-buffers" if len({place[event.turn][0] for event in same}) > 1 else "two-places")
    passes = [event for event in stores if event.path == thing.of.path]
    if len(passes) > 1:
        found.add("each-pass-one-place" if len({place[e.turn] for e in passes}) == 1 else "each-pass-own-place")
    straight = [
        event for event in stores if event.path != thing.of.path and event.reads["store"] is not thing.of.reads["store"]
    ]
    if any(
        held is not None and held.product is not None and held.product.call.c == name
        for held in (event.reads["store"] for event in [*straight, thing.of])
        if straight
    ):
        found.add("before-and-after")
    return found or "once"


def _place(subject: Subject, thing: Thing) -> Answer:
    """By the first and the last wave's block."""
    touched = touched_of(subject)
    mine = touched.of[thing.of.turn]
    size = next(buffer.size for buffer in subject.program.buffers if buffer.name == thing.of.step.buffer)
    start, end = min(touch.start for touch in mine), max(touch.end for touch in mine)
    found = set()
    if (start, end) == (0, size):
        found.add("whole")
    else:
        found |= {"first"} if start == 0 else set()
        found |= {"last"} if end == size else set()
    for touch in mine:
        for other in touched.loaded_before(touch):
            found.add("over-c" if other.fragment.use == "cd" else "over-a-or-b")
    return found or "middle"


def _untouched(subject: Subject, thing: Thing) -> Answer:
    """Bytes that no store of the program writes, beside those of this one."""
    touched, program = touched_of(subject), subject.program
    buffer = next(buffer for buffer in program.buffers if buffer.name == thing.of.step.buffer)
    stored = sorted((t.start, t.end) for t in touched.by_buffer[buffer.name] if t.writes)
    mine = touched.of[thing.of.turn]
    found = {"guard"} | ({"before-view"} if buffer.base else set())
    for touch in mine:
        if touch.start and not any(start < touch.start <= end for start, end in stored):
            found.add("before-block")
        if touch.end < buffer.size and not any(start <= touch.end < end for start, end in stored):
            found.add("after-block")
    reached = stored[0][1]
    for start, end in stored:
        if start > reached:
            found.add("between-blocks")
        reached = max(reached, end)
    if {t.buffer for t in touched.all} - {t.buffer for t in touched.all if t.writes}:
        found.add("input-buffers")
    return found


def things(subject: Subject) -> Iterator[Thing]:
    """Every store; one in a loop in the passes that differ."""
    flow = flow_of(subject)
    for event in flow.told_apart(flow.stores):
        yield Thing("store", event, event.place)


LOOKS: dict[str, Look] = {
    "store-source": _source,
    "store-times": _times,
    "store-place": _place,
    "untouched-memory": _untouched,
}
