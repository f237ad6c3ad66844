"""How the classes of the parameter space of the RDNA3 matrix builtins are seen in a case.

Things are of programs that are executed: one that is rejected or undefined has no data, and breaks the rules by which
classes exclude each other. An instruction in a loop is one thing in the first, in the second and in the last pass.
"""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.oracle.expectation import Defined
from mmaspec.strategies.amd_rdna3_wmma.observations import builtins, constants, factors, flags, replicas
from mmaspec.strategies.axes.observation import Observer, Subject, Thing
from mmaspec.strategies.axes.unseen import unseen_of
from mmaspec.strategies.register_kernels import observations as shared
from mmaspec.strategies.register_kernels.observations.elements.dependence import dependence, part
from mmaspec.strategies.register_kernels.observations.table import column


def things(subject: Subject) -> Iterator[Thing]:
    """Everything with axes in a case that is executed."""
    if isinstance(subject.expectation, Defined):
        yield from shared.things(subject)


OBSERVER = Observer(
    things=things,
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
