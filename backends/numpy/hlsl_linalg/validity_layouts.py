"""Checks of the conversions between layouts that a command list makes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from mmaspec.backends.numpy.hlsl_linalg.facts import Checks, component_bytes
from mmaspec.backends.numpy.hlsl_linalg.optimal import TRANSPOSED
from mmaspec.backends.numpy.hlsl_linalg.validity_memory import GRAIN, LINE
from mmaspec.programs.hlsl_linalg.components import ComponentType
from mmaspec.programs.hlsl_linalg.program import LINEAR, ConvertLayout


def conversions(checks: Checks) -> list[ConvertLayout]:
    """Every layout conversion."""
    return [found for found in checks.instructions() if isinstance(found, ConvertLayout)]


def bad_stride(checks: Checks) -> bool:
    """Whether lines overlap or do not start where they must, or an optimal layout has a stride."""
    for found in conversions(checks):
        size = component_bytes(found.component)
        sides = ((found.source_layout, found.source_stride, size), (found.target_layout, found.target_stride, LINE))
        for layout, stride, grain in sides:
            line = size * (found.n if layout == "RowMajor" else found.m)
            if (stride < line or stride % grain) if layout in LINEAR else stride:
                return True
    return False


def factors(checks: Checks) -> Iterator[ComponentType]:
    """The component types that the device multiplies, or adds products in."""
    for product in checks.caps.products:
        yield from (product.a, product.b, product.accumulator)
    for row in checks.caps.vector_products:
        yield from (row.vector, row.matrix)


LAYOUT_CHECKS: Mapping[str, Callable[[Checks], bool]] = MappingProxyType(
    {
        "LINALG-LAYOUT-KINDS": lambda c: any(
            found.source_layout in TRANSPOSED or found.target_layout in TRANSPOSED for found in conversions(c)
        ),
        "LINALG-LAYOUT-STRIDE": bad_stride,
        "LINALG-LAYOUT-ALIGN": lambda c: any(
            (c.base(found.target) + found.target_offset) % GRAIN for found in conversions(c)
        ),
        "LINALG-LAYOUT-TYPE": lambda c: any(
            c.known(found.component) and found.component not in factors(c) for found in conversions(c)
        ),
    }
)
"""Clause -> whether a program breaks it."""
