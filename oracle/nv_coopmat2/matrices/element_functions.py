"""Functions of elements: of row, column, element and extras (``coopMatPerElementNV``), or of a component alone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from mmaspec.oracle.numerics.elementwise import Operation
from mmaspec.oracle.numerics.legal import Legal, full, where
from mmaspec.oracle.numerics.rules import FloatRules
from mmaspec.oracle.nv_coopmat2.matrices.arithmetic import combined, negated
from mmaspec.oracle.nv_coopmat2.matrices.conversion import converted
from mmaspec.oracle.nv_coopmat2.matrices.reduction import summed
from mmaspec.programs.formats import FORMATS

PLACE_ROW = 256
"""What a row counts in the function ``place``."""


def per_element(name: str, element: Legal, extras: Sequence[Legal], rules: FloatRules) -> Legal:
    """NVCM2-PERELEM: f(row, column, element, extras) everywhere; extras broadcast to the element's shape."""
    row, col = np.indices(element.shape[-2:])
    if name == "add":
        terms = [term.broadcast_to(element.shape) for term in (element, *extras)]
        if element.fmt.is_float and len(terms) > 2:
            return summed(terms, rules)  # nothing in the function fixes the order in which more than two are added
        return reduce(lambda total, term: combined(Operation.ADD, total, term, rules), terms)
    if name == "place":
        place = Legal.from_bits(FORMATS["u32"], (row * PLACE_ROW + col).astype(np.uint64))
        return converted(place, element.fmt, rules).broadcast_to(element.shape)
    if name == "triangle":
        keep, other = col <= row, full(element.fmt, element.shape, 0)
    else:
        keep, other = (row + col) % 2 == 0, extras[0].broadcast_to(element.shape)
        if len(extras) > 1:
            first = np.broadcast_to((row + col) % 4 == 1, element.shape)
            other = where(first, other, extras[1].broadcast_to(element.shape))
    return where(np.broadcast_to(keep, element.shape), element, other)


def each_component(name: str, element: Legal, value: Legal | None, rules: FloatRules) -> Legal:
    """KHRCM-LENGTH: f(component) everywhere, whichever invocation holds it; ``value`` is a scalar."""
    if value is None:
        return negated(element, rules)
    operation = Operation.ADD if name == "add" else Operation.MULTIPLY
    return combined(operation, element, value.broadcast_to(element.shape), rules)
