"""The copies of A and B in the further groups of sixteen lanes: whether they are equal, and how they differ."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.amd_rdna3_wmma.addresses import element_format
from mmaspec.oracle.numerics.ordinals import Bits, is_nan, magnitudes
from mmaspec.programs.amd_rdna3_wmma.program import Load
from mmaspec.programs.formats import Format
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.register_kernels.observations.flow import Event

_LARGE = 8
"""Of the exponents of a format, this part at the upper end counts as large."""


def _loads(thing: Thing) -> list[Event]:
    """The loads of A and B that a thing is about."""
    if thing.group == "load":
        return [thing.of]
    event = thing.of.event if thing.group == "operand" else thing.of
    held = [event.reads["a"], event.reads["b"]]
    if thing.group == "operand":
        held = [event.reads[thing.of.role]] if thing.of.role != "c" else []
    return [one.load for one in held if one is not None and one.load is not None]


def _differ(step: Load) -> bool:
    return any(name != step.data for name in step.replicas)


def replicas(subject: Subject, thing: Thing) -> Answer:
    """Which operands' copies differ; of C nothing, for it has none."""
    loads = _loads(thing)
    uses = {subject.program.fragment(event.step.into).use for event in loads if _differ(_load(event))}  # type: ignore[union-attr]
    if thing.group == "load" and subject.program.fragment(thing.of.step.into).use == "cd":
        return None
    if thing.group == "operand" and thing.of.role == "c":
        return None
    return "both-differ" if len(uses) == 2 else f"{uses.pop()}-differs" if uses else "equal"


def _load(event: Event) -> Load:
    assert isinstance(event.step, Load)
    return event.step


def replica_contents(subject: Subject, thing: Thing) -> Answer:
    """What is in the further copies; of C nothing."""
    if replicas(subject, thing) is None:
        return None
    found: set[str] = set()
    for event in _loads(thing):
        step = _load(event)
        if not _differ(step) or step.data is None:
            continue
        fragment = subject.program.fragment(step.into)
        first = subject.case.values[step.data]
        for name in step.replicas:
            if name != step.data:
                found.add(_contents(element_format(fragment), first, subject.case.values[name], fragment.use))
    return found or "none"


def _contents(fmt: Format, first: Bits, other: Bits, use: str) -> str:
    """``(batch, waves, passes, rows, cols)`` each; lines are rows of A and columns of B."""
    if fmt.is_float and is_nan(fmt, other).any():
        return "nan"
    if not other.any():
        return "zeros"
    unlike: NDArray[np.bool_] = first != other
    lines = unlike.any(axis=-1 if use == "a" else -2)
    if (unlike.sum(axis=(-2, -1)) == 1).all():
        return "one-element"
    if (lines.sum(axis=-1) == 1).all():
        return "one-lane"
    axis = -2 if use == "a" else -1
    if any(np.array_equal(np.roll(first, step, axis), other) for step in (1, -1)):
        return "shifted"
    negated = first ^ np.uint64(fmt.sign_bit) if fmt.is_float else (-first.astype(np.int64)).astype(np.uint64)
    if np.array_equal(negated & np.uint64(fmt.mask), other):
        return "negated"
    if fmt.is_float:
        top = fmt.largest_magnitude - fmt.largest_magnitude // _LARGE
        return "large" if (magnitudes(fmt, other) >= top).all() else "random"
    return "large" if (other >= np.uint64(fmt.mask - fmt.mask // _LARGE)).all() else "random"


LOOKS: dict[str, Look] = {"replicas": replicas, "replica-contents": replica_contents}
