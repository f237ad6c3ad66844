"""Counterfactuals of HLSL WaveMatrix: the machine with one thing done in a wrong, plausible way."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from mmaspec.backends.faults.fault import Fault
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
    WritesPadding,
)
from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.hlsl_wave_matrix.device import WaveMatrixMachine
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.backends.numpy.units.unit import ArithmeticUnit
from mmaspec.programs.profile import PRACTICE

SPEC = "hlsl-wave-matrix"

Maker = Callable[[ArithmeticUnit], WaveMatrixMachine]


def _backend(name: str, make: Maker) -> NumpyBackend:
    return NumpyBackend(SequentialUnit(), {SPEC: make}, name=f"fault:{name}", profile=PRACTICE)


def _fault(clause: str, name: str, behaves_as_if: str, make: Maker, *rows: str) -> Fault:
    return Fault(name, SPEC, clause, behaves_as_if, partial(_backend, name, make), rows)


def _without(clause: str) -> Maker:
    """The machine with one check left out."""

    def make(unit: ArithmeticUnit) -> WaveMatrixMachine:
        machine = WaveMatrixMachine(unit)
        machine.unchecked = frozenset({clause})
        return machine

    return make


_UNCHECKED = (
    ("WM-TYPE-IN", "wm-takes-any-input-type", "any element type were allowed in Left and Right matrices"),
    ("WM-TYPE-ACC", "wm-takes-any-accumulator-type", "any element type were allowed in accumulators"),
    ("WM-DIM-ENUM", "wm-takes-any-size", "M and N could be any numbers"),
    ("WM-LOAD-STRIDE-MIN", "wm-takes-short-stride", "a row stride could be shorter than a row"),
    ("WM-ALIGN-POW2", "wm-takes-any-alignment", "any number were an alignment"),
    ("WM-ALIGN-COMBINED", "wm-takes-unaligned-offset", "the start address need not honour the alignment"),
    ("WM-ALIGN-STRIDE", "wm-takes-unaligned-stride", "the row stride need not honour the alignment"),
    ("WM-STORE-TARGET", "wm-stores-to-read-only", "a read-only buffer could be stored to"),
    ("WM-LOAD-GS-STRIDE-MIN", "wm-takes-short-array-stride", "a row stride in an array could be shorter than a row"),
    ("WM-FRAG-STRIDE-MIN", "wm-takes-short-element-stride", "elements of a fragment could overlap"),
    ("WM-GS-TYPE-MATCH", "wm-takes-any-array-type", "an array of any type could be loaded and stored"),
    ("WM-METHODS", "wm-takes-any-method", "every kind of matrix had every method"),
    ("WM-SCALAR-NO-LR", "wm-scales-operands", "Left and Right matrices had operations with a scalar"),
    ("WM-DEPTH-ONLY-LR", "wm-depth-of-accumulator", "accumulators and fragments had a MatrixDepth"),
    ("WM-MUL-USE", "wm-takes-operands-in-any-place", "operands of any kind and size could be multiplied"),
    ("WM-MUL-TYPE-MATCH", "wm-takes-unlike-operands", "operands of different types could be multiplied"),
    ("WM-MUL-CAPS", "wm-takes-any-combination", "products outside the caps were supported"),
    ("WM-SUMACC-SIDE", "wm-sums-either-side", "a fragment could sum any operand in any type"),
    ("WM-SHAPE-AGREE", "wm-sums-any-shape", "operands of other sizes could be summed and added"),
    ("WM-TG-DIVIS", "wm-takes-part-of-a-wave", "a thread group could end within a wave"),
)
"""Clause, name and description of the machine without that check."""

_MORE: tuple[tuple[str, str, str, Maker, *tuple[str, ...]], ...] = (
    ("WM-ADDR-FRAG", "wm-fragment-stride-ignored", "elements of fragments were packed", sums.FragmentStrideIgnored),
    ("WM-ADDR-FRAG", "wm-fragment-offset-ignored", "fragments began at byte 0", sums.FragmentOffsetIgnored),
    (
        "WM-ADDR-FRAG",
        "wm-fragment-stride-in-elements",
        "the element stride counted elements",
        sums.FragmentStrideInElements,
    ),
    ("WM-ADDR-GS", "wm-array-stride-ignored", "rows in arrays were packed", sums.ArrayStrideIgnored),
    ("WM-ADDR-GS", "wm-array-offset-ignored", "matrices in arrays began at element 0", sums.ArrayOffsetIgnored),
    ("WM-ADDR-GS", "wm-array-offset-in-bytes", "offsets in arrays counted bytes", sums.ArrayOffsetInBytes),
    (
        "WM-ADDR-GS",
        "wm-array-fragment-stride-ignored",
        "elements of fragments in arrays were packed",
        sums.ArrayFragmentStrideIgnored,
    ),
    ("WM-FILL", "wm-fill-first-column-only", "Fill wrote the first column only", sums.FillsFirstColumn),
    ("WM-ONE-PER-WAVE", "wm-waves-share-sums", "all waves shared the last one's sums", sums.WavesShareSums),
    ("WM-K-UNIQUE", "wm-depth-doubled", "MatrixDepth counted both operands", sums.DepthDoubled),
    (
        "WM-K-UNIQUE",
        "wm-depth-reported-in-dwords",
        "MatrixDepth counted packed dwords",
        sums.DepthReportedInDwords,
        "byte",
    ),
    ("WM-FIRST-LANE", "wm-second-lane-decides", "arguments were those of the second lane", sums.SecondLaneDecides),
    ("WM-INT-EXACT", "wm-int-sum-through-f32", "integer sums passed through float32", sums.SumsThroughFloat, "byte"),
    ("WM-TILING", "wm-last-tile-lost", "the last tile repeated the one before", sums.LastTileLost, "dim-64"),
    *(
        (clause, f"wm-{what}-{how}", f"{what.replace('-', ' ')} {says}", partial(machine, kind), *rows)
        for clause, what, kind in (
            ("WM-SUMACC-LEFT", "row-sums", sums.LEFT),
            ("WM-SUMACC-RIGHT", "column-sums", sums.RIGHT),
        )
        for how, says, machine, rows in (
            ("miss-the-last", "left out the last k", sums.SumsMissTheLast, ()),
            ("replace", "forgot what the fragment held", sums.SumsReplace, ()),
            ("unsigned", "read signed bytes as unsigned", sums.SumsUnsigned, ("byte",)),
        )
    ),
    *(
        (clause, f"wm-{what}-added-{how}", f"a {what} were added {says}", partial(machine, kind))
        for clause, what, other, kind in (
            ("WM-ADD-COL", "column", "row", sums.LEFT),
            ("WM-ADD-ROW", "row", "column", sums.RIGHT),
        )
        for how, says, machine in (
            (f"as-{other}", f"as a {other}", sums.BroadcastAlongTheWrongAxis),
            ("once", f"to the first {what} only", sums.BroadcastOnce),
        )
    ),
    ("WM-ADD-FULL", "wm-full-add-replaces", "Add assigned the accumulator", sums.FullAddReplaces),
    ("WM-ADD-FULL", "wm-full-add-transposed", "Add took elements by columns", sums.FullAddTransposed),
    ("WM-ADD-CAST", "wm-add-reinterprets-bits", "Add took the bits of another type as they are", sums.AddReinterprets),
    (
        "WM-SCALAR-OPS",
        "wm-scalar-subtract-reversed",
        "ScalarSubtract left value minus element",
        sums.SubtractsReversed,
    ),
    ("WM-SCALAR-OPS", "wm-scalar-divide-multiplies", "ScalarDivide multiplied", sums.DividesByMultiplying),
    ("WM-SCALAR-OPS", "wm-scalar-on-first-row", "operations with a scalar changed one row", sums.ScalarOnFirstRow),
    ("WM-SCALAR-OPS", "wm-scalar-add-lost", "ScalarAdd left fragments as they are", sums.ScalarAddLost),
)
"""The same for what deviates in arrays, fragments, sums and operations with scalars."""

FAULTS: tuple[Fault, ...] = (
    *(_fault(clause, name, says, _without(clause)) for clause, name, says in _UNCHECKED),
    _fault("WM-LOAD-OFFSET-DWORD", "wm-takes-odd-offset", "a start offset could be any byte", TakesOddOffset),
    _fault("WM-SHAPE", "wm-one-row-short", "a matrix had one memory-layout row less", OneRowShort),
    _fault("WM-DEPTH-ELEMS", "wm-depth-in-dwords", "K counted packed dwords", DepthInDwords, "byte"),
    _fault("WM-ONE-PER-WAVE", "wm-first-wave-loads-for-all", "all waves held what the first one loads", FirstWaveLoads),
    _fault("WM-ONE-PER-WAVE", "wm-waves-share-product", "all waves shared the last one's result", WavesShareProduct),
    _fault("WM-FILL", "wm-fill-first-row-only", "Fill wrote the first row only", FillsFirstRow),
    _fault("WM-LOAD-ALL", "wm-read-only-load-lost", "a Load from a read-only buffer did nothing", ReadOnlyLoadLost),
    _fault(
        "WM-ADDR-ROW", "wm-row-stride-ignored", "rows of row-major matrices were packed", partial(IgnoresStride, False)
    ),
    _fault("WM-ADDR-ROW", "wm-row-offset-ignored", "row-major matrices began at byte 0", partial(IgnoresOffset, False)),
    _fault(
        "WM-ADDR-ROW",
        "wm-row-loop-offset-frozen",
        "row-major loads kept the first pass's offset",
        LoopOffsetFrozen,
    ),
    _fault("WM-ADDR-COL", "wm-col-read-as-row", "bColMajor were ignored in loads", ColReadAsRow),
    _fault(
        "WM-ADDR-COL",
        "wm-col-stride-ignored",
        "columns of column-major matrices were packed",
        partial(IgnoresStride, True),
    ),
    _fault(
        "WM-ADDR-COL", "wm-col-offset-ignored", "column-major matrices began at byte 0", partial(IgnoresOffset, True)
    ),
    _fault("WM-PACK-DIR", "wm-packs-across-rows", "a dword held four elements of four rows", PacksAcrossRows, "byte"),
    _fault("WM-STORE-ALL", "wm-second-store-lost", "a Store emptied the matrix", SecondStoreLost),
    _fault(
        "WM-STORE-ONLY-ELEMS", "wm-store-writes-padding", "a Store cleared four bytes after each row", WritesPadding
    ),
    _fault(
        "WM-STORE-TRANSPOSE",
        "wm-store-in-load-orientation",
        "a Store kept the Load's orientation",
        StoresInLoadOrientation,
    ),
    _fault(
        "WM-ROUNDTRIP",
        "wm-copy-drops-lowest-bit",
        "copying an unchanged layout lost the lowest bit",
        CopyDropsLowestBit,
    ),
    _fault("WM-MUL", "wm-multiply-keeps-old", "Multiply added to the accumulator", AddsOnMultiply),
    _fault("WM-MAC", "wm-mac-drops-addend", "MultiplyAccumulate forgot the accumulator", DropsAddend),
    _fault("WM-MUL-MIXSIGN", "wm-right-takes-sign-of-left", "B had the signedness of A", RightTakesSignOfLeft, "byte"),
    _fault("WM-INT-EXACT", "wm-int-sum-in-16-bits", "the sum of products were kept in 16 bits", SumsIn16Bits, "byte"),
    _fault(
        "WM-FP-SUM",
        "wm-accumulator-half-precise",
        "the accumulator had half its precision",
        HalfPrecise,
        "float",
    ),
    _fault(
        "WM-TILING",
        "wm-first-tile-everywhere",
        "every tile repeated the first tile's product",
        FirstTileEverywhere,
        "dim-64",
    ),
    *(_fault(clause, name, says, make, *rows) for clause, name, says, make, *rows in _MORE),
)
"""At least one for every testable clause."""
