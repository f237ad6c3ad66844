"""Validity: one function per clause, each telling whether a program breaks it. All of them always run."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from mmaspec.oracle.nv_coopmat2.addresses import array_bytes, base_byte, component_bytes
from mmaspec.oracle.nv_coopmat2.caps_support import products
from mmaspec.oracle.nv_coopmat2.program_support import off_granularity, unmatched, workgroup_of
from mmaspec.oracle.nv_coopmat2.rule_context import Context
from mmaspec.oracle.nv_coopmat2.validity.operations import OPERATION_RULES, other_types, reduce_enums, reduces_integers
from mmaspec.oracle.nv_coopmat2.validity.tensors import TENSOR_RULES, clamp_enums
from mmaspec.oracle.rule_context import broken
from mmaspec.oracle.spec import InvalidUnder
from mmaspec.programs.base import at
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import (
    COLUMN_MAJOR,
    SATURATING,
    Access,
    Branch,
    CoopMatProgram,
    Instruction,
    Load,
    MulAdd,
    Repeat,
    Simple,
    Store,
)
from mmaspec.programs.nv_coopmat2.well_formed import check_well_formed
from mmaspec.programs.tree import unrolled

VALUES = frozenset({"KHRCM-STRIDE-ZERO", "KHRCM-ALIGN", "NVCM2-BASE-ALIGN"})
"""Clauses about values that an argument has when an instruction is executed: of others it need not be."""
ALIGNMENT = 16
"""Bytes: the most that any access needs."""


def rejected(program: CoopMatProgram, caps: CoopMatCaps) -> frozenset[str]:
    """Every validity clause that a resolved program breaks. ``BadInput`` for one that cannot be read at all."""
    check_well_formed(program)
    found = broken(RULES, Context(program, caps))
    whole = entered(program)
    static = {clause: rule for clause, rule in RULES.items() if clause not in VALUES}
    return found if whole == program else found | broken(static, Context(whole, caps))


def entered(program: CoopMatProgram) -> CoopMatProgram:
    """The program with every branch taken, and every loop passed at least once: all that a compiler sees."""
    body: list[Instruction] = []
    for one in program.body:
        if isinstance(one, Branch):
            body.append(replace(one, taken=1))
        else:
            body.append(replace(one, count=max(one.count, 1)) if isinstance(one, Repeat) else one)
    return replace(program, body=tuple(body))


def invalid_under(program: CoopMatProgram) -> tuple[InvalidUnder, ...]:
    """NVCM2-AMB-15: a valid program that reduces integers is invalid by NVCM2-REDUCE-FLOAT under one reading."""
    return (InvalidUnder("NVCM2-AMB-15", "floats", "NVCM2-REDUCE-FLOAT"),) if reduces_integers(program) else ()


def extension_enums(context: Context) -> bool:
    """NVCM2-ENUMS: clamp modes and reduce masks have names."""
    return clamp_enums(context) or reduce_enums(context)


def _instructions(program: CoopMatProgram) -> Iterator[tuple[Simple, int]]:
    for place, instruction in unrolled(program):
        yield instruction, place.loop


def enums(context: Context) -> bool:
    """KHRCM-ENUMS: a matrix use is 0, 1 or 2, a memory layout 0 or 1, the operands of a product 0 or 0x10."""
    program = context.program
    return any(matrix.use not in (0, 1, 2) for matrix in program.matrices) or any(
        instruction.layout not in (0, 1)
        if isinstance(instruction, Load | Store)
        else isinstance(instruction, MulAdd) and instruction.operands not in (0, SATURATING)
        for instruction, _ in _instructions(program)
    )


def caps_match(context: Context) -> bool:
    """KHRCM-CAPS-MATCH: every matrix type, and every product as a whole, is one that the device lists.

    Those of workgroup scope all for one number of invocations (NVCM2-WG-SHARED). Sizes that only miss a flexible
    property's multiples are NVCM2-FLEX-CAPS.
    """
    program = context.program
    return unmatched(program, context.caps) or (
        not off_granularity(program, context.caps) and workgroup_of(program, context.caps) is None
    )


def caps_saturation(context: Context) -> bool:
    """KHRCM-CAPS-SAT: a product saturates if and only if its property says so."""
    program = context.program
    for instruction, _ in _instructions(program):
        if isinstance(instruction, MulAdd) and instruction.operands in (0, SATURATING):
            a, b = program.matrix(instruction.a), program.matrix(instruction.b)
            c = program.matrix(instruction.result if instruction.c is None else instruction.c)
            found = {entry.saturating for entry in products(context.caps, a, b, c)}
            if found and (instruction.operands == SATURATING) not in found:
                return True
    return False


def flexible_caps(context: Context) -> bool:
    """NVCM2-FLEX-CAPS: flexible sizes are multiples of the granularities, up to the maximum."""
    return off_granularity(context.program, context.caps)


def storage(context: Context) -> bool:
    """KHRCM-STORAGE: matrices are variables of functions, and what is loaded from or stored to is no uniform block.

    The result of a product has the type of its addend, that of an operator those of its operands.
    """
    program = context.program
    if any(matrix.storage for matrix in program.matrices):
        return True
    if any(
        isinstance(instruction, Access) and instruction.buffer in program.uniform
        for instruction, _ in _instructions(program)
    ):
        return True
    for instruction, _ in _instructions(program):
        if isinstance(instruction, MulAdd) and instruction.c is not None:
            c, result = program.matrix(instruction.c), program.matrix(instruction.result)
            if (c.component, c.scope, c.rows, c.cols, c.use) != (
                result.component,
                result.scope,
                result.rows,
                result.cols,
                result.use,
            ):
                return True
    return other_types(program)


def stride_zero(context: Context) -> bool:
    """KHRCM-STRIDE-ZERO: the stride of a store is above zero (that of a load may be zero)."""
    program = context.program
    return any(
        isinstance(instruction, Store) and any(at(instruction.stride, wave, loop) == 0 for wave in range(program.waves))
        for instruction, loop in _instructions(program)
    )


def align(context: Context) -> bool:
    """KHRCM-ALIGN: the pointer and the stride are multiples of 16 bytes, or of a row (column) if that is less."""
    program = context.program
    for instruction, loop in _instructions(program):
        if not isinstance(instruction, Load | Store):
            continue
        matrix = program.matrix(instruction.matrix)
        line = matrix.rows if instruction.layout == COLUMN_MAJOR else matrix.cols
        alignment = min(ALIGNMENT, line * component_bytes(matrix))
        for wave in range(program.waves):
            stride = at(instruction.stride, wave, loop) * array_bytes(instruction, matrix)
            if stride % alignment or base_byte(program, instruction, wave, loop) % alignment:
                return True
    return False


RULES: dict[str, Callable[[Context], bool]] = {
    "KHRCM-ENUMS": enums,
    "KHRCM-CAPS-MATCH": caps_match,
    "KHRCM-CAPS-SAT": caps_saturation,
    "KHRCM-STORAGE": storage,
    "KHRCM-STRIDE-ZERO": stride_zero,
    "KHRCM-ALIGN": align,
    "NVCM2-FLEX-CAPS": flexible_caps,
    **OPERATION_RULES,
    **TENSOR_RULES,
    "NVCM2-ENUMS": extension_enums,
}
