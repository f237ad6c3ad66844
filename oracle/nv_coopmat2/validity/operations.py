"""Validity of operations on matrices: one function per clause, each telling whether a program breaks it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from mmaspec.oracle.nv_coopmat2.rule_context import Context
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.program import (
    REDUCE_2X2,
    REDUCE_COLUMN,
    REDUCE_ROW,
    USE_A,
    USE_ACCUMULATOR,
    USE_B,
    Arithmetic,
    Convert,
    CoopMatProgram,
    LoadTensor,
    Matrix,
    Negate,
    PerElement,
    Reduce,
    StoreTensor,
    Transpose,
)
from mmaspec.programs.tree import unrolled

T = TypeVar("T")


def _all(program: CoopMatProgram, kind: type[T]) -> Iterator[T]:
    """Every instruction of a kind, once for each pass."""
    return (instruction for _, instruction in unrolled(program) if isinstance(instruction, kind))


def type_of(matrix: Matrix) -> tuple[object, ...]:
    """All that makes the type of a matrix."""
    return matrix.component, matrix.scope, matrix.rows, matrix.cols, matrix.use


def other_types(program: CoopMatProgram) -> bool:
    """KHRCM-STORAGE for operations: operands and result of an operator have one type."""
    for arithmetic in _all(program, Arithmetic):
        names = [arithmetic.left, arithmetic.result]
        if isinstance(arithmetic.right, str):
            names.append(arithmetic.right)
        if len({type_of(program.matrix(name)) for name in names}) > 1:
            return True
    return any(
        type_of(program.matrix(negate.matrix)) != type_of(program.matrix(negate.result))
        for negate in _all(program, Negate)
    )


def scalar_operator(context: Context) -> bool:
    """KHRCM-ARITH-SCALAR: multiplication is the only operator that takes a scalar."""
    return any(not isinstance(each.right, str) and each.op != "*" for each in _all(context.program, Arithmetic))


def convert_types(context: Context) -> bool:
    """NVCM2-CONVERT-TYPES: scope, rows and columns stay; so does the use, but for accumulators to A or B."""
    program = context.program
    for convert in _all(program, Convert):
        old, new = program.matrix(convert.matrix), program.matrix(convert.result)
        if (old.scope, old.rows, old.cols) != (new.scope, new.rows, new.cols):
            return True
        if old.use != new.use and (old.use != USE_ACCUMULATOR or new.use not in (USE_A, USE_B)):
            return True
    return False


def transpose_types(context: Context) -> bool:
    """NVCM2-TRANSPOSE-TYPES: an accumulator becomes a B of the same component and scope, rows and columns swapped."""
    program = context.program
    for transpose in _all(program, Transpose):
        old, new = program.matrix(transpose.matrix), program.matrix(transpose.result)
        if (old.use, new.use) != (USE_ACCUMULATOR, USE_B):
            return True
        if (old.component, old.scope, old.rows, old.cols) != (new.component, new.scope, new.cols, new.rows):
            return True
    return False


def reduce_use(context: Context) -> bool:
    """NVCM2-REDUCE-USE: source and result are accumulators of one component type and scope."""
    program = context.program
    for reduce in _all(program, Reduce):
        old, new = program.matrix(reduce.matrix), program.matrix(reduce.result)
        if (old.use, new.use) != (USE_ACCUMULATOR, USE_ACCUMULATOR):
            return True
        if (old.component, old.scope) != (new.component, new.scope):
            return True
    return False


def reduce_mask(context: Context) -> bool:
    """NVCM2-REDUCE-MASK: 2x2 with nothing else; a combine function of two ``const in`` components that returns one."""
    program = context.program
    for reduce in _all(program, Reduce):
        if reduce.mask in (5, 6, 7):
            return True
        component, combine = program.matrix(reduce.matrix).component, reduce.combine
        kinds = [component if kind is None else kind for kind in (*combine.parameters, combine.returns)]
        if len(combine.parameters) != 2 or set(kinds) != {component} or combine.qualifier != "const in":
            return True
    return False


def reduce_enums(context: Context) -> bool:
    """NVCM2-ENUMS for reductions: masks are 1 to 4 (what only combines those is NVCM2-REDUCE-MASK)."""
    return any(not 1 <= reduce.mask <= 7 for reduce in _all(context.program, Reduce))


def reduces_integers(program: CoopMatProgram) -> bool:
    """NVCM2-REDUCE-FLOAT: whether some reduction combines integers (NVCM2-AMB-15)."""
    return any(not format_named(program.matrix(each.matrix).component).is_float for each in _all(program, Reduce))


def reduce_shape(context: Context) -> bool:
    """NVCM2-REDUCE-SHAPE: rows stay when rows are reduced, columns with columns, and 2x2 halves both."""
    program = context.program
    for reduce in _all(program, Reduce):
        old, new = program.matrix(reduce.matrix), program.matrix(reduce.result)
        if reduce.mask == REDUCE_ROW and old.rows != new.rows:
            return True
        if reduce.mask == REDUCE_COLUMN and old.cols != new.cols:
            return True
        if reduce.mask == REDUCE_2X2 and (old.rows, old.cols) != (2 * new.rows, 2 * new.cols):
            return True
    return False


def element_signature(context: Context) -> bool:
    """NVCM2-PERELEM-SIG: the function takes and returns the component; extras are as it declares, matrices as m.

    Row and column are ``uint32_t``, every parameter is ``const in``.
    """
    program = context.program
    for call in _all(program, PerElement):
        function, source = call.function, program.matrix(call.matrix)
        if (function.place, function.qualifier) != ("uint32_t", "const in"):
            return True
        kinds = [source.component if kind is None else kind for kind in (function.element, function.returns)]
        if set(kinds) != {source.component} or type_of(source) != type_of(program.matrix(call.result)):
            return True
        if len(call.extras) != len(function.extras):
            return True
        for extra, kind in zip(call.extras, function.extras, strict=True):
            if isinstance(extra, str):
                given = program.matrix(extra)
                if type_of(given) != type_of(source) or kind not in (None, given.component):
                    return True
    return False


def features(context: Context) -> bool:
    """NVCM2-FEATURES: what a program uses of the extension, the device has."""
    program = context.program
    have = context.caps.features
    use_changes = any(
        program.matrix(convert.matrix).use != program.matrix(convert.result).use for convert in _all(program, Convert)
    )
    loads = list(_all(program, LoadTensor))
    used = {
        "workgroup_scope": any(matrix.scope == "workgroup" for matrix in program.matrices),
        "reductions": any(True for _ in _all(program, Reduce)),
        "conversions": use_changes or any(True for _ in _all(program, Transpose)),
        "per_element": any(True for _ in _all(program, PerElement)),
        "tensor_addressing": bool(loads) or any(True for _ in _all(program, StoreTensor)),
        "block_loads": any(load.decode is not None for load in loads),
    }
    return any(needed and not getattr(have, name) for name, needed in used.items())


OPERATION_RULES: dict[str, Callable[[Context], bool]] = {
    "KHRCM-ARITH-SCALAR": scalar_operator,
    "NVCM2-CONVERT-TYPES": convert_types,
    "NVCM2-TRANSPOSE-TYPES": transpose_types,
    "NVCM2-REDUCE-USE": reduce_use,
    "NVCM2-REDUCE-MASK": reduce_mask,
    "NVCM2-REDUCE-SHAPE": reduce_shape,
    "NVCM2-PERELEM-SIG": element_signature,
    "NVCM2-FEATURES": features,
}
"""Clause -> whether a program breaks it."""
