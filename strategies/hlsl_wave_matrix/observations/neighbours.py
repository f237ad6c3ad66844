"""What an operation has in common with those before and after it: chains, shared operands, repetition."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mmaspec.programs.hlsl_wave_matrix.operands import writes
from mmaspec.programs.hlsl_wave_matrix.program import (
    Add,
    Fill,
    Load,
    Multiply,
    MultiplyAccumulate,
    Repeat,
    ScalarAdd,
    ScalarDivide,
    ScalarMultiply,
    ScalarOperation,
    ScalarSubtract,
    SumAccumulate,
)
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.hlsl_wave_matrix.observations.flow import Event, Flow, flow_of

FRESH = (Load, Fill, Multiply)


def product_chain(subject: Subject, thing: Thing) -> Answer:
    """Products in the accumulator before this one."""
    return flow_of(subject).chain(thing.of.instruction.matrix, thing.of, (Multiply, MultiplyAccumulate), FRESH)


def _sum_chain(subject: Subject, thing: Thing) -> Answer:
    return flow_of(subject).chain(thing.of.instruction.matrix, thing.of, (SumAccumulate,), FRESH)


def _changed(flow: Flow, name: str, first: Event, second: Event) -> Event | None:
    """What last changed a matrix between two events."""
    between = reversed(flow.events[first.turn + 1 : second.turn])
    return next((event for event in between if writes(event.instruction) == name), None)


def _neighbour(subject: Subject, thing: Thing) -> Answer:
    flow, event, one = flow_of(subject), thing.of, thing.of.instruction
    before = next(flow.before(event, Multiply, MultiplyAccumulate), None)
    if before is None:
        return "no-other"
    other = before.instruction
    assert isinstance(other, Multiply | MultiplyAccumulate)
    chained = other.matrix == one.matrix and product_chain(subject, thing) != 0
    gave = flow.gave(one.matrix, event)
    if chained and isinstance(one, Multiply) and gave is not None and isinstance(gave.instruction, MultiplyAccumulate):
        return "reset"
    changed = {side: _changed(flow, getattr(one, side), before, event) for side in ("left", "right")}
    objects = {side: getattr(one, side) == getattr(other, side) for side in ("left", "right")}
    same = {f"same-{side}" for side in objects if objects[side] and changed[side] is None}
    elements = [subject.program.matrix(product.matrix).element for product in (one, other)]
    if len(same) == len(objects):
        return "same-all" if chained else "other-precision" if elements[0] != elements[1] else same
    if same:
        return same
    types = [
        [subject.program.matrix(name).element for name in (product.left, product.right)] for product in (one, other)
    ]
    if chained and types[0] != types[1]:
        return "other-types"
    over = {f"{side}-loaded-over" for side in objects if objects[side] and changed[side] is not None}
    return over or ("same-accumulator" if chained else "nothing")


def _sum_neighbour(subject: Subject, thing: Thing) -> Answer:
    flow, event, one = flow_of(subject), thing.of, thing.of.instruction
    gave, found = flow.gave(one.operand, event), set()
    sharing = list(flow.uses_until_changed(one.operand, gave)) if gave is not None else []
    for other in sharing:
        if isinstance(other.instruction, Multiply | MultiplyAccumulate):
            found.add("product-before" if other.turn < event.turn else "product-after")
        elif isinstance(other.instruction, SumAccumulate) and other.turn != event.turn:
            if other.instruction.matrix == one.matrix:
                found.add("same-operand-again")
            else:
                elements = {subject.program.matrix(each.matrix).element for each in (other.instruction, one)}
                found.add("two-fragments" if len(elements) == 1 else "both-precisions")
    for other in flow.events:
        if isinstance(other.instruction, SumAccumulate):
            found |= _beside(subject, flow, event, other)
    return found or "nothing"


def _beside(subject: Subject, flow: Flow, event: Event, other: Event) -> set[str]:
    """What two sums have in common that is no operand."""
    ours, theirs = event.instruction, other.instruction
    assert isinstance(ours, SumAccumulate) and isinstance(theirs, SumAccumulate)  # noqa: PT018
    one, two = (subject.program.matrix(each.operand) for each in (ours, theirs))
    found = set()
    if ours.matrix == theirs.matrix and {one.element, two.element} == {"s8", "u8"}:
        found.add("both-signs")
    if isinstance(flow.around(event), Repeat) and event.path[0] == other.path[0] and one.kind != two.kind:
        found.add("both-sides")
    return found


def _relation(subject: Subject, thing: Thing) -> Answer:
    flow, event, one = flow_of(subject), thing.of, thing.of.instruction
    own = [other.instruction for other in flow.events if isinstance(other.instruction, Add)]
    if one.matrix == one.operand:
        times = sum(other.matrix == other.operand == one.matrix for other in own)
        return "itself-again" if times > 1 else "itself"
    if any((other.operand, other.matrix) == (one.matrix, one.operand) for other in own):
        return "mutual"
    gave = [flow.gave(name, event) for name in (one.matrix, one.operand)]
    loads = [each.instruction for each in gave if each is not None and isinstance(each.instruction, Load)]
    if len(loads) == len(gave):
        places = {(load.buffer, load.offset, load.stride, load.col_major) for load in loads}
        if len(places) == 1:
            return "same-memory"
    multiplied = {
        name
        for other in flow.before(event, Multiply, MultiplyAccumulate)
        if isinstance(other.instruction, Multiply | MultiplyAccumulate) and other.instruction.matrix == one.matrix
        for name in (other.instruction.left, other.instruction.right)
    }
    summed = {
        other.instruction.operand
        for other in flow.before(event, SumAccumulate)
        if isinstance(other.instruction, SumAccumulate) and other.instruction.matrix == one.operand
    }
    return "same-product-operands" if multiplied & summed else "independent"


def _addend_repeats(subject: Subject, thing: Thing) -> Answer:
    flow, event, one = flow_of(subject), thing.of, thing.of.instruction
    found: set[str] = set()
    kinds = {subject.program.matrix(one.operand).kind}
    for other in flow.events:
        add = other.instruction
        if not isinstance(add, Add) or other.turn == event.turn:
            continue
        first, second = sorted((event, other), key=lambda each: each.turn)
        if add.operand == one.operand:
            if _changed(flow, one.operand, first, second) is not None:
                found.add("addend-changed")
            elif add.matrix == one.matrix and other.path != event.path:
                found.add("same-addend-twice")
        if add.operand == one.operand and add.matrix != one.matrix:
            found.add("many-objects")
        if add.matrix == one.matrix:
            kinds.add(subject.program.matrix(add.operand).kind)
    if {"left-col-acc", "right-row-acc"} <= kinds:
        found.add("all-three" if "accumulator" in kinds else "col-and-row")
    if isinstance(flow.around(event), Repeat):
        found.add("in-loop")
    accumulated = [
        other.turn
        for other in flow.events
        if isinstance(other.instruction, MultiplyAccumulate) and other.instruction.matrix == one.matrix
    ]
    if accumulated and min(accumulated) < event.turn < max(accumulated):
        found.add("between-products")
    return found or "none"


INVERSE: Mapping[type, type] = MappingProxyType(
    {
        ScalarMultiply: ScalarDivide,
        ScalarDivide: ScalarMultiply,
        ScalarAdd: ScalarSubtract,
        ScalarSubtract: ScalarAdd,
    }
)
_SUMS = (ScalarAdd, ScalarSubtract)


def _scalar_before(subject: Subject, thing: Thing) -> Answer:
    flow, one = flow_of(subject), thing.of.instruction
    gave = flow.gave(one.matrix, thing.of)
    before = None if gave is None else gave.instruction
    if not isinstance(before, ScalarOperation):
        if isinstance(before, Multiply | MultiplyAccumulate):
            return "product"
        return (
            "sum-accumulate" if isinstance(before, SumAccumulate) else "addition" if isinstance(before, Add) else "none"
        )
    if type(before) is type(one):
        return "same-op"
    if INVERSE[type(before)] is type(one):
        return "inverse"
    if isinstance(before, ScalarMultiply) and isinstance(one, _SUMS):
        return "multiply-then-sum"
    return "sum-then-multiply" if isinstance(one, ScalarMultiply) else "divide-mixed"


LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        "product-chain": product_chain,
        "product-neighbour": _neighbour,
        "sum-chain": _sum_chain,
        "sum-neighbour": _sum_neighbour,
        "addend-relation": _relation,
        "addend-repeats": _addend_repeats,
        "scalar-before": _scalar_before,
    }
)
"""Axis -> how it is seen in an operation."""
