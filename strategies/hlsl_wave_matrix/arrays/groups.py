"""Thread groups of several waves, which differ in what they load, how, and where they stand."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from mmaspec.oracle.hlsl_wave_matrix.addresses import memory_row_bytes
from mmaspec.programs.base import Affine, Index
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import Instruction, Load, Matrix, MultiplyAccumulate, Store
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.hlsl_wave_matrix.arrays.buffer_places import lines
from mmaspec.strategies.hlsl_wave_matrix.arrays.numbers import within
from mmaspec.strategies.hlsl_wave_matrix.arrays.operations import regime_of
from mmaspec.strategies.hlsl_wave_matrix.builder.program import ProgramBuilder, Room

WAVES = ("three", "to-seven", "eight", "to-fifteen")
DIFFERENCES = ("stores", "left-only", "right-only", "grid", "stride", "orientation")
STEPS = ("odd", "large", "largest")
"""Classes of ``affine-wave``: by how much the places of two waves differ."""
Where = Callable[[int], Index]


def _built(context: DrawContext[WaveMmaCaps], chosen: Chosen) -> Draft | None:
    choices = context.choices
    builder = ProgramBuilder(context, choices.one_of(within("waves", chosen["waves"])))
    differs = chosen["wave-difference"]
    a, b, c = builder.matrix("left", "A"), builder.matrix("right", "B"), builder.matrix("accumulator", "C")
    builder.rooms["sums"] = Room("sums", 16 * choices.integer(1, 8), 0, read_only=False)
    tile = max(_reach(builder, matrix) for matrix in (a, b, c))
    step = {"odd": tile + 12, "large": tile + 4096, "largest": tile + 65536}[chosen["affine-wave"]]
    columns = choices.one_of((1, 2, 3, 4, builder.waves, builder.waves - 1))

    def own(start: int) -> Index:
        return Affine(start, step)

    def common(start: int) -> Index:
        return start

    def in_grid(start: int) -> Index:
        return Affine(start, step, 0, columns, step * columns)

    ways: dict[str, tuple[Where, Where]] = {
        "left-only": (own, common), "right-only": (common, own), "grid": (in_grid, own),
        "stores": (common, common),
    }  # fmt: skip
    left, right = ways.get(differs, (own, own))
    turned = differs if differs in ("stride", "orientation") else ""
    body: list[Instruction] = [
        _load(builder, a, left, step, turned),
        _load(builder, b, right, step, ""),
        _load(builder, c, common if differs in ("stores", "left-only", "right-only") else own, step, turned),
        MultiplyAccumulate("C", "A", "B"),
    ]
    load = _load(builder, c, own, step, turned)
    body.append(Store("C", "sums", load.offset, load.stride, load.col_major))
    rooms = builder.rooms
    rooms["sums"].used = rooms["C-in"].used + step * builder.waves
    draft = builder.draft(body, regime_of(context.row), batch=2)
    return Draft(replace(draft.program, threads=0), draft.regime, 2, draft.words)


def _load(builder: ProgramBuilder, matrix: Matrix, where: Where, step: int, turned: str) -> Load:
    """A Load from a buffer of its own; strides or orientations that differ by wave where wanted."""
    name = f"{matrix.name}-in"
    base = 16 * builder.choices.integer(0, 12)
    start = 4 * builder.choices.integer(0, 20)
    side = _side(matrix)
    stride: Index = Affine(side, 4) if turned == "stride" else side
    col_major: Index = Affine(0, 1, 0, 2) if turned == "orientation" else builder.choices.integer(0, 1)
    builder.rooms[name] = Room(
        name, base, start + step * (builder.waves - 1) + _reach(builder, matrix), builder.choices.chance(50)
    )
    return Load(matrix.name, name, where(start), stride, col_major, 0, matrix.name)


def _side(matrix: Matrix) -> int:
    """The longer memory-layout row, so that either orientation is legal."""
    return max(memory_row_bytes(matrix, 0), memory_row_bytes(matrix, 1))


def _reach(builder: ProgramBuilder, matrix: Matrix) -> int:
    """Bytes that no wave goes beyond, whatever its stride and orientation."""
    return (_side(matrix) + 4 * builder.waves) * max(lines(matrix, 0), lines(matrix, 1))


GROUPS = Array(
    name="groups",
    focus=("WM-MAC", "WM-ADDR-ROW", "WM-ADDR-COL", "WM-ONE-PER-WAVE"),
    axes={"waves": WAVES, "wave-difference": DIFFERENCES, "affine-wave": STEPS},
    build=_built,
    rows=("dim-16",),
)
"""Several waves."""
