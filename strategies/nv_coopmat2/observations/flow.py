"""The axes of uniform branches and of barriers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mmaspec.programs.base import RunTime
from mmaspec.programs.nv_coopmat2.operands import reads, writes
from mmaspec.programs.nv_coopmat2.program import (
    Arithmetic,
    Barrier,
    Branch,
    Convert,
    EachComponent,
    Load,
    LoadTensor,
    MulAdd,
    Negate,
    PerElement,
    Reduce,
    Repeat,
    Simple,
    Splat,
    Store,
    StoreTensor,
    Transpose,
)
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.nv_coopmat2.observations.facts import At, Facts, every, facts
from mmaspec.strategies.nv_coopmat2.observations.memory import Touched, places


def condition(subject: Subject, thing: Thing) -> Answer:
    """The condition of a branch, and whether it is taken."""
    assert thing.place is not None
    written = facts(subject).as_written.body[thing.place.path[0]]
    assert isinstance(written, Branch)
    form = "run-time" if isinstance(written.taken, RunTime) else "literal"
    return f"{form}-{'taken' if thing.of.taken else 'passed-by'}"


def body(_: Subject, thing: Thing) -> Answer:
    """What a branch contains."""
    kinds = {
        "load": Load,
        "tensor-access": LoadTensor | StoreTensor,
        "store": Store,
        "product": MulAdd,
        "splat": Splat,
        "conversion": Convert | Transpose,
        "operator": Arithmetic | Negate,
        "components": EachComponent,
        "reduction": Reduce,
        "element-function": PerElement,
        "barrier": Barrier,
    }
    return {name for name, kind in kinds.items() if any(isinstance(one, kind) for one in thing.of.body)}


def result(subject: Subject, thing: Thing) -> Answer:
    """What becomes of the matrices that a branch writes, or would write."""
    assert thing.place is not None
    inside: tuple[Simple, ...] = thing.of.body
    known = facts(subject)
    after = [one.instruction for one in known.text if one.place.path[0] > thing.place.path[0]]
    made = [name for one in inside if (name := writes(one)) is not None]
    return every(
        ("joined", any(_used(name, after) is True for name in made)),
        ("overwritten", any(_used(name, after) is False for name in made)),
        ("inside", any(name in made for turn, one in enumerate(inside) for name in reads(one) if turn)),
    )


def _used(name: str, after: list[Simple]) -> bool | None:
    """Whether a matrix is used before it is written again; None where neither comes."""
    for one in after:
        if name in reads(one):
            return True
        if writes(one) == name:
            return False
    return None


def place(subject: Subject, thing: Thing) -> Answer:
    """Where a barrier stands."""
    assert thing.place is not None
    around = facts(subject).program.body[thing.place.path[0]]
    return "in-loop" if isinstance(around, Repeat) else "in-branch" if isinstance(around, Branch) else "straight"


def between(subject: Subject, thing: Thing) -> Answer:
    """What a barrier keeps apart."""
    assert thing.place is not None
    known = facts(subject)
    turn = known.turn[thing.place]
    mine = [one for one in known.accesses if len(thing.place.path) > 1 and _together(one, thing)]
    before = [*mine, *(one for one in known.accesses if known.turn[one.place] < turn)]
    after = [*mine, *(one for one in known.accesses if known.turn[one.place] > turn)]
    return {name for first in before for then in after for name in _kept(known, first, then)}


def _together(one: At, thing: Thing) -> bool:
    """Whether an access and a barrier stand in one loop."""
    assert thing.place is not None
    return len(one.place.path) > 1 and one.place.path[0] == thing.place.path[0]


def _kept(known: Facts, first: At, then: At) -> Iterator[str]:
    old, new = places(known, first.place), places(known, then.place)
    if old is None or new is None or old.access.buffer != new.access.buffer or first is then:
        return
    if not np.intersect1d(old.bytes, new.bytes).size:
        return
    names = {(True, False): "store-then-load", (True, True): "store-then-store", (False, True): "load-then-store"}
    own, others = _instances(old, new, known.program.waves)
    if own and (old.store, new.store) in names:
        yield names[old.store, new.store]
    if others and old.store and not new.store:
        yield "other-instance"


def _instances(old: Touched, new: Touched, waves: int) -> tuple[bool, bool]:
    """Whether instances find what they touched themselves, and what others did."""
    own = others = False
    for first in range(waves):
        for then in range(waves):
            meet = any(np.intersect1d(a[first], b[then]).size for a in old.starts for b in new.starts)
            own, others = own or (meet and first == then), others or (meet and first != then)
    return own, others


LOOKS: dict[str, Look] = {
    "branch-condition": condition,
    "branch-body": body,
    "branch-result": result,
    "barrier-place": place,
    "barrier-between": between,
}
"""Axis -> how its class is seen."""
