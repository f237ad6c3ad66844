"""How the classes of the parameter space of the RDNA3 matrix builtins are seen in a case.

An instruction in a loop is one thing in the first, in the second and in the last pass.
"""

from __future__ import annotations

from mmaspec.strategies.amd_rdna3_wmma.observations import builtins, constants, factors, flags, replicas
from mmaspec.strategies.axes.observation import Observer
from mmaspec.strategies.axes.unseen import unseen_of
from mmaspec.strategies.register_kernels import observations as shared
from mmaspec.strategies.register_kernels.observations.elements.dependence import dependence, part
from mmaspec.strategies.register_kernels.observations.table import column

OBSERVER = Observer(
    things=shared.things,
    looks={
        **shared.LOOKS, **builtins.LOOKS, **constants.LOOKS, **factors.LOOKS, **flags.LOOKS, **replicas.LOOKS,
        "vgpr-position": column("vgpr-position"),
        "clamp-spread": column("clamp-spread"),
    },
    unseen=unseen_of(__name__),
    dependence=dependence,
    part=part,
)  # fmt: skip
"""What is seen of these builtins."""
