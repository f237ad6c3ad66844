"""Executing a program: what every instruction leaves in matrices, vectors and memory, as sets of legal contents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from mmaspec.oracle.expectation import Step
from mmaspec.oracle.hlsl_linalg.execution import atomics, elements, memory_moves, products, removed
from mmaspec.oracle.hlsl_linalg.execution.again import Again, Asked, Kept
from mmaspec.oracle.hlsl_linalg.execution.arithmetic import Arithmetic
from mmaspec.oracle.hlsl_linalg.execution.running import Running
from mmaspec.oracle.hlsl_linalg.execution.shared_arrays import SharedArrays
from mmaspec.oracle.memory import Memory
from mmaspec.oracle.readings import Readings
from mmaspec.programs.base import Place
from mmaspec.programs.hlsl_linalg.components import Revision
from mmaspec.programs.hlsl_linalg.program import (
    Accumulate,
    AccumulatorLayout,
    Barrier,
    Beyond,
    Cast,
    Convert,
    ConvertLayout,
    CountElements,
    InterlockedAccumulate,
    LinalgProgram,
    Load,
    Multiply,
    MultiplyAccumulate,
    MultiplyVector,
    OuterProduct,
    ReadElements,
    Splat,
    Stage,
    Store,
    Unstage,
    VectorAccumulate,
    VectorLoad,
    VectorStore,
    WriteElements,
)
from mmaspec.programs.hlsl_linalg.removed import FromThreadVectors, GetThreadVector, Operate, SumAccumulate, Unary
from mmaspec.programs.profile import Profile
from mmaspec.programs.tree import unrolled


def execute(
    program: LinalgProgram, memory: Memory, profile: Profile, readings: Readings, *, revision: Revision = "later"
) -> tuple[Step, ...]:
    """Run a valid, defined and resolved program of a text; stores go to ``memory``.

    Every instance of a matrix, and every thread, does each instruction before any does the next. Nothing that is
    stored is touched again without a barrier (LINALG-ORDER), so that no other order shows; but for additions to
    memory, whose results hold for every order.
    """
    asked = Asked(readings)
    arithmetic, arrays = Arithmetic(profile, asked), SharedArrays(program.arrays, memory.batch)
    kept = memory.kept.setdefault((profile, readings.alike), Kept())
    run = Running(program, memory, arithmetic, asked, arrays, kept.optimal, kept.sums, revision=revision)
    again, run.found_parts = Again(run, asked, kept), kept.parts
    steps = []
    for number, (place, instruction) in enumerate(unrolled(program)):
        run.step = number
        steps.append(again.step(place, instruction, _EXECUTED[type(instruction)]))
    memory.parts = kept.parts[0].bytes if kept.parts else {}
    return tuple(steps)


def _barrier(run: Running, place: Place, _: Barrier) -> Step:
    """LINALG-BARRIER: what was added before is there."""
    run.sums = run.sums.settled()
    run.optimal = run.optimal.settled()
    return Step(place, "", (), None)


_EXECUTED: Mapping[type, Callable[[Running, Place, Any], Step]] = MappingProxyType(
    {
        Accumulate: products.accumulate,
        AccumulatorLayout: elements.accumulator_layout,
        Barrier: _barrier,
        Beyond: elements.beyond,
        Cast: elements.cast,
        Convert: products.convert,
        ConvertLayout: memory_moves.convert_layout,
        CountElements: elements.count_elements,
        FromThreadVectors: removed.from_thread_vectors,
        GetThreadVector: removed.get_thread_vector,
        InterlockedAccumulate: atomics.interlocked_accumulate,
        Load: memory_moves.load,
        Multiply: products.multiply,
        MultiplyAccumulate: products.multiply,
        MultiplyVector: products.multiply_vector,
        Operate: removed.operate,
        OuterProduct: products.outer_product,
        ReadElements: elements.read_elements,
        Splat: elements.splat,
        Stage: memory_moves.copy,
        Store: memory_moves.store,
        SumAccumulate: removed.sum_accumulate,
        Unary: removed.unary,
        Unstage: memory_moves.copy,
        VectorAccumulate: atomics.vector_accumulate,
        VectorLoad: memory_moves.vector_load,
        VectorStore: memory_moves.vector_store,
        WriteElements: elements.write_elements,
    }
)
"""Instruction -> what it does."""
