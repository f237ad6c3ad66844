"""Near misses of accesses: strides and offsets of plain loads and stores, offsets of tensors, uniform blocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import lcm
from types import MappingProxyType
from typing import Any, Literal

from msgspec.structs import replace

from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Buffer
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import (
    ARRAY_BYTES,
    COLUMN_MAJOR,
    ROW_MAJOR,
    ArrayType,
    Load,
    LoadTensor,
    Matrix,
    Store,
    StoreTensor,
)
from mmaspec.strategies.circumstances import When
from mmaspec.strategies.grammar import Draft, DrawContext, Forms, form_of, in_forms
from mmaspec.strategies.nv_coopmat2.builder.program import LINE, with_program
from mmaspec.strategies.nv_coopmat2.near_misses.edits import at_first, broken, changed, first, followed, number_of
from mmaspec.strategies.nv_coopmat2.near_misses.listed import listed_types

MATRICES: Mapping[str, int] = MappingProxyType({"A": 0, "B": 1, "C": 2, "D": 3, "short": -1})
"""The matrices of the draft: those of a product, in the order of their declaration."""

Words = Literal["", "half", "in shared memory"]


@dataclass(frozen=True, slots=True)
class Plain:
    """One row of a table: a plain access, which argument is wrong, and when."""

    verb: Literal["load", "store"]
    matrix: str
    argument: Literal["offset", "stride"]
    when: When = ""
    layout: int = ROW_MAJOR
    array: ArrayType = ""
    how: Words = ""

    @property
    def name(self) -> str:
        """The form in words."""
        order = "column-major" if self.layout == COLUMN_MAJOR else ""
        array = f"of {self.array}" if self.array else ""
        return ", ".join(
            filter(None, (f"{self.verb} of {self.matrix}", self.argument, order, array, self.how, self.when))
        )


def _placed(context: DrawContext[CoopMatCaps], draft: Draft, way: Plain) -> tuple[Draft, Any, int, int]:
    """The draft with a valid access at its end, the access, and the bytes of its alignment and of its unit."""
    choices, program = context.choices, draft.program
    matrix = program.matrices[MATRICES[way.matrix]]
    width = format_named(matrix.component).nbytes
    unit = ARRAY_BYTES.get(way.array, width)
    line = (matrix.rows if way.layout == COLUMN_MAJOR else matrix.cols) * width
    alignment = min(LINE, line)
    grain = lcm(alignment, unit)
    stride = (-(-line // grain) + choices.integer(0, 2)) * grain
    method = Load if way.verb == "load" else Store
    offset = choices.integer(1, 4) * LINE
    access = method(matrix.name, "extra", offset // unit, stride // unit, way.layout, way.array)
    fields: dict[str, Any] = {"buffers": (*program.buffers, Buffer("extra", 0, LINE * choices.integer(1, 6)))}
    if way.how == "in shared memory":
        fields |= {"shared": ("extra",), "waves": 1}
    return followed(draft, access, **fields), access, alignment, unit


def unaligned(context: DrawContext[CoopMatCaps], draft: Draft, way: Plain) -> Draft | None:
    """The offset or the stride one element, or half the alignment, too large."""
    placed, access, alignment, unit = _placed(context, draft, way)
    more = alignment // 2 // unit if way.how == "half" else 1
    if more * unit % alignment == 0:
        return None
    right = getattr(access, way.argument)
    return broken(placed, len(placed.program.body) - 1, way.argument, (right, right + more), way.when)


def stride_zero(context: DrawContext[CoopMatCaps], draft: Draft, way: Plain) -> Draft:
    """A store with stride 0."""
    placed, access, _, _ = _placed(context, draft, way)
    return broken(placed, len(placed.program.body) - 1, "stride", (access.stride, 0), way.when)


def in_plain(change: Any, ways: Iterable[Plain], rows: tuple[str, ...] = ()) -> Forms:
    """The near miss with a form for every row of a table."""
    return Forms(tuple(form_of(change, way, way.name, rows) for way in ways))


ZEROS = (
    Plain("store", "D", "stride"),
    Plain("store", "D", "stride", layout=COLUMN_MAJOR),
    Plain("store", "A", "stride"),
    Plain("store", "B", "stride"),
    Plain("store", "D", "stride", "at run time"),
    Plain("store", "D", "stride", "first wave"),
    Plain("store", "D", "stride", "last wave"),
    Plain("store", "D", "stride", "first pass"),
    Plain("store", "D", "stride", "last pass"),
)
"""KHRCM-STRIDE-ZERO."""

UNALIGNED = (
    *(Plain("load", matrix, argument) for matrix in "AB" for argument in ("offset", "stride")),
    Plain("load", "C", "offset", "first wave"),
    Plain("load", "C", "stride", "first pass"),
    Plain("store", "D", "offset"),
    Plain("store", "D", "stride"),
    Plain("store", "A", "offset"),
    Plain("store", "B", "stride"),
    Plain("load", "B", "stride", layout=COLUMN_MAJOR),
    Plain("store", "D", "stride", layout=COLUMN_MAJOR),
    Plain("load", "C", "offset", array="uint"),
    Plain("store", "D", "stride", array="uint"),
    Plain("load", "C", "offset", how="half"),
    Plain("load", "A", "stride", "at run time"),
    Plain("store", "D", "offset", "at run time"),
    Plain("load", "B", "offset", "last wave"),
    Plain("store", "D", "offset", "last wave"),
    Plain("load", "C", "offset", "last pass"),
    Plain("store", "D", "stride", "last pass"),
)
"""KHRCM-ALIGN."""

SHORT = (
    Plain("load", "short", "offset"),
    Plain("store", "short", "offset", "last wave"),
    Plain("store", "short", "stride", "last pass"),
    Plain("load", "short", "offset", layout=COLUMN_MAJOR),
    Plain("store", "short", "stride", layout=COLUMN_MAJOR),
)
"""KHRCM-ALIGN, of a matrix whose rows are shorter than a line of 16 bytes."""


def _short(caps: CoopMatCaps, entry: Any) -> list[Matrix]:
    """The matrices that programs of a row may have whose rows are shorter than a line, and longer than one element."""
    found = []
    for matrix in listed_types(caps, entry):
        nbytes = format_named(matrix.component).nbytes
        if nbytes < matrix.cols * nbytes < LINE:
            found.append(matrix)
    return found


def short_rows(context: DrawContext[CoopMatCaps], draft: Draft, way: Plain) -> Draft | None:
    """An unaligned access of such a matrix, which stands last."""
    found = _short(context.caps, context.row.entry)
    if not found:
        return None
    return unaligned(context, followed(draft, matrices=(replace(context.choices.one_of(found), name="short"),)), way)


def has_short(row: Row[Any], caps: CoopMatCaps) -> bool:
    """Whether there is such a matrix."""
    return bool(_short(caps, row.entry))


SHORT_ROWS = Forms(tuple(form_of(short_rows, way, way.name, (), has_short) for way in SHORT))

SHARED = (
    Plain("load", "C", "offset", array="uint", how="in shared memory"),
    Plain("store", "D", "stride", array="uint", how="in shared memory"),
)
"""KHRCM-ALIGN, in shared memory."""

Tensor = tuple[type, str, When]
"""A tensor access, what is wrong with its offset, and when."""


def tensor_offset(_: DrawContext[CoopMatCaps], draft: Draft, wrong: Tensor) -> Draft:
    """The offset of a tensor access an element, or half the alignment, too large."""
    kind, how, when = wrong
    access = first(draft, kind)
    width = format_named(draft.program.matrix(access.matrix).component).nbytes
    right = at_first(draft, access.offset)
    if how == "of uint":
        right, width = right * width // 4, 4
        draft = changed(draft, kind, array="uint", offset=right)
    more = LINE // 2 // width if how == "half" else 1
    return broken(draft, number_of(draft, kind), "offset", (right, right + more), when)


_TENSORS: tuple[Tensor, ...] = (
    *((kind, how, "") for kind in (LoadTensor, StoreTensor) for how in ("", "of uint")),
    *((kind, "", "at run time") for kind in (LoadTensor, StoreTensor)),
    (StoreTensor, "half", "first pass"),
    (LoadTensor, "", "last wave"),
    (StoreTensor, "", "last wave"),
    (StoreTensor, "", "first wave"),
    (LoadTensor, "", "last pass"),
    (StoreTensor, "", "last pass"),
)
TENSOR_OFFSETS: Mapping[str, Tensor] = MappingProxyType(
    {
        ", ".join(filter(None, ("load" if each[0] is LoadTensor else "store", each[1], each[2]))): each
        for each in _TENSORS
    }
)
"""NVCM2-BASE-ALIGN."""


def uniform_block(_: DrawContext[CoopMatCaps], draft: Draft, kind: type) -> Draft | None:
    """One access of a uniform block, which nothing else touches."""
    program = draft.program
    if not any(isinstance(step, kind) for step in program.body):
        return None
    grown = with_program(draft, replace(program, buffers=(*program.buffers, Buffer("block", 0)), uniform=("block",)))
    return changed(grown, kind, buffer="block")


PLAIN_BLOCKS = in_forms(uniform_block, {"load from a uniform block": Load, "store into a uniform block": Store})
TENSOR_BLOCKS = in_forms(
    uniform_block,
    {"tensor load from a uniform block": LoadTensor, "tensor store into a uniform block": StoreTensor},
)
"""KHRCM-STORAGE."""

LAYOUTS = tuple((kind, layout) for kind in (Load, Store) for layout in (2, 0xFFFF_FFFF))


def nameless_layout(_: DrawContext[CoopMatCaps], draft: Draft, wrong: tuple[type, int]) -> Draft:
    """A memory layout that has no name."""
    kind, layout = wrong
    return changed(draft, kind, layout=layout)
