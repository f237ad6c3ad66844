"""Random caps that the runtime draft allows: answers to its queries, as a driver could report them."""

from __future__ import annotations

from collections.abc import Sequence

from mmaspec.programs.hlsl_linalg.caps import (
    AtomicSum,
    Construction,
    LinalgCaps,
    MatrixProduct,
    OptimalSize,
    OuterProductSupport,
    Shape,
    VectorProduct,
)
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, NATIVE, ComponentType, components_of
from mmaspec.programs.hlsl_linalg.program import Layout
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.hlsl_linalg.builder.sizes import is_short

WAVES = (4, 8, 16, 32, 64)
"""The lanes of waves that are drawn."""
LEAST = (1, 2, 4, 8, 16)
EXTENTS = (4, 8, 16)
"""Extents of shapes, of which some has no larger ones."""
LARGER = (24, 32, 48)
OPTIMAL_UNIT = 16
SIZES = ((8, 8), (8, 16), (16, 8), (4, 32), (24, 16))
FP8: tuple[ComponentType, ...] = ("F8_E4M3FN", "F8_E5M2")
PACKED_SUMS: tuple[ComponentType, ...] = ("I8", "U8")
"""Packed types that atomic sums may have."""

MATRIX_TYPES: tuple[tuple[ComponentType, ComponentType, ComponentType], ...] = (
    ("F16", "F16", "F16"), ("F16", "F16", "F32"), ("BFloat16", "BFloat16", "F32"), ("BFloat16", "BFloat16", "BFloat16"),
    ("F32", "F32", "F32"), ("F64", "F64", "F64"), ("F8_E4M3FN", "F8_E5M2", "F32"), ("F8_E5M2", "F8_E5M2", "F16"),
    ("I8", "I8", "I32"), ("I8", "U8", "I32"), ("U8", "I8", "I32"), ("U8", "U8", "U32"), ("I16", "I16", "I32"),
    ("I32", "I32", "I32"), ("U32", "U32", "U32"), ("I16", "I16", "I64"), ("U16", "U16", "U16"),
)  # fmt: skip
"""A, B and accumulator."""
VECTOR_TYPES: tuple[tuple[ComponentType, ComponentType, ComponentType], ...] = (
    ("F32", "F32", "F32"), ("F32", "F16", "F32"), ("F16", "F16", "F32"), ("BFloat16", "BFloat16", "F32"),
    ("F8_E4M3FN", "F8_E4M3FN", "F16"), ("F8_E5M2", "F8_E5M2", "F32"), ("F16", "F8_E5M2", "F32"), ("F64", "F64", "F64"),
    ("I8", "I8", "I32"), ("U8", "U8", "U32"), ("I16", "I16", "I32"), ("I32", "I8", "I32"), ("I32", "I32", "I32"),
    ("I16", "I16", "I64"), ("F16", "I8", "I32"),
)  # fmt: skip
"""Vector, matrix and result."""
REQUIRED: tuple[tuple[ComponentType, ComponentType, ComponentType], ...] = (
    ("I8", "I8", "I32"), ("U8", "U8", "I32"), ("F32", "I8", "I32"),
    ("F16", "F16", "F16"), ("F16", "F8_E4M3FN", "F16"), ("F16", "F8_E5M2", "F16"),
)  # fmt: skip
"""What tier 1 asks of every device, of vectors; the first two of matrices as well."""


def random_later_caps(choices: Choices) -> LinalgCaps:
    """Matrices, products and sums of some types: what tier 1 asks for, and more."""
    draw = choices
    shorts = draw.chance(85)
    largest = draw.one_of((128, 256, 1024))
    lanes = draw.integer(0, len(WAVES) - 1)
    sizes = WAVES[lanes : draw.integer(lanes, min(lanes + 2, len(WAVES) - 1)) + 1]

    def there(types: Sequence[ComponentType]) -> bool:
        return shorts or not any(is_short(one) for one in types)

    matrix_types = [one for one in MATRIX_TYPES if draw.chance(30) and there(one)]
    vector_types = [one for one in VECTOR_TYPES if draw.chance(25) and there(one)]
    matrix_types += REQUIRED[:2]
    vector_types += REQUIRED
    products = tuple(_product(draw, types, sizes[-1], largest) for types in dict.fromkeys(matrix_types))
    vectors = tuple(_vector(draw, types, there) for types in dict.fromkeys(vector_types))
    made = {name for one in products for name in (one.a, one.b, one.accumulator)}
    every: list[ComponentType] = [one.name for one in components_of("later")]  # type: ignore[misc]
    made |= {name for name in every if draw.chance(20) and there((name,))}
    construction = tuple(_construction(draw, name) for name in every if name in made)
    natives: list[ComponentType] = [name for name in every if name in NATIVE.values() and there((name,))]
    added: list[ComponentType] = [*natives, *PACKED_SUMS] if draw.chance(30) else natives
    summed = tuple(AtomicSum(name, draw.chance(85), draw.chance(50)) for name in added if draw.chance(45))
    multiplied = made & {*(name for one in products for name in (one.a, one.b, one.accumulator))}
    multiplied |= {one.matrix for one in vectors}
    outer = tuple(
        OuterProductSupport(vector, one.component)
        for one in summed
        for vector in natives
        if one.buffers and one.component in multiplied and draw.chance(25)
        if _goes_into(vector, one.component)
    )
    return LinalgCaps(
        wave_sizes=sizes,
        largest_group=max(largest, sizes[-1]),
        native_16_bit=shorts,
        construction=construction,
        products=products,
        vector_products=vectors,
        outer_products=outer,
        atomics=summed,
        optimal=tuple(_optimal(draw, vectors, outer)),
    )


def _goes_into(vector: str, matrix: str) -> bool:
    """Whether products of the one are stated in the other: floats both, or integers whose sign is not lost."""
    v, m = COMPONENTS[vector].format, COMPONENTS[matrix].format
    return v.is_float == m.is_float and (m.signed or not v.signed)


def _construction(draw: Choices, component: ComponentType) -> Construction:
    return Construction(component, *(draw.one_of(LEAST) for _ in range(3)))


def _product(
    draw: Choices, types: tuple[ComponentType, ComponentType, ComponentType], lanes: int, largest: int
) -> MatrixProduct:
    """Shapes, the first of them small; at times by groups of a wave's threads, or of more, and multiples."""
    narrow = COMPONENTS[types[0]].format.bits == 8
    shapes: list[Shape] = [_shape(draw, EXTENTS, 2 if narrow else 1)]
    if draw.chance(40):
        shapes.append(_shape(draw, (*EXTENTS, *LARGER), 1))
    least = max(draw.one_of((32, 64, 128)), lanes)
    groups = (least, draw.integer(1, largest // least) * least) if draw.chance(40) and least <= largest else (0, 0)
    return MatrixProduct(*types, tuple(dict.fromkeys(shapes)), draw.chance(20), groups)


def _shape(draw: Choices, extents: Sequence[int], deeper: int) -> Shape:
    return draw.one_of(extents), draw.one_of(extents) * draw.integer(1, deeper), draw.one_of(extents)


def _vector(draw: Choices, types: tuple[ComponentType, ComponentType, ComponentType], there: object) -> VectorProduct:
    """Biases of the result's type and of others, packed ones among them."""
    assert callable(there)
    result = types[2]
    floats = COMPONENTS[result].format.is_float
    alike = [
        one.name
        for one in components_of("later")
        if one.format.is_float == floats and one.name != result and there((one.name,))
    ]
    biases: list[ComponentType] = [result] if types in REQUIRED or draw.chance(80) else []
    if draw.chance(30):
        biases.append(draw.one_of(alike))  # type: ignore[arg-type]
    emulated = types[1] in FP8 and draw.chance(30)
    return VectorProduct(*types, tuple(biases), emulated, draw.chance(20), draw.chance(40))


def _optimal(
    draw: Choices, vectors: Sequence[VectorProduct], outer: Sequence[OuterProductSupport]
) -> list[OptimalSize]:
    """Sizes of a few matrices, of all types that stand in optimal layouts."""
    kinds: list[tuple[ComponentType, Layout]] = [
        (one.matrix, "MulOptimal") for one in vectors if one.emulated_inputs or draw.chance(60)
    ]
    kinds.extend((one.matrix, "OuterProductOptimal") for one in outer if draw.chance(90))
    found = []
    for component, layout in dict.fromkeys(kinds):
        for m, n in SIZES:
            least = m * n * COMPONENTS[component].format.nbytes
            nbytes = -(-least // OPTIMAL_UNIT) * OPTIMAL_UNIT + OPTIMAL_UNIT * draw.integer(0, 8)
            if draw.chance(60):
                found.append(OptimalSize(component, m, n, layout, nbytes))
    return found
