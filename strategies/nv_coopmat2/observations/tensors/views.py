"""The axes of tensor views: their type, setters, permutations, dimensions, strides and clips."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np

from mmaspec.oracle.nv_coopmat2.tensors.layouts import UINT32
from mmaspec.oracle.nv_coopmat2.tensors.views import TensorView, set_tensor_view_dimensions, view_lineage
from mmaspec.programs.nv_coopmat2.program import SetClip, SetViewDimensions, SetViewStride
from mmaspec.strategies.axes.observation import Answer, Look
from mmaspec.strategies.nv_coopmat2.observations.accesses import TensorFacts, of_tensor, of_text
from mmaspec.strategies.nv_coopmat2.observations.facts import every, first

HALF = 1 << 31
LETTERS = {SetViewDimensions: "dimensions", SetViewStride: "strides", SetClip: "clip"}
SEQUENCES = {
    "dimensions", "dimensions-strides", "strides-dimensions", "clip", "clip-dimensions", "dimensions-clip",
}  # fmt: skip


def permutation(one: TensorFacts) -> Answer:
    """The order of the view's axes."""
    if one.viewed is None:
        return None
    given, rank = one.viewed.permutation, one.viewed.rank
    if not given:
        return "not-given"
    if sorted(given) != list(range(rank)):
        return every(
            ("out-of-range", any(not 0 <= axis < rank for axis in given)),
            ("too-few", len(given) < rank),
            ("repeated", len(set(given)) < len(given)),
        )
    cycles = sorted(_cycles(given))
    moved = [axis for axis in range(rank) if given[axis] != axis]
    swap = cycles == [2]
    return every(
        ("identity", not moved),
        ("swap-two", rank == 2 and swap),
        ("swap-inner", rank > 2 and swap and moved == [rank - 2, rank - 1]),
        ("swap-outer", rank > 2 and swap and moved == [0, 1]),
        ("swap-middle", rank > 3 and swap and moved[0] > 0 and moved[1] < rank - 1),
        ("swap-ends", rank > 2 and swap and moved == [0, rank - 1]),
        ("reversal", rank > 2 and list(given) == list(range(rank))[::-1]),
        ("double-swap", cycles == [2, 2]),
        ("cycle-left", cycles == [3] and given[moved[0]] == moved[1]),
        ("cycle-right", cycles == [3] and given[moved[0]] == moved[2]),
        ("cycle-of-four", cycles == [4]),
        ("cycle-of-five", cycles == [5]),
        ("three-and-two", cycles == [2, 3]),
    )


def _cycles(given: tuple[int, ...]) -> list[int]:
    left, found = set(range(len(given))), []
    while left:
        axis, size = left.pop(), 1
        while given[axis] in left:
            axis = given[axis]
            left.discard(axis)
            size += 1
        found += [size] if size > 1 else []
    return found


def has_dimensions(one: TensorFacts) -> Answer:
    """Whether the view has dimensions of its own, and whether they are set."""
    if one.v is None:
        return None
    touched = any(not isinstance(call, SetClip) for call in one.view_calls)
    own = one.v.has_dimensions
    return every(
        ("without", not own and not touched),
        ("without-but-set", not own and touched),
        ("with-set", own and one.view_dimensioned),
        ("with-set-as-spans", own and one.view_dimensioned and one.v.view_dimension == one.t.span),
        ("with-unset", own and not one.view_dimensioned),
    )


def strides(one: TensorFacts) -> Answer:
    """The view's strides."""
    v = one.v
    if v is None or not v.has_dimensions:
        return None
    if not one.view_dimensioned:
        return "unset"
    kinds = [type(call) for call in one.view_calls]
    last = len(kinds) - 1 - kinds[::-1].index(SetViewDimensions)
    early = SetViewStride in kinds[:last]
    size = prod(one.t.span)
    reach = sum((dim - 1) * step for dim, step in zip(v.view_dimension, v.view_stride, strict=True) if dim)
    past = every(("overwritten", early), ("beyond-span", size and size <= reach), ("wrapping", reach > UINT32))
    if SetViewStride not in kinds[last:]:
        return ("implicit", *past)
    return (*_set_strides(v), *past)


def _set_strides(v: TensorView) -> tuple[str, ...]:
    given = v.view_stride
    packed = set_tensor_view_dimensions(v, v.view_dimension).view_stride
    small = [step for step in given if step < HALF]
    pairs = list(zip(given, packed, strict=True))
    swapped = given != packed and any(given == _permuted(v, order) for order in _orders(len(given)))
    return every(
        ("explicit-same", given == packed),
        ("swapped", swapped),
        ("padded", any(a > b for a, b in pairs[:-1]) and not swapped),
        ("overlapping", any(0 < a < b for a, b in pairs) and not swapped),
        ("inner-above-one", 1 < given[-1] < HALF),
        ("zero-inner", given[-1] == 0 and any(given)),
        ("zero-outer", 0 in given[:-1] and any(given)),
        ("zero-all", not any(given)),
        ("negative", len(small) < len(given)),
    )


def _orders(rank: int) -> list[tuple[int, ...]]:
    """Every exchange of two axes, and all in opposite order."""
    found = []
    for a in range(rank):
        for b in range(a + 1, rank):
            order = list(range(rank))
            order[a], order[b] = b, a
            found.append(tuple(order))
    return [*found, tuple(range(rank))[::-1]]


def _permuted(v: TensorView, order: tuple[int, ...]) -> tuple[int, ...]:
    """Strides without gaps for axes that lie in another order."""
    steps, step = [0] * v.vdim, 1
    for axis in reversed(order):
        steps[axis] = step
        step *= v.view_dimension[axis]
    return tuple(steps)


def sequence(one: TensorFacts) -> Answer:
    """Which setters of the view are called, in which order."""
    if one.viewed is None:
        return None
    kinds = [LETTERS[type(call)] for call in one.view_calls]
    whole = "-".join(kinds)
    return every(
        ("none", not kinds),
        (whole, whole in SEQUENCES),
        ("strides-dimensions", "strides" in kinds and "dimensions" in kinds[kinds.index("strides") :]),
        ("clip-between", whole == "dimensions-clip-strides"),
        ("clip-twice", kinds.count("clip") > 1),
        ("dimensions-twice", kinds.count("dimensions") > 1),
        ("strides-twice", kinds.count("strides") > 1),
    )


def start(one: TensorFacts) -> Answer:
    """What the view starts from."""
    if one.viewed is None:
        return None
    view, program = one.viewed, one.program
    if view.start is None:
        return "created"
    before = program.view(view.start)
    used = {access.view for access in one.known.tensors}
    earlier = any(isinstance(call, SetClip) for call in view_lineage(program, view.start)[1])
    reset = one.states and one.v is not None and (one.v.clip_row_offset, one.v.clip_col_offset) == (0, 0)
    wide = reset and one.v is not None and min(one.v.clip_row_span, one.v.clip_col_span) == UINT32
    kind = (before.rank, before.has_dimensions, before.permutation)
    return every(
        ("copy", not view.calls),
        ("changed-copy", view.calls and view.start in used),
        ("clip-reset", earlier and wide and any(isinstance(call, SetClip) for call in view.calls)),
        ("chain", before.start is not None),
        ("other-type", kind != (view.rank, view.has_dimensions, view.permutation)),
    )


def clip(which: str, extent: str, over: Callable[[int, int, int], tuple[tuple[str, object], ...]]) -> Look:
    """The look of the clip of rows or columns."""

    def look(one: TensorFacts) -> Answer:
        if one.v is None:
            return None
        if not one.clipped:
            return "default"
        size = int(getattr(one.matrix, extent))
        found: tuple[str, ...] = ()
        for state in one.states:
            o, span = getattr(state.v, f"clip_{which}_offset"), getattr(state.v, f"clip_{which}_span")
            found += every(*_clip(o, span, size), *over(o, span, size))
        return found

    return of_tensor(look)


def _clip(o: int, span: int, size: int) -> tuple[tuple[str, object], ...]:
    ends = o + span
    return (
        ("whole", o == 0 and span == size),
        ("first", o == 0 and 1 <= span < size),
        ("last", 0 < o < size and ends == size),
        ("middle", o > 0 and ends < size and span),
        ("one", span == 1 and o < size),
        ("one-missing-first", o == 1 and ends == size),
        ("one-missing-last", o == 0 and span == size - 1),
        ("none", span == 0),
        ("outside", o >= size and span),
        ("all-span-with-offset", o and span == UINT32),
        ("sum-exactly-wraps", ends == 1 << 32),
        ("huge-span", o == 0 and span >= HALF),
        ("huge-offset", o >= HALF),
    )


def _rows_over(o: int, span: int, size: int) -> tuple[tuple[str, object], ...]:
    return (("overhanging", o < size < o + span <= UINT32),)


def _columns_over(o: int, span: int, size: int) -> tuple[tuple[str, object], ...]:
    over = 0 < o < size < o + span <= UINT32
    return (("overhanging-short", over and span < size), ("overhanging-long", over and span > size))


def symmetry(one: TensorFacts) -> Answer:
    """Whether a wrong permutation would show."""
    v = one.v
    if v is None or not v.vdim:
        return None
    dims = v.view_dimension if v.has_dimensions else one.t.span
    inverse = tuple(int(axis) for axis in np.argsort(v.permutation))
    square = one.matrix.rows == one.matrix.cols
    return every(
        ("all-differ", len(set(dims)) == len(dims) > 1),
        ("equal", len(set(dims)) == 1 and len(dims) > 1),
        ("matrix-square", square),
        ("matrix-not-square", not square),
        ("inverse-differs", inverse != v.permutation),
    )


def rank_against(one: TensorFacts) -> Answer:
    """The view's rank against the layout's."""
    if one.v is None:
        return "no-view"
    own, mine, other = one.v.has_dimensions, one.v.vdim, one.rank
    return first(
        ("equal", mine == other),
        ("more-own", own and mine > other),
        ("fewer-own", own),
        ("fewer-spans", mine < other),
        ("more-spans", True),
    )


LOOKS: dict[str, Look] = {
    "view-permutation": of_text(permutation),
    "view-has-dimensions": of_tensor(has_dimensions),
    "view-stride-kind": of_tensor(strides),
    "view-setter-sequence": of_text(sequence),
    "view-start": of_text(start),
    "clip-rows": clip("row", "rows", _rows_over),
    "clip-columns": clip("col", "cols", _columns_over),
    "view-symmetry": of_tensor(symmetry),
    "view-rank-against-layout": of_tensor(rank_against),
}
"""Axis -> how its class is seen."""
