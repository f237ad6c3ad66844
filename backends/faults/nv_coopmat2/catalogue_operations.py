"""Counterfactuals of operations on matrices."""

from __future__ import annotations

from mmaspec.backends.faults.fault import Fault
from mmaspec.backends.faults.nv_coopmat2 import devices_operations as devices
from mmaspec.backends.faults.nv_coopmat2.planted import fault, lenient
from mmaspec.backends.numpy.nv_coopmat2.single_doubles import SingleDoubles

OPERATION_FAULTS: tuple[Fault, ...] = (
    fault(
        "cm-convert-copies-bits",
        "KHRCM-CONVERT",
        "a conversion kept the low bits",
        devices.ConvertCopiesBits,
    ),
    fault(
        "cm-convert-rounds",
        "KHRCM-CONVERT",
        "floats became the nearest integers",
        devices.ConvertRounds,
        rows=("float",),
    ),
    fault(
        "cm-convert-clamps",
        "KHRCM-CONVERT",
        "conversions of integers clamped",
        devices.ConvertClamps,
        rows=("signed",),
    ),
    fault("cm-subtracts-backwards", "KHRCM-ARITH", "a difference were right minus left", devices.SubtractsBackwards),
    fault(
        "cm-arithmetic-one-unit-up",
        "KHRCM-ARITH",
        "sums, differences and products were one unit too large",
        devices.ArithmeticOneUnitUp,
        rows=("float",),
    ),
    fault(
        "cm-f64-single",
        "KHRCM-F64",
        "operations in f64 kept the precision of f32",
        SingleDoubles,
        rows=("acc-f64",),
    ),
    fault(
        "cm-quotient-rounded-down",
        "KHRCM-DIVIDE-INT",
        "quotients of integers were rounded down",
        devices.QuotientRoundedDown,
        rows=("int",),
    ),
    fault(
        "cm-quotient-to-nearest",
        "KHRCM-DIVIDE-INT",
        "quotients of integers were rounded to nearest",
        devices.QuotientToNearest,
        rows=("int",),
    ),
    fault("cm-negate-clears-sign", "KHRCM-ARITH", "unary minus gave magnitudes", devices.NegateClearsSign),
    fault("cm-scalar-as-first-row", "KHRCM-ARITH", "a scalar multiplied the first row only", devices.ScalarAsFirstRow),
    lenient("cm-takes-any-scalar-operator", "KHRCM-ARITH-SCALAR", "every operator took a scalar"),
    fault(
        "cm-use-rotates-columns",
        "NVCM2-CONVERT-USE",
        "a change of use moved every column one to the right",
        devices.UseRotatesColumns,
        rows=("converts-use",),
    ),
    lenient("cm-takes-any-conversion", "NVCM2-CONVERT-TYPES", "matrices of all types converted into each other"),
    fault(
        "cm-transpose-copies",
        "NVCM2-TRANSPOSE",
        "a transpose kept the order of the elements",
        devices.TransposeCopies,
        rows=("transposes",),
    ),
    lenient("cm-takes-any-transpose", "NVCM2-TRANSPOSE-TYPES", "every matrix had a transpose of any type"),
    fault(
        "cm-reduce-row-next",
        "NVCM2-REDUCE-ROW",
        "a row showed the combination of the row below",
        devices.ReduceRowNext,
        rows=("reduces",),
    ),
    fault(
        "cm-reduce-column-next",
        "NVCM2-REDUCE-COL",
        "a column showed the combination of its right neighbour",
        devices.ReduceColumnNext,
        rows=("reduces",),
    ),
    fault(
        "cm-reduce-all-first-row",
        "NVCM2-REDUCE-ALL",
        "the first row stood for the whole matrix",
        devices.ReduceAllAsOneRow,
        rows=("reduces",),
    ),
    fault(
        "cm-reduce-2x2-quarters",
        "NVCM2-REDUCE-2X2",
        "2x2 combined elements half a matrix apart",
        devices.ReduceQuarters,
        rows=("halves",),
    ),
    fault(
        "cm-reduce-short-sums",
        "NVCM2-REDUCE-ORDER",
        "sums of a reduction were kept in six bits",
        devices.ReduceShortSums,
        rows=("sums",),
    ),
    fault(
        "cm-reduce-order-by-place",
        "NVCM2-REDUCE-ORDER",
        "every second element of a reduction's result summed in another order",
        devices.ReduceOrderByPlace,
        rows=("sums",),
    ),
    fault(
        "cm-reduce-integers-saturate",
        "NVCM2-REDUCE-ROW",
        "sums of integers stopped at the end of their range",
        devices.ReduceSaturates,
        rows=("int",),
    ),
    lenient("cm-reduces-any-use", "NVCM2-REDUCE-USE", "matrices of every use and type could be reduced"),
    lenient("cm-takes-any-reduction", "NVCM2-REDUCE-MASK", "every mask and function were allowed"),
    lenient("cm-reduces-to-any-size", "NVCM2-REDUCE-SHAPE", "results of reductions could have any size"),
    fault(
        "cm-element-row-and-column-swapped",
        "NVCM2-PERELEM",
        "the column came before the row",
        devices.ElementRowAndColumnSwapped,
    ),
    fault(
        "cm-element-extras-from-corner",
        "NVCM2-PERELEM",
        "an extra matrix gave its first element everywhere",
        devices.ElementExtrasFromCorner,
    ),
    fault(
        "cm-element-extras-reversed",
        "NVCM2-PERELEM",
        "the last extra of a function came first",
        devices.ElementExtrasReversed,
    ),
    fault("cm-element-rows-from-one", "NVCM2-PERELEM", "rows were counted from one", devices.ElementRowsFromOne),
    fault(
        "cm-length-one-short",
        "KHRCM-LENGTH",
        "a loop over components left the last one of every invocation out",
        devices.LengthOneShort,
    ),
    fault(
        "cm-components-of-a-copy",
        "KHRCM-LENGTH",
        "assigning to components changed a copy of the matrix",
        devices.ComponentsOfACopy,
    ),
    lenient("cm-takes-any-function", "NVCM2-PERELEM-SIG", "functions of every signature were allowed"),
)
"""Every counterfactual, in the order of the catalogue."""
