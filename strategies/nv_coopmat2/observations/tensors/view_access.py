"""The axes of tensor accesses with a view: its dimensions against spans, its clip, what it does out of bounds."""

from __future__ import annotations

from math import prod

import numpy as np

from mmaspec.oracle.nv_coopmat2.tensors.views import set_tensor_view_dimensions
from mmaspec.programs.nv_coopmat2.program import (
    Convert,
    Load,
    LoadTensor,
    MulAdd,
    Reduce,
    SetViewDimensions,
    SetViewStride,
    Splat,
)
from mmaspec.strategies.axes.observation import Answer, Look
from mmaspec.strategies.nv_coopmat2.observations.accesses import State, TensorFacts, of_tensor, tensor_facts
from mmaspec.strategies.nv_coopmat2.observations.facts import every


def _own(one: TensorFacts) -> bool:
    return one.v is not None and one.v.has_dimensions


def _strided(one: TensorFacts) -> bool:
    """Whether strides of the view's own act."""
    v = one.v
    if v is None or not v.has_dimensions:
        return False
    return v.view_stride != set_tensor_view_dimensions(v, v.view_dimension).view_stride


def _permutes(one: TensorFacts) -> bool:
    return one.v is not None and one.v.permutation != tuple(range(one.v.vdim))


def region(one: TensorFacts, state: State) -> int:
    """Elements that the clip leaves in."""
    return int((~one.skipped(state)).sum())


def dimensions(one: TensorFacts) -> Answer:
    """The view's dimensions against the layout's spans."""
    v = one.v
    if v is None or not v.has_dimensions or not one.view_dimensioned:
        return None
    dims, spans = v.view_dimension, one.t.span
    size, whole = prod(dims), prod(spans)
    split = len(dims) > len(spans) and size == whole and _groups(dims, spans)
    merged = len(dims) < len(spans) and size == whole and _groups(spans, dims)
    return every(
        ("equal", dims == spans),
        ("split", split),
        ("merged", merged),
        ("reshaped", size == whole and dims != spans and not split and not merged),
        ("fewer", size < whole),
        ("more", size > whole),
        ("fewer-than-matrix", any(size < region(one, state) for state in one.states)),
        ("with-ones", 1 in dims),
        ("all-one", set(dims) == {1}),
        ("huge", max(dims, default=0) > 1 << 31),
        ("zero", 0 in dims),
    )


def _groups(fine: tuple[int, ...], coarse: tuple[int, ...]) -> bool:
    """Whether products of neighbours of the one are the numbers of the other."""
    left, product = list(coarse), 1
    for number in fine:
        product *= number
        if left and product == left[0]:
            left.pop(0)
            product = 1
    return not left and product == 1


def meets_bounds(one: TensorFacts) -> Answer:
    """A view over a slice out of bounds."""
    if one.v is None:
        return None
    out = set()
    for state in one.states:
        below, above = one.outside(state)
        out |= {int(d) for d in np.flatnonzero((below | above).any(axis=0))}
    clipped = any(one.skipped(state).any() for state in one.states)
    over = any(
        o < 0 or o + span > dim
        for state in one.states
        for o, span, dim in zip(state.t.offset, state.t.span, state.t.layout_dimension, strict=True)
    )
    return every(
        ("in-bounds", not out),
        ("permuted", _permutes(one) and len(out) == 1),
        ("permuted-both", _permutes(one) and len(out) > 1),
        ("own-dimensions", _own(one) and out),
        ("clipped-inside", clipped and over and not out),
        ("clipped-and-out", clipped and out),
        ("strided", _strided(one) and out),
    )


def under_permutation(one: TensorFacts) -> Answer:
    """A clip together with what else the view does."""
    if one.v is None:
        return "no-clip"
    if not one.clipped:
        return "no-clip"
    v, matrix = one.v, one.matrix
    inside = ~one.skipped(one.states[0])
    rows, cols = int(inside.any(axis=1).sum()), int(inside.any(axis=0).sum())
    size = prod(v.view_dimension) if v.has_dimensions else 0
    return every(
        ("identity", not _permutes(one) and not v.has_dimensions),
        ("permuted", _permutes(one)),
        ("own-dimensions", size and size == rows * cols < matrix.rows * matrix.cols),
        ("own-dimensions-matrix", size and size == matrix.rows * matrix.cols),
        ("strided", _strided(one)),
        ("rows-and-columns", rows < matrix.rows and cols < matrix.cols and matrix.rows - rows != matrix.cols - cols),
        ("with-decode", one.access.decode is not None),
    )


def old_contents(one: TensorFacts) -> Answer:
    """What clipped elements of a load hold before."""
    if not one.load or one.v is None:
        return None
    if not any(one.skipped(state).any() for state in one.states):
        return "nothing-clipped"
    makers = one.known.makers(one.matrix.name, one.place)
    kinds = tuple(type(maker.instruction) for maker in makers)
    skipped = one.skipped(one.states[0])
    others = [
        tensor_facts(one.known.subject, at.place)
        for at in one.known.accesses
        if isinstance(at.instruction, LoadTensor)
        and at.instruction.matrix == one.matrix.name
        and one.known.turn[at.place] < one.known.turn[one.place]
    ]
    before = [other for other in others if other.states and other.v is not None]
    complementary = any(np.array_equal(other.skipped(other.states[0]), ~skipped) for other in before[-1:])
    quarters = 4 * int((~skipped).sum()) == skipped.size and len(before) >= 3
    return every(
        ("splat", Splat in kinds),
        ("loaded", Load in kinds or LoadTensor in kinds),
        ("product", MulAdd in kinds),
        ("previous-pass", any(maker.turned for maker in makers)),
        ("complementary", complementary),
        ("four-quarters", quarters),
        ("conversion", Convert in kinds or Reduce in kinds),
        ("never-set", not makers),
    )


def decode_view(one: TensorFacts) -> Answer:
    """A decode function under a view."""
    if one.v is None:
        return "none"
    set_something = any(isinstance(call, SetViewDimensions | SetViewStride) for call in one.view_calls)
    return every(
        ("identity", not _permutes(one) and not set_something and not one.clipped and one.v.vdim == one.rank),
        ("permuted", _permutes(one)),
        ("other-rank", one.v.vdim != one.rank),
        ("clipped", any(one.skipped(state).any() for state in one.states)),
        ("strided", _strided(one)),
    )


LOOKS: dict[str, Look] = {
    "view-dimensions-against-span": of_tensor(dimensions),
    "view-meets-out-of-bounds": of_tensor(meets_bounds),
    "clip-under-permutation": of_tensor(under_permutation),
    "clip-and-old-contents": of_tensor(old_contents),
    "decode-and-view": of_tensor(decode_view),
}
"""Axis -> how its class is seen."""
