"""The validity checks of the reference device for layouts, views, decode functions and what takes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from mmaspec.backends.numpy.nv_coopmat2.validity import Checks
from mmaspec.programs.base import Index
from mmaspec.programs.nv_coopmat2.program import (
    ARRAY_BYTES,
    Decode,
    Echo,
    Layout,
    LoadTensor,
    SetBlockSize,
    SetClip,
    SetDimension,
    SetStride,
    SetViewStride,
    Slice,
    StoreTensor,
    View,
)


def _tensor_accesses(checks: Checks) -> Iterator[tuple[LoadTensor | StoreTensor, int]]:
    return ((access, loop) for access, loop in checks.executed() if isinstance(access, LoadTensor | StoreTensor))


def misaligned_base(checks: Checks) -> bool:
    """A tensor access that does not start at a multiple of 16 bytes."""
    for access, loop in _tensor_accesses(checks):
        unit = ARRAY_BYTES[access.array] if access.array else checks.component(access.matrix)
        if any(offset * unit % 16 for offset in checks.each_wave(access.offset, loop)):
            return True
    return False


def wrong_rank(checks: Checks) -> bool:
    """A layout or a view with no dimension, or with more than five."""
    ranks = [layout.rank for layout in checks.program.layouts] + [view.rank for view in checks.program.views]
    return any(not 1 <= rank <= 5 for rank in ranks)


def wrong_mode(checks: Checks) -> bool:
    """A clamp mode without a name."""
    return not {layout.clamp_mode for layout in checks.program.layouts} <= {0, 1, 2, 3, 4}


def wrong_order(checks: Checks) -> bool:
    """A view whose axes are not every one of its dimensions once."""
    return any(view.permutation and sorted(view.permutation) != [*range(view.rank)] for view in checks.program.views)


def wrong_types(checks: Checks) -> bool:
    """A layout or a view made from one of another type, or with a wrong number of arguments."""
    program = checks.program
    return any(_ill_typed(checks, layout) for layout in program.layouts) or any(
        _ill_typed_view(checks, view) for view in program.views
    )


def _ill_typed(checks: Checks, layout: Layout) -> bool:
    if layout.start is not None:
        origin = checks.program.layout(layout.start)
        if origin.rank != layout.rank or origin.clamp_mode != layout.clamp_mode:
            return True
    counts = set()
    for call in layout.calls:
        if isinstance(call, SetBlockSize):
            counts.add(len(call.sizes))
        elif isinstance(call, SetDimension):
            counts.add(len(call.dimensions))
        elif isinstance(call, SetStride):
            counts.add(len(call.strides))
        elif isinstance(call, Slice):
            counts |= {len(call.offsets), len(call.spans)}
    return not counts <= {layout.rank}


def _ill_typed_view(checks: Checks, view: View) -> bool:
    def kind(each: View) -> tuple[int, bool, tuple[int, ...]]:
        return each.rank, each.has_dimensions, each.permutation or tuple(range(each.rank))

    if view.start is not None and kind(checks.program.view(view.start)) != kind(view):
        return True
    for call in view.calls:
        if not isinstance(call, SetClip):
            given = call.strides if isinstance(call, SetViewStride) else call.dimensions
            if len(given) != view.rank:
                return True
    return False


def stored_with_blocks(checks: Checks) -> bool:
    """A store that decodes, or through a layout with blocks of more than one element."""
    for access, loop in _tensor_accesses(checks):
        if isinstance(access, StoreTensor):
            if access.decode is not None:
                return True
            for wave in range(checks.program.waves):
                if any(size > 1 for size in _latest(checks, access.tensor, SetBlockSize, wave, loop)):
                    return True
    return False


def other_signature(checks: Checks) -> bool:
    """A decode function with another return type or number of coordinates, without a reference, or that may write."""
    for access, _ in _tensor_accesses(checks):
        if isinstance(access, LoadTensor) and access.decode is not None:
            own = checks.program.matrix(access.matrix).component
            if access.decode.by_value or not access.decode.qualifier.startswith("const"):
                return True
            if access.buffer in checks.program.shared:
                return True
            if (access.decode.component or own) != own:
                return True
            if set(_axes(access.decode)) != {checks.program.layout(access.tensor).rank}:
                return True
    return False


def _axes(function: Decode) -> Iterator[int]:
    """Over how many axes each coordinate argument of a function runs."""
    yield len(function.block)
    if isinstance(function, Echo):
        yield len(function.within)


def short_strides(checks: Checks) -> bool:
    """A stride below the next inner one times the blocks of the next inner dimension."""
    if wrong_types(checks):
        return False
    used: dict[str, set[int]] = {layout.name: set() for layout in checks.program.layouts}
    for access, loop in _tensor_accesses(checks):
        used[access.tensor].add(loop)
    return any(
        _short(checks, layout, wave, loop)
        for layout in checks.program.layouts
        for loop in used[layout.name] or {0}
        for wave in range(checks.program.waves)
    )


def _short(checks: Checks, layout: Layout, wave: int, loop: int) -> bool:
    sizes = _latest(checks, layout.start, SetDimension, wave, loop) or [0] * layout.rank
    blocks = _latest(checks, layout.start, SetBlockSize, wave, loop) or [1] * layout.rank
    for call in layout.calls:
        if isinstance(call, SetDimension):
            sizes = _values(checks, call.dimensions, wave, loop)
        elif isinstance(call, SetBlockSize):
            blocks = _values(checks, call.sizes, wave, loop)
        elif isinstance(call, SetStride):
            strides = _values(checks, call.strides, wave, loop)
            counts = [(size + block - 1) // block if block else 0 for size, block in zip(sizes, blocks, strict=True)]
            inner = zip(strides[1:], counts[1:], strict=True)
            if any(outer < step * count for outer, (step, count) in zip(strides, inner, strict=False)):
                return True
    # A layout inherits what is wrong with the one that it starts from.
    return layout.start is not None and _short(checks, checks.program.layout(layout.start), wave, loop)


def _latest(
    checks: Checks, name: str | None, kind: type[SetDimension | SetBlockSize], wave: int, loop: int
) -> list[int]:
    """The arguments of the last call of a kind on a layout or on what it starts from; none without a call."""
    while name is not None:
        layout = checks.program.layout(name)
        for call in reversed(layout.calls):
            if isinstance(call, kind):
                return _values(checks, call.sizes if isinstance(call, SetBlockSize) else call.dimensions, wave, loop)
        name = layout.start
    return []


def _values(checks: Checks, arguments: tuple[Index, ...], wave: int, loop: int) -> list[int]:
    return [checks.value(argument, wave, loop) for argument in arguments]


TENSOR_CHECKS: Mapping[str, Callable[[Checks], bool]] = MappingProxyType(
    {
        "NVCM2-DIM-RANGE": wrong_rank,
        "NVCM2-ENUMS": wrong_mode,
        "NVCM2-VIEW-PERM": wrong_order,
        "NVCM2-TYPE-PARAMS": wrong_types,
        "NVCM2-SETSTRIDE-MIN": short_strides,
        "NVCM2-BASE-ALIGN": misaligned_base,
        "NVCM2-STORE-NOBLOCK": stored_with_blocks,
        "NVCM2-DECODE-SIG": other_signature,
    }
)
"""Validity clause -> the check that finds it broken."""
