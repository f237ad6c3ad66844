"""What only the text of 2025-09-19 has: operators, functions of elements, sums of operands, and vectors of threads."""

from __future__ import annotations

import numpy as np

from mmaspec.oracle.demands import rounded_quotients
from mmaspec.oracle.expectation import Step
from mmaspec.oracle.hlsl_linalg import coverage_removed as coverage
from mmaspec.oracle.hlsl_linalg.addresses import Addresses, format_of
from mmaspec.oracle.hlsl_linalg.coverage import ThreadVectors, of_scope
from mmaspec.oracle.hlsl_linalg.execution.elements import scalar_of
from mmaspec.oracle.hlsl_linalg.execution.operators import operated
from mmaspec.oracle.hlsl_linalg.execution.running import Running
from mmaspec.oracle.hlsl_linalg.execution.unary import applied
from mmaspec.oracle.numerics.legal import Reason, full, unjudged, where
from mmaspec.programs.base import Place
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, SCALARS
from mmaspec.programs.hlsl_linalg.program import LinalgProgram, Matrix
from mmaspec.programs.hlsl_linalg.removed import FromThreadVectors, GetThreadVector, Operate, SumAccumulate, Unary
from mmaspec.programs.hlsl_linalg.threads import lane_of


def operate(run: Running, place: Place, instruction: Operate) -> Step:
    """LINALG-ELEMWISE: every element op the value. Of a value of another type nothing is stated (LINALG-AMB-13)."""
    matrix = run.program.matrix(instruction.matrix)
    found = run.matrix(matrix)
    fmt = found.fmt
    if FORMATS[SCALARS[instruction.scalar]] == fmt and COMPONENTS[matrix.component].native:
        value = scalar_of(run, instruction, matrix)
        found = operated(run.arithmetic, instruction.op, found, value)
    else:
        found = unjudged(fmt, found.shape, Reason.SPEC_SILENT)
    points = coverage.of_operate(instruction, matrix, found) + of_scope(run.program, matrix.scope, place, "operate")
    return Step(place, matrix.name, points, run.put_matrix(place, matrix, found))


def unary(run: Running, place: Place, instruction: Unary) -> Step:
    """LINALG-UNARY: the function of every element of the source.

    Whether the source is changed as well is not stated (LINALG-AMB-24): nothing is judged of it then.
    """
    program = run.program
    source, matrix = program.matrix(instruction.source), program.matrix(instruction.matrix)
    before = run.matrix(source)
    near = rounded_quotients(run.arithmetic.profile)  # what practice adds to the documents
    found = applied(instruction.op, before, run.arithmetic.operation_rules, near=near)
    # NOp leaves the bits of packed components; what the others make of those is not stated (LINALG-UNARY-TYPES).
    stated = COMPONENTS[matrix.component].native or instruction.op == "nop"
    if source.component != matrix.component or not stated:
        found = unjudged(format_of(matrix.component), before.shape, Reason.SPEC_SILENT)
    if source.name != matrix.name and instruction.op != "nop":
        acting = np.broadcast_to(run.acting(place, source.scope).reshape(-1, 1, 1), before.shape)
        run.put_matrix(place, source, before.not_judged(acting, Reason.SPEC_SILENT))
    points = coverage.of_unary(instruction, matrix) + of_scope(program, matrix.scope, place, "unary")
    return Step(place, matrix.name, points, run.put_matrix(place, matrix, found))


def sum_accumulate(run: Running, place: Place, instruction: SumAccumulate) -> Step:
    """LINALG-SUMACC: A and B added to the accumulator, element by element, all three in any order."""
    program = run.program
    matrix, a, b = (program.matrix(name) for name in (instruction.matrix, instruction.a, instruction.b))
    total, addends = run.matrix(matrix), [run.matrix(a), run.matrix(b)]
    if {one.fmt for one in addends} == {total.fmt} and {one.shape for one in addends} == {total.shape}:
        found = run.arithmetic.sums(total, addends)
    else:
        found = unjudged(total.fmt, total.shape, Reason.SPEC_SILENT)  # LINALG-SUMACC-SQUARE
    points = coverage.of_sum_accumulate(matrix, found) + of_scope(program, matrix.scope, place, "sum-accumulate")
    return Step(place, matrix.name, points, run.put_matrix(place, matrix, found))


def from_thread_vectors(run: Running, place: Place, instruction: FromThreadVectors) -> Step:
    """LINALG-FROMVEC: thread t of the scope gives column t of an A matrix, row t of a B one; others give nothing."""
    program = run.program
    matrix, vector = program.matrix(instruction.matrix), program.vector(instruction.source)
    held = run.vector(vector)
    threads = members(program, matrix)
    lines = matrix.n if matrix.use == "A" else matrix.m
    length = matrix.m if matrix.use == "A" else matrix.n
    giving = threads[:, : min(lines, threads.shape[1])]
    unstated = matrix.scope == "ThreadGroup" and program.waves > 1
    if unstated or giving.shape[1] < lines or vector.length != length or vector.component != matrix.component:
        shape = (run.batch, len(threads), matrix.m, matrix.n)
        found = unjudged(format_of(matrix.component), shape, Reason.SPEC_SILENT)
    else:
        found = held.index((slice(None), giving))  # (batch, instances, lines, length)
        found = found.transpose() if matrix.use == "A" else found
    points = coverage.of_vectors_taken(matrix, surplus=threads.shape[1] > lines)
    points += of_scope(program, matrix.scope, place, "from-vectors")
    shown = run.put_matrix(place, matrix, found)
    run.origin[matrix.name] = ThreadVectors(vector.name)
    return Step(place, matrix.name, points, shown)


def get_thread_vector(run: Running, place: Place, instruction: GetThreadVector) -> Step:
    """LINALG-GETVEC: thread t has column (of A) or row (of B) index * (lanes of a wave) + t; beyond them zeros."""
    program = run.program
    matrix, vector = program.matrix(instruction.matrix), program.vector(instruction.vector)
    fmt = format_of(vector.component)
    shape = (run.batch, program.group, vector.length)
    lines = matrix.n if matrix.use == "A" else matrix.m
    length = matrix.m if matrix.use == "A" else matrix.n
    which = line_of_thread(program, matrix, instruction.index)
    if vector.length != length or vector.component != matrix.component or which is None:
        found = unjudged(fmt, shape, Reason.SPEC_SILENT)
    else:
        legal = run.matrix(matrix)
        legal = legal.transpose() if matrix.use == "A" else legal  # (batch, instances, lines, length)
        inside = which < lines
        found = legal.index((slice(None), run.instance_of_thread(matrix.scope), np.where(inside, which, 0)))
        found = where(np.broadcast_to(inside[:, np.newaxis], shape), found, full(fmt, shape, 0))
    beyond = which is not None and bool((which >= lines).any())
    taken = isinstance(run.origin.get(matrix.name), ThreadVectors)
    points = coverage.of_vector_given(matrix, beyond=beyond, index=instruction.index, taken=taken)
    points += of_scope(program, matrix.scope, place, "get-vector")
    return Step(place, vector.name, points, run.put_vector(place, vector, found))


def members(program: LinalgProgram, matrix: Matrix) -> Addresses:
    """The threads of every instance of a matrix in their order, ``(instances, threads)``."""
    threads = np.arange(program.group)
    return threads.reshape(program.instances(matrix.scope), -1)


def line_of_thread(program: LinalgProgram, matrix: Matrix, index: int) -> Addresses | None:
    """The column or row that each thread gets; None where it is not stated which (LINALG-THREADVEC-GROUP)."""
    if matrix.scope != "Wave" and program.waves > 1:
        return None
    lanes = [lane_of(program, thread) for thread in range(program.group)]
    return index * program.wave_size + np.array(lanes, np.int64)
