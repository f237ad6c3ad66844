"""Ablations of what moves matrices between their registers and byte-address buffers."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from mmaspec.oracle.hlsl_linalg.addresses import Access, access_addresses, format_of
from mmaspec.oracle.hlsl_linalg.blame.constants import BELOW_ZERO, constant
from mmaspec.oracle.hlsl_linalg.blame.edits import (
    LARGEST,
    STRIDE_ALIGNMENT,
    Shapes,
    behind,
    enlarged,
    first_value,
    fits,
    holding_constant,
    last_writer,
    reading_memory,
    relocated,
    tight,
    turned,
    up,
    without_misfits,
)
from mmaspec.oracle.spec import Ablation
from mmaspec.programs import tree
from mmaspec.programs.base import Affine, Place
from mmaspec.programs.hlsl_linalg.components import COMPONENTS
from mmaspec.programs.hlsl_linalg.program import (
    Barrier,
    Branch,
    InterlockedAccumulate,
    LinalgProgram,
    Load,
    Matrix,
    ReadElements,
    Store,
    WriteElements,
)


def of_load(program: LinalgProgram, place: Place, load: Load, shapes: Shapes) -> Iterator[Ablation]:
    """Bounds, places that differ by wave, the address, and single elements in place of the load."""
    yield from within_bounds(program, place, load, "LINALG-OOB-LOAD", shapes)
    if load.data is None:
        yield from _of_sums_before(program, place, load)
        return  # elsewhere there is nothing that it could find
    matrix = program.matrix(load.matrix)
    if matrix.scope != "Thread" and program.waves > 1:
        yield from one_for_all(program, place, load)
    yield from addressed_load(program, place, load, shapes)
    if matrix.scope != "Thread" and COMPONENTS[matrix.component].native:
        yield Ablation("LINALG-LOAD-NOCONV", *_set_one_by_one(program, place, load, matrix))


def one_for_all(program: LinalgProgram, place: Place, load: Load, before: Place | None = None) -> Iterator[Ablation]:
    """LINALG-SCOPE-OWN: every wave loads what the first one does; ``before`` which instruction, if not itself."""
    if isinstance(load.offset, Affine) and (load.offset.wave or load.offset.row):
        alike = replace(load.offset, wave=0, row=0)
        changed = reading_memory(program, place, lambda one: replace(one, offset=alike))
        there = None
        if before is not None:
            *outer, last = before.path
            there = Place((*outer, last + (place.path[:-1] == before.path[:-1])), before.loop)
            if len(place.path) == 1 and outer:
                there = Place((outer[0] + 1, last), before.loop)
        yield Ablation("LINALG-SCOPE-OWN", changed, there)


def addressed_load(program: LinalgProgram, place: Place, load: Load, shapes: Shapes) -> Iterator[Ablation]:
    """LINALG-LOAD-ADDR of a load; where its elements overlap, or lie outside, a constant takes their place."""
    for found in addressed(program, place, load):
        assert isinstance(found.program, LinalgProgram)
        if fits(found.program, shapes):
            yield found
        elif program.matrix(load.matrix).scope != "Thread":
            there = tree.at(found.program, place)
            yield from _on_constant(found.clause, tree.replace(found.program, place, replace(there, data=None)), place)


def _of_sums_before(program: LinalgProgram, place: Place, load: Load) -> Iterator[Ablation]:
    """What was added where a load finds it: by one wave once only, or stored there in place of the sum."""
    adding = [
        (other, one)
        for other, one, _ in tree.walk(program)
        if other.path < place.path and _adds_there(one, load.memory)
    ]
    if not adding:
        return
    first, access = adding[0]
    once = tree.drop(program, {other.path for other, _ in adding[1:]})
    shift = len(program.body) - len(once.body)
    here = Place((place.path[0] - shift, *place.path[1:]), place.loop)
    alone = Branch(0, (access,), 1) if program.waves > 1 else access
    by_one = replace(once, body=(*once.body[: first.path[0]], alone, *once.body[first.path[0] + 1 :]))
    if by_one != program:
        yield Ablation("LINALG-ATOMIC", by_one, here, others=True)
    stored = Store(access.matrix, access.memory, access.offset, access.stride, access.layout, access.align)
    plain = Branch(0, (stored,), 1) if program.waves > 1 else stored
    body = (*once.body[: first.path[0]], Barrier(), plain, Barrier(), *once.body[first.path[0] + 1 :])
    after = Place((here.path[0] + 2, *here.path[1:]), here.loop)
    yield Ablation("LINALG-ACC-ADD", replace(once, body=body), after, others=True)


def _set_one_by_one(
    program: LinalgProgram, place: Place, load: Load, matrix: Matrix
) -> tuple[LinalgProgram, Place | None]:
    """A constant matrix whose elements are set to what would be loaded, which then lies in a buffer of its own."""
    size = format_of(matrix.component).nbytes
    stride = matrix.n * size
    moved = relocated(program, place, base=0, stride=up(stride, STRIDE_ALIGNMENT), layout="RowMajor")
    there: Load = tree.at(moved, place)
    one_by_one = WriteElements(load.matrix, there.memory, there.offset, there.stride, data=load.data)
    moved = tree.replace(moved, place, constant(matrix, BELOW_ZERO))
    *outer, last = place.path
    steps = (one_by_one, Barrier()) if matrix.scope == "ThreadGroup" else (one_by_one,)
    return behind(moved, place, *steps), Place((*outer, last + 1), place.loop)


def of_store(program: LinalgProgram, place: Place, store: Store, shapes: Shapes) -> Iterator[Ablation]:
    """Bounds, neighbours, what it is a copy of, the address, and single elements in place of the store."""
    yield from within_bounds(program, place, store, "LINALG-OOB-STORE", shapes)
    yield from _of_copy(program, place, store)
    yield Ablation("LINALG-STORE-ONLY-ELEMS", relocated(program, place))
    yield from addressed(program, place, store)
    yield from _of_branch(program, place, store)
    matrix = program.matrix(store.matrix)
    if COMPONENTS[matrix.component].native:
        yield Ablation("LINALG-STORE-NOCONV", stored_one_by_one(program, place, store, matrix))


def stored_one_by_one(
    program: LinalgProgram, place: Place, access: Store | InterlockedAccumulate, matrix: Matrix
) -> LinalgProgram:
    """The elements written one by one to a buffer of their own, in place of a store or sum."""
    stored = Store(access.matrix, access.memory, access.offset, access.stride, access.layout)
    moved = tree.replace(program, place, stored)
    moved = relocated(moved, place, base=0, stride=tight(matrix, "RowMajor"), layout="RowMajor", apart=True)
    there: Store = tree.at(moved, place)
    return tree.replace(moved, place, ReadElements(access.matrix, there.memory, there.offset, there.stride))


def _of_copy(program: LinalgProgram, place: Place, store: Store) -> Iterator[Ablation]:
    """LINALG-ROUNDTRIP: the matrix loaded with another stride."""
    writer = last_writer(program, place, store.matrix)
    if writer is None or not isinstance(load := writer[1], Load) or program.array(load.memory) is not None:
        return
    if (first_value(load.stride), load.layout) == (first_value(store.stride), store.layout):
        stride = first_value(load.stride) + STRIDE_ALIGNMENT
        yield Ablation("LINALG-ROUNDTRIP", relocated(program, writer[0], stride=stride))


def _of_branch(program: LinalgProgram, place: Place, store: Store) -> Iterator[Ablation]:
    """LINALG-SCOPE-OWN: a matrix that only some waves have written anew is so by all."""
    writer = last_writer(program, place, store.matrix)
    if writer is not None and (flat := written_by_all(program, writer[0])) is not None:
        yield Ablation("LINALG-SCOPE-OWN", flat)


def written_by_all(program: LinalgProgram, place: Place) -> LinalgProgram | None:
    """The branch around a place as one that every thread enters; None where there is no branch."""
    around = program.body[place.path[0]]
    if not hasattr(around, "lanes"):
        return None
    entered = replace(around, lanes=0, waves=0)
    return (
        None
        if entered == around
        else replace(program, body=(*program.body[: place.path[0]], entered, *program.body[place.path[0] + 1 :]))
    )


def of_sum(program: LinalgProgram, place: Place, access: InterlockedAccumulate, shapes: Shapes) -> Iterator[Ablation]:
    """Bounds, other addends of the same elements, the address, and a store in place of the sum.

    Where it is moved, a constant is stored first: to what nobody knows nothing can be added.
    """
    yield from within_bounds(program, place, access, "LINALG-OOB-ACC", shapes)
    alone = tree.keep(program, lambda path, one: path == place.path or not _adds_there(one, access.memory))
    *outer, last = place.path
    shift = sum(1 for other, one, _ in tree.walk(program) if _before(other, place) and _adds_there(one, access.memory))
    here = Place((*outer, last - shift), place.loop)
    many = len(tree.paths(alone)) < len(tree.paths(program)) or tree.passes(program, place) > 1 or program.waves > 1
    if many and len(alone.body) == len(program.body) - shift * (not outer):
        yield from _on_constant("LINALG-ATOMIC", relocated(alone, here, apart=True), here)
    for ablation in addressed(program, place, access):
        assert isinstance(ablation.program, LinalgProgram)
        yield from _on_constant(ablation.clause, ablation.program, place)
    stored = relocated(program, place, apart=True)
    there: InterlockedAccumulate = tree.at(stored, place)
    plain = Store(there.matrix, there.memory, there.offset, there.stride, there.layout)
    yield Ablation("LINALG-ACC-ADD", tree.replace(stored, place, plain))


def _on_constant(clause: str, program: LinalgProgram, place: Place) -> Iterator[Ablation]:
    found = holding_constant(program, place, tree.at(program, place))
    if found is not None:
        yield Ablation(clause, *found)


def _before(other: Place, place: Place) -> bool:
    """Whether a place stands before another one in the same body."""
    return other.path[:-1] == place.path[:-1] and other.path < place.path


def _adds_there(one: object, memory: str) -> bool:
    return isinstance(one, InterlockedAccumulate) and one.memory == memory


def within_bounds(
    program: LinalgProgram, place: Place, access: Access, clause: str, shapes: Shapes
) -> Iterator[Ablation]:
    """A buffer that ends behind all that is touched; where that is far away, one of its own.

    What lies behind the end is not known, so that a load or sum finds a constant instead, everywhere.
    """
    matrix = program.matrix(access.matrix)
    size, passes = format_of(matrix.component).nbytes, tree.passes(program, place)
    end = max(int(access_addresses(program, access, loop).max()) for loop in range(passes)) + size
    view = next(one.size for one in program.buffers if one.name == access.memory)
    if end <= view or matrix.scope == "Thread":
        return
    if isinstance(access, Load):
        program = tree.replace(program, place, replace(access, data=None))
    far = end > view + LARGEST
    larger = relocated(program, place, base=0) if far else enlarged(program, access.memory, up(end, 4))
    larger = without_misfits(larger, shapes)
    if isinstance(access, Store):
        yield Ablation(clause, larger)
    else:
        yield from _on_constant(clause, larger, place)


def addressed(program: LinalgProgram, place: Place, access: Access) -> Iterator[Ablation]:
    """LINALG-LOAD-ADDR: offset, stride and layout one by one, then all of them."""
    matrix = program.matrix(access.matrix)
    clause, layout = "LINALG-LOAD-ADDR", access.layout
    least = tight(matrix, layout)
    if first_value(access.stride) != least:
        yield Ablation(clause, relocated(program, place, stride=least))
    if first_value(access.offset):
        yield Ablation(clause, relocated(program, place, base=0))
    other = turned(layout)
    yield Ablation(clause, relocated(program, place, stride=tight(matrix, other), layout=other))
    if layout != "RowMajor" or first_value(access.offset) or first_value(access.stride) != least:
        yield Ablation(clause, relocated(program, place, base=0, stride=tight(matrix, "RowMajor"), layout="RowMajor"))
