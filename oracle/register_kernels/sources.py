"""The data of a kernel's loads, gathered: a name for one place only, and different data in different bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from mmaspec.oracle.source import OperandRole, Source
from mmaspec.programs.base import Affine, Place
from mmaspec.programs.errors import BadInput
from mmaspec.programs.register_kernels import Load, RegisterProgram, Use
from mmaspec.programs.tree import walk
from mmaspec.programs.windows import image_places, within

ROLES: dict[Use, OperandRole] = {"a": "a", "b": "b", "cd": "c"}
"""Use of a fragment -> what the data loaded into it will be."""


def apart(program: RegisterProgram, load: Load, passes: int) -> tuple[int, range]:
    """The number of waves and the passes whose places differ."""
    block = load.block if isinstance(load.block, Affine) else Affine(0)
    return (program.waves if block.wave or block.row else 1), range(passes if block.loop else 1)


def gathered(
    program: RegisterProgram, sources_of: Callable[[Place, Load, int], Iterable[Source]]
) -> tuple[Source, ...]:
    """The data of every load that names some; a name may come again for the same bytes only.

    ``sources_of`` gets a load's place, itself and its passes.
    """
    found: dict[str, Source] = {}
    for place, step, passes in walk(program):
        if isinstance(step, Load) and step.data is not None:
            for source in sources_of(place, step, passes):
                known = found.setdefault(source.name, source)
                if known.buffer != source.buffer or not np.array_equal(known.addresses, source.addresses):
                    raise BadInput(f"program: data {source.name!r} named for two different places")
    _check_apart(program, found)
    return tuple(found.values())


def _check_apart(program: RegisterProgram, found: dict[str, Source]) -> None:
    """Different data need different bytes."""
    buffers = {buffer.name: buffer for buffer in program.buffers}
    every = [image_places(buffers[source.buffer], source.addresses) for source in found.values()]
    ends: dict[str, int] = {}
    for source, places in zip(found.values(), every, strict=True):
        ends[source.buffer] = max(ends.get(source.buffer, 0), int(places.max()) + 1)
    # Counted from 1, as pages of zeros that nobody writes cost nothing.
    owners = {buffer: np.zeros(end, np.int64) for buffer, end in ends.items()}
    names = ["", *found]
    for number, (source, places) in enumerate(zip(found.values(), every, strict=True), 1):
        buffer = buffers[source.buffer]
        if buffer.windows and not within(buffer, source.addresses).all():
            raise BadInput(f"program: data {source.name!r} lie outside the windows of buffer {source.buffer}")
        others = owners[source.buffer][places]
        if others.any():
            other = names[int(others.max())]
            raise BadInput(f"program: data {source.name!r} and {other!r} lie on the same bytes")
        owners[source.buffer][places] = number
