"""Loads, stores and atomic sums of matrices: types, places, strides, and what lies outside of memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.hlsl_linalg.addresses import layout_of
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, NATIVE
from mmaspec.programs.hlsl_linalg.program import InterlockedAccumulate
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.hlsl_linalg.observations.access import Access, access_of
from mmaspec.strategies.hlsl_linalg.observations.declared import LAYOUTS, SCOPES, USES, oblong, short
from mmaspec.strategies.hlsl_linalg.observations.flow import destination, flow_of, origin
from mmaspec.strategies.hlsl_linalg.revisions import is_earlier

FAR = 1 << 31
LEAST_PADDING = 16
"""What strides are multiples of."""
PLACES = (256, 128)


def of_access(look: Callable[[Access], Answer]) -> Look:
    """A look that wants nothing but the access."""
    return lambda subject, thing: look(access_of(subject, thing))


def _padding(access: Access) -> Answer:
    found = set()
    for stride in access.values("stride"):
        gap = stride * access.unit - access.line
        if stride == 0:
            found.add("same")
        elif gap <= 0:
            found.add("none" if not gap else "overlap")
        elif gap == access.line:
            found.add("line")
        elif gap > access.line:
            found.add("more")
        else:
            found.add("least" if gap == LEAST_PADDING else "part")
    return found


def _place_multiple(access: Access) -> Answer:
    starts = (access.base + offset for offset in access.values("offset"))
    return {next((f"of-{unit}" for unit in PLACES if start % unit == 0), "of-128") for start in starts}


def _bounds(access: Access) -> Answer:
    ends = access.addresses + access.size
    outside = ends > access.view
    if not outside.any():
        return "to-the-end" if int(ends.max()) > access.view - 4 else "inside"
    kinds = {_cut(access, number, outside[number]) for number in range(len(outside))}
    return kinds if len(kinds) == 1 else {*(kinds - {"inside"}), "in-some"}


def _cut(access: Access, number: int, outside: NDArray[np.bool_]) -> str:
    if not outside.any():
        return "inside"
    if outside.all():
        return "far" if int(access.addresses[number].min()) >= FAR else "all"
    if int(outside.sum()) * access.size <= 4:
        return "one-word"
    lines = access.lines[number] + access.size > access.view
    touched = lines.any(axis=1)
    if touched.sum() == 1:
        return "line" if lines[touched].all() else "part-of-line"
    return "half" if outside.mean() >= 0.5 else "several"


def spread(starts: NDArray[np.int64], nbytes: int) -> str:
    """How the elements of several instances ``(instances, count)`` lie to each other."""
    if len(starts) == 1:
        return "one"
    if (starts == starts[0]).all():
        return "same"
    flat = starts.reshape(len(starts), -1)
    own = [np.unique(one) for one in flat]
    if np.unique(np.concatenate(own)).size < sum(one.size for one in own):
        return "overlap"
    ordered = sorted((int(one.min()), int(one.max()) + nbytes) for one in own)
    crossed = any(start < end for (_, end), (start, _) in pairwise(ordered))
    return "side-by-side" if crossed else "apart"


def _align(access: Access) -> Answer:
    align = access.instruction.align
    return "default" if not align else "same" if align == PLACES[1] else "larger"


def _binding(subject: Subject, thing: Thing) -> Answer:
    return "read-only" if thing.of.instruction.memory in subject.program.read_only else "read-write"


def _content_from(subject: Subject, thing: Thing) -> Answer:
    return origin(flow_of(subject), thing.of.instruction.matrix, thing.of)


_GOES = {"conversion": "cast", "accumulate": "addend", "addition": "addend"}


def _content_goes(subject: Subject, thing: Thing) -> Answer:
    found = destination(flow_of(subject), thing.of.instruction.matrix, thing.of)
    return _GOES.get(found, found)


def _array_against(access: Access) -> Answer:
    array = access.program.array(access.instruction.memory)
    assert array is not None
    own = COMPONENTS[access.matrix.component]
    if array.element == "uint8_t4_packed":
        return "packed"
    other = COMPONENTS[NATIVE[array.element]]
    if own.name == other.name:
        return "own"
    if own.format.nbytes == other.format.nbytes:
        return "same-size"
    return "wider" if other.format.nbytes > own.format.nbytes else "narrower"


def _array_vectors(access: Access) -> Answer:
    array = access.program.array(access.instruction.memory)
    assert array is not None
    return "scalars" if not array.width else "odd" if array.width not in (2, 4, 8) else "even"


def _named_target(subject: Subject, thing: Thing) -> Answer:
    one: InterlockedAccumulate = thing.of.instruction
    own = subject.program.matrix(one.matrix).component
    return "none" if one.target is None else "own" if one.target == own else "other"


def _of_later(look: Look) -> Look:
    """Multiples of 128 bytes, which the text of 2025-09-19 does not ask for: ``alignment-promise`` is its axis."""
    return lambda subject, thing: None if is_earlier(subject.caps) else look(subject, thing)


LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        "accessed-component": of_access(lambda access: short(access.matrix.component)),
        "accessed-use": of_access(lambda access: USES[access.matrix.use]),
        "accessed-scope": of_access(lambda access: SCOPES[access.matrix.scope]),
        "layout": of_access(lambda access: LAYOUTS[layout_of(access.instruction, access.matrix)]),
        "accessed-shape": of_access(lambda access: oblong(access.matrix.m, access.matrix.n)),
        "load-binding": _binding,
        "buffer-offset": of_access(lambda access: set(access.values("offset"))),
        "stride": of_access(lambda access: set(access.values("stride"))),
        "padding": of_access(_padding),
        "align": _of_later(of_access(_align)),
        "place-multiple": _of_later(of_access(_place_multiple)),
        "places": of_access(lambda access: spread(access.addresses, access.size)),
        "content-from": _content_from,
        "content-goes": _content_goes,
        "array-against": of_access(_array_against),
        "array-offset": of_access(lambda access: set(access.values("offset"))),
        "array-stride": of_access(lambda access: set(access.values("stride"))),
        "array-vectors": of_access(_array_vectors),
        "sum-target": _named_target,
    }
)
"""Axis -> how it is seen in an access."""
BOUNDS: Look = of_access(_bounds)
"""What lies outside, of an access of a matrix."""
