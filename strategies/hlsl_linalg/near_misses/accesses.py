"""Near misses of loads, stores and sums: addresses, strides, alignments, layouts, and what memory there is."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, Literal, NamedTuple

from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_linalg.components import SCALARS, ArrayType
from mmaspec.programs.hlsl_linalg.program import (
    InterlockedAccumulate,
    Layout,
    Load,
    Matrix,
    SharedArray,
    Store,
    VectorAccumulate,
)
from mmaspec.strategies.grammar import Form
from mmaspec.strategies.hlsl_linalg.builder.program import element_bytes, up
from mmaspec.strategies.hlsl_linalg.builder.shared_arrays import OWN
from mmaspec.strategies.hlsl_linalg.builder.sizes import made
from mmaspec.strategies.hlsl_linalg.near_misses.edits import Edit, Where, form, forms, joined, two_waves

OPTIMAL: tuple[Layout, ...] = ("MulOptimal", "OuterProductOptimal")
TURNED: tuple[Layout, ...] = ("MulOptimalTranspose", "OuterProductOptimalTranspose")
FLOATS: tuple[ArrayType, ...] = ("half", "float", "double")


class Way(NamedTuple):
    """One row of a table: an access to a buffer, by how much it is wrong, and when."""

    verb: Literal["load", "store", "sum"]
    matrix: str
    by: int
    when: Where = ""

    @property
    def name(self) -> str:
        """The form in words."""
        words = f"{self.verb} of {self.matrix}, {self.by} bytes on"
        return f"{words}, {self.when}" if self.when else words


KINDS: dict[str, Any] = {"load": Load, "store": Store, "sum": InterlockedAccumulate}


def _access(way: Way, edit: Edit) -> int:
    """The draft's own access, or a new one of a matrix that it only has the other one of."""
    kind = KINDS[way.verb]
    there: Any
    for number, there in enumerate(edit.program.body):
        if isinstance(there, kind) and there.matrix == way.matrix and edit.program.array(there.memory) is None:
            return number
    matrix = edit.program.matrix(way.matrix)
    stride = up(matrix.n * element_bytes(matrix.component), 16)
    step = kind(way.matrix, "extra", 128, stride)
    edit.more(step, buffers=("extra",))
    return next(number for number, one in enumerate(edit.program.body) if one is step)


def _wrong(field: str, way: Way, edit: Edit) -> Edit:
    return edit.wrong(_access(way, edit), field, way.by, way.when)


def in_ways(field: str, ways: Iterable[Way], rows: tuple[str, ...] = ()) -> tuple[Form, ...]:
    """A form for every row of a table, of one argument."""
    return tuple(
        form(way.name, partial(_wrong, field, way), rows, two_waves if way.when.endswith("wave") else None)
        for way in ways
    )


def _by_view(verb: Literal["load", "store", "sum"], matrix: str, by: int, edit: Edit) -> Edit:
    number = _access(Way(verb, matrix, 0), edit)
    return edit.rebased(edit.step(number).memory, by)


def _group(by: int, field: str, edit: Edit) -> Edit:
    """A load of a matrix of ThreadGroup scope."""
    matrix = edit.matrix("A", scope="ThreadGroup")
    stride = up(matrix.n * element_bytes(matrix.component), 16)
    step = Load("X", "extra", 0, stride)
    edit.more(step, matrices=(matrix,), buffers=("extra",))
    return edit.wrong(edit.find(Load, "X"), field, by)


STRIDE_16 = joined(
    in_ways(
        "stride",
        (
            Way("load", "A", 10),
            Way("load", "B", 6),
            Way("load", "C", 2),
            Way("store", "C", 6),
            Way("store", "C", 10),
            Way("store", "A", 14),
            Way("load", "A", 1),
            Way("load", "A", 6, "at run time"),
            Way("store", "C", 10, "at run time"),
            Way("load", "B", 10, "last wave"),
            Way("load", "B", 10, "first wave"),
            Way("store", "C", 6, "last wave"),
            Way("load", "C", 10, "last pass"),
            Way("store", "C", 10, "first pass"),
            Way("load", "A", 10, "in a branch"),
        ),
    ),
    forms({"load at ThreadGroup scope, 6 bytes on": partial(_group, 6, "stride")}),
)
"""LINALG-STRIDE-16. No number of bytes here, or below, is a multiple of four: a later proposal takes those."""

BASE_ALIGN = joined(
    in_ways(
        "offset",
        (
            Way("load", "A", 66),
            Way("load", "B", 18),
            Way("load", "C", 6),
            Way("store", "C", 66),
            Way("store", "C", 18),
            Way("store", "B", 34),
            Way("load", "A", 1),
            Way("load", "A", 66, "at run time"),
            Way("store", "C", 34, "at run time"),
            Way("load", "B", 66, "last wave"),
            Way("load", "A", 66, "first wave"),
            Way("store", "C", 66, "last wave"),
            Way("load", "C", 66, "last pass"),
            Way("store", "C", 66, "first pass"),
            Way("load", "A", 66, "in a branch"),
        ),
    ),
    forms(
        {
            "load of A, by the view's address": partial(_by_view, "load", "A", 64),
            "load of B, by the view's address": partial(_by_view, "load", "B", 16),
            "store of C, by the view's address": partial(_by_view, "store", "C", 32),
            "load at ThreadGroup scope, 66 bytes on": partial(_group, 66, "offset"),
        }
    ),
)
"""LINALG-BASE-ALIGN."""

ACC_BASE = joined(
    in_ways(
        "offset",
        (
            Way("sum", "C", 34),
            Way("sum", "C", 18),
            Way("sum", "C", 6),
            Way("sum", "C", 34, "at run time"),
            Way("sum", "C", 34, "last wave"),
            Way("sum", "C", 50, "first wave"),
            Way("sum", "C", 34, "last pass"),
            Way("sum", "C", 18, "in a branch"),
        ),
    ),
    forms({"by the view's address": partial(_by_view, "sum", "C", 16)}),
)
"""LINALG-ACC-BASE."""


def _aligned(verb: Literal["load", "store", "sum"], matrix: str, align: int, edit: Edit) -> Edit:
    return edit.set(_access(Way(verb, matrix, 0), edit), align=align)


def _sums(_: Any, caps: Any) -> bool:
    """Whether matrices of the first type that can be made are added in buffers."""
    (first, *_) = made(caps)
    return any(one.component == first and one.buffers for one in caps.atomics)


ALIGN = joined(
    forms(
        {
            f"{verb} of {matrix}, {align}": partial(_aligned, verb, matrix, align)  # type: ignore[arg-type]
            for verb, matrix, align in (
                ("load", "A", 66),
                ("load", "B", 18),
                ("load", "C", 1),
                ("load", "A", 102),
                ("load", "B", 190),
                ("store", "C", 62),
                ("store", "C", 2),
                ("store", "A", 34),
                ("store", "C", 127),
            )
        }
    ),
    forms({"sum of C, 65": partial(_aligned, "sum", "C", 65)}, possible=_sums),
)
"""LINALG-ALIGN. None is a multiple of four either (LINALG-AMB-35)."""


def _laid(verb: Literal["load", "store", "sum"], matrix: str, layout: Layout, edit: Edit) -> Edit:
    return edit.set(_access(Way(verb, matrix, 0), edit), layout=layout, stride=0)


def _laid_in_array(kind: type, layout: Layout, edit: Edit) -> Edit:
    return edit.set(edit.find(kind, "D"), layout=layout, stride=0)


def _transposes(_: Any, caps: Any) -> bool:
    """Whether matrices of the first type that can be made are loaded through transposed layouts somewhere."""
    (first, *_) = made(caps)
    return any(one.matrix == first and one.transpose for one in caps.vector_products)


LOAD_LAYOUT = joined(
    forms(
        {
            "A as MulOptimal": partial(_laid, "load", "A", "MulOptimal"),
            "B as MulOptimal": partial(_laid, "load", "B", "MulOptimal"),
            "C as OuterProductOptimal": partial(_laid, "load", "C", "OuterProductOptimal"),
            "A as OuterProductOptimal": partial(_laid, "load", "A", "OuterProductOptimal"),
            "D from an array as MulOptimal": partial(_laid_in_array, Load, "MulOptimal"),
        }
    ),
    forms(
        {
            "A as MulOptimalTranspose": partial(_laid, "load", "A", "MulOptimalTranspose"),
            "B as OuterProductOptimalTranspose": partial(_laid, "load", "B", "OuterProductOptimalTranspose"),
        },
        possible=_transposes,
    ),
)
"""LINALG-LOAD-LAYOUT."""

STORE_LAYOUT = joined(
    forms(
        {
            **{f"C as {one}": partial(_laid, "store", "C", one) for one in (*OPTIMAL, *TURNED)},
            "A as MulOptimal": partial(_laid, "store", "A", "MulOptimal"),
            "D to an array as OuterProductOptimal": partial(_laid_in_array, Store, "OuterProductOptimal"),
            "D to an array as MulOptimalTranspose": partial(_laid_in_array, Store, "MulOptimalTranspose"),
        }
    )
)
"""LINALG-STORE-LAYOUT."""


def _native(row: Any, _: Any) -> bool:
    """Whether vectors of the type are added."""
    return row.entry.answer.component in OWN


def _to_read_only(matrix: str, buffer: str, edit: Edit) -> Edit:
    """A store into a buffer of its own, or into one that a load reads."""
    source = edit.program.matrix(matrix)
    stride = up(source.n * element_bytes(source.component), 16)
    base = next((one.base for one in edit.program.buffers if one.name == buffer), 0)
    step = Store(matrix, buffer, -base % 128 + 128, stride)
    edit.more(step, **({} if base else {"read_only": (buffer,)}))  # type: ignore[arg-type]
    return edit.read_only(buffer) if base else edit


def _summed_read_only(buffer: str, edit: Edit) -> Edit:
    edit.find(InterlockedAccumulate if buffer == "sum" else VectorAccumulate)
    return edit.read_only(buffer)


STORE_TARGET = joined(
    forms(
        {
            "store of C": partial(_to_read_only, "C", "extra"),
            "store of A": partial(_to_read_only, "A", "extra"),
            "store of B": partial(_to_read_only, "B", "extra"),
            "store of C into what a load reads": partial(_to_read_only, "C", "in-A"),
        },
        rows=("untyped",),
    ),
    forms({"sum of a Thread matrix": partial(_summed_read_only, "sum")}, rows=("outer",)),
    forms({"sum of a matrix": partial(_summed_read_only, "sum")}, rows=("matrix-sums",)),
    forms(
        {"sum of a vector": partial(_summed_read_only, "sum-x")},
        rows=("buffer-sums",),
        possible=_native,
    ),
)
"""LINALG-STORE-TARGET."""


def _other_array(kind: type, element: ArrayType, width: int, edit: Edit) -> Edit | None:
    """An array of floats of another type than the matrix's."""
    component = edit.program.matrix("D").component
    if OWN.get(component) == element:
        element = edit.one_of(one for one in FLOATS if one != element)
    step = edit.step(edit.find(kind, "D"))
    nbytes = (step.offset + step.stride * edit.program.matrix("D").m) * element_bytes(component)
    length = nbytes // (FORMATS[SCALARS[element]].nbytes * max(width, 1)) + 1
    return edit.more(
        kind("D", "other", step.offset, step.stride), arrays=(SharedArray("other", element, length, width),)
    )


GS_TYPE = joined(
    forms(
        {
            f"{kind.__name__} of {element}" + (f"{width}" if width else ""): partial(_other_array, kind, element, width)  # type: ignore[arg-type]
            for kind, element, width in (
                (Load, "half", 0),
                (Load, "float", 0),
                (Load, "double", 4),
                (Load, "float", 4),
                (Store, "half", 8),
                (Store, "float", 0),
                (Store, "double", 0),
            )
        }
    )
)
"""LINALG-GS-TYPE."""


def _in_array(kind: type, field: str, nbytes: int, when: Where, edit: Edit) -> Edit | None:
    """An argument of an access to an array that is so many bytes more, and the array is long enough."""
    size = element_bytes(edit.program.matrix("D").component)
    number = edit.find(kind, "D")
    step = edit.step(number)
    for array in edit.program.arrays:
        edit.declare(array.name, length=4 * array.length + 256)
    del step
    return edit.wrong(number, field, max(1, nbytes // size), when)


_ARRAY_WAYS: tuple[tuple[type, str, int, Where], ...] = (
    (Load, "offset", 64, ""),
    (Load, "offset", 16, ""),
    (Load, "offset", 1, ""),
    (Store, "offset", 64, ""),
    (Store, "offset", 8, ""),
    (Load, "stride", 8, ""),
    (Store, "stride", 8, ""),
    (Store, "stride", 1, ""),
    (Load, "offset", 64, "at run time"),
    (Store, "stride", 8, "at run time"),
    (Load, "offset", 64, "last wave"),
    (Load, "stride", 8, "first wave"),
    (Load, "offset", 32, "last pass"),
)
GS_ALIGN = joined(
    tuple(
        form(
            ", ".join(filter(None, (f"{kind.__name__}, {field} {nbytes} bytes on", when))),
            partial(_in_array, kind, field, nbytes, when),
            possible=two_waves if when.endswith("wave") else None,
        )
        for kind, field, nbytes, when in _ARRAY_WAYS
    )
)
"""LINALG-GS-ALIGN."""


def _too_small(how: str, edit: Edit) -> Edit | None:
    """A matrix stored to an array that it does not fit into."""
    matrix: Matrix = edit.program.matrix("D")
    number = edit.find(Store, "D")
    step, size = edit.step(number), element_bytes(matrix.component)
    element: ArrayType = OWN.get(matrix.component, "uint")
    width = FORMATS[SCALARS[element]].nbytes
    layout: Layout = "RowMajor"
    offset, lines, line = step.offset, matrix.m, matrix.n
    if how == "column-major":
        layout, lines, line = "ColMajor", matrix.n, matrix.m
    stride = up(line * size, 16) // size
    end = (offset + (lines - 1) * stride + line) * size
    wide = 4 if how == "vectors" else 1
    length = -(-end // (width * wide)) - 1
    if how == "by the offset":
        length, offset = length + 1, offset + 128
    elif how == "far":
        offset += 1 << 24
    elif how == "half":
        length //= 2
    if length < 1:
        return None
    array = SharedArray("small", element, length, wide if wide > 1 else 0)
    return edit.more(Store("D", "small", offset, stride, layout), arrays=(array,))


STORE_GS_SIZE = joined(
    forms(
        {
            how: partial(_too_small, how)
            for how in ("an element short", "column-major", "vectors", "by the offset", "far", "half")
        }
    )
)
"""LINALG-STORE-GS-SIZE."""


VEC_ACC_ALIGN = joined(
    forms(
        {
            **{
                f"alignment {align}": partial(
                    lambda align, edit: edit.set(edit.find(VectorAccumulate), align=align), align
                )
                for align in (1, 4, 16, 32, 63)
            },
            **{
                f"{by} bytes on{', ' if when else ''}{when}": partial(
                    lambda by, when, edit: edit.wrong(edit.find(VectorAccumulate), "offset", by, when), by, when
                )
                for by, when in ((32, ""), (4, ""), (16, "at run time"), (32, "other lanes"), (32, "last pass"))
            },
            "by the view's address": lambda edit: edit.rebased("sum-x", 16),
        },
        possible=_native,
    ),
    forms(
        {
            "32 bytes on, last wave": lambda edit: edit.wrong(edit.find(VectorAccumulate), "offset", 32, "last wave"),
        },
        possible=lambda row, caps: _native(row, caps) and two_waves(row, caps),
    ),
)
"""LINALG-VEC-ACC-ALIGN."""
