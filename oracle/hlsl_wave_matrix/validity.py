"""Validity: one small function for each clause, all of which always run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from mmaspec.oracle.hlsl_wave_matrix.caps_support import check_written_for
from mmaspec.oracle.hlsl_wave_matrix.rule_context import Context
from mmaspec.oracle.hlsl_wave_matrix.validity_access import ACCESS_RULES, Rule
from mmaspec.oracle.hlsl_wave_matrix.wave_sizes import part_of_a_wave
from mmaspec.oracle.rule_context import broken
from mmaspec.programs.hlsl_wave_matrix.caps import DATATYPES, DIMENSIONS, WaveMmaCaps, WaveMmaSupport, accumulators
from mmaspec.programs.hlsl_wave_matrix.program import (
    FACTORS,
    FRAGMENTS,
    SUMS,
    Add,
    Matrix,
    MatrixDepth,
    Multiply,
    MultiplyAccumulate,
    ScalarOperation,
    SumAccumulate,
    WaveMatrixProgram,
    simple_instructions,
)
from mmaspec.programs.hlsl_wave_matrix.well_formed import check_well_formed

Product = Multiply | MultiplyAccumulate

INPUT_ELEMENTS = ("f32", "f16", "u8", "s8")
ACCUMULATOR_ELEMENTS = ("f32", "f16", "s32")
SIDES = {"left-col-acc": "left", "right-row-acc": "right"}
"""Fragment -> kind of the matrix whose rows or columns it sums."""


def products(program: WaveMatrixProgram) -> Iterator[tuple[Matrix, Matrix, Matrix]]:
    """Object, first and second operand of every Multiply and MultiplyAccumulate."""
    for instruction, _ in simple_instructions(program):
        if isinstance(instruction, Product):
            yield (
                program.matrix(instruction.matrix),
                program.matrix(instruction.left),
                program.matrix(instruction.right),
            )


def pairs(program: WaveMatrixProgram, method: type[SumAccumulate] | type[Add]) -> Iterator[tuple[Matrix, Matrix]]:
    """Object and operand of every SumAccumulate, or of every Add."""
    for instruction, _ in simple_instructions(program):
        if isinstance(instruction, method):
            yield program.matrix(instruction.matrix), program.matrix(instruction.operand)


def type_in(context: Context) -> bool:
    """WM-TYPE-IN: elements of Left and Right are f32, f16, packed u8 or packed s8."""
    return any(m.kind in FACTORS and m.element not in INPUT_ELEMENTS for m in context.program.matrices)


def type_acc(context: Context) -> bool:
    """WM-TYPE-ACC: elements of accumulators and fragments are f32, f16 or s32."""
    return any(m.kind in SUMS and m.element not in ACCUMULATOR_ELEMENTS for m in context.program.matrices)


def dim_enum(context: Context) -> bool:
    """WM-DIM-ENUM: M and N are 16 or 64 each, for every kind of matrix."""
    return any(m.m not in DIMENSIONS or m.n not in DIMENSIONS for m in context.program.matrices)


def methods(context: Context) -> bool:
    """WM-METHODS: products and Add are methods of accumulators only, SumAccumulate of fragments only.

    An Add takes an accumulator or a fragment.
    """
    program = context.program
    return (
        any(matrix.kind != "accumulator" for matrix, _, _ in products(program))
        or any(matrix.kind != "accumulator" or operand.kind not in SUMS for matrix, operand in pairs(program, Add))
        or any(matrix.kind not in FRAGMENTS for matrix, _ in pairs(program, SumAccumulate))
    )


def scalar_no_lr(context: Context) -> bool:
    """WM-SCALAR-NO-LR: Left and Right have no operations with a scalar."""
    program = context.program
    return any(
        isinstance(i, ScalarOperation) and program.matrix(i.matrix).kind in FACTORS
        for i, _ in simple_instructions(program)
    )


def depth_only_lr(context: Context) -> bool:
    """WM-DEPTH-ONLY-LR: only Left and Right have a MatrixDepth."""
    program = context.program
    return any(
        isinstance(i, MatrixDepth) and program.matrix(i.matrix).kind not in FACTORS
        for i, _ in simple_instructions(program)
    )


def mul_use(context: Context) -> bool:
    """WM-MUL-USE: the first operand is a Left, the second a Right, and M and N are those of the object."""
    return any(
        (left.kind, right.kind) != FACTORS or len({(x.m, x.n) for x in (matrix, left, right)}) > 1
        for matrix, left, right in products(context.program)
    )


def _byte(matrix: Matrix) -> bool:
    return DATATYPES.get(matrix.element) == "byte"


def mul_type_match(context: Context) -> bool:
    """WM-MUL-TYPE-MATCH: both operands have one element type, except that u8 and s8 may be mixed."""
    return any(
        left.element != right.element and not (_byte(left) and _byte(right))
        for _, left, right in products(context.program)
    )


def _asked(matrix: Matrix, caps: WaveMmaCaps) -> tuple[bool, WaveMmaSupport | None]:
    """Whether the caps query can be asked about a Left or Right, and its answer.

    Types and sizes that cannot even be queried, and operands that do not match, are the subject of other clauses.
    """
    datatype = DATATYPES.get(matrix.element)
    if matrix.kind not in FACTORS or datatype is None or not {matrix.m, matrix.n} <= set(DIMENSIONS):
        return False, None
    return True, caps.answer(datatype, matrix.m, matrix.n)


def type_supported(context: Context) -> bool:
    """WM-TYPE-SUPPORTED: a supported row lists every matrix, multiplied or not."""
    for matrix in context.program.matrices:
        if matrix.kind in SUMS and not _reported(matrix, context.caps):
            return True
        if _asked(matrix, context.caps) == (True, None):
            return True
    return False


def mul_caps(context: Context) -> bool:
    """WM-MUL-CAPS: what takes part in a product or a sum is a combination that the caps report."""
    program = context.program
    for matrix, left, right in products(program):
        asked = [answer for queried, answer in (_asked(operand, context.caps) for operand in (left, right)) if queried]
        entries = [answer for answer in asked if answer is not None]
        if len(entries) < len(asked):
            return True
        judged = matrix.kind == "accumulator" and matrix.element in ACCUMULATOR_ELEMENTS
        if judged and entries and not any(matrix.element in accumulators(entry) for entry in entries):
            return True
    if any(_asked(operand, context.caps) == (True, None) for _, operand in pairs(program, SumAccumulate)):
        return True
    involved = [m for pair in (*pairs(program, SumAccumulate), *pairs(program, Add)) for m in pair if m.kind in SUMS]
    return any(not _reported(matrix, context.caps) for matrix in involved)


def _reported(matrix: Matrix, caps: WaveMmaCaps) -> bool:
    """Whether some datatype has accumulators of this type and size; what cannot be queried is for other rules."""
    if matrix.element not in ACCUMULATOR_ELEMENTS or not {matrix.m, matrix.n} <= set(DIMENSIONS):
        return True
    return any(
        matrix.element in accumulators(answer)
        for answer in caps.support
        if answer.supported and (answer.m, answer.n) == (matrix.m, matrix.n)
    )


def sumacc_side(context: Context) -> bool:
    """WM-SUMACC-SIDE: LeftColAcc sums a Left, RightRowAcc a Right, in an element type that the caps give its sums."""
    for matrix, operand in pairs(context.program, SumAccumulate):
        if matrix.kind not in FRAGMENTS:
            continue
        if operand.kind != SIDES[matrix.kind]:
            return True
        _, answer = _asked(operand, context.caps)
        if answer and matrix.element in ACCUMULATOR_ELEMENTS and matrix.element not in accumulators(answer):
            return True
    return False


def shape_agree(context: Context) -> bool:
    """WM-SHAPE-AGREE: the operand of a SumAccumulate or an Add has the M and N of the object."""
    program = context.program
    found = (*pairs(program, SumAccumulate), *pairs(program, Add))
    return any((matrix.m, matrix.n) != (operand.m, operand.n) for matrix, operand in found)


def tg_divis(context: Context) -> bool:
    """WM-TG-DIVIS: the threads of the group are a multiple of the wave size, the required or the chosen one."""
    return part_of_a_wave(context.program, context.caps)


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "WM-TYPE-IN": type_in,
        "WM-TYPE-ACC": type_acc,
        "WM-DIM-ENUM": dim_enum,
        **ACCESS_RULES,
        "WM-METHODS": methods,
        "WM-SCALAR-NO-LR": scalar_no_lr,
        "WM-DEPTH-ONLY-LR": depth_only_lr,
        "WM-MUL-USE": mul_use,
        "WM-MUL-TYPE-MATCH": mul_type_match,
        "WM-TYPE-SUPPORTED": type_supported,
        "WM-MUL-CAPS": mul_caps,
        "WM-SUMACC-SIDE": sumacc_side,
        "WM-SHAPE-AGREE": shape_agree,
        "WM-TG-DIVIS": tg_divis,
    }
)
"""Clause -> whether a program breaks it."""


def rejected(program: WaveMatrixProgram, caps: WaveMmaCaps) -> frozenset[str]:
    """Every validity clause that a resolved program breaks; ``BadInput`` if it is no program."""
    check_well_formed(program)
    check_written_for(program, caps)
    return broken(RULES, Context(program, caps))
