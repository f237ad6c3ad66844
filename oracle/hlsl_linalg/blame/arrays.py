"""Ablations of what moves matrices from and to groupshared arrays.

What is stored in an array shows where it is copied out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from mmaspec.oracle.hlsl_linalg.addresses import Access, array_bytes, format_of
from mmaspec.oracle.hlsl_linalg.blame.accesses import stored_one_by_one
from mmaspec.oracle.hlsl_linalg.blame.constants import BELOW_ZERO, constant
from mmaspec.oracle.hlsl_linalg.blame.declared import fresh_matrix, with_matrix
from mmaspec.oracle.hlsl_linalg.blame.edits import STORING, behind, first_value, inserted, relocated, tight, turned
from mmaspec.oracle.spec import Ablation
from mmaspec.programs import tree
from mmaspec.programs.base import Place
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, ArrayType
from mmaspec.programs.hlsl_linalg.program import (
    Barrier,
    InterlockedAccumulate,
    LinalgProgram,
    Load,
    SharedArray,
    Stage,
    Store,
    Unstage,
)


def of_load(program: LinalgProgram, place: Place, load: Load) -> Iterator[Ablation]:
    """Offset, stride and layout one by one; a constant that a Store with the same arguments left; a buffer."""
    for changed in _simpler(program, load):
        yield Ablation("LINALG-GS-UNITS", tree.replace(program, place, changed))
    matrix = fresh_matrix(program, program.matrix(load.matrix), "constant")
    store = Store(matrix.name, load.memory, load.offset, load.stride, load.layout)
    steps = (constant(matrix, BELOW_ZERO), Barrier(), store, Barrier())
    found, there = inserted(with_matrix(program, matrix), place, *steps)
    yield Ablation("LINALG-GS-UNITS", tree.replace(found, there, replace(load, data=None)), there)
    if load.data is not None:
        yield Ablation("LINALG-GS-NOCONV", relocated(program, place, base=0, stride=tight_of(program, load)))
        return
    found, there = inserted(with_matrix(program, matrix), place, constant(matrix, BELOW_ZERO))
    moved = relocated(tree.replace(found, there, store), there, base=0, stride=tight_of(program, load), apart=True)
    plain: Store = tree.at(moved, there)
    again = replace(load, memory=plain.memory, offset=plain.offset, stride=plain.stride)
    *outer, last = there.path
    yield Ablation("LINALG-GS-NOCONV", behind(moved, there, Barrier(), again), Place((*outer, last + 2), there.loop))


def tight_of(program: LinalgProgram, access: Access) -> int:
    """The smallest stride in bytes that holds a line of the accessed matrix."""
    return tight(program.matrix(access.matrix), access.layout)


def _simpler(program: LinalgProgram, access: Access) -> Iterator[Access]:
    """An access to an array from its start, with tight lines, in the other layout: each where it changes something."""
    size = format_of(program.matrix(access.matrix).component).nbytes
    if first_value(access.offset) and isinstance(access.offset, int):
        yield replace(access, offset=0)
    least = tight_of(program, access) // size
    if first_value(access.stride) != least:
        yield replace(access, stride=least)
    other = turned(access.layout)
    flipped = replace(access, layout=other)
    yield replace(flipped, stride=tight_of(program, flipped) // size)


def of_unstage(program: LinalgProgram, unstage: Unstage) -> Iterator[Ablation]:
    """What lies beside the stored elements; the arguments of what was stored; the array itself."""
    name = unstage.array
    if (stored := _only_stored(program, name)) != program:
        # What nothing put there is not judged: a failure that goes away was beside the stored elements.
        yield Ablation("LINALG-STORE-ONLY-ELEMS", stored)
    into = [
        (where, one)
        for where, one, _ in tree.walk(program)
        if isinstance(one, Store | InterlockedAccumulate) and one.memory == name
    ]
    for where, access in into:
        for changed in _simpler(program, access):
            yield Ablation("LINALG-GS-UNITS", tree.replace(program, where, changed), others=True)
    sums = [(where, one) for where, one in into if isinstance(one, InterlockedAccumulate)]
    if sums:
        yield from _of_sums(program, name, sums)
        return
    yield from _loaded_back(program, into)
    direct = _alone(program, [where for where, _ in into])
    for where, access in into:
        direct = relocated(direct, where, base=0, stride=tight_of(program, access))
    if into:
        yield Ablation("LINALG-GS-NOCONV", direct, others=True)


def _only_stored(program: LinalgProgram, name: str) -> LinalgProgram:
    """Nothing is copied into an array that no Load reads and nothing is added in; a barrier takes each place."""
    steps = [one for _, one, _ in tree.walk(program)]
    if any(isinstance(one, Load | InterlockedAccumulate) and one.memory == name for one in steps):
        return program
    for place, one, _ in list(tree.walk(program)):
        if isinstance(one, Stage) and one.array == name:
            program = tree.replace(program, place, Barrier())
    return program


def _alone(program: LinalgProgram, kept: list[Place]) -> LinalgProgram:
    """Nothing else is stored or copied out: barriers take the places, so that places stay."""
    paths = {place.path for place in kept}
    for place, one, _ in list(tree.walk(program)):
        if isinstance(one, STORING) and place.path not in paths:
            program = tree.replace(program, place, Barrier())
    return program


def _loaded_back(program: LinalgProgram, into: Sequence[tuple[Place, Access]]) -> Iterator[Ablation]:
    """LINALG-GS-UNITS: what was stored loaded with the same arguments, and stored to a buffer."""
    changed = _alone(program, [where for where, _ in into])
    for where, access in reversed(into):
        matrix = fresh_matrix(changed, program.matrix(access.matrix), "again")
        changed = with_matrix(changed, matrix)
        load = Load(matrix.name, access.memory, access.offset, access.stride, access.layout)
        store = Store(matrix.name, access.memory, access.offset, access.stride, access.layout)
        changed = behind(changed, where, Barrier(), load, store)
        *outer, last = where.path
        there = Place((*outer, last + 3), where.loop)
        changed = relocated(changed, there, base=0, stride=tight_of(program, access), apart=True)
    if into:
        yield Ablation("LINALG-GS-UNITS", changed, others=True)


def _of_sums(program: LinalgProgram, name: str, sums: list[tuple[Place, InterlockedAccumulate]]) -> Iterator[Ablation]:
    """One addend alone, an array of the matrix's type, and single elements in place of the sums."""
    first, access = sums[0]
    if len(sums) > 1:
        once = program
        for where, _ in sums[1:]:
            once = tree.replace(once, where, Barrier())
        yield Ablation("LINALG-ATOMIC", once, others=True)
    matrix = program.matrix(access.matrix)
    own = COMPONENTS[matrix.component].scalar
    array = program.array(name)
    assert array is not None
    if COMPONENTS[matrix.component].native and array.element != own:
        element: ArrayType = own  # type: ignore[assignment]
        new = SharedArray(name, element, array_bytes(array) // format_of(matrix.component).nbytes)
        same = replace(program, arrays=tuple(new if one.name == name else one for one in program.arrays))
        for where, one in sums:
            same = tree.replace(same, where, replace(one, target=None))
        yield Ablation("LINALG-ACC-GS-CONV", same, others=True)
    if COMPONENTS[matrix.component].native:
        alone = _alone(program, [first])
        yield Ablation("LINALG-ACC-GS-ADD", stored_one_by_one(alone, first, access, matrix), others=True)
