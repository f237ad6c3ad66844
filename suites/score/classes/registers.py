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
    """``(batch, waves, lanes, words)``; every copy of an element that changes gets the same new bits."""
    words = registers.dtype.newbyteorder("<")
    octets = np.ascontiguousarray(registers.astype(words)).view(np.uint8)
    flat = np.unpackbits(octets.reshape(*octets.shape[:2], -1), axis=-1, bitorder="little")
    shifts = np.arange(where.shape[-1], dtype=np.uint64)
    bits = (flat[..., where[0]].astype(np.uint64) << shifts).sum(axis=-1, dtype=np.uint64)
    new = change(bits)
    parts = (new[..., None] >> shifts & np.uint64(1)).astype(np.uint8)
    moved = (new != bits)[..., None]
    for copy in where:
        flat[..., copy] = np.where(moved, parts, flat[..., copy])
    found = np.packbits(flat, axis=-1, bitorder="little").view(words)
    return found.reshape(registers.shape).astype(registers.dtype)
