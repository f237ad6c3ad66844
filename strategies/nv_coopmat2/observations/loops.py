"""The axes of loops, and of layouts that change from pass to pass or wave to wave."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from mmaspec.oracle.nv_coopmat2.tensors.layouts import lineage
from mmaspec.programs.base import Affine, Index, RunTime
from mmaspec.programs.nv_coopmat2.operands import arguments, reads, writes
from mmaspec.programs.nv_coopmat2.program import (
    Access,
    Arithmetic,
    Convert,
    EachComponent,
    Load,
    LoadTensor,
    MulAdd,
    Negate,
    PerElement,
    Reduce,
    Repeat,
    SetDimension,
    Simple,
    Slice,
    Store,
    StoreTensor,
    Transpose,
)
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.nv_coopmat2.observations.facts import Facts, every, facts
from mmaspec.strategies.nv_coopmat2.observations.memory import places

LOADS, STORES, TENSORS = (Load, LoadTensor), (Store, StoreTensor), (LoadTensor, StoreTensor)
OPERATORS = (Arithmetic, Negate, EachComponent, PerElement)


def _body(known: Facts, thing: Thing) -> tuple[Simple, ...]:
    """The instructions of the loop of a thing, resolved; nothing for a thing outside loops."""
    if isinstance(thing.of, Repeat):
        return thing.of.body
    assert thing.place is not None
    outer = known.program.body[thing.place.path[0]]
    return outer.body if isinstance(outer, Repeat) else ()


def body(subject: Subject, thing: Thing) -> Answer:
    """What a loop contains."""
    known = facts(subject)
    inside = _body(known, thing)
    kinds = tuple(type(one) for one in inside)
    loads, stores = [k for k in kinds if k in LOADS], [k for k in kinds if k in STORES]
    products = kinds.count(MulAdd)
    feeds = any(isinstance(one, OPERATORS) and writes(one) in reads(one) for one in inside)
    moves = any(_moves(known, one.tensor) for one in inside if isinstance(one, LoadTensor | StoreTensor))
    return set(
        every(
            ("store-then-load", _old(known, thing)),
            ("loads-and-product", products and len(loads) > 1),
            ("product-only", products and not loads),
            ("stores-only", kinds and len(stores) == len(kinds)),
            ("load-op-store", len(kinds) == 3 and loads and stores),
            ("operations", len(stores) > 1 and len({*kinds} & {*OPERATORS, Transpose}) > 1),
            ("conversion", Convert in kinds),
            ("element-wise", feeds),
            ("reduction", Reduce in kinds),
            ("tensor-sliding", moves),
            ("empty", not kinds),
        )
    )


def _old(known: Facts, thing: Thing) -> bool:
    """Whether a pass loads what a pass before it stored."""
    if thing.place is None:
        return False
    mine = [one for one in known.accesses if len(one.place.path) > 1 and one.place.path[0] == thing.place.path[0]]
    found = [there for one in mine if (there := places(known, one.place)) is not None]
    return any(
        np.intersect1d(store.starts[early], load.starts[late]).size
        for store in found
        for load in found
        if store.store and not load.store and store.access.buffer == load.access.buffer
        for late in range(len(load.starts))
        for early in range(late)
    )


def _moves(known: Facts, layout: str) -> bool:
    calls = [call for call in lineage(known.program, layout)[1] if isinstance(call, Slice)]
    return any(form(word) in ("loop", "wave-and-loop") for call in calls for word in arguments(call))


def carried(subject: Subject, thing: Thing) -> Answer:
    """What a pass takes over from the one before."""
    known = facts(subject)
    inside = _body(known, thing)
    if not inside:
        return None
    whole = {(one.c, one.result) for one in inside if isinstance(one, MulAdd)}
    if isinstance(thing.of, Repeat) and thing.of.count < 2:
        return "nothing"
    own = {result for c, result in whole if c == result}
    rotated = any(c != result and (result, c) in whole for c, result in whole if c)
    places = {name: turn for turn, one in enumerate(inside) if (name := writes(one)) is not None}
    double = operand = False
    for turn, one in enumerate(inside):
        if isinstance(one, MulAdd):
            later = [inside[places[name]] for name in (one.a, one.b) if places.get(name, -1) > turn]
            double |= any(isinstance(each, LOADS) for each in later)
            operand |= any(not isinstance(each, LOADS) for each in later)
    found = every(
        ("one-accumulator", len(own) == 1),
        ("several-accumulators", len(own) > 1),
        ("rotated", rotated),
        ("operand-double-buffer", double),
        ("operand", operand),
    )
    return found or (None if _feeds(inside) else "nothing")


def _feeds(inside: Iterable[Simple]) -> bool:
    """Whether some matrix is read before it is written in the body that writes it."""
    body = list(inside)
    made = {writes(one) for one in body}
    fresh: set[str] = set()
    for one in body:
        if any(name in made and name not in fresh for name in reads(one)):
            return True
        name = writes(one)
        fresh |= {name} if name is not None else set()
    return False


def surroundings(subject: Subject, thing: Thing) -> Answer:
    """What surrounds a loop."""
    whole = facts(subject).program.body
    assert thing.place is not None
    turn = thing.place.path[0]
    loops = [one for one in whole if isinstance(one, Repeat)]
    after = [one for one in whole[turn + 1 :] if isinstance(one, Access)]
    return every(
        ("whole", len(whole) == 1),
        ("between", 0 < turn < len(whole) - 1),
        ("two-loops", len(loops) > 1),
        ("index-after", any(form(one.offset) in ("loop", "wave-and-loop") for one in after)),
    )


def form(index: Index) -> str:
    """How an argument is written."""
    if isinstance(index, RunTime):
        return "run-time"
    if isinstance(index, Affine) and (index.wave or index.loop):
        return "wave-and-loop" if index.wave and index.loop else "wave" if index.wave else "loop"
    return "literal"


def evaluation(subject: Subject, thing: Thing) -> Answer:
    """How layouts change between uses."""
    known = facts(subject)
    if isinstance(thing.of, Repeat):
        names = {one.tensor for one in _body(known, thing) if isinstance(one, LoadTensor | StoreTensor)}
        return {name for layout in names for name in _evaluation(known, layout)}
    return _evaluation(known, thing.of.tensor)


def _evaluation(known: Facts, name: str) -> tuple[str, ...]:
    calls = lineage(known.as_written, name)[1]
    forms = [(type(call), form(word)) for call in calls for word in arguments(call)]
    plain = {way for _, way in forms}
    slices = {way for kind, way in forms if kind is Slice}
    dims = {way for kind, way in forms if kind is SetDimension}
    resolved = [word for call in lineage(known.program, name)[1] for word in arguments(call)]
    written = [word for call in calls for word in arguments(call)]
    loaded = [new for old, new in zip(written, resolved, strict=True) if isinstance(old, RunTime)]
    run = "run-time"
    waves, passes = bool(plain & {"wave", "wave-and-loop"}), bool(plain & {"loop", "wave-and-loop"})
    return every(
        ("constant", plain <= {"literal"}),
        ("per-wave", waves and not passes),
        ("per-pass", passes and not waves),
        ("per-wave-and-pass", waves and passes),
        ("run-time-slice", run in slices and dims <= {"literal"}),
        ("run-time-dimension", run in dims and slices <= {"literal"}),
        ("all-run-time", plain == {run}),
        ("run-time-aligned", loaded and all(isinstance(word, int) and word % 16 == 0 for word in loaded)),
    )


LOOKS: dict[str, Look] = {
    "loop-body": body,
    "loop-waves": lambda subject, _: "one" if subject.program.waves == 1 else "several",
    "loop-carried": carried,
    "loop-place": surroundings,
    "layout-evaluation": evaluation,
}
"""Axis -> how its class is seen."""
