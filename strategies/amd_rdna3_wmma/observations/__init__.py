"""How the classes of the parameter space of the RDNA3 matrix builtins are seen in a case.

Things are of programs that are executed: one that is rejected or undefined has no data, and breaks the rules by which
classes exclude each other. An instruction in a loop is one thing in the first, in the second and in the last pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources

import msgspec

from mmaspec.oracle.expectation import Defined
from mmaspec.strategies.amd_rdna3_wmma.observations import builtins, constants, factors, flags, replicas
from mmaspec.strategies.axes.observation import Observer, Subject, Thing
from mmaspec.strategies.register_kernels import observations as shared
from mmaspec.strategies.register_kernels.observations.elements.dependence import dependence, part
from mmaspec.strategies.register_kernels.observations.table import column


def things(subject: Subject) -> Iterator[Thing]:
    """Everything with axes in a case that is executed."""
    if isinstance(subject.expectation, Defined):
        yield from shared.things(subject)


def _unseen() -> dict[str, str]:
    text = resources.files(__name__).joinpath("unseen.toml").read_bytes()
    return {
        name: why
        for why, names in ((one.why, one.of) for one in msgspec.toml.decode(text, type=_Unseen).because)
        for name in names
    }


class _Because(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    why: str
    of: tuple[str, ...]


class _Unseen(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    because: tuple[_Because, ...]


OBSERVER = Observer(
    things=things,
    looks={
        **shared.LOOKS, **builtins.LOOKS, **constants.LOOKS, **factors.LOOKS, **flags.LOOKS, **replicas.LOOKS,
        "vgpr-position": column("vgpr-position"),
        "clamp-spread": column("clamp-spread"),
    },
    unseen=_unseen(),
    dependence=dependence,
    part=part,
)  # fmt: skip
"""What is seen of these builtins."""
