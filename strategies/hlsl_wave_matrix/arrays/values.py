"""All operations on data of one regime: patterns, special values and where they stand, the ends of ranges."""

from __future__ import annotations

from typing import Any

from mmaspec.oracle.hlsl_wave_matrix.addresses import memory_row_bytes
from mmaspec.oracle.spec import Row
from mmaspec.programs.base import FromBuffer
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import (
    Add,
    Fill,
    Load,
    Matrix,
    MatrixKind,
    Multiply,
    MultiplyAccumulate,
    SumAccumulate,
    is_packed,
)
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.hlsl_wave_matrix.arrays.buffer_places import end
from mmaspec.strategies.hlsl_wave_matrix.arrays.operations import SCALAR_OPS
from mmaspec.strategies.hlsl_wave_matrix.arrays.packed import one_of_each
from mmaspec.strategies.hlsl_wave_matrix.arrays.workshop import Workshop
from mmaspec.strategies.hlsl_wave_matrix.builder.program import FRAGMENT_NAMES, ProgramBuilder, Room
from mmaspec.strategies.hlsl_wave_matrix.builder.shared_arrays import GROUP_BYTES, fitting

SIDES: tuple[tuple[MatrixKind, MatrixKind], ...] = (("left", "left-col-acc"), ("right", "right-row-acc"))
FRAGMENTS: tuple[MatrixKind, MatrixKind] = ("left-col-acc", "right-row-acc")
MOVED: tuple[MatrixKind, ...] = ("left", "right", "accumulator", *(kind for kind, _ in FRAGMENT_NAMES))
ITEMS = {"patterned": 25, "marked": 26, "brinks": 26}
"""Items with which most of a regime is shown: one thing an item."""
LARGEST = 2048
"""Elements of a matrix beyond which a case has fewer items, and of one way only."""


def _built(context: DrawContext[WaveMmaCaps], chosen: Chosen) -> Draft | None:
    shop = Workshop(ProgramBuilder(context))
    size = shop.builder.shape.m * shop.builder.shape.n
    _products(shop)
    _others(shop)
    _moved(shop)
    items = ITEMS[chosen["data"]]
    return fitting(shop.builder.draft(shop.body, chosen["data"], batch=items if size <= LARGEST else items // 4))


def _products(shop: Workshop) -> None:
    """Both products of the same factors, and their sums."""
    left, right = shop.matrix("left"), shop.matrix("right")
    shop.give(left, "buffer-row")
    shop.give(right, "buffer-col")
    for method in (Multiply, MultiplyAccumulate):
        total = _fresh(shop, "accumulator")
        shop.body.append(method(total.name, left.name, right.name))
        shop.use(total, "buffer-row")
    for factor, kind in zip((left, right), FRAGMENTS, strict=True):
        fragment = _fresh(shop, kind)
        shop.body.append(SumAccumulate(fragment.name, factor.name))
        shop.use(fragment, "buffer-row")


def _others(shop: Workshop) -> None:
    """Additions of every kind, and every operation with a scalar."""
    if not shop.builder.agrees():
        shop.factors()
    kinds: tuple[MatrixKind, ...] = ("accumulator", *FRAGMENTS)
    for kind in kinds:
        total, addend = _fresh(shop, "accumulator"), _fresh(shop, kind)
        shop.body.append(Add(total.name, addend.name))
        shop.use(total, "buffer-col")
    for number, method in enumerate(SCALAR_OPS.values()):
        matrix = _fresh(shop, "accumulator" if number % 2 else SIDES[number // 2][1])
        value = shop.builder.scalar(matrix)
        if isinstance(value, FromBuffer) and FORMATS[matrix.element].nbytes == 2 and shop.builder.choices.chance(50):
            value = FromBuffer(value.buffer, value.offset + 2, value.data)  # the upper half of a dword
        shop.body.append(shop.builder.scaled(method, matrix, value))
        shop.use(matrix, "buffer-row")
    _filled_with_an_element(shop)


def _filled_with_an_element(shop: Workshop) -> None:
    """A Left of bytes filled with an element of a matrix that is loaded as well."""
    builder = shop.builder
    left, total = shop.matrix("left"), shop.matrix("accumulator")
    if is_packed(left):
        row, name = memory_row_bytes(total, 0), "elements"
        builder.rooms[name] = Room(name, 32, end(total, 4, row, 0), builder.choices.chance(50))
        # Of its own data, as the four bytes have to be equal; the Load finds them in its second row.
        shop.body += [Fill(left.name, FromBuffer(name, 12 + row, name)), Load(total.name, name, 4, row)]
        for matrix in (left, total):
            shop.use(matrix, "buffer-row")


def _moved(shop: Workshop) -> None:
    """Through groupshared arrays, which no value may change."""
    left = GROUP_BYTES
    for kind in MOVED:
        matrix = Matrix("", kind, shop.builder.shape.accumulator, shop.builder.shape.m, shop.builder.shape.n, 32)
        left -= 2 * 4 * matrix.rows * matrix.cols
        if left >= 0:
            moved = shop.matrix(kind)
            shop.give(moved, "array-row")
            shop.use(moved, "array-col")


def _fresh(shop: Workshop, kind: MatrixKind) -> Matrix:
    matrix = shop.matrix(kind)
    shop.give(matrix, "buffer-row")
    return matrix


def _fits(row: Row[Any], caps: WaveMmaCaps, axis: str, name: str) -> bool:
    return axis != "data" or row in one_of_each(caps, [*ITEMS].index(name))


VALUES = Array(
    name="values",
    focus=(
        "WM-MUL", "WM-MAC", "WM-FP-NAN", "WM-INT-EXACT", "WM-SUMACC-LEFT", "WM-SUMACC-RIGHT", "WM-ADD-FULL",
        "WM-SCALAR-OPS", "WM-DIVIDE-INT", "WM-TILING", "WM-ROUNDTRIP",
    ),
    axes={"data": tuple(ITEMS)},
    build=_built,
    fits=_fits,
)  # fmt: skip
"""Every operation on every type on every regime; each regime in rows of another size."""


def _bits(context: DrawContext[WaveMmaCaps], chosen: Chosen) -> Draft:
    """Matrices of every kind from buffer to buffer, on data of which no bit may change: NaNs, ends, patterns."""
    shop = Workshop(ProgramBuilder(context))
    for number, kind in enumerate(MOVED):
        matrix = shop.matrix(kind)
        shop.give(matrix, "buffer-row")
        shop.use(matrix, "buffer-col" if number % 2 else "buffer-row")
    return shop.builder.draft(shop.body, chosen["data"], batch=ITEMS[chosen["data"]])


def _bits_fit(row: Row[Any], caps: WaveMmaCaps, axis: str, name: str) -> bool:
    del name
    return axis != "data" or row in one_of_each(caps, 0)


MOVED_BITS = Array(
    name="moved-bits",
    focus=("WM-LOAD-ALL", "WM-STORE-ALL", "WM-ROUNDTRIP", "WM-ADDR-FRAG"),
    axes={"data": tuple(ITEMS)},
    build=_bits,
    fits=_bits_fit,
)
"""What is only moved."""
