"""The axes of tensor accesses about the matrix against the tensor, and about the places of its rows in memory."""

from __future__ import annotations

from itertools import pairwise
from math import gcd, prod

import numpy as np

from mmaspec.strategies.axes.observation import Answer, Look
from mmaspec.strategies.nv_coopmat2.observations.accesses import State, TensorFacts, of_tensor
from mmaspec.strategies.nv_coopmat2.observations.facts import every, first


def dimension(one: TensorFacts) -> Answer:
    """The tensor's innermost dimension against the matrix's columns."""
    if not one.rank or not one.dimensioned:
        return None
    dims, rows, cols = one.t.layout_dimension, one.matrix.rows, one.matrix.cols
    inner = dims[-1]
    channels = one.rank > 2 and any(prod(dims[d:]) in (rows, cols) for d in range(1, one.rank - 1))
    return every(
        ("equal", inner == cols),
        ("larger-by-one", inner == cols + 1),
        ("larger", cols + 1 < inner < 4 * cols),
        ("much-larger", inner >= 4 * cols),
        ("smaller-by-one", inner == cols - 1),
        ("smaller", inner < cols - 1),
        ("transposed", one.rank == 2 and dims == (cols, rows) and rows != cols),
        ("whole-product", inner == rows * cols),
        ("channels", channels),
    )


def span(one: TensorFacts) -> Answer:
    """The spans against rows and columns of the matrix."""
    found: tuple[str, ...] = ()
    rows, cols = one.matrix.rows, one.matrix.cols
    for state in one.states:
        spans, dims = state.t.span, state.t.layout_dimension
        if not spans:
            continue
        size, inner, whole = prod(spans), spans[-1], rows * cols
        found += every(
            ("exact", [word for word in spans if word != 1] == [word for word in (rows, cols) if word != 1]),
            ("default", not one.sliced),
            ("same-product", size == whole and inner != cols),
            ("inner-short", inner < cols),
            ("inner-long", inner > cols),
            ("inner-coprime", gcd(inner, cols) == 1 and inner > 1),
            ("outer-short", size < whole),
            ("outer-not-dividing", 0 < size < whole and whole % size),
            ("outer-long", size > whole),
            ("one", 1 in spans and one.sliced),
            ("all-one", set(spans) == {1}),
            ("huge", max(spans) > 1 << 31),
            ("beyond-dimension", any(a > b for a, b in zip(spans, dims, strict=True))),
            ("zero", 0 in spans),
        )
    return found


def offset(one: TensorFacts) -> Answer:
    """``elementOffset`` in bytes."""
    base = next(buffer.base for buffer in one.program.buffers if buffer.name == one.access.buffer)
    found: tuple[str, ...] = ()
    for state in one.states:
        where, row = state.base, (state.t.stride[-2] if one.rank > 1 else 0) * one.step
        low = min((o * s for o, s in zip(state.t.offset, state.t.stride, strict=True)), default=0)
        found += every(
            ("zero", where == 0),
            ("sixteen", where == 16),
            ("thirty-two", where in (32, 48)),
            ("more", where > 48 and where % 16 == 0),
            ("whole-rows", row and where and where % row == 0),
            ("unaligned", where % 16 and (where + base) % 16),
            ("aligned-with-base", where % 16 and (where + base) % 16 == 0),
            ("negative-slice-before", where > 0 and low < 0 and one.beyond),
        )
    return found


def alignment(one: TensorFacts) -> Answer:
    """The alignment of the rows that are accessed."""
    found: tuple[str, ...] = ()
    for state in one.states:
        where = one.bytes_of(state)
        starts = [int(row[row >= 0][0]) for row in where if (row >= 0).any()]
        if not starts:
            continue
        each = [min(word & -word, 16) if word else 16 for word in starts]
        least = min(each)
        names = {16: "sixteen", 8: "eight", 4: "four", 2: "two", 1: "one"}
        found += every(
            (names[least], True),
            ("first-only", each[0] == 16 and len(each) > 1 and all(word < 16 for word in each[1:])),
            ("changing", len(each) > 1 and all(a % 16 != b % 16 for a, b in pairwise(starts))),
        )
    return found


def run(one: TensorFacts) -> Answer:
    """Elements that follow each other in the matrix and in memory."""
    found: tuple[str, ...] = ()
    for state in one.states:
        where = one.bytes_of(state)
        there = where >= 0
        if not there.any():
            continue
        along = (np.diff(where, axis=1) == one.nbytes) & there[:, 1:] & there[:, :-1]
        down = (np.diff(where, axis=0) == one.nbytes) & there[1:] & there[:-1]
        whole = bool((np.diff(where.ravel()) == one.nbytes).all() and there.all())
        row, part = bool(along.all() and along.size), bool(along.any())
        column = bool(down.all() and down.size)
        found += every(
            ("whole-matrix", whole),
            ("row", row and not whole),
            ("part-of-row", part and not row),
            ("one", not part and not column),
            ("column", column),
        )
    return found


def overlap(one: TensorFacts) -> Answer:
    """Whether several elements of one store go to one place."""
    if one.load:
        return None
    repeated = [state for state in one.states if _repeats(one, state)]
    if not repeated:
        return "none"
    held = one.known.subject.held(one.matrix.name, one.place)
    if held is None:
        return None
    bits, certain = held.certain_bits()
    same = True
    for state in repeated[: one.program.waves]:
        where = one.bytes_of(state)
        values, sure = bits[:, state.wave], certain[:, state.wave]
        for address in np.unique(where[where >= 0]):
            mask = where == address
            if mask.sum() > 1:
                taken = values[:, mask]
                same &= bool(sure[:, mask].all() and (taken == taken[:, :1]).all())
    view = any(s.v is not None and s.v.has_dimensions and 0 in s.v.view_stride for s in repeated)
    return every(("same-values", same and not view), ("by-view", same and view), ("different-values", not same))


def _repeats(one: TensorFacts, state: State) -> bool:
    where = one.bytes_of(state)
    taken = where[where >= 0]
    return int(np.unique(taken).size) != int(taken.size)


def target(one: TensorFacts) -> Answer:
    """What the variable held before a load that nothing clips."""
    if not one.load or any(one.skipped(state).any() for state in one.states):
        return None
    makers = one.known.makers(one.matrix.name, one.place)
    turn = one.known.turn[one.place]
    between = [user for maker in makers for user in one.known.users(one.matrix.name, maker.place)]
    before = [user.instruction for user in between if one.known.turn[user.place] < turn]
    names = {type(each).__name__ for each in before}
    loads = [maker.instruction for maker in makers if type(maker.instruction).__name__ in ("Load", "LoadTensor")]
    return every(
        ("never-set", not makers),
        ("set", makers),
        ("operand-before", names - {"Store", "StoreTensor"}),
        ("stored-before", names & {"Store", "StoreTensor"}),
        ("loaded-twice", loads and not before),
    )


def presence(one: TensorFacts) -> Answer:
    """Which overload is called."""
    view, decode = one.access.view is not None, one.access.decode is not None
    return first(
        ("store-decode", decode and not one.load),
        ("view-and-decode", view and decode),
        ("decode", decode),
        ("view", view),
        ("neither", True),
    )


LOOKS: dict[str, Look] = {
    "dimension-against-matrix": of_tensor(dimension),
    "span-against-matrix": of_tensor(span),
    "element-offset": of_tensor(offset),
    "element-alignment": of_tensor(alignment),
    "contiguous-run": of_tensor(run),
    "overlapping-store": of_tensor(overlap),
    "tensor-load-target": of_tensor(target),
    "view-presence": of_tensor(presence),
}
"""Axis -> how its class is seen."""
