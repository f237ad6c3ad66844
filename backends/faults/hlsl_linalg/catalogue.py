"""Counterfactuals of HLSL linear algebra: the reference device with one plausible mistake each."""

from __future__ import annotations

from functools import partial

from mmaspec.backends.faults import planting
from mmaspec.backends.faults.fault import Fault
from mmaspec.backends.faults.hlsl_linalg import devices as memory
from mmaspec.backends.faults.hlsl_linalg import devices_sums as sums
from mmaspec.backends.faults.hlsl_linalg import devices_values as values
from mmaspec.backends.faults.hlsl_linalg import devices_vectors as vectors
from mmaspec.backends.faults.hlsl_linalg.devices_checks import ThreadsLoadAnything
from mmaspec.backends.faults.hlsl_linalg.reports import REPORTS
from mmaspec.backends.faults.hlsl_linalg.source import SOURCE_FAULTS
from mmaspec.backends.faults.hlsl_linalg.unchecked import UNCHECKED
from mmaspec.backends.numpy.hlsl_linalg.device import LinalgDevice
from mmaspec.programs.hlsl_linalg.program import InterlockedAccumulate, Load

SPEC = "hlsl-linalg"

Row = tuple[str, str, str, planting.Deviating]
"""Name, clause, what it is as if, and the device."""

_MEMORY: tuple[Row, ...] = (
    ("stride-ignored", "LINALG-LOAD-ADDR", "rows in buffers were packed", partial(memory.StrideIgnored, False)),
    ("offset-ignored", "LINALG-LOAD-ADDR", "loads began at byte 0", partial(memory.OffsetIgnored, False)),
    ("loop-offset-frozen", "LINALG-LOAD-ADDR", "loads kept the first pass's offset", memory.LoopFrozen),
    (
        "columns-as-rows",
        "LINALG-LOAD-ADDR",
        "ColMajor were RowMajor in loads",
        partial(memory.ColumnsAsRows, False),
    ),
    ("array-stride-ignored", "LINALG-GS-UNITS", "rows in arrays were packed", partial(memory.StrideIgnored, True)),
    ("array-offset-ignored", "LINALG-GS-UNITS", "loads began at element 0", partial(memory.OffsetIgnored, True)),
    (
        "array-columns-as-rows",
        "LINALG-GS-UNITS",
        "ColMajor were RowMajor in loads from arrays",
        partial(memory.ColumnsAsRows, True),
    ),
    ("array-offsets-in-bytes", "LINALG-GS-UNITS", "offsets in arrays counted bytes", memory.ArrayUnits),
    (
        "array-offsets-in-own-elements",
        "LINALG-GS-UNITS",
        "offsets in arrays counted the array's elements",
        memory.ArrayElements,
    ),
    *(
        (f"{verb}-converts{name}", clause, f"a {verb} {says} converted", partial(memory.Misread, verb, arrays))
        for verb, arrays, name, says, clause in (
            ("load", False, "", "from a buffer", "LINALG-LOAD-NOCONV"),
            ("store", False, "", "to a buffer", "LINALG-STORE-NOCONV"),
            ("load", True, "-from-array", "from an array", "LINALG-GS-NOCONV"),
            ("store", True, "-to-array", "to an array", "LINALG-GS-NOCONV"),
        )
    ),
    ("load-beyond-finds-ones", "LINALG-OOB-LOAD", "loads beyond a buffer found ones", memory.OnesBeyond),
    *(
        (f"{verb}-one-more-out", clause, f"the first element were out of bounds with another {says}", device)
        for verb, clause, says in (
            ("load", "LINALG-OOB-LOAD", "that is loaded"),
            ("store", "LINALG-OOB-STORE", "that is stored"),
            ("sum", "LINALG-OOB-ACC", "that is accumulated"),
        )
        for device in (partial(memory.OneMoreOut, verb),)
    ),
    (
        "writes-padding",
        "LINALG-STORE-ONLY-ELEMS",
        "a Store cleared four bytes after each row",
        partial(memory.WritesPadding, False),
    ),
    (
        "writes-array-padding",
        "LINALG-STORE-ONLY-ELEMS",
        "a Store to an array cleared four bytes after each row",
        partial(memory.WritesPadding, True),
    ),
    (
        "copy-drops-lowest-bit",
        "LINALG-ROUNDTRIP",
        "copying an unchanged layout lost the lowest bit",
        memory.CopyDropsLowestBit,
    ),
    (
        "threads-share-matrix",
        "LINALG-SCOPE-THREAD-UNIQUE",
        "all threads had the first one's matrix",
        partial(memory.FirstInstanceLoads, "Thread"),
    ),
    (
        "waves-share-matrix",
        "LINALG-SCOPE-OWN",
        "all waves had the first one's matrix",
        partial(memory.FirstInstanceLoads, "Wave"),
    ),
    ("optimal-as-rows", "LINALG-OPT-LOAD", "loads took optimal layouts for rows", partial(memory.OptimalAs, Load)),
    ("never-transposes", "LINALG-OPT-TRANSPOSE", "transposed layouts were not", memory.NeverTransposes),
    (
        "outer-sums-as-rows",
        "LINALG-OUTER-SUM",
        "Thread accumulators were added to rows",
        partial(memory.OptimalAs, InterlockedAccumulate),
    ),
    (
        "conversion-turns",
        "LINALG-LAYOUT-CONVERT",
        "row-major sources were column-major",
        memory.ConversionRowsAsColumns,
    ),
    (
        "conversion-one-row-short",
        "LINALG-LAYOUT-CONVERT",
        "the last row were not converted",
        memory.ConversionLosesLastRow,
    ),
)

_SUMS: tuple[Row, ...] = (
    ("adds-twice", "LINALG-ACC-ADD", "elements were added to buffers twice", partial(sums.AddsTwice, False)),
    (
        "adds-twice-to-arrays",
        "LINALG-ACC-GS-ADD",
        "elements were added to arrays twice",
        partial(sums.AddsTwice, True),
    ),
    ("loses-sums", "LINALG-ATOMIC", "all waves and threads read memory before any added", sums.LosesSums),
    ("adds-bits", "LINALG-ACC-GS-CONV", "bits were added to arrays as they are", sums.AddsReinterpreted),
    ("last-component-lost", "LINALG-VEC-ACC", "the last component were not accumulated", sums.LastComponentLost),
)

_VALUES: tuple[Row, ...] = (
    ("splats-first-row", "LINALG-SPLAT", "Splat wrote the first row only", values.SplatsFirstRow),
    ("last-lane-splats", "LINALG-SPLAT-FIRST", "Splat took the last lane's value", values.LastLaneSplats),
    ("splats-bits", "LINALG-FILL-CONV", "Splat took the bits of another type as they are", values.SplatsBits),
    ("casts-bits", "LINALG-CAST", "Cast took the bits of another type as they are", values.CastsBits),
    ("cast-one-row-short", "LINALG-CAST", "Cast left out the last row", values.CastLosesLastRow),
    ("cast-empties-source", "LINALG-CAST-COPY", "Cast emptied its source", values.CastEmptiesSource),
    ("cast-never-turns", "LINALG-CAST-TRANSPOSE", "a transposing Cast poured row after row", values.NeverTurns),
    ("integers-wrap", "LINALG-CONV-INT", "integers kept their low bits", values.IntegersWrap),
    ("floats-lose-lowest-bit", "LINALG-CONV-FLOAT", "floats lost their lowest bit", values.FloatsLoseLowestBit),
    ("integers-cut", "LINALG-CONV-INT-FLOAT", "integers were cut to floats", values.IntegersCut),
    ("floats-cut", "LINALG-CONV-FLOAT-INT", "floats were cut to integers", values.FloatsCut),
    (
        "floats-wrap",
        "LINALG-CONV-FLOAT-INT",
        "floats beyond an integer type kept their low bits",
        values.FloatsWrap,
    ),
    ("fp8-bias-off", "LINALG-FP8-FORMATS", "exponents of FP8 were one larger", values.BiasedBytes),
    ("multiply-keeps-old", "LINALG-MUL", "Multiply added to the accumulator", values.AddsOnMultiply),
    ("mac-drops-addend", "LINALG-MAC", "MultiplyAccumulate forgot the accumulator", values.DropsAddend),
    ("int-sum-in-16-bits", "LINALG-INT-EXACT", "sums of products were kept in 16 bits", values.SumsIn16Bits),
    ("int-sum-through-f32", "LINALG-INT-EXACT", "integer sums passed through float32", values.SumsThroughFloat),
    ("right-takes-sign-of-left", "LINALG-MIXED-SIGNS", "B had the sign of A", values.RightTakesSignOfLeft),
    ("half-precise", "LINALG-FP-SUM", "sums had twelve bits of precision, or nine for f16", values.HalfPrecise),
    ("nan-lost", "LINALG-FP-NAN", "NaN in a product became zero", values.NanLost),
    ("first-tile-everywhere", "LINALG-TILING", "every tile repeated the first one", values.FirstTileEverywhere),
    ("accumulate-replaces", "LINALG-ACCUMULATE", "Accumulate assigned the accumulator", values.AccumulateReplaces),
    ("accumulate-one-up", "LINALG-ACCUMULATE", "sums were one unit too large", values.AccumulateOneUnitUp),
)

_VECTORS: tuple[Row, ...] = (
    ("converts-bits", "LINALG-CONVERT", "Convert took bits as they are", vectors.ConvertsBits),
    ("last-term-missing", "LINALG-VECMUL", "products with vectors left out the last k", vectors.LastTermMissing),
    ("rows-rotate", "LINALG-VECMUL", "a result began with its last element", vectors.RowsRotate),
    ("bias-lost", "LINALG-VECMULADD", "MultiplyAdd forgot the bias", vectors.BiasLost),
    ("bias-bits", "LINALG-BIAS-CONV", "the bits of a bias were added as they are", vectors.BiasBits),
    ("bias-offset-ignored", "LINALG-BIAS-MEMORY", "a bias in memory began at byte 0", vectors.BiasOffsetIgnored),
    (
        "factor-bits",
        "LINALG-VEC-INPUT-CONV",
        "the bits of a vector were multiplied as they are",
        vectors.FactorBits,
    ),
    (
        "threads-share-vectors",
        "LINALG-VEC-OWN",
        "all threads had the first one's vectors",
        vectors.ThreadsShareVectors,
    ),
    (
        "every-thread-takes-part",
        "LINALG-THREAD-FLOW",
        "threads outside a branch took part",
        vectors.EveryThreadTakesPart,
    ),
    ("words-mixed", "LINALG-PACK-COUNT", "neighbours in packed words were exchanged", vectors.WordsMixed),
    (
        "outer-product-of-neighbours",
        "LINALG-OUTER",
        "the row were moved on by one",
        vectors.OuterProductOfNeighbours,
    ),
    ("counts-half", "LINALG-LENGTH", "Length counted pairs", vectors.CountsHalf),
    ("column-first", "LINALG-COORD", "GetCoordinate gave the column first", vectors.ColumnFirst),
    (
        "coordinate-zero-beyond",
        "LINALG-COORD-BEYOND",
        "there were no index beyond the last",
        vectors.CoordinateZeroBeyond,
    ),
    ("gets-neighbour", "LINALG-GET", "Get gave the element of the index before", vectors.GetsNeighbour),
    ("gets-last-beyond", "LINALG-GET-BEYOND", "Get clamped its index", vectors.GetsLastBeyond),
    ("set-misses-last", "LINALG-SET", "Set of the last index did nothing", vectors.SetMissesLast),
    ("sets-last-beyond", "LINALG-SET-BEYOND", "Set clamped its index", vectors.SetsLastBeyond),
    ("neither-layout", "LINALG-ACCLAYOUT", "accumulators had a layout of their own", vectors.NeitherLayout),
)

FAULTS: tuple[Fault, ...] = (
    *(planting.lenient(SPEC, LinalgDevice, f"linalg-takes-{name}", clause, says) for name, clause, says in UNCHECKED),
    planting.fault(
        SPEC,
        "linalg-takes-thread-loads-from-any-buffer",
        "LINALG-LOAD-SRC",
        "a Thread matrix could be loaded from any buffer",
        ThreadsLoadAnything,
    ),
    *(
        planting.fault(SPEC, f"linalg-{name}", clause, says, device)
        for name, clause, says, device in (*_MEMORY, *_SUMS, *_VALUES, *_VECTORS)
    ),
    *REPORTS,
    *SOURCE_FAULTS,
)
"""At least one for every testable clause."""
