"""Validity under what a device reports, and of conversions of layouts: one small function for each clause."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from mmaspec.oracle.hlsl_linalg.addresses import format_of
from mmaspec.oracle.hlsl_linalg.caps_support import (
    TRANSPOSED,
    atomic_sum,
    construction,
    fits,
    group_multiplies,
    least,
    matrix_products,
    multiplied,
    outer_product,
    vector_products,
)
from mmaspec.oracle.hlsl_linalg.rule_context import Context
from mmaspec.oracle.hlsl_linalg.validity.memory import MATRIX_ALIGNMENT, STRIDE_ALIGNMENT
from mmaspec.oracle.hlsl_linalg.validity.operations import in_place, products
from mmaspec.oracle.hlsl_linalg.validity.types import Rule
from mmaspec.programs.hlsl_linalg.caps import MatrixProduct, VectorProduct
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, ComponentType
from mmaspec.programs.hlsl_linalg.program import (
    ConvertLayout,
    InterlockedAccumulate,
    Layout,
    Load,
    Matrix,
    MultiplyVector,
    OuterProduct,
    VectorAccumulate,
)

MULTIPLICATION_LAYOUTS = ("MulOptimal", "MulOptimalTranspose")
FP8: tuple[ComponentType, ...] = ("F8_E4M3FN", "F8_E5M2")


def construct(context: Context) -> bool:
    """LINALG-CONSTRUCT: Wave and ThreadGroup matrices have reported types, and multiples of their least sizes."""
    return any(
        matrix.scope != "Thread" and context.known(matrix.component) and not _constructible(context, matrix)
        for matrix in context.program.matrices
    )


def _constructible(context: Context, matrix: Matrix) -> bool:
    answer = construction(context.caps, matrix.component)
    if answer is None:
        return False
    rows, columns = least(answer, matrix.use)
    return rows > 0 and columns > 0 and matrix.m % rows == matrix.n % columns == 0


def _asked(context: Context) -> Iterator[tuple[Matrix, tuple[MatrixProduct, ...]]]:
    """Every product that the caps can be asked about: its accumulator, and the answers that allow types and sizes."""
    for _, matrix, a, b in products(context):
        whole = in_place(matrix, a, b) and (matrix.m, matrix.n, a.n) == (a.m, b.n, b.m)
        if whole and matrix.scope == a.scope == b.scope and context.known(a.component, b.component, matrix.component):
            found = matrix_products(context.caps, a.component, b.component, matrix.component)
            yield matrix, tuple(one for one in found if fits(one, a.m, a.n, b.n))


def mul_caps(context: Context) -> bool:
    """LINALG-MUL-CAPS: types of a product that are reported together, and multiples of one of their shapes."""
    return any(not allowed for _, allowed in _asked(context))


def group_caps(context: Context) -> bool:
    """LINALG-GROUP-CAPS: a product of ThreadGroup scope is reported for groups with that number of threads."""
    return any(
        matrix.scope == "ThreadGroup"
        and allowed
        and not any(group_multiplies(one, context.program.group) for one in allowed)
        for matrix, allowed in _asked(context)
    )


def _native(*components: ComponentType) -> bool:
    """Whether HLSL has all of these as scalars; where it has to, others are for LINALG-VEC-NATIVE."""
    return all(COMPONENTS[name].native for name in components)


def _bias(context: Context, one: MultiplyVector) -> ComponentType | None:
    if one.bias is None:
        return None
    return context.program.vector(one.bias).component if isinstance(one.bias, str) else one.bias.component


def _vector_answers(context: Context) -> Iterator[tuple[MultiplyVector, tuple[VectorProduct, ...]]]:
    """Every product with a vector of types that have a meaning, and the answers that allow its types."""
    program = context.program
    for one, _ in context.each(MultiplyVector):
        bias = _bias(context, one)
        source, result = program.vector(one.source).component, program.vector(one.vector).component
        matrix = program.matrix(one.matrix).component
        vectors = [result, *([source] if context.source else [])]
        if bias is not None and isinstance(one.bias, str):
            vectors.append(bias)
        if context.known(source, matrix, result, *([] if bias is None else [bias])) and _native(*vectors):  # pyright: ignore[reportArgumentType]
            found = vector_products(context.caps, source, matrix, result)
            yield one, tuple(answer for answer in found if bias is None or bias in answer.biases)


def vec_caps(context: Context) -> bool:
    """LINALG-VEC-CAPS: types of vector, matrix, bias and result that are reported together."""
    return any(not allowed for _, allowed in _vector_answers(context))


def _layouts(context: Context, matrix: str) -> tuple[Layout, ...]:
    """The layouts from which a matrix is loaded."""
    return tuple(load.layout for load, _ in context.each(Load) if load.matrix == matrix)


def fp8_optimal(context: Context) -> bool:
    """LINALG-FP8-OPTIMAL: a matrix whose product is emulated comes from a layout that is optimal for products."""
    return any(
        allowed
        and all(answer.emulated_inputs for answer in allowed)
        and any(layout not in MULTIPLICATION_LAYOUTS for layout in _layouts(context, one.matrix))
        for one, allowed in _vector_answers(context)
    )


def transpose_caps(context: Context) -> bool:
    """LINALG-TRANSPOSE-CAPS: a transposed layout is loaded only for products that are reported with transposes.

    Where a matrix is not multiplied at all, some product of its type has to be.
    """
    used = {one.matrix: allowed for one, allowed in _vector_answers(context) if allowed}
    for load, _ in context.each(Load):
        if load.layout not in TRANSPOSED:
            continue
        component = context.program.matrix(load.matrix).component
        answers = used.get(load.matrix) or tuple(one for one in context.caps.vector_products if one.matrix == component)
        if not any(answer.transpose for answer in answers):
            return True
    return False


def outer_caps(context: Context) -> bool:
    """LINALG-OUTER-CAPS: types of an outer product that are reported together."""
    program = context.program
    for one, _ in context.each(OuterProduct):
        column, row = program.vector(one.column).component, program.vector(one.row).component
        matrix = program.matrix(one.matrix).component
        asked = column == row and context.known(column, matrix) and _native(column)
        if asked and outer_product(context.caps, column, matrix) is None:
            return True
    return False


def atomic_caps(context: Context) -> bool:
    """LINALG-ATOMIC-CAPS: what is accumulated has a type that is reported, for buffers or for arrays."""
    program, caps = context.program, context.caps
    for one, _ in context.each(InterlockedAccumulate, VectorAccumulate):
        if isinstance(one, VectorAccumulate):
            component, shared = program.vector(one.vector).component, False
            if not _native(component):
                continue
        else:
            component, shared = program.matrix(one.matrix).component, program.array(one.memory) is not None
        answer = atomic_sum(caps, component)
        supported = answer is not None and (answer.arrays if shared else answer.buffers)
        if context.known(component) and not supported:
            return True
    return False


def layout_kinds(context: Context) -> bool:
    """LINALG-LAYOUT-KINDS: a conversion knows no transposed layout."""
    return any({one.source_layout, one.target_layout} & TRANSPOSED.keys() for one, _ in context.each(ConvertLayout))


def layout_stride(context: Context) -> bool:
    """LINALG-LAYOUT-STRIDE: at least a line, in multiples of the element, of 16 bytes for the target; optimal: 0."""
    for one, _ in context.each(ConvertLayout):
        size = format_of(one.component).nbytes if context.known(one.component) else 1
        sides = (
            (one.source_layout, one.source_stride, size),
            (one.target_layout, one.target_stride, STRIDE_ALIGNMENT),
        )
        for layout, stride, unit in sides:
            line = {"RowMajor": one.n, "ColMajor": one.m}.get(layout)
            if stride if line is None else stride < line * size or stride % unit:
                return True
    return False


def layout_align(context: Context) -> bool:
    """LINALG-LAYOUT-ALIGN: the target lies on a multiple of 128 bytes."""
    bases = {buffer.name: buffer.base for buffer in context.program.buffers}
    return any((bases[one.target] + one.target_offset) % MATRIX_ALIGNMENT for one, _ in context.each(ConvertLayout))


def layout_type(context: Context) -> bool:
    """LINALG-LAYOUT-TYPE: some product of the device has matrices of the type that is converted."""
    known = multiplied(context.caps)
    return any(context.known(one.component) and one.component not in known for one, _ in context.each(ConvertLayout))


CAPS_RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "LINALG-CONSTRUCT": construct,
        "LINALG-MUL-CAPS": mul_caps,
        "LINALG-GROUP-CAPS": group_caps,
        "LINALG-VEC-CAPS": vec_caps,
        "LINALG-FP8-OPTIMAL": fp8_optimal,
        "LINALG-TRANSPOSE-CAPS": transpose_caps,
        "LINALG-OUTER-CAPS": outer_caps,
        "LINALG-ATOMIC-CAPS": atomic_caps,
        "LINALG-LAYOUT-KINDS": layout_kinds,
        "LINALG-LAYOUT-STRIDE": layout_stride,
        "LINALG-LAYOUT-ALIGN": layout_align,
        "LINALG-LAYOUT-TYPE": layout_type,
    }
)
"""Clause -> whether a program breaks it."""
