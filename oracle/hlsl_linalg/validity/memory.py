"""Validity of what moves matrices and vectors from and to byte-address buffers: one small function for each clause."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from mmaspec.oracle.hlsl_linalg.caps_support import TRANSPOSED
from mmaspec.oracle.hlsl_linalg.rule_context import Context
from mmaspec.oracle.hlsl_linalg.validity.types import Rule
from mmaspec.programs.base import Index
from mmaspec.programs.hlsl_linalg.program import (
    LINEAR,
    ConvertLayout,
    InterlockedAccumulate,
    Load,
    Scope,
    Store,
    VectorAccumulate,
)
from mmaspec.programs.hlsl_linalg.threads import by_instance

Access = Load | Store | InterlockedAccumulate

MATRIX_ALIGNMENT = 128
"""Bytes on whose multiples matrices lie in buffers, and that alignment parameters are multiples of."""
SUM_ALIGNMENT = 64
"""The same of the places where something is accumulated, and the least parameter of a vector."""
STRIDE_ALIGNMENT = 16


def values(context: Context, scope: Scope, index: Index, passes: int) -> Iterator[int]:
    """Every value that an argument has for some matrix of a scope in some pass."""
    for loop in range(passes):
        yield from set(by_instance(context.program, scope, index, loop))


def addresses(context: Context, memory: str, scope: Scope, offset: Index, passes: int) -> Iterator[int]:
    """The address, modulo 256, of what begins at an offset of a buffer."""
    (base,) = (buffer.base for buffer in context.program.buffers if buffer.name == memory)
    return (base + value for value in values(context, scope, offset, passes))


def accesses(context: Context, *kinds: type[Access]) -> Iterator[tuple[Access, Scope, int]]:
    """Every access of these kinds to a buffer, the scope of its matrix, and the number of its passes."""
    for one, passes in context.each(Load, Store, InterlockedAccumulate):
        if isinstance(one, kinds) and context.program.array(one.memory) is None:
            yield one, context.program.matrix(one.matrix).scope, passes


def load_src(context: Context) -> bool:
    """LINALG-LOAD-SRC: a Thread matrix is loaded from a read-only buffer."""
    return any(
        scope == "Thread" and one.memory not in context.program.read_only for one, scope, _ in accesses(context, Load)
    )


def load_use(context: Context) -> bool:
    """LINALG-LOAD-USE: a Thread matrix that is loaded is an A."""
    matrices = (context.program.matrix(one.matrix) for one, _ in context.each(Load))
    return any(matrix.scope == "Thread" and matrix.use != "A" for matrix in matrices)


def load_layout(context: Context) -> bool:
    """LINALG-LOAD-LAYOUT: Wave and ThreadGroup matrices are loaded row- or column-major."""
    return any(
        one.layout not in LINEAR and context.program.matrix(one.matrix).scope != "Thread"
        for one, _ in context.each(Load)
    )


def load_stride0(context: Context) -> bool:
    """LINALG-LOAD-STRIDE0: the stride of an optimal layout is 0, that of Thread accumulations always."""
    return any(
        any(values(context, scope, one.stride, passes))
        for one, scope, passes in accesses(context, Load, InterlockedAccumulate)
        if one.layout not in LINEAR or (isinstance(one, InterlockedAccumulate) and scope == "Thread")
    )


def store_layout(context: Context) -> bool:
    """LINALG-STORE-LAYOUT: stores are row- or column-major."""
    return any(one.layout not in LINEAR for one, _ in context.each(Store))


def acc_layout(context: Context) -> bool:
    """LINALG-ACC-LAYOUT: sums are row- or column-major above Thread scope, and OuterProductOptimal there.

    A Thread accumulation has no layout argument, but in the text of 2025-09-19: a program may leave it at its default.
    """
    allowed = ("OuterProductOptimal",) if context.source else ("RowMajor", "OuterProductOptimal")
    for one, _ in context.each(InterlockedAccumulate):
        thread = context.program.matrix(one.matrix).scope == "Thread"
        if one.layout not in (allowed if thread else LINEAR):
            return True
    return False


def layout_four(context: Context) -> bool:
    """LINALG-LAYOUT-FOUR: no layout of an access or a conversion transposes."""
    named = {one.layout for one, _ in context.each(Load, Store, InterlockedAccumulate)}
    for one, _ in context.each(ConvertLayout):
        named |= {one.source_layout, one.target_layout}
    return not named.isdisjoint(TRANSPOSED)


def stride_16(context: Context) -> bool:
    """LINALG-STRIDE-16: the stride of a load or store is a multiple of 16 bytes."""
    return any(
        stride % STRIDE_ALIGNMENT
        for one, scope, passes in accesses(context, Load, Store)
        if one.layout in LINEAR
        for stride in values(context, scope, one.stride, passes)
    )


def base_align(context: Context) -> bool:
    """LINALG-BASE-ALIGN: the first element of what is loaded or stored lies on a multiple of 128 bytes."""
    return any(
        address % MATRIX_ALIGNMENT
        for one, scope, passes in accesses(context, Load, Store)
        for address in addresses(context, one.memory, scope, one.offset, passes)
    )


def acc_base(context: Context) -> bool:
    """LINALG-ACC-BASE: the first element of what is accumulated lies on a multiple of 64 bytes (LINALG-AMB-20)."""
    return any(
        address % SUM_ALIGNMENT
        for one, scope, passes in accesses(context, InterlockedAccumulate)
        for address in addresses(context, one.memory, scope, one.offset, passes)
    )


def align(context: Context) -> bool:
    """LINALG-ALIGN: an alignment parameter of a matrix is a multiple of 128."""
    return any(one.align % MATRIX_ALIGNMENT for one, _ in context.each(Load, Store, InterlockedAccumulate))


def vec_acc_align(context: Context) -> bool:
    """LINALG-VEC-ACC-ALIGN: the parameter of a vector is at least 64, its address a multiple of 64."""
    return any(
        0 < one.align < SUM_ALIGNMENT
        or any(address % SUM_ALIGNMENT for address in addresses(context, one.buffer, "Thread", one.offset, passes))
        for one, passes in context.each(VectorAccumulate)
    )


def store_target(context: Context) -> bool:
    """LINALG-STORE-TARGET: what stores or accumulates in a buffer has a read-write one."""
    targets = [one.memory for one, _ in context.each(Store, InterlockedAccumulate)]
    targets += [one.buffer for one, _ in context.each(VectorAccumulate)]
    return any(name in context.program.read_only for name in targets)


def acc_use(context: Context) -> bool:
    """LINALG-ACC-USE: only accumulators are accumulated in memory."""
    return any(
        context.program.matrix(one.matrix).use != "Accumulator" for one, _ in context.each(InterlockedAccumulate)
    )


MEMORY_RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "LINALG-LOAD-SRC": load_src,
        "LINALG-LOAD-USE": load_use,
        "LINALG-LOAD-LAYOUT": load_layout,
        "LINALG-LOAD-STRIDE0": load_stride0,
        "LINALG-STORE-LAYOUT": store_layout,
        "LINALG-ACC-LAYOUT": acc_layout,
        "LINALG-LAYOUT-FOUR": layout_four,
        "LINALG-STRIDE-16": stride_16,
        "LINALG-BASE-ALIGN": base_align,
        "LINALG-ACC-BASE": acc_base,
        "LINALG-ALIGN": align,
        "LINALG-VEC-ACC-ALIGN": vec_acc_align,
        "LINALG-STORE-TARGET": store_target,
        "LINALG-ACC-USE": acc_use,
    }
)
"""Clause -> whether a program breaks it."""
