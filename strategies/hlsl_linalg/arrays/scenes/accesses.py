"""Scenes of matrices in buffers: long strides, far offsets, waves that overlap, and what lies there before."""

from __future__ import annotations

from typing import Any

from mmaspec.programs.base import Affine
from mmaspec.programs.hlsl_linalg.components import COMPONENTS
from mmaspec.programs.hlsl_linalg.program import Barrier, InterlockedAccumulate, Layout, Load, Matrix, Scope, Store
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.hlsl_linalg.arrays.scenes.places import (
    TILE,
    added,
    alone,
    ended,
    loaded,
    span,
    up_to_tile,
)
from mmaspec.strategies.hlsl_linalg.arrays.scenes.scene import Scene, array_of
from mmaspec.strategies.hlsl_linalg.arrays.workshop import Workshop
from mmaspec.strategies.hlsl_linalg.builder.accesses import lines_of, store
from mmaspec.strategies.hlsl_linalg.builder.program import element_bytes
from mmaspec.strategies.hlsl_linalg.builder.shared_arrays import held
from mmaspec.strategies.hlsl_linalg.builder.sizes import DEEPEST_GROUP

Context = DrawContext[Any]
BITS_12 = 1 << 12
BITS_16 = 1 << 16
BATCH = 2
MOST_SIDE = 8
"""Rows and columns of most matrices here."""
WORD = 4


def _accumulator(shop: Workshop, scope: Scope = "Wave") -> Matrix:
    component = shop.context.row.entry.answer.component
    return shop.matrix(component, "Accumulator", scope)


def _long_stride(shop: Workshop) -> int:
    return BITS_12 + 16 * shop.b.choices.integer(1, 16)


def strides(context: Context) -> Draft | None:
    """Loads and Stores whose lines are 4,096 bytes apart, and further."""
    shop = Workshop(context)
    ways: tuple[tuple[int, Layout], ...] = ((BITS_12, "ColMajor"), (_long_stride(shop), "RowMajor"))
    for stride, layout in ways:
        matrix = _accumulator(shop)
        offset = TILE * shop.b.choices.integer(0, 3)
        loaded(shop, matrix, offset, stride, layout)
        room = alone(shop, "to", offset + span(matrix, layout, stride))
        shop.add(Store(matrix.name, room, offset, stride, layout))
    return shop.draft("distinct", BATCH)


def before(context: Context) -> Draft | None:
    """Waves that load what overlaps; Stores over data, over what was stored, and over what was added."""
    shop = Workshop(context, 2)
    matrix = _accumulator(shop)
    lines, line = lines_of(matrix, "RowMajor")
    wide = up_to_tile(line)
    loaded(shop, matrix, Affine(0, wave=TILE), wide // 2 if line <= wide // 2 else wide)
    shop.add(store(shop.b, matrix, "out"))
    # What is stored begins in the middle of what was there, of which the first half stays.
    whole = span(matrix, "RowMajor", wide)
    for kind in ("data", "stored", "added"):
        there, new = _accumulator(shop), _accumulator(shop)
        step = 2 * lines * wide
        room = alone(shop, kind, step + whole + lines // 2 * wide)
        where = (room, Affine(0, wave=step), wide)
        if kind == "data":
            shop.add(Load(there.name, *where, data=there.name), store(shop.b, there, "out"))
        else:
            shop.give(there, "load")
            if kind == "added":
                shop.add(
                    Load(shop.matrix(there.component, "Accumulator", "Wave").name, *where, data=shop.name("under"))
                )
                shop.add(Barrier(), InterlockedAccumulate(there.name, *where))
            else:
                shop.add(Store(there.name, *where))
        shop.give(new, "load")
        shop.add(Barrier(), Store(new.name, room, Affine(lines // 2 * wide, wave=step), wide))
    return shop.draft("small", BATCH)


def far_sums(context: Context) -> Draft | None:
    """Sums 4,096 and 65,536 bytes into a buffer, of lines 4,096 bytes apart and further, of waves that overlap."""
    shop = Workshop(context, 2)
    group: Scope = "ThreadGroup"
    matrices = [_accumulator(shop, group) for _ in range(2)]
    overlapping = _accumulator(shop)
    for matrix in (*matrices, overlapping):
        shop.give(matrix, "load")
    line = lines_of(overlapping, "RowMajor")[1]
    added(shop, matrices[0], BITS_12, BITS_12)
    added(shop, matrices[1], BITS_16 + TILE * shop.b.choices.integer(0, 7), _long_stride(shop), "ColMajor")
    added(shop, overlapping, Affine(TILE, wave=TILE), up_to_tile(2 * line) // 2)
    return shop.draft("small", BATCH)


def ends_of_sums(context: Context) -> Draft | None:
    """Integers at the ends of their range added to others, to what the program does not know, and of them one alone."""
    shop = Workshop(context)
    unknown, whole, cut = (_accumulator(shop) for _ in range(3))
    for matrix in (unknown, whole, cut):
        shop.give(matrix, "load")
    stride = lines_of(whole, "RowMajor")[1]
    apart = 2 * stride  # what lies between has to stay
    there = alone(shop, "unknown", span(unknown, "RowMajor", apart))
    shop.add(InterlockedAccumulate(unknown.name, there, 0, apart))
    added(shop, whole, 0, stride)
    size = element_bytes(cut.component)
    room = alone(shop, "cut", TILE + size)
    shop.add(held(shop.b, cut.component, room, TILE, size), Barrier())
    shop.add(InterlockedAccumulate(cut.name, room, TILE, stride))
    return ended(shop.draft("edges", BATCH), {room: TILE + size})


def deepest(context: Context) -> Draft | None:
    """A matrix of a group with the largest K that there is, moved from one buffer to another."""
    shop = Workshop(context, 2)
    component = shop.context.row.entry.answer.component
    side = shop.sides("square", (component, "A"))[0]
    matrix = shop.matrix(component, "A", "ThreadGroup", (side, DEEPEST_GROUP))
    shop.give(matrix, "load")
    shop.add(store(shop.b, matrix, "out"))
    return shop.draft("distinct", 1)


def _is_word(answer: Any) -> bool:
    return COMPONENTS[answer.component].format.bits == 8 * WORD and not COMPONENTS[answer.component].format.is_float


ACCESSES = array_of(
    "rare-accesses",
    ("LINALG-LOAD-ADDR", "LINALG-STORE-ONLY-ELEMS", "LINALG-ACC-ADD", "LINALG-ATOMIC", "LINALG-OOB-ACC"),
    {
        "long-strides": Scene(strides, "matrix"),
        "over-content": Scene(before, "matrix-sums"),
        "far-sums": Scene(far_sums, "matrix-sums"),
        "ends-of-sums": Scene(ends_of_sums, "matrix-sums", _is_word),
        "deepest": Scene(deepest, "matrix"),
    },
)
"""Accesses of buffers."""
