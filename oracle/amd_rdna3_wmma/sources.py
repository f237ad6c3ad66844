"""The data of a program's loads: their elements, and where each lies in memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mmaspec.oracle.amd_rdna3_wmma.addresses import access_addresses, element_format
from mmaspec.oracle.source import Source
from mmaspec.programs.amd_rdna3_wmma.program import Fragment, Load, Wmma, WmmaProgram
from mmaspec.programs.base import Affine, Place
from mmaspec.programs.errors import BadInput
from mmaspec.programs.formats import Format, format_named
from mmaspec.programs.tree import walk
from mmaspec.programs.windows import image_places, within


def sources(program: WmmaProgram) -> tuple[Source, ...]:
    """The data of every load that names some; a name may come again for the same bytes only."""
    found: dict[str, Source] = {}
    for place, step, passes in walk(program):
        if isinstance(step, Load) and step.data is not None:
            for source in _sources_of(program, place, step, passes):
                known = found.setdefault(source.name, source)
                if known.buffer != source.buffer or not np.array_equal(known.addresses, source.addresses):
                    raise BadInput(f"program: data {source.name!r} named for two different places")
    _check_apart(program, found)
    return tuple(found.values())


def _sources_of(program: WmmaProgram, place: Place, step: Load, count: int) -> Iterator[Source]:
    fragment = program.fragment(step.into)
    block = step.block if isinstance(step.block, Affine) else Affine(0)
    waves = program.waves if block.wave or block.row else 1
    passes = range(count if block.loop else 1)
    addresses = access_addresses(step, fragment, program.wave_size, waves, passes)
    role = {"a": "a", "b": "b", "cd": "c"}[fragment.use]
    fmt = _read_as(program, place, fragment)
    names = (step.data, *step.replicas)
    if len(set(names)) == 1:
        yield Source(names[0], role, fmt, step.buffer, addresses)  # type: ignore[arg-type]
        return
    for copy, name in enumerate(names):
        mine = addresses[[n for n, other in enumerate(names) if other == name]]
        if name not in names[:copy]:
            yield Source(name, role, fmt, step.buffer, mine)  # type: ignore[arg-type]


def _read_as(program: WmmaProgram, place: Place, fragment: Fragment) -> Format:
    """The format under which the next instruction takes the fragment: bytes have their sign from its flag."""
    fmt = element_format(fragment)
    if fmt.name != "u8":
        return fmt
    for _, step, _ in sorted(walk(program), key=lambda item: item[0].path < place.path):
        if isinstance(step, Wmma) and fragment.name in (step.a, step.b):
            sign = step.a_sign if fragment.name == step.a else step.b_sign
            return format_named("s8") if sign is True else fmt
    return fmt


def _check_apart(program: WmmaProgram, found: dict[str, Source]) -> None:
    """Different data need different bytes."""
    buffers = {buffer.name: buffer for buffer in program.buffers}
    ends: dict[str, int] = {}
    for source in found.values():
        places = image_places(buffers[source.buffer], source.addresses)
        ends[source.buffer] = max(ends.get(source.buffer, 0), int(places.max()) + 1)
    # Counted from 1, as pages of zeros that nobody writes cost nothing.
    owners = {buffer: np.zeros(end, np.int64) for buffer, end in ends.items()}
    names = ["", *found]
    for number, source in enumerate(found.values(), 1):
        buffer = buffers[source.buffer]
        if buffer.windows and not within(buffer, source.addresses).all():
            raise BadInput(f"program: data {source.name!r} lie outside the windows of buffer {source.buffer}")
        places = image_places(buffer, source.addresses)
        others = owners[source.buffer][places]
        if others.any():
            other = names[int(others.max())]
            raise BadInput(f"program: data {source.name!r} and {other!r} lie on the same bytes")
        owners[source.buffer][places] = number
