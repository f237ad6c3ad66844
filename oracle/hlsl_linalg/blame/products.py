"""Ablations of products of matrices of Wave and ThreadGroup scope, and of sums without one."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from mmaspec.oracle.hlsl_linalg.addresses import format_of
from mmaspec.oracle.hlsl_linalg.blame.accesses import one_for_all
from mmaspec.oracle.hlsl_linalg.blame.constants import three
from mmaspec.oracle.hlsl_linalg.blame.declared import with_matrix
from mmaspec.oracle.hlsl_linalg.blame.edits import inserted, last_writer, reading_memory
from mmaspec.oracle.spec import Ablation
from mmaspec.programs import tree
from mmaspec.programs.base import Place
from mmaspec.programs.hlsl_linalg.components import ScalarType
from mmaspec.programs.hlsl_linalg.program import (
    Accumulate,
    Cast,
    LinalgProgram,
    Load,
    Matrix,
    Multiply,
    MultiplyAccumulate,
    Splat,
)

SMALLEST = 16
"""The M and N to which an ablation reduces tiling."""
Product = Multiply | MultiplyAccumulate


def of_product(program: LinalgProgram, place: Place, product: Product) -> Iterator[Ablation]:
    """The range of an addend, waves, tiles, signs and depth; then the addend itself."""
    if isinstance(product, MultiplyAccumulate):
        scalar: ScalarType = "float" if _is_float(program, product.matrix) else "int"
        clause = "LINALG-FP-SUM" if scalar == "float" else "LINALG-INT-EXACT"
        small = inserted(program, place, Splat(product.matrix, scalar, three(scalar)))
        yield Ablation(clause, *small, clears=False)
    if program.waves > 1:
        for name in (product.a, product.b):
            writer = last_writer(program, place, name)
            if writer is not None and isinstance(load := writer[1], Load) and load.data is not None:
                yield from one_for_all(program, writer[0], load, before=place)
    yield from _one_tile(program, place, product)
    yield from _of_one_sign(program, product)
    if not _is_float(program, product.matrix):
        yield Ablation("LINALG-INT-EXACT", program, data="first quarter of k", clears=False)
    if isinstance(product, MultiplyAccumulate):
        yield Ablation("LINALG-MAC", tree.replace(program, place, _alone(product)), clears=False)


def _alone(product: MultiplyAccumulate) -> Multiply:
    return Multiply(product.matrix, product.a, product.b)


def _is_float(program: LinalgProgram, name: str) -> bool:
    return format_of(program.matrix(name).component).is_float


def _one_tile(program: LinalgProgram, place: Place, product: Product) -> Iterator[Ablation]:
    """LINALG-TILING: the first tile of each matrix, read from where it lies."""
    total = program.matrix(product.matrix)
    if max(total.m, total.n) <= SMALLEST:
        return
    around, beside = 0, 0
    for where, one, _ in reversed(list(tree.walk(program))):
        if isinstance(one, Load) and one.data is not None:
            program = reading_memory(program, where, lambda load: load)
            if where.path < place.path:
                beside += where.path[:-1] == place.path[:-1]
                around += len(where.path) == 1 < len(place.path)
    for matrix in program.matrices:
        if not matrix.name.startswith("kept"):
            program = with_matrix(program, _cut(matrix))
    if not all(_of_one_shape(program, one) for _, one, _ in tree.walk(program) if isinstance(one, Cast)):
        return  # a whole A or B became an accumulator, and the two are cut otherwise
    *outer, last = place.path
    yield Ablation("LINALG-TILING", program, Place((*(step + around for step in outer), last + beside), place.loop))


def _of_one_shape(program: LinalgProgram, cast: Cast) -> bool:
    source, made = program.matrix(cast.source), program.matrix(cast.matrix)
    return (made.m, made.n) == ((source.n, source.m) if cast.transpose else (source.m, source.n))


def _cut(matrix: Matrix) -> Matrix:
    m = min(matrix.m, SMALLEST) if matrix.use != "B" else matrix.m
    n = min(matrix.n, SMALLEST) if matrix.use != "A" else matrix.n
    return replace(matrix, m=m, n=n)


def _of_one_sign(program: LinalgProgram, product: Product) -> Iterator[Ablation]:
    """LINALG-MIXED-SIGNS: both factors of the type of one of them."""
    a, b = program.matrix(product.a), program.matrix(product.b)
    formats = (format_of(a.component), format_of(b.component))
    if any(one.is_float for one in formats) or formats[0].signed == formats[1].signed:
        return
    for component in (b.component, a.component):
        changed = with_matrix(program, replace(a, component=component))
        yield Ablation("LINALG-MIXED-SIGNS", with_matrix(changed, replace(b, component=component)))


def of_accumulate(program: LinalgProgram, place: Place, one: Accumulate) -> Iterator[Ablation]:
    """Waves that add matrices of their own."""
    writer = last_writer(program, place, one.operand)
    if program.waves > 1 and writer is not None and isinstance(load := writer[1], Load) and load.data is not None:
        yield from one_for_all(program, writer[0], load, before=place)
