"""Counterfactuals of GL_NV_cooperative_matrix2, one clause each."""

from __future__ import annotations

from mmaspec.backends.faults.fault import Fault
from mmaspec.backends.faults.nv_coopmat2 import devices
from mmaspec.backends.faults.nv_coopmat2.catalogue_operations import OPERATION_FAULTS
from mmaspec.backends.faults.nv_coopmat2.catalogue_tensors import TENSOR_FAULTS
from mmaspec.backends.faults.nv_coopmat2.planted import fault as _fault
from mmaspec.backends.faults.nv_coopmat2.planted import lenient as _lenient
from mmaspec.backends.faults.nv_coopmat2.reports import REPORTS

FAULTS: tuple[Fault, ...] = (
    _fault("cm-row-as-column", "KHRCM-LOAD-ROW", "row-major loads were column-major", devices.RowAsColumn),
    _fault("cm-column-as-row", "KHRCM-LOAD-COL", "column-major loads were row-major", devices.ColumnAsRow),
    _fault(
        "cm-shared-by-rows",
        "KHRCM-LOAD-COL",
        "column-major loads from shared arrays were row-major",
        devices.SharedByRows,
        rows=("shared",),
    ),
    _fault(
        "cm-offset-in-components",
        "KHRCM-STRIDE-UNITS",
        "offset and stride counted components, not array elements",
        devices.OffsetInComponents,
    ),
    _lenient("cm-takes-store-stride-zero", "KHRCM-STRIDE-ZERO", "a store could have stride 0"),
    _lenient("cm-takes-any-alignment", "KHRCM-ALIGN", "pointer and stride needed no alignment"),
    _fault("cm-c-dropped", "KHRCM-MULADD", "C were zero", devices.CDropped),
    _fault(
        "cm-sums-in-f16",
        "KHRCM-FP-ORDER",
        "the running sum were kept in a narrower format",
        devices.SumsInF16,
        rows=("float",),
    ),
    _fault("cm-saturates", "KHRCM-INT-WRAP", "sums were clamped to the range", devices.Saturates, rows=("wraps",)),
    _fault(
        "cm-a-other-sign",
        "KHRCM-INT-EXT",
        "A were extended with the other signedness",
        devices.AOtherSign,
        rows=("extends-a",),
    ),
    _fault(
        "cm-b-other-sign",
        "KHRCM-INT-EXT",
        "B were extended with the other signedness",
        devices.BOtherSign,
        rows=("extends-b",),
    ),
    _fault(
        "cm-never-saturates",
        "KHRCM-SAT-ADD",
        "saturating sums wrapped",
        devices.NeverSaturates,
        rows=("saturates",),
    ),
    _fault(
        "cm-saturates-signed",
        "KHRCM-SAT-ADD",
        "saturating sums were clamped to the range of signed numbers",
        devices.SaturatesSigned,
        rows=("acc-u32",),
    ),
    _lenient("cm-takes-any-saturation", "KHRCM-CAPS-SAT", "every product could saturate or not"),
    _lenient("cm-takes-any-product", "KHRCM-CAPS-MATCH", "every type and product were supported"),
    _fault("cm-splat-first-row", "KHRCM-SPLAT", "a scalar filled the first row only", devices.SplatFirstRow),
    _fault(
        "cm-store-fills-row", "NVCM2-STORE-ONLY-ELEMS", "a store wrote the space after a row", devices.StoreFillsRow
    ),
    _fault(
        "cm-tensor-store-writes-beyond",
        "NVCM2-STORE-ONLY-ELEMS",
        "a tensor store wrote the element after each of its own",
        devices.TensorStoreWritesBeyond,
    ),
    _lenient("cm-takes-any-layout", "KHRCM-ENUMS", "any number were a memory layout"),
    _lenient("cm-takes-other-result", "KHRCM-STORAGE", "matrices could be anywhere and have any type"),
    _lenient("cm-takes-six-dimensions", "NVCM2-DIM-RANGE", "a layout could have any number of dimensions"),
    _fault(
        "cm-clamp-value-starts-set",
        "NVCM2-CREATE-LAYOUT",
        "a new layout's clamp value were not zero",
        devices.ClampValueStartsSet,
    ),
    _fault(
        "cm-setter-changes-argument",
        "NVCM2-FUNCTIONAL",
        "a setter changed the layout that it is given",
        devices.SetterChangesArgument,
    ),
    _fault(
        "cm-strides-outermost-first",
        "NVCM2-SETDIM",
        "implicit strides put the first dimension innermost",
        devices.StridesOutermostFirst,
    ),
    _fault(
        "cm-set-dimension-keeps-earlier",
        "NVCM2-SETDIM-ORDER",
        "setting dimensions kept offsets and strides that were set before",
        devices.SetDimensionKeepsEarlier,
    ),
    _fault("cm-set-stride-ignored", "NVCM2-SETSTRIDE", "strides could not be set", devices.SetStrideIgnored),
    _lenient("cm-takes-short-strides", "NVCM2-SETSTRIDE-MIN", "strides had no minimum"),
    _fault(
        "cm-slice-replaces-offsets",
        "NVCM2-SLICE",
        "a slice replaced the offsets of the one before",
        devices.SliceReplacesOffsets,
    ),
    _fault("cm-clamp-value-ignored", "NVCM2-CLAMPVALUE", "the clamp value could not be set", devices.ClampValueIgnored),
    _fault(
        "cm-numbered-by-columns",
        "NVCM2-LINEAR",
        "elements were numbered along the columns",
        devices.NumberedByColumns,
    ),
    _fault(
        "cm-outermost-not-wrapped",
        "NVCM2-SPANCOORD",
        "the outermost coordinate did not wrap at its span",
        devices.OutermostNotWrapped,
    ),
    _fault("cm-bounds-by-span", "NVCM2-OFFSET", "the spans were bounds as well", devices.BoundsBySpan),
    _fault("cm-constant-as-edge", "NVCM2-CLAMP-CONST", "mode Constant were ClampToEdge", devices.ConstantAsEdge),
    _fault(
        "cm-edge-one-beyond",
        "NVCM2-CLAMP-EDGE",
        "the last coordinate were the dimension",
        devices.EdgeOneBeyond,
    ),
    _fault(
        "cm-repeat-truncated", "NVCM2-CLAMP-REPEAT", "remainders took the coordinate's sign", devices.RepeatTruncated
    ),
    _fault(
        "cm-mirror-edge-repeated", "NVCM2-CLAMP-MIRROR", "a mirror showed its edge twice", devices.MirrorEdgeRepeated
    ),
    _fault(
        "cm-clamps-outer-dimension-only",
        "NVCM2-CLAMP-PERDIM",
        "only the outermost of the dimensions out of bounds were clamped",
        devices.ClampsOuterDimensionOnly,
    ),
    _fault("cm-store-clamped", "NVCM2-CLAMP-STORE-DROP", "stores were clamped as loads are", devices.StoreClamped),
    _fault("cm-store-unclamped", "NVCM2-CLAMP-STORE-DROP", "stores knew no bounds", devices.StoreUnclamped),
    _fault("cm-inner-stride-one", "NVCM2-STRIDE-SUM", "the innermost stride were 1", devices.InnerStrideOne),
    _fault(
        "cm-index-in-array-elements",
        "NVCM2-BYTEADDR",
        "the index counted array elements",
        devices.IndexInArrayElements,
    ),
    _lenient("cm-takes-any-base", "NVCM2-BASE-ALIGN", "the start of a tensor needed no alignment"),
    _lenient("cm-takes-any-multiple", "NVCM2-FLEX-CAPS", "flexible sizes had no granularity", rows=("flexible",)),
    _lenient("cm-takes-any-clamp-mode", "NVCM2-ENUMS", "any number were a clamp mode or a reduce mask"),
    _lenient("cm-takes-other-layout-type", "NVCM2-TYPE-PARAMS", "layouts of all types were one type"),
    _fault(
        "cm-constant-keeps-old",
        "NVCM2-LOAD-INOUT",
        "elements out of bounds kept what the matrix held",
        devices.ConstantKeepsOld,
    ),
    *OPERATION_FAULTS,
    *TENSOR_FAULTS,
    *REPORTS,
)
"""Every counterfactual, in the order of the catalogue."""
