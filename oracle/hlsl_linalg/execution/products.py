"""Products and sums of matrices, and of matrices with vectors."""

from __future__ import annotations

import numpy as np

from mmaspec.oracle.expectation import Step
from mmaspec.oracle.hlsl_linalg import coverage
from mmaspec.oracle.hlsl_linalg.addresses import bias_addresses, format_of
from mmaspec.oracle.hlsl_linalg.execution.conversions import converted
from mmaspec.oracle.hlsl_linalg.execution.running import Running
from mmaspec.oracle.hlsl_linalg.open_points import ROUNDED, UNROUNDED
from mmaspec.oracle.numerics.elementwise import Operation, combine
from mmaspec.oracle.numerics.legal import Legal, Reason, certain_bits, full, unjudged, where
from mmaspec.programs.base import Place
from mmaspec.programs.formats import Format
from mmaspec.programs.hlsl_linalg.program import (
    Accumulate,
    Convert,
    MemoryBias,
    Multiply,
    MultiplyAccumulate,
    MultiplyVector,
    OuterProduct,
    Scope,
)


def multiply(run: Running, place: Place, instruction: Multiply | MultiplyAccumulate) -> Step:
    """LINALG-MUL: a new accumulator with A * B. LINALG-MAC: A * B added to it. Whole matrices (LINALG-TILING)."""
    program = run.program
    matrix, a, b = (program.matrix(name) for name in (instruction.matrix, instruction.a, instruction.b))
    if isinstance(instruction, MultiplyAccumulate):
        addend = run.matrix(matrix)
    else:
        shape = (run.batch, program.instances(matrix.scope), matrix.m, matrix.n)
        addend = full(format_of(matrix.component), shape, 0)
    legal = run.arithmetic.product(run.factor(a), run.factor(b), addend)
    emulated = a.name in run.unrounded or b.name in run.unrounded
    points = coverage.of_product(instruction, matrix, a, b, legal, emulated=emulated)
    points += coverage.of_scope(program, matrix.scope, place, "product")
    return Step(place, matrix.name, points, run.put_matrix(place, matrix, legal))


def accumulate(run: Running, place: Place, instruction: Accumulate) -> Step:
    """LINALG-ACCUMULATE: the elements of an A or B matrix added to those of the accumulator."""
    matrix, operand = run.program.matrix(instruction.matrix), run.program.matrix(instruction.operand)
    legal = run.arithmetic.add(run.matrix(matrix), run.matrix(operand))
    points = coverage.of_accumulate(matrix, operand, legal)
    return Step(place, matrix.name, points, run.put_matrix(place, matrix, legal))


def convert(run: Running, place: Place, instruction: Convert) -> Step:
    """LINALG-CONVERT: component by component; what a longer result has beyond its source is not stated."""
    source, vector = run.program.vector(instruction.source), run.program.vector(instruction.vector)
    fmt = format_of(vector.component)
    found, unrounded = converted(run, run.vector(source), fmt)
    kept = run.put_vector(place, vector, _resized(found, vector.length))
    same_length = source.length == vector.length
    run.keep_unrounded(place, vector.name, unrounded if same_length else {})
    return Step(place, vector.name, coverage.of_convert(source, vector), kept)


def _resized(legal: Legal, length: int) -> Legal:
    """The first components of a vector, or all and some that nothing is known of."""
    have = legal.shape[-1]
    if length <= have:
        return legal.index((..., slice(0, length)))
    wide = legal.index((..., np.minimum(np.arange(length), have - 1)))
    beyond = np.broadcast_to(np.arange(length) >= have, wide.shape)
    return wide.not_judged(beyond, Reason.UNINITIALISED)


def multiply_vector(run: Running, place: Place, instruction: MultiplyVector) -> Step:
    """LINALG-VECMUL: A times the column, or the row times B. LINALG-VECMULADD: and the bias, converted to the result.

    A matrix of Wave or ThreadGroup scope is that of every thread's wave, or of the group.
    """
    program = run.program
    vector, source = program.vector(instruction.vector), program.vector(instruction.source)
    matrix = program.matrix(instruction.matrix)
    fmt = format_of(vector.component)
    bias: Legal = full(fmt, (run.batch, program.group, vector.length), 0)
    if isinstance(instruction.bias, MemoryBias):
        given = instruction.bias
        found = run.load(given.buffer, bias_addresses(given, vector.length), format_of(given.component))
        shape = (run.batch, program.group, vector.length)
        bias = run.arithmetic.converted(found.reshape(run.batch, 1, vector.length).broadcast_to(shape), fmt)
    elif instruction.bias is not None:
        bias = run.arithmetic.converted(run.vector(program.vector(instruction.bias)), fmt)
    whole, factor = run.factor(matrix), run.factor(source)
    if matrix.scope != "Thread":
        whole = whole.index((slice(None), run.instance_of_thread(matrix.scope)))
    factor = _as_multiplied(run, place, factor, format_of(matrix.component))
    batch, threads, length = factor.shape
    if matrix.use == "B":
        row = factor.reshape(batch, threads, 1, length)
        legal = run.arithmetic.product(row, whole, bias.reshape(batch, threads, 1, vector.length))
    else:
        column = factor.reshape(batch, threads, length, 1)
        legal = run.arithmetic.product(whole, column, bias.reshape(batch, threads, vector.length, 1))
    legal = legal.reshape(*bias.shape)
    points = coverage.of_vector_product(program, instruction, place, legal)
    return Step(place, vector.name, points, run.put_vector(place, vector, legal))


def _as_multiplied(run: Running, place: Place, column: Legal, fmt: Format) -> Legal:
    """LINALG-VEC-INPUT-CONV: a vector of another type may be converted to the matrix's before it is multiplied.

    Where that makes no difference nothing is left open; between floats and integers there is no other way.
    """
    if column.fmt == fmt:
        return column
    found, unrounded = converted(run, column, fmt)
    if column.fmt.is_float != fmt.is_float:
        return found
    if not unrounded and fmt.is_float and fmt.bits == 8:
        return found
    others = unrounded or {UNROUNDED: column}
    chosen = run.decide("vectors" if run.readings.alike else f"vector of {place}", (ROUNDED, *others))
    return found if chosen == ROUNDED else others[chosen]


def outer_product(run: Running, place: Place, instruction: OuterProduct) -> Step:
    """LINALG-OUTER: element (i, j) is column[i] * row[j], in the matrix's type.

    At Wave and ThreadGroup scope all threads of a matrix have the same vectors; else nothing is stated
    (LINALG-OUTER-SAME).
    """
    program = run.program
    matrix = program.matrix(instruction.matrix)
    column, row = program.vector(instruction.column), program.vector(instruction.row)
    fmt = format_of(matrix.component)
    left, right = (_of_instances(run, matrix.scope, run.vector(one)) for one in (column, row))
    shape = (run.batch, program.instances(matrix.scope), matrix.m, matrix.n)
    left, right = left.reshape(*left.shape, 1), right.reshape(right.shape[0], right.shape[1], 1, right.shape[2])
    if fmt.is_float and fmt.bits <= 32 and fmt.infinities and _holds(fmt, left.fmt) and _holds(fmt, right.fmt):
        legal = _elementwise(run, left, right, fmt)
    else:
        legal = run.arithmetic.product(left, right, full(fmt, shape, 0))
    points = coverage.of_outer_product(program, matrix, column)
    return Step(place, matrix.name, points, run.put_matrix(place, matrix, legal))


def _of_instances(run: Running, scope: Scope, held: Legal) -> Legal:
    """The vector that each matrix of a scope takes, ``(batch, instances, length)``, of those that its threads have."""
    if scope == "Thread":
        return held
    owner = run.instance_of_thread(scope)
    first = np.searchsorted(owner, np.arange(run.program.instances(scope)))
    taken = held.index((slice(None), first))
    (bits, known), again = held.certain_bits(), taken.index((slice(None), owner))
    both, sure = again.certain_bits()
    numbers = held.lo > held.hi  # NaN is NaN, whatever its payload
    alike = (known & sure & (bits == both)) | (numbers & (again.lo > again.hi))
    unlike = np.stack([~alike[:, owner == one].all(axis=1) for one in range(len(first))], axis=1)
    return taken.not_judged(unlike, Reason.SPEC_SILENT)


def _holds(wide: Format, narrow: Format) -> bool:
    """Whether a float format has every value of another one."""
    return (
        narrow.is_float
        and wide.precision >= narrow.precision
        and (wide.qmin <= narrow.qmin and wide.emax >= narrow.emax)
    )


def _elementwise(run: Running, left: Legal, right: Legal, fmt: Format) -> Legal:
    """Either neighbour of each exact product; one factor that is not certain leaves its row or column open."""
    rules = run.arithmetic.operation_rules
    values = [run.arithmetic.converted(one, fmt) for one in (left, right)]
    known = [certain_bits(one)[1] | (one.lo > one.hi) for one in values]
    legal = combine(Operation.MULTIPLY, values[0], values[1], rules)
    if known[0].all() and known[1].all():
        return legal
    nothing = unjudged(fmt, legal.shape, Reason.INEXACT_OPERAND)
    return where(np.broadcast_to(known[0] & known[1], legal.shape), legal, nothing)
