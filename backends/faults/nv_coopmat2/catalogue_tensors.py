"""Counterfactuals of tensor layouts, views, blocks and decode functions."""

from __future__ import annotations

from mmaspec.backends.faults.fault import Fault
from mmaspec.backends.faults.nv_coopmat2 import devices_blocks as blocks
from mmaspec.backends.faults.nv_coopmat2 import devices_views as views
from mmaspec.backends.faults.nv_coopmat2.planted import fault, lenient

TENSOR_FAULTS: tuple[Fault, ...] = (
    fault("cm-view-starts-clipped", "NVCM2-CREATE-VIEW", "a new view had a clip of seven", views.ViewStartsClipped),
    fault(
        "cm-view-setter-changes-argument",
        "NVCM2-FUNCTIONAL",
        "a setter changed the view that it is given",
        views.ViewSetterChangesArgument,
    ),
    fault(
        "cm-view-steps-outermost-first",
        "NVCM2-SETVIEWDIM",
        "implicit strides of a view put the first dimension innermost",
        views.ViewStepsOutermostFirst,
    ),
    fault(
        "cm-view-stride-ignored", "NVCM2-SETVIEWSTRIDE", "a view's strides could not be set", views.ViewStrideIgnored
    ),
    fault("cm-clip-ignored", "NVCM2-SETCLIP", "a clip could not be set", views.ClipIgnored),
    fault("cm-clip-columns-first", "NVCM2-SETCLIP", "a clip's columns came before its rows", views.ClipColumnsFirst),
    fault("cm-clip-zeroes", "NVCM2-CLIP-SKIP", "elements outside the clip became zero", views.ClipZeroes),
    fault("cm-clip-end-is-span", "NVCM2-CLIP-SKIP", "a clip ended at its span", views.ClipEndIsSpan),
    fault(
        "cm-clip-width-of-matrix",
        "NVCM2-CLIP-INDEX",
        "clipped rows were as wide as the matrix",
        views.ClipWidthOfMatrix,
    ),
    fault("cm-clip-width-in-matrix", "NVCM2-CLIP-INDEX", "a clip's width ended at the matrix", views.ClipWidthInMatrix),
    fault(
        "cm-clip-counts-from-matrix",
        "NVCM2-CLIP-INDEX",
        "elements of a clip were counted from the corner of the matrix",
        views.ClipCountsFromMatrix,
    ),
    fault("cm-permutation-inverted", "NVCM2-VIEW-UNRAVEL", "a permutation were its inverse", views.PermutationInverted),
    fault("cm-not-permuted", "NVCM2-VIEW-UNRAVEL", "every permutation were the identity", views.NotPermuted),
    fault(
        "cm-span-steps-from-dimensions",
        "NVCM2-VIEW-LINEAR",
        "a view without dimensions took its strides from the layout's dimensions",
        views.SpanStepsFromDimensions,
    ),
    fault(
        "cm-span-steps-can-be-set",
        "NVCM2-VIEW-LINEAR",
        "a view without dimensions took the strides that were set on it",
        views.SpanStepsCanBeSet,
    ),
    fault(
        "cm-identity-by-rows-and-columns",
        "NVCM2-VIEW-IDENTITY",
        "a view that changes nothing were no view only for matrices of the slice's own shape",
        views.IdentityByRowsAndColumns,
    ),
    fault(
        "cm-transpose-keeps-offsets",
        "NVCM2-VIEW-TRANSPOSE",
        "exchanging two axes left the offsets of the slice in their order",
        views.TransposeKeepsOffsets,
    ),
    fault(
        "cm-transpose-ignores-clip",
        "NVCM2-VIEW-LINEAR",
        "under a clip a view that exchanges two axes took columns of the matrix for rows of the slice",
        views.TransposeIgnoresClip,
    ),
    fault(
        "cm-patches-columns-first",
        "NVCM2-SPACE2DEPTH",
        "the pixels of a patch came column by column",
        views.PatchesColumnsFirst,
    ),
    lenient("cm-takes-any-permutation", "NVCM2-VIEW-PERM", "any numbers were a permutation"),
    fault(
        "cm-block-sizes-innermost-first",
        "NVCM2-SETBLOCK",
        "block sizes were given innermost first",
        blocks.BlockSizesInnermostFirst,
    ),
    fault(
        "cm-block-size-recomputes-strides",
        "NVCM2-SETDIM-ORDER",
        "setting block sizes computed the strides anew",
        blocks.BlockSizeRecomputesStrides,
    ),
    fault("cm-strides-in-elements", "NVCM2-SETDIM", "implicit strides counted elements", blocks.StridesInElements),
    fault(
        "cm-set-dimension-forgets-blocks",
        "NVCM2-SETDIM",
        "setting dimensions set block sizes back to one",
        blocks.SetDimensionForgetsBlocks,
    ),
    fault(
        "cm-block-before-clamping",
        "NVCM2-BLOCK",
        "blocks were found before clamping",
        blocks.BlockBeforeClamping,
    ),
    fault("cm-block-elements-apart", "NVCM2-BLOCK", "elements of a block lay side by side", blocks.BlockElementsApart),
    fault("cm-blocks-from-slice", "NVCM2-BLOCK", "blocks began where the slice does", blocks.BlocksFromSlice),
    lenient("cm-takes-stored-blocks", "NVCM2-STORE-NOBLOCK", "stores could have blocks and decode functions"),
    fault(
        "cm-decode-steps-components",
        "NVCM2-DECODE-ADDR",
        "structs were as long as a component",
        blocks.DecodeStepsComponents,
    ),
    fault(
        "cm-decode-pointer-from-buffer",
        "NVCM2-DECODE-ADDR",
        "a decode function's pointer left the offset out",
        blocks.DecodePointerFromBuffer,
    ),
    fault(
        "cm-decode-arguments-swapped",
        "NVCM2-DECODE-ADDR",
        "a decode function got its two coordinates the other way round",
        blocks.DecodeArgumentsSwapped,
    ),
    fault(
        "cm-decode-whole-coordinate",
        "NVCM2-DECODE-ADDR",
        "a decode function got coordinates in the tensor, not in the block",
        blocks.DecodeWholeCoordinate,
    ),
    lenient("cm-takes-any-decode", "NVCM2-DECODE-SIG", "any function could decode"),
    fault(
        "cm-clamp-value-converted",
        "NVCM2-CLAMP-CONST",
        "the clamp value were converted to the component type",
        blocks.ClampValueConverted,
        rows=("float",),
    ),
    fault("cm-slice-keeps-span", "NVCM2-SLICE", "a slice of a slice kept its spans", blocks.SliceKeepsSpan),
    fault(
        "cm-spans-outermost-first",
        "NVCM2-SPANCOORD",
        "the first dimension of a slice were the innermost",
        blocks.SpansOutermostFirst,
    ),
    fault("cm-edge-by-span", "NVCM2-CLAMP-EDGE", "the span's last coordinate were the edge", blocks.EdgeBySpan),
    fault("cm-repeat-by-span", "NVCM2-CLAMP-REPEAT", "the span were the period", blocks.RepeatBySpan),
    fault("cm-repeat-once", "NVCM2-CLAMP-REPEAT", "a tensor repeated once on either side", blocks.RepeatOnce),
    fault("cm-mirror-once", "NVCM2-CLAMP-MIRROR", "a tensor was mirrored once at either end", blocks.MirrorOnce),
    fault("cm-mirror-one-edge", "NVCM2-CLAMP-MIRROR", "a mirror showed its last element twice", blocks.MirrorOneEdge),
)
"""Every counterfactual about tensors that the first catalogue did not have."""
