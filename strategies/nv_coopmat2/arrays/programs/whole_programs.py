"""Whole programs: many scope instances, stores side by side, many matrices alive, long loops and what follows them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mmaspec.oracle.nv_coopmat2.rows import rows
from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Affine
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import (
    CONSTANT,
    ROW_MAJOR,
    USE_A,
    USE_ACCUMULATOR,
    USE_B,
    Load,
    LoadTensor,
    Matrix,
    SetClampValue,
    SetClip,
    SetDimension,
    Setter,
    Simple,
    Slice,
    Store,
    StoreTensor,
)
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.arrays.loops import found_in
from mmaspec.strategies.nv_coopmat2.arrays.programs.flows import OPERATIONS, flowing_row
from mmaspec.strategies.nv_coopmat2.builder.program import LINE, ProgramBuilder
from mmaspec.strategies.nv_coopmat2.features import TENSORS, has
from mmaspec.strategies.nv_coopmat2.templates.plain import load, store

INSTANCES = {"one": 1, "five-seven": 5, "eight": 8, "more": 12, "most": 32}
"""Class of ``scope-instances`` -> how many."""


def _apart(builder: ProgramBuilder, matrix: Matrix) -> None:
    builder.add(load(builder, matrix), store(builder, matrix))


def _interleaved(builder: ProgramBuilder, matrix: Matrix) -> None:
    """Every instance stores its rows between those of the others."""
    width = format_named(matrix.component).nbytes
    row = -(-matrix.cols * width // LINE) * LINE
    start = builder.region("rows", row * builder.waves * matrix.rows)
    offset = Affine(start // width, row // width) if builder.waves > 1 else start // width
    builder.add(load(builder, matrix))
    builder.add(Store(matrix.name, "rows", offset, row * builder.waves // width, ROW_MAJOR))


def _side_by_side(builder: ProgramBuilder, matrix: Matrix, spread: int) -> None:
    """Every instance stores its columns, or single elements of each column, right beside those of the others."""
    shape, spans = (matrix.rows, builder.waves, matrix.cols), (matrix.rows, 1, matrix.cols)
    mine = Affine(0, 1) if builder.waves > 1 else 0
    if spread:
        tensor = builder.layout(
            (SetDimension((shape[0], shape[2], shape[1])), Slice((0, 0, mine), (spans[0], spans[2], 1))), rank=3
        )
    else:
        tensor = builder.layout((SetDimension(shape), Slice((0, mine, 0), spans)), rank=3)
    nbytes = matrix.rows * matrix.cols * builder.waves * format_named(matrix.component).nbytes
    where = builder.region("tiles", nbytes) // format_named(matrix.component).nbytes
    builder.add(load(builder, matrix), StoreTensor(matrix.name, "tiles", where, tensor))


def _alive(builder: ProgramBuilder, matrix: Matrix) -> None:
    """Twenty matrices that are loaded first and stored last, in the opposite order."""
    others = [builder.matrix(use) for use in (USE_A, USE_B, USE_ACCUMULATOR) * 7]
    builder.matrices.remove(matrix)
    builder.add(*(found_in(builder, one) for one in others))
    builder.add(*(store(builder, one) for one in reversed(others)))


def _long(builder: ProgramBuilder, matrix: Matrix) -> None:
    """A loop of a hundred passes, one of none but its counter, and accesses behind them that name the pass."""
    width = format_named(matrix.component).nbytes
    a, b = (builder.matrix(use) for use in (USE_A, USE_B))
    c = matrix if matrix.use == USE_ACCUMULATOR else builder.matrix(USE_ACCUMULATOR)
    if c is not matrix:
        builder.matrices.remove(matrix)
    builder.add(found_in(builder, a), found_in(builder, b), found_in(builder, c))
    builder.repeat(100, builder.mul_add(c, a, b, c))
    builder.repeat(5)
    extent = -(-c.rows * c.cols * width * 4 // LINE) * LINE
    start = builder.region("after", extent * builder.waves) // 4
    wave = extent // 4 if builder.waves > 1 else 0
    stride = -(-c.cols * 4 // LINE) * LINE // 4
    builder.add(Store(c.name, "after", Affine(start, wave, 4), stride, ROW_MAJOR, "uint"))


def _sharing(builder: ProgramBuilder, matrix: Matrix) -> None:
    """One layout for matrices of several types, one view over several layouts, and five views."""
    a, b = builder.matrix(USE_A), builder.matrix(USE_B)
    sizes = (max(a.rows, b.rows, matrix.rows) + 2, max(a.cols, b.cols, matrix.cols) + 3)
    layouts = [builder.layout((SetDimension((sizes[0], sizes[1] + more)),), mode=1) for more in range(2)]
    clip = builder.view((SetClip(0, sizes[0], 0, sizes[1]),))
    views = [clip, *(builder.view((SetClip(0, sizes[0] + more, 0, sizes[1]),)) for more in range(4))]
    for turn, one in enumerate((a, b, matrix, a, b)):
        layout = layouts[turn % 2] if one is not matrix else layouts[0]
        width = format_named(one.component).nbytes
        where = builder.region(f"shared-{turn}", (sizes[0] * (sizes[1] + 1) + 16) * width) // width
        view = clip if turn < 3 else views[turn - 1]
        builder.add(LoadTensor(one.name, f"shared-{turn}", where, layout, data=builder.name("V"), view=view))
        builder.add(store(builder, one))
    for view in views[1:3]:
        where = (
            builder.region("shared-2", (sizes[0] * (sizes[1] + 1) + 16) * 4) // format_named(matrix.component).nbytes
        )
        builder.add(LoadTensor(matrix.name, "shared-2", where, layouts[1], data=builder.name("V"), view=view))
        builder.add(store(builder, matrix))


WAYS: dict[str, Callable[[ProgramBuilder, Matrix], None]] = {
    "apart": _apart,
    "interleaved": _interleaved,
    "adjacent": lambda builder, matrix: _side_by_side(builder, matrix, 0),
    "within-word": lambda builder, matrix: _side_by_side(builder, matrix, 1),
    "alive": _alive,
    "long": _long,
    "sharing": _sharing,
}
NEED_TENSORS = ("adjacent", "within-word", "sharing")


def _whole(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder = ProgramBuilder(context, most_waves=1)
    builder.waves = INSTANCES[chosen["scope-instances"]]
    narrow = USE_A if builder.choices.chance(70) else USE_B
    matrix = builder.matrix(USE_ACCUMULATOR if chosen["way"] == "long" else narrow)
    WAYS[chosen["way"]](builder, matrix)
    if builder.odd_lines(short=True):
        return None
    return builder.draft("whole" if chosen["way"] == "long" else "distinct", batch=1)


def _fits(_: Row[Any], caps: CoopMatCaps, axis: str, name: str) -> bool:
    return not (axis == "way" and name in NEED_TENSORS) or has(caps, TENSORS)


WHOLE_PROGRAMS = Array(
    name="whole-programs",
    focus=("NVCM2-STORE-ONLY-ELEMS", "KHRCM-STORAGE"),
    axes={"way": tuple(WAYS), "scope-instances": tuple(INSTANCES)},
    build=_whole,
    rules=("way=alive|long|sharing with scope-instances=eight|more|most|five-seven",),
    rows=("shared",),
    fits=_fits,
)
"""One such program."""


MOST_SHARED = 1 << 14
"""Bytes that every device has, those that it reserves for matrices of workgroup scope among them."""


def _staged(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    """Matrices of workgroup scope that come from one shared array and go to another; a product of such."""
    builder = ProgramBuilder(context, most_waves=1)
    builder.sizes = (builder.entry.m, builder.entry.n, builder.entry.k)
    a, b, c = (builder.matrix(use) for use in (USE_A, USE_B, USE_ACCUMULATOR))
    given, taken = builder.shared_array("given"), builder.shared_array("taken")
    tensors = chosen["access"] == "tensor"
    for matrix in (a, b, c):
        builder.add(_moved(builder, matrix, given, store=False, tensor=tensors))
    builder.add(builder.mul_add(c, a, b, c), _moved(builder, c, taken, store=True, tensor=tensors))
    builder.add(_moved(builder, a, taken, store=True, tensor=tensors))
    if sum(builder.used.get(name, 0) for name in builder.shared) + builder.caps.shared_memory > MOST_SHARED:
        return None
    return builder.draft("whole", batch=2)


def _moved(builder: ProgramBuilder, matrix: Matrix, buffer: str, *, store: bool, tensor: bool) -> Simple:
    """A load from a shared array of words, or a store to it."""
    nbytes = matrix.rows * matrix.cols * format_named(matrix.component).nbytes
    where, line = builder.region(buffer, nbytes) // 4, nbytes // matrix.rows // 4
    if not tensor:
        data = builder.name("S")
        if store:
            return Store(matrix.name, buffer, where, line, ROW_MAJOR, "uint")
        return Load(matrix.name, buffer, where, line, ROW_MAJOR, "uint", data)
    layout = builder.layout((SetDimension((matrix.rows, matrix.cols)),))
    if store:
        return StoreTensor(matrix.name, buffer, where, layout, "uint")
    return LoadTensor(matrix.name, buffer, where, layout, "uint", builder.name("S"))


def _stages(row: Row[Any], caps: CoopMatCaps, _: str, name: str) -> bool:
    able = [one for one in rows(caps) if one.entry.scope == "workgroup"]
    lines = [row.entry.k * format_named(row.entry.a).nbytes, row.entry.n * format_named(row.entry.b).nbytes]
    return (
        row.name in {one.name for one in able[:1]}
        and not any(line % LINE for line in lines)
        and (name != "tensor" or has(caps, TENSORS))
    )


STAGED = Array(
    name="workgroup-arrays",
    focus=("KHRCM-STORAGE", "KHRCM-LOAD-ROW"),
    axes={"access": ("plain", "tensor")},
    build=_staged,
    rows=("workgroup",),
    fits=_stages,
)
"""A product of matrices of workgroup scope by way of shared arrays."""

OPERATED = ("product", "conversion", "reduction", "per-element", "transpose")

HALF = 1 << 31
LIMIT = 1 << 10
"""Bits of an f16 between two clamp values: zeros, subnormals and numbers."""
ACTING: dict[str, tuple[Affine, int]] = {
    "first-only": (Affine(-1, wave=1), 0),
    "last-only": (Affine(0, wave=1), 1),
    "middle-only": (Affine(-HALF, wave=HALF), -1),
    "each-differs": (Affine(-1), 0),
}
"""Class of ``acting-instance`` -> the first column, and how many columns more than a matrix needs the tensor has."""


def _unlike(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    """Operations of three instances, of which one finds clamp values in its operand, or each finds others."""
    builder = ProgramBuilder(context, most_waves=1)
    builder.waves = 3
    matrix = builder.matrix(USE_ACCUMULATOR if chosen["operation"] != "product" else USE_A)
    found = OPERATIONS[chosen["operation"]](builder, matrix)
    if found is None:
        return None
    steps, result = found
    first, more = ACTING[chosen["acting-instance"]]
    rows, cols = matrix.rows, matrix.cols + max(more, 0) + (more == 0)
    values: tuple[Setter, ...] = ()
    if chosen["acting-instance"] == "each-differs":
        values = (SetClampValue(Affine(0, wave=(1 << 15) - LIMIT >> 1)),)
    calls = (SetDimension((rows, cols)), Slice((0, first), (rows, matrix.cols)), *values)
    tensor = builder.layout(calls, mode=CONSTANT)
    width = format_named(matrix.component).nbytes
    where = builder.region("in", -(-rows * cols * width // LINE) * LINE) // width
    builder.add(LoadTensor(matrix.name, "in", where, tensor, data=builder.name("T")))
    builder.add(*steps, store(builder, result))
    return builder.draft("distinct", batch=1)


def _operates(row: Row[Any], caps: CoopMatCaps, _: str, __: str) -> bool:
    return row.name == flowing_row(caps) and has(caps, TENSORS)


INSTANCE_DATA = Array(
    name="instance-data",
    focus=("KHRCM-CAPS-MATCH", "KHRCM-MULADD"),
    axes={
        "operation": OPERATED,
        "acting-instance": tuple(ACTING),
    },
    build=_unlike,
    fits=_operates,
)
"""One operation of three scope instances."""
