"""Loads and stores of groupshared arrays, each with classes of its own: where it lies, and with which stride.

Every thing is a matrix, loaded from an array that was staged for it and stored into the array at a place of the same
classes, which is then copied out whole. Matrices of one element type share an array in turn, barriers between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product

from msgspec.structs import replace

from mmaspec.oracle.hlsl_wave_matrix.addresses import cells, least_stride
from mmaspec.oracle.hlsl_wave_matrix.rows import Entry
from mmaspec.oracle.spec import Row
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import (
    Barrier,
    Instruction,
    Load,
    Matrix,
    SharedArray,
    Stage,
    Store,
    Unstage,
)
from mmaspec.strategies.covering import Tuple
from mmaspec.strategies.grammar import Chosen, Draft, DrawContext
from mmaspec.strategies.hlsl_wave_matrix.arrays.buffer_accesses import KINDS, ORIENTATIONS
from mmaspec.strategies.hlsl_wave_matrix.arrays.buffer_places import lines
from mmaspec.strategies.hlsl_wave_matrix.arrays.numbers import reaching, within
from mmaspec.strategies.hlsl_wave_matrix.arrays.packed import Packed
from mmaspec.strategies.hlsl_wave_matrix.builder.program import ProgramBuilder, shape_of
from mmaspec.strategies.hlsl_wave_matrix.builder.shared_arrays import GROUP_BYTES

PADDINGS = ("none", "least", "part-of-row", "one-row", "several-rows")
OFFSETS = reaching("shared-offset", 1 << 14)
Place = tuple[int, int, int]
"""Offset, stride and orientation."""


def through_arrays(context: DrawContext[WaveMmaCaps], things: tuple[Chosen, ...]) -> Draft | None:
    """One matrix after the other: staged, loaded, stored where it was, copied out."""
    builder = ProgramBuilder(context)
    choices = context.choices
    source, target = builder.room("in", read_only=choices.chance(50)), builder.room("out")
    places: list[tuple[Matrix, Place, Place]] = []
    lengths: dict[str, int] = {}
    for number, thing in enumerate(things):
        matrix = builder.matrix(KINDS[thing.get("rowed-kind") or thing["fragment-kind"]], f"M{number}")
        found = _place(choices.one_of, matrix, thing, thing.get("load-orientation"))
        into = _place(choices.one_of, matrix, thing, thing.get("store-orientation"))
        if found is None or into is None:
            return None
        places.append((matrix, found, into))
        ends = [_end(matrix, place) for place in (found, into)]
        lengths[matrix.element] = max(lengths.get(matrix.element, 0), *ends)
    arrays = {element: _array(element, length) for element, length in lengths.items()}
    if sum(_bytes(array) for array in arrays.values()) > GROUP_BYTES:
        return None
    body: list[Instruction] = []
    for matrix, found, into in places:
        array = arrays[matrix.element]
        stage, unstage = Stage(array.name, source, 0, array.length), Unstage(array.name, target, 0, array.length)
        stage = replace(stage, start=_room(builder, source, array))
        unstage = replace(unstage, start=_room(builder, target, array))
        body += [stage, Barrier(), Load(matrix.name, array.name, *found, data=matrix.name), Barrier()]
        body += [Store(matrix.name, array.name, *into), Barrier(), unstage, Barrier()]
    builder.arrays += arrays.values()
    return builder.draft(body[:-1], "distinct", batch=2)


def _place(
    pick: Callable[[Sequence[int]], int], matrix: Matrix, thing: Chosen, orientation: str | None
) -> Place | None:
    col_major = int(orientation == "col-major")
    found = list(places_for(matrix, thing, col_major))
    if not found:
        return None
    offset = pick([offset for offset, _ in found])
    return offset, pick([stride for one, stride in found if one == offset]), col_major


def places_for(matrix: Matrix, thing: Chosen, col_major: int) -> Iterator[tuple[int, int]]:
    """Offsets and strides with the classes of a thing that leave the access within the memory of a group."""
    # Halves need whole dwords in copies; half of the memory is left to the array of another element type.
    most = GROUP_BYTES // (FORMATS[matrix.element].nbytes * cells(matrix.element))
    offsets = within("shared-offset", thing.get("shared-offset", "to-15"))
    for stride in _strides(matrix, thing, col_major):
        room = most - 2 - _end(matrix, (0, stride, col_major))
        yield from ((offset, stride) for offset in offsets[:8] if offset <= room)


def _strides(matrix: Matrix, thing: Chosen, col_major: int) -> Sequence[int]:
    least = least_stride(matrix, col_major, shared=True)
    if matrix.is_fragment:
        return within("shared-element-stride", thing.get("shared-element-stride", "three"))
    if "shared-row-stride" in thing:
        return [stride for stride in within("shared-row-stride", thing["shared-row-stride"]) if stride >= least]
    return {
        "none": range(least, least + 1),
        "least": range(least + 1, least + 2),
        "part-of-row": range(least + 2, 2 * least),
        "one-row": range(2 * least, 2 * least + 1),
        "several-rows": range(2 * least + 1, 3 * least),
    }[thing["shared-row-padding"]]


def _end(matrix: Matrix, place: Place) -> int:
    """One beyond the last array element."""
    offset, stride, col_major = place
    width = 1 if matrix.is_fragment else least_stride(matrix, col_major, shared=True)
    return offset + (lines(matrix, col_major) - 1) * stride + width


def _array(element: str, length: int) -> SharedArray:
    """Two-byte elements are copied in whole dwords."""
    return SharedArray(f"shared-{element}", element, length + length % 2)  # type: ignore[arg-type]


def _bytes(array: SharedArray) -> int:
    return array.length * FORMATS[array.element].nbytes * cells(array.element)


def _room(builder: ProgramBuilder, buffer: str, array: SharedArray) -> int:
    """A place of its own in a buffer for the whole of an array."""
    room = builder.rooms[buffer]
    start = room.used + 4 * builder.choices.integer(1, 6)
    room.used = start + _bytes(array)
    return start


def without_place(axes: Mapping[str, tuple[str, ...]]) -> Callable[[Row[Entry]], Iterator[Tuple]]:
    """What may not meet in a row: classes that no place in the memory of a group has."""

    def found(row: Row[Entry]) -> Iterator[Tuple]:
        shape = shape_of(row)
        kinds = "rowed-kind" if "rowed-kind" in axes else "fragment-kind"
        own = [axis for axis in axes if axis not in ("load-orientation", "store-orientation")]
        for side in ("load-orientation", "store-orientation"):
            asked = [*own, side] if side in axes else own
            for names in product(*(axes[axis] for axis in asked)):
                thing = dict(zip(asked, names, strict=True))
                kind = KINDS[thing[kinds]]
                factor = kind in ("left", "right")
                element = shape.elements[0] if factor else shape.accumulator
                matrix = Matrix("M", kind, element, shape.m, shape.n, shape.k if factor else 0)
                if next(places_for(matrix, thing, int(thing.get(side) == "col-major")), None) is None:
                    yield frozenset(thing.items())

    return found


_MATRICES = {
    "rowed-kind": ("left", "right", "accumulator"),
    "load-orientation": ORIENTATIONS,
    "store-orientation": ORIENTATIONS,
}
_FRAGMENTS = {"fragment-kind": ("left-col-acc", "right-row-acc")}
_FOCUS = ("WM-ADDR-GS", "WM-LOAD-GS-STRIDE-MIN", "WM-GS-TYPE-MATCH", "WM-PACK-DIR")


def _packed(name: str, axes: Mapping[str, tuple[str, ...]], what: str, alike: str, turn: int) -> Packed:
    groups = (f"{what}-shared-load", f"{what}-shared-store")
    per_case = 8
    focus = _FOCUS if what == "matrix" else ("WM-ADDR-GS", "WM-FRAG-STRIDE-MIN")
    return Packed(name, focus, axes, through_arrays, groups, per_case, (), without_place(axes), turn, alike=alike)


SHARED_PLACES = _packed(
    "shared-places",
    {"shared-offset": OFFSETS, "shared-row-padding": PADDINGS, **_MATRICES},
    "matrix", "rowed-kind", 0,
)  # fmt: skip
"""Offsets and paddings of matrices."""
SHARED_STRIDES = _packed(
    "shared-strides",
    {"shared-row-stride": reaching("shared-row-stride", 2048), **_MATRICES},
    "matrix", "rowed-kind", 1,
)  # fmt: skip
"""Strides of matrices."""
SHARED_FRAGMENT_PLACES = _packed("shared-fragment-places", {"shared-offset": OFFSETS, **_FRAGMENTS}, "fragment", "", 0)
"""Offsets of fragments."""
SHARED_FRAGMENT_STRIDES = _packed(
    "shared-fragment-strides",
    {"shared-element-stride": reaching("shared-element-stride", 2048), **_FRAGMENTS},
    "fragment", "", 0,
)  # fmt: skip
"""Strides of fragments."""
