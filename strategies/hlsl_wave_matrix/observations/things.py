"""Everything with axes in a case, by group. A program that is rejected or undefined has no classes: it never runs."""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.oracle.expectation import Defined
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.program import (
    Add,
    Barrier,
    Branch,
    Fill,
    Load,
    MatrixDepth,
    Multiply,
    MultiplyAccumulate,
    Repeat,
    ScalarOperation,
    Stage,
    Store,
    SumAccumulate,
    Unstage,
    WaveMatrixProgram,
    is_packed,
)
from mmaspec.strategies.axes.observation import Subject, Thing
from mmaspec.strategies.hlsl_wave_matrix.observations.access import accesses, marked
from mmaspec.strategies.hlsl_wave_matrix.observations.access_pairs import pairs
from mmaspec.strategies.hlsl_wave_matrix.observations.arguments import arguments_of
from mmaspec.strategies.hlsl_wave_matrix.observations.device import rows_used
from mmaspec.strategies.hlsl_wave_matrix.observations.flow import Event, flow_of


def things(subject: Subject) -> Iterator[Thing]:
    """Everything in a case that has axes."""
    program: WaveMatrixProgram = subject.program
    if not isinstance(subject.expectation, Defined):
        return
    yield Thing("program", program)
    yield from (Thing("caps-row", row) for row in rows_used(subject))
    yield from (Thing("buffer", buffer) for buffer in program.buffers)
    yield from (Thing("shared-array", array) for array in program.arrays)
    yield from (Thing("matrix", matrix) for matrix in program.matrices)
    for one in program.body:
        if isinstance(one, Repeat | Branch):
            yield Thing("repeat" if isinstance(one, Repeat) else "branch", one)
    yield from (Thing("access-pair", pair) for pair in pairs(subject))
    for access in accesses(subject):
        shape = "fragment" if access.matrix.is_fragment else "matrix"
        verb = "load" if isinstance(access.instruction, Load) else "store"
        yield Thing(f"{shape}-{'shared' if access.shared else 'buffer'}-{verb}", access, access.event.place)
    for event in flow_of(subject).events:
        if marked(subject, event.place):
            yield from _of_event(subject, program, event)


def _of_event(subject: Subject, program: WaveMatrixProgram, event: Event) -> Iterator[Thing]:
    one, place = event.instruction, event.place
    if isinstance(one, Load | Store | MatrixDepth) and place.loop == 0:
        yield from (Thing("argument", argument, place) for argument in arguments_of(subject, event))
    if isinstance(one, Fill | ScalarOperation):
        yield Thing(_operand_group(program, one), event, place)
    group = _group(program, event)
    if group is not None:
        yield Thing(group, event, place)


def _operand_group(program: WaveMatrixProgram, one: Fill | ScalarOperation) -> str:
    matrix = program.matrix(one.matrix)
    if is_packed(matrix):
        return "packed-operand"
    return "float-scalar-operand" if FORMATS[matrix.element].is_float else "integer-scalar-operand"


def _group(program: WaveMatrixProgram, event: Event) -> str | None:
    one = event.instruction
    simple = {Fill: "fill", MatrixDepth: "depth", Barrier: "barrier", Stage: "stage", Unstage: "unstage"}
    if type(one) in simple:
        return simple[type(one)]
    kinds: dict[str, tuple[type, ...]] = {
        "product": (Multiply, MultiplyAccumulate),
        "sum": (SumAccumulate,),
        "addition": (Add,),
        "scalar-operation": (ScalarOperation,),
    }
    name = next((name for name, types in kinds.items() if isinstance(one, types)), None)
    if name is None or isinstance(one, Load | Store | Barrier | Stage | Unstage):
        return None
    kind = "float" if FORMATS[program.matrix(one.matrix).element].is_float else "integer"
    return f"{kind}-{name}"
