"""Constructions from scalars of every bit pattern of interest, and transposes."""

from __future__ import annotations

from typing import Any

from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Literal
from mmaspec.programs.formats import Format, format_named
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import (
    COLUMN_MAJOR,
    ROW_MAJOR,
    USE_A,
    USE_ACCUMULATOR,
    USE_B,
    Convert,
    LoadTensor,
    Matrix,
    SetDimension,
    SetViewDimensions,
    SetViewStride,
    Splat,
    Transpose,
)
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.arrays import destinations, origins
from mmaspec.strategies.nv_coopmat2.arrays.arithmetic import USES, component, scalar
from mmaspec.strategies.nv_coopmat2.arrays.conversions import batch
from mmaspec.strategies.nv_coopmat2.builder.program import LINE, ProgramBuilder
from mmaspec.strategies.nv_coopmat2.features import (
    CONVERTING,
    DECODING,
    PER_ELEMENT,
    REDUCING,
    TENSORS,
    Feature,
    has,
)
from mmaspec.strategies.nv_coopmat2.templates.plain import load, store

NEEDS: dict[str, tuple[Feature, ...]] = {
    **dict.fromkeys(("tensor-load", "view-load", "clipped-load", "tensor-store", "view-store"), TENSORS),
    **dict.fromkeys(("per-element", "per-element-extra"), PER_ELEMENT),
    "decoded-load": DECODING,
    "reduction": REDUCING,
    "dead": CONVERTING,
    "operand-again": CONVERTING,
}
"""Class -> the features of a device without which it cannot be."""


def patterns(fmt: Format) -> dict[str, int]:
    """Class of ``splat-value`` -> bits of a format."""
    top, unsigned = fmt.sign_bit, 1 << (fmt.bits - 1)
    differ = 0x8192_A3B4_C5D6_E7F8 >> 64 - fmt.bits
    if not fmt.is_float:
        least = {"least": top} if fmt.signed else {"high-bit": unsigned | 1}
        large = fmt.max_value & fmt.mask
        return {"zero": 0, "one": 1, "minus-one": fmt.mask, "largest": large, "all-bytes-differ": differ, **least}
    one = fmt.bias << fmt.fraction_bits
    return {
        "minus-zero": top,
        "minus-one": one | top,
        "largest": fmt.largest_magnitude,
        "subnormal": 3,
        "infinity": fmt.infinity_magnitude,
        "nan": fmt.nan_bits | top | 1,
        "all-bytes-differ": differ & ~(1 << fmt.fraction_bits),
    }


def _splatted(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    """Matrices of one use, one for every pattern, and one from memory; two of them are used further."""
    builder = ProgramBuilder(context, most_waves=2)
    use = USES[chosen["use"]]
    table = patterns(format_named(component(builder.entry, chosen["use"])))
    for bits in table.values():
        matrix = builder.matrix(use)
        builder.add(Splat(matrix.name, Literal(bits)), store(builder, matrix))
    found = builder.matrix(use)
    builder.add(Splat(found.name, scalar(builder, found, "memory")), *destinations.drawn(builder, found))
    again = builder.matrix(use)
    bits = table[builder.choices.one_of(("largest", "all-bytes-differ", "minus-one"))]
    builder.add(Splat(again.name, Literal(bits)), *destinations.drawn(builder, again))
    return builder.draft("operands", batch=4)


def _shown(row: Row[Any], _: CoopMatCaps, axis: str, name: str) -> bool:
    """Every row shows the patterns in one use, so that all component types come up."""
    if axis != "use":
        return True
    entry = row.entry
    turn = sum(f"{entry.m}x{entry.n}x{entry.k}{entry.a}{entry.b}".encode()) % 3
    return name == tuple(USES)[turn]


SPLATS = Array(
    name="splats",
    focus=("KHRCM-SPLAT",),
    axes={"use": tuple(USES)},
    build=_splatted,
    fits=_shown,
)
"""One matrix for every bit pattern of interest."""


def _turned(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder = ProgramBuilder(context, most_waves=1)
    entry, again = builder.entry, chosen["transpose-again"]
    rows, cols = entry.m, entry.n
    source = builder.typed(entry.c, rows, cols, USE_ACCUMULATOR)
    turned = Matrix("", entry.b, cols, rows, USE_B, entry.scope)
    result = origins.of_type(builder, entry.b, turned, USE_B)
    if result is None:
        return None
    builder.add(*origins.made(builder, source, chosen["matrix-origin"]))
    if chosen["source-kept"] == "stored-before":
        builder.add(store(builder, source))
    builder.add(Transpose(result.name, source.name))
    if again == "product":
        builder.add(*destinations.used(builder, result, "product-b"))
    else:
        layout = COLUMN_MAJOR if again == "stored-column" else ROW_MAJOR
        builder.add(store(builder, result, layout=layout), *destinations.drawn(builder, result))
    if chosen["source-kept"] == "stored":
        builder.add(store(builder, source))
    regime = "whole" if again == "product" else builder.choices.one_of(("operands", "limits"))
    return builder.draft(regime, batch=batch(source))


TRANSPOSES = Array(
    name="transposes",
    focus=("NVCM2-TRANSPOSE",),
    axes={
        "transpose-again": ("stored-row", "stored-column", "product"),
        "matrix-origin": ("plain-load", "conversion", "negation"),
        "source-kept": ("dead", "stored", "stored-before"),
    },
    build=_turned,
    rows=("transposes",),
)
"""One transpose."""

ORIGINS = (
    "tensor-load", "view-load", "clipped-load", "decoded-load", "product", "arithmetic", "each-component", "reduction",
    "per-element",
)  # fmt: skip
"""Classes of ``matrix-origin`` that an accumulator can have, besides those of the other array."""

DESTINATIONS = (
    "tensor-store", "view-store", "conversion", "arithmetic-left", "arithmetic-right", "negation", "each-component",
    "per-element", "per-element-extra",
)  # fmt: skip
"""Classes of ``result-destination`` that B can have."""


def _with_itself(builder: ProgramBuilder, source: Matrix, result: Matrix) -> None:
    """A product of a matrix and its transpose, where A has its type."""
    entry = builder.entry
    if (entry.a, entry.n, builder.sizes) == (entry.c, entry.m, (entry.m,) * 3):
        a, product = builder.matrix(USE_A), builder.matrix(USE_ACCUMULATOR)
        builder.add(Convert(a.name, source.name), Transpose(result.name, source.name))
        builder.add(builder.mul_add(product, a, result, None), store(builder, product))


def _symmetric(builder: ProgramBuilder, matrix: Matrix) -> LoadTensor:
    """A load that finds in row r and column c what it finds in row c and column r: element r + c of a line."""
    size = matrix.rows
    tensor = builder.layout((SetDimension((2 * size,)),), rank=1)
    view = builder.view((SetViewDimensions((size, size)), SetViewStride((1, 1))), own=True)
    width = format_named(matrix.component).nbytes
    where = builder.region("line", -(-2 * size * width // LINE) * LINE) // width
    return LoadTensor(matrix.name, "line", where, tensor, data=builder.name("Y"), view=view)


def _turned_further(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    """Two transposes of one source, whose result also meets its source in a product; lines of the other are alike."""
    builder = ProgramBuilder(context, most_waves=3)
    entry = builder.entry
    rows, cols = entry.m, entry.n
    source = builder.typed(entry.c, rows, cols, USE_ACCUMULATOR)
    turned = Matrix("", entry.b, cols, rows, USE_B, entry.scope)
    result = origins.of_type(builder, entry.b, turned, USE_B)
    if result is None:
        return None
    builder.add(*origins.made(builder, source, chosen["matrix-origin"]), Transpose(result.name, source.name))
    builder.add(store(builder, result), *destinations.used(builder, result, chosen["result-destination"]))
    if chosen["source-kept"] == "operand-again":
        builder.add(Transpose(result.name, source.name), store(builder, result))
        lines = builder.typed(entry.c, rows, cols, USE_ACCUMULATOR)
        alike = load(builder, lines, layout=builder.choices.one_of((ROW_MAJOR, COLUMN_MAJOR)), repeated=True)
        builder.add(alike, Transpose(result.name, lines.name), store(builder, result))
        if rows == cols and has(builder.caps, TENSORS):
            builder.add(_symmetric(builder, lines), Transpose(result.name, lines.name), store(builder, result))
        # The result of one more is overwritten before anybody uses it.
        builder.add(Transpose(result.name, lines.name), load(builder, result), store(builder, result))
        _with_itself(builder, source, result)
    return builder.draft("whole", batch=2)


def _can(_: Row[Any], caps: CoopMatCaps, __: str, name: str) -> bool:
    return has(caps, NEEDS.get(name, ()))


TRANSPOSED_ANYTHING = Array(
    name="transposes-of-anything",
    focus=("NVCM2-TRANSPOSE",),
    axes={
        "matrix-origin": ORIGINS,
        "result-destination": DESTINATIONS,
        "source-kept": ("dead", "operand-again"),
    },
    build=_turned_further,
    rows=("transposes",),
    fits=_can,
    costly=tuple(f"result-destination={name}" for name in DESTINATIONS),
)
"""One transpose of whatever the row can make, for whoever can use it."""
