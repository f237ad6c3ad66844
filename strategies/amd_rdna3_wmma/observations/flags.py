"""Sign flags and clamp: those of a call, and of two calls on the same fragments or one accumulator."""

from __future__ import annotations

from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.register_kernels.observations.flow import Event, flow_of
from mmaspec.strategies.register_kernels.observations.product import by_memory, call_of


def flags_of(subject: Subject, products: list[Event]) -> set[str]:
    """Flags of every two products on the same contents or one accumulator, both among these."""
    found: set[str] = set()
    mine = set(map(id, products))
    for then in products:
        c = then.reads.get("c")
        first = c.product if c is not None else None
        first = first or by_memory(subject, c)
        linked = [first] if first is not None and id(first) in mine else []
        earlier = [one for one in products if one.turn < then.turn]
        if linked and then.call.clamp is not linked[0].call.clamp:
            found.add("clamp-then-not" if linked[0].call.clamp else "not-then-clamp")
        for role in "ab":
            held = then.reads[role]
            others = [] if held is None else [e for e in held.read_as(role) if e.turn < then.turn and id(e) in mine]
            if any(getattr(e.call, f"{role}_sign") is not getattr(then.call, f"{role}_sign") for e in others):
                found.add(f"{role}-both-ways")
            linked += others
        if any(_read_otherwise(then, other) for other in earlier):
            found.add("roles-differ")
        for other in linked:
            if other.call.a_sign is not then.call.a_sign and other.call.b_sign is not then.call.b_sign:
                found.add("both-flip")
            if _flags(other) == _flags(then):
                found.add("equal")
    return found


def _read_otherwise(one: Event, other: Event) -> bool:
    """Whether the same contents are A of one product and B of the other, under unlike signs."""
    pairs = ((one, other), (other, one))
    return any(
        left.reads["a"] is not None
        and left.reads["a"] is right.reads["b"]
        and left.call.a_sign is not right.call.b_sign
        for left, right in pairs
    )


def _flags(event: Event) -> tuple[object, ...]:
    return event.call.a_sign, event.call.b_sign, event.call.clamp


def _flags_in_sequence(subject: Subject, thing: Thing) -> Answer:
    """Of one product with each one before or after it."""
    if thing.group == "sequence":
        products: list[Event] = thing.of.products
        if not products[0].form.integer:
            return None
        return flags_of(subject, products).union(*map(_alone, products))
    one: Event = thing.of
    alone = _alone(one)
    others = (other for other in flow_of(subject).products if other is not one)
    return alone.union(*(_pair(subject, one, other) for other in others))


def _alone(one: Event) -> set[str]:
    """What the flags of a single product show."""
    return {"roles-differ"} if _read_otherwise(one, one) else set()


def _pair(subject: Subject, one: Event, other: Event) -> set[str]:
    return flags_of(subject, [one, other]) if other.form.integer else set()


LOOKS: dict[str, Look] = {
    "flags-in-sequence": _flags_in_sequence,
    "a-sign": lambda _, thing: "signed" if call_of(thing).call.a_sign else "unsigned",
    "b-sign": lambda _, thing: "signed" if call_of(thing).call.b_sign else "unsigned",
    "clamp": lambda _, thing: "on" if call_of(thing).call.clamp else "off",
}
