"""Scenes of results that are large on both sides: whoever goes by the row or the column alone is right elsewhere."""

from __future__ import annotations

from math import lcm
from typing import Any

from mmaspec.programs.hlsl_linalg.components import COMPONENTS, ComponentType
from mmaspec.programs.hlsl_linalg.program import Multiply, MultiplyAccumulate, Scope, Use
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.hlsl_linalg.arrays.scenes.scene import Scene, array_of
from mmaspec.strategies.hlsl_linalg.arrays.workshop import CannotBeMade, Workshop
from mmaspec.strategies.hlsl_linalg.builder.accesses import store
from mmaspec.strategies.hlsl_linalg.builder.sizes import LARGEST
from mmaspec.strategies.hlsl_linalg.revisions import EARLIER, LATER
from mmaspec.strategies.hlsl_linalg.templates.parts import small_regime, unit_for

BEYOND = 32
"""Rows and columns that other programs have on one side at most."""
TOTALS: tuple[ComponentType, ...] = ("F16", "F32", "I32")


def products(context: DrawContext[Any]) -> Draft | None:
    """A product of the row, and one that is added, each of more than 32 rows and columns."""
    shop, answer = Workshop(context, 2), context.row.entry.answer
    scope: Scope = "Wave" if "wave" in context.row.tags else "ThreadGroup"
    if scope == "ThreadGroup":
        shop.let_groups_multiply(answer)
    m, k, n = answer.shapes[0]
    uses: tuple[tuple[ComponentType, Use], ...] = (answer.a, "A"), (answer.b, "B"), (answer.accumulator, "Accumulator")
    found = [unit_for(context, component, use) for component, use in uses]
    if None in found:
        raise CannotBeMade
    a_unit, b_unit, unit = (one for one in found if one)
    m, k, n = lcm(m, a_unit.rows, unit.rows), lcm(k, a_unit.columns, b_unit.rows), lcm(n, b_unit.columns, unit.columns)
    rows, columns = (side * (BEYOND // side + 1) for side in (m, n))
    if max(rows, columns, k) > LARGEST:
        raise CannotBeMade
    a, b = shop.matrix(answer.a, "A", scope, (rows, k)), shop.matrix(answer.b, "B", scope, (k, columns))
    shop.give(a, "load")
    shop.give(b, "load")
    for added in (False, True):
        total = shop.matrix(answer.accumulator, "Accumulator", scope, (rows, columns))
        if added:
            shop.give(total, "load")
        kind: Any = MultiplyAccumulate if added else Multiply
        shop.add(kind(total.name, a.name, b.name), store(shop.b, total, "out"))
    return shop.draft(small_regime(answer.accumulator), 2)


def _of(tag: str, total: ComponentType, under: str) -> Scene:
    return Scene(products, tag, lambda answer: answer.accumulator == total, under)


LARGE = array_of(
    "large-results",
    ("LINALG-MUL", "LINALG-MAC", "LINALG-TILING"),
    {
        f"{COMPONENTS[total].format.name}-of-a-{tag}{ending}": _of(tag, total, under)
        for under, ending in ((LATER, ""), (EARLIER, "-of-2025"))
        for tag in ("wave", "group")
        for total in TOTALS
    },
)
"""Products that are tiled in both directions."""
