"""Programs with one instruction changed: the machinery under the toggles."""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.oracle.nv_coopmat2.footprint import addresses, array_bytes, component_bytes
from mmaspec.oracle.nv_coopmat2.program import Access, CoopMatProgram, Layout, LoadTensor, Repeat, Simple
from mmaspec.oracle.nv_coopmat2.sources import sources
from mmaspec.oracle.program import Affine, Index, Place

FRESH = "toggled"
"""Name of the layout that a toggled tensor access uses."""


def instruction_at(program: CoopMatProgram, place: Place) -> Simple:
    """The instruction at a place; an inner one for a path of two."""
    outer = program.body[place.path[0]]
    if isinstance(outer, Repeat):
        return outer.body[place.path[1]]
    return outer


def passes_at(program: CoopMatProgram, place: Place) -> int:
    """How often the instruction at a place runs."""
    outer = program.body[place.path[0]]
    return outer.count if isinstance(outer, Repeat) else 1


def exchanged(program: CoopMatProgram, place: Place, new: Simple, layout: Layout | None = None) -> CoopMatProgram:
    """The program with another instruction at a place, and one more layout."""
    body = list(program.body)
    outer = body[place.path[0]]
    if isinstance(outer, Repeat):
        nested = list(outer.body)
        nested[place.path[1]] = new
        body[place.path[0]] = Repeat(outer.count, tuple(nested))
    else:
        body[place.path[0]] = new
    layouts = program.layouts if layout is None else (*program.layouts, layout)
    return replace(program, body=tuple(body), layouts=layouts)


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

    None for a load of memory as it stands: what it finds cannot be moved.
    """
    if isinstance(old, LoadTensor) or hasattr(old, "data"):
        if getattr(old, "data", None) is None:
            return None
        known = next((source.shape for source in sources(program) if source.name == getattr(old, "data", None)), None)
        waves, passes = (known[0] > 1, known[1] > 1) if known is not None else (False, False)
    else:
        waves, passes = program.waves > 1, passes_at(program, place) > 1
    matrix = program.matrix(old.matrix)
    unit = array_bytes(new, matrix)
    candidate = exchanged(program, place, replace(new, offset=0), layout)
    moved = instruction_at(candidate, place)
    assert isinstance(moved, Access)
    reach = [addresses(candidate, moved, loop) for loop in range(passes_at(program, place))]
    extent = max((int(where.max()) for where in reach), default=0) + component_bytes(matrix)
    if isinstance(new, LoadTensor):
        extent = max(extent, _tensor_extent(candidate, moved))
    grain = max(unit, 16)
    extent = -(-extent // grain) * grain
    size = {buffer.name: buffer.size for buffer in program.buffers}[old.buffer]
    start = -(-size // grain) * grain
    instances = (program.waves if waves else 1) * (passes_at(program, place) if passes else 1)
    per_pass = extent * (program.waves if waves else 1)
    offset = Affine(start // unit, extent // unit if waves else 0, per_pass // unit if passes else 0)
    grown = tuple(
        replace(buffer, size=start + extent * instances) if buffer.name == old.buffer else buffer
        for buffer in program.buffers
    )
    return replace(exchanged(program, place, replace(new, offset=offset), layout), buffers=grown)


def _tensor_extent(program: CoopMatProgram, access: Access) -> int:
    """Bytes from the start of a tensor to its last element."""
    from mmaspec.oracle.nv_coopmat2.layouts import evaluate

    if not hasattr(access, "tensor"):
        return 0
    t = evaluate(program, access.tensor, 0, 0)
    last = sum((dim - 1) * stride for dim, stride in zip(t.layout_dimension, t.stride, strict=True) if dim)
    return (last + 1) * component_bytes(program.matrix(access.matrix))
