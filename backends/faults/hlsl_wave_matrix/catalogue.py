"""Counterfactuals of HLSL WaveMatrix: the reference device with one plausible mistake each."""

from __future__ import annotations

from functools import partial

from mmaspec.backends.faults import planting
from mmaspec.backends.faults.fault import Fault
from mmaspec.backends.faults.hlsl_wave_matrix import devices_nan as nan
from mmaspec.backends.faults.hlsl_wave_matrix import devices_sums as sums
from mmaspec.backends.faults.hlsl_wave_matrix.devices import (
    AddsOnMultiply,
    ColReadAsRow,
    CopyDropsLowestBit,
    DepthInDwords,
    DropsAddend,
    FillsFirstRow,
    FirstTileEverywhere,
    FirstWaveLoads,
    HalfPrecise,
    IgnoresOffset,
    IgnoresStride,
    LoopOffsetFrozen,
    OneRowShort,
    PacksAcrossRows,
    ReadOnlyLoadLost,
    RightTakesSignOfLeft,
    SecondStoreLost,
    StoresInLoadOrientation,
    SumsIn16Bits,
    TakesOddOffset,
    WavesShareProduct,
    WritesArrayPadding,
    WritesPadding,
)
from mmaspec.backends.faults.hlsl_wave_matrix.reports import REPORTS
from mmaspec.backends.numpy.hlsl_wave_matrix.device import WaveMatrixDevice

SPEC = "hlsl-wave-matrix"

_fault = partial(planting.fault, SPEC)
_lenient = partial(planting.lenient, SPEC, WaveMatrixDevice)

_UNCHECKED = (
    ("wm-takes-any-input-type", "WM-TYPE-IN", "any element type were allowed in Left and Right matrices"),
    ("wm-takes-any-accumulator-type", "WM-TYPE-ACC", "any element type were allowed in accumulators"),
    ("wm-takes-any-size", "WM-DIM-ENUM", "M and N could be any numbers"),
    ("wm-takes-short-stride", "WM-LOAD-STRIDE-MIN", "a row stride could be shorter than a row"),
    ("wm-takes-any-alignment", "WM-ALIGN-POW2", "any number were an alignment"),
    ("wm-takes-unaligned-offset", "WM-ALIGN-COMBINED", "the start address need not honour the alignment"),
    ("wm-takes-unaligned-stride", "WM-ALIGN-STRIDE", "the row stride need not honour the alignment"),
    ("wm-stores-to-read-only", "WM-STORE-TARGET", "a read-only buffer could be stored to"),
    ("wm-takes-short-array-stride", "WM-LOAD-GS-STRIDE-MIN", "a row stride in an array could be shorter than a row"),
    ("wm-takes-short-element-stride", "WM-FRAG-STRIDE-MIN", "elements of a fragment could overlap"),
    ("wm-takes-any-array-type", "WM-GS-TYPE-MATCH", "an array of any type could be loaded and stored"),
    ("wm-takes-any-method", "WM-METHODS", "every kind of matrix had every method"),
    ("wm-scales-operands", "WM-SCALAR-NO-LR", "Left and Right matrices had operations with a scalar"),
    ("wm-depth-of-accumulator", "WM-DEPTH-ONLY-LR", "accumulators and fragments had a MatrixDepth"),
    ("wm-takes-operands-in-any-place", "WM-MUL-USE", "operands of any kind and size could be multiplied"),
    ("wm-takes-unlike-operands", "WM-MUL-TYPE-MATCH", "operands of different types could be multiplied"),
    ("wm-takes-any-combination", "WM-MUL-CAPS", "products outside the caps were supported"),
    ("wm-takes-unlisted-types", "WM-TYPE-SUPPORTED", "a matrix that nothing multiplies could have any type"),
    ("wm-sums-either-side", "WM-SUMACC-SIDE", "a fragment could sum any operand in any type"),
    ("wm-sums-any-shape", "WM-SHAPE-AGREE", "operands of other sizes could be summed and added"),
    ("wm-takes-part-of-a-wave", "WM-TG-DIVIS", "a thread group could end within a wave"),
)
"""Name, clause and description of the reference device without that check."""

_MORE: tuple[Fault, ...] = (
    _fault(
        "wm-fragment-stride-ignored", "WM-ADDR-FRAG", "elements of fragments were packed", sums.FragmentStrideIgnored
    ),
    _fault("wm-fragment-offset-ignored", "WM-ADDR-FRAG", "fragments began at byte 0", sums.FragmentOffsetIgnored),
    _fault(
        "wm-fragment-stride-in-elements",
        "WM-ADDR-FRAG",
        "the element stride counted elements",
        sums.FragmentStrideInElements,
    ),
    _fault(
        "wm-fragment-loads-whole-dwords",
        "WM-ADDR-FRAG",
        "every element of a fragment lay at the beginning of a dword",
        sums.FragmentLoadsDwords,
        ("acc-f16",),
    ),
    _fault("wm-array-stride-ignored", "WM-ADDR-GS", "rows in arrays were packed", sums.ArrayStrideIgnored),
    _fault("wm-array-offset-ignored", "WM-ADDR-GS", "matrices in arrays began at element 0", sums.ArrayOffsetIgnored),
    _fault("wm-array-offset-in-bytes", "WM-ADDR-GS", "offsets in arrays counted bytes", sums.ArrayOffsetInBytes),
    _fault(
        "wm-array-fragment-stride-ignored",
        "WM-ADDR-GS",
        "elements of fragments in arrays were packed",
        sums.ArrayFragmentStrideIgnored,
    ),
    _fault("wm-fill-first-column-only", "WM-FILL", "Fill wrote the first column only", sums.FillsFirstColumn),
    _fault("wm-waves-share-sums", "WM-ONE-PER-WAVE", "all waves shared the last one's sums", sums.WavesShareSums),
    _fault("wm-depth-doubled", "WM-K-UNIQUE", "MatrixDepth counted both operands", sums.DepthDoubled),
    _fault(
        "wm-depth-reported-in-dwords",
        "WM-K-UNIQUE",
        "MatrixDepth counted packed dwords",
        sums.DepthReportedInDwords,
        ("byte",),
    ),
    _fault(
        "wm-second-lane-decides", "WM-FIRST-LANE", "arguments were those of the second lane", sums.SecondLaneDecides
    ),
    *(
        _fault(
            f"wm-last-lane-{says}",
            "WM-FIRST-LANE",
            f"the {says} of an access were that of the last lane",
            partial(sums.LastLaneDecides, argument),
        )
        for argument, says in (("stride", "stride"), ("col_major", "orientation"))
    ),
    _fault(
        "wm-int-sum-through-f32",
        "WM-INT-EXACT",
        "integer sums passed through float32",
        sums.SumsThroughFloat,
        ("byte",),
    ),
    *(
        _fault(f"wm-nan-lost-in-{name}", "WM-FP-NAN", f"NaN in {says} became zero", device, ("float",))
        for name, says, device in (
            ("products", "a product", nan.NaNLostInProducts),
            ("sums", "a sum of one operand", nan.NaNLostInSums),
            ("add", "an Add", nan.NaNLostInAdd),
            ("scalars", "an operation with a scalar", nan.NaNLostInScalars),
        )
    ),
    _fault("wm-last-tile-lost", "WM-TILING", "the last tile repeated the one before", sums.LastTileLost, ("dim-64",)),
    *(
        _fault(f"wm-{what}-{how}", clause, f"{what.replace('-', ' ')} {says}", partial(device, kind), rows)
        for clause, what, kind in (
            ("WM-SUMACC-LEFT", "row-sums", sums.LEFT),
            ("WM-SUMACC-RIGHT", "column-sums", sums.RIGHT),
        )
        for how, says, device, rows in (
            ("miss-the-last", "left out the last k", sums.SumsMissTheLast, ()),
            ("replace", "forgot what the fragment held", sums.SumsReplace, ()),
            ("unsigned", "read signed bytes as unsigned", sums.SumsUnsigned, ("byte",)),
        )
    ),
    *(
        _fault(f"wm-{what}-added-{how}", clause, f"a {what} were added {says}", partial(device, kind))
        for clause, what, other, kind in (
            ("WM-ADD-COL", "column", "row", sums.LEFT),
            ("WM-ADD-ROW", "row", "column", sums.RIGHT),
        )
        for how, says, device in (
            (f"as-{other}", f"as a {other}", sums.BroadcastAlongTheWrongAxis),
            ("once", f"to the first {what} only", sums.BroadcastOnce),
        )
    ),
    _fault("wm-full-add-replaces", "WM-ADD-FULL", "Add assigned the accumulator", sums.FullAddReplaces),
    _fault("wm-full-add-one-unit-up", "WM-ADD-FULL", "sums were one unit too large", sums.AddOneUnitUp, ("float",)),
    _fault("wm-full-add-transposed", "WM-ADD-FULL", "Add took elements by columns", sums.FullAddTransposed),
    _fault(
        "wm-add-reinterprets-bits", "WM-ADD-CAST", "Add took the bits of another type as they are", sums.AddReinterprets
    ),
    _fault(
        "wm-add-without-cast",
        "WM-ADD-CAST",
        "Add of a wider addend added in the addend's type and rounded the sum",
        sums.AddsInTheWiderType,
        ("float",),
    ),
    _fault(
        "wm-scalar-subtract-reversed",
        "WM-SCALAR-OPS",
        "ScalarSubtract left value minus element",
        sums.SubtractsReversed,
    ),
    _fault(
        "wm-quotient-rounded-down",
        "WM-DIVIDE-INT",
        "quotients of integers were rounded down",
        sums.QuotientRoundedDown,
        ("int",),
    ),
    _fault(
        "wm-quotient-to-nearest",
        "WM-DIVIDE-INT",
        "quotients of integers were rounded to nearest",
        sums.QuotientToNearest,
        ("int",),
    ),
    _fault("wm-scalar-divide-multiplies", "WM-SCALAR-OPS", "ScalarDivide multiplied", sums.DividesByMultiplying),
    _fault(
        "wm-scalar-on-first-row", "WM-SCALAR-OPS", "operations with a scalar changed one row", sums.ScalarOnFirstRow
    ),
    _fault(
        "wm-scalar-one-unit-up",
        "WM-SCALAR-OPS",
        "products, sums and differences with a scalar were one unit too large",
        sums.ScalarOneUnitUp,
        ("float",),
    ),
    _fault(
        "wm-scalar-of-24-bits",
        "WM-SCALAR-OPS",
        "ScalarMultiply of integers took 24 bits of the value",
        sums.ScalarOf24Bits,
        ("int",),
    ),
    _fault(
        "wm-scalar-subnormals-doubled",
        "WM-SCALAR-OPS",
        "operations with a scalar took subnormal elements twice as large",
        sums.SubnormalElementsDoubled,
        ("float",),
    ),
    _fault("wm-scalar-add-lost", "WM-SCALAR-OPS", "ScalarAdd left fragments as they are", sums.ScalarAddLost),
)
"""The same for what deviates in arrays, fragments, sums and operations with scalars."""

FAULTS: tuple[Fault, ...] = (
    *(_lenient(name, clause, says) for name, clause, says in _UNCHECKED),
    _fault("wm-takes-odd-offset", "WM-LOAD-OFFSET-DWORD", "a start offset could be any byte", TakesOddOffset),
    _fault("wm-one-row-short", "WM-SHAPE", "a matrix had one memory-layout row less", OneRowShort),
    _fault("wm-depth-in-dwords", "WM-DEPTH-ELEMS", "K counted packed dwords", DepthInDwords, ("byte",)),
    _fault("wm-first-wave-loads-for-all", "WM-ONE-PER-WAVE", "all waves held what the first one loads", FirstWaveLoads),
    _fault("wm-waves-share-product", "WM-ONE-PER-WAVE", "all waves shared the last one's result", WavesShareProduct),
    _fault("wm-fill-first-row-only", "WM-FILL", "Fill wrote the first row only", FillsFirstRow),
    _fault("wm-read-only-load-lost", "WM-LOAD-ALL", "a Load from a read-only buffer did nothing", ReadOnlyLoadLost),
    _fault(
        "wm-row-stride-ignored", "WM-ADDR-ROW", "rows of row-major matrices were packed", partial(IgnoresStride, False)
    ),
    _fault("wm-row-offset-ignored", "WM-ADDR-ROW", "row-major matrices began at byte 0", partial(IgnoresOffset, False)),
    _fault(
        "wm-row-loop-offset-frozen",
        "WM-ADDR-ROW",
        "row-major loads kept the first pass's offset",
        LoopOffsetFrozen,
    ),
    _fault("wm-col-read-as-row", "WM-ADDR-COL", "bColMajor were ignored in loads", ColReadAsRow),
    _fault(
        "wm-col-stride-ignored",
        "WM-ADDR-COL",
        "columns of column-major matrices were packed",
        partial(IgnoresStride, True),
    ),
    _fault(
        "wm-col-offset-ignored", "WM-ADDR-COL", "column-major matrices began at byte 0", partial(IgnoresOffset, True)
    ),
    _fault(
        "wm-packs-across-rows", "WM-PACK-DIR", "a dword held four elements of four rows", PacksAcrossRows, ("byte",)
    ),
    _fault("wm-second-store-lost", "WM-STORE-ALL", "a Store emptied the matrix", SecondStoreLost),
    _fault(
        "wm-store-writes-padding", "WM-STORE-ONLY-ELEMS", "a Store cleared four bytes after each row", WritesPadding
    ),
    _fault(
        "wm-store-writes-array-padding",
        "WM-STORE-ONLY-ELEMS",
        "a Store to an array cleared the element after each row",
        WritesArrayPadding,
    ),
    _fault(
        "wm-store-in-load-orientation",
        "WM-STORE-TRANSPOSE",
        "a Store kept the Load's orientation",
        StoresInLoadOrientation,
    ),
    _fault(
        "wm-copy-drops-lowest-bit",
        "WM-ROUNDTRIP",
        "copying an unchanged layout lost the lowest bit",
        CopyDropsLowestBit,
    ),
    _fault("wm-multiply-keeps-old", "WM-MUL", "Multiply added to the accumulator", AddsOnMultiply),
    _fault("wm-mac-drops-addend", "WM-MAC", "MultiplyAccumulate forgot the accumulator", DropsAddend),
    _fault(
        "wm-right-takes-sign-of-left", "WM-MUL-MIXSIGN", "B had the signedness of A", RightTakesSignOfLeft, ("byte",)
    ),
    _fault(
        "wm-int-sum-in-16-bits", "WM-INT-EXACT", "the sum of products were kept in 16 bits", SumsIn16Bits, ("byte",)
    ),
    _fault(
        "wm-accumulator-half-precise",
        "WM-FP-SUM",
        "the accumulator had twelve bits of precision, or nine for f16",
        HalfPrecise,
        ("float",),
    ),
    _fault(
        "wm-first-tile-everywhere",
        "WM-TILING",
        "every tile repeated the first tile's product",
        FirstTileEverywhere,
        ("dim-64",),
    ),
    *_MORE,
    *REPORTS,
)
"""At least one for every testable clause."""
