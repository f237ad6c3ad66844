"""Sizes of matrices that a device allows: multiples of what it reports, inside what the document allows."""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm
from typing import NamedTuple

from mmaspec.programs.hlsl_linalg.caps import Construction, LinalgCaps, MatrixProduct
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, ComponentType
from mmaspec.programs.hlsl_linalg.program import Scope, Use
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.hlsl_linalg.revisions import allowed_extents, is_earlier

LARGEST = 128
"""The largest extent that is drawn: of K the most at Wave scope; M and N stay inside the same range."""
LEAST_K = 4
"""The least K at Thread and Wave scope."""
MOST_ELEMENTS = 4096
"""Elements of a matrix that is drawn larger than it has to be."""


class Unit(NamedTuple):
    """What rows and columns of a matrix are multiples of."""

    rows: int
    columns: int


def made(caps: LinalgCaps) -> tuple[ComponentType, ...]:
    """The component types of which matrices of Wave and ThreadGroup scope can be made, and have a meaning."""
    return tuple(
        one.component
        for one in caps.construction
        if one.min_m
        and caps.revision in COMPONENTS[one.component].revisions
        and (caps.native_16_bit or not is_short(one.component))
    )


def is_short(component: ComponentType) -> bool:
    """Whether it needs 16-bit types: a native scalar of 16 bits."""
    row = COMPONENTS[component]
    return row.native and row.format.bits == 16


def construction_of(caps: LinalgCaps, component: ComponentType) -> Construction | None:
    """The answer about matrices of a component type."""
    return next((one for one in caps.construction if one.component == component and one.min_m), None)


def unit_of(answer: Construction, use: Use) -> Unit:
    """The least matrix of a use."""
    return {
        "A": Unit(answer.min_m, answer.min_k),
        "B": Unit(answer.min_k, answer.min_n),
        "Accumulator": Unit(answer.min_m, answer.min_n),
    }[use]


def common(*units: Unit) -> Unit:
    """What a matrix has multiples of that suits all."""
    return Unit(lcm(*(unit.rows for unit in units)), lcm(*(unit.columns for unit in units)))


def extent(draw: Choices, unit: int, low: int, high: int, most: int = 4) -> int | None:
    """A multiple of the unit from ``low`` to ``high``, mostly a small one; None where there is none."""
    first, last = -(-low // unit), high // unit
    if first > last:
        return None
    factor = draw.weighted(((4, first), (4, first + 1), (2, first + 2), (1, draw.integer(first, first + most))))
    return unit * max(min(factor, last), first)


def depth_range(scope: Scope) -> tuple[int, int]:
    """The least and the greatest K that is drawn."""
    return (1, 2 * LARGEST) if scope == "ThreadGroup" else (LEAST_K, LARGEST)


def size(draw: Choices, unit: Unit, scope: Scope, uses: tuple[Use, ...]) -> tuple[int, int] | None:
    """Rows and columns of a matrix that is used so, now or after a cast; None where there are none."""
    low, high = depth_range(scope)
    m = extent(draw, unit.rows, *((low, high) if "B" in uses else (1, LARGEST)))
    if m is None:
        return None
    n_low, n_high = (low, high) if "A" in uses else (1, LARGEST)
    n = extent(draw, unit.columns, n_low, n_high)
    if n is None:
        return None
    if m * n > MOST_ELEMENTS:
        # As small as they may be.
        m = unit.rows * -(-(low if "B" in uses else 1) // unit.rows)
        n = unit.columns * -(-n_low // unit.columns)
    return m, n


DEEPEST_GROUP = 1024
"""The largest K at ThreadGroup scope; in the text of 2025-09-19 the largest extent of any kind."""


def size_within(draw: Choices, unit: Unit, scope: Scope, components: Sequence[ComponentType]) -> tuple[int, int] | None:
    """The same in the text of 2025-09-19, of which no extent leaves the table of dimensions."""
    every = allowed_extents(scope, DEEPEST_GROUP if scope == "ThreadGroup" else 4 * LARGEST, *components)
    rows, columns = ([one for one in every if one % side == 0] for side in unit)
    m, n = _mostly_small(draw, rows), _mostly_small(draw, columns)
    if m is None or n is None:
        return None
    return (m, n) if m * n <= MOST_ELEMENTS else (rows[0], n) if rows[0] * n <= MOST_ELEMENTS else (rows[0], columns[0])


def _mostly_small(draw: Choices, options: Sequence[int]) -> int | None:
    if not options:
        return None
    last = len(options) - 1
    return options[min(draw.weighted(((4, 0), (4, 1), (2, 2), (1, draw.integer(0, last)))), last)]


def product_sizes(draw: Choices, caps: LinalgCaps, product: MatrixProduct, scope: Scope) -> tuple[int, int, int] | None:
    """M, K and N of a product: multiples of one of its shapes, and of the least matrices of its types."""
    answers = [construction_of(caps, name) for name in (product.a, product.b, product.accumulator)]
    if any(answer is None for answer in answers):
        return None
    a, b, c = (answer for answer in answers if answer is not None)
    shape = draw.one_of(product.shapes)
    if is_earlier(caps):
        return _within_table(draw, shape, (a, b, c), scope)
    low, high = depth_range(scope)
    m = extent(draw, lcm(shape[0], a.min_m, c.min_m), 1, LARGEST, 3)
    k = extent(draw, lcm(shape[1], a.min_k, b.min_k), low, high, 3)
    n = extent(draw, lcm(shape[2], b.min_n, c.min_n), 1, LARGEST, 3)
    if m is None or k is None or n is None:
        return None
    return m, k, n


def _within_table(
    draw: Choices, shape: tuple[int, int, int], answers: tuple[Construction, ...], scope: Scope
) -> tuple[int, int, int] | None:
    """The same in the text of 2025-09-19: rows, summed extent and columns are those of two matrices each."""
    a, b, c = answers
    sides = (
        (lcm(shape[0], a.min_m, c.min_m), a.component, c.component),
        (lcm(shape[1], a.min_k, b.min_k), a.component, b.component),
        (lcm(shape[2], b.min_n, c.min_n), b.component, c.component),
    )
    found = []
    for unit, *components in sides:
        options = [one for one in allowed_extents(scope, LARGEST, *components) if one % unit == 0]  # pyright: ignore[reportArgumentType]
        found.append(_mostly_small(draw, options[:4]))
    m, k, n = found
    return None if m is None or k is None or n is None else (m, k, n)
