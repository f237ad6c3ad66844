"""Ablations of what changes single matrices: constants, casts, and methods of single elements."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from mmaspec.oracle.hlsl_linalg.addresses import format_of
from mmaspec.oracle.hlsl_linalg.blame.accesses import one_for_all
from mmaspec.oracle.hlsl_linalg.blame.constants import BELOW_ZERO, constant, three
from mmaspec.oracle.hlsl_linalg.blame.declared import fresh_matrix, moved_name, with_matrix
from mmaspec.oracle.hlsl_linalg.blame.edits import (
    BASE_ALIGNMENT,
    STRIDE_ALIGNMENT,
    VIEW,
    inserted,
    last_writer,
    tight,
    up,
)
from mmaspec.oracle.hlsl_linalg.coverage import of_conversion
from mmaspec.oracle.spec import PLAIN, Ablation
from mmaspec.programs import tree
from mmaspec.programs.base import Affine, Buffer, Literal, Place
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, SCALARS
from mmaspec.programs.hlsl_linalg.program import (
    Barrier,
    Beyond,
    Cast,
    LinalgProgram,
    Load,
    Matrix,
    ReadElements,
    Simple,
    Splat,
    Store,
    WriteElements,
)


def of_elements(
    program: LinalgProgram, place: Place, one: Splat | Cast | ReadElements | WriteElements | Beyond
) -> Iterator[Ablation]:
    """The circumstances of one of these instructions."""
    match one:
        case Splat():
            yield from of_splat(program, place, one)
        case Cast():
            yield from of_cast(program, place, one)
        case ReadElements():
            yield from of_read(program, place, one)
        case WriteElements():
            yield from of_write(program, place, one)
        case Beyond():
            yield from of_beyond(program, place, one)


def of_splat(program: LinalgProgram, place: Place, splat: Splat) -> Iterator[Ablation]:
    """Lanes that disagree, waves that do, a value that is not kept as it is, and a value of another type."""
    if splat.lane:
        yield Ablation("LINALG-SPLAT-FIRST", tree.replace(program, place, replace(splat, lane=0)))
    if splat.wave:
        yield Ablation("LINALG-SCOPE-OWN", tree.replace(program, place, replace(splat, wave=0)))
    matrix = program.matrix(splat.matrix)
    for point in of_conversion(FORMATS[SCALARS[splat.scalar]], format_of(matrix.component)):
        small = Splat(splat.matrix, splat.scalar, three(splat.scalar))
        yield Ablation(point.partition("/")[0], tree.replace(program, place, small))
    if COMPONENTS[matrix.component].native and splat.scalar != COMPONENTS[matrix.component].scalar:
        yield Ablation("LINALG-FILL-CONV", tree.replace(program, place, constant(matrix, PLAIN)))


def of_cast(program: LinalgProgram, place: Place, cast: Cast) -> Iterator[Ablation]:
    """The transposition, by memory in place of the Cast; waves that cast matrices of their own."""
    source = program.matrix(cast.source)
    if cast.transpose:
        yield from _turned_in_memory(program, place, cast, source)
    yield from of_origin(program, place, cast.source)


def of_origin(program: LinalgProgram, place: Place, name: str) -> Iterator[Ablation]:
    """LINALG-SCOPE-OWN: what is worked on is the same in every wave."""
    writer = last_writer(program, place, name)
    if program.waves > 1 and writer is not None and isinstance(load := writer[1], Load) and load.data is not None:
        yield from one_for_all(program, writer[0], load, before=place)


def _turned_in_memory(program: LinalgProgram, place: Place, cast: Cast, source: Matrix) -> Iterator[Ablation]:
    """LINALG-CAST-TRANSPOSE: the source stored row-major and loaded column-major, a plain Cast where types differ."""
    matrix = program.matrix(cast.matrix)
    stride = tight(source, "RowMajor")
    memory = moved_name(program)
    tile = up(source.m * stride, BASE_ALIGNMENT)
    instances = program.instances(source.scope)
    loop = tile * instances if tree.passes(program, place) > 1 else 0
    offset = Affine(0, wave=tile if instances > 1 else 0, loop=loop)
    again = fresh_matrix(program, replace(source, m=source.n, n=source.m, use=matrix.use), "turned")
    program = with_matrix(program, again)
    size = tile * instances * tree.passes(program, place)
    program = replace(program, buffers=(*program.buffers, Buffer(memory, size, VIEW)))
    where = 0 if offset == Affine() else offset
    steps: tuple[Simple, ...] = (Store(source.name, memory, where, stride), Barrier())
    load = Load(again.name, memory, where, stride, "ColMajor")
    program, there = inserted(program, place, *steps, load)
    yield Ablation("LINALG-CAST-TRANSPOSE", tree.replace(program, there, Cast(cast.matrix, again.name)), there)


def of_read(program: LinalgProgram, place: Place, read: ReadElements) -> Iterator[Ablation]:
    """LINALG-GET: a constant, of which every element is as good as another. Of a square coordinates are so, too."""
    matrix = program.matrix(read.matrix)
    if matrix.m != matrix.n:
        yield Ablation("LINALG-GET", *inserted(program, place, constant(matrix, BELOW_ZERO)))


def of_write(program: LinalgProgram, place: Place, write: WriteElements) -> Iterator[Ablation]:
    """LINALG-COORD: one constant wherever elements are looked for."""
    matrix = program.matrix(write.matrix)
    other = fresh_matrix(program, matrix, "constant")
    program = with_matrix(program, other)
    flipped = replace(fresh_matrix(program, matrix, "constant"), m=matrix.n, n=matrix.m)
    if flipped.use != "Accumulator":
        flipped = replace(flipped, use={"A": "B", "B": "A"}[flipped.use])
    memory = moved_name(program)
    stride = up(max(matrix.m, matrix.n) * format_of(matrix.component).nbytes, STRIDE_ALIGNMENT)
    own = Buffer(memory, max(matrix.m, matrix.n) * stride, VIEW)
    program = replace(with_matrix(program, flipped), buffers=(*program.buffers, own))
    steps: list[Simple] = [Barrier()]
    for one in (other, flipped):
        steps += [constant(one, PLAIN), Store(one.name, memory, 0, stride), Barrier()]
    if program.waves > 1 and matrix.scope == "Wave":
        return  # waves would store to one place
    program, there = inserted(program, place, *steps)
    changed = replace(write, buffer=memory, offset=0, stride=stride, data=None)
    yield Ablation("LINALG-COORD", tree.replace(program, there, changed), there)


def of_beyond(program: LinalgProgram, place: Place, beyond: Beyond) -> Iterator[Ablation]:
    """A matrix of which every element is the value that is set, or zero, which is what is got."""
    matrix = program.matrix(beyond.matrix)
    scalar = COMPONENTS[matrix.component].scalar
    value = Splat(beyond.matrix, scalar, Literal(beyond.value))  # type: ignore[arg-type]
    yield Ablation("LINALG-SET-BEYOND", *inserted(program, place, value))
    nothing = Splat(beyond.matrix, scalar, Literal(0))  # type: ignore[arg-type]
    program, there = inserted(program, place, nothing)
    yield Ablation("LINALG-GET-BEYOND", program, there)
