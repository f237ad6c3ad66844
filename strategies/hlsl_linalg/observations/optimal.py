"""Matrices in optimal layouts: loads, sums of outer products, and conversions of the command list."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mmaspec.programs.base import Affine
from mmaspec.programs.hlsl_linalg.components import COMPONENTS
from mmaspec.programs.hlsl_linalg.program import LINEAR, ConvertLayout, Load
from mmaspec.programs.tree import walk
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.hlsl_linalg.observations.declared import LAYOUTS, oblong, short
from mmaspec.strategies.hlsl_linalg.observations.flow import flow_of


def _component(subject: Subject, thing: Thing) -> Answer:
    return short(subject.program.matrix(thing.of.instruction.matrix).component)


def _shape(subject: Subject, thing: Thing) -> Answer:
    one = thing.of.instruction
    shape = one if isinstance(one, ConvertLayout) else subject.program.matrix(one.matrix)
    return oblong(shape.m, shape.n)


def _threads(subject: Subject, thing: Thing) -> Answer:
    index = thing.of.instruction.offset
    if subject.program.group == 1:
        return "one"
    if not isinstance(index, Affine):
        return "same"
    return "apart" if index.lane else "by-wave" if index.wave and subject.program.waves > 1 else "same"


def _times(subject: Subject, thing: Thing) -> Answer:
    one = thing.of.instruction
    return sum(times for _, other, times in walk(subject.program) if other == one)


def _readers(subject: Subject, thing: Thing) -> Answer:
    one: Load = thing.of.instruction
    same = (other for _, other, _ in walk(subject.program) if isinstance(other, Load))
    return sum((other.memory, other.offset) == (one.memory, one.offset) for other in same)


def _stands(subject: Subject, thing: Thing) -> Answer:
    events = flow_of(subject).events
    shader = [event.turn for event in events if not isinstance(event.instruction, ConvertLayout)]
    if not shader:
        return "alone"
    return "before" if thing.of.turn < shader[0] else "after"


def _source(subject: Subject, thing: Thing) -> Answer:
    flow, one = flow_of(subject), thing.of.instruction
    if one.data is not None:
        return "data"
    before = [touch for turn, touch in flow.touches if turn < thing.of.turn and touch.memory == one.source]
    for touch in reversed(before):
        if touch.effect == "add":
            return "summed"
        if touch.effect == "store":
            return "converted" if isinstance(touch.instruction, ConvertLayout) else "stored"
    return None


def _stride(_: Subject, thing: Thing) -> Answer:
    one: ConvertLayout = thing.of.instruction
    found = set()
    size = COMPONENTS[one.component].format.nbytes
    sides = ((one.source_layout, one.source_stride), (one.target_layout, one.target_stride))
    for layout, stride in sides:
        if layout in LINEAR:
            line = (one.n if layout == "RowMajor" else one.m) * size
            found.add("none" if stride == line else "padded")
    return found or "both-optimal"


def _place(subject: Subject, thing: Thing) -> Answer:
    one: ConvertLayout = thing.of.instruction
    base = next(buffer.base for buffer in subject.program.buffers if buffer.name == one.target)
    return "of-256" if (base + one.target_offset) % 256 == 0 else "of-128"


LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        "optimal-component": _component,
        "optimal-shape": _shape,
        "optimal-threads": _threads,
        "optimal-times": _times,
        "optimal-readers": _readers,
        "source-layout": lambda _, thing: LAYOUTS[thing.of.instruction.source_layout],
        "target-layout": lambda _, thing: LAYOUTS[thing.of.instruction.target_layout],
        "converted-component": lambda _, thing: short(thing.of.instruction.component),
        "conversion-stands": _stands,
        "conversion-source": _source,
        "conversion-stride": _stride,
        "conversion-place": _place,
    }
)
"""Axis -> how it is seen where a layout is opaque."""
