"""The axes of tensor accesses about bounds: where a slice lies, what leaves the layout, and how far."""

from __future__ import annotations

import numpy as np

from mmaspec.oracle.nv_coopmat2.tensors.index_functions import HIGHEST, LOWEST, Ended
from mmaspec.programs.nv_coopmat2.program import MIRROR_REPEAT, REPEAT, UNDEFINED
from mmaspec.strategies.axes.observation import Answer, Look
from mmaspec.strategies.nv_coopmat2.observations.accesses import TensorFacts, of_tensor
from mmaspec.strategies.nv_coopmat2.observations.facts import every


def slice_place(one: TensorFacts) -> Answer:
    """Where the slice lies in the tensor."""
    if not one.sliced:
        return "no-slice"
    found: tuple[str, ...] = ()
    for state in one.states:
        t = state.t
        parts = list(zip(t.offset, t.span, t.layout_dimension, strict=True))
        found += every(
            ("whole-explicit", all(o == 0 and span == dim for o, span, dim in parts)),
            ("corner", not any(t.offset) and any(span < dim for _, span, dim in parts)),
            ("interior", all(o > 0 and o + span < dim for o, span, dim in parts)),
            ("last-corner", any(t.offset) and all(o >= 0 and o + span == dim for o, span, dim in parts)),
            ("unaligned", t.offset[-1] % 2 and t.offset[-1] * t.stride[-1] * one.step % 16),
            ("one-over", any(o + span == dim + 1 for o, span, dim in parts)),
            ("outside", any(o >= dim or o + span <= 0 for o, span, dim in parts)),
            ("around", all(o < 0 and o + span > dim for o, span, dim in parts)),
        )
    return found


def out_axes(one: TensorFacts) -> Answer:
    """Which dimensions have coordinates out of bounds."""
    found: tuple[str, ...] = ()
    for state in one.states:
        below, above = one.outside(state)
        out = [int(d) for d in np.flatnonzero((below | above).any(axis=0))]
        inner, rank = one.rank - 1, one.rank
        found += every(
            ("none", not out),
            ("innermost", out == [inner]),
            ("outermost", out == [0] and rank > 1),
            ("middle", len(out) == 1 and 0 < out[0] < inner),
            ("inner-and-outer", rank > 1 and out == [0, inner]),
            ("two-inner", rank > 1 and out == [inner - 1, inner]),
            ("all-but-innermost", rank > 1 and out == list(range(inner))),
            ("all", len(out) == rank),
        )
    return _not_beside_none(found)


def _not_beside_none(found: tuple[str, ...]) -> tuple[str, ...]:
    """Of several waves and passes, some in bounds, those that are not make the case."""
    rest = tuple(name for name in found if name != "none")
    return rest or found[:1]


def out_side(one: TensorFacts) -> Answer:
    """On which side coordinates are out of bounds."""
    if not one.beyond:
        return "none"
    found: tuple[str, ...] = ()
    for state in one.states:
        below, above = (np.asarray(side.any(axis=0)) for side in one.outside(state))
        dims = np.array(state.t.layout_dimension, np.int64)
        c = one.coordinates(state)
        high = np.array([dims[np.arange(one.rank) != d].max(initial=0) for d in one.ranks])
        unlike = one.rank > 1 and bool(((c >= dims) & (c < high)).any())
        found += every(
            ("below", below.any()),
            ("above", above.any()),
            ("both-in-one", (below & above).any()),
            ("below-and-above", any(below[a] and above[b] for a in one.ranks for b in one.ranks if a != b)),
            ("unequal-dimensions", unlike),
            ("far-as-unsigned", below.any()),
        )
    return found


def out_distance(one: TensorFacts) -> Answer:
    """How far the farthest coordinate is out of bounds."""
    if not one.beyond:
        return "none"
    far: set[tuple[int, int, int]] = set()
    for state in one.states:
        below, above = one.outside(state)
        c = one.coordinates(state)
        for d in one.ranks:
            taken = c[:, d][(below | above)[:, d]]
            dim = state.t.layout_dimension[d]
            far |= {(int(x), dim, -int(x) if x < 0 else int(x) - dim + 1) for x in np.unique(taken)}
    top = max(distance for _, _, distance in far)
    at_top = [(x, dim) for x, dim, distance in far if distance == top]
    mirrored = any(dim > 1 and 2 * dim - 3 <= x <= 2 * dim - 1 for x, dim, _ in far)
    near = top > (1 << 31) - (1 << 16)
    return every(
        ("one", top == 1),
        ("within-period", any(1 < top < dim for _, dim in at_top)),
        ("mirror-turn", mirrored and one.mode == MIRROR_REPEAT),
        ("exactly-period", any(dim == top for _, dim in at_top)),
        ("second-period", any(dim < top <= 2 * dim for _, dim in at_top)),
        ("many-periods", any(2 * dim < top for _, dim in at_top) and top <= 1 << 16),
        ("over-16-bits", 1 << 16 < top <= 1 << 24),
        ("over-24-bits", top > 1 << 24 and not near),
        ("near-31-bits", near),
    )


def out_share(one: TensorFacts) -> Answer:
    """How many elements of a wave are out of bounds."""
    found: tuple[str, ...] = ()
    for state in one.states:
        there = state.found.span[..., 0] >= 0
        out = np.zeros(there.shape, np.bool_)
        below, above = one.outside(state)
        out[there] = (below | above).any(axis=-1)
        found += _share(one, out, there)
    return tuple(name for name in found if name != "none") if one.beyond else "none"


def _share(one: TensorFacts, out: np.ndarray, there: np.ndarray) -> tuple[str, ...]:
    count, whole = int(out.sum()), int(there.sum())
    lines = out.reshape(out.shape[0], -1)
    per = max(1, 16 // one.nbytes)
    parted = any(
        0 < int(lines[r, c : c + per].sum()) < per for r in range(out.shape[0]) for c in range(0, out.shape[1], per)
    )
    columns, rows = np.asarray(out.all(axis=0)), np.asarray(out.all(axis=1))
    return every(
        ("none", not count),
        ("one", count == 1 and whole > 1),
        ("last-column", columns[-1] and count == out.shape[0]),
        ("last-row", rows[-1] and count == out.shape[1]),
        ("part-of-line", parted),
        ("half", whole and 0.4 <= count / whole <= 0.6),
        ("all-but-one", whole > 1 and count == whole - 1),
        ("all", whole and count == whole),
    )


def undefined_mode(one: TensorFacts) -> Answer:
    """What mode Undefined must bear."""
    if one.mode != UNDEFINED:
        return "other-mode"
    if one.beyond:
        return "out-of-bounds"
    found: tuple[str, ...] = ()
    for state in one.states:
        t, c = state.t, one.coordinates(state)
        if not c.size:
            continue
        dims = np.array(t.layout_dimension, np.int64)
        over = any(o < 0 or o + span > dim for o, span, dim in zip(t.offset, t.span, dims, strict=True))
        skipped = bool(one.skipped(state).any())
        found += every(
            ("well-inside", not over and not (c == dims - 1).all(axis=-1).any()),
            ("touching", (c == dims - 1).all(axis=-1).any()),
            ("clipped-outside", over and skipped),
            ("unused-span-outside", over and not skipped),
        )
    return found


def mirror(one: TensorFacts) -> Answer:
    """Where a reflection or repetition lands."""
    if not one.beyond:
        return "none"
    if one.mode not in (REPEAT, MIRROR_REPEAT) or not one.load:
        return None
    landed: set[tuple[int, int]] = set()
    for state in one.states:
        below, above = one.outside(state)
        c = one.coordinates(state)
        for d in one.ranks:
            taken = np.unique(c[:, d][(below | above)[:, d]])
            landed |= {(int(x), state.t.layout_dimension[d]) for x in taken}
    return tuple(name for x, dim in landed if dim > 0 for name in _landing(one.mode, x, dim))


def _landing(mode: int, x: int, dim: int) -> tuple[str, ...]:
    period = dim if mode == REPEAT else 2 * dim - 2
    if period == 0:
        return ()
    c = x % period
    c = period - c if c >= dim else c
    return every(
        ("first", c == 0),
        ("last", c == dim - 1),
        ("second", c == 1),
        ("last-but-one", dim > 1 and c == dim - 2),
        ("negative-remainder", x < 0 and x % period),
        ("negative-multiple", x < 0 and x % period == 0),
        ("period-power", period & (period - 1) == 0),
        ("period-odd", period & (period - 1)),
        ("far-negative", x < -(1 << 24)),
    )


def arithmetic(one: TensorFacts) -> Answer:
    """How far intermediate numbers of the index calculation reach."""
    found: tuple[str, ...] = ()
    for state in one.states:
        t, index = state.t, state.found.index
        block = state.found.block[index >= 0]
        stride = np.array([min(word, 1 << 32) for word in t.stride], np.int64)
        steps = block * stride
        top = int(steps.max(initial=0))
        c = int(block.max(initial=0))
        most = int(index.max())
        used = [(int(block[:, d].max(initial=0)), t.stride[d]) for d in one.ranks]
        wide = max(t.stride, default=0)
        inner = int(np.prod([float(word) for word in t.span[1:]])) if len(t.span) > 1 else 0
        far = any(word > HIGHEST - (1 << 16) or word < LOWEST + (1 << 16) for word in t.offset)
        plain = max([top, most, wide, *t.layout_dimension, *t.span, *(abs(word) for word in t.offset)])
        found += every(
            ("sixteen-bits", plain < 1 << 16),
            ("product-beyond-16", top >= 1 << 16 and c < 1 << 16 and wide < 1 << 16),
            ("product-beyond-24", top >= 1 << 24),
            ("factor-beyond-24", any(s >= 1 << 24 and 0 < x <= 1 for x, s in used)),
            ("index-beyond-31", most >= 1 << 31),
            ("bytes-beyond-32", most >= 0 and most * one.step >= 1 << 32),
            ("sum-wraps", bool((index == Ended.WRAPPED.value).any())),
            ("span-product-wraps", inner > 0xFFFF_FFFF and state.v is not None and not state.v.has_dimensions),
            ("stride-unused", len(block) and any(s >= 1 << 16 and x == 0 for x, s in used)),
            ("offset-plus-coordinate", far),
            ("dimension-beyond-31", max(t.layout_dimension, default=0) > HIGHEST),
        )
    return found


def mode_destination(one: TensorFacts) -> Answer:
    """Into which use clamped elements go, and who takes them."""
    if not one.beyond or not one.load:
        return None
    users = one.known.users(one.matrix.name, one.place)
    kinds = {type(user.instruction).__name__ for user in users}
    same = any(getattr(user.instruction, "tensor", None) == one.access.tensor for user in users)
    return every(
        ("a-product", any(getattr(user.instruction, "a", None) == one.matrix.name for user in users)),
        ("b-product", any(getattr(user.instruction, "b", None) == one.matrix.name for user in users)),
        ("c-product", any(getattr(user.instruction, "c", None) == one.matrix.name for user in users)),
        ("stored", "Store" in kinds),
        ("stored-clamped", same and "StoreTensor" in kinds),
    )


def decode_clamp(one: TensorFacts) -> Answer:
    """A decode function and elements out of bounds."""
    modes = ("", "constant", "edge", "repeat", "mirror")
    pairs = list(zip(one.t.layout_dimension, one.t.block_size, strict=True))
    inside = False
    for state in one.states:
        _, above = one.outside(state)
        c = one.coordinates(state)
        for d, (dim, size) in enumerate(pairs):
            taken = c[:, d][above[:, d]]
            inside |= size > 1 and dim % size != 0 and bool((taken // size == dim // size).any())
    name = modes[one.mode] if 0 < one.mode < len(modes) else ""
    return every(("in-bounds", not one.beyond), (name, one.beyond and name), ("partial-block-inside", inside))


LOOKS: dict[str, Look] = {
    "slice-place": of_tensor(slice_place),
    "out-of-bounds-axes": of_tensor(out_axes),
    "out-of-bounds-side": of_tensor(out_side),
    "out-of-bounds-distance": of_tensor(out_distance),
    "out-of-bounds-share": of_tensor(out_share),
    "undefined-mode-in-bounds": of_tensor(undefined_mode),
    "mirror-arithmetic": of_tensor(mirror),
    "index-arithmetic": of_tensor(arithmetic),
    "clamped-load-destination": of_tensor(mode_destination),
    "decode-and-clamp": of_tensor(decode_clamp),
}
"""Axis -> how its class is seen."""
