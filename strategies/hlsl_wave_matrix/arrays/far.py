"""Views of more than 16 MiB, and accesses about the place from which on 24 bits no longer hold an offset."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from mmaspec.oracle.hlsl_wave_matrix.addresses import element_bytes, memory_row_bytes
from mmaspec.oracle.spec import Row
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import Instruction, Load, Matrix, MatrixDepth, MatrixKind, Store
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.hlsl_wave_matrix.arrays.numbers import within
from mmaspec.strategies.hlsl_wave_matrix.arrays.packed import one_of_each
from mmaspec.strategies.hlsl_wave_matrix.arrays.windows import windowed
from mmaspec.strategies.hlsl_wave_matrix.builder.program import ProgramBuilder

FAR = (1 << 24) + (1 << 17)
"""Bytes of the far view, or more where the rows of a matrix are many."""
APART = 2048
"""Bytes between rows, and between elements of fragments: what is stored about one place lies in each other's gaps."""
SPREAD = (1 << 24) + (1 << 15)
"""Bytes from the first row to the last of what spans more than 24 bits."""
BELOW, AT, ABOVE, BEYOND = "below-24-bits", "at-24-bits", "above-24-bits", "under-31-bits"
TOTAL: MatrixKind = "accumulator"
FRAGMENT: MatrixKind = "left-col-acc"
CASES: dict[str, tuple[tuple[MatrixKind, str], ...]] = {
    "loads": tuple((TOTAL, place) for place in (BELOW, AT, ABOVE, BEYOND, "spread")),
    "fragment-loads": tuple((FRAGMENT, place) for place in (BELOW, AT, ABOVE, BEYOND, "spread")),
    "below": ((TOTAL, BELOW), (FRAGMENT, BEYOND), (FRAGMENT, "spread")),
    "at": ((TOTAL, AT), ("left", BELOW)),
    "above": ((TOTAL, ABOVE), ("left", AT), (FRAGMENT, BELOW)),
    "beyond": ((TOTAL, BEYOND), ("left", ABOVE), (FRAGMENT, AT), ("left", BEYOND), (TOTAL, "spread")),
    "ends": ((FRAGMENT, ABOVE),),
}
"""Case -> what is loaded, or stored, where in the far view; of a Left its depth."""
ENDS = ((BELOW, True), (AT, False), (ABOVE, True))
"""Sizes of further views, and whether their last bytes are loaded; else they are stored to."""


def _built(context: DrawContext[WaveMmaCaps], chosen: Chosen) -> Draft:
    builder, case = ProgramBuilder(context), chosen["far"]
    factor, loads = builder.matrix("left", "A"), case.endswith("loads")
    for name in ("in", "out", "far"):
        builder.room(name, read_only=name == ("far" if loads else "in"))
    body: list[Instruction] = [builder.load(factor, "in"), builder.store(factor, "out")]
    reached = FAR
    taken = _Taken()
    for number, (kind, place) in enumerate(CASES[case]):
        # Of the places of a class the last, or the last one whose bytes nothing else of the case has.
        places = (1024 + 64 * number,) if place == "spread" else within("buffer-offset", place, 4)[:16384]
        if kind == "left":
            shift = 128 if place == BEYOND else 0
            offset, _ = taken.free([one + shift for one in places], 1, 0, 4)
            body.append(MatrixDepth("A", "far", offset))
            continue
        matrix = builder.matrix(kind, f"M{number}")
        least = _least(matrix)
        stride = least + (SPREAD // (matrix.rows - 1) // 4 * 4 if place == "spread" else APART)
        stride -= stride % 4
        shared = kind == TOTAL and place in (BELOW, AT, ABOVE)
        alone = not loads or not shared
        offset, stride = taken.free(places, matrix.rows, stride, least) if alone else (places[-1], stride)
        reached = max(reached, offset + (matrix.rows - 1) * stride + least)
        if loads and shared and not number:
            body += _laid_out(builder, taken, offset, stride)
        data = None if shared else matrix.name
        load = Load(matrix.name, "far", offset, stride, data=data) if loads else builder.load(matrix, "in")
        body += [load, builder.store(matrix, "out") if loads else Store(matrix.name, "far", offset, stride)]
    builder.rooms["far"].used = reached
    sizes = dict[str, int]()
    for place, loaded in ENDS if case == "ends" else ():
        matrix, size = builder.matrix(FRAGMENT, f"last-{place}"), within("buffer-size", place, 4)[-1]
        sizes[builder.room(f"view-{place}", read_only=loaded)] = size
        there = f"view-{place}", (size - matrix.rows * _least(matrix)) // 4 * 4, _least(matrix)
        load = Load(matrix.name, *there, data=matrix.name) if loaded else builder.load(matrix, "in")
        body += [load, builder.store(matrix, "out") if loaded else Store(matrix.name, *there)]
    draft = builder.draft(body, "distinct", batch=1)
    buffers = tuple(replace(one, size=sizes.get(one.name, one.size)) for one in draft.program.buffers)
    return windowed(Draft(replace(draft.program, buffers=buffers), draft.regime, draft.batch, draft.words))


class _Taken:
    """The bytes of the far view that are stored to, or that are data of a load."""

    def __init__(self) -> None:
        self._pieces: list[tuple[int, int]] = []
        self._strides: list[int] = []

    def free(self, places: Sequence[int], lines: int, stride: int, nbytes: int) -> tuple[int, int]:
        """A place and a stride from which so many lines meet nothing taken: the last place where that is.

        Lines of another stride than those before drift across them: if they meet everywhere, they take theirs.
        """
        found = ((one, each) for each in (stride, *self._strides) for one in reversed(places))
        chosen, apart = next(
            ((one, each) for one, each in found if not self._met(one, lines, each, nbytes)), (places[-1], stride)
        )
        self._strides += [apart] if lines > 1 else []
        self._pieces += [(chosen + line * apart, chosen + line * apart + nbytes) for line in range(lines)]
        return chosen, apart

    def _met(self, place: int, lines: int, stride: int, nbytes: int) -> bool:
        starts = [place + line * stride for line in range(lines)]
        return any(start < end and first < start + nbytes for first, end in self._pieces for start in starts)


def _laid_out(builder: ProgramBuilder, taken: _Taken, offset: int, stride: int) -> list[Instruction]:
    """Loads side by side of what others find shifted by some bytes: what these share is data of none of them."""
    body: list[Instruction] = []
    for number in range(2):
        matrix = builder.matrix(TOTAL, f"laid-{number}")
        place, _ = taken.free([offset + number * _least(matrix)], matrix.rows, stride, _least(matrix))
        body.append(Load(matrix.name, "far", place, stride, data=matrix.name))
    return body


def _least(matrix: Matrix) -> int:
    return element_bytes(matrix) if matrix.is_fragment else memory_row_bytes(matrix, 0)


def _fits(row: Row[Any], caps: WaveMmaCaps, axis: str, name: str) -> bool:
    del name
    return axis != "far" or row in one_of_each(caps, 0)[:1]


FAR_VIEWS = Array(
    name="far-views",
    focus=("WM-LOAD-ALL", "WM-STORE-ALL", "WM-DEPTH-ELEMS", "WM-ADDR-FRAG", "WM-ADDR-ROW"),
    axes={"far": tuple(CASES)},
    build=_built,
    fits=_fits,
)
"""Far places; in one row only, as memory is what they cost."""
