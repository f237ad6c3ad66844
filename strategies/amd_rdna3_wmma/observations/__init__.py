"""How the classes of the parameter space of the RDNA3 matrix builtins are seen in a case.

Things are of programs that are executed: one that is rejected or undefined has no data, and breaks the rules by which
classes exclude each other. An instruction in a loop is one thing in the first, in the second and in the last pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources

import msgspec

from mmaspec.oracle.expectation import Defined
from mmaspec.strategies.amd_rdna3_wmma.observations import (
    argument,
    buffer,
    fill,
    fragment,
    load,
    loop,
    operand,
    product,
    product_data,
    program,
    sequence,
    store,
    tiling,
)
from mmaspec.strategies.amd_rdna3_wmma.observations.elements import sums
from mmaspec.strategies.amd_rdna3_wmma.observations.elements.dependence import dependence, part
from mmaspec.strategies.axes.observation import Observer, Subject, Thing

_WITH_THINGS = (program, buffer, fragment, argument, load, store, fill, product, sequence, loop, tiling, operand, sums)


def things(subject: Subject) -> Iterator[Thing]:
    """Everything with axes in a case that is executed."""
    if isinstance(subject.expectation, Defined):
        for part in _WITH_THINGS:
            yield from part.things(subject)


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
        **argument.LOOKS, **buffer.LOOKS, **fill.LOOKS, **fragment.LOOKS, **load.LOOKS, **loop.LOOKS, **operand.LOOKS,
        **product.LOOKS, **product_data.LOOKS, **program.LOOKS, **sequence.LOOKS, **store.LOOKS, **sums.LOOKS,
        **tiling.LOOKS,
    },
    unseen=_unseen(),
    dependence=dependence,
    part=part,
)  # fmt: skip
"""What is seen of these builtins."""
