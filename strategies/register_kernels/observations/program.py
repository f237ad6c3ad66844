"""Whole kernels: their size and shape, and the order of their statements."""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.programs.register_kernels import Store
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.register_kernels.observations.chains import chains_of
from mmaspec.strategies.register_kernels.observations.flow import Event, Flow, flow_of, is_product
from mmaspec.strategies.register_kernels.observations.product import call_of
from mmaspec.strategies.register_kernels.observations.touched import moved, touched_of


def _format(subject: Subject, thing: Thing) -> Answer:
    """Of the calls that a thing is about."""
    flow = flow_of(subject)
    if thing.group in ("sequence", "tiling"):
        events = thing.of.products
    elif thing.group == "loop":
        events = [event for event in flow.calls if event.loop == thing.of]
    elif thing.group == "fragment":
        events = [e for e in flow.calls if thing.of.name in (e.call.a, e.call.b, e.call.c, e.call.d)]
    elif thing.group == "program":
        events = flow.calls
    else:
        events = [call_of(thing)]
    return {event.form.name for event in events}


def _shape(subject: Subject, _: Thing) -> Answer:
    flow = flow_of(subject)
    if not flow.loops:
        return "straight"
    chains = [chain.products for chain in chains_of(subject)]
    if len(flow.loops) > 1:
        shared = any(len({event.loop for event in chain if event.loop is not None}) > 1 for chain in chains)
        return "two-loops" if shared else "two-loops-apart"
    (number, _loop), outside = flow.loops[0], [event for event in flow.calls if event.loop is None]
    if not outside:
        return "loop-only"
    through = [chain for chain in chains if any(event.loop == number for event in chain)]
    before = any(chain[0].loop is None for chain in through)
    after = any(chain[-1].loop is None for chain in through)
    return "both" if before and after else "prologue" if before else "epilogue" if after else None


def _registers(subject: Subject, thing: Thing) -> Answer:
    """Words of 32 bits in each lane: a fragment is live from its write to its last reader."""
    flow, program = flow_of(subject), subject.program
    size = {fragment.name: -(-fragment.vector_bytes // 4) for fragment in program.fragments}
    held = [event.leaves for event in flow.events if event.leaves is not None] + list(flow.declared.values())
    spans = [(-1 if h.by is None else h.by.turn, h.readers[-1][0].turn, h.fragment) for h in held if h.readers]
    most = 0
    for event in flow.events:
        if thing.group == "loop" and event.loop != thing.of:
            continue
        live = {name for born, last, name in spans if born < event.turn <= last}
        if event.leaves is not None:
            live.add(event.leaves.fragment)
        most = max(most, sum(size[name] for name in live))
    return min(most, 512) or None


def waves_work(subject: Subject, loads: list[Event]) -> Answer:
    """What the waves load alike; of one wave nothing."""
    program, touched = subject.program, touched_of(subject)
    if program.waves == 1 or not flow_of(subject).products:
        return None
    own = {
        moved(program, event.step).use  # type: ignore[arg-type]
        for event in loads
        if len({touch.start for touch in touched.of[event.turn]}) > 1
    }
    loaded = {moved(program, event.step).use for event in loads}  # type: ignore[arg-type]
    if own >= {"a", "b"}:
        return "own-data" if "cd" in own or "cd" not in loaded else None
    if not own:
        return "same-data"
    return "same-b" if "a" in own else "same-a" if "b" in own else "only-c-differs"


def _waves_work(subject: Subject, thing: Thing) -> Answer:
    flow = flow_of(subject)
    return waves_work(subject, flow.loads if thing.group == "program" else thing.of.loads)


def _order(subject: Subject, _: Thing) -> Answer:
    flow = flow_of(subject)
    if not flow.products:
        return None
    kinds = [_kind(event) for event in flow.events]
    found = {"phases"} if kinds == sorted(kinds) else set()
    found |= set(_interleaved(flow)) if not found else set()
    order = {event.turn: n for n, event in enumerate(flow.products)}
    results = [e.reads["store"].product for e in flow.stores if e.reads["store"] is not None]
    stored = [order[made.turn] for made in results if made is not None]
    if stored != sorted(stored):
        found.add("stores-late")
    for event in flow.products:
        loads = {role: held.load.turn for role, held in event.reads.items() if held is not None and held.load}
        if len(loads) == 3:
            found |= {"c-last"} if loads["c"] > max(loads["a"], loads["b"]) else set()
            found |= {"c-first"} if loads["c"] < min(loads["a"], loads["b"]) else set()
        made = [held.product for held in event.reads.values() if held is not None and held.product]
        if any(one.turn < store.turn < event.turn for one in made for store in flow.stores):
            found.add("stores-between")
    return found


def _kind(event: Event) -> int:
    return 2 if isinstance(event.step, Store) else 1 if is_product(event.step) else 0


def _interleaved(flow: Flow) -> Iterator[str]:
    turns = [event.turn for event in flow.products]
    just = True
    for event in flow.loads:
        assert event.leaves is not None
        users = [e.turn for e in event.leaves.read_as("a", "b", "c")]
        following = next((turn for turn in turns if turn > event.turn), None)
        if users and following is not None and users[0] > following:
            just = False
            if any(turn < event.turn for turn in turns):
                yield "software-pipeline"
    for event in flow.stores:
        made = None if event.reads["store"] is None else event.reads["store"].product
        just &= made is not None and not any(made.turn < turn < event.turn for turn in turns)
    if just:
        yield "just-in-time"


def _sharing(subject: Subject, _: Thing) -> Answer:
    """Of the buffers that matrices lie in."""
    holds = {
        name: {"d" if touch.writes else touch.fragment.use[0] for touch in touches}
        for name, touches in touched_of(subject).by_buffer.items()
    }
    kinds = set().union(*holds.values())
    if len(kinds) < 2:
        return None
    found = set()
    for held in holds.values():
        if held == kinds and len(holds) == 1:
            found.add("all-in-one")
        elif held >= {"a", "b", "c"}:
            found.add("inputs")
        else:
            found |= {"a-and-b"} if held >= {"a", "b"} else set()
            found |= {"c-and-d"} if held >= {"c", "d"} else set()
            found |= {"a-and-c"} if "c" in held and held & {"a", "b"} else set()
    return found or ("all-apart" if all(len(held) == 1 for held in holds.values()) else None)


def things(subject: Subject) -> Iterator[Thing]:
    """The program."""
    yield Thing("program", subject.program)


LOOKS: dict[str, Look] = {
    "waves": lambda subject, _: min(subject.program.waves, 32),
    "format": _format,
    "integer-format": lambda _, thing: call_of(thing).form.name,
    "float-format": lambda _, thing: call_of(thing).form.name,
    "products-in-body": lambda subject, _: min(len(flow_of(subject).calls), 64),
    "body-shape": _shape,
    "fragments-declared": lambda subject, _: min(len(subject.program.fragments), 64) or None,
    "live-registers": _registers,
    "waves-work": _waves_work,
    "statement-order": _order,
    "buffer-count": lambda subject, _: min(len(subject.program.buffers), 16) or None,
    "buffer-sharing": _sharing,
    "repeats-in-program": lambda subject, _: min(len(flow_of(subject).loops), 8),
}
