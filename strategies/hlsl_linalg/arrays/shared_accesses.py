"""Loads and Stores of groupshared arrays: elements, widths, paddings and places, every two of them together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Affine, Index
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_linalg.caps import LinalgCaps
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, SCALARS, ArrayType, ComponentType
from mmaspec.programs.hlsl_linalg.program import Barrier, Load, Matrix, SharedArray, Stage, Store, Unstage
from mmaspec.strategies.covering import Tuple
from mmaspec.strategies.grammar import Chosen, Draft, DrawContext
from mmaspec.strategies.hlsl_linalg.arrays.buffer_accesses import FLOWS, LINES, sized, strided
from mmaspec.strategies.hlsl_linalg.arrays.packed import Packed
from mmaspec.strategies.hlsl_linalg.arrays.workshop import LAYOUTS, USES, CannotBeMade, Workshop
from mmaspec.strategies.hlsl_linalg.builder.accesses import lines_of
from mmaspec.strategies.hlsl_linalg.builder.program import element_bytes, up
from mmaspec.strategies.hlsl_linalg.builder.shared_arrays import INTEGERS, OWN, available
from mmaspec.strategies.hlsl_linalg.revisions import is_earlier

AGAINST = ("own", "same-size", "wider", "narrower", "packed")
WIDTHS: dict[str, tuple[int, ...]] = {"scalars": (0,), "even": (2, 4, 8), "odd": (1, 3)}


def elements(component: ComponentType, against: str, caps: LinalgCaps) -> tuple[ArrayType, ...]:
    """The arrays that are of a class of ``array-against`` for a component, on a device."""
    size, own = COMPONENTS[component].format.nbytes, OWN.get(component)
    if against == "own":
        return () if own is None else (own,)
    if against == "packed":
        return ("uint8_t4_packed",)
    whole: list[ArrayType] = [one for one in INTEGERS if one not in ("uint8_t4_packed", own)]
    sizes = {one: FORMATS[SCALARS[one]].nbytes for one in whole}
    sign = {"same-size": 0, "wider": 1, "narrower": -1}[against]
    return tuple(one for one in whole if (sizes[one] > size) - (sizes[one] < size) == sign and available(one, caps))


def _lacking(row: Row[Any], caps: LinalgCaps) -> Iterator[Tuple]:
    for against in AGAINST:
        if not elements(row.entry.answer.component, against, caps):
            yield frozenset({("array-against", against)})
    if is_earlier(caps):  # which has arrays of scalars alone, and none of another size than the elements
        yield from (frozenset({("array-against", one)}) for one in ("wider", "narrower", "packed"))
        yield from (frozenset({("array-vectors", one)}) for one in ("even", "odd"))


def _place(shop: Workshop, matrix: Matrix, thing: Chosen, padding: str, places: str) -> tuple[Index, Index, Any, int]:
    """Offset and stride in elements, layout, and the bytes that the access needs of its array."""
    layout, size = LAYOUTS[thing["layout"]], element_bytes(matrix.component)
    lines, line = lines_of(matrix, layout)
    waves = shop.b.waves if matrix.scope == "Wave" and places != "same" else 1
    stride = strided(line, padding)
    tile = up((lines - 1) * stride + line, 128)
    if places == "side-by-side":
        tile = up(line, 128)
        stride = tile * (waves + 1)
    start = 128 * shop.b.choices.integer(0, 2)
    offset: Index = Affine(start // size, tile // size) if waves > 1 else shop.b.argument(start // size, 20)
    return offset, shop.b.argument(stride // size, 20), layout, start + tile * (waves - 1) + (lines - 1) * stride + line


def _moved(shop: Workshop, thing: Chosen) -> None:
    b = shop.b
    component: ComponentType = shop.context.row.entry.answer.component
    padding, places = thing["padding"], thing["places"]
    matrix = sized(shop, component, thing["accessed-use"], thing["accessed-scope"], thing["layout"], LINES[padding])
    element = b.choices.one_of(elements(component, thing["array-against"], b.caps))
    size, width = FORMATS[SCALARS[element]].nbytes, b.choices.one_of(WIDTHS[thing["array-vectors"]])
    name, back = shop.name("array"), shop.name("array")
    offset, stride, layout, nbytes = _place(shop, matrix, thing, padding, places)
    plain = "none" if padding in ("same", "overlap") else padding
    start, step, way, filled = _place(shop, matrix, thing, plain, "apart" if places == "same" else places)
    counts = [-(-one // size) for one in (nbytes, filled)]
    for array, count in zip((name, back), counts, strict=True):
        b.arrays.append(SharedArray(array, element, -(-count // max(width, 1)) + b.choices.integer(0, 3), width))
    runs = [b.taken(buffer, count * size, max(size, 4))
            for buffer, count in (("in", counts[0]), ("in", counts[1]))]  # fmt: skip
    own = element == OWN.get(component) if is_earlier(b.caps) else size == element_bytes(component)
    shop.add(
        Stage(name, "in", runs[0], counts[0], 0, None if own else shop.name("staged")),
        Stage(back, "in", runs[1], counts[1], 0, shop.name("beside")),
        Barrier(),
    )
    with shop.around(thing["in-flow"]):
        shop.add(
            Load(matrix.name, name, offset, stride, layout, 0, matrix.name if own else None),
            Store(matrix.name, back, start, step, way),
        )
        if thing["in-flow"] in ("first-pass", "later-pass"):
            shop.add(Barrier())
    shop.add(Barrier(), Unstage(back, "out", b.taken("out", counts[1] * size, max(size, 4)), counts[1]))


def moved(context: DrawContext[Any], things: tuple[Chosen, ...]) -> Draft | None:
    """Every thing a Load of an array and a Store to another one of the same elements."""
    shop = Workshop(context, 2)
    try:
        for thing in things:
            _moved(shop, thing)
    except CannotBeMade:
        return None
    return shop.draft("distinct")


ARRAY_ACCESSES = Packed(
    name="array-accesses",
    focus=("LINALG-GS-UNITS", "LINALG-GS-NOCONV", "LINALG-ROUNDTRIP"),
    axes={
        "array-against": AGAINST,
        "padding": tuple(LINES),
        "accessed-use": tuple(USES),
        "accessed-scope": ("wave", "group"),
        "layout": tuple(LAYOUTS),
        "places": ("one", "same", "apart", "side-by-side"),
        "array-vectors": tuple(WIDTHS),
        "in-flow": FLOWS,
    },
    build=moved,
    groups=("array-load", "array-store"),
    per_case=4,
    rows=("matrix",),
    excluded=_lacking,
    fits_row=lambda row: row.entry.answer.component in OWN or "later" in row.tags,
    rules=(
        "accessed-scope=group with places=same|apart|side-by-side",
        "accessed-scope=wave with places=one with in-flow=straight|first-pass|branch-all",
        "accessed-scope=group with in-flow=branch-waves",
        "in-flow=branch-waves with places=same|apart|side-by-side",
        "places=side-by-side with padding=none|least|part|line|overlap|same",
    ),
)
"""Elements, widths, paddings and places of matrices in arrays."""
