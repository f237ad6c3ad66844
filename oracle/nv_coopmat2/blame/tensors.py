"""Ablations of tensor loads and stores: setter calls, clamping, units, one removed at a time."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from math import prod

import numpy as np
from msgspec.structs import replace

from mmaspec.oracle.nv_coopmat2.addresses import array_bytes, component_bytes, touched
from mmaspec.oracle.nv_coopmat2.blame.edits import FRESH, FRESH_VIEW, exchanged, relocated, scaled
from mmaspec.oracle.nv_coopmat2.blame.remade import remade
from mmaspec.oracle.nv_coopmat2.blame.views import view_ablations
from mmaspec.oracle.nv_coopmat2.coverage.tensors import MODES, tensor_points
from mmaspec.oracle.nv_coopmat2.tensors.layouts import TensorLayout, blocks_of, evaluate, lineage
from mmaspec.oracle.spec import Ablation
from mmaspec.programs import tree
from mmaspec.programs.base import Literal, Place, Program
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.program import (
    CLAMP_TO_EDGE,
    CONSTANT,
    MIRROR_REPEAT,
    REPEAT,
    CoopMatProgram,
    Echo,
    Layout,
    LoadTensor,
    SetBlockSize,
    SetClampValue,
    SetDimension,
    SetStride,
    Setter,
    Slice,
    Splat,
    StoreTensor,
    View,
)

Calls = tuple[Setter, ...]
_OTHER_MODE = {CONSTANT: CLAMP_TO_EDGE, CLAMP_TO_EDGE: REPEAT, REPEAT: CLAMP_TO_EDGE, MIRROR_REPEAT: CLAMP_TO_EDGE}


def tensor_ablations(program: CoopMatProgram, place: Place, access: LoadTensor | StoreTensor) -> Iterator[Ablation]:
    """Ablations of a tensor access, most telling first."""
    session = _Session(program, place, access)
    yield from session.unit()
    yield from session.values()
    yield from session.setters()
    yield from session.clamping()
    yield from session.blocks()
    yield from session.bounds()
    if access.view is not None:
        yield from view_ablations(program, place, access)
    yield from session.region()
    if access.decode is not None:
        yield Ablation("NVCM2-DECODE-ADDR", exchanged(program, place, Splat(access.matrix, Literal(0))))


class _Session:
    """One tensor access, the setter calls that made its layout, and its effect."""

    def __init__(self, program: CoopMatProgram, place: Place, access: LoadTensor | StoreTensor) -> None:
        self.program, self.place, self.access = program, place, access
        self.created, self.calls = lineage(program, access.tensor)
        passes = range(tree.passes(program, place))
        # The pass that leaves the layout most stands for all of them.
        found = {loop: tensor_points(program, access, loop) for loop in passes}
        worst = max(passes, key=lambda loop: sum("CLAMP" in point for point in found[loop]))
        self.layout: TensorLayout = evaluate(program, access.tensor, 0, worst)
        self.points = {point for points in found.values() for point in points}
        self.clauses = {point.partition("/")[0] for point in self.points}

    def _with(self, clause: str, calls: Calls, mode: int | None = None, *, move: bool = False) -> Iterator[Ablation]:
        """The access through a layout of its own, made by ``calls``."""
        mode = self.created.clamp_mode if mode is None else mode
        layout = Layout(FRESH, calls, self.created.rank, mode)
        new = replace(self.access, tensor=FRESH)
        if not move:
            yield Ablation(clause, exchanged(self.program, self.place, new, layout))
            return
        moved = relocated(self.program, self.place, self.access, replace(new, array=""), layout)
        if moved is not None:
            yield Ablation(clause, moved)

    def unit(self) -> Iterator[Ablation]:
        """Array elements of the component type, at the same addresses; a layout of its own."""
        matrix = self.program.matrix(self.access.matrix)
        unit, nbytes = array_bytes(self.access, matrix), component_bytes(matrix)
        if unit != nbytes:
            offset = scaled(self.access.offset, unit, nbytes)
            if offset is not None:
                same = replace(self.access, array="", offset=offset)
                yield Ablation("NVCM2-BYTEADDR", exchanged(self.program, self.place, same))
        if "NVCM2-FUNCTIONAL" in self.clauses:
            yield from self._with("NVCM2-FUNCTIONAL", self.calls)

    def values(self) -> Iterator[Ablation]:
        """The values of an out-of-bounds load in mode Constant."""
        if "NVCM2-CLAMP-CONST" not in self.clauses:
            return
        before = self._splat_before()
        if before is not None:
            fmt = format_named(self.program.matrix(self.access.matrix).component)
            same = Splat(self.access.matrix, Literal(self.layout.clamp_value & fmt.mask))
            yield Ablation("NVCM2-LOAD-INOUT", exchanged(self.program, before, same))
        if "NVCM2-CLAMPVALUE" in self.clauses:
            rest = tuple(call for call in self.calls if not isinstance(call, SetClampValue))
            yield from self._with("NVCM2-CLAMPVALUE", rest)
        else:
            yield from self._with("NVCM2-CREATE-LAYOUT", (*self.calls, SetClampValue(0)))

    def _splat_before(self) -> Place | None:
        *outer, last = self.place.path
        for step in range(last - 1, -1, -1):
            place = Place((*outer, step))
            found = tree.at(self.program, place)
            if isinstance(found, Splat) and found.matrix == self.access.matrix:
                return place
        return None

    def setters(self) -> Iterator[Ablation]:
        """Calls left out, exchanged, merged or spelt out."""
        for clause, calls, says in remade(self.calls, self._state):
            for found in self._with(clause, calls):
                yield dataclasses.replace(found, says=says)
        last = max((i for i, call in enumerate(self.calls) if isinstance(call, SetDimension)), default=-1)
        if "NVCM2-SETDIM-ORDER" in self.clauses:
            early = tuple(call for call in self.calls[:last] if isinstance(call, SetClampValue))
            yield from self._with("NVCM2-SETDIM-ORDER", (*early, *self.calls[last:]))
        if "NVCM2-SLICE/again" in self.points:
            yield from self._with("NVCM2-SLICE", self._sliced(self.layout.offset, self.layout.span))
        ends = "NVCM2-SETSTRIDE" in self.clauses
        if ends and self.layout.stride[-1] != 1:
            inner = tuple(
                SetStride((*call.strides[:-1], 1)) if isinstance(call, SetStride) and i > last else call
                for i, call in enumerate(self.calls)
            )
            yield from self._with("NVCM2-STRIDE-SUM", inner, move=True)
        if ends:
            packed = tuple(call for i, call in enumerate(self.calls) if not (isinstance(call, SetStride) and i > last))
            if "NVCM2-BLOCK/partial" in self.points:  # full blocks, whose strides no reading moves
                counts = blocks_of(self.layout, self.layout.layout_dimension)
                full = SetDimension(
                    tuple(count * size for count, size in zip(counts, self.layout.block_size, strict=True))
                )
                packed = tuple(full if isinstance(call, SetDimension) else call for call in packed)
            yield from self._with("NVCM2-SETSTRIDE", packed, move=True)
        if "NVCM2-SETDIM-ORDER/blocks" in self.points:
            yield from self._with("NVCM2-SETDIM-ORDER", (*self.calls, SetStride(self.layout.stride)))
        if "NVCM2-SETDIM" in self.clauses:
            spelt = (*self.calls[: last + 1], SetStride(self.layout.stride), *self.calls[last + 1 :])
            yield from self._with("NVCM2-SETDIM", spelt)

    def _state(self, calls: Calls) -> TensorLayout:
        """The layout that calls make in the first wave and pass."""
        layout = Layout(FRESH, calls, self.created.rank, self.created.clamp_mode)
        found = exchanged(self.program, self.place, replace(self.access, tensor=FRESH), layout)
        return evaluate(found, found.layouts[-1].name, 0, 0)

    def _sliced(self, offset: tuple[int, ...], span: tuple[int, ...]) -> Calls:
        """The calls with every slice since the last dimensions replaced by one."""
        last = max((i for i, call in enumerate(self.calls) if isinstance(call, SetDimension)), default=-1)
        kept = [call for i, call in enumerate(self.calls) if not (isinstance(call, Slice) and i > last)]
        return (*kept, Slice(offset, span))

    def clamping(self) -> Iterator[Ablation]:
        """Another mode; fewer dimensions out of bounds."""
        if isinstance(self.access, StoreTensor):
            if "NVCM2-CLAMP-STORE-DROP" in self.clauses:
                whole = (SetDimension(self.layout.span), Slice((0,) * self.layout.ldim, self.layout.span))
                yield from self._with("NVCM2-CLAMP-STORE-DROP", whole, move=True)
            return
        mode = self.layout.clamp_mode
        if MODES.get(mode) not in self.clauses:
            return
        yield from self._with(MODES[mode], self.calls, _OTHER_MODE[mode])
        if "NVCM2-CLAMP-PERDIM" in self.clauses:
            yield from self._with("NVCM2-CLAMP-PERDIM", self._sliced(*self._inside(1)))

    def bounds(self) -> Iterator[Ablation]:
        """No dimension out of bounds."""
        if isinstance(self.access, LoadTensor) and MODES.get(self.layout.clamp_mode) in self.clauses:
            yield from self._with("NVCM2-OFFSET", self._sliced(*self._inside(0)))

    def _inside(self, first: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Offsets and spans that keep the dimensions from ``first`` on in bounds."""
        offsets, spans = list(self.layout.offset), list(self.layout.span)
        for dim in range(first, self.layout.ldim):
            size = self.layout.layout_dimension[dim]
            spans[dim] = min(spans[dim], size)
            offsets[dim] = max(0, min(offsets[dim], size - spans[dim]))
        return tuple(offsets), tuple(spans)

    def blocks(self) -> Iterator[Ablation]:
        """Block sizes called once more at the end, made all the same, or gone; a function that reads no memory."""
        if "NVCM2-BLOCK" not in self.clauses:
            return
        t = self.layout
        yield from self._with("NVCM2-SETDIM", (*self.calls, SetBlockSize(t.block_size)))
        told: LoadTensor | StoreTensor = self.access
        if isinstance(told, LoadTensor) and told.decode is not None:
            steps = tuple(range(1, t.ldim + 1))
            told = replace(told, decode=Echo(told.decode.struct_bytes, steps, steps[::-1]), data=None)
            yield Ablation("NVCM2-DECODE-ADDR", exchanged(self.program, self.place, told))
        value = tuple(call for call in self.calls if isinstance(call, SetClampValue))
        counts, most = blocks_of(t, t.layout_dimension), max(t.block_size)
        for clause, size in (("NVCM2-SETBLOCK", most), ("NVCM2-BLOCK", 1)):
            blocks = SetBlockSize((size,) * t.ldim)
            sizes = tuple(count * size for count in counts)
            first: Calls = (*value, blocks) if size > 1 else value
            # What is out of bounds stays so: spans are larger than dimensions.
            cut = Slice(t.offset, tuple(dim + 3 for dim in sizes))
            calls: Calls = (*first, SetDimension(sizes), SetStride(t.stride), cut)
            layout = Layout(FRESH, calls, t.ldim, t.clamp_mode or REPEAT)
            yield Ablation(clause, exchanged(self.program, self.place, replace(told, tensor=FRESH), layout))

    def region(self) -> Iterator[Ablation]:
        """A span as large as the matrix; offsets of zero; elements numbered by a view; one line to unravel."""
        matrix = self.program.matrix(self.access.matrix)
        rank, view = self.layout.ldim, self.access.view
        if prod(self.layout.span) < matrix.rows * matrix.cols and rank == 2 and view is None:
            whole = self._sliced((0, 0), (matrix.rows, matrix.cols))
            yield from self._with("NVCM2-SPANCOORD", whole)
        if any(self.layout.offset):
            flat = self._sliced((0,) * rank, self.layout.span)
            yield from self._with("NVCM2-OFFSET", flat)
        if view is None:
            named = replace(self.access, view=FRESH_VIEW)
            yield Ablation("NVCM2-LINEAR", exchanged(self.program, self.place, named, view=View(FRESH_VIEW, rank=rank)))
        if view is None and rank > 1 and self.access.decode is None:
            line = (1,) * (rank - 1) + self.layout.span[-1:]
            for found in self._with("NVCM2-SPANCOORD", self._sliced(self.layout.offset, line)):
                if isinstance(self.access, LoadTensor) or self._apart(found.program):
                    yield found

    def _apart(self, program: Program) -> bool:
        """Whether no two elements of the access have one address in another program: else a store is undefined."""
        assert isinstance(program, CoopMatProgram)
        access = tree.at(program, self.place)
        taken = [one for loop in range(tree.passes(program, self.place)) for one in touched(program, access, loop)]
        return all(len(np.unique(one)) == len(one) for one in taken)
