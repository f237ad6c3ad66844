"""The layout of an access, its setters and its region of a buffer, made from chosen classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import prod

from mmaspec.programs.base import Affine, Index
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.program import (
    CLAMP_TO_EDGE,
    CONSTANT,
    MIRROR_REPEAT,
    REPEAT,
    UNDEFINED,
    ArrayType,
    Decode,
    Echo,
    Matrix,
    Nibbles,
    ScaleAndBytes,
    SetBlockSize,
    SetClampValue,
    SetDimension,
    SetStride,
    Setter,
    Slice,
)
from mmaspec.strategies.grammar import Chosen
from mmaspec.strategies.nv_coopmat2.arrays.extents import RANKS, Extent, Extents, extents, factors, spanned, strides
from mmaspec.strategies.nv_coopmat2.builder.program import LINE, ProgramBuilder

MODES = {
    "undefined": UNDEFINED,
    "constant": CONSTANT,
    "clamp-to-edge": CLAMP_TO_EDGE,
    "repeat": REPEAT,
    "mirror-repeat": MIRROR_REPEAT,
}
"""Classes of ``clamp-mode``."""

ARRAYS: dict[str, ArrayType] = {
    "component": "", "uint8": "uint8_t", "uint16": "uint16_t", "uint": "uint", "uvec2": "uvec2", "uvec4": "uvec4",
}  # fmt: skip
"""Classes of ``array-element``."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The numbers of a layout: every dimension, the size of its blocks, its strides."""

    dims: tuple[Extent, ...]
    blocks: Extents
    strides: Extents
    passes: int
    growth: int = 0
    """By how much the outermost stride grows from wave to wave."""
    waves: int = 1

    @property
    def sizes(self) -> Extents:
        """The dimensions of the tensor."""
        return tuple(dim.size for dim in self.dims)

    @property
    def spans(self) -> Extents:
        """The spans of the slice."""
        return tuple(dim.span for dim in self.dims)

    @property
    def outer_stride(self) -> Affine:
        """The outermost stride of every wave."""
        return Affine(self.strides[0], wave=self.growth)

    @property
    def elements(self) -> int:
        """Elements, or structs, from the first to the last of the tensor."""
        counts = [-(-size // block) for size, block in zip(self.sizes, self.blocks, strict=True)]
        widest = (self.strides[0] + self.growth * (self.waves - 1), *self.strides[1:])
        return sum((count - 1) * stride for count, stride in zip(counts, widest, strict=True)) + 1


def plan(builder: ProgramBuilder, matrix: Matrix, chosen: Chosen, passes: int, *, apart: bool = False) -> Plan:
    """The numbers of the layout that has the chosen classes; ``apart``: every wave has a tensor of its own."""
    rank = RANKS[chosen["tensor-rank"]]
    spans = spanned(factors(matrix.rows, matrix.cols, rank), chosen["slice-spans"])
    moves = {"per-wave": builder.waves - 1, "per-pass": passes - 1}.get(chosen["layout-evaluation"], 0)
    dims = extents(builder.choices, chosen, spans, moves)
    blocks = _blocks(rank, chosen.get("block-shape", "none"))
    padded = chosen["stride-kind"].startswith("padded")
    growth = int(apart and padded and chosen["layout-evaluation"] == "per-wave")
    steps = strides(chosen["stride-kind"], tuple(dim.size for dim in dims), blocks)
    return Plan(dims, blocks, steps, passes, growth, builder.waves)


def _blocks(rank: int, shape: str) -> Extents:
    """Block sizes, no two alike unless they have to be."""
    ones = (1,) * rank
    if shape == "inner":
        return (*ones[1:], 3)
    if shape == "outer":
        return (2, *ones[1:])
    if shape == "square":
        return (*ones[2:], 2, 2)
    if shape == "rectangle":
        return (*ones[2:], 3, 2)
    if shape == "all":
        return (2, 3, 2, 3, 2)[:rank] if rank > 1 else (2,)
    return ones


def decode_for(builder: ProgramBuilder, chosen: Chosen, tensor: Plan) -> Decode | None:
    """The decode function of a class of ``decode-function``."""
    kind, rank = chosen["decode-function"], len(tensor.dims)
    if kind == "none":
        return None
    if kind == "echo-block":
        block, within = (11, 1, 5, 3, 7)[:rank], (3, 5, 1, 7, 2)[:rank]
        return Echo(builder.choices.integer(1, 9), block, within, byte=builder.choices.integer(0, 1))
    count, spare = prod(tensor.blocks), builder.choices.integer(0, 2)
    if kind == "scale-and-bytes":
        return ScaleAndBytes(2 + count + count % 2 + 2 * spare, tensor.blocks)
    return Nibbles(-(-count // 2) + spare, tensor.blocks, 8)


@dataclass(frozen=True, slots=True)
class Where:
    """The array of an access, and the offset in its elements."""

    buffer: str
    offset: Index
    array: ArrayType


def region(
    builder: ProgramBuilder,
    stem: str,
    matrix: Matrix,
    chosen: Chosen,
    tensor: Plan,
    decode: Decode | None,
    *,
    apart: bool,
) -> Where:
    """A new region for a tensor; ``apart``: one for every wave and pass."""
    array = ARRAYS[chosen["array-element"]]
    unit = builder.unit(array, matrix)
    width = format_named(matrix.component).nbytes if decode is None else decode.struct_bytes
    extent = -(-tensor.elements * width // LINE) * LINE
    copies = builder.waves * tensor.passes if apart else 1
    if chosen["region-start"] == "later":
        buffer = builder.buffer(stem)
        start = builder.region(buffer, extent * copies)
    else:
        buffer = builder.name(f"{stem}-own")
        start = LINE if chosen["region-start"] == "one-line" else 0
        builder.used[buffer] = start + extent * copies
    if copies == 1:
        return Where(buffer, builder.argument(start // unit), array)
    per_pass = builder.waves * extent // unit if tensor.passes > 1 else 0
    return Where(buffer, builder.spread(start // unit, extent // unit, per_pass), array)


def setters(builder: ProgramBuilder, matrix: Matrix, chosen: Chosen, tensor: Plan) -> str:
    """The layout that these setters make; its name."""
    kind, again = chosen["layout-evaluation"], chosen["setter-repetition"]

    def written(values: Extents) -> tuple[Index, ...]:
        if kind == "all-run-time":
            return tuple(builder.run_time(value) for value in values)
        return tuple(builder.argument(value) for value in values) if kind == "drawn" else values

    calls = [*_sized(chosen, tensor, written)]
    before = _earlier(again, tensor)
    if before:
        calls.append(Slice(written(before), written(tuple(span + 1 for span in tensor.spans))))
    rest = [dim.offset - earlier for dim, earlier in zip(tensor.dims, before or (0,) * len(tensor.dims), strict=True)]
    cut = _offsets(builder, kind, tuple(rest), written(tuple(rest)))
    start = None
    if again == "copied":
        start = builder.layout(tuple(calls), rank=len(tensor.dims), mode=MODES[chosen["clamp-mode"]])
        calls = []
    calls.append(Slice(cut, written(tensor.spans)))
    if (value := _clamp_value(matrix, chosen.get("clamp-value", "default"))) is not None:
        calls.insert(builder.choices.integer(0, len(calls)), SetClampValue(written((value,))[0]))
    return builder.layout(tuple(calls), rank=len(tensor.dims), mode=MODES[chosen["clamp-mode"]], start=start)


def _earlier(again: str, tensor: Plan) -> Extents:
    """The offsets of an earlier slice, from which the last one goes on or back; none where there is none."""
    if again == "slice-back":
        return tuple(max(0, dim.offset) + 2 for dim in tensor.dims)
    return (-2,) * len(tensor.dims) if again == "slice-twice" else ()


def _offsets(builder: ProgramBuilder, kind: str, offsets: Extents, plain: tuple[Index, ...]) -> tuple[Index, ...]:
    """The offsets of the last slice: as other arguments, read at run time, or the outermost moving."""
    if kind == "run-time-slice":
        return tuple(builder.run_time(offset) for offset in offsets)
    outer = offsets[0]
    if kind == "per-wave":
        return (Affine(outer, wave=1), *plain[1:])
    return (Affine(outer, loop=1), *plain[1:]) if kind == "per-pass" else plain


def _sized(chosen: Chosen, tensor: Plan, written: Callable[[Extents], tuple[Index, ...]]) -> Iterator[Setter]:
    """The setters of blocks, dimensions and strides."""
    again = chosen["setter-repetition"]
    if any(block > 1 for block in tensor.blocks):
        yield SetBlockSize(written(tensor.blocks))
    if again == "dimension-twice":
        yield SetDimension(written(tuple(size + 3 for size in tensor.sizes)))
    yield SetDimension(written(tensor.sizes))
    if again == "stride-twice":
        yield SetStride(written((tensor.strides[0] * 2 + 1, *tensor.strides[1:]) if len(tensor.strides) > 1 else (7,)))
    if chosen["stride-kind"] != "implicit":
        steps = written(tensor.strides)
        yield SetStride((tensor.outer_stride, *steps[1:]) if tensor.growth else steps)


def _clamp_value(matrix: Matrix, kind: str) -> int | None:
    fmt = format_named(matrix.component)
    if kind == "default":
        return None
    if kind == "bytes-differ":
        return 0x3C7B_1942 if fmt.bits < 32 or fmt.is_float else 0x8C7B_1942
    if kind == "all-ones":
        return 0xFFFF_FFFF
    return {"f16": 0xC500, "bf16": 0xC0A0, "f32": 0xC0A0_0000}.get(matrix.component, 0x65)
