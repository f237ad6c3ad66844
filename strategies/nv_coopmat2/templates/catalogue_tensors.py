"""The templates of tensor layouts, views, blocks and decode functions: their parts, and the clauses they are about."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mmaspec.strategies.grammar import Template
from mmaspec.strategies.nv_coopmat2.features import DECODING, TENSORS, Feature
from mmaspec.strategies.nv_coopmat2.templates import blocks, samples, tensors, views
from mmaspec.strategies.nv_coopmat2.templates.moving import Part, moved

WHERE = ("addresses",)
"""Addresses depend on the width of the component and on the scope: the first row of each shows them."""

SCOPE = ("workgroup",)
"""The document's examples have matrices of workgroup scope."""

TENSOR_TEMPLATES: tuple[Template, ...] = (
    Template(
        "tensor-region",
        ("NVCM2-LINEAR", "NVCM2-SETDIM", "NVCM2-OFFSET", "NVCM2-SETSTRIDE", "NVCM2-STRIDE-SUM", "NVCM2-SLICE"),
        moved(tensors.region, tensors.strided, needs=TENSORS),
        WHERE,
    ),
    Template(
        "tensor-setters",
        ("NVCM2-FUNCTIONAL", "NVCM2-SETDIM-ORDER"),
        moved(tensors.derived, tensors.redimensioned, needs=TENSORS),
        WHERE,
    ),
    Template(
        "tensor-span",
        ("NVCM2-SPANCOORD", "NVCM2-BYTEADDR"),
        moved(tensors.larger_than_span, tensors.other_elements, needs=TENSORS),
        WHERE,
    ),
    Template(
        "clamp-constant",
        ("NVCM2-CLAMP-CONST", "NVCM2-CLAMPVALUE", "NVCM2-CREATE-LAYOUT", "NVCM2-LOAD-INOUT"),
        moved(tensors.clamped_constant, needs=TENSORS),
        WHERE,
    ),
    Template("clamp-wide", ("NVCM2-CLAMP-CONST",), moved(tensors.clamped_constant, needs=TENSORS), ("wide",)),
    Template(
        "clamp-coordinates",
        ("NVCM2-CLAMP-EDGE", "NVCM2-CLAMP-REPEAT", "NVCM2-CLAMP-MIRROR", "NVCM2-CLAMP-PERDIM"),
        moved(tensors.clamped_coordinates, needs=TENSORS),
        WHERE,
    ),
    Template(
        "store-dropped",
        ("NVCM2-CLAMP-STORE-DROP", "NVCM2-STORE-ONLY-ELEMS"),
        moved(tensors.dropped, needs=TENSORS),
        WHERE,
    ),
    Template("tensor-axes", ("NVCM2-LINEAR", "NVCM2-SPANCOORD"), moved(views.many_axes, needs=TENSORS), WHERE),
    Template(
        "view-axes",
        ("NVCM2-CREATE-VIEW", "NVCM2-VIEW-UNRAVEL", "NVCM2-VIEW-LINEAR", "NVCM2-SETVIEWDIM", "NVCM2-VIEW-TRANSPOSE"),
        moved(views.transposed, views.transposed_part, views.cycled, needs=TENSORS),
        WHERE,
    ),
    Template(
        "view-strides",
        ("NVCM2-SETVIEWSTRIDE", "NVCM2-SETVIEWDIM", "NVCM2-SPACE2DEPTH"),
        moved(views.strided, views.depth, views.other_depth, needs=TENSORS),
        WHERE,
    ),
    Template(
        "view-clip",
        ("NVCM2-SETCLIP", "NVCM2-CLIP-SKIP", "NVCM2-CLIP-INDEX"),
        moved(views.clipped, views.clipped_beyond, views.clipped_from, needs=TENSORS),
        WHERE,
    ),
    Template(
        "view-setters",
        ("NVCM2-FUNCTIONAL", "NVCM2-VIEW-IDENTITY"),
        moved(views.derived, views.unchanged, needs=TENSORS),
        WHERE,
    ),
    Template(
        "blocks",
        ("NVCM2-SETBLOCK", "NVCM2-BLOCK", "NVCM2-SETDIM"),
        moved(blocks.undecoded, blocks.partial_blocks, needs=TENSORS),
        WHERE,
    ),
    Template(
        "blocks-late",
        ("NVCM2-SETBLOCK", "NVCM2-SETDIM-ORDER", "NVCM2-SETDIM"),
        moved(blocks.blocked_late, blocks.partial_rows, needs=TENSORS),
        WHERE,
    ),
    Template(
        "decode",
        ("NVCM2-DECODE-ADDR", "NVCM2-BLOCK"),
        moved(blocks.decoded, blocks.decoded_view, needs=DECODING),
        WHERE,
    ),
    Template(
        "sample-loads",
        ("NVCM2-LINEAR", "NVCM2-VIEW-UNRAVEL", "NVCM2-VIEW-LINEAR", "NVCM2-VIEW-TRANSPOSE", "NVCM2-SPACE2DEPTH"),
        moved(samples.row_major, samples.column_major, samples.patch, samples.space_to_depth, needs=TENSORS),
        SCOPE,
    ),
    Template(
        "sample-blocks", ("NVCM2-BLOCK", "NVCM2-DECODE-ADDR"), moved(samples.block_quantised, needs=DECODING), SCOPE
    ),
)
"""One case of each in every such row at the smoke tier."""

TENSOR_PARTS: tuple[Part, ...] = (
    tensors.region,
    tensors.strided,
    tensors.derived,
    tensors.redimensioned,
    tensors.larger_than_span,
    tensors.other_elements,
    tensors.clamped_constant,
    tensors.dropped,
    views.transposed,
    views.transposed_part,
    views.cycled,
    views.depth,
    views.other_depth,
    views.strided,
    views.clipped,
    views.clipped_beyond,
    views.clipped_from,
    views.derived,
    views.unchanged,
    views.many_axes,
    blocks.undecoded,
    blocks.partial_blocks,
    blocks.partial_rows,
)
"""What free programs are made of."""

DECODING_PARTS: tuple[Part, ...] = (blocks.decoded, blocks.decoded_view)
"""The same with decode functions."""

PART_NEEDS: Mapping[Part, tuple[Feature, ...]] = MappingProxyType(
    {**dict.fromkeys(TENSOR_PARTS, TENSORS), **dict.fromkeys(DECODING_PARTS, DECODING)}
)
"""Part -> the features that it needs."""
