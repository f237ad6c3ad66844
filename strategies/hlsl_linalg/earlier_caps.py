"""Random caps of devices that follow the text of 2025-09-19, told by the answers of the runtime draft."""

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
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, ComponentType
from mmaspec.programs.hlsl_linalg.program import Layout
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.hlsl_linalg.builder.sizes import is_short

WAVES = (4, 8, 16, 32, 64)
"""The lanes of waves that are drawn."""
WIDE, PACKED = (4, 8, 16), (16, 32)
"""Extents of some shape of every product, by whether a word holds one component or four: powers of two."""
LEAST = (1, 2, 4, 8, 16)
OPTIMAL_UNIT = 16

PRODUCTS: tuple[tuple[ComponentType, ComponentType, ComponentType], ...] = (
    ("F16", "F16", "F16"), ("F16", "F16", "F32"), ("F32", "F32", "F32"), ("F64", "F64", "F64"),
    ("PackedS8x32", "PackedS8x32", "I32"), ("PackedU8x32", "PackedU8x32", "I32"),
    ("PackedS8x32", "PackedU8x32", "I32"), ("PackedU8x32", "PackedU8x32", "U32"), ("I16", "I16", "I32"),
    ("I32", "I32", "I32"), ("U32", "U32", "U32"), ("U16", "U16", "U16"),
)  # fmt: skip
"""A, B and accumulator."""
VECTOR_PRODUCTS: tuple[tuple[ComponentType, ComponentType, ComponentType], ...] = (
    ("F16", "F16", "F16"), ("F16", "F16", "F32"), ("F32", "F32", "F32"), ("F64", "F64", "F64"),
    ("I32", "PackedS8x32", "I32"), ("U32", "PackedU8x32", "U32"), ("I16", "PackedS8x32", "I32"),
    ("I32", "I32", "I32"), ("I16", "I16", "I32"), ("U16", "U16", "U32"),
)  # fmt: skip
"""Vector, matrix and result."""
SUMS: tuple[ComponentType, ...] = ("F16", "F32", "I32", "U32", "I16")


def random_earlier_caps(choices: Choices) -> LinalgCaps:
    """Matrices, products and sums of some types; at least one product."""
    draw = choices
    shorts = draw.chance(85)
    largest = draw.one_of((128, 256, 1024))
    first = draw.integer(0, len(WAVES) - 1)
    sizes = WAVES[first : draw.integer(first, min(first + 2, len(WAVES) - 1)) + 1]

    def there(types: Sequence[ComponentType]) -> bool:
        return shorts or not any(is_short(one) for one in types)

    possible = [one for one in PRODUCTS if there(one)]
    chosen = [one for one in possible if draw.chance(30)] or [draw.one_of(possible)]
    products = tuple(_product(draw, types, sizes[-1], largest) for types in chosen)
    vectors = tuple(
        VectorProduct(*types, (types[2],) if draw.chance(80) else (), emulated_outputs=draw.chance(20))
        for types in VECTOR_PRODUCTS
        if there(types) and draw.chance(35)
    )
    atomics = tuple(
        AtomicSum(one, draw.chance(85), draw.chance(50)) for one in SUMS if there((one,)) and draw.chance(50)
    )
    made: dict[ComponentType, None] = dict.fromkeys(
        name for one in products for name in (one.a, one.b, one.accumulator)
    )
    multiplied = {*made, *(one.matrix for one in vectors)}
    outer = tuple(
        OuterProductSupport(one.component, one.component)
        for one in atomics
        if one.buffers and one.component in multiplied and draw.chance(50)
    )
    made |= dict.fromkeys(one for one in SUMS if there((one,)) and draw.chance(20))
    return LinalgCaps(
        revision="2025-09-19",
        wave_sizes=sizes,
        largest_group=max(largest, sizes[-1]),
        native_16_bit=shorts,
        construction=tuple(_construction(draw, component) for component in made),
        products=products,
        vector_products=vectors,
        outer_products=outer,
        atomics=atomics,
        optimal=tuple(_optimal(draw, vectors, outer)),
    )


def _extents(component: ComponentType) -> tuple[int, ...]:
    return WIDE if COMPONENTS[component].native else PACKED


def _construction(draw: Choices, component: ComponentType) -> Construction:
    least = LEAST if COMPONENTS[component].native else (4, 16)
    return Construction(component, *(draw.one_of(least) for _ in range(3)))


def _product(
    draw: Choices, types: tuple[ComponentType, ComponentType, ComponentType], lanes: int, largest: int
) -> MatrixProduct:
    """One or two shapes; at times for groups of a wave's threads or of more."""
    found: list[Shape] = []
    for _ in range(draw.integer(1, 2)):
        m, k, n = (draw.one_of(_extents(types[0])) for _ in range(3))
        found.append((m, k, n))
    least = max(draw.one_of((32, 64, 128)), lanes)
    groups = (least, draw.integer(1, largest // least) * least) if draw.chance(40) and least <= largest else (0, 0)
    return MatrixProduct(*types, tuple(dict.fromkeys(found)), draw.chance(20), groups)


def _optimal(
    draw: Choices, vectors: Sequence[VectorProduct], outer: Sequence[OuterProductSupport]
) -> list[OptimalSize]:
    """Sizes of a few matrices, of types that stand in optimal layouts."""
    kinds: list[tuple[ComponentType, Layout]] = [(one.matrix, "MulOptimal") for one in vectors if draw.chance(60)]
    kinds.extend((one.matrix, "OuterProductOptimal") for one in outer if draw.chance(90))
    found = []
    for component, layout in dict.fromkeys(kinds):
        for m, n in {(one, other): None for one in _extents(component) for other in _extents(component)}:
            nbytes = m * n * COMPONENTS[component].format.nbytes
            if draw.chance(40):
                found.append(OptimalSize(component, m, n, layout, nbytes + OPTIMAL_UNIT * draw.integer(0, 8)))
    return found
