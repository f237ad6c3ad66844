"""Functions of elements on matrices of every use that are longer, and wider, than any of fixed size."""

from __future__ import annotations

from functools import lru_cache
from typing import Any
from typing import Literal as Word

from mmaspec.oracle.nv_coopmat2.rows import rows
from mmaspec.oracle.spec import Row
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps, Property
from mmaspec.programs.nv_coopmat2.program import USE_A, USE_ACCUMULATOR, USE_B, ElementFunction, PerElement
from mmaspec.strategies.axes.space import space_of
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.builder.program import ProgramBuilder
from mmaspec.strategies.nv_coopmat2.features import PER_ELEMENT, has
from mmaspec.strategies.nv_coopmat2.templates.operations import like
from mmaspec.strategies.nv_coopmat2.templates.plain import load, store

USES = {"a": (USE_A, "m", "k"), "b": (USE_B, "k", "n"), "accumulator": (USE_ACCUMULATOR, "m", "n")}
"""Class of ``use`` -> the use, and the sizes of the product that are its rows and columns."""
FUNCTIONS: dict[str, Word["place", "triangle", "select"]] = {
    "place": "place", "triangle": "triangle", "select": "select",
}  # fmt: skip
SIZES = (
    "odd-multiple", "sixty-four", "between-64", "one-hundred-twenty-eight", "between-128", "two-hundred-fifty-six",
    "large", "maximum",
)  # fmt: skip
"""Classes of ``matrix-rows`` and of ``matrix-columns``."""
MOST = 1 << 15
"""Elements of a matrix."""


def _fitting(entry: Property, caps: CoopMatCaps, side: str, axis: str, name: str) -> int | None:
    """The least multiple of a granularity in a class that the device has."""
    one = space_of("nv-coopmat2").axis[axis].classes[name]
    unit: int = getattr(entry, side)
    assert one.least is not None
    assert one.most is not None
    found = -(-one.least // unit) * unit
    return found if found <= min(one.most, caps.maximum) else None


@lru_cache(maxsize=16)
def flexible_rows(caps: CoopMatCaps) -> frozenset[str]:
    """The first flexible row of floats, and the first of integers."""
    first: dict[bool, str] = {}
    for row in rows(caps):
        if "flexible" in row.tags:
            first.setdefault(format_named(row.entry.c).is_float, row.name)
    return frozenset(first.values())


def _fits(row: Row[Any], caps: CoopMatCaps, axis: str, name: str) -> bool:
    if not has(caps, PER_ELEMENT) or row.name not in flexible_rows(caps):
        return False
    if axis != "size":
        return True
    return any(_fitting(row.entry, caps, side, "matrix-rows", name) for side in "mnk")


def _built(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder = ProgramBuilder(context, most_waves=1)
    use, *sides = USES[chosen["use"]]
    long = int(chosen["long"] == "columns")
    extent = _fitting(builder.entry, builder.caps, sides[long], ("matrix-rows", "matrix-columns")[long], chosen["size"])
    short: int = getattr(builder.entry, sides[1 - long])
    short *= 2 if short < 32 else 1  # more rows, or columns, than a matrix of fixed size has
    if extent is None or extent * short > MOST:
        return None
    named = dict(zip("mnk", builder.sizes, strict=True)) | {sides[long]: extent, sides[1 - long]: short}
    builder.sizes = (named["m"], named["n"], named["k"])
    source = builder.matrix(use)
    result = like(builder, source)
    extras = (like(builder, source),) if chosen["element-function"] == "select" else ()
    builder.add(*(load(builder, one) for one in (source, *extras)))
    function = ElementFunction(FUNCTIONS[chosen["element-function"]], None, tuple(None for _ in extras))
    builder.add(PerElement(result.name, source.name, function, tuple(one.name for one in extras)))
    builder.add(store(builder, result))
    return builder.draft("distinct", batch=1)


ELEMENT_PLACES = Array(
    name="element-places",
    focus=("NVCM2-PERELEM",),
    axes={"use": tuple(USES), "long": ("rows", "columns"), "size": SIZES, "element-function": tuple(FUNCTIONS)},
    build=_built,
    rows=("flexible",),
    fits=_fits,
)
"""One call, whose function tells rows and columns."""
