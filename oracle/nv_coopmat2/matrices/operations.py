"""Operations that make a matrix from matrices, other than products: their results and the clauses that acted."""

from __future__ import annotations

from collections.abc import Callable

from mmaspec.oracle.numerics.legal import Legal
from mmaspec.oracle.numerics.rules import FloatRules
from mmaspec.oracle.nv_coopmat2.matrices.arithmetic import OPERATIONS, combined, negated
from mmaspec.oracle.nv_coopmat2.matrices.conversion import converted, kept
from mmaspec.oracle.nv_coopmat2.matrices.element_functions import per_element
from mmaspec.oracle.nv_coopmat2.matrices.reduction import SUMS, reduced
from mmaspec.programs.base import Scalar
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.program import (
    REDUCE_2X2,
    REDUCE_COLUMN,
    REDUCE_ROW,
    Arithmetic,
    Convert,
    CoopMatProgram,
    EachComponent,
    Negate,
    Operation,
    PerElement,
    Reduce,
)

REDUCTIONS = {REDUCE_ROW: "NVCM2-REDUCE-ROW", REDUCE_COLUMN: "NVCM2-REDUCE-COL", REDUCE_2X2: "NVCM2-REDUCE-2X2"}
"""Reduce mask -> the clause that says what is combined; NVCM2-REDUCE-ALL otherwise."""

Operand = Callable[[str | Scalar], Legal]
"""A matrix by its name, or a scalar in the type at hand, as what it may hold."""


def operate(
    program: CoopMatProgram, instruction: Operation, operand: Operand, rules: FloatRules, *, rounded: bool = True
) -> Legal:
    """The legal results of an operation, ``(batch, waves, rows, cols)``.

    ``rounded``: quotients of integers that are not exact are judged.
    """
    one = operand(instruction.left if isinstance(instruction, Arithmetic) else instruction.matrix)
    result = program.matrix(instruction.result)
    match instruction:
        case Arithmetic():
            right = operand(instruction.right)
            pair = (right, one) if instruction.scalar_first and not isinstance(instruction.right, str) else (one, right)
            return combined(OPERATIONS[instruction.op], *pair, rules, rounded=rounded).broadcast_to(one.shape)
        case Convert():
            # NVCM2-CONVERT-USE: rows, columns and scope stay, so that a change of use moves nothing.
            return converted(one, format_named(result.component), rules)
        case Negate():
            return negated(one, rules)
        case Reduce():
            return reduced(one, instruction.mask, instruction.combine.name, (result.rows, result.cols), rules)
        case PerElement():
            extras = [operand(extra) for extra in instruction.extras]
            return per_element(instruction.function.name, one, extras, rules)
        case _:
            return kept(one.transpose(), rules)  # NVCM2-TRANSPOSE


def operation_points(program: CoopMatProgram, instruction: Operation) -> tuple[str, ...]:
    """The clauses of an operation and their circumstances, the special before the general."""
    f64 = rounding_doubles(program, instruction)
    match instruction:
        case Arithmetic():
            right = "matrix" if isinstance(instruction.right, str) else "scalar"
            floats = format_named(program.matrix(instruction.result).component).is_float
            quotient = ("KHRCM-DIVIDE-INT",) if instruction.op == "/" and not floats else ()
            return (*f64, *quotient, f"KHRCM-ARITH/{instruction.op}-{right}")
        case Convert():
            old, new = program.matrix(instruction.matrix), program.matrix(instruction.result)
            types = f"{old.component}-to-{new.component}"
            values = (f"KHRCM-CONVERT/{types}",) if old.use == new.use or old.component != new.component else ()
            return (*f64, *values, *((f"NVCM2-CONVERT-USE/{types}",) if old.use != new.use else ()))
        case Negate():
            return ("KHRCM-ARITH/negate",)
        case Reduce():
            clause = REDUCTIONS.get(instruction.mask, "NVCM2-REDUCE-ALL")
            floats = format_named(program.matrix(instruction.matrix).component).is_float
            order = ("NVCM2-REDUCE-ORDER",) if floats and instruction.combine.name in SUMS else ()
            return (*f64, f"{clause}/{instruction.combine.name}", *order)
        case PerElement():
            return (*f64, f"NVCM2-PERELEM/{instruction.function.name}")
        case _:
            return ("NVCM2-TRANSPOSE",)


def rounding_doubles(program: CoopMatProgram, instruction: Operation | EachComponent) -> tuple[str, ...]:
    """KHRCM-F64, where an operation in f64 may round."""
    match instruction:
        case Arithmetic():
            rounds = True
        case Reduce():
            rounds = instruction.combine.name in SUMS
        case PerElement():
            rounds = instruction.function.name == "add"
        case Convert():
            kinds = [program.matrix(name).component for name in (instruction.matrix, instruction.result)]
            rounds = sum(format_named(kind).is_float for kind in kinds) == 1 and "f64" in kinds
            return (f"KHRCM-F64/{kinds[0]}-to-{kinds[1]}",) if rounds else ()
        case EachComponent():
            rounds = instruction.function in ("add", "multiply")
        case _:
            rounds = False
    made = instruction.matrix if isinstance(instruction, EachComponent) else instruction.result
    component = program.matrix(made).component
    return (f"KHRCM-F64/{type(instruction).__struct_config__.tag}",) if rounds and component == "f64" else ()
