"""How the classes of the parameter space of the RDNA3 matrix builtins are seen in a case.

An instruction in a loop is one thing in the first, in the second and in the last pass.
"""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.oracle.expectation import Defined
from mmaspec.strategies.amd_rdna3_wmma.observations import (
    builtins,
    constants,
    factors,
    flags,
    halves,
    instructions,
    replicas,
)
from mmaspec.strategies.amd_rdna3_wmma.observations.dialect import DIALECT
from mmaspec.strategies.axes.observation import Observer, Subject, Thing
from mmaspec.strategies.axes.unseen import unseen_of
from mmaspec.strategies.register_kernels import observations as shared
from mmaspec.strategies.register_kernels.observations.elements.dependence import dependence
from mmaspec.strategies.register_kernels.observations.elements.dependence import part as of_table
from mmaspec.strategies.register_kernels.observations.table import Part, column


def things(subject: Subject) -> Iterator[Thing]:
    """Everything with axes in a case that is executed; where products are instructions, these alone."""
    if not isinstance(subject.expectation, Defined):
        return
    if instructions.written_out(subject):
        yield from instructions.things(subject)
    else:
        yield from shared.things(subject)
        yield from halves.things(subject)


def part(thing: Thing) -> tuple[int | None, ...]:
    """An element of D among all that its fragment holds: those of high halves stand beside those of low ones."""
    place = of_table(thing)
    if place and isinstance(thing.of, Part) and not thing.of.role:
        *others, column_number = place
        first = DIALECT.columns(thing.of.event.call).start or 0
        return (*others, None if column_number is None else column_number + first)
    return place


OBSERVER = Observer(
    things=things,
    looks={
        **shared.LOOKS, **builtins.LOOKS, **constants.LOOKS, **factors.LOOKS, **flags.LOOKS, **halves.LOOKS,
        **instructions.LOOKS, **replicas.LOOKS,
        "vgpr-position": column("vgpr-position"),
        "clamp-spread": column("clamp-spread"),
    },
    unseen=unseen_of(__name__),
    dependence=dependence,
    part=part,
)  # fmt: skip
"""What is seen of these builtins."""
