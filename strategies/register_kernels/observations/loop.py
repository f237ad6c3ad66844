"""Loops: what goes from pass to pass, what stays, and what comes after."""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.programs.register_kernels import Fill, Load, Repeat, Store
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.register_kernels.observations.argument import affine
from mmaspec.strategies.register_kernels.observations.flow import Event, Held, flow_of, is_product
from mmaspec.strategies.register_kernels.observations.touched import moved, touched_of


def loop_of(subject: Subject, thing: Thing) -> Repeat:
    """The loop with the number that a thing has."""
    found = subject.program.body[thing.of]
    assert isinstance(found, Repeat)
    return found


def _inside(subject: Subject, thing: Thing) -> list[Event]:
    return [event for event in flow_of(subject).events if event.loop == thing.of]


def _products(subject: Subject, thing: Thing) -> list[Event]:
    return [event for event in _inside(subject, thing) if is_product(event.step)]


def _carries(subject: Subject, thing: Thing) -> Answer:
    found: set[str] = set()
    carried: dict[str, str] = {}
    for event in _products(subject, thing):
        c = event.reads.get("c")
        made = None if c is None else c.product
        if c is not None and made is not None and made.loop == thing.of and made.place.loop < event.place.loop:
            carried[c.fragment] = _left_as(thing, event, c)
        elif c is not None and (c.by is None or c.by.loop != thing.of) and c.fragment != event.call.d:
            found |= {"stale-c"} if event.place.loop else set()
        for role in "ab":
            held = event.reads[role]
            if held is not None and held.load is not None and held.load.loop == thing.of:
                found |= {"next-operands"} if held.load.place.loop < event.place.loop else set()
    own = [name for name, then in carried.items() if name == then]
    if own:
        apart = [e for e in _products(subject, thing) if e.call.d != e.call.c and e.call.d in own]
        found.add("apart-and-back" if apart else "accumulator" if len(own) == 1 else "accumulators")
    if any(then in carried and then != name for name, then in carried.items()):
        found.add("swapped")
    touched = touched_of(subject)
    for event in _inside(subject, thing):
        source = touched.source(event) if isinstance(event.step, Load) else None
        if source is not None and source.loop == thing.of and source.place.loop < event.place.loop:
            found.add("memory")
    return found or "nothing"


def _left_as(thing: Thing, event: Event, c: Held) -> str:
    """The fragment in which the sum that begins with a carried C stands when the pass ends."""
    now, name = event, c.fragment
    while now.leaves is not None:
        name = now.call.d
        going = [e for e in now.leaves.read_as("c") if e.loop == thing.of and e.place.loop == event.place.loop]
        if not going:
            break
        now = going[0]
    return name


def _invariant(subject: Subject, thing: Thing) -> Answer:
    found = set()
    for event in _products(subject, thing):
        outside = {role for role in "ab" if _outside(thing, event.reads[role])}
        later = [e for e in _products(subject, thing) if e.path == event.path and e.place.loop == 1]
        for role in outside if event.place.loop == 0 and later else set():
            again = later[0].reads[role]
            if again is not None and again.load is not None and again.load.loop == thing.of:
                found.add("first-pass-only")
        if event.place.loop and outside:
            found.add("both-outside" if len(outside) == 2 else f"{outside.pop()}-outside")
        strides = {
            role: affine(held.load.step.block).loop  # type: ignore[union-attr]
            for role, held in event.reads.items()
            if held is not None and held.load is not None and held.load.loop == thing.of
        }
        if strides.get("a") == 0:
            found.add("a-reloaded-same")
        if strides.get("a") and strides.get("b"):
            found.add("none")
        if loop_of(subject, thing).count == 1 and outside:
            found.add("both-outside" if len(outside) == 2 else f"{outside.pop()}-outside")
    return found


def _outside(thing: Thing, held: Held | None) -> bool:
    return held is not None and (held.by is None or held.by.loop != thing.of)


def _index_used(subject: Subject, thing: Thing) -> Answer:
    strides: dict[str, set[int]] = {}
    for step in loop_of(subject, thing).body:
        if isinstance(step, (Load, Store)) and affine(step.block).loop:
            use = "store" if isinstance(step, Store) else moved(subject.program, step).use[0]
            strides.setdefault(use, set()).add(affine(step.block).loop)
    if "store" in strides and len(strides) > 1:
        return "all"
    found: set[str] = {"c", "store"} & strides.keys()
    if strides.keys() >= {"a", "b"}:
        found.add("a-and-b" if strides["a"] == strides["b"] else "a-and-b-unequal")
    else:
        found |= strides.keys() & {"a", "b"}
    return found or "none"


def _stores(subject: Subject, thing: Thing) -> Answer:
    touched, found = touched_of(subject), set()
    for event in _inside(subject, thing):
        if not isinstance(event.step, Store):
            continue
        found.add("own-place" if affine(event.step.block).loop else "same-place")
        for touch in touched.of[event.turn]:
            for other in touched.by_buffer[touch.buffer]:
                if not other.writes and other.event.loop == thing.of and other.bytes == touch.bytes:
                    before = other.event.turn < event.turn and other.event.place.loop == event.place.loop
                    found |= {"over-input"} if before else set()
                    found |= {"next-input"} if other.event.place.loop == event.place.loop + 1 else set()
    return found or "none"


def _reset(subject: Subject, thing: Thing) -> Answer:
    body = loop_of(subject, thing).body
    found = set()
    for number, call in enumerate(body):
        if not is_product(call):
            continue
        if call.c is None:
            found.add("literal")
            continue
        into = [n for n, step in enumerate(body) if isinstance(step, (Fill, Load)) and step.into == call.c]
        for n in into:
            if isinstance(body[n], Load):
                found.add("load")
            else:
                found.add("fill-first" if n < number else "fill-last")
        if not into:
            found.add("no")
    return found


def _after(subject: Subject, thing: Thing) -> Answer:
    """By what stands after the loop in the body and reads what the loop left or only read."""
    flow, found = flow_of(subject), set()
    inside = {id(event) for event in _inside(subject, thing)}
    operands = {id(event.reads[role]) for event in _products(subject, thing) for role in "ab"}
    addends = {id(event.reads.get("c")) for event in _products(subject, thing)}
    for event in flow.events:
        if event.path[0] <= thing.of:
            continue
        for role, held in event.reads.items():
            own = held is not None and held.by is not None and id(held.by) in inside
            if own and held is not None and held.product is not None:
                found |= {"store"} if role == "store" else {"product"} if role == "c" else set()
            if role in "ab" and id(held) in operands:
                found.add("operands-used")
            if role == "store" and not own and id(held) in addends:
                found.add("old-c-used")
    return found or "nothing"


def things(subject: Subject) -> Iterator[Thing]:
    """Every loop, as its number in the body."""
    for number, _ in flow_of(subject).loops:
        yield Thing("loop", number)


LOOKS: dict[str, Look] = {
    "repeat-count": lambda subject, thing: loop_of(subject, thing).count,
    "count-source": lambda subject, thing: "literal" if isinstance(loop_of(subject, thing).count, int) else "run-time",
    "loop-products": lambda subject, thing: min(sum(is_product(step) for step in loop_of(subject, thing).body), 32),
    "loop-carries": _carries,
    "loop-invariant": _invariant,
    "loop-index-used": _index_used,
    "loop-stores": _stores,
    "loop-reset": _reset,
    "after-loop": _after,
}
