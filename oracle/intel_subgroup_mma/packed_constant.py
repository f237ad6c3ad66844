"""The bits of a component all of whose elements have the same ones."""

from __future__ import annotations

from mmaspec.programs.formats import format_named
from mmaspec.programs.intel_subgroup_mma.program import COMPONENT_BYTES, Fragment


def packed_constant(fragment: Fragment, bits: int) -> int:
    """One element in every place of a component."""
    width, whole = format_named(fragment.holds).bits, 8 * COMPONENT_BYTES[fragment.component]
    return sum(bits << place for place in range(0, whole, width))
