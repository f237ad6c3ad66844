"""Tensor loads and stores in which every two classes of layout, view and bounds meet."""

from __future__ import annotations

from typing import Any

from mmaspec.oracle.expect import resolve
from mmaspec.oracle.nv_coopmat2.addresses import addresses
from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Literal
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import USE_A, USE_ACCUMULATOR, USE_B, LoadTensor, Splat, StoreTensor
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.arrays.tensor_layout import MODES, decode_for, plan, region, setters
from mmaspec.strategies.nv_coopmat2.arrays.tensor_view import view_for
from mmaspec.strategies.nv_coopmat2.builder.program import ProgramBuilder
from mmaspec.strategies.nv_coopmat2.features import DECODING, TENSORS, has
from mmaspec.strategies.nv_coopmat2.templates.plain import load, store
from mmaspec.strategies.nv_coopmat2.templates.tensors import OLD_BITS

USES = {"a": USE_A, "b": USE_B, "accumulator": USE_ACCUMULATOR}

LARGEST = 1 << 19
"""Bytes of one buffer: batches of them are held in memory."""

_LAYOUT = {
    "use": tuple(USES),
    "tensor-rank": ("one", "two", "three", "four", "five"),
    "clamp-mode": tuple(MODES),
    "slice-beyond-axes": ("none", "innermost", "outermost", "middle", "all"),
    "slice-beyond-side": ("none", "below", "above", "below-and-above"),
    "slice-beyond-distance": ("none", "one", "within-period", "second-period", "many-periods"),
    "stride-kind": (
        "implicit", "explicit-same", "padded-one", "padded-line", "padded-outer", "inner-two", "inner-odd",
    ),
    "setter-repetition": ("none", "slice-twice", "slice-back", "dimension-twice", "stride-twice", "copied"),
    "layout-evaluation": ("drawn", "per-wave", "per-pass", "run-time-slice", "all-run-time"),
    "array-element": ("component", "uint8", "uint16", "uint", "uvec2", "uvec4"),
    "region-start": ("zero", "one-line", "later"),
    "view-order": (
        "no-view", "identity", "swap-inner", "swap-outer", "reversal", "cycle-left", "cycle-right",
    ),
    "view-has-dimensions": ("without", "with-set", "without-but-set"),
    "clip-rows": ("default", "first", "last", "middle"),
    "clip-columns": ("default", "first", "last", "middle"),
}  # fmt: skip

_RULES = (
    "slice-beyond-axes=none with slice-beyond-side=below|above|below-and-above",
    "slice-beyond-axes=none with slice-beyond-distance=one|within-period|second-period|many-periods",
    "slice-beyond-side=none with slice-beyond-axes=innermost|outermost|middle|all",
    "slice-beyond-side=none with slice-beyond-distance=one|within-period|second-period|many-periods",
    "slice-beyond-distance=none with slice-beyond-axes=innermost|outermost|middle|all",
    # NVCM2-CLAMP-UNDEF
    "clamp-mode=undefined with slice-beyond-axes=innermost|outermost|middle|all",
    "tensor-rank=one with slice-beyond-axes=outermost|middle|all",
    "tensor-rank=two with slice-beyond-axes=middle",
    "tensor-rank=one with stride-kind=padded-one|padded-line|padded-outer",
    "tensor-rank=two with stride-kind=padded-outer",
    "setter-repetition=stride-twice with stride-kind=implicit",
    "view-order=no-view with view-has-dimensions=with-set|without-but-set",
    "view-order=no-view with clip-rows=first|last|middle",
    "view-order=no-view with clip-columns=first|last|middle",
    "tensor-rank=one with view-order=swap-inner|swap-outer|reversal|cycle-left|cycle-right"
    " with view-has-dimensions=without|without-but-set",
    "tensor-rank=two with view-order=cycle-left|cycle-right with view-has-dimensions=without|without-but-set",
    "layout-evaluation=per-wave with slice-beyond-axes=outermost|all",
    "layout-evaluation=per-pass with slice-beyond-axes=outermost|all",
    "tensor-rank=one with layout-evaluation=per-wave|per-pass with slice-beyond-axes=innermost",
)
"""What has no meaning, or would need another word: a slice that moves does not stay as far out of bounds."""


def _fits(_: Row[Any], caps: CoopMatCaps, axis: str, name: str) -> bool:
    needs = DECODING if axis == "decode-function" and name != "none" else TENSORS
    return has(caps, needs)


def _loaded(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder = ProgramBuilder(context, most_waves=3)
    if chosen["layout-evaluation"] == "per-wave":
        builder.waves = max(builder.waves, 2)
    matrix = builder.matrix(USES[chosen["use"]])
    passes = 2 if chosen["layout-evaluation"] == "per-pass" else 1
    tensor = plan(builder, matrix, chosen, passes)
    decode = decode_for(builder, chosen, tensor)
    where = region(builder, "in", matrix, chosen, tensor, decode, apart=False)
    if builder.used[where.buffer] > LARGEST:
        return None  # drawn again, with fewer waves
    name = setters(builder, matrix, chosen, tensor)
    view = view_for(builder, matrix, chosen, tensor)
    access = LoadTensor(
        matrix.name, where.buffer, where.offset, name, where.array, builder.name("T"), view=view, decode=decode
    )
    before = Splat(matrix.name, Literal(OLD_BITS[matrix.component]))
    if passes > 1:
        builder.repeat(passes, before, access, store(builder, matrix, passes=passes))
    else:
        builder.add(before, access, store(builder, matrix))
    return builder.draft("distinct")


def _stored(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder = ProgramBuilder(context, most_waves=3)
    if chosen["layout-evaluation"] == "per-wave":
        builder.waves = max(builder.waves, 2)
    matrix = builder.matrix(USES[chosen["use"]])
    passes = 2 if chosen["layout-evaluation"] == "per-pass" else 1
    tensor = plan(builder, matrix, chosen, passes, apart=True)
    where = region(builder, "out", matrix, chosen, tensor, None, apart=True)
    if builder.used[where.buffer] > LARGEST:
        return None  # drawn again, with fewer waves
    name = setters(builder, matrix, chosen, tensor)
    view = view_for(builder, matrix, chosen, tensor)
    access = StoreTensor(matrix.name, where.buffer, where.offset, name, where.array, view=view)
    if passes > 1:
        builder.repeat(passes, load(builder, matrix, passes=passes), access)
    else:
        builder.add(load(builder, matrix), access)
    draft = builder.draft("distinct")
    return draft if _stores(draft, access, passes) else None


def _stores(draft: Draft, access: StoreTensor, passes: int) -> bool:
    """Whether anything is left to store in every pass, so that something is judged."""
    program = resolve(draft.program, draft.words)
    stored = resolve(access, draft.words)
    return all((addresses(program, stored, turn) >= 0).any() for turn in range(passes))


TENSOR_LOADS = Array(
    name="tensor-loads",
    focus=(
        "NVCM2-LINEAR", "NVCM2-SPANCOORD", "NVCM2-OFFSET", "NVCM2-STRIDE-SUM", "NVCM2-SETSTRIDE", "NVCM2-SLICE",
        "NVCM2-BLOCK", "NVCM2-BYTEADDR", "NVCM2-CLAMP-CONST", "NVCM2-CLAMP-EDGE", "NVCM2-CLAMP-REPEAT",
        "NVCM2-CLAMP-MIRROR", "NVCM2-CLAMP-PERDIM", "NVCM2-VIEW-UNRAVEL", "NVCM2-VIEW-LINEAR", "NVCM2-CLIP-SKIP",
        "NVCM2-DECODE-ADDR",
    ),
    axes={
        **_LAYOUT,
        "slice-spans": ("exact", "inner-short", "inner-long", "outer-short", "outer-long", "same-product"),
        "view-stride-kind": ("implicit", "padded", "zero-outer"),
        "block-shape": ("none", "inner", "outer", "square", "rectangle", "all"),
        "decode-function": ("none", "echo-block", "scale-and-bytes", "nibbles-minus"),
        "clamp-value": ("default", "bytes-differ", "number", "all-ones"),
    },
    build=_loaded,
    rules=(
        *_RULES,
        "view-has-dimensions=without|without-but-set with view-stride-kind=padded|zero-outer",
        "tensor-rank=one with block-shape=outer|square|rectangle|all",
        "block-shape=none with decode-function=scale-and-bytes|nibbles-minus",
        "clamp-value=bytes-differ|number|all-ones with clamp-mode=undefined|clamp-to-edge|repeat|mirror-repeat",
        "clamp-value=bytes-differ|number|all-ones with slice-beyond-axes=none",
    ),
    rows=("addresses",),
    fits=_fits,
)  # fmt: skip
"""Loads."""

TENSOR_STORES = Array(
    name="tensor-stores",
    focus=("NVCM2-CLAMP-STORE-DROP", "NVCM2-STORE-ONLY-ELEMS", "NVCM2-STRIDE-SUM", "NVCM2-CLIP-SKIP"),
    axes={
        **_LAYOUT,
        "slice-spans": ("exact", "inner-long", "outer-long"),
        "slice-beyond-distance": ("none", "one", "within-period"),  # farther out nothing is stored at all
    },
    build=_stored,
    rules=tuple(rule.replace("|second-period|many-periods", "") for rule in _RULES),
    rows=("addresses",),
    fits=_fits,
)
"""Stores: what is out of bounds is dropped in every mode but Undefined."""
