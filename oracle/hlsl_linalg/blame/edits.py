"""Programs with one access changed, or moved to a buffer of its own, from which ablations are made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from mmaspec.oracle.hlsl_linalg.addresses import Access, access_addresses, access_format, format_of, unit_bytes
from mmaspec.oracle.hlsl_linalg.blame.constants import constant
from mmaspec.oracle.hlsl_linalg.blame.declared import fresh_matrix, fresh_vector, moved_name, with_matrix, with_vector
from mmaspec.oracle.hlsl_linalg.sources import sources
from mmaspec.oracle.spec import PLAIN
from mmaspec.programs import tree
from mmaspec.programs.base import Affine, Buffer, Index, Place, at
from mmaspec.programs.errors import BadInput
from mmaspec.programs.hlsl_linalg.operands import writes
from mmaspec.programs.hlsl_linalg.program import (
    Barrier,
    Branch,
    Instruction,
    InterlockedAccumulate,
    Layout,
    LinalgProgram,
    Load,
    Matrix,
    ReadElements,
    Simple,
    Store,
    Unstage,
    VectorAccumulate,
    VectorLoad,
    VectorStore,
)

BASE_ALIGNMENT, STRIDE_ALIGNMENT = 128, 16
"""Bytes of which addresses and strides of a matrix in a buffer are multiples."""
LARGEST = 1 << 20
"""Bytes at which a moved matrix may begin, and by which a buffer is made larger, at most."""
VIEW = 256
"""Where the view of a buffer made here starts: aligned to whatever a program asks for."""
STORING = (Store, InterlockedAccumulate, ReadElements, Unstage, VectorStore, VectorAccumulate)
"""What leaves results in a buffer, or in an array that is copied to one."""
Shapes = Mapping[str, tuple[int, ...]]
"""The data of a case: name -> shape."""


def up(nbytes: int, multiple: int) -> int:
    """The least multiple that is not below."""
    return -(-nbytes // multiple) * multiple


def turned(layout: Layout) -> Layout:
    """The other one of the two layouts of which the text says where elements lie."""
    return "RowMajor" if layout == "ColMajor" else "ColMajor"


def line_bytes(matrix: Matrix, layout: Layout) -> int:
    """The bytes of a row, or of a column."""
    return (matrix.m if layout == "ColMajor" else matrix.n) * format_of(matrix.component).nbytes


def tight(matrix: Matrix, layout: Layout) -> int:
    """The smallest stride in bytes that holds a line."""
    return up(line_bytes(matrix, layout), STRIDE_ALIGNMENT)


def first_value(index: Index) -> int:
    """The value of an argument for the first thread and pass."""
    return at(index, 0, 0)


def shapes_of(program: LinalgProgram) -> Shapes:
    """The shapes of a program's data."""
    return {source.name: source.shape for source in sources(program)}


def fits(program: LinalgProgram, shapes: Shapes) -> bool:
    """Whether a case has all data that the program loads, in these shapes, and none would lie on other data."""
    try:
        return shapes_of(program).items() <= shapes.items()
    except BadInput:
        return False


def without_misfits(program: LinalgProgram, shapes: Shapes) -> LinalgProgram:
    """The program whose loads name only data that a case has in this shape; what others find is then not judged."""
    try:
        found = sources(program)
    except BadInput:
        return program
    misfits = {source.name for source in found if shapes.get(source.name) != source.shape}
    for place, one, _ in list(tree.walk(program)):
        if getattr(one, "data", None) in misfits:
            program = tree.replace(program, place, replace(one, data=None))
    return program


def reading_memory(program: LinalgProgram, place: Place, change: Callable[[Any], Any]) -> LinalgProgram:
    """A changed load of a matrix or vector whose data stay where they were, so that it reads memory unchanged.

    A load of the same data into one that nothing uses, right behind it, keeps the data in memory.
    """
    load: Load | VectorLoad = tree.at(program, place)
    new = change(load)
    if load.data is None:
        return tree.replace(program, place, new)
    program = tree.replace(program, place, replace(new, data=None))
    if isinstance(load, Load):
        kept = fresh_matrix(program, program.matrix(load.matrix), "kept")
        return behind(with_matrix(program, kept), place, replace(load, matrix=kept.name))
    other = fresh_vector(program, program.vector(load.vector), "kept")
    return behind(with_vector(program, other), place, replace(load, vector=other.name))


def behind(program: LinalgProgram, place: Place, *new: Any) -> LinalgProgram:
    """Instructions put directly behind the one at a place, in the same body."""
    *outer, last = place.path
    body = program.body if not outer else tree.nested(program.body[outer[0]]) or ()
    for one in reversed(new):
        if last + 1 == len(body):
            program = tree.append(program, place, one)
            body = (*body, one)
        else:
            program = tree.insert(program, Place((*outer, last + 1), place.loop), one)
    return program


def holding_constant(
    program: LinalgProgram, place: Place, access: Load | InterlockedAccumulate
) -> tuple[LinalgProgram, Place] | None:
    """A constant stored where an access finds its elements, before it, and where that now stands.

    None where waves that share a place would have to take turns inside a loop.
    """
    matrix = fresh_matrix(program, program.matrix(access.matrix), "constant")
    plain = Store(matrix.name, access.memory, access.offset, access.stride, access.layout, access.align)
    store: Instruction = plain
    if matrix.scope == "Wave" and program.waves > 1 and not _differs(access.offset)[0]:
        if len(place.path) > 1:
            return None
        store = Branch(0, (plain,), 1)
    program = replace(program, read_only=tuple(name for name in program.read_only if name != access.memory))
    steps = (constant(matrix, PLAIN), Barrier(), store, Barrier())
    return inserted(with_matrix(program, matrix), place, *steps)


def relocated(
    program: LinalgProgram,
    place: Place,
    *,
    base: int | None = None,
    stride: int | None = None,
    layout: Layout | None = None,
    apart: bool = False,
) -> LinalgProgram:
    """An access to a linear layout moved to a buffer of its own, matrix after matrix; None: as it was there, in bytes.

    Data keep their names, so that the same values are found under the new arguments. What differs between matrices and
    passes still does; with ``apart`` everything does.
    """
    access: Access = tree.at(program, place)
    matrix, passes = program.matrix(access.matrix), tree.passes(program, place)
    size = access_format(program, access, matrix).nbytes
    unit = unit_bytes(program, access, access_format(program, access, matrix))
    start = first_value(access.offset) * unit if base is None else base
    start = up(start % LARGEST, BASE_ALIGNMENT)
    stride = first_value(access.stride) * unit if stride is None else stride
    fresh, layout = moved_name(program), access.layout if layout is None else layout
    new = replace(access, memory=fresh, offset=start, stride=stride, layout=layout, align=0)
    if isinstance(new, InterlockedAccumulate):
        new = replace(new, target=None)
    last = int(access_addresses(program, new, 0).max()) + size - start
    tile = up(last, BASE_ALIGNMENT)
    instances = program.instances(matrix.scope)
    by_instance, by_pass = (True, True) if apart or _is_store(program, access) else _differs(access.offset)
    new = replace(new, offset=_affine(program, matrix, start, tile, (by_instance, by_pass and passes > 1)))
    own = Buffer(fresh, start + tile * instances * passes, VIEW)
    program = replace(program, buffers=(*program.buffers, own))
    if isinstance(access, Load) and access.memory in program.read_only:
        program = replace(program, read_only=(*program.read_only, fresh))
    return tree.replace(program, place, new)


def _is_store(program: LinalgProgram, access: Access) -> bool:
    """Stores are apart in buffers; in arrays barriers may lie between them."""
    return isinstance(access, Store) or (not isinstance(access, Load) and program.array(access.memory) is not None)


def _differs(offset: Index) -> tuple[bool, bool]:
    """Whether an offset differs between matrices, and between passes."""
    if not isinstance(offset, Affine):
        return False, False
    return bool(offset.wave or offset.row or offset.lane), bool(offset.loop)


def _affine(program: LinalgProgram, matrix: Matrix, start: int, tile: int, by: tuple[bool, bool]) -> Index:
    lanes = program.wave_size if matrix.scope == "Thread" else 1
    waves = tile * lanes if program.waves > 1 and matrix.scope != "ThreadGroup" else 0
    lane = tile if matrix.scope == "Thread" else 0
    step = Affine(
        start,
        wave=waves if by[0] else 0,
        loop=tile * program.instances(matrix.scope) if by[1] else 0,
        lane=lane if by[0] else 0,
    )
    return step if step != Affine(start) else start


def enlarged(program: LinalgProgram, name: str, size: int) -> LinalgProgram:
    """A buffer that ends later."""
    buffers = tuple(replace(one, size=max(one.size, size)) if one.name == name else one for one in program.buffers)
    return replace(program, buffers=buffers)


def only_store(program: LinalgProgram, place: Place) -> tuple[LinalgProgram, Place]:
    """The program without any other result that is stored, so that no other one can be wrong; where that one stands."""

    def kept(path: tree.Path, one: Simple) -> bool:
        return path == place.path or not isinstance(one, STORING)

    left = tree.keep(program, kept)
    before = sum(where.path < place.path and kept(where.path, one) for where, one, _ in tree.walk(program))
    return left, Place(tree.paths(left)[before], place.loop)


def last_writer(program: LinalgProgram, place: Place, name: str) -> tuple[Place, Simple] | None:
    """The last place before ``place`` where a matrix or vector was written, in the order of the text."""
    found = None
    for other, one, _ in tree.walk(program):
        if other.path >= place.path:
            break
        if writes(one) == name:
            found = (other, one)
    return found


def inserted(program: LinalgProgram, place: Place, *new: Any) -> tuple[LinalgProgram, Place]:
    """Instructions put directly before the one at a place, in the same body, and where that one now stands."""
    for one in reversed(new):
        program = tree.insert(program, place, one)
    *outer, last = place.path
    return program, Place((*outer, last + len(new)), place.loop)
