"""What a device reports of linear algebra, kept as the rows that its driver answered.

The queries are those of the runtime draft (``D3D12LinearAlgebraRuntimeFeatureSupport``, version 0.8): matrices that can
be made at all, products of matrices by wave and by group, products with vectors, outer products, atomic sums, and the
sizes of optimal layouts. What is not listed is not supported.
"""

from __future__ import annotations

from msgspec import Struct, structs

from mmaspec.programs.hlsl_linalg.components import ComponentType, Revision
from mmaspec.programs.hlsl_linalg.program import Layout

Shape = tuple[int, int, int]
"""M, K and N of a product."""


class Construction(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``MATRIX_CONSTRUCTION_SUPPORT``: matrices of a component type of Wave and ThreadGroup scope can be made.

    M, K and N are multiples of the least ones: an A matrix is M x K, a B matrix K x N, an accumulator M x N.
    """

    component: ComponentType
    min_m: int
    min_k: int
    min_n: int


class MatrixProduct(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``WAVE_MATRIX_MULTIPLY_SUPPORT``: component types of A, B and accumulator, and the native shapes.

    M, K and N of a program are multiples of those of one shape. ``emulated_outputs``: the sum may be made in another
    precision. ``group_threads``: the threads of a group that can multiply matrices of ThreadGroup scope, from the least
    to the most in multiples of the least; (0, 0) where it cannot.
    """

    a: ComponentType
    b: ComponentType
    accumulator: ComponentType
    shapes: tuple[Shape, ...]
    emulated_outputs: bool = False
    group_threads: tuple[int, int] = (0, 0)


class VectorProduct(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``THREAD_VECTOR_MATRIX_MULTIPLY_SUPPORT``: types of vector (as interpreted), matrix, biases and result.

    A product without a bias is always among them. ``transpose``: it loads through transposed layouts.
    ``emulated_inputs``: an FP8 matrix is multiplied in a wider type, and has to come from an optimal layout.
    """

    vector: ComponentType
    matrix: ComponentType
    result: ComponentType
    biases: tuple[ComponentType, ...] = ()
    emulated_inputs: bool = False
    emulated_outputs: bool = False
    transpose: bool = False


class OuterProductSupport(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``THREAD_OUTER_PRODUCT_SUPPORT``: the type of both vectors, and of the matrix."""

    vector: ComponentType
    matrix: ComponentType


class AtomicSum(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``ATOMIC_ACCUMULATE_STORE_SUPPORT``: the type added, and whether to buffers and to groupshared arrays."""

    component: ComponentType
    buffers: bool = True
    arrays: bool = False


class OptimalSize(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One answer of ``GetLinearAlgebraMatrixConversionDestinationInfo``: the bytes of a matrix in an optimal layout."""

    component: ComponentType
    m: int
    n: int
    layout: Layout
    nbytes: int


class LinalgCaps(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Every answer that a device gave, and the text that it follows.

    ``tier`` is ``D3D12_LINEAR_ALGEBRA_TIER`` (0 or 1); ``wave_sizes`` the lanes that its waves may have.
    ``largest_group``: the threads of its largest thread group.
    """

    revision: Revision = "later"
    tier: int = 1
    wave_sizes: tuple[int, ...] = (32,)
    largest_group: int = 1024
    native_16_bit: bool = True
    construction: tuple[Construction, ...] = ()
    products: tuple[MatrixProduct, ...] = ()
    vector_products: tuple[VectorProduct, ...] = ()
    outer_products: tuple[OuterProductSupport, ...] = ()
    atomics: tuple[AtomicSum, ...] = ()
    optimal: tuple[OptimalSize, ...] = ()


_WIDE: Shape = (16, 16, 16)
_NARROW: Shape = (16, 32, 16)
_GROUP = (64, 256)

_CONSTRUCTION = (
    *(Construction(component, 8, 8, 8) for component in ("F16", "BFloat16", "F32", "I32", "U32", "I16", "U16")),
    *(Construction(component, 8, 16, 8) for component in ("I8", "U8", "F8_E4M3FN", "F8_E5M2")),
)

_PRODUCTS = (
    MatrixProduct("U8", "U8", "I32", (_NARROW,), group_threads=_GROUP),
    MatrixProduct("I8", "I8", "I32", (_NARROW,), group_threads=_GROUP),
    MatrixProduct("I8", "U8", "I32", (_NARROW,)),
    MatrixProduct("F16", "F16", "F16", (_WIDE, (8, 16, 8)), True, _GROUP),
    MatrixProduct("F16", "F16", "F32", (_WIDE,), group_threads=_GROUP),
    MatrixProduct("BFloat16", "BFloat16", "F32", (_WIDE,)),
    MatrixProduct("F8_E4M3FN", "F8_E4M3FN", "F32", (_NARROW,)),
    MatrixProduct("F8_E5M2", "F8_E4M3FN", "F32", (_NARROW,)),
)

_VECTOR_PRODUCTS = (
    VectorProduct("I8", "I8", "I32", ("I32",)),
    VectorProduct("U8", "U8", "I32", ("I32",)),
    VectorProduct("F32", "I8", "I32", ("I32",)),
    VectorProduct("F16", "F16", "F16", ("F16",), transpose=True),
    VectorProduct("F16", "F16", "F32", ("F16", "F32")),
    VectorProduct("F16", "F8_E4M3FN", "F16", ("F16",)),
    VectorProduct("F16", "F8_E5M2", "F16", ("F16",)),
)

_OPTIMAL_LAYOUTS: tuple[Layout, ...] = ("MulOptimal", "MulOptimalTranspose", "OuterProductOptimal")
_OPTIMAL_OF: tuple[tuple[ComponentType, tuple[Layout, ...]], ...] = (
    ("F16", _OPTIMAL_LAYOUTS),
    ("F32", ("OuterProductOptimal",)),
    ("I8", ("MulOptimal",)),
    ("U8", ("MulOptimal",)),
    ("F8_E4M3FN", ("MulOptimal",)),
    ("F8_E5M2", ("MulOptimal",)),
)
_OPTIMAL = tuple(
    OptimalSize(component, m, n, layout, 1024 if component == "F32" else 512)
    for component, layouts in _OPTIMAL_OF
    for m, n in ((8, 16), (16, 8))
    for layout in layouts
)

DEFAULT_CAPS = LinalgCaps(
    construction=_CONSTRUCTION,
    products=_PRODUCTS,
    vector_products=(*_VECTOR_PRODUCTS[:-1], structs.replace(_VECTOR_PRODUCTS[-1], emulated_inputs=True)),
    outer_products=(OuterProductSupport("F16", "F16"), OuterProductSupport("F16", "F32")),
    atomics=(AtomicSum("F16", True, True), AtomicSum("F32", True, True), AtomicSum("I32", True, True)),
    optimal=_OPTIMAL,
)
"""A device of Tier 1 with what that tier leaves optional as well, waves of 32 lanes and 16-bit types.

Of the two FP8 types it multiplies one as it is and emulates the other."""

TIER_1 = LinalgCaps(
    construction=tuple(row for row in _CONSTRUCTION if row.component in ("F16", "I32", "I8", "U8")),
    products=_PRODUCTS[:2],
    vector_products=tuple(row for row in _VECTOR_PRODUCTS if (row.vector, row.result) != ("F16", "F32")),
)
"""What Tier 1 requires of every device, and nothing else."""

_SOURCE_CONSTRUCTION = (
    *(Construction(component, 8, 8, 8) for component in ("F16", "F32", "I32", "U32", "I16", "U16")),
    *(Construction(component, 16, 16, 16) for component in ("PackedS8x32", "PackedU8x32")),
)
_SOURCE_OPTIMAL: tuple[tuple[ComponentType, tuple[Layout, ...], tuple[tuple[int, int], ...]], ...] = (
    ("F16", ("MulOptimal", "OuterProductOptimal"), ((8, 16), (16, 8))),
    ("F32", ("MulOptimal", "OuterProductOptimal"), ((8, 16), (16, 8))),
    ("I32", ("MulOptimal", "OuterProductOptimal"), ((8, 16),)),
    ("PackedS8x32", ("MulOptimal",), ((16, 16),)),
    ("PackedU8x32", ("MulOptimal",), ((16, 16),)),
)

SOURCE_CAPS = LinalgCaps(
    revision="2025-09-19",
    construction=_SOURCE_CONSTRUCTION,
    products=(
        MatrixProduct("PackedU8x32", "PackedU8x32", "I32", (_NARROW,), group_threads=_GROUP),
        MatrixProduct("PackedS8x32", "PackedS8x32", "I32", (_NARROW,), group_threads=_GROUP),
        MatrixProduct("PackedS8x32", "PackedU8x32", "I32", (_NARROW,)),
        MatrixProduct("F16", "F16", "F16", (_WIDE, (8, 16, 8)), True, _GROUP),
        MatrixProduct("F16", "F16", "F32", (_WIDE,), group_threads=_GROUP),
    ),
    vector_products=(
        VectorProduct("I32", "PackedS8x32", "I32", ("I32",)),
        VectorProduct("U32", "PackedU8x32", "U32", ("U32",)),
        VectorProduct("I16", "PackedS8x32", "I32", ("I32",)),
        VectorProduct("I32", "I32", "I32", ("I32",)),
        VectorProduct("F16", "F16", "F16", ("F16",)),
        VectorProduct("F16", "F16", "F32", ("F32",)),
        VectorProduct("F32", "F32", "F32", ("F32",)),
    ),
    outer_products=(
        OuterProductSupport("F16", "F16"),
        OuterProductSupport("F32", "F32"),
        OuterProductSupport("I32", "I32"),
    ),
    atomics=(AtomicSum("F16", True, True), AtomicSum("F32", True, True), AtomicSum("I32", True, True)),
    optimal=tuple(
        OptimalSize(component, m, n, layout, 1024 if component in ("F32", "I32") else 512)
        for component, layouts, sizes in _SOURCE_OPTIMAL
        for m, n in sizes
        for layout in layouts
    ),
)
"""A device that follows the text of 2025-09-19: waves of 32 lanes and 16-bit types.

That text has no query of its own: what it lets a device leave out is reported by the answers of the later one. Its
vectors have types of HLSL, as many elements as the matrix has rows. The type of a bias is that of the result, and that
of an outer product that of its vectors (LINALG-AMB-15 and 16)."""
