"""The axes of block sizes: their shape, partial blocks, blocks against slices."""

from __future__ import annotations

from math import gcd

from mmaspec.strategies.axes.observation import Answer, Look
from mmaspec.strategies.nv_coopmat2.observations.accesses import TensorFacts, of_tensor
from mmaspec.strategies.nv_coopmat2.observations.facts import every, first
from mmaspec.strategies.nv_coopmat2.observations.tensors.layouts import implied, short


def blocks(one: TensorFacts) -> Answer:
    """Which dimensions have a block size above 1."""
    sizes = one.t.block_size
    large = [d for d in one.ranks if sizes[d] != 1]
    if not large:
        return "explicit-ones" if one.blocked else "none"
    middle = len(large) == 1 and 0 < large[0] < one.rank - 1
    two = len(large) == 2
    return every(
        ("inner", large == [one.rank - 1]),
        ("outer", large == [0] and one.rank > 1),
        ("middle", middle),
        ("square", two and sizes[large[0]] == sizes[large[1]]),
        ("rectangle", two and sizes[large[0]] != sizes[large[1]]),
        ("all", len(large) == one.rank),
    )


def block_power(one: TensorFacts) -> Answer:
    """Whether block sizes are powers of two."""
    large = [size for size in one.t.block_size if size != 1]
    return every(
        ("powers", large and all(size and size & (size - 1) == 0 for size in large)),
        ("odd", any(size % 2 for size in large)),
        ("even-no-power", any(size % 2 == 0 and size & (size - 1) for size in large)),
        ("zero", 0 in large),
    )


def partial(one: TensorFacts) -> Answer:
    """Dimensions that are no multiple of their block size."""
    pairs = list(zip(one.t.layout_dimension, one.t.block_size, strict=True))
    over = [d for d, (dim, size) in enumerate(pairs) if size and dim % size]
    inner = one.rank - 1
    explicit = one.strided
    whole = not any(short(one))
    packed = implied(one) == one.t.stride
    return every(
        ("none", not over),
        ("inner-implicit", inner in over and not explicit),
        ("inner-explicit", inner in over and explicit),
        ("inner-minimum", inner in over and explicit and packed and whole),
        ("outermost", 0 in over and one.rank > 1),
        ("middle", any(0 < d < inner for d in over) and not explicit),
        ("smaller-than-block", any(0 < dim < size for dim, size in pairs)),
        ("one-over", any(size > 1 and dim % size == 1 for dim, size in pairs)),
        ("one-under", any(size > 2 and dim % size == size - 1 for dim, size in pairs)),
    )


def against_slice(one: TensorFacts) -> Answer:
    """The slice against blocks."""
    if not any(size > 1 for size in one.t.block_size) or 0 in one.t.block_size:
        return None
    found: tuple[str, ...] = ()
    for state in one.states:
        t = state.t
        large = [(t.offset[d], t.span[d], t.block_size[d]) for d in one.ranks if t.block_size[d] > 1]
        within = state.found.within[state.found.index >= 0]
        far = bool(within.size and within.any()) and one.beyond and one.mode > 1
        found += every(
            ("aligned", all(o % size == 0 and span % size == 0 for o, span, size in large)),
            ("starts-inside", any(o % size for o, _, size in large)),
            ("ends-inside", any((o + span) % size for o, span, size in large)),
            ("within-one", all(span and o // size == (o + span - 1) // size for o, span, size in large)),
            ("coprime", all(gcd(o, size) == 1 and gcd(span, size) == 1 and o for o, span, size in large)),
            ("clamped-into-block", far),
            ("larger-than-matrix", any(s > max(one.matrix.rows, one.matrix.cols) for _, _, s in large)),
        )
    return found


def without_decode(one: TensorFacts) -> Answer:
    """Block sizes without a decode function."""
    if one.load:
        if one.access.decode is not None:
            return "no-blocks" if set(one.t.block_size) <= {1} and not one.blocked else None
        large = any(size > 1 for size in one.t.block_size)
        return first(("no-blocks", not large), ("load-blocks-view", one.access.view is not None), ("load-blocks", True))
    large = any(size > 1 for size in one.t.block_size)
    return first(("store-blocks", large), ("store-ones", one.blocked), ("no-blocks", True))


LOOKS: dict[str, Look] = {
    "block-shape": of_tensor(blocks),
    "block-power": of_tensor(block_power),
    "partial-block": of_tensor(partial),
    "block-against-slice": of_tensor(against_slice),
    "blocks-without-decode": of_tensor(without_decode),
}
"""Axis -> how its class is seen."""
