"""How the classes of the parameter space of the sub-group matrix functions are seen in a case.

An instruction in a loop is one thing in the first, in the second and in the last pass.
"""

from __future__ import annotations

from mmaspec.strategies.axes.observation import Observer
from mmaspec.strategies.axes.unseen import unseen_of
from mmaspec.strategies.intel_subgroup_mma.observations import functions, reinterpreted, rows_apart
from mmaspec.strategies.register_kernels import observations as shared
from mmaspec.strategies.register_kernels.observations.elements.dependence import dependence, part
from mmaspec.strategies.register_kernels.observations.table import column

OBSERVER = Observer(
    things=shared.things,
    looks={
        **shared.LOOKS, **functions.LOOKS, **reinterpreted.LOOKS, **rows_apart.LOOKS,
        "component-position": column("component-position"),
        "wrap-spread": column("wrap-spread"),
    },
    unseen=unseen_of(__name__),
    dependence=dependence,
    part=part,
)  # fmt: skip
"""What is seen of these functions."""
