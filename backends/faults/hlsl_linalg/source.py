"""Counterfactuals of HLSL linear algebra that only the text of 2025-09-19 has, or that read otherwise under it."""

from __future__ import annotations

from functools import partial

from mmaspec.backends.faults import planting
from mmaspec.backends.faults.fault import Fault
from mmaspec.backends.faults.hlsl_linalg import devices as memory
from mmaspec.backends.faults.hlsl_linalg import devices_source as devices
from mmaspec.backends.numpy.hlsl_linalg.access import SOURCE
from mmaspec.backends.numpy.hlsl_linalg.device import LinalgDevice

_SPEC = "hlsl-linalg"

Row = tuple[str, str, str, planting.Deviating]
"""Name, clause, what it is as if, and the device."""

SOURCE_UNCHECKED: tuple[tuple[str, str, str], ...] = (
    ("layouts-of-later-texts", "LINALG-LAYOUT-FOUR", "there were layouts that transpose"),
    ("depths-between-powers", "LINALG-DIM-POWER", "K could be any number in its range"),
    ("packed-depths", "LINALG-DIM-PACKED", "K of packed types could be any number"),
    ("arrays-of-vectors", "LINALG-GS-ARITH", "arrays of vectors held matrices"),
    ("unary-of-other-types", "LINALG-UNARY-SHAPE", "a unary operation could change the type"),
    ("sums-of-any-use", "LINALG-SUMACC-USES", "matrices of any use and scope could be summed"),
    ("sums-of-any-shape", "LINALG-SUMACC-SHAPE", "matrices of any size could be summed"),
    ("more-lines-than-threads", "LINALG-FROMVEC-DIM", "a matrix could have more lines than there are threads"),
    ("vectors-of-accumulators", "LINALG-THREADVEC-USE", "accumulators could be made of threads' vectors"),
    ("lines-of-any-length", "LINALG-THREADVEC-LEN", "threads' vectors could have any length"),
    ("lines-of-any-type", "LINALG-THREADVEC-TYPE", "threads' vectors could have any type"),
)
"""What devices accept that leave out one check of this text: name, clause, and what it is as if."""

_MEMORY: tuple[Row, ...] = (
    (
        "loads-each-by-itself",
        "LINALG-LOAD-OOB-ZERO",
        "each element of a load had bounds of its own",
        partial(devices.EachByItself, "load"),
    ),
    (
        "stores-each-by-itself",
        "LINALG-STORE-OOB-NOOP",
        "each element of a store had bounds of its own",
        partial(devices.EachByItself, "store"),
    ),
    (
        "sums-each-by-itself",
        "LINALG-ACC-OOB-NOOP",
        "each element of an accumulation had bounds of its own",
        partial(devices.EachByItself, "sum"),
    ),
    (
        "skips-alignment",
        "LINALG-ALIGN-PARAMETER",
        "the alignment parameter were skipped before the first element",
        devices.SkipsAlignment,
    ),
    ("array-rows-packed", "LINALG-GS-PLACES", "rows in arrays were packed", partial(memory.StrideIgnored, True)),
    ("array-start-ignored", "LINALG-GS-PLACES", "loads began at element 0", partial(memory.OffsetIgnored, True)),
    ("array-places-in-bytes", "LINALG-GS-PLACES", "starts and strides in arrays counted bytes", memory.ArrayUnits),
    (
        "array-lines-exchanged",
        "LINALG-GS-PLACES",
        "ColMajor were RowMajor in loads from arrays",
        partial(memory.ColumnsAsRows, True),
    ),
    (
        "array-loads-move-bits",
        "LINALG-LOAD-GS-CONV",
        "loads took the bits of arrays of another type as they are",
        partial(devices.MovesBits, "load"),
    ),
    (
        "array-stores-move-bits",
        "LINALG-STORE-GS-CONV",
        "stores left their bits in arrays of another type as they are",
        partial(devices.MovesBits, "store"),
    ),
)

_ELEMENTS: tuple[Row, ...] = (
    ("operands-exchanged", "LINALG-ELEMWISE", "operators had the scalar on the left", devices.OperandsExchanged),
    ("subtracts-for-adding", "LINALG-ELEMWISE", "+= subtracted", partial(devices.OtherOperator, "add", "sub")),
    ("multiplies-for-dividing", "LINALG-ELEMWISE", "/= multiplied", partial(devices.OtherOperator, "div", "mul")),
    ("operates-on-first-row", "LINALG-ELEMWISE", "operators changed the first row", devices.OperatesOnFirstRow),
    ("negates-nothing", "LINALG-UNARY", "Negate did nothing", partial(devices.OtherFunction, "negate", "nop")),
    ("abs-negates", "LINALG-UNARY", "Abs negated", partial(devices.OtherFunction, "abs", "negate")),
    ("nop-negates", "LINALG-UNARY", "NOp negated", partial(devices.OtherFunction, "nop", "negate")),
    ("infinities-have-angles", "LINALG-UNARY-TRIG", "infinities and NaN were angle zero", devices.InfinitiesHaveAngles),
    ("zero-has-no-cosine", "LINALG-UNARY-TRIG", "the cosine of zero were zero", devices.ZeroHasNoCosine),
    ("rough-angles", "LINALG-UNARY-NEAR", "sines had five bits", devices.RoughAngles),
    ("tangents-for-sines", "LINALG-UNARY-TRIG", "Sin gave the tangent", partial(devices.OtherFunction, "sin", "tan")),
    ("sines-for-tangents", "LINALG-UNARY-NEAR", "Tan gave the sine", partial(devices.OtherFunction, "tan", "sin")),
    ("angles-in-degrees", "LINALG-UNARY-NEAR", "angles were in degrees", devices.AnglesInDegrees),
)

_SUMS: tuple[Row, ...] = (
    *(
        (f"sum-forgets-{name}", "LINALG-SUMACC", f"SumAccumulate left out {says}", partial(devices.SumForgets, name))
        for name, says in (("a", "A"), ("b", "B"), ("c", "the accumulator"))
    ),
    ("sum-multiplies", "LINALG-SUMACC", "SumAccumulate multiplied A and B", devices.SumMultiplies),
    ("sum-turns-b", "LINALG-SUMACC", "SumAccumulate added the transpose of B", devices.SumTurnsB),
)

_VECTORS: tuple[Row, ...] = (
    ("vectors-fill-other-lines", "LINALG-FROMVEC", "threads gave rows of A", partial(devices.LinesExchanged, "from")),
    ("first-thread-gives", "LINALG-FROMVEC", "the first thread gave all columns", devices.FirstThreadGives),
    ("last-threads-give", "LINALG-FROMVEC-SURPLUS", "the last threads gave columns", devices.LastThreadsGive),
    ("threads-get-other-lines", "LINALG-GETVEC", "threads got rows of A", partial(devices.LinesExchanged, "get")),
    ("index-counts-lines", "LINALG-GETVEC", "the index counted lines", devices.IndexCountsLines),
    (
        "lines-come-round",
        "LINALG-GETVEC-BEYOND",
        "threads beyond the last column got the first",
        devices.LinesComeRound,
    ),
    (
        "gives-back-neighbour",
        "LINALG-GETVEC-INVERSE",
        "what was made of threads' vectors came back one thread late",
        devices.GivesBackNeighbour,
    ),
)

_OTHERWISE: tuple[Row, ...] = (
    ("multiplies-columns", "LINALG-VECMUL", "a B matrix were multiplied by a column", devices.MultipliesColumns),
    ("bias-added-twice", "LINALG-VECMULADD", "a bias were added twice", devices.BiasAddedTwice),
    (
        "first-thread-multiplies",
        "LINALG-SCOPE-THREAD-UNIQUE",
        "vectors were multiplied by the first thread's matrix",
        devices.FirstThreadMultiplies,
    ),
)

SOURCE_FAULTS: tuple[Fault, ...] = (
    *(
        planting.lenient(_SPEC, LinalgDevice, f"linalg-takes-{name}", clause, says, (SOURCE,))
        for name, clause, says in SOURCE_UNCHECKED
    ),
    *(
        planting.fault(_SPEC, f"linalg-{name}", clause, says, device, (SOURCE,))
        for name, clause, says, device in (*_MEMORY, *_ELEMENTS, *_SUMS, *_VECTORS, *_OTHERWISE)
    ),
)
"""At least one for every testable clause that this text has alone."""
