"""Ablations: one circumstance of one instruction removed at a time.

What changes addresses moves its data to the end of the same buffer, so that nothing else is disturbed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from mmaspec.oracle.nv_coopmat2.addresses import array_bytes, component_bytes
from mmaspec.oracle.nv_coopmat2.blame.edits import data_shapes, exchanged, relocated, scaled
from mmaspec.oracle.nv_coopmat2.blame.operations import operation_ablations
from mmaspec.oracle.nv_coopmat2.blame.tensors import tensor_ablations
from mmaspec.oracle.spec import Ablation
from mmaspec.programs import tree
from mmaspec.programs.base import Literal, Place, Program
from mmaspec.programs.errors import BadInput
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.program import (
    COLUMN_MAJOR,
    ROW_MAJOR,
    SATURATING,
    Access,
    Barrier,
    CoopMatProgram,
    Load,
    LoadTensor,
    MulAdd,
    Operation,
    Simple,
    Splat,
    Store,
    StoreTensor,
)

TAME = 12345
"""An addend far from the ends of every range that sums have."""


def ablations(program: CoopMatProgram, place: Place) -> tuple[Ablation, ...]:
    """The circumstances of the instruction at ``place``, most telling first.

    Where elements shared memory and would not any more, or now would, the values of a case do not fit: that is left
    out.
    """
    shapes = data_shapes(program)
    return tuple(found for found in _ablations(program, place) if _fits(found.program, shapes))


def _fits(program: Program, shapes: Mapping[str, tuple[int, ...]]) -> bool:
    assert isinstance(program, CoopMatProgram)
    try:
        return data_shapes(program).items() <= shapes.items()
    except BadInput:
        return False


def _ablations(program: CoopMatProgram, place: Place) -> Iterator[Ablation]:
    instruction: Simple = tree.at(program, place)
    if not tree.passes(program, place):
        return  # it is never executed
    if isinstance(instruction, Access) and instruction.buffer in _handed_over(program):
        return  # what is stored elsewhere is not found any more
    if isinstance(instruction, LoadTensor | StoreTensor):
        yield from tensor_ablations(program, place, instruction)
    elif isinstance(instruction, Load | Store):
        yield from _plain(program, place, instruction)
    elif isinstance(instruction, MulAdd):
        yield from _mul_add(program, place, instruction)
    elif isinstance(instruction, Operation):
        yield from operation_ablations(program, place, instruction)


def _handed_over(program: CoopMatProgram) -> set[str]:
    """The buffers in which the program loads what it stored: those of loads without data of their own."""
    known = {one.data for one, _ in program.written() if isinstance(one, Load | LoadTensor)}
    if known.isdisjoint({None}) or not any(isinstance(one, Barrier) for one, _ in program.written()):
        return set()
    return {one.buffer for one, _ in program.written() if isinstance(one, Store | StoreTensor)}


def _plain(program: CoopMatProgram, place: Place, access: Load | Store) -> Iterator[Ablation]:
    matrix = program.matrix(access.matrix)
    unit, nbytes = array_bytes(access, matrix), component_bytes(matrix)
    shared = access.buffer in program.shared  # where elements keep their type
    if unit != nbytes and not shared:
        offset, stride = scaled(access.offset, unit, nbytes), scaled(access.stride, unit, nbytes)
        if offset is not None and stride is not None:
            same = replace(access, array="", offset=offset, stride=stride)
            yield Ablation("KHRCM-STRIDE-UNITS", exchanged(program, place, same))
    other = ROW_MAJOR if access.layout == COLUMN_MAJOR else COLUMN_MAJOR
    line = (matrix.rows if other == COLUMN_MAJOR else matrix.cols) * nbytes
    stride_bytes = line if line < 16 else -(-line // 16) * 16
    turned = replace(access, array="", stride=stride_bytes // nbytes, layout=other)
    if shared:
        turned = replace(access, stride=-(-stride_bytes // unit), layout=other)
    clause = "KHRCM-LOAD-COL" if access.layout == COLUMN_MAJOR else "KHRCM-LOAD-ROW"
    moved = relocated(program, place, access, turned)
    if moved is not None:
        yield Ablation(clause, moved)


def _mul_add(program: CoopMatProgram, place: Place, instruction: MulAdd) -> Iterator[Ablation]:
    if instruction.c is None:
        return
    if not format_named(program.matrix(instruction.result).component).is_float:
        tame = _with_tame_addend(program, place, instruction.c)
        if tame is not None:
            yield Ablation("KHRCM-SAT-ADD" if instruction.operands == SATURATING else "KHRCM-INT-WRAP", tame)
    yield Ablation("KHRCM-MULADD", exchanged(program, place, replace(instruction, c=None)), clears=False)


def _with_tame_addend(program: CoopMatProgram, place: Place, name: str) -> CoopMatProgram | None:
    """The same program with an addend far from the ends of the range: what only overflow breaks is gone then."""
    producer = _producer(program, place, name)
    if producer is None or not isinstance(tree.at(program, producer), Load | LoadTensor):
        return None
    return exchanged(program, producer, Splat(name, Literal(TAME)))


def _producer(program: CoopMatProgram, place: Place, name: str) -> Place | None:
    """The nearest earlier instruction that loads or splats a matrix."""
    found = None
    for earlier, instruction, _ in tree.walk(program):
        if earlier.path >= place.path:
            break
        if isinstance(instruction, Load | LoadTensor | Splat) and instruction.matrix == name:
            found = earlier
    return found
