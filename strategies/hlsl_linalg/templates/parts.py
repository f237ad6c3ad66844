"""What templates share: matrices of a row's component type, how many waves there are, and which data suit a sum."""

from __future__ import annotations

from typing import Any

from mmaspec.programs.hlsl_linalg.caps import LinalgCaps
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, ComponentType
from mmaspec.programs.hlsl_linalg.program import Matrix, Scope, Use
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.grammar import DrawContext
from mmaspec.strategies.hlsl_linalg.builder.program import ProgramBuilder
from mmaspec.strategies.hlsl_linalg.builder.sizes import (
    Unit,
    common,
    construction_of,
    size,
    size_within,
    unit_of,
)
from mmaspec.strategies.hlsl_linalg.revisions import is_earlier

USES: tuple[tuple[Use, str], ...] = (("A", "A"), ("B", "B"), ("Accumulator", "C"))
"""Use and usual name of three matrices."""

SPARE_BITS = 8
"""Bits of a sum beyond those of its products."""

Context = DrawContext[LinalgCaps]


def answer_of(context: Context) -> Any:
    """The answer that the caps row stands for."""
    return context.row.entry.answer


def several(draw: Choices) -> int:
    """A number of waves, mostly one."""
    return draw.weighted(((4, 1), (3, 2), (1, 3)))


def scope_of(draw: Choices) -> Scope:
    """Wave, or less often ThreadGroup."""
    scopes: tuple[tuple[int, Scope], ...] = ((3, "Wave"), (2, "ThreadGroup"))
    return draw.weighted(scopes)


def is_float(component: ComponentType) -> bool:
    """Whether its format is one of floats."""
    return COMPONENTS[component].format.is_float


def holds(wide: ComponentType, narrow: ComponentType) -> bool:
    """Whether a type has every value of another one."""
    w, n = COMPONENTS[wide].format, COMPONENTS[narrow].format
    if not n.is_float:
        bits = n.bits - n.signed
        return bits <= w.precision if w.is_float else w.min_value <= n.min_value and w.max_value >= n.max_value
    return w.is_float and w.precision >= n.precision and w.qmin <= n.qmin and w.emax >= n.emax


def sums_are_judged(component: ComponentType) -> bool:
    """Whether what is added in that type is stated: not in a float format without infinities."""
    fmt = COMPONENTS[component].format
    return not fmt.is_float or fmt.infinities


def unit_for(context: Context, component: ComponentType, use: Use) -> Unit | None:
    """What sizes of matrices of a type and use are multiples of; None where there are none."""
    answer = construction_of(context.caps, component)
    return None if answer is None else unit_of(answer, use)


def size_for(
    context: Context,
    scope: Scope,
    *kinds: tuple[ComponentType, Use],
    transposed: tuple[ComponentType, Use] | None = None,
) -> tuple[int, int] | None:
    """Rows and columns that matrices of all these types and uses can have, and one that is the transpose of them."""
    units = [unit_for(context, *kind) for kind in kinds]
    uses: list[Use] = [use for _, use in kinds]
    if transposed is not None:
        unit = unit_for(context, *transposed)
        units.append(None if unit is None else Unit(unit.columns, unit.rows))
        # The rows of the transpose are the columns here: what limits those of an A limits the columns of a B.
        uses.append(_TURNED[transposed[1]])
    if None in units:
        return None
    whole = common(*(unit for unit in units if unit))
    if is_earlier(context.caps):
        return size_within(context.choices, whole, scope, [component for component, _ in kinds])
    return size(context.choices, whole, scope, tuple(uses))


_TURNED: dict[Use, Use] = {"A": "B", "B": "A", "Accumulator": "Accumulator"}


def drawn(
    b: ProgramBuilder, name: str, component: ComponentType, use: Use, scope: Scope, *also: tuple[ComponentType, Use]
) -> Matrix | None:
    """A matrix of a size that the device allows, and matrices of other types and uses can have as well."""
    found = size_for(b.context, scope, (component, use), *also)
    return None if found is None else b.matrix(name, component, found, use, scope)


def moving_regime(draw: Choices) -> str:
    """Data of which every bit has to arrive."""
    return draw.weighted(((4, "distinct"), (1, "edges"), (1, "nan-kinds"), (1, "subnormal"), (1, "wild")))


def far_apart(total: ComponentType, a: ComponentType, b: ComponentType) -> bool:
    """Whether sums of products of any integers of two types are far from leaving a third one."""
    return COMPONENTS[total].format.bits >= COMPONENTS[a].format.bits + COMPONENTS[b].format.bits + SPARE_BITS


def exact_regime(total: ComponentType, a: ComponentType, b: ComponentType) -> str:
    """Data whose sums are known to the bit, and reach far enough to show a lost one."""
    return "window" if is_float(total) else "wild" if far_apart(total, a, b) else "small"


def small_regime(component: ComponentType) -> str:
    """Data of which many sums stay in range."""
    return "window" if is_float(component) else "small"
