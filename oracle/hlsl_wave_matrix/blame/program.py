"""Ablations: the circumstances of one instruction, removed one at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from mmaspec.oracle.hlsl_wave_matrix.addresses import Access
from mmaspec.oracle.hlsl_wave_matrix.blame.edits import (
    arrays_match,
    first_value,
    in_buffer,
    only_store,
    only_stored,
    reading_memory,
    relocated,
    stored_directly,
    tight_stride,
    with_element,
    with_matrix,
    without_lanes,
)
from mmaspec.oracle.hlsl_wave_matrix.sources import depends, sources
from mmaspec.oracle.spec import Ablation
from mmaspec.programs import tree
from mmaspec.programs.base import Affine, Literal, Place, Program
from mmaspec.programs.errors import BadInput
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.operands import writes
from mmaspec.programs.hlsl_wave_matrix.program import (
    Add,
    Fill,
    Load,
    Matrix,
    Multiply,
    MultiplyAccumulate,
    ScalarOperation,
    Simple,
    Store,
    SumAccumulate,
    Unstage,
    WaveMatrixProgram,
    is_packed,
)

SMALLEST = 16
"""The smallest M and N, to which an ablation reduces tiling."""
_ONE = {"f16": 0x3C00, "f32": 0x3F800000}
"""Bits of the number one, where they are not 1."""
_FEW_BITS = {"f16": (0x3C00,), "f32": (0x3F800000,), "s32": (1, 1 << 20)}
"""Addends that need few bits: one; and one bit above all sums of products, so that no carry runs into it."""


def _storing_only(ablation: Ablation, place: Place) -> Ablation:
    assert isinstance(ablation.program, WaveMatrixProgram)
    return Ablation(ablation.clause, only_store(ablation.program, place))


def ablations(program: WaveMatrixProgram, place: Place) -> tuple[Ablation, ...]:
    """Each circumstance of the instruction at ``place`` taken away, most telling first; values stay the same.

    Where values that two loads find would have to lie in two places, or elements of two types in one array, that is
    left out.
    """
    shapes = {source.name: source.shape for source in sources(program)}
    return tuple(found for found in _ablations(program, place) if _fits(found.program, shapes))


def _fits(program: Program, shapes: Mapping[str, tuple[int, ...]]) -> bool:
    assert isinstance(program, WaveMatrixProgram)
    if not arrays_match(program):
        return False
    try:
        return {source.name: source.shape for source in sources(program)}.items() <= shapes.items()
    except BadInput:
        return False


def _ablations(program: WaveMatrixProgram, place: Place) -> tuple[Ablation, ...]:
    instruction: Simple = tree.at(program, place)
    match instruction:
        case Load():
            return (*_of_load(program, place, instruction), *_of_access(program, place, instruction))
        case Store():
            found = (*_of_store(program, place, instruction), *_of_access(program, place, instruction))
            return tuple(_storing_only(ablation, place) for ablation in found)
        case Unstage():
            return tuple(_of_unstage(program, instruction))
        case Multiply() | MultiplyAccumulate():
            return tuple(_of_product(program, place, instruction))
        case SumAccumulate():
            return tuple(_of_sum(program, place, instruction))
        case Add():
            return tuple(_of_add(program, instruction))
        case ScalarOperation() if instruction.lane:
            return (Ablation("WM-FIRST-LANE", tree.replace(program, place, replace(instruction, lane=0))),)
        case _:
            return ()


def _of_unstage(program: WaveMatrixProgram, unstage: Unstage) -> Iterator[Ablation]:
    # What nothing put there is not judged: a failure that goes away was beside the stored elements.
    if (stored := only_stored(program)) != program:
        yield Ablation("WM-STORE-ONLY-ELEMS", stored)
    direct = stored_directly(program, unstage.array)
    yield Ablation("WM-ADDR-GS", direct)
    yield from _turned(direct, unstage.array)
    if (turned := _as_loaded(program)) != program:
        yield Ablation("WM-STORE-TRANSPOSE", turned)


def _turned(direct: WaveMatrixProgram, array: str) -> Iterator[Ablation]:
    """Stores that are wrong in a buffer as well, in the other orientation, where all of them have the same one."""
    stores = {place: simple for place, simple, _ in tree.walk(direct) if isinstance(simple, Store)}
    orientations = {first_value(store.col_major) for store in stores.values()}
    if len(orientations) != 1 or any(direct.matrix(store.matrix).is_fragment for store in stores.values()):
        return
    (col_major,) = orientations
    for place, store in stores.items():
        stride = tight_stride(direct.matrix(store.matrix), 1 - col_major)
        direct = relocated(direct, place, base=0, stride=stride, col_major=1 - col_major)
    here, there = ("column", "row") if col_major else ("row", "column")
    says = f"{there}-major stores into a buffer instead of {here}-major ones into {array}"
    yield Ablation(_orientation(col_major), direct, says=says)


def _orientation(col_major: int) -> str:
    return "WM-ADDR-COL" if col_major else "WM-ADDR-ROW"


def _as_loaded(program: WaveMatrixProgram) -> WaveMatrixProgram:
    """The program whose stores have the orientation in which their matrices were loaded."""
    changed = program
    for place, store, _ in tree.walk(program):
        if isinstance(store, Store) and not program.matrix(store.matrix).is_fragment:
            writer = _last_writer(program, place, store.matrix)
            if writer is not None and isinstance(load := writer[1], Load):
                changed = tree.replace(changed, place, replace(store, col_major=load.col_major))
    return changed


def _last_writer(program: WaveMatrixProgram, place: Place, matrix: str) -> tuple[Place, Simple] | None:
    """The last place before ``place`` where the matrix was written, in the order of the text."""
    found = None
    for other, instruction, _ in tree.walk(program):
        if other.path >= place.path:
            break
        if writes(instruction) == matrix:
            found = (other, instruction)
    return found


def _one_wave(load: Load) -> Load:
    return replace(load, offset=replace(load.offset, wave=0, row=0)) if isinstance(load.offset, Affine) else load


def _by_wave(load: Load) -> bool:
    return isinstance(load.offset, Affine) and (load.offset.wave > 0 or load.offset.row > 0)


def _of_load(program: WaveMatrixProgram, place: Place, load: Load) -> Iterator[Ablation]:
    if load != without_lanes(load):
        yield Ablation("WM-FIRST-LANE", tree.replace(program, place, without_lanes(load)))
    if program.waves > 1 and _by_wave(load):
        yield Ablation("WM-ONE-PER-WAVE", reading_memory(program, place, _one_wave))
    if load.buffer in program.read_only:
        writable = tuple(name for name in program.read_only if name != load.buffer)
        yield Ablation("WM-LOAD-ALL", replace(program, read_only=writable))


def _of_store(program: WaveMatrixProgram, place: Place, store: Store) -> Iterator[Ablation]:
    if store != without_lanes(store):
        yield Ablation("WM-FIRST-LANE", tree.replace(program, place, without_lanes(store)))
    writer = _last_writer(program, place, store.matrix)
    if writer is None:
        return
    origin, load = writer
    matrix = program.matrix(store.matrix)
    if not isinstance(load, Load) or matrix.is_fragment or _in_array(program, load) or _in_array(program, store):
        return
    now, then = first_value(store.col_major), first_value(load.col_major)
    base = first_value(load.offset)
    if now != then:
        stride = tight_stride(matrix, now)
        yield Ablation("WM-STORE-TRANSPOSE", relocated(program, origin, base=base, stride=stride, col_major=now))
    elif first_value(store.stride) == first_value(load.stride):
        stride = first_value(load.stride) + 4
        yield Ablation("WM-ROUNDTRIP", relocated(program, origin, base=base, stride=stride))


def _in_array(program: WaveMatrixProgram, access: Access) -> bool:
    return program.array(access.buffer) is not None


def _of_access(program: WaveMatrixProgram, place: Place, access: Access) -> Iterator[Ablation]:
    if _in_array(program, access):
        moved = in_buffer(program, place)
        yield Ablation("WM-ADDR-GS", moved)
        yield from _of_access(moved, place, tree.at(moved, place))
        return
    matrix = program.matrix(access.matrix)
    col_major = first_value(access.col_major)
    if matrix.is_fragment:
        yield from _of_fragment(program, place, access, matrix)
        return
    clause = _orientation(col_major)
    base, stride = first_value(access.offset), first_value(access.stride)
    least = tight_stride(matrix, col_major)
    if stride != least:
        yield Ablation(clause, relocated(program, place, base=base, stride=least))
    if base:
        yield Ablation(clause, relocated(program, place, base=0, stride=stride))
    flipped = tight_stride(matrix, 1 - col_major)
    yield Ablation(clause, relocated(program, place, base=base, stride=flipped, col_major=1 - col_major))


def _of_fragment(program: WaveMatrixProgram, place: Place, access: Access, matrix: Matrix) -> Iterator[Ablation]:
    """Stride and offset at once, and only where every wave and pass can begin at byte 0."""
    if not any(depends((access.offset, access.stride))):
        yield Ablation("WM-ADDR-FRAG", relocated(program, place, base=0, stride=tight_stride(matrix, 0)))


def _of_product(program: WaveMatrixProgram, place: Place, product: Multiply | MultiplyAccumulate) -> Iterator[Ablation]:
    left, right = program.matrix(product.left), program.matrix(product.right)
    writer = _last_writer(program, place, product.matrix)
    if isinstance(product, MultiplyAccumulate):
        if writer is not None:
            yield from _added_to_few_bits(program, place, product.matrix)
        without_addend = Multiply(product.matrix, product.left, product.right)
        yield Ablation("WM-MAC", tree.replace(program, place, without_addend), clears=False)
    elif writer is not None:
        yield Ablation("WM-MUL", tree.replace(program, writer[0], Fill(product.matrix, Literal(0))), clears=False)
    if left.element != right.element:
        for element in (right.element, left.element):
            changed = with_element(program, left, element)
            yield Ablation("WM-MUL-MIXSIGN", with_element(changed, right, element))
    if program.waves > 1:
        yield Ablation("WM-ONE-PER-WAVE", _same_in_all_waves(program))
    accumulator = program.matrix(product.matrix)
    # What an array holds in one pass cannot be kept for the end of the pass, where it is filled anew.
    filled = any(len(load.path) > 1 and _in_array(program, step) for load, step in _loads(program))
    if max(accumulator.m, accumulator.n) > SMALLEST and not filled:
        yield Ablation("WM-TILING", _one_tile(program))
    if is_packed(left):
        yield Ablation("WM-DEPTH-ELEMS", program, data="first quarter of k")
    if is_packed(left) and not FORMATS[accumulator.element].is_float:
        yield Ablation("WM-INT-EXACT", _ones(program, product.left))


def _added_to_few_bits(program: WaveMatrixProgram, place: Place, matrix: str) -> Iterator[Ablation]:
    """An addend of few bits in every pass: what goes away with those of the large ones was lost precision."""
    element = program.matrix(matrix).element
    clause = "WM-FP-SUM" if FORMATS[element].is_float else "WM-INT-EXACT"
    *outer, last = place.path
    for bits in _FEW_BITS[element]:
        grown = tree.insert(program, place, Fill(matrix, Literal(bits)))
        yield Ablation(clause, grown, Place((*outer, last + 1), place.loop))


def _of_sum(program: WaveMatrixProgram, place: Place, method: SumAccumulate) -> Iterator[Ablation]:
    operand, fragment = program.matrix(method.operand), program.matrix(method.matrix)
    side = "WM-SUMACC-LEFT" if fragment.kind == "left-col-acc" else "WM-SUMACC-RIGHT"
    writer = _last_writer(program, place, method.matrix)
    if is_packed(operand):
        yield Ablation(side, with_element(program, operand, "u8" if operand.element == "s8" else "s8"))
    if writer is not None:
        yield from _added_to_few_bits(program, place, method.matrix)
    if is_packed(operand):
        yield Ablation("WM-INT-EXACT", _ones(program, method.operand))
    if program.waves > 1:
        yield Ablation("WM-ONE-PER-WAVE", _same_in_all_waves(program))
    if writer is not None:
        yield Ablation(side, tree.replace(program, writer[0], Fill(method.matrix, Literal(0))), clears=False)


def _of_add(program: WaveMatrixProgram, method: Add) -> Iterator[Ablation]:
    operand, total = program.matrix(method.operand), program.matrix(method.matrix)
    if operand.element == total.element:
        return
    same = with_matrix(program, replace(operand, element=total.element))
    for place, simple, _ in list(tree.walk(same)):
        if writes(simple) != operand.name:
            continue
        if isinstance(simple, Load) and not _in_array(program, simple):
            stride = tight_stride(same.matrix(operand.name), first_value(simple.col_major))
            same = relocated(same, place, base=0, stride=stride)
        elif isinstance(simple, Fill | ScalarOperation):
            one = replace(simple, value=Literal(_ONE.get(total.element, 1)))
            same = tree.replace(same, place, one)
    yield Ablation("WM-ADD-CAST", same)


def _loads(program: WaveMatrixProgram) -> list[tuple[Place, Load]]:
    return [(place, simple) for place, simple, _ in tree.walk(program) if isinstance(simple, Load)]


def _same_in_all_waves(program: WaveMatrixProgram) -> WaveMatrixProgram:
    """Every wave loads what the first one does."""
    for place, load in _loads(program):
        if _by_wave(load):
            program = reading_memory(program, place, _one_wave)
    return program


def _one_tile(program: WaveMatrixProgram) -> WaveMatrixProgram:
    """Every matrix cut to 16 x 16 (and K): the first tile of each, read from where it lies."""
    original = {matrix.name: matrix for matrix in program.matrices}
    for place, load in _loads(program):
        if load.data is not None:
            program = reading_memory(program, place, lambda load: load)
    for matrix in original.values():
        program = with_matrix(program, replace(matrix, m=SMALLEST, n=SMALLEST))
    return program


def _ones(program: WaveMatrixProgram, matrix: str) -> WaveMatrixProgram:
    """A packed operand filled with ones wherever it was written, so that its products stay small."""
    for place, simple, _ in list(tree.walk(program)):
        if isinstance(simple, Load | Fill) and simple.matrix == matrix:
            program = tree.replace(program, place, Fill(matrix, Literal(0x01010101)))
    return program
