"""Programs in which an A and a B are added to an accumulator by element: all three are square (LINALG-AMB-01)."""

from __future__ import annotations

from math import lcm

from mmaspec.programs.hlsl_linalg.components import ComponentType
from mmaspec.programs.hlsl_linalg.program import (
    Branch,
    Instruction,
    MultiplyAccumulate,
    Repeat,
    Scope,
    Simple,
    Splat,
    Use,
)
from mmaspec.programs.hlsl_linalg.removed import SumAccumulate
from mmaspec.strategies.grammar import Draft
from mmaspec.strategies.hlsl_linalg.builder.accesses import load, store
from mmaspec.strategies.hlsl_linalg.builder.program import ProgramBuilder
from mmaspec.strategies.hlsl_linalg.builder.sizes import LARGEST
from mmaspec.strategies.hlsl_linalg.revisions import allowed_extents
from mmaspec.strategies.hlsl_linalg.templates.parts import (
    Context,
    answer_of,
    is_float,
    scope_of,
    several,
    small_regime,
    unit_for,
)
from mmaspec.strategies.hlsl_linalg.templates.products import started
from mmaspec.strategies.hlsl_linalg.templates.sums import sum_regime

SQUARE_DRAWS = 30
MOST_OF_GROUP = 256
"""The largest extent of a square matrix of a group."""


def square(context: Context) -> Draft | None:
    """A, B and accumulator of one type; once, twice, or in a loop."""
    draw = context.choices
    b = ProgramBuilder(context, several(draw))
    own: ComponentType = answer_of(context).component
    scope = scope_of(draw)
    side = _side(context, own, scope)
    if side is None:
        return None
    size = (side, side)
    source, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    total = b.matrix("C", own, size, "Accumulator", scope)
    a, right = b.matrix("A", own, size, "A", scope), b.matrix("B", own, size, "B", scope)
    begin: Instruction = load(b, total, source)
    if draw.chance(30):
        scalar = "float" if is_float(own) else "int"
        begin = Splat("C", scalar, b.scalar("C", scalar, plain=True))  # type: ignore[arg-type]
    body: list[Instruction] = [begin]
    added = SumAccumulate("C", "A", "B")
    shape = draw.weighted(((4, "once"), (1, "twice"), (2, "loop"), (1, "branch")))
    if shape == "loop":
        with b.loop(draw.integer(2, 3)) as passes:
            nested: list[Simple] = [load(b, a, source), load(b, right, source), added]
            if draw.chance(50):
                nested.append(store(b, total, target))
        body.append(Repeat(passes, tuple(nested)))
    else:
        body += [load(b, a, source), load(b, right, source)]
        if shape == "branch" and scope == "Wave" and b.waves > 1:
            body.append(Branch(0, (added,), draw.integer(1, b.waves - 1)))
        else:
            body += [added] * (2 if shape == "twice" else 1)
    body += [store(b, one, target) for one in (total, a, right)[: draw.integer(1, 3)]]
    # Three terms are a sum of many: their order and rounding are not stated.
    return b.draft(body, sum_regime(draw, own, many=True) if is_float(own) else "small")


def _side(context: Context, own: ComponentType, scope: Scope) -> int | None:
    """An extent that all three may have in both directions."""
    kinds: tuple[tuple[ComponentType, Use], ...] = ((own, "Accumulator"), (own, "A"), (own, "B"))
    units = [unit_for(context, component, use) for component, use in kinds]
    if None in units:
        return None
    unit = lcm(*(side for one in units if one for side in one))
    most = LARGEST if scope == "Wave" else MOST_OF_GROUP
    options = [one for one in allowed_extents(scope, most, own) if one % unit == 0]
    return context.choices.one_of(options[:3]) if options else None


def square_of_product(context: Context) -> Draft | None:
    """Factors that were multiplied added to the product, or a product after the sum: of square matrices."""
    for _ in range(SQUARE_DRAWS):
        p = started(context, several(context.choices))
        if p is None or not p.single:
            return None
        if len({*p.sizes}) == 1:
            break
    else:
        return None
    b, draw = p.builder, context.choices
    source, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    body: list[Instruction] = [load(b, one, source) for one in (p.c, p.a, p.b)]
    steps: list[Instruction] = [MultiplyAccumulate("C", "A", "B"), SumAccumulate("C", "A", "B")]
    body += steps[:: draw.one_of((1, -1))]
    body += [store(b, one, target) for one in (p.c, p.a)]
    return b.draft(body, small_regime(p.answer.accumulator))
