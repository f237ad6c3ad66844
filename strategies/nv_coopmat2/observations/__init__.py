"""Which classes of the parameter space of GL_NV_cooperative_matrix2 a case has."""

from __future__ import annotations

from mmaspec.strategies.axes.observation import Look, Observer
from mmaspec.strategies.nv_coopmat2.observations import (
    devices,
    float_sums,
    flow,
    integer_sums,
    invalid,
    loops,
    matrices,
    memory,
    moved_data,
    operand_data,
    plain,
    products,
    programs,
    sizes,
    written,
)
from mmaspec.strategies.nv_coopmat2.observations.dependence import dependence
from mmaspec.strategies.nv_coopmat2.observations.operations import (
    arithmetic_data,
    conversion_data,
    conversions,
    divisors,
    elements,
    reduction_data,
    reductions,
    scalars,
)
from mmaspec.strategies.nv_coopmat2.observations.tensors import (
    blocks,
    bounds,
    decoding,
    extents,
    layouts,
    moving,
    told,
    view_access,
    views,
)
from mmaspec.strategies.nv_coopmat2.observations.things import things
from mmaspec.strategies.nv_coopmat2.observations.unseen import UNSEEN

LOOKS: dict[str, Look] = {
    **arithmetic_data.LOOKS,
    **blocks.LOOKS,
    **bounds.LOOKS,
    **conversion_data.LOOKS,
    **conversions.LOOKS,
    **decoding.LOOKS,
    **devices.LOOKS,
    **divisors.LOOKS,
    **elements.LOOKS,
    **extents.LOOKS,
    **float_sums.LOOKS,
    **flow.LOOKS,
    **integer_sums.LOOKS,
    **invalid.LOOKS,
    **layouts.LOOKS,
    **loops.LOOKS,
    **matrices.LOOKS,
    **memory.LOOKS,
    **moved_data.LOOKS,
    **moving.LOOKS,
    **operand_data.LOOKS,
    **plain.LOOKS,
    **products.LOOKS,
    **programs.LOOKS,
    **reduction_data.LOOKS,
    **reductions.LOOKS,
    **scalars.LOOKS,
    **sizes.LOOKS,
    **told.LOOKS,
    **view_access.LOOKS,
    **views.LOOKS,
    **written.LOOKS,
}
"""Axis -> how its class is seen, whatever the group."""

OBSERVER = Observer(things, LOOKS, UNSEEN, dependence)
"""How the classes are seen."""
