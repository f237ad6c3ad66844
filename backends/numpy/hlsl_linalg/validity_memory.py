"""Checks of accesses to buffers: where from and where to, layouts and alignments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from mmaspec.backends.numpy.hlsl_linalg.facts import Access, Checks
from mmaspec.programs.hlsl_linalg.program import (
    LINEAR,
    AccumulatorLayout,
    Beyond,
    CountElements,
    InterlockedAccumulate,
    Load,
    Matrix,
    ReadElements,
    Store,
    Unstage,
    VectorAccumulate,
    VectorStore,
)

GRAIN = 128
"""Bytes at multiples of which a matrix in a buffer starts."""
LINE = 16
"""Bytes at multiples of which its rows or columns start."""
SUM_GRAIN = 64
"""Bytes at multiples of which a matrix or vector that is added to a buffer starts."""


def loads(checks: Checks) -> list[tuple[Load, Matrix]]:
    """Every Load of a matrix."""
    return [(access, matrix) for access, matrix in checks.accesses() if isinstance(access, Load)]


def sums(checks: Checks) -> list[tuple[InterlockedAccumulate, Matrix]]:
    """Every accumulation of a matrix in memory."""
    return [(access, matrix) for access, matrix in checks.accesses() if isinstance(access, InterlockedAccumulate)]


def writable_source(checks: Checks) -> bool:
    """Whether a matrix of Thread scope is loaded from a buffer that is not bound as read-only."""
    buffers = {buffer.name for buffer in checks.program.buffers} - set(checks.program.read_only)
    return any(matrix.scope == "Thread" and access.memory in buffers for access, matrix in loads(checks))


def sum_layout(checks: Checks) -> bool:
    """Whether a matrix is accumulated in a layout that its scope does not have."""
    return any(
        checks.layout(access) not in (("OuterProductOptimal",) if matrix.scope == "Thread" else LINEAR)
        for access, matrix in sums(checks)
    )


def read_only_target(checks: Checks) -> bool:
    """Whether anything is written to a buffer bound as read-only."""
    writes: list[str] = []
    for found in checks.instructions():
        match found:
            case Store() | InterlockedAccumulate():
                writes.append(found.memory)
            case VectorStore() | VectorAccumulate() | ReadElements() | Beyond() | CountElements() | AccumulatorLayout():
                writes.append(found.buffer)
            case Unstage():
                writes.append(found.buffer)
            case _:
                pass
    return any(name in checks.program.read_only for name in writes)


def misaligned(checks: Checks, kinds: type[Access] | tuple[type[Access], ...], grain: int) -> bool:
    """Whether the first element of such an access lies at no multiple of so many bytes."""
    return any(
        (checks.base(access.memory) + touch.offset) % grain
        for touch, access in checks.buffered()
        if isinstance(access, kinds)
    )


def misaligned_vector(checks: Checks) -> bool:
    """Whether a vector is added at no multiple of 64 bytes, or its alignment said to be less."""
    found = [(touch, touch.access) for touch in checks.touches() if isinstance(touch.access, VectorAccumulate)]
    return any(
        0 < access.align < SUM_GRAIN or (checks.base(access.buffer) + touch.offset) % SUM_GRAIN
        for touch, access in found
    )


MEMORY_CHECKS: Mapping[str, Callable[[Checks], bool]] = MappingProxyType(
    {
        "LINALG-LOAD-SRC": writable_source,
        "LINALG-LOAD-USE": lambda c: any(matrix.scope == "Thread" and matrix.use != "A" for _, matrix in loads(c)),
        "LINALG-LOAD-LAYOUT": lambda c: any(
            matrix.scope != "Thread" and access.layout not in LINEAR for access, matrix in loads(c)
        ),
        "LINALG-LOAD-STRIDE0": lambda c: any(
            touch.stride != 0 for touch, access in c.buffered() if c.layout(access) not in LINEAR
        ),
        "LINALG-STRIDE-16": lambda c: any(
            touch.stride % LINE
            for touch, access in c.buffered()
            if isinstance(access, (Load, Store)) and access.layout in LINEAR
        ),
        "LINALG-BASE-ALIGN": lambda c: misaligned(c, (Load, Store), GRAIN),
        "LINALG-ALIGN": lambda c: any(access.align % GRAIN for _, access in c.buffered()),
        "LINALG-STORE-LAYOUT": lambda c: any(
            isinstance(access, Store) and access.layout not in LINEAR for access, _ in c.accesses()
        ),
        "LINALG-STORE-TARGET": read_only_target,
        "LINALG-ACC-USE": lambda c: any(matrix.use != "Accumulator" for _, matrix in sums(c)),
        "LINALG-ACC-LAYOUT": sum_layout,
        "LINALG-ACC-BASE": lambda c: misaligned(c, InterlockedAccumulate, SUM_GRAIN),
        "LINALG-VEC-ACC-ALIGN": misaligned_vector,
    }
)
"""Clause -> whether a program breaks it."""
