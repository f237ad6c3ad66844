"""Products behind products, products of several types or sizes in one program, addends of rare origin, large sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from mmaspec.oracle.nv_coopmat2.caps_support import other_kinds
from mmaspec.oracle.nv_coopmat2.program_support import beside
from mmaspec.oracle.nv_coopmat2.rows import rows
from mmaspec.oracle.spec import Row
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps, FlexibleSize, Property
from mmaspec.programs.nv_coopmat2.program import (
    SATURATING,
    USE_A,
    USE_ACCUMULATOR,
    USE_B,
    Convert,
    ElementFunction,
    Matrix,
    MulAdd,
    PerElement,
    Store,
    Transpose,
)
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.arrays.loops import found_in
from mmaspec.strategies.nv_coopmat2.arrays.origins import ORIGINS, of_type
from mmaspec.strategies.nv_coopmat2.arrays.programs.flows import flowing_row
from mmaspec.strategies.nv_coopmat2.builder.program import ProgramBuilder
from mmaspec.strategies.nv_coopmat2.features import CONVERTING, PER_ELEMENT, has
from mmaspec.strategies.nv_coopmat2.templates.operations import like
from mmaspec.strategies.nv_coopmat2.templates.plain import load, store


def _three(builder: ProgramBuilder, entry: Property) -> tuple[Matrix, Matrix, Matrix]:
    """Operands of a product as a property has them, loaded."""
    a = builder.typed(entry.a, entry.m, entry.k, USE_A)
    b = builder.typed(entry.b, entry.k, entry.n, USE_B)
    c = builder.typed(entry.c, entry.m, entry.n, USE_ACCUMULATOR)
    builder.add(*(found_in(builder, one) for one in (a, b, c)))
    return a, b, c


def _behind(builder: ProgramBuilder, way: str) -> bool:
    """The result of a product becomes an operand of the next."""
    a, b, c = _three(builder, builder.entry)
    first, last = like(builder, c), like(builder, c)
    shape = Matrix("", c.component, c.cols, c.rows, c.use, c.scope) if way == "transpose" else c
    operand = of_type(builder, (a if way == "a" else b).component, shape, USE_A if way == "a" else USE_B)
    wanted = a if way == "a" else b
    if operand is None or (operand.rows, operand.cols) != (wanted.rows, wanted.cols):
        return False
    if way == "transpose" and operand.component != c.component:
        return False
    builder.add(builder.mul_add(first, a, b, c))
    kind = Transpose if way == "transpose" else Convert
    builder.add(kind(operand.name, first.name))
    one, other = (operand, b) if way == "a" else (a, operand)
    builder.add(builder.mul_add(last, one, other, None if builder.choices.chance(50) else c))
    builder.add(store(builder, last), store(builder, first))
    return True


def others(caps: CoopMatCaps, own: Property, *, types: bool) -> list[Property]:
    """Properties for a second product in a program, of other types, or of the same types in other sizes."""
    if isinstance(own, FlexibleSize) and not types:
        sizes = ((own.m * rows, own.k * depth) for rows, depth in ((2, 3), (1, 3), (1, 2), (2, 1)))
        larger: list[Property] = [replace(own, m=m, k=k) for m, k in sizes if max(m, k) <= caps.maximum]
        return larger[:1]
    kinds = (own.a, own.b, own.c, own.result)
    found = [
        row.entry for row in rows(beside(caps, own)) if (row.entry.scope, type(row.entry)) == (own.scope, type(own))
    ]
    return [one for one in found if one != own and ((one.a, one.b, one.c, one.result) == kinds) != types]


def _mixed(builder: ProgramBuilder, *, types: bool) -> bool:
    """Two products that differ in their types, or in their sizes alone."""
    own, found = builder.entry, others(builder.caps, builder.entry, types=types)
    if not found:
        return False
    products: list[MulAdd] = []
    stores: list[Store] = []
    for entry in (own, builder.choices.one_of(found)):
        a, b, c = _three(builder, entry)
        products.append(MulAdd(c.name, a.name, b.name, c.name, SATURATING if entry.saturating else 0))
        stores.append(store(builder, c))
    # Both products before both stores, so that all operands are alive at once.
    builder.add(*products, *stores)
    return True


def _added(builder: ProgramBuilder, way: str) -> bool:
    """A product whose addend is one row everywhere, or came over a splat, or from another type."""
    a, b = builder.matrix(USE_A), builder.matrix(USE_B)
    c, result = builder.matrix(USE_ACCUMULATOR), builder.matrix(USE_ACCUMULATOR)
    builder.add(load(builder, a), load(builder, b))
    if way == "broadcast":
        builder.add(load(builder, c, repeated=True))
    elif way == "clipped":
        steps = ORIGINS["clipped-load"](builder, c)
        if steps is None:
            return False
        builder.add(*steps)
    else:
        kinds = other_kinds(beside(builder.caps, builder.entry), c)
        if not kinds:
            return False
        other = builder.typed(builder.choices.one_of(kinds), c.rows, c.cols, c.use)
        builder.add(load(builder, other), Convert(c.name, other.name))
    builder.add(builder.mul_add(result, a, b, c), store(builder, result))
    return True


def _carried(builder: ProgramBuilder) -> bool:
    """A loop in which the result of a pass becomes A of the next."""
    a, b, c = _three(builder, builder.entry)
    made = of_type(builder, a.component, c, USE_A)
    if made is None or (made.rows, made.cols) != (a.rows, a.cols):
        return False
    result = like(builder, c)
    builder.repeat(3, builder.mul_add(result, a, b, c), Convert(a.name, result.name), store(builder, result, passes=3))
    builder.add(store(builder, a))
    return True


FORMS: dict[str, Callable[[ProgramBuilder], bool]] = {
    "through-a": lambda builder: _behind(builder, "a"),
    "through-b": lambda builder: _behind(builder, "b"),
    "through-transpose": lambda builder: _behind(builder, "transpose"),
    "through-a-in-a-loop": _carried,
    "types-mixed": lambda builder: _mixed(builder, types=True),
    "sizes-mixed": lambda builder: _mixed(builder, types=False),
    "broadcast": lambda builder: _added(builder, "broadcast"),
    "clipped": lambda builder: _added(builder, "clipped"),
    "converted": lambda builder: _added(builder, "converted"),
}


def _formed(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder = ProgramBuilder(context, most_waves=1)
    if not FORMS[chosen["form"]](builder):
        return None
    return builder.draft("whole", batch=2)


def _fits(row: Row[Any], caps: CoopMatCaps, axis: str, name: str) -> bool:
    if axis == "form" and name.endswith("mixed"):
        return bool(others(caps, row.entry, types=name == "types-mixed"))
    through = axis == "form" and name.startswith("through")
    return not through or (row.name == flowing_row(caps) and has(caps, CONVERTING))


PRODUCT_FORMS = Array(
    name="product-forms",
    focus=("KHRCM-MULADD", "NVCM2-CONVERT-USE"),
    axes={"form": tuple(FORMS)},
    build=_formed,
    rows=("untyped", "shared", "transposes"),
    fits=_fits,
)
"""One form, in a row."""

SIZES = {
    "odd-multiples": (3, 3, 3),
    "m-128-n-160": (4, 5, 1),
    "m-160-n-128": (5, 4, 2),
    "m-256": (8, 1, 1),
    "m-320-k-64": (10, 1, 4),
    "m-most": (0, 1, 1),
    "n-256": (1, 8, 1),
    "n-320-k-96": (1, 10, 6),
    "n-most": (1, 0, 1),
    "k-128": (2, 1, 8),
    "k-160": (1, 1, 10),
    "k-most": (1, 1, 0),
}
"""How many times the granularities M, N and K are; 0: as many as the device has."""
BYTE = 256
"""Rows or columns from which on their numbers need more than 8 bits."""


def _sized(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder = ProgramBuilder(context, most_waves=1)
    builder.waves = 1
    entry = builder.entry
    units = (entry.m, entry.n, entry.k)
    most = builder.caps.maximum
    found = [(count or most // unit) * unit for unit, count in zip(units, SIZES[chosen["size"]], strict=True)]
    if max(found) > most:
        return None
    builder.sizes = (found[0], found[1], found[2])
    a, b, c = (builder.matrix(use) for use in (USE_A, USE_B, USE_ACCUMULATOR))
    builder.add(load(builder, a), load(builder, b), load(builder, c))
    builder.add(builder.mul_add(c, a, b, c), store(builder, c))
    if max(c.rows, c.cols) > BYTE and has(builder.caps, PER_ELEMENT):
        result = like(builder, c)
        builder.add(PerElement(result.name, c.name, ElementFunction("place")), store(builder, result))
    return builder.draft("whole", batch=1)


PRODUCT_SIZES = Array(
    name="product-sizes",
    focus=("NVCM2-FLEX-CAPS", "KHRCM-MULADD"),
    axes={"size": tuple(SIZES)},
    build=_sized,
    rows=("flexible",),
    costly=tuple(f"size={name}" for name in SIZES),
)
"""One product in multiples of the granularities."""
