"""The axes of whole programs: layouts and views alive at once, buffers, instances, declarations, repetitions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from msgspec import Struct

from mmaspec.oracle.nv_coopmat2.addresses import component_bytes
from mmaspec.programs.nv_coopmat2.operands import reads, writes
from mmaspec.programs.nv_coopmat2.program import (
    Arithmetic,
    Convert,
    Load,
    LoadTensor,
    Negate,
    Simple,
    Store,
    StoreTensor,
    Transpose,
)
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.nv_coopmat2.observations.facts import At, Facts, every, facts
from mmaspec.strategies.nv_coopmat2.observations.memory import places


def layouts(subject: Subject, _: Thing) -> Answer:
    """How many tensor layouts are alive at once."""
    known = facts(subject)
    used = {access.tensor for access in known.tensors}
    alive = [layout for layout in known.program.layouts if layout.name in used]
    kinds = [(layout.rank, layout.clamp_mode) for layout in alive]
    modes = {rank: {mode for other, mode in kinds if other == rank} for rank, _ in kinds}
    started = {layout.start for layout in known.program.layouts}
    return every(
        ("none", not known.program.layouts),
        ("one", len(alive) == 1),
        ("two-same-type", len(set(kinds)) < len(kinds)),
        ("two-types", len({rank for rank, _ in kinds}) > 1),
        ("two-modes", any(len(some) > 1 for some in modes.values())),
        ("many", len(alive) >= 5),
        ("declared-unused", any(one.name not in used | started for one in known.program.layouts)),
    )


def views(subject: Subject, _: Thing) -> Answer:
    """How many tensor views are alive at once."""
    known = facts(subject)
    used = {access.view for access in known.tensors}
    alive = [view for view in known.program.views if view.name in used]
    kinds = [(view.rank, view.has_dimensions, view.permutation) for view in alive]
    ranks = {rank for rank, _, _ in kinds}
    orders = any(len({order for other, _, order in kinds if other == rank}) > 1 for rank in ranks)
    flags = any(a[0] == b[0] and a[2] == b[2] and a[1] != b[1] for a in kinds for b in kinds)
    return every(
        ("none", not known.program.views),
        ("one", len(alive) == 1),
        ("two-same-type", len(set(kinds)) < len(kinds)),
        ("two-permutations", orders),
        ("two-flags", flags),
        ("many", len(alive) >= 5),
    )


def sharing(subject: Subject, thing: Thing) -> Answer:
    """Whether one layout or view serves several accesses."""
    known = facts(subject)
    whole = known.tensors
    names = {thing.of.tensor} if isinstance(thing.of, LoadTensor | StoreTensor) else {one.tensor for one in whole}
    found = {name for tensor in names for name in _sharing(known, [one for one in whole if one.tensor == tensor])}
    seen = {one.view for one in whole if one.tensor in names and one.view is not None}
    many = any(len({one.tensor for one in whole if one.view == view}) > 1 for view in seen)
    return found | set(every(("two-layouts", many)))


def _sharing(known: Facts, some: list[LoadTensor | StoreTensor]) -> tuple[str, ...]:
    loads = [one for one in some if isinstance(one, LoadTensor)]
    kinds = {(m.component, m.rows, m.cols) for m in (known.matrix(one.matrix) for one in loads)}
    seen = {one.view for one in some}
    return every(
        ("once", len(some) == 1),
        ("two-loads", len(kinds) > 1),
        ("load-and-store", 0 < len(loads) < len(some)),
        ("with-and-without-view", None in seen and len(seen) > 1),
        ("two-views", len(seen - {None}) > 1),
        ("two-buffers", len({(one.buffer, one.offset) for one in some}) > 1),
    )


def buffers(subject: Subject, _: Thing) -> Answer:
    """How many buffers there are."""
    known = facts(subject)
    count = len(known.program.buffers)
    used = _named(known, "buffer")
    found = [there for one in known.accesses if (there := places(known, one.place)) is not None]
    over = any(
        np.intersect1d(load.bytes, store.bytes).size
        for load in found
        for store in found
        if store.store and not load.store and store.access.buffer == load.access.buffer
    )
    return every(
        ("one", count == 1 and not over),
        ("one-in-place", count == 1 and over),
        ("each-own", count > 1 and len(set(used)) == len(used)),
        ("many", count > 8),
    )


def instances(subject: Subject, _: Thing) -> Answer:
    """Whether instances touch the same bytes."""
    known = facts(subject)
    if known.program.waves < 2:
        return None
    return {name for one in known.accesses for name in _instances(known, one)}


def _instances(known: Facts, at: At) -> Iterator[str]:
    there = places(known, at.place)
    if there is None or not there.starts:
        return
    access, starts = there.access, there.starts[0]
    nbytes = component_bytes(known.matrix(access.matrix))
    taken = [np.unique(one[one >= 0]) for one in starts]
    taken = [one for one in taken if one.size]
    if len(taken) < 2:
        return
    pairs = [(a, b) for n, a in enumerate(taken) for b in taken[n + 1 :]]
    same = any(np.array_equal(a, b) for a, b in pairs)
    meet = any(np.intersect1d(a, b).size for a, b in pairs)
    distances = [max(int(b.min()) - int(a.max()), int(a.min()) - int(b.max())) for a, b in pairs]
    words = any(np.intersect1d(a // 4, b // 4).size for a, b in pairs) and nbytes < 4
    lines = any(np.intersect1d(a // 16, b // 16).size for a, b in pairs)
    yield from every(
        ("same-read", same and not there.store),
        ("same-write-same-value", same and there.store),
        ("interleaved", not meet and min(distances) <= 0),
        ("within-word", there.store and not meet and words),
        ("disjoint-adjacent", there.store and not meet and lines),
        ("disjoint-apart", not meet and min(distances) > 256),
    )


def declarations(subject: Subject, _: Thing) -> Answer:
    """Order of declarations against their use."""
    known = facts(subject)
    program = known.program
    uses: list[tuple[list[str], list[str]]] = [
        ([matrix.name for matrix in program.matrices], list(_matrices(known))),
        ([buffer.name for buffer in program.buffers], _named(known, "buffer")),
        ([layout.name for layout in program.layouts], _named(known, "tensor")),
        ([view.name for view in program.views], _named(known, "view")),
    ]
    kept = [([name for name in declared if name in used], list(dict.fromkeys(used))) for declared, used in uses]
    started = {one.start for one in program.layouts} | {one.start for one in program.views}
    unused = any(set(declared) - set(used) - started for declared, used in (uses[0], uses[2], uses[3]))
    return every(
        ("as-used", all(declared == used for declared, used in kept)),
        ("reversed", any(declared == used[::-1] and len(used) > 1 for declared, used in kept)),
        ("unused-among", unused),
    )


def _matrices(known: Facts) -> Iterator[str]:
    for one in known.text:
        yield from reads(one.instruction)
        made = writes(one.instruction)
        if made is not None:
            yield made


def _named(known: Facts, field: str) -> list[str]:
    found = [getattr(one.instruction, field, None) for one in known.text]
    return [name for name in found if isinstance(name, str)]


def repeated(subject: Subject, _: Thing) -> Answer:
    """Whether an operation occurs twice."""
    known = facts(subject)
    found = {name for turn, one in enumerate(known.text) for name in _repeated(known, turn, one)}
    return found or "no"


def _repeated(known: Facts, turn: int, at: At) -> Iterable[str]:
    one = at.instruction
    yield from every(("inverse", _inverse(known, at)), ("invariant-in-loop", _invariant(known, at)))
    key = _key(one)
    for later in known.text[turn + 1 :]:
        if _key(later.instruction) != key or isinstance(one, Store | StoreTensor):
            continue
        between = [each.instruction for each in known.text[turn + 1 : known.turn[later.place]]]
        changed = set(reads(one)) & {writes(each) for each in between}
        stored = isinstance(one, Load | LoadTensor) and any(
            isinstance(each, Store | StoreTensor) and each.buffer == one.buffer for each in between
        )
        yield "identical-after-store" if stored else "identical-after-change" if changed else "identical"


def _key(one: Simple) -> tuple[object, ...]:
    """All that an operation says but its result, and the names of data."""
    result = writes(one)
    skipped = {"data", "matrix" if isinstance(one, Load | LoadTensor) else "result"}
    fields = [getattr(one, field) for field in _fields(one) if field not in skipped]
    return (type(one), *fields, None if result is None else "makes")


def _fields(one: Struct) -> tuple[str, ...]:
    return one.__struct_fields__


def _inverse(known: Facts, at: At) -> bool:
    one = at.instruction
    if isinstance(one, Negate | Transpose):
        return any(isinstance(user.instruction, type(one)) for user in known.users(one.result, at.place))
    if isinstance(one, Arithmetic):
        undo = {"+": "-", "-": "+", "*": "/", "/": "*"}[one.op]
        after = [user.instruction for user in known.users(one.result, at.place)]
        return any(isinstance(each, Arithmetic) and each.op == undo and each.right == one.right for each in after)
    if isinstance(one, Convert):
        old = known.matrix(one.matrix)
        further = [user.instruction for user in known.users(one.result, at.place)]
        results = [each.result for each in further if isinstance(each, Convert)]
        return any(known.matrix(name).component == old.component for name in results)
    return False


def _invariant(known: Facts, at: At) -> bool:
    """Whether every pass of its loop does the same with the same operands."""
    if len(at.place.path) < 2 or known.passes[at.place] < 2 or isinstance(at.instruction, Store | StoreTensor):
        return False
    made = {writes(one.instruction) for one in known.text if one.place.path[0] == at.place.path[0]}
    if set(reads(at.instruction)) & made:
        return False
    if isinstance(at.instruction, Load | LoadTensor):
        there = places(known, at.place)
        return there is not None and all(np.array_equal(there.starts[0], other) for other in there.starts)
    return True


LOOKS: dict[str, Look] = {
    "live-layouts": layouts,
    "live-views": views,
    "layout-shared-by-accesses": sharing,
    "buffer-count": buffers,
    "instances-sharing-memory": instances,
    "declaration-order": declarations,
    "repeated-operation": repeated,
}
"""Axis -> how its class is seen."""
