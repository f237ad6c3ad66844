"""Loops, branches and barriers: what they hold, what they move, and what they keep apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from mmaspec.oracle.hlsl_wave_matrix.wave_sizes import wave_size
from mmaspec.programs.base import Affine, Index
from mmaspec.programs.hlsl_wave_matrix.operands import reads, writes
from mmaspec.programs.hlsl_wave_matrix.program import (
    Add,
    Barrier,
    Branch,
    Fill,
    Load,
    MatrixDepth,
    Multiply,
    MultiplyAccumulate,
    Repeat,
    ScalarOperation,
    Simple,
    Stage,
    Store,
    SumAccumulate,
    Unstage,
)
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.hlsl_wave_matrix.observations.flow import Event, flow_of

Product = Multiply | MultiplyAccumulate


def _moves_with(index: Index) -> bool:
    return isinstance(index, Affine) and index.loop != 0


def _loop_moves(subject: Subject, thing: Thing) -> Answer:
    found: set[str] = set()
    for one in thing.of.body:
        if isinstance(one, MatrixDepth) and _moves_with(one.offset):
            found.add("depth-offset")
        if not isinstance(one, Load | Store):
            continue
        if _moves_with(one.stride):
            found.add("stride")
        if _moves_with(one.col_major):
            found.add("orientation")
        if _moves_with(one.offset):
            found |= {_moved(subject, one)} - {""}
            if subject.program.array(one.buffer) is not None:
                found.add("array-part")
    if {"left-offset", "right-offset"} <= found:
        found = found - {"left-offset", "right-offset"} | {"both-offsets"}
    return found or "nothing"


def _moved(subject: Subject, one: Load | Store) -> str:
    matrix = subject.program.matrix(one.matrix)
    if isinstance(one, Store):
        return "store-offset"
    if matrix.is_fragment:
        return "fragment-offset"
    return f"{matrix.kind}-offset" if matrix.kind in ("left", "right") else ""


def _loop_body(_: Subject, thing: Thing) -> Answer:
    body: tuple[Simple, ...] = thing.of.body
    if not body:
        return "empty"
    return set(_of_body(body)) | set(_of_products(body))


def _of_body(body: tuple[Simple, ...]) -> Iterator[str]:
    has = {type(one) for one in body}
    simple: tuple[tuple[type, str], ...] = ((SumAccumulate, "sums"), (Add, "additions"), (ScalarOperation, "scalar"))
    for kind, name in simple:
        if any(issubclass(each, kind) for each in has):
            yield name
    if has & {Stage, Unstage} and Barrier in has:
        yield "stage-barrier"
    if {Load, Store} <= has and not has - {Load, Store}:
        yield "load-and-store"
    ends = [{one.buffer for one in body if isinstance(one, kind)} for kind in (Load, Store)]
    if ends[0] & ends[1]:
        yield "feedback"


def _of_products(body: tuple[Simple, ...]) -> Iterator[str]:
    loaded = {one.matrix: turn for turn, one in enumerate(body) if isinstance(one, Load)}
    filled = {one.matrix for one in body if isinstance(one, Fill)}
    stored = {one.matrix for one in body if isinstance(one, Store)}
    for turn, one in enumerate(body):
        if isinstance(one, Multiply):
            yield "multiply"
        if not isinstance(one, MultiplyAccumulate):
            continue
        inside = [loaded[name] for name in (one.left, one.right) if name in loaded]
        yield {0: "accumulate-only", 1: "one-load-inside", 2: "loads-and-accumulate"}[len(inside)]
        if one.matrix in filled:
            yield "fill-and-accumulate"
        if one.matrix in stored:
            yield "store-each-pass"
        if inside and min(inside) > turn:
            yield "rotate"


def _branch_lanes(subject: Subject, thing: Thing) -> Answer:
    size, lanes = wave_size(subject.program, subject.caps), thing.of.lanes
    named = {1: "one", size // 2: "half", size - 1: "all-but-one", size: "all", size + 1: "one-more"}
    return named.get(lanes) or ("some" if lanes < size else "far-more")


def _branch_body(subject: Subject, thing: Thing) -> Answer:
    branch: Branch = thing.of
    kinds: dict[str, tuple[type, ...]] = {
        "depth": (MatrixDepth,), "loads": (Load,), "fills": (Fill,), "stores": (Store,),
        "products": (Multiply, MultiplyAccumulate, SumAccumulate), "scalar-or-add": (ScalarOperation, Add),
    }  # fmt: skip
    found = {name for name, types in kinds.items() if any(isinstance(one, types) for one in branch.body)}
    if len(subject.program.body) == 1:
        found.add("whole-program")
    return found or (None if branch.body else "empty")


def _branch_before(subject: Subject, thing: Thing) -> Answer:
    """The first method on a matrix after the branch."""
    flow = flow_of(subject)
    number = subject.program.body.index(thing.of)
    after = [event.instruction for event in flow.events if event.path[0] > number]
    for one in after:
        match one:
            case Load():
                return "load"
            case Store():
                return "store"
            case Fill():
                return "fill"
            case Multiply() | MultiplyAccumulate():
                return "product"
            case ScalarOperation() | Add() | SumAccumulate():
                return "scalar"
    return "nothing"


_APART = {
    ("stage", "load"): "stage-and-load", ("load", "stage"): "load-and-stage", ("store", "load"): "store-and-load",
    ("load", "store"): "load-and-store", ("store", "unstage"): "store-and-unstage",
    ("unstage", "store"): "unstage-and-store", ("stage", "store"): "stage-and-store",
}  # fmt: skip
"""What comes before and after a barrier -> what it keeps apart."""


def _array_uses(subject: Subject, events: tuple[Event, ...]) -> Iterator[tuple[str, str]]:
    """Accesses to arrays, up to the next barrier."""
    for event in events:
        one = event.instruction
        if isinstance(one, Barrier):
            return
        if isinstance(one, Stage | Unstage):
            yield one.array, "stage" if isinstance(one, Stage) else "unstage"
        elif isinstance(one, Load | Store) and subject.program.array(one.buffer) is not None:
            yield one.buffer, "load" if isinstance(one, Load) else "store"


def _barrier_between(subject: Subject, thing: Thing) -> Answer:
    events, turn = flow_of(subject).events, thing.of.turn
    before, after = set(_array_uses(subject, events[:turn][::-1])), set(_array_uses(subject, events[turn + 1 :]))
    met = {(one, two) for array, one in before for other, two in after if array == other}
    return {_APART[pair] for pair in met if pair in _APART} or "nothing"


def _barrier_place(subject: Subject, thing: Thing) -> Answer:
    flow, event = flow_of(subject), thing.of
    around = flow.around(event)
    found = set(_in_body(around, event.path[-1]))
    near = flow.events[max(0, event.turn - 1) : event.turn] + flow.events[event.turn + 1 : event.turn + 2]
    if any(isinstance(one.instruction, Barrier) for one in near):
        found.add("doubled")
    outer = event.path[0]
    before = subject.program.body[outer - 1] if len(event.path) == 1 and outer else None
    if isinstance(before, Branch) and before.lanes < wave_size(subject.program, subject.caps):
        found.add("after-divergence")
    held = {writes(one.instruction) for one in flow.events[: event.turn]}
    used = {name for one in flow.events[event.turn + 1 :] for name in reads(one.instruction)}
    if held & used:
        found.add("while-matrices-live")
    return found


def _in_body(around: Repeat | Branch | None, step: int) -> Iterator[str]:
    if around is None:
        yield "straight"
    elif isinstance(around, Branch):
        yield "uniform-branch"
    elif step == 0:
        yield "loop-start"
    else:
        yield "loop-end" if step == len(around.body) - 1 else "loop-middle"


LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        "loop-count": lambda _, thing: thing.of.count,
        "loop-waves": lambda subject, _: "one" if subject.program.waves == 1 else "several",
        "loop-moves": _loop_moves,
        "loop-body": _loop_body,
        "branch-lanes": _branch_lanes,
        "branch-body": _branch_body,
        "branch-before": _branch_before,
        "barrier-between": _barrier_between,
        "barrier-place": _barrier_place,
    }
)
"""Axis -> how it is seen in a loop, a branch or a barrier."""
