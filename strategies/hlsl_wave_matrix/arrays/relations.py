"""What operations have in common with those before and after them: chains, shared operands, memory in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from mmaspec.oracle.hlsl_wave_matrix.addresses import memory_row_bytes
from mmaspec.oracle.spec import Row
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import (
    Add,
    Instruction,
    Load,
    Matrix,
    MatrixKind,
    Multiply,
    MultiplyAccumulate,
    Repeat,
    Store,
    SumAccumulate,
)
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.hlsl_wave_matrix.arrays.operations import regime_of
from mmaspec.strategies.hlsl_wave_matrix.arrays.packed import one_of_each
from mmaspec.strategies.hlsl_wave_matrix.arrays.workshop import Workshop
from mmaspec.strategies.hlsl_wave_matrix.builder.program import ProgramBuilder, Room
from mmaspec.strategies.hlsl_wave_matrix.builder.shared_arrays import fitting

LONG = 260
"""Passes of a chain that is longer than 8 bits count."""
MIDDLE = 18
STEP = 6
"""Bytes from a half of a fragment to the next: with others 4 and 8 bytes on, every dword holds halves of two."""


def _given(shop: Workshop, *kinds: str) -> list[Matrix]:
    matrices = [shop.matrix(kind) for kind in kinds]  # type: ignore[arg-type]
    for matrix in matrices:
        shop.give(matrix, "buffer-row")
    return matrices


def _chains(shop: Workshop) -> None:
    """Products and sums into one object, many times; products of other factors into one accumulator."""
    left, right, total, column, row = _given(shop, "left", "right", "accumulator", "left-col-acc", "right-row-acc")
    # Of floats they leave few bits for data that is exact.
    for count in (MIDDLE, LONG) if "int" in shop.builder.context.row.tags else (MIDDLE,):
        shop.body.append(Repeat(count, (MultiplyAccumulate(total.name, left.name, right.name),)))
    shop.body.append(Repeat(MIDDLE, (SumAccumulate(column.name, left.name), SumAccumulate(row.name, right.name))))
    others = [shop.matrix("left", left.element), shop.matrix("right", right.element)]
    for one in others:
        shop.give(one, "buffer-row")
    shop.body.append(MultiplyAccumulate(total.name, *(one.name for one in others)))
    for element in shop.builder.shape.elements:
        signed = [shop.matrix(kind, element) for kind in ("left", "right")]
        for one in signed:
            shop.give(one, "buffer-row")
        shop.body.append(MultiplyAccumulate(total.name, *(one.name for one in signed)))
        shop.body.append(SumAccumulate(column.name, signed[0].name))
    for left_type, right_type in ((0, -1), (-1, 0)):
        # Directly after the product, where the other factor may be of another sign.
        first = shop.matrix("left", shop.builder.shape.elements[left_type])
        second = shop.matrix("right", shop.builder.shape.elements[right_type])
        for factor in (first, second):
            shop.give(factor, "buffer-row")
        product = MultiplyAccumulate(total.name, first.name, second.name)
        shop.body += [product, SumAccumulate(column.name, first.name), product, SumAccumulate(row.name, second.name)]
    for matrix in (total, column, row):
        shop.use(matrix, "buffer-row")


def _long(shop: Workshop) -> None:
    """Very many products into one accumulator of floats, and nothing else."""
    left, right, total = _given(shop, "left", "right", "accumulator")
    shop.body.append(Repeat(LONG, (MultiplyAccumulate(total.name, left.name, right.name),)))
    shop.use(total, "buffer-row")


def _repeated(shop: Workshop) -> None:
    """One operation twice in a row, with the operands that it had just before; nothing between them."""
    left, right, total, column, row, addend, second = _given(
        shop, "left", "right", "accumulator", "left-col-acc", "right-row-acc", "accumulator", "left-col-acc"
    )
    for one in (
        SumAccumulate(column.name, left.name),
        SumAccumulate(second.name, left.name),
        SumAccumulate(row.name, right.name),
        MultiplyAccumulate(total.name, left.name, right.name),
        Add(total.name, addend.name),
        Add(total.name, column.name),
    ):
        shop.body += [one, one]
    for matrix in (total, column, row, second):
        shop.use(matrix, "buffer-row")


def _memories(shop: Workshop) -> None:
    """Factors of the same bytes and of bytes that overlap; objects loaded from one place; results stored and loaded."""
    builder, shape = shop.builder, shop.builder.shape
    for shift in (0, 1):
        left, right, total = shop.matrix("left"), shop.matrix("right"), shop.matrix("accumulator")
        element = shape.elements[0]
        builder.matrices[-3:-1] = [replace(one, element=element) for one in builder.matrices[-3:-1]]
        line = memory_row_bytes(builder.matrices[-3], 0)
        name = f"both-{shift}"
        builder.rooms[name] = Room(name, 16, line * (max(shape.m, shape.n) + 1), read_only=True)
        shop.give(total, "buffer-row")
        shop.body += [
            Load(left.name, name, 0, line, 0, 0, f"{name}-rows"),
            # Its columns are the rows of the Left, so that the bytes are of one data where these are as many.
            Load(right.name, name, shift * line, line, 1, 0, None),
            MultiplyAccumulate(total.name, left.name, right.name),
        ]
        shop.use(total, "buffer-row")


def _interleaved(shop: Workshop) -> None:
    """Fragments of halves whose elements share dwords: three stores of which each must keep what the others wrote."""
    room = shop.builder.rooms["out"]
    for kind in ("left-col-acc", "right-row-acc", "left-col-acc"):
        size = 0
        for offset in (4, 0, 8):
            fragment = shop.matrix(kind)
            shop.give(fragment, "buffer-row")
            size = fragment.rows * fragment.cols
            shop.body.append(Store(fragment.name, "out", room.used + 4 + offset, STEP))
        room.used += -(-STEP * size // 4) * 4 + 16


def _additions(shop: Workshop) -> None:
    """Addends that are the object, change between two additions, or come from the memory of the object."""
    total, again, addend, changed = _given(shop, *["accumulator"] * 4)
    shop.body += [Add(total.name, total.name)] * 2
    shop.body += [Add(again.name, addend.name), Add(addend.name, again.name)]
    column, row = _given(shop, "left-col-acc", "right-row-acc")
    for one in (column, row, changed):
        shop.body.append(Add(total.name, one.name))
    shop.give(column, "buffer-row")
    shop.body.append(Add(total.name, column.name))
    factors = shop.factors()
    shop.body += [MultiplyAccumulate(changed.name, *factors), Add(changed.name, column.name)]
    shop.body.append(MultiplyAccumulate(changed.name, *factors))
    first, second = shop.matrix("accumulator"), shop.matrix("accumulator")
    load = shop.builder.load(first, "in")
    shop.body += [load, replace(load, matrix=second.name, data=None), Add(first.name, second.name)]
    for matrix in (total, again, addend, changed, first):
        shop.use(matrix, "buffer-row")


def _factors(shop: Workshop) -> None:
    """Sums and products of factors that come from arrays and Fills, and accumulators that a Fill gives to arrays."""
    for origin in ("array-row", "array-col", "fill"):
        left, right = shop.matrix("left"), shop.matrix("right")
        column, row = _given(shop, "left-col-acc", "right-row-acc")
        for factor, total in ((left, column), (right, row)):
            shop.give(factor, origin)
            shop.body.append(SumAccumulate(total.name, factor.name))
            shop.use(total, "array-fragment")
    total = shop.matrix("accumulator")
    for goes in ("array-row", "array-col", "array-fragment"):
        kind: MatrixKind = "left-col-acc" if goes == "array-fragment" else "accumulator"
        filled = shop.matrix(kind)
        shop.give(filled, "fill")
        shop.use(filled, goes)
    shop.body.append(Multiply(total.name, *shop.factors()))
    shop.use(total, "buffer-col")


Scene = Callable[[Workshop], None]
SCENES: Mapping[str, Scene] = MappingProxyType(
    {
        "chains": _chains, "repeated": _repeated, "memories": _memories, "additions": _additions, "factors": _factors,
        "interleaved": _interleaved, "long": _long,
    }
)  # fmt: skip


def _built(context: DrawContext[WaveMmaCaps], chosen: Chosen) -> Draft | None:
    shop = Workshop(ProgramBuilder(context))
    if not shop.builder.agrees():
        shop.factors()
    SCENES[chosen["scene"]](shop)
    body: list[Instruction] = shop.body
    return fitting(shop.builder.draft(body, regime_of(context.row), batch=2))


def _fits(row: Row[Any], caps: WaveMmaCaps, axis: str, name: str) -> bool:
    wanted = {"interleaved": row.entry.accumulator == "f16", "long": row.entry.answer.datatype == "float"}
    if axis == "scene" and not wanted.get(name, True):
        return False
    return axis != "scene" or row in one_of_each(caps, 0)


RELATIONS = Array(
    name="relations",
    focus=("WM-MAC", "WM-MUL", "WM-SUMACC-LEFT", "WM-SUMACC-RIGHT", "WM-ADD-FULL", "WM-ADD-COL", "WM-ADD-ROW"),
    axes={"scene": tuple(SCENES)},
    build=_built,
    fits=_fits,
)
"""Operations with something in common."""
