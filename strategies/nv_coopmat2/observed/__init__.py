"""Which classes of the parameter space of GL_NV_cooperative_matrix2 a case has."""

from __future__ import annotations

from mmaspec.strategies.axes.observe import Observer
from mmaspec.strategies.nv_coopmat2.observed import bounds, extents, layouts, sizes, view_access, views
from mmaspec.strategies.nv_coopmat2.observed.things import things

LOOKS = {
    **layouts.LOOKS,
    **sizes.LOOKS,
    **bounds.LOOKS,
    **extents.LOOKS,
    **views.LOOKS,
    **view_access.LOOKS,
}

OBSERVER = Observer(things, LOOKS, {})
"""How the classes are seen."""
