"""Atomic sums: what lies there before, how many are added, and whether their order could show."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.hlsl_linalg.touches import Touch
from mmaspec.oracle.numerics.ordinals import is_inf, is_nan
from mmaspec.programs.hlsl_linalg.program import Load, VectorAccumulate
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.hlsl_linalg.observations.accesses import BOUNDS, FAR, spread
from mmaspec.strategies.hlsl_linalg.observations.flow import flow_of

SPARE = 2
"""Bits from the end of the range from which on a few sums may leave it."""


def _meets(one: Touch, other: Touch) -> bool:
    if one.memory != other.memory or not one.starts.size or not other.starts.size:
        return False
    low, high = max(one.starts.min(), other.starts.min()), min(one.starts.max(), other.starts.max())
    return bool(low < high + max(one.size, other.size)) and bool(np.isin(one.bytes, other.bytes).any())


def _memory_before(subject: Subject, thing: Thing) -> Answer:
    flow = flow_of(subject)
    own = [touch for touch in flow.of(thing.of) if touch.memory == thing.of.instruction.memory]
    before = [touch for turn, touch in flow.touches if turn < thing.of.turn and touch.memory == own[0].memory]
    for touch in reversed(before) if own else ():
        if not _meets(own[0], touch):
            continue
        one: Any = touch.instruction
        if touch.effect == "add":
            return "added"
        if isinstance(one, Load) and one.matrix == thing.of.instruction.matrix:
            return "loaded-there"
        if touch.effect == "store":
            return "data" if getattr(one, "data", None) else "stored"
        if getattr(one, "data", None):
            return "data"
    return "unknown"


def _sum_times(subject: Subject, thing: Thing) -> Answer:
    flow, memory = flow_of(subject), thing.of.instruction.memory
    added = [touch.starts.ravel() for _, touch in flow.touches if touch.memory == memory and touch.effect == "add"]
    own = next((touch.starts for touch in flow.of(thing.of)), None)
    if own is None or not own.size:
        return None
    starts, counts = np.unique(np.concatenate(added), return_counts=True)
    return int(counts[np.isin(starts, own)].max())


def _sum_order(subject: Subject, thing: Thing) -> Answer:
    one = thing.of.instruction
    name, memory = (one.vector, one.buffer) if isinstance(one, VectorAccumulate) else (one.matrix, one.memory)
    held = subject.held(name, thing.of.place)
    expectation = subject.expectation
    if held is None or not isinstance(expectation, Defined):
        return None
    codes, known = held.certain_bits()
    codes, fmt = codes[known], held.fmt
    if not fmt.is_float:
        value = codes.astype(np.int64)
        magnitude = np.minimum(value, (1 << fmt.bits) - value) if fmt.signed else value
        return "wraps" if codes.size and int(magnitude.max()) >> (fmt.bits - SPARE) else "exact"
    found = {"special"} if (is_nan(fmt, codes) | is_inf(fmt, codes)).any() else set()
    regions = [region.legal for region in expectation.regions if region.buffer == memory]
    certain = [legal.certain_bits()[1] | (legal.why != 0) for legal in regions]
    if not regions:
        return found or None
    return found | {"exact" if all(bool(one.all()) for one in certain) else "rounded"}


def _bounds(subject: Subject, thing: Thing) -> Answer:
    if not isinstance(thing.of.instruction, VectorAccumulate):
        return BOUNDS(subject, thing)
    touch = flow_of(subject).of(thing.of)[0]
    view = next(one.size for one in subject.program.buffers if one.name == touch.memory)
    outside = touch.starts + touch.size > view
    if not outside.any():
        return "to-the-end" if int(touch.starts.max()) + touch.size > view - 4 else "inside"
    if outside.all():
        return "far" if int(touch.starts.min()) >= FAR else "all"
    found = {"in-some"} if (outside.all(axis=1) | ~outside.any(axis=1)).any() and len(outside) > 1 else set()
    for some in outside[outside.any(axis=1) & ~outside.all(axis=1)]:
        nbytes = int(some.sum()) * touch.size
        found.add("one-word" if nbytes <= 4 else "half" if some.mean() >= 0.5 else "part-of-line")
    return found


def _vector_places(subject: Subject, thing: Thing) -> Answer:
    touch = flow_of(subject).of(thing.of)[0]
    found = spread(touch.starts, touch.size) if len(touch.starts) else "one"
    return "apart" if found == "side-by-side" else found


LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        "memory-before": _memory_before,
        "sum-times": _sum_times,
        "sum-order": _sum_order,
        "bounds": _bounds,
        "vector-places": _vector_places,
    }
)
"""Axis -> how it is seen in a sum, or in another access."""
