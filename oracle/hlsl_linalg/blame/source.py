"""Blame in the text of 2025-09-19: what the texts share by the clauses of this one, and its own instructions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace as changed
from types import MappingProxyType

from msgspec.structs import replace

from mmaspec.oracle.hlsl_linalg.addresses import access_format, array_bytes, array_elements, array_format, format_of
from mmaspec.oracle.hlsl_linalg.blame.ablations import ablations
from mmaspec.oracle.hlsl_linalg.blame.constants import BELOW_ZERO, constant
from mmaspec.oracle.hlsl_linalg.blame.declared import fresh_matrix, moved_name, with_matrix
from mmaspec.oracle.hlsl_linalg.blame.edits import (
    BASE_ALIGNMENT,
    VIEW,
    fits,
    inserted,
    last_writer,
    shapes_of,
    tight,
    up,
)
from mmaspec.oracle.hlsl_linalg.blame.elements import of_origin
from mmaspec.oracle.hlsl_linalg.scopes import of_later_text
from mmaspec.oracle.spec import PLAIN, Ablation
from mmaspec.programs import tree
from mmaspec.programs.base import Affine, Buffer, Index, Literal, Place
from mmaspec.programs.hlsl_linalg.components import NATIVE, ComponentType
from mmaspec.programs.hlsl_linalg.program import (
    Accumulate,
    Barrier,
    Beyond,
    CountElements,
    InterlockedAccumulate,
    LinalgProgram,
    Load,
    Matrix,
    ReadElements,
    Simple,
    Stage,
    Store,
    Unstage,
    WriteElements,
)
from mmaspec.programs.hlsl_linalg.removed import FromThreadVectors, GetThreadVector, Operate, SumAccumulate, Unary

CLAUSES: Mapping[str, str] = MappingProxyType(
    {
        "LINALG-OOB-LOAD": "LINALG-LOAD-OOB-ZERO",
        "LINALG-OOB-STORE": "LINALG-STORE-OOB-NOOP",
        "LINALG-OOB-ACC": "LINALG-ACC-OOB-NOOP",
        "LINALG-GS-UNITS": "LINALG-GS-PLACES",
    }
)
"""Clause of the later text -> the one that says of the same thing what this text says."""
GONE = ("LINALG-ATOMIC", "LINALG-OPT-TRANSPOSE", "LINALG-BIAS-CONV", "LINALG-BIAS-MEMORY")
"""Clauses that have no counterpart here."""
LATER = (ReadElements, WriteElements, Beyond, CountElements, Accumulate)
"""Instructions of the later text alone."""


def source_ablations(program: LinalgProgram, place: Place) -> tuple[Ablation, ...]:
    """The same as ``ablations``, of a program of the text of 2025-09-19."""
    shapes = shapes_of(program)
    return tuple(
        found
        for found in (*_own(program, place), *_shared(program, place))
        if isinstance(found.program, LinalgProgram)
        and (found.program != program or found.data)
        and fits(found.program, shapes)
        and not any(isinstance(one, LATER) or of_later_text(one) for _, one, _ in tree.walk(found.program))
    )


def _shared(program: LinalgProgram, place: Place) -> Iterator[Ablation]:
    instruction: Simple = tree.at(program, place)
    for found in ablations(program, place):
        if found.clause in GONE:
            continue
        clause = CLAUSES.get(found.clause, found.clause)
        if clause == "LINALG-GS-NOCONV":
            clause = _of_arrays(program, instruction)
        yield changed(found, clause=clause)


def _of_arrays(program: LinalgProgram, instruction: Simple) -> str:
    """What an array does that a buffer does not: it converts, or has places of its own."""
    moved: list[Load | Store] = [instruction] if isinstance(instruction, Load) else []
    if isinstance(instruction, Unstage):
        steps = (one for _, one, _ in tree.walk(program))
        moved += [one for one in steps if isinstance(one, Store) and one.memory == instruction.array]
    for access in moved:
        matrix = program.matrix(access.matrix)
        if access_format(program, access, matrix, "2025-09-19") != format_of(matrix.component):
            return "LINALG-LOAD-GS-CONV" if isinstance(access, Load) else "LINALG-STORE-GS-CONV"
    return "LINALG-GS-PLACES"


def _own(program: LinalgProgram, place: Place) -> Iterator[Ablation]:
    instruction: Simple = tree.at(program, place)
    if isinstance(instruction, Load):
        yield from _of_stored(program, place, instruction)
    match instruction:
        case Load() | Store() | InterlockedAccumulate() if instruction.align:
            plain = tree.replace(program, place, replace(instruction, align=0))
            yield Ablation("LINALG-ALIGN-PARAMETER", plain)
        case Operate():
            yield from _of_operator(program, place, instruction)
        case Unary():
            yield from of_origin(program, place, instruction.source)
        case SumAccumulate():
            for name in (instruction.a, instruction.b):
                yield from of_origin(program, place, name)
        case FromThreadVectors():
            yield from _of_vectors_taken(program, place, instruction)
        case GetThreadVector():
            yield from _of_vector_given(program, place, instruction)
        case _:
            pass


def _of_stored(program: LinalgProgram, place: Place, load: Load) -> Iterator[Ablation]:
    """LINALG-STORE-GS-CONV: an array that was stored to has a constant of its own type, copied there from a buffer."""
    array, matrix = program.array(load.memory), program.matrix(load.matrix)
    before = [one for where, one, _ in tree.walk(program) if where.path < place.path and isinstance(one, Store)]
    if array is None or array.width or all(one.memory != load.memory for one in before):
        return
    held = array_format(array)
    if held == format_of(matrix.component) or array.element not in NATIVE:
        return
    component: ComponentType = NATIVE[array.element]  # type: ignore[assignment]
    like = fresh_matrix(program, replace(matrix, component=component), "constant")
    memory = moved_name(program)
    store = Store(like.name, memory, _scaled(load.offset, held.nbytes), _scaled(load.stride, held.nbytes), load.layout)
    own = Buffer(memory, array_bytes(array), VIEW)
    program = replace(with_matrix(program, like), buffers=(*program.buffers, own))
    staged = Stage(array.name, memory, 0, array_elements(array))
    steps = (constant(like, PLAIN), store, Barrier(), staged, Barrier())
    yield Ablation("LINALG-STORE-GS-CONV", *inserted(program, place, *steps))


def _scaled(index: Index, factor: int) -> Index:
    """An argument that counts elements, in bytes."""
    if isinstance(index, Affine):
        return replace(
            index,
            base=index.base * factor,
            wave=index.wave * factor,
            loop=index.loop * factor,
            row=index.row * factor,
            lane=index.lane * factor,
        )
    assert isinstance(index, int)
    return index * factor


def _of_operator(program: LinalgProgram, place: Place, operate: Operate) -> Iterator[Ablation]:
    """Waves that differ, in the scalar or in what it meets; a scalar that changes nothing."""
    if operate.wave:
        yield Ablation("LINALG-SCOPE-OWN", tree.replace(program, place, replace(operate, wave=0)))
    yield from of_origin(program, place, operate.matrix)
    one = {"half": 0x3C00, "float": 0x3F800000, "double": 0x3FF << 52}.get(operate.scalar, 1)
    neutral = Literal(0 if operate.op in ("add", "sub") else one)
    same = replace(operate, value=neutral, wave=0, lane=0)
    yield Ablation("LINALG-ELEMWISE", tree.replace(program, place, same), clears=False)


def _lines(matrix: Matrix) -> int:
    """The columns of an A matrix, the rows of a B: what threads have one each of."""
    return matrix.n if matrix.use == "A" else matrix.m


def _with_lines(matrix: Matrix, lines: int) -> Matrix:
    """A matrix with so many of these."""
    return replace(matrix, n=lines) if matrix.use == "A" else replace(matrix, m=lines)


def _of_vectors_taken(program: LinalgProgram, place: Place, taken: FromThreadVectors) -> Iterator[Ablation]:
    """LINALG-FROMVEC-SURPLUS: a matrix with a line for every thread. What follows would know it as it was."""
    matrix = program.matrix(taken.matrix)
    threads = program.wave_size if matrix.scope == "Wave" else program.group
    if _lines(matrix) >= threads:
        return
    until = tree.keep(program, lambda path, _: path <= place.path)
    yield Ablation("LINALG-FROMVEC-SURPLUS", with_matrix(until, _with_lines(matrix, threads)))


def _of_vector_given(program: LinalgProgram, place: Place, given: GetThreadVector) -> Iterator[Ablation]:
    """LINALG-GETVEC-INVERSE: the matrix stored and loaded in between; LINALG-GETVEC: one constant everywhere.

    With an index that only says which of the constant lines a thread gets, and some threads still get none: at index 0
    of half a matrix.
    """
    matrix = program.matrix(given.matrix)
    writer = last_writer(program, place, given.matrix)
    if writer is not None and isinstance(writer[1], FromThreadVectors):
        yield _through_memory(program, place, matrix)
    yield from of_origin(program, place, given.matrix)
    if given.index == 0:
        yield Ablation("LINALG-GETVEC", *inserted(program, place, constant(matrix, BELOW_ZERO)))
        return
    threads = program.wave_size if matrix.scope == "Wave" else program.group
    lines = min(_lines(matrix), threads // 2)
    fewer = fresh_matrix(program, _with_lines(matrix, lines), "constant")
    first = tree.replace(with_matrix(program, fewer), place, replace(given, matrix=fewer.name, index=0))
    yield Ablation("LINALG-GETVEC", *inserted(first, place, constant(fewer, BELOW_ZERO)))


def _through_memory(program: LinalgProgram, place: Place, matrix: Matrix) -> Ablation:
    stride, memory = tight(matrix, "RowMajor"), moved_name(program)
    tile, instances = up(matrix.m * stride, BASE_ALIGNMENT), program.instances(matrix.scope)
    passes = tree.passes(program, place)
    offset = Affine(0, tile if instances > 1 else 0, tile * instances if passes > 1 else 0)
    there = 0 if offset == Affine() else offset
    own = Buffer(memory, tile * instances * passes, VIEW)
    program = replace(program, buffers=(*program.buffers, own))
    steps = (Store(matrix.name, memory, there, stride), Barrier(), Load(matrix.name, memory, there, stride))
    return Ablation("LINALG-GETVEC-INVERSE", *inserted(program, place, *steps))
