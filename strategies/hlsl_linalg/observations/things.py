"""Everything with axes in a case, by group. A program that is rejected or undefined has no classes: it never runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mmaspec.oracle.expectation import Defined
from mmaspec.programs.hlsl_linalg.program import (
    LINEAR,
    Accumulate,
    AccumulatorLayout,
    Barrier,
    Beyond,
    Branch,
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
    Repeat,
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
from mmaspec.strategies.axes.observation import Subject, Thing
from mmaspec.strategies.hlsl_linalg.observations.arguments import arguments_of
from mmaspec.strategies.hlsl_linalg.observations.flow import flow_of, marked


def things(subject: Subject) -> Iterator[Thing]:
    """Everything in a case that has axes."""
    program: LinalgProgram = subject.program
    if not isinstance(subject.expectation, Defined):
        return
    yield Thing("program", program)
    yield Thing("device", subject.row.entry)
    yield from (Thing("matrix", matrix) for matrix in program.matrices)
    yield from (Thing("vector", vector) for vector in program.vectors)
    yield from (Thing("buffer", buffer) for buffer in program.buffers)
    yield from (Thing("shared-array", array) for array in program.arrays)
    for one in program.body:
        if isinstance(one, Repeat | Branch):
            yield Thing("repeat" if isinstance(one, Repeat) else "branch", one)
    for event in flow_of(subject).events:
        if marked(subject, event.place):
            yield Thing(_group(program, event.instruction), event, event.place)
            if event.place.loop == 0:
                yield from (Thing("argument", one, event.place) for one in arguments_of(subject, event))


_SIMPLE: dict[type, str] = {
    Cast: "cast",
    Splat: "splat",
    Convert: "convert",
    ReadElements: "read-elements",
    WriteElements: "write-elements",
    Beyond: "beyond",
    CountElements: "count",
    Multiply: "product",
    MultiplyAccumulate: "product",
    Accumulate: "addition",
    AccumulatorLayout: "accumulator-layout",
    VectorLoad: "vector-load",
    VectorStore: "vector-store",
    VectorAccumulate: "vector-sum",
    MultiplyVector: "vector-product",
    OuterProduct: "outer-product",
    Stage: "copy",
    Unstage: "copy",
    ConvertLayout: "layout-conversion",
    Barrier: "barrier",
    Operate: "operator",
    Unary: "unary",
    SumAccumulate: "square-sum",
    FromThreadVectors: "from-vectors",
    GetThreadVector: "to-vectors",
}


def _group(program: LinalgProgram, one: Any) -> str:
    if not isinstance(one, Load | Store | InterlockedAccumulate):
        return _SIMPLE[type(one)]
    verb = "load" if isinstance(one, Load) else "store" if isinstance(one, Store) else "sum"
    if program.array(one.memory) is not None:
        return f"array-{verb}"
    if isinstance(one, InterlockedAccumulate) and program.matrix(one.matrix).scope == "Thread":
        return "thread-sum"
    return verb if one.layout in LINEAR else "optimal-load"
