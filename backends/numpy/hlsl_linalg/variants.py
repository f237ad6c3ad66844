"""Legal variants of HLSL linear algebra alone: where the text leaves something to the device."""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.backends.numpy.backend import OwnVariant
from mmaspec.backends.numpy.hlsl_linalg.earlier_liberties import (
    CoarseAngles,
    ConvertsFactors,
    CutOperators,
    InPlace,
    NotAtomic,
    OneByOne,
)
from mmaspec.backends.numpy.hlsl_linalg.emulation import FP8, EmulatedFp8
from mmaspec.backends.numpy.hlsl_linalg.liberties import (
    CutConversions,
    HighestFirst,
    IdleThreads,
    LikeB,
    MixedBounds,
    NanConversions,
    PlainLayouts,
    ReversedSums,
    SharedElements,
    WaveAfterWave,
    WholeBounds,
)
from mmaspec.programs.hlsl_linalg.caps import DEFAULT_CAPS, TIER_1, LinalgCaps, OptimalSize
from mmaspec.programs.hlsl_linalg.components import COMPONENTS

PACKED_TIGHT = replace(
    DEFAULT_CAPS,
    optimal=tuple(
        replace(row, nbytes=row.m * row.n * COMPONENTS[row.component].format.nbytes) for row in DEFAULT_CAPS.optimal
    ),
)
"""Optimal layouts without padding."""

WITHOUT_FP8 = replace(
    DEFAULT_CAPS,
    vector_products=tuple(replace(row, emulated_inputs=row.matrix in FP8) for row in DEFAULT_CAPS.vector_products),
    optimal=(
        *DEFAULT_CAPS.optimal,
        *(
            OptimalSize(name, m, n, "MulOptimal", 256)
            for name in ("F8_E4M3FN", "F8_E5M2")
            for m, n in ((8, 16), (16, 8))
        ),
    ),
)
"""A device that emulates FP8, and so takes such matrices from an optimal layout alone."""

WAVES_OF_64 = replace(DEFAULT_CAPS, wave_sizes=(64,))
"""A device whose waves have 64 lanes."""

VARIANTS: tuple[OwnVariant[LinalgCaps], ...] = (
    OwnVariant(
        "whole-bounds",
        "Bounds may be checked for a whole load, store or accumulation at once.",
        WholeBounds,
        rows=("addresses", "buffer-sums"),
    ),
    OwnVariant(
        "mixed-bounds",
        "Each wave may check bounds at once or by element: here where its operation begins decides.",
        MixedBounds,
        rows=("addresses", "buffer-sums"),
    ),
    OwnVariant(
        "plain-optimal-layouts",
        "Optimal layouts are the device's own: these are plain ones without padding.",
        PlainLayouts,
        PACKED_TIGHT,
        rows=("optimal", "outer"),
    ),
    OwnVariant(
        "shared-elements",
        "Threads may share the elements of a matrix: here two hold each.",
        SharedElements,
        rows=("elements",),
    ),
    OwnVariant(
        "idle-threads",
        "Threads may hold different numbers of elements, or none.",
        IdleThreads,
        rows=("elements",),
    ),
    OwnVariant(
        "sums-reversed",
        "Atomic sums into memory are made in any order: here the last comes first.",
        ReversedSums,
        rows=("buffer-sums", "array-sums"),
    ),
    OwnVariant(
        "wave-after-wave",
        "Waves run apart from each other wherever no barrier holds them.",
        WaveAfterWave,
        rows=("matrix", "buffer-sums", "array-sums"),
    ),
    OwnVariant(
        "accumulators-like-b",
        "Accumulators may lie like A or like B matrices.",
        LikeB,
        rows=("untyped", "elements"),
    ),
    OwnVariant(
        "highest-first",
        "Nothing says in which bits of a packed word its first component lies.",
        HighestFirst,
        rows=("packed-vector",),
    ),
    OwnVariant(
        "conversions-cut",
        "What a narrower float does not have is approximated as the device likes: cut, and the largest beyond it.",
        CutConversions,
        rows=("to-float",),
    ),
    OwnVariant(
        "conversions-to-nan",
        "What is beyond a narrower float is approximated as the device likes: NaN.",
        NanConversions,
        rows=("to-float",),
    ),
    OwnVariant(
        "fp8-emulated",
        "A conversion to FP8 that only linear algebra uses may be left out where the device has no FP8.",
        EmulatedFp8,
        WITHOUT_FP8,
        rows=("fp8",),
    ),
    OwnVariant(
        "tier-1",
        "Tier 1 requires few types, no sums into memory and no outer products.",
        caps=TIER_1,
        rows=("product", "vector"),
    ),
    OwnVariant(
        "linalg-waves-of-64",
        "A device says which waves it has: these of 64 lanes.",
        caps=WAVES_OF_64,
        rows=("matrix", "product"),
    ),
    OwnVariant(
        "unary-in-place",
        "Nothing says whether ApplyUnaryOperation leaves its matrix as it is.",
        InPlace,
        rows=("elements",),
    ),
    OwnVariant(
        "coarse-angles",
        "How near sines, cosines and tangents come is not stated, and Direct3D lets them be off a little.",
        CoarseAngles,
        rows=("functions",),
    ),
    OwnVariant(
        "operators-cut",
        "Operators on floats leave either neighbour: here that toward zero, and quotients by reciprocals.",
        CutOperators,
        rows=("elements",),
    ),
    OwnVariant(
        "sums-one-by-one",
        "Nothing says in which order SumAccumulate adds, nor where it rounds.",
        OneByOne,
        rows=("matrix",),
    ),
    OwnVariant(
        "factors-converted",
        "A vector may be converted to the matrix's type before it is multiplied.",
        ConvertsFactors,
        rows=("converts-vector",),
    ),
    OwnVariant(
        "sums-not-atomic",
        "The text of 2025-09-19 says nowhere that accumulations into memory are atomic.",
        NotAtomic,
        rows=("buffer-sums", "array-sums"),
    ),
)
