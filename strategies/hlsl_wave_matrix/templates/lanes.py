"""Families of programs whose lanes disagree, or branch together."""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.oracle.hlsl_wave_matrix.addresses import Access, least_stride
from mmaspec.programs.base import Affine
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import Barrier, Branch, Instruction, Matrix, WaveMatrixProgram
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.hlsl_wave_matrix.builder.program import FRAGMENT_NAMES, ONE_OF_EACH, ProgramBuilder, Style
from mmaspec.strategies.hlsl_wave_matrix.builder.shared_arrays import SharedRoom, fitting

UNIT = 4
"""What strides in buffers are multiples of."""


def first_lane(context: DrawContext[WaveMmaCaps]) -> Draft | None:
    """Strides and orientations that differ from lane to lane: those of the first lane count (WM-FIRST-LANE).

    Those of the other lanes would be legal too: strides long enough for either orientation, and buffers so long that
    a device which asks another lane reads something else of them, and nothing outside. Two of the accesses stand in a
    branch that the whole wave takes, however many lanes it has.
    """
    choices = context.choices
    builder = ProgramBuilder(context)
    source, target = builder.room("in", read_only=choices.chance(50)), builder.room("out")
    body: list[Instruction] = []
    chosen = (choices.one_of(ONE_OF_EACH[:2]), ONE_OF_EACH[2], choices.one_of(FRAGMENT_NAMES))
    turned = choices.integer(0, 1)
    for number, (kind, name) in enumerate(chosen):
        matrix = builder.matrix(kind, name)
        by_stride = matrix.is_fragment or number == turned
        load = builder.load(matrix, source, _long(context, matrix))
        store = builder.store(matrix, target, _long(context, matrix))
        body += [_varied(builder, load, matrix, by_stride), _varied(builder, store, matrix, not by_stride)]
    small = builder.shape.m * builder.shape.n <= 1024
    shared = builder.matrix("accumulator" if small else choices.one_of(FRAGMENT_NAMES)[0], "D")
    room = SharedRoom(builder, "staged", shared.element)
    loaded = _in_array(builder, room, shared)
    taken = (loaded, builder.store(shared, target))
    body += [room.stage(source), Barrier()]
    room.finish()
    draft = builder.draft([*body, *taken], "distinct", batch=builder.shape.batch // 8)
    program: WaveMatrixProgram = draft.program
    # Just the lanes of this wave, or more than any wave of the device has.
    everybody = program.wave_size if choices.chance(50) else builder.context.caps.wave_lanes[1] + choices.integer(0, 3)
    branched = replace(program, body=(*program.body[: -len(taken)], Branch(everybody, taken)))
    return fitting(Draft(branched, draft.regime, draft.batch, draft.words))


def _long(context: DrawContext[WaveMmaCaps], matrix: Matrix) -> Style:
    """A literal stride that both orientations allow."""
    both = max(least_stride(matrix, col_major) for col_major in (0, 1))
    stride = -(-both // UNIT) * UNIT + UNIT * context.choices.integer(0, 3)
    return Style(stride=stride, run_time=0)


def _varied(builder: ProgramBuilder, access: Access, matrix: Matrix, by_stride: bool) -> Access:
    """The access with a stride or an orientation that other lanes have otherwise."""
    if not by_stride and not matrix.is_fragment:
        assert isinstance(access.col_major, int)
        _reserve(builder, access.buffer, max(matrix.rows, matrix.cols) * _stride(access))
        return replace(access, col_major=Affine(access.col_major, lane=1))
    lane = UNIT * builder.choices.integer(1, 2)
    _reserve(builder, access.buffer, max(matrix.rows, matrix.cols) * lane * (_lanes(builder) - 1))
    return replace(access, stride=Affine(_stride(access), lane=lane))


def _in_array(builder: ProgramBuilder, room: SharedRoom, matrix: Matrix) -> Access:
    """A Load from an array at a stride that other lanes have otherwise."""
    load = room.load(matrix)
    lane = builder.choices.integer(1, 2)
    room.used += max(matrix.rows, matrix.cols) * lane * (_lanes(builder) - 1)
    return replace(load, stride=Affine(_stride(load), lane=lane))


def _stride(access: Access) -> int:
    assert isinstance(access.stride, int)
    return access.stride


def _lanes(builder: ProgramBuilder) -> int:
    """Lanes that every wave of the device has."""
    return builder.context.caps.wave_lanes[0]


def _reserve(builder: ProgramBuilder, buffer: str, size: int) -> None:
    builder.rooms[buffer].used += size
