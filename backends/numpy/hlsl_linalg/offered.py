"""Caps reduced to the types that an arithmetic unit supports."""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.backends.numpy.backend import Supports
from mmaspec.backends.numpy.hlsl_linalg.access import SOURCE
from mmaspec.programs.hlsl_linalg.caps import LinalgCaps
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, ComponentType


def offered(caps: LinalgCaps, supports: Supports) -> LinalgCaps | None:
    """Products stay whose types the unit multiplies; what needs none stays with them.

    A vector is multiplied in the type of its matrix, by the text of 2025-09-19 in its own.
    """

    def multiplies(a: ComponentType, b: ComponentType, c: ComponentType) -> bool:
        return supports(*(COMPONENTS[name].fmt for name in (a, b, c)))

    products = tuple(row for row in caps.products if multiplies(row.a, row.b, row.accumulator))
    own = caps.revision == SOURCE
    vectors = tuple(
        row for row in caps.vector_products if multiplies(row.matrix, row.vector if own else row.matrix, row.result)
    )
    return replace(caps, products=products, vector_products=vectors) if products or vectors else None
