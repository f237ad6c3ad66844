"""Which classes of the parameter space of GL_NV_cooperative_matrix2 a case has."""

from __future__ import annotations

from mmaspec.strategies.axes.observe import Look, Observer
from mmaspec.strategies.nv_coopmat2.observed import (
    arithmetic_data,
    bounds,
    conversion_data,
    conversions,
    extents,
    float_sums,
    integer_sums,
    layouts,
    matrices,
    operand_data,
    products,
    scalars,
    sizes,
    view_access,
    views,
)
from mmaspec.strategies.nv_coopmat2.observed.things import things
from mmaspec.strategies.nv_coopmat2.observed.unseen import UNSEEN

LOOKS: dict[str, Look] = {
    **arithmetic_data.LOOKS,
    **bounds.LOOKS,
    **conversion_data.LOOKS,
    **conversions.LOOKS,
    **extents.LOOKS,
    **float_sums.LOOKS,
    **integer_sums.LOOKS,
    **layouts.LOOKS,
    **matrices.LOOKS,
    **operand_data.LOOKS,
    **products.LOOKS,
    **scalars.LOOKS,
    **sizes.LOOKS,
    **view_access.LOOKS,
    **views.LOOKS,
}
"""Axis -> how its class is seen, whatever the group."""

OBSERVER = Observer(things, LOOKS, UNSEEN)
"""How the classes are seen."""
