"""What a wave stored into a groupshared array loaded from there again, in either orientation and as either kind.

Each Store is followed by a barrier and a Load with the same offset and stride. Each access has an orientation of
its own, so that the reloaded matrix is the stored one only where both are alike; in the other orientation a square
one is transposed, as an oblong one is that is loaded with M and N exchanged. Where a Load reaches beyond what was
stored it finds what the array was staged with.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from msgspec.structs import replace

from mmaspec.oracle.hlsl_wave_matrix.addresses import least_stride
from mmaspec.oracle.spec import Row, spec_named
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import (
    Barrier,
    Instruction,
    Load,
    Matrix,
    Multiply,
    MultiplyAccumulate,
    SharedArray,
    Stage,
    Store,
)
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.hlsl_wave_matrix.arrays.buffer_places import lines
from mmaspec.strategies.hlsl_wave_matrix.arrays.operations import regime_of
from mmaspec.strategies.hlsl_wave_matrix.arrays.packed import one_of_each
from mmaspec.strategies.hlsl_wave_matrix.arrays.workshop import Workshop
from mmaspec.strategies.hlsl_wave_matrix.builder.program import ProgramBuilder, shape_of
from mmaspec.strategies.hlsl_wave_matrix.builder.shared_arrays import fitting

ORIENTATIONS = ((0, 0), (0, 1), (1, 0), (1, 1))
"""Of the Store and of the Load: alike and unlike."""
ROWED = ("left", "right", "accumulator")
"""The kinds of matrices that have an orientation."""
ARRAY = "kept"
Place = tuple[int, int]
"""Offset and stride, in elements of the array."""


def _place(shop: Workshop, stored: Matrix, loaded: Matrix, ways: tuple[int, int], *, padded: bool) -> Place:
    """One place for both accesses: a stride that both allow."""
    choices = shop.builder.choices
    least = max(least_stride(matrix, way, shared=True) for matrix, way in zip((stored, loaded), ways, strict=True))
    return choices.integer(0, 7), least + (choices.integer(1, 5) if padded else 0)


def _end(matrix: Matrix, way: int, place: Place) -> int:
    offset, stride = place
    return offset + (lines(matrix, way) - 1) * stride + least_stride(matrix, way, shared=True)


def _turned(matrix: Matrix, caps: WaveMmaCaps) -> Matrix | None:
    """The accumulator with M and N exchanged; None where it is square, or the device does not have it."""
    if matrix.kind != "accumulator" or matrix.m == matrix.n:
        return None
    rows: tuple[Row[Any], ...] = tuple(spec_named("hlsl-wave-matrix").rows(caps))
    known = {(shape_of(row).accumulator, row.entry.answer.m, row.entry.answer.n) for row in rows}
    return replace(matrix, m=matrix.n, n=matrix.m) if (matrix.element, matrix.n, matrix.m) in known else None


def _staged(shop: Workshop, length: int, element: Any) -> list[Instruction]:
    """The array, every element of which is known."""
    array = SharedArray(ARRAY, element, length + length % 2)  # halves are copied in whole dwords
    shop.builder.arrays.append(array)
    return [Stage(ARRAY, "in", shop.place("in", array), array.length, data="staged"), Barrier()]


def _moved(context: DrawContext[WaveMmaCaps], chosen: Chosen) -> Draft | None:
    """A matrix stored and loaded in both orientations each, close together and with padding."""
    shop = Workshop(ProgramBuilder(context))
    if not shop.builder.agrees():
        shop.factors()
    kinds = chosen["kinds"].split("-to-")
    shape = shop.builder.shape
    element = shape.accumulator if "accumulator" in kinds else context.choices.one_of(shape.elements)
    begin, length = len(shop.body), 0
    for ways, padded in product(ORIENTATIONS, (False, True)):
        stored, loaded = (shop.matrix(kind, element) for kind in kinds)  # type: ignore[arg-type]
        if padded and (turned := _turned(loaded, context.caps)) is not None and stored.kind == loaded.kind:
            loaded = shop.builder.matrices[-1] = turned
        place = _place(shop, stored, loaded, ways, padded=padded)
        length = max(length, _end(stored, ways[0], place), _end(loaded, ways[1], place))
        shop.give(stored, "buffer-row")
        shop.body += [Store(stored.name, ARRAY, *place, ways[0]), Barrier(), Load(loaded.name, ARRAY, *place, ways[1])]
        shop.use(loaded, "buffer-row")
        shop.body.append(Barrier())
    shop.body[begin:begin] = _staged(shop, length, element)
    return fitting(shop.builder.draft(shop.body[:-1], "distinct", batch=2))


def _fused(context: DrawContext[WaveMmaCaps], chosen: Chosen) -> Draft | None:
    """A product that is stored, and loaded as a factor of the next one."""
    shop = Workshop(ProgramBuilder(context))
    left, right = shop.factors()
    begin, length = len(shop.body), 0
    for ways in ORIENTATIONS:
        total, second = shop.matrix("accumulator"), shop.matrix("accumulator")
        factor = shop.matrix(chosen["loaded-kind"], total.element)  # type: ignore[arg-type]
        place = _place(shop, total, factor, ways, padded=context.choices.chance(50))
        length = max(length, _end(total, ways[0], place), _end(factor, ways[1], place))
        shop.give(second, "buffer-row")
        shop.body += [
            Multiply(total.name, left, right),
            Store(total.name, ARRAY, *place, ways[0]),
            Barrier(),
            Load(factor.name, ARRAY, *place, ways[1]),
            MultiplyAccumulate(second.name, *((factor.name, right) if factor.kind == "left" else (left, factor.name))),
        ]
        shop.use(second, "buffer-row")
        shop.body.append(Barrier())
    shop.body[begin:begin] = _staged(shop, length, shop.builder.shape.accumulator)
    return fitting(shop.builder.draft(shop.body[:-1], regime_of(context.row), batch=2))


def _one_type(row: Row[Any]) -> bool:
    """Whether factors and sums have one type of elements, so that one array may hold both (WM-GS-TYPE-MATCH)."""
    shape = shape_of(row)
    return shape.accumulator in shape.elements


def _fits(row: Row[Any], caps: WaveMmaCaps, axis: str, name: str) -> bool:
    """Accumulators in every row, factors in one row of each type; both in two rows of those that have one type."""
    if axis != "kinds" or name == "accumulator-to-accumulator":
        return True
    if "accumulator" in name:
        return _one_type(row) and any(row in one_of_each(caps, turn) for turn in (0, 1))
    return row in one_of_each(caps, 0)


def _chains(row: Row[Any], caps: WaveMmaCaps, axis: str, name: str) -> bool:
    del caps, name
    return axis != "loaded-kind" or _one_type(row)


RELOADS = Array(
    name="reloads",
    focus=("WM-STORE-TRANSPOSE", "WM-ADDR-GS", "WM-ADDR-COL", "WM-ADDR-ROW", "WM-ROUNDTRIP"),
    axes={"kinds": tuple(f"{one}-to-{other}" for one, other in product(ROWED, repeat=2))},
    build=_moved,
    fits=_fits,
)
"""Matrices that are only moved."""

FUSED = Array(
    name="fused-products",
    focus=("WM-ADDR-GS", "WM-STORE-TRANSPOSE", "WM-MAC"),
    axes={"loaded-kind": ("left", "right")},
    build=_fused,
    fits=_chains,
)
"""Sums that become factors."""
