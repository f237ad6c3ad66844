"""Elements of a matrix as a reference device holds them: as they are, or in the registers of waves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.ordinals import Bits
from mmaspec.oracle.spec import AnySpec
from mmaspec.programs.base import Program

Change = Callable[[Bits], Bits]
"""From elements ``(batch, waves, rows, cols)`` to what stands there instead."""


def in_device(spec: AnySpec, program: Program, matrix: str, change: Change) -> Callable[[NDArray[Any]], NDArray[Any]]:
    """The same change of what the reference device holds."""
    if not matrix or spec.registers is None:
        return change
    where = spec.registers(program, matrix)
    return lambda registers: _in_registers(registers, where, change)


def _in_registers(registers: NDArray[Any], where: NDArray[np.int64], change: Change) -> NDArray[Any]:
    """``(batch, waves, lanes, VGPRs)``; every copy of an element that changes gets the same new bits."""
    octets = np.ascontiguousarray(registers.astype("<u4")).view(np.uint8)
    flat = octets.reshape(*octets.shape[:2], -1).copy()
    # An element is whole bytes, or a part of one.
    part = min(where.shape[-1], 8)
    first = where[..., ::part]
    shifts = np.arange(first.shape[-1], dtype=np.uint64) * np.uint64(8)
    mask, low = np.uint8((1 << part) - 1), (first % 8).astype(np.uint8)
    bits = ((flat[..., first[0] // 8] >> low[0] & mask).astype(np.uint64) << shifts).sum(axis=-1, dtype=np.uint64)
    new = change(bits)
    parts = (new[..., None] >> shifts & np.uint64(mask)).astype(np.uint8)
    moved = np.broadcast_to((new != bits)[..., None], parts.shape)
    for copy, begin in zip(first // 8, low, strict=True):
        # Neighbours share a byte, so those that begin at the same bit go together: no byte has two of them.
        for bit in np.unique(begin):
            mine = begin == bit
            old = flat[..., copy[mine]]
            kept = old & ~np.uint8(int(mask) << int(bit))
            flat[..., copy[mine]] = np.where(moved[..., mine], kept | parts[..., mine] << bit, old)
    return flat.view("<u4").reshape(registers.shape).astype(registers.dtype)
