"""Undefined behaviour of memory: bounds, alignment, order, and matrices in optimal layouts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from mmaspec.oracle.hlsl_linalg.addresses import access_format, array_bytes, format_of
from mmaspec.oracle.hlsl_linalg.races import race
from mmaspec.oracle.hlsl_linalg.rule_context import Context
from mmaspec.oracle.hlsl_linalg.touches import Region, Touch
from mmaspec.oracle.hlsl_linalg.undefined.threads import Rule
from mmaspec.oracle.hlsl_linalg.validity.memory import (
    MATRIX_ALIGNMENT,
    STRIDE_ALIGNMENT,
    SUM_ALIGNMENT,
    Access,
    accesses,
    addresses,
    values,
)
from mmaspec.programs.hlsl_linalg.program import (
    LINEAR,
    Barrier,
    ConvertLayout,
    InterlockedAccumulate,
    Load,
    Store,
    VectorAccumulate,
)
from mmaspec.programs.hlsl_linalg.well_formed_instructions import scalar_bytes
from mmaspec.programs.tree import unrolled

ALLOCATION_ALIGNMENT = 256
"""What the address of an allocation is known to be a multiple of: a stronger promise cannot be kept."""


def sizes_of(context: Context) -> dict[str, int]:
    """Bytes of every view and array."""
    sizes = {buffer.name: buffer.size for buffer in context.program.buffers}
    sizes.update({array.name: array_bytes(array) for array in context.program.arrays})
    return sizes


def _outside(touch: Touch, sizes: Mapping[str, int]) -> bool:
    if not touch.starts.size:
        return False
    return int(touch.starts.min()) < 0 or int(touch.starts.max()) + touch.size > sizes[touch.memory]


def gs_bounds(context: Context) -> bool:
    """LINALG-GS-BOUNDS: a load beyond an array."""
    sizes = sizes_of(context)
    return any(
        isinstance(touch.instruction, Load) and not touch.checked and not touch.regions and _outside(touch, sizes)
        for touch in context.touches
    )


def plain_bounds(context: Context) -> bool:
    """LINALG-PLAIN-BOUNDS: plain code, a vector, a bias or the source of a conversion outside its buffer or array."""
    sizes = sizes_of(context)
    return any(
        not touch.checked
        and not touch.regions  # they are where something put them
        and not isinstance(touch.instruction, Access)
        and not (isinstance(touch.instruction, ConvertLayout) and touch.effect == "store")
        and _outside(touch, sizes)
        for touch in context.touches
    )


def layout_size(context: Context) -> bool:
    """LINALG-LAYOUT-SIZE: the target of a conversion does not hold the matrix."""
    sizes = sizes_of(context)
    return any(
        isinstance(touch.instruction, ConvertLayout) and touch.effect == "store" and _outside(touch, sizes)
        for touch in context.touches
    )


def align_kept(context: Context) -> bool:
    """LINALG-ALIGN-KEPT: an address that is no multiple of the alignment parameter, or of its default.

    So is a stride of an accumulation that is no multiple of 16 bytes, of which the text says nothing (LINALG-AMB-20);
    in the text of 2025-09-19 any stride that is no multiple of the element's HLSL type, whose size is the default.
    """
    for one, scope, passes in accesses(context, Load, Store, InterlockedAccumulate):
        linear = one.layout in LINEAR
        least, step = MATRIX_ALIGNMENT, STRIDE_ALIGNMENT if isinstance(one, InterlockedAccumulate) else 1
        if context.source:
            step = scalar_bytes(context.program.matrix(one.matrix).component)
            least = step if linear else MATRIX_ALIGNMENT
            if one.align and _not_kept(least, addresses(context, one.memory, scope, one.offset, passes)):
                return True
        if _not_kept(one.align or least, addresses(context, one.memory, scope, one.offset, passes)):
            return True
        if linear and any(stride % step for stride in values(context, scope, one.stride, passes)):
            return True
    return any(
        _not_kept(one.align or SUM_ALIGNMENT, addresses(context, one.buffer, "Thread", one.offset, passes))
        for one, passes in context.each(VectorAccumulate)
    )


def _not_kept(alignment: int, found: Iterator[int]) -> bool:
    return ALLOCATION_ALIGNMENT % alignment > 0 or any(address % alignment for address in found)


def acc_gs_units(context: Context) -> bool:
    """LINALG-ACC-GS-UNITS: a sum in an array whose elements have another size than those of the matrix."""
    program = context.program
    matrices = ((one, program.matrix(one.matrix)) for one, _ in context.each(InterlockedAccumulate))
    return any(
        access_format(program, one, matrix, context.caps.revision).nbytes != format_of(matrix.component).nbytes
        for one, matrix in matrices
    )


def epochs(context: Context) -> Iterator[list[Touch]]:
    """What is touched between one barrier and the next; conversions are ordered by the command list."""
    found = iter(context.touches)
    touch = next(found, None)
    since: list[Touch] = []
    for place, instruction in unrolled(context.program):
        apart = isinstance(instruction, Barrier | ConvertLayout)
        if apart and since:
            yield since
            since = []
        while touch is not None and touch.place == place:
            since.append(touch)
            touch = next(found, None)
        if apart and since:
            yield since
            since = []
    yield since


def order(context: Context) -> bool:
    """LINALG-ORDER: bytes that one access writes and another one touches, without a barrier between.

    Atomic sums of the same elements in the same type have no order among themselves; elements of one store, or of one
    matrix that is accumulated, must not overlap (LINALG-AMB-05).
    """
    buffers = {buffer.name: buffer for buffer in context.program.buffers}
    return any(race(buffers, sizes_of(context), epoch) for epoch in epochs(context))


def optimal(context: Context) -> bool:
    """LINALG-OPTIMAL: memory in an optimal layout used otherwise than it was written, or never written so."""
    live: dict[str, dict[int, Region]] = {}
    for touch in context.touches:
        there = live.setdefault(touch.memory, {})
        if not touch.regions:
            if there and _meets(touch, there):
                return True
        elif touch.effect == "store":
            for region in touch.regions:
                _put(there, region)
        elif any(there.get(region.start) != region or not region.nbytes for region in touch.regions):
            return True
    return False


def _meets(touch: Touch, there: Mapping[int, Region]) -> bool:
    taken = touch.bytes
    return any(((taken >= one.start) & (taken < one.start + one.nbytes)).any() for one in there.values())


def _put(there: dict[int, Region], region: Region) -> None:
    """A matrix takes the place of all that its bytes meet."""
    end = region.start + region.nbytes
    for start, old in list(there.items()):
        if start < end and region.start < start + old.nbytes:
            del there[start]
    there[region.start] = region


MEMORY_RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "LINALG-GS-BOUNDS": gs_bounds,
        "LINALG-PLAIN-BOUNDS": plain_bounds,
        "LINALG-LAYOUT-SIZE": layout_size,
        "LINALG-ALIGN-KEPT": align_kept,
        "LINALG-ACC-GS-UNITS": acc_gs_units,
        "LINALG-ORDER": order,
        "LINALG-OPTIMAL": optimal,
    }
)
"""Clause -> whether a program crosses it."""
