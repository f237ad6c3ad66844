"""Loads and stores of buffers, each with classes of its own: where it lies, how it is aligned, what says so.

Every thing is a matrix, loaded from one view and stored to another at places of the same classes. All that is drawn
beside the classes is what the document leaves equal: bases, bindings, which arguments are read at run time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product

from mmaspec.oracle.hlsl_wave_matrix.addresses import element_bytes, memory_row_bytes
from mmaspec.oracle.hlsl_wave_matrix.rows import Entry
from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Index
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import Instruction, Load, Matrix, MatrixKind, Store
from mmaspec.strategies.covering import Tuple
from mmaspec.strategies.grammar import Chosen, Draft, DrawContext
from mmaspec.strategies.hlsl_wave_matrix.arrays.buffer_places import (
    ALIGNMENTS,
    ALLOCATION,
    BASE_STEP,
    PADDINGS,
    bases,
    end,
    offsets,
    padded,
)
from mmaspec.strategies.hlsl_wave_matrix.arrays.numbers import reaching, within
from mmaspec.strategies.hlsl_wave_matrix.arrays.packed import Packed
from mmaspec.strategies.hlsl_wave_matrix.arrays.windows import windowed
from mmaspec.strategies.hlsl_wave_matrix.builder.program import ProgramBuilder, Room, Style, shape_of

KINDS: dict[str, MatrixKind] = {
    "left": "left", "right": "right", "accumulator": "accumulator",
    "left-col-acc": "left-col-acc", "right-row-acc": "right-row-acc",
}  # fmt: skip
ORIENTATIONS = ("row-major", "col-major")
TOGETHER = ("both-zero", "base-zero", "offset-zero", "compensate", "together-256", "off-16", "other")
BATCH = 2
FAR_BYTES = 1 << 20
"""Bytes of all buffers from which on a case has one item: memory is what it costs."""
STYLE = Style(run_time=15)
WHOLE = 64
"""What divides offsets that are tried beside those that are drawn, in bytes."""

FARTHEST = 1 << 18
"""Most bytes from a view to an access."""
OFFSETS = reaching("buffer-offset", FARTHEST, 4)
STRIDES = reaching("row-stride", FARTHEST, 4)
LARGE = (
    "row-stride=at-17-bits|above-17-bits|under-24-bits"
    " with alignment=eight|sixteen|thirty-two|sixty-four|one-hundred-twenty-eight",
)
"""What has megabytes between its rows is seen with few alignments."""
ELEMENT_STRIDES = reaching("element-stride", FARTHEST, 2)


def moved(context: DrawContext[WaveMmaCaps], things: tuple[Chosen, ...]) -> Draft | None:
    """Every thing loaded, then every thing stored."""
    builder = ProgramBuilder(context)
    choices = context.choices
    loads: list[Instruction] = []
    stores: list[Instruction] = []
    for number, thing in enumerate(things):
        kind = KINDS[thing.get("rowed-kind") or thing["fragment-kind"]]
        matrix = builder.matrix(kind, f"M{number}")
        found = placed(builder, matrix, thing, f"in-{number}", thing.get("load-orientation"))
        into = placed(builder, matrix, thing, f"out-{number}", thing.get("store-orientation"))
        if found is None or into is None:
            return None
        builder.rooms[f"in-{number}"].read_only = choices.chance(50)
        loads.append(Load(matrix.name, *found, data=matrix.name))
        stores.append(Store(matrix.name, *into))
    large = sum(room.used for room in builder.rooms.values()) >= FAR_BYTES
    return windowed(builder.draft([*loads, *stores], "distinct", batch=1 if large else BATCH))


def placed(
    builder: ProgramBuilder, matrix: Matrix, thing: Chosen, buffer: str, orientation: str | None
) -> tuple[str, Index, Index, Index, int] | None:
    """Buffer, offset, stride, orientation and alignment of an access, in a buffer of its own; None if nothing fits."""
    choices = builder.choices
    col_major = int(orientation == "col-major")
    found = list(_places(choices.one_of, matrix, thing, col_major))
    if not found:
        return None
    # Every alignment as often: few offsets and bases fit the large ones.
    alignment = choices.one_of(sorted({one[3] for one in found}))
    offset, stride, base, alignment = choices.one_of([one for one in found if one[3] == alignment])
    builder.rooms[buffer] = Room(buffer, base, end(matrix, offset, stride, col_major), read_only=False)
    turned = 0 if matrix.is_fragment else builder.argument(col_major, STYLE)
    return buffer, builder.argument(offset, STYLE), builder.argument(stride, STYLE), turned, alignment


def _places(
    pick: Callable[[Sequence[int]], int], matrix: Matrix, thing: Chosen, col_major: int
) -> Iterator[tuple[int, int, int, int]]:
    """Offset, stride, base and alignment: for every alignment that the classes allow, one offset and stride."""
    for alignment in [ALIGNMENTS[thing["alignment"]]] if "alignment" in thing else ALIGNMENTS.values():
        strides, where = strides_for(matrix, thing, col_major, alignment), offsets(thing.get("buffer-offset", "to-64"))
        if strides:
            # Few of them make up for a base that a large alignment does not divide.
            whole = range(-(-where[0] // WHOLE) * WHOLE, where[-1] + 1, WHOLE)[:8]
            for offset in {*(pick(where) for _ in range(24)), *whole}:
                if fitting := bases_for(thing, offset, alignment):
                    yield offset, pick(strides), pick(fitting), alignment


def strides_for(matrix: Matrix, thing: Chosen, col_major: int, alignment: int) -> Sequence[int]:
    """Legal strides with the classes of a thing; without a class, small ones."""
    least, step = element_bytes(matrix), alignment or 4
    if matrix.is_fragment:
        name = thing.get("element-stride", "to-15")
        return [stride for stride in within("element-stride", name, least) if stride >= least]
    row = memory_row_bytes(matrix, col_major)
    if "row-stride" in thing:
        return [stride for stride in within("row-stride", thing["row-stride"], step) if stride >= row]
    return padded(row, thing["row-padding"], alignment)


def bases_for(thing: Chosen, offset: int, alignment: int) -> Sequence[int]:
    """Bases with the class of a thing; without a class, any that honour the alignment."""
    return bases(offset, alignment, thing.get("base-and-offset"))


def without_place(packed_axes: Mapping[str, tuple[str, ...]]) -> Callable[[Row[Entry]], Iterator[Tuple]]:
    """What may not meet in a row: classes for which there is no stride, and those for which there is no base."""

    def found(row: Row[Entry]) -> Iterator[Tuple]:
        shape = shape_of(row)
        numbers = ("row-stride", "row-padding", "element-stride", "alignment", "base-and-offset")
        own = [axis for axis in numbers if axis in packed_axes]
        kinds = "rowed-kind" if "rowed-kind" in packed_axes else "fragment-kind"
        known = {*_without_multiple(packed_axes)}
        yield from known
        for side in ("load-orientation", "store-orientation"):
            axes = [axis for axis in (kinds, side, *own) if axis in packed_axes]
            for names in product(*(packed_axes[axis] for axis in axes)):
                thing = dict(zip(axes, names, strict=True))
                if any(pair <= thing.items() for pair in known):
                    continue
                kind = KINDS[thing[kinds]]
                element = shape.elements[0] if kind in ("left", "right") else shape.accumulator
                matrix = Matrix("M", kind, element, shape.m, shape.n, shape.k if kind in ("left", "right") else 0)
                col_major = int(thing.get(side) == "col-major")
                alignments = [ALIGNMENTS[thing["alignment"]]] if "alignment" in thing else ALIGNMENTS.values()
                # Bases are multiples of 16: only of more than that is none a multiple that makes up for the offset.
                most = BASE_STEP if thing.get("base-and-offset") == "compensate" else -1
                if not any(strides_for(matrix, thing, col_major, one) for one in alignments if one > most):
                    yield frozenset(thing.items())
        yield from without_base(frozenset(packed_axes))

    return found


def _without_multiple(packed_axes: Mapping[str, tuple[str, ...]]) -> Iterator[Tuple]:
    """Strides of which none honours the alignment, whatever the matrix."""
    if "row-stride" in packed_axes and "alignment" in packed_axes:
        for stride, alignment in product(packed_axes["row-stride"], packed_axes["alignment"]):
            if not within("row-stride", stride, ALIGNMENTS[alignment] or 4):
                yield frozenset((("row-stride", stride), ("alignment", alignment)))


@cache
def without_base(axes: frozenset[str]) -> tuple[Tuple, ...]:
    """Offset, alignment and base that no view has together."""
    own: list[str] = [axis for axis in ("buffer-offset", "alignment", "base-and-offset") if axis in axes]
    every = {"buffer-offset": OFFSETS, "alignment": tuple(ALIGNMENTS), "base-and-offset": TOGETHER}
    found: list[Tuple] = []
    for names in product(*(every[axis] for axis in own)):
        thing = dict(zip(own, names, strict=True))
        alignments = [ALIGNMENTS[thing["alignment"]]] if "alignment" in thing else ALIGNMENTS.values()
        # Bases depend on where in an allocation unit an offset is, and on whether there is one.
        where = offsets(thing.get("buffer-offset", "to-64"))
        some = {(offset > 0, offset % ALLOCATION): offset for offset in where}.values()
        if not any(bases_for(thing, offset, one) for one in alignments for offset in some):
            found.append(frozenset(thing.items()))
    return tuple(found)


_MATRICES = {
    "rowed-kind": ("left", "right", "accumulator"),
    "load-orientation": ORIENTATIONS,
    "store-orientation": ORIENTATIONS,
}
_FRAGMENTS = {"fragment-kind": ("left-col-acc", "right-row-acc")}
_MATRIX_FOCUS = (
    "WM-LOAD-ALL", "WM-STORE-ALL", "WM-ADDR-ROW", "WM-ADDR-COL", "WM-LOAD-OFFSET-DWORD", "WM-LOAD-STRIDE-MIN",
    "WM-ALIGN-COMBINED", "WM-ALIGN-STRIDE", "WM-STORE-ONLY-ELEMS", "WM-PACK-DIR",
)  # fmt: skip
_FRAGMENT_FOCUS = ("WM-ADDR-FRAG", "WM-FRAG-STRIDE-MIN", "WM-LOAD-OFFSET-DWORD", "WM-ALIGN-COMBINED")


def _packed(
    name: str,
    axes: Mapping[str, tuple[str, ...]],
    focus: tuple[str, ...],
    what: str,
    per_case: int,
    turn: int,
    rules: tuple[str, ...] = (),
) -> Packed:
    groups = (f"{what}-buffer-load", f"{what}-buffer-store")
    return Packed(name, focus, axes, moved, groups, per_case, rules, excluded=without_place(axes), turn=turn)


MATRIX_PLACES = _packed(
    "matrix-places",
    {"buffer-offset": OFFSETS, "row-padding": PADDINGS, "base-and-offset": TOGETHER, **_MATRICES},
    _MATRIX_FOCUS, "matrix", 8, 1,
)  # fmt: skip
"""Offsets, paddings and bases of matrices."""
MATRIX_STRIDES = _packed(
    "matrix-strides",
    {"row-stride": STRIDES, "alignment": tuple(ALIGNMENTS), **_MATRICES},
    _MATRIX_FOCUS, "matrix", 12, 0, LARGE,
)  # fmt: skip
"""Strides and alignments of matrices."""
FRAGMENT_PLACES = _packed(
    "fragment-places",
    {"buffer-offset": OFFSETS, "base-and-offset": TOGETHER, **_FRAGMENTS},
    _FRAGMENT_FOCUS, "fragment", 12, 1,
)  # fmt: skip
"""Offsets and bases of fragments."""
FRAGMENT_STRIDES = _packed(
    "fragment-strides",
    {"element-stride": ELEMENT_STRIDES, "alignment": tuple(ALIGNMENTS), **_FRAGMENTS},
    _FRAGMENT_FOCUS, "fragment", 12, 0,
)  # fmt: skip
"""Strides and alignments of fragments."""
_NEAR = ("zero", "to-64", "at-8-bits", "under-12-bits")
MATRIX_ALIGNMENTS = _packed(
    "matrix-alignments",
    {
        "base-and-offset": TOGETHER, "alignment": tuple(ALIGNMENTS), "row-padding": ("part-of-row", "several-rows"),
        "buffer-offset": _NEAR, **_MATRICES,
    },
    _MATRIX_FOCUS, "matrix", 16, 0,
)  # fmt: skip
"""Bases and offsets of matrices that honour an alignment each alone, together, or only by what they add up to."""
FRAGMENT_ALIGNMENTS = _packed(
    "fragment-alignments",
    {"base-and-offset": TOGETHER, "alignment": tuple(ALIGNMENTS), "buffer-offset": _NEAR, **_FRAGMENTS},
    _FRAGMENT_FOCUS, "fragment", 16, 0,
)  # fmt: skip
"""The same of fragments."""
