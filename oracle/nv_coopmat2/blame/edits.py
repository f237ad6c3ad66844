"""Programs with one instruction changed, from which ablations are made."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec.structs import replace

from mmaspec.oracle.nv_coopmat2.addresses import array_bytes, touched
from mmaspec.oracle.nv_coopmat2.sources.program import sources
from mmaspec.oracle.nv_coopmat2.sources.tensors import tensor_sources
from mmaspec.programs import tree
from mmaspec.programs.base import Affine, Buffer, Index, Place
from mmaspec.programs.nv_coopmat2.program import (
    Access,
    CoopMatProgram,
    Layout,
    Load,
    LoadTensor,
    Simple,
    StoreTensor,
    View,
)
from mmaspec.programs.unused import unused
from mmaspec.programs.windows import around

FRESH, FRESH_VIEW = "toggled", "turned"
"""Names of the layout and of the view that a tensor access uses in an ablation: a shader may hold both."""

PLENTY = 1 << 30
"""Bytes of a buffer in which a tensor is measured."""


def exchanged(
    program: CoopMatProgram, place: Place, new: Simple, layout: Layout | None = None, view: View | None = None
) -> CoopMatProgram:
    """The program with another instruction at a place, and one more layout or view."""
    if layout is not None and isinstance(new, LoadTensor | StoreTensor):
        layout = replace(layout, name=unused(layout.name, (one.name for one in program.layouts)))
        new = replace(new, tensor=layout.name)
    if view is not None and isinstance(new, LoadTensor | StoreTensor):
        view = replace(view, name=unused(view.name, (one.name for one in program.views)))
        new = replace(new, view=view.name)
    layouts = program.layouts if layout is None else (*program.layouts, layout)
    views = program.views if view is None else (*program.views, view)
    return replace(tree.replace(program, place, new), layouts=layouts, views=views)


def scaled(index: Index, unit: int, nbytes: int) -> Index | None:
    """An argument in units of ``nbytes`` instead of ``unit`` bytes; None where it is no whole number of them."""
    if isinstance(index, int):
        return index * unit // nbytes if index * unit % nbytes == 0 else None
    if not isinstance(index, Affine):
        return None
    parts = [part * unit for part in (index.base, index.wave, index.loop)]
    return None if any(part % nbytes for part in parts) else Affine(*(part // nbytes for part in parts))


def relocated(
    program: CoopMatProgram, place: Place, old: Access, new: Access, layout: Layout | None = None
) -> CoopMatProgram | None:
    """``new`` instead of ``old``, at the end of the same buffer, apart wherever ``old`` was apart.

    Instead of a sparse buffer it gets another one of its own. None for a load of memory as it stands: what that finds
    cannot be moved.
    """
    if isinstance(old, LoadTensor | Load):
        if old.data is None:
            return None
        known = data_shapes(program).get(old.data)
        waves, passes = (known[0] > 1, known[1] > 1) if known is not None else (False, False)
    else:
        waves, passes = program.waves > 1, tree.passes(program, place) > 1
    unit = array_bytes(new, program.matrix(old.matrix))
    candidate = exchanged(program, place, replace(new, offset=0), layout)
    moved = tree.at(candidate, place)
    assert isinstance(moved, Access)
    extent = _extent(candidate, moved, tree.passes(program, place))
    grain = max(unit, 16)
    extent = -(-extent // grain) * grain
    held = next(buffer for buffer in program.buffers if buffer.name == old.buffer)
    start = 0 if held.windows else -(-held.size // grain) * grain
    instances = (program.waves if waves else 1) * (tree.passes(program, place) if passes else 1)
    per_pass = extent * (program.waves if waves else 1)
    offset = Affine(start // unit, extent // unit if waves else 0, per_pass // unit if passes else 0)
    sparse = bool(held.windows)
    if sparse:
        held = Buffer(unused("moved", (buffer.name for buffer in program.buffers)), 0)
        new = replace(new, buffer=held.name)
        program = replace(program, buffers=(*program.buffers, held))
    grown = tuple(
        replace(buffer, size=start + extent * instances) if buffer.name == held.name else buffer
        for buffer in program.buffers
    )
    found = replace(exchanged(program, place, replace(new, offset=offset), layout), buffers=grown)
    return _windowed(found, place, held.name) if sparse else found


def _windowed(program: CoopMatProgram, place: Place, name: str) -> CoopMatProgram:
    """The program with windows around what an access and its whole tensor take of the buffer that it has alone."""
    access, passes = tree.at(program, place), tree.passes(program, place)
    assert isinstance(access, Access)
    taken = [one for loop in range(passes) for one in touched(program, access, loop)]
    if isinstance(access, LoadTensor):
        found = tensor_sources(program, access, passes)
        taken += [(one.addresses[..., np.newaxis] + np.arange(one.fmt.nbytes)).ravel() for one in found]
    buffers = tuple(around(buffer, taken) if buffer.name == name else buffer for buffer in program.buffers)
    return replace(program, buffers=buffers)


def data_shapes(program: CoopMatProgram) -> Mapping[str, tuple[int, ...]]:
    """The shapes of the data of every load."""
    return {source.name: source.shape for source in sources(program)}


def _extent(program: CoopMatProgram, access: Access, passes: int) -> int:
    """Bytes from the start of the buffer to the end of what an access there touches, its whole tensor included."""
    taken = [one for loop in range(passes) for one in touched(program, access, loop)]
    end = max((int(one.max()) + 1 for one in taken if one.size), default=0)
    if isinstance(access, LoadTensor):
        wide = tuple(
            replace(buffer, size=PLENTY) if buffer.name == access.buffer else buffer for buffer in program.buffers
        )
        for source in tensor_sources(replace(program, buffers=wide), access, passes):
            end = max(end, int(source.addresses.max()) + source.fmt.nbytes)
    return end
