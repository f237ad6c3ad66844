"""The validity checks of the coopmat2 device for operations on matrices, each written from its clause."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mmaspec.backends.numpy.nv_coopmat2.validity import Checks
from mmaspec.programs.nv_coopmat2.program import (
    Arithmetic,
    Convert,
    LoadTensor,
    Matrix,
    Negate,
    Operation,
    PerElement,
    Reduce,
    StoreTensor,
    Transpose,
)


def _pairs(checks: Checks, *kinds: type) -> Iterator[tuple[Operation, Matrix, Matrix]]:
    """Every operation of some kinds with its source and its result."""
    for instruction in checks.instructions:
        if isinstance(instruction, Operation) and isinstance(instruction, kinds):
            source = instruction.left if isinstance(instruction, Arithmetic) else instruction.matrix
            yield instruction, checks.program.matrix(source), checks.program.matrix(instruction.result)


def alike(one: Matrix, other: Matrix, *fields: str) -> bool:
    """Whether two types agree in some fields; in all of them unless named."""
    wanted = fields or ("component", "scope", "rows", "cols", "use")
    return all(getattr(one, field) == getattr(other, field) for field in wanted)


def mixed_operators(checks: Checks) -> bool:
    """An operator on matrices of several types, or into another one."""
    for instruction, source, result in _pairs(checks, Arithmetic, Negate):
        if not alike(source, result):
            return True
        right = getattr(instruction, "right", None)
        if isinstance(right, str) and not alike(source, checks.program.matrix(right)):
            return True
    return False


def scalar_not_multiplied(checks: Checks) -> bool:
    """A scalar beside another operator than multiplication."""
    return any(
        isinstance(each, Arithmetic) and not isinstance(each.right, str) and each.op in ("+", "-", "/")
        for each, _, _ in _pairs(checks, Arithmetic)
    )


def wrong_conversion(checks: Checks) -> bool:
    """A conversion that changes scope or size, or the use otherwise than from accumulator to A or B."""
    for _, source, result in _pairs(checks, Convert):
        if not alike(source, result, "scope", "rows", "cols"):
            return True
        if (source.use, result.use) not in {(0, 0), (1, 1), (2, 2), (2, 0), (2, 1)}:
            return True
    return False


def wrong_transpose(checks: Checks) -> bool:
    """A transpose of something other than an accumulator, or into something other than the matching B."""
    return any(
        source.use != 2
        or result.use != 1
        or not alike(source, result, "component", "scope")
        or [source.rows, source.cols] != [result.cols, result.rows]
        for _, source, result in _pairs(checks, Transpose)
    )


def wrong_reduce_types(checks: Checks) -> bool:
    """A reduction of or into something other than accumulators of one component type and scope."""
    return any(
        {source.use, result.use} != {2} or not alike(source, result, "component", "scope")
        for _, source, result in _pairs(checks, Reduce)
    )


def wrong_reduce_mask(checks: Checks) -> bool:
    """2x2 beside another bit, or a combine function of other than two constant components."""
    for reduce, source, _ in _pairs(checks, Reduce):
        assert isinstance(reduce, Reduce)
        if reduce.mask & 4 and reduce.mask & 3 and reduce.mask < 8:
            return True
        kinds = list(reduce.combine.parameters)
        if len(kinds) != 2 or not {*kinds, reduce.combine.returns} <= {None, source.component}:
            return True
        if reduce.combine.qualifier in ("in", "inout"):
            return True
    return False


def nameless_mask(checks: Checks) -> bool:
    """A reduce mask of no known bit, or of an unknown one."""
    return any(isinstance(each, Reduce) and (each.mask < 1 or each.mask > 7) for each, _, _ in _pairs(checks, Reduce))


def wrong_reduce_shape(checks: Checks) -> bool:
    """Rows, columns or halves that the mask does not give."""
    for reduce, source, result in _pairs(checks, Reduce):
        assert isinstance(reduce, Reduce)
        wanted = {
            1: (source.rows, result.cols),
            2: (result.rows, source.cols),
            4: (source.rows / 2, source.cols / 2),
        }.get(reduce.mask, (result.rows, result.cols))
        if wanted != (result.rows, result.cols):
            return True
    return False


def wrong_function(checks: Checks) -> bool:
    """A function whose parameters or return type do not fit the call, or a result of another type."""
    for call, source, result in _pairs(checks, PerElement):
        assert isinstance(call, PerElement)
        function = call.function
        if function.place != "uint32_t" or not function.qualifier.startswith("const"):
            return True
        if not alike(source, result) or not {function.element, function.returns} <= {None, source.component}:
            return True
        if len(function.extras) != len(call.extras):
            return True
        for formal, actual in zip(function.extras, call.extras, strict=True):
            if isinstance(actual, str):
                extra = checks.program.matrix(actual)
                if not alike(extra, source) or formal not in (None, extra.component):
                    return True
    return False


def missing_feature(checks: Checks) -> bool:
    """Something of the extension that the device does not have."""
    have = checks.caps.features
    lacks = []
    if any(matrix.scope == "workgroup" for matrix in checks.program.matrices):
        lacks.append(have.workgroup_scope)
    for instruction in checks.instructions:
        match instruction:
            case Reduce():
                lacks.append(have.reductions)
            case Transpose():
                lacks.append(have.conversions)
            case PerElement():
                lacks.append(have.per_element)
            case Convert():
                uses = {checks.program.matrix(name).use for name in (instruction.matrix, instruction.result)}
                lacks.append(have.conversions or len(uses) == 1)
            case LoadTensor():
                lacks += [have.tensor_addressing, have.block_loads or instruction.decode is None]
            case StoreTensor():
                lacks.append(have.tensor_addressing)
    return not all(lacks)


OPERATION_CHECKS: tuple[tuple[str, Callable[[Checks], bool]], ...] = (
    ("KHRCM-STORAGE", mixed_operators),
    ("KHRCM-ARITH-SCALAR", scalar_not_multiplied),
    ("NVCM2-CONVERT-TYPES", wrong_conversion),
    ("NVCM2-TRANSPOSE-TYPES", wrong_transpose),
    ("NVCM2-REDUCE-USE", wrong_reduce_types),
    ("NVCM2-REDUCE-MASK", wrong_reduce_mask),
    ("NVCM2-ENUMS", nameless_mask),
    ("NVCM2-REDUCE-SHAPE", wrong_reduce_shape),
    ("NVCM2-PERELEM-SIG", wrong_function),
    ("NVCM2-FEATURES", missing_feature),
)
"""Validity clauses, each with a check that finds it broken; some have more elsewhere."""
