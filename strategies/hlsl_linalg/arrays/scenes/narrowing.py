"""Scenes of integers that need more digits than a float has: rounded to nearest once, not twice through a third format.

A case of the covering arrays converts to a few types, with data of whatever regime; few of its numbers lie beside a tie
that only the full width shows. So here every integer is converted to every float that does not hold it, with numbers
from the whole table of limits. Of floats the text allows either neighbour (LINALG-CONV-FLOAT), so two roundings are as
good as one.
"""

from __future__ import annotations

from typing import Any

from mmaspec.programs.hlsl_linalg.components import COMPONENTS, ComponentType
from mmaspec.programs.hlsl_linalg.program import Cast, Convert
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.hlsl_linalg.arrays.scenes.scene import Scene, array_of
from mmaspec.strategies.hlsl_linalg.arrays.workshop import Workshop
from mmaspec.strategies.hlsl_linalg.builder.accesses import load, store
from mmaspec.strategies.hlsl_linalg.builder.sizes import is_short, made
from mmaspec.strategies.hlsl_linalg.builder.vectors import vector_load, vector_store
from mmaspec.strategies.hlsl_linalg.revisions import EARLIER, LATER

Context = DrawContext[Any]
ITEMS = 4
"""Items of limits alone (`limits`)."""
LENGTH, THREADS = 24, 8
"""Numbers of each vector, and threads that each have their own: of all items together more than the table has."""
SIZE = (16, 16)
FLOATS: tuple[ComponentType, ...] = ("F64", "F32", "F16", "BFloat16")
INTEGERS: tuple[ComponentType, ...] = ("I64", "U64", "I32", "U32", "I16", "U16")


def narrower(source: ComponentType) -> tuple[ComponentType, ...]:
    """The floats that do not hold every integer of a type."""
    fmt = COMPONENTS[source].format
    return tuple(one for one in FLOATS if COMPONENTS[one].format.precision < fmt.bits - fmt.signed)


def casts(context: Context) -> Draft | None:
    """Matrices of integers that are cast to every float that does not hold them."""
    shop = Workshop(context, 1)
    source = context.row.entry.answer.component
    for target in narrower(source):
        if target in made(context.caps):
            from_, to = (shop.matrix(one, "Accumulator", "Wave", SIZE) for one in (source, target))
            shop.add(load(shop.b, from_, "in"), Cast(to.name, from_.name), store(shop.b, to, "out"))
    return shop.draft("limits", ITEMS)


def conversions(context: Context) -> Draft | None:
    """Vectors of every thread that are converted to every float that does not hold them."""
    shop = Workshop(context, 1, THREADS)
    b = shop.b

    def lacks(component: ComponentType) -> bool:
        return is_short(component) and not context.caps.native_16_bit

    sources: list[ComponentType] = [one for one in INTEGERS if not lacks(one)]
    for source in sources:
        held = b.vector(shop.name("v"), source, LENGTH)
        shop.add(vector_load(b, held, "in", own=True))
        for target in narrower(source):
            if not lacks(target):
                to = b.vector(shop.name("v"), target, LENGTH)
                shop.add(Convert(to.name, held.name), vector_store(b, to, "out"))
    return shop.draft("limits", ITEMS)


def _casts(under: str, ending: str = "") -> dict[str, Scene]:
    """A scene for each integer of which there are matrices."""

    def of(component: ComponentType) -> Scene:
        return Scene(casts, "matrix", lambda answer: answer.component == component, under)

    return {f"{COMPONENTS[one].format.name}-to-floats{ending}": of(one) for one in INTEGERS if "64" not in one}


NARROWING = array_of(
    "narrowing",
    ("LINALG-CAST", "LINALG-CONV-INT-FLOAT", "LINALG-CONVERT"),
    {**_casts(LATER), "vectors-to-floats": Scene(conversions, "vector"), **_casts(EARLIER, "-of-2025")},
)
"""Integers of which digits are lost."""
