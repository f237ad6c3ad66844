"""Operations on filled objects: single values at which casts, roundings and products of bytes go wrong."""

from __future__ import annotations

from typing import Any

from mmaspec.oracle.hlsl_wave_matrix.addresses import element_bytes, memory_row_bytes
from mmaspec.oracle.spec import Row, spec_named
from mmaspec.programs.base import FromBuffer, Literal
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import (
    Add,
    ElementType,
    Fill,
    Instruction,
    Load,
    Matrix,
    MatrixKind,
    MultiplyAccumulate,
    ScalarAdd,
    ScalarMultiply,
    Store,
    SumAccumulate,
)
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.hlsl_wave_matrix.arrays.packed import one_of_each
from mmaspec.strategies.hlsl_wave_matrix.arrays.workshop import Workshop
from mmaspec.strategies.hlsl_wave_matrix.builder.program import ProgramBuilder, Room

CASTS: dict[str, tuple[tuple[ElementType, int, int], ...]] = {
    "f16": (
        ("f32", 0x3F801000, 0),  # halfway between 1 and the next half
        ("f32", 0x3F803000, 0),  # halfway, the upper neighbour even
        ("f32", 0x33C00000, 0),  # halfway between subnormal halves
        ("f32", 0x477FE000, 0),  # 65504
        ("f32", 0x477FE600, 0),  # 65510
        ("f32", 0x477FF000, 0),  # 65520
        ("f32", 0x47800000, 0xFBFF),  # 65536 to -65504
        ("s32", 65504, 0),
        ("s32", 65510, 0),
        ("s32", -65510 & 0xFFFFFFFF, 0),
    ),
    "f32": (("f16", 0x0001, 0), ("s32", 0x01000001, 0)),
    "s32": (("f32", 0x4EFFFFFF, 0), ("f32", 0xCEFFFFFF, 0), ("f32", 0xCF000000, 0), ("f16", 0x7BFF, 1)),
}
"""Element of the object -> element and bits of an addend, and the bits of the object before."""
ADDENDS: tuple[MatrixKind, ...] = ("accumulator", "left-col-acc", "right-row-acc")
ROUNDED = {
    "f16": ((0x3C01, 0x3C01, 0xBC02), (0x7BFF, 0x3C00, 0x4C00)),
    "f32": ((0x3F800001, 0x3F800001, 0xBF800002), (0x7F7FFFFF, 0x3F800000, 0x73000000)),
}
"""Element -> bits of an object, what it is multiplied by, and what is then added.

First what one rounding would leave and two do not; then the largest number and half a unit more.
"""
FILLS = {
    "f16": (0x8000, 0x7C00, 0xFC00, 0x7E00, 0x7C01, 0xFFFF, 0x7BFF, 0x3BFF),
    "f32": (0x8000_0000, 0x7F80_0000, 0xFF80_0000, 0x7FC0_0000, 0x7F80_0001, 0xFFFF_FFFF, 0x7F7F_FFFF, 0x3F7F_FFFF),
    "s32": (0x8000_0000, 0x7FFF_FFFF, 0xFFFF_FFFF, 0x0100_0001),
}
"""Element -> bits that it is filled with: a zero with a sign, infinities, NaN of each kind, numbers of full width."""
EXTREMES = {"s8": (0x80, 0x7F), "u8": (0xFF, 0xFF)}
"""The bytes of which products are largest, and those of other signs."""

CROSSED = 4096
"""A place in a view that 12 bits do not reach."""
DWORD = 4


def _filled(shop: Workshop, kind: MatrixKind, element: ElementType, bits: int) -> Matrix:
    matrix = shop.matrix(kind, element)
    shop.body.append(Fill(matrix.name, Literal(bits)))
    return matrix


def _built(context: DrawContext[WaveMmaCaps], _: Chosen) -> Draft | None:
    shop = Workshop(ProgramBuilder(context))
    shape = shop.builder.shape
    if not shop.builder.agrees():
        shop.factors()
    every: tuple[Row[Any], ...] = tuple(spec_named("hlsl-wave-matrix").rows(context.caps))
    known = {row.entry.accumulator for row in every if (row.entry.answer.m, row.entry.answer.n) == (shape.m, shape.n)}
    for bits in FILLS.get(shape.accumulator, ()):
        shop.use(_filled(shop, "accumulator", shape.accumulator, bits), "buffer-row")
    _upper_half(shop)
    for element, bits, before in CASTS[shape.accumulator]:
        for kind in ADDENDS if element in known else ():
            total = _filled(shop, "accumulator", shape.accumulator, before)
            shop.body.append(Add(total.name, _filled(shop, kind, element, bits).name))
            shop.use(total, "buffer-row")
    for first, factor, addend in ROUNDED.get(shape.accumulator, ()):
        total = _filled(shop, "accumulator", shape.accumulator, first)
        shop.body += [ScalarMultiply(total.name, Literal(factor)), ScalarAdd(total.name, Literal(addend))]
        shop.use(total, "buffer-row")
    for one in shape.elements:
        for other in shape.elements:
            for number in (0, 1):
                _product(shop, one, other, number)
    _crossing(shop)
    if not shop.builder.agrees():
        return None
    body: list[Instruction] = shop.body
    return shop.builder.draft(body, "distinct", batch=1)


def _upper_half(shop: Workshop) -> None:
    """Objects of halves filled with one in the upper part of a dword, of whose lower part nothing is known."""
    if "f16" in shop.builder.shape.elements:
        shop.builder.rooms["halves"] = Room("halves", 16, 2 * DWORD, read_only=True)
        for kind in ("left", "right"):
            half = shop.matrix(kind)
            shop.body.append(Fill(half.name, FromBuffer("halves", DWORD + 2, "halves")))
            shop.use(half, "buffer-row")


def _crossing(shop: Workshop) -> None:
    """Moved where the last element alone lies beyond what bits of its neighbours reach."""
    builder, total = shop.builder, shop.matrix("accumulator")
    size, row = element_bytes(total), memory_row_bytes(total, 0)
    if size == DWORD:
        matrix = total.rows * row
        last = max(CROSSED, 1 << (matrix - 1).bit_length())
        for name in ("crossing-in", "crossing-out"):
            builder.rooms[name] = Room(name, 16, last + size, read_only=name == "crossing-in")
        there = last + size - matrix, row
        shop.body += [Load(total.name, "crossing-in", *there, data=total.name)]
        shop.body += [Store(total.name, "crossing-out", *there)]


def _product(shop: Workshop, one: ElementType, other: ElementType, number: int) -> None:
    """Factors that are alike throughout: the extreme bytes, or zeros; with sums of them into small fragments."""
    factors = []
    sides: tuple[tuple[MatrixKind, ElementType], ...] = (("left", one), ("right", other))
    for kind, element in sides:
        byte = EXTREMES.get(element, (0, 0))[number if kind == "right" else 0]
        factors.append(_filled(shop, kind, element, byte * 0x01010101))
    total = _filled(shop, "accumulator", shop.builder.shape.accumulator, 0)
    shop.body.append(MultiplyAccumulate(total.name, *(factor.name for factor in factors)))
    shop.use(total, "buffer-row")
    if one in EXTREMES:
        fragment = _filled(shop, "left-col-acc", shop.builder.shape.accumulator, 1)
        shop.body.append(SumAccumulate(fragment.name, factors[0].name))
        shop.use(fragment, "buffer-row")


def _fits(row: Row[Any], caps: WaveMmaCaps, axis: str, name: str) -> bool:
    del name
    return axis != "values" or row in one_of_each(caps, 0)


FIXED = Array(
    name="fixed-values",
    focus=("WM-ADD-CAST", "WM-SCALAR-OPS", "WM-INT-EXACT", "WM-MAC", "WM-SUMACC-LEFT"),
    axes={"values": ("fixed",)},
    build=_built,
    fits=_fits,
)
"""Single values."""
