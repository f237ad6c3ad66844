"""``coopMatPerElementNV``: what the named functions return for row, column, element and extras."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mmaspec.oracle.numerics.elementwise import Operation
from mmaspec.oracle.numerics.formats import FORMATS
from mmaspec.oracle.numerics.legal import Legal, full, where
from mmaspec.oracle.numerics.rules import FloatRules
from mmaspec.oracle.nv_coopmat2.arithmetic import combined
from mmaspec.oracle.nv_coopmat2.conversion import converted

PLACE_ROW = 256
"""What a row counts in the function ``place``."""


def per_element(name: str, element: Legal, extras: Sequence[Legal], rules: FloatRules) -> Legal:
    """NVCM2-PERELEM: f(row, column, element, extras) everywhere; extras broadcast to the element's shape."""
    row, col = np.indices(element.shape[-2:])
    if name == "add":
        total = element
        for extra in extras:
            total = combined(Operation.ADD, total, extra, rules)
        return total
    if name == "place":
        place = Legal.from_bits(FORMATS["u32"], (row * PLACE_ROW + col).astype(np.uint64))
        return converted(place, element.fmt, rules).broadcast_to(element.shape)
    if name == "triangle":
        keep, other = col <= row, full(element.fmt, element.shape, 0)
    else:
        keep, other = (row + col) % 2 == 0, extras[0].broadcast_to(element.shape)
    return where(np.broadcast_to(keep, element.shape), element, other)
