"""The classes of accesses, arguments, buffers, arrays and statements in programs written by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mmaspec.programs.base import Affine, Buffer, Literal, RunTime, Word
from mmaspec.programs.hlsl_wave_matrix import (
    Barrier,
    Branch,
    Fill,
    Matrix,
    MatrixDepth,
    Repeat,
    SharedArray,
    Stage,
    Unstage,
    WaveMatrixProgram,
)

from .observing import (
    BYTES_LEFT,
    COLUMN,
    HALF_SUM,
    LEFT,
    OUT,
    RIGHT,
    SUM,
    WHOLE,
    classes,
    load,
    observed,
    program,
    store,
)

DISTINCT = np.arange(256).reshape(16, 16)
HALVES = SharedArray("half", "f16", 512)
STAGED = (Stage("half", "in", 0, 16, 16, 32, 0, "A"), Barrier())


@pytest.mark.parametrize(
    ("made", "values", "group", "wanted"),
    [
        (
            program((SUM,), load(SUM, 16, stride=68, alignment=4), store(SUM)),
            {"C": DISTINCT},
            "matrix-buffer-load",
            {
                "rowed-kind": {"accumulator"}, "accessed-element": {"f32"}, "accessed-shape": {"m16-n16"},
                "load-binding": {"read-only"}, "load-orientation": {"row-major"}, "memory-row-bytes": {"sixty-four"},
                "memory-rows": {"sixteen"}, "buffer-offset": {"sixteen"}, "row-stride": {"to-124"},
                "row-padding": {"least"}, "stride-shape": {"above-power"}, "row-stride-factor": {"four"},
                "span": {"bits-12"}, "crossing": {"bits-8"}, "alignment": {"four"}, "true-alignment": {"sixteen"},
                "alignment-truth": {"understated"}, "alignment-and-row": {"below-row"}, "load-finds": {"case-values"},
                "pattern-loaded": {"distinct"}, "integer-bits": {"floats"},
                "float-bits": {"zero", "least-subnormal", "subnormal"},
            },
        ),
        (
            program((SUM,), load(SUM, 192, stride=64, col_major=1), store(SUM, stride=128)),
            {"C": DISTINCT // 16},
            "matrix-buffer-load",
            {
                "load-orientation": {"col-major"}, "row-padding": {"none"}, "stride-shape": {"power"},
                "true-alignment": {"two-hundred-fifty-six"}, "alignment-truth": {"unsaid-and-more"},
                "base-and-offset": {"together-256"}, "crossing": {"bits-8"}, "crossing-place": {"row-start"},
                "pattern-loaded": {"by-row"}, "alignment": {"unspecified"},
            },
        ),
        (
            program((SUM,), load(SUM), store(SUM, 4, stride=4608, col_major=1)),
            {"C": 0xFF800001},
            "matrix-buffer-store",
            {
                "stored-after": {"transposed"}, "store-orientation": {"col-major"}, "row-padding": {"pages"},
                "row-stride-factor": {"to-2048"}, "base-and-offset": {"off-16"}, "crossing": {"bits-16"},
                "float-bits": {"low-payload-nan", "negative-nan"}, "before-store": {"differs"}, "span": {"bits-17"},
                "true-alignment": {"four"}, "alignment-truth": {"unsaid-and-least"}, "crossing-place": {"row-start"},
            },
        ),
        (
            program((BYTES_LEFT,), load(BYTES_LEFT, stride=64, alignment=64), store(BYTES_LEFT, stride=32)),
            {"A": np.tile([1, 2, 3, 0x80], 8)},
            "matrix-buffer-load",
            {
                "alignment-and-row": {"beyond-row-is-stride"}, "row-padding": {"one-row"}, "float-bits": {"integers"},
                "integer-bits": {"one", "least", "high-bit", "four-distinct", "float-subnormal-bits"},
                "pattern-loaded": {"by-column"}, "alignment-truth": {"exact"}, "memory-row-bytes": {"thirty-two"},
            },
        ),
        (
            program((COLUMN,), load(COLUMN, 8, stride=12, alignment=8), store(COLUMN, stride=6 * 4)),
            {"L": np.eye(16, 1)},
            "fragment-buffer-load",
            {
                "fragment-kind": {"left-col-acc"}, "element-stride": {"to-15"}, "element-stride-fit": {"dwords"},
                "alignment-and-element-stride": {"broken-larger"}, "span": {"bits-8"},
                "stride-shape": {"above-power"},
                "pattern-loaded": {"by-row", "one-hot"}, "true-alignment": {"eight"}, "alignment-truth": {"exact"},
            },
        ),
        (
            program(
                (LEFT,), *STAGED, load(LEFT, 1, buffer="half", stride=17, data=None), store(LEFT),
                arrays=(HALVES,),
                body=(Stage("half", "in", 0, 272, 1, 0, 1, "A"), Barrier(),
                      load(LEFT, 1, buffer="half", stride=17, data=None), store(LEFT)),
            ),
            {"A": np.arange(272)},
            "matrix-shared-load",
            {
                "half-parity": {"both-odd"}, "shared-offset": {"one"}, "shared-row-stride": {"seventeen"},
                "shared-row-padding": {"least"}, "load-finds": {"copied"}, "stride-shape": {"above-power"},
            },
        ),
        (
            program((LEFT,), *STAGED, load(LEFT, buffer="half", stride=16, data=None), store(LEFT), arrays=(HALVES,)),
            {"A": DISTINCT},
            "stage",
            {
                "copy-start": {"zero"}, "copy-columns": {"whole-pitch"}, "copy-rows": {"sixteen"},
                "copy-offset": {"zero"}, "copy-covers": {"matrix"}, "copy-data": {"named"},
                "load-binding": {"read-only"},
            },
        ),
        (
            program(
                (HALF_SUM,), load(HALF_SUM), store(HALF_SUM, 3, buffer="half", stride=16), Barrier(),
                Unstage("half", "out", 0, 259), arrays=(SharedArray("half", "f16", 259),),
            ),
            {"H": DISTINCT},
            "shared-array",
            {
                "array-element": {"f16"}, "array-length": {"under-12-bits"},
                "array-length-kind": {"exact", "odd"}, "array-use": {"store-unstage"}, "array-sharing": {"single-wave"},
                "coverage": {"head", "half-dwords"},
            },
        ),
        (
            program((SUM,), load(SUM), store(SUM, stride=80), buffers=(Buffer("in", 1024, 16), Buffer("out", 1264,
                32))),
            {"C": DISTINCT},
            "buffer",
            {
                "binding": {"read-only", "read-write-only-written"}, "buffer-role": {"source", "target"},
                "buffer-end": {"exact"}, "buffer-size": {"under-12-bits"}, "buffer-base": {"sixteen", "thirty-two"},
                "coverage": {"no-store", "row-padding"}, "buffer-size-dwords": {"dwords"}, "guard": {"distinct"},
            },
        ),
        (
            program((LEFT,), MatrixDepth("A", "out", 8), load(LEFT), Branch(64, (MatrixDepth("A", "out", 252),))),
            {},
            "depth",
            {
                "depth-kind": {"left"}, "depth-element": {"f16"}, "depth-object": {"nothing", "loaded"},
                "depth-place": {"to-64", "below-8-bits"}, "depth-flow": {"straight", "uniform-branch"},
                "row-k": {"sixteen"},
            },
        ),
        (
            program((LEFT,), load(LEFT), Branch(32, (store(LEFT),)), wave_size=32),
            {},
            "branch",
            {"branch-lanes": {"all"}, "branch-body": {"stores"}, "branch-before": {"nothing"}},
        ),
        (
            program((LEFT,), Repeat(3, (load(LEFT, Affine(0, 0, 512)), store(LEFT, Affine(0, 0, 512))))),
            {},
            "repeat",
            {"loop-count": {"three"}, "loop-moves": {"left-offset", "store-offset"}, "loop-body": {"load-and-store"}},
        ),
        (
            program((LEFT,), *STAGED, Barrier(), load(LEFT, buffer="half", stride=16, data=None), store(LEFT),
                arrays=(HALVES,)),
            {"A": DISTINCT},
            "barrier",
            {"barrier-between": {"nothing"}, "barrier-place": {"straight", "doubled"}},
        ),
        (
            program((SUM,), load(SUM), store(SUM), store(SUM, 1024, col_major=1)),
            {},
            "access-pair",
            {
                "pair-order": {"store-store"}, "pair-memory": {"read-write"}, "pair-overlap": {"adjacent"},
                "pair-types": {"same-object"}, "pair-waves": {"one-wave"}, "pair-distance": {"nothing"},
            },
        ),
        (
            program((LEFT, RIGHT), load(LEFT, data="X"), load(RIGHT, col_major=0, data="X"), store(LEFT)),
            {"X": DISTINCT},
            "access-pair",
            {"pair-order": {"load-load"}, "pair-overlap": {"same"}, "pair-types": {"other-kind"},
                "pair-memory": {"read-only"}},
        ),
        (
            program((SUM,), load(SUM), store(SUM), store(SUM, 2048, col_major=1)),
            {},
            "matrix",
            {
                "kind": {"accumulator"}, "element": {"f32"}, "m": {"sixteen"}, "n": {"sixteen"}, "uses": {"twice"},
                "stored": {"both-orientations"}, "first-content": {"buffer"}, "overwritten": {"never"},
                "elements-per-lane": {"to-eight"}, "held-across": {"nothing"},
            },
        ),
        (
            program((WHOLE,), Fill("C", Literal(1)), load(WHOLE), Fill("C", Literal(2)), store(WHOLE)),
            {},
            "matrix",
            {"overwritten": {"fill-load", "load-fill"}, "first-content": {"fill"}, "stored": {"once"}},
        ),
        (
            program((SUM,), load(SUM, Affine(0, 1024)), store(SUM, Affine(0, 1024)), waves=2),
            {},
            "program",
            {"waves": {"two"}, "wave-difference": {"all"}, "recipe": {"copy"}, "flow": {"straight"},
                "body-length": {"few"}},
        ),
    ],
)  # fmt: skip
def test_what_is_seen(made: WaveMatrixProgram, values: dict[str, Any], group: str, wanted: dict[str, set[str]]) -> None:
    found = observed(made, values)
    assert {axis: classes(found, group, axis) for axis in wanted} == wanted


@pytest.mark.parametrize(
    ("index", "word", "wanted"),
    [
        (RunTime("words", 8), 1024, {"argument-source": {"literal", "run-time"}, "word-offset": {"to-12"},
                                     "word-buffer": {"no-word", "own-read-write"}, "word-shared-by": {"no-word",
                                     "one"}}),
        (Affine(4096, 64, 0, 2, 2048), 0, {"argument-source": {"literal", "grid"}, "affine-grid": {"none", "two"},
                                           "affine-row": {"no-grid", "both"}, "affine-base": {"not-affine", "large"},
                                           "affine-wave": {"zero", "tile-in-row"}}),
        (Affine(0, 2048), 0, {"argument-source": {"literal", "wave"}, "affine-wave": {"zero", "tile"},
                              "affine-lane": {"zero"}, "affine-base": {"not-affine", "zero"}}),
    ],
)  # fmt: skip
def test_arguments(index: Any, word: int, wanted: dict[str, set[str]]) -> None:
    buffers = (Buffer("in", 65536), OUT, Buffer("words", 64))
    made = program((SUM,), load(SUM, index, stride=128), waves=4, buffers=buffers)
    words = (Word("words", 8, word),) if isinstance(index, RunTime) else ()
    found = observed(made, {}, words)
    assert {axis: classes(found, "argument", axis) for axis in wanted} == wanted


@pytest.mark.parametrize(("element", "offset", "overlap"), [("f32", 2, "adjacent"), ("f16", 1, "within-dword")])
def test_places_of_arrays_count_elements(element: str, offset: int, overlap: str) -> None:
    """Two stores to an array, one behind the other: only halves can share a dword."""
    matrix = Matrix("C", "accumulator", element, 16, 16)  # type: ignore[arg-type]
    array = SharedArray("array", element, 1024)  # type: ignore[arg-type]
    stores = (store(matrix, place, buffer="array", stride=16) for place in (offset, offset + 256))
    found = observed(program((matrix,), Fill("C", Literal(0)), *stores, arrays=(array,)), {})
    assert classes(found, "access-pair", "pair-overlap") == {overlap}


def test_lanes_that_disagree() -> None:
    made = program((SUM,), load(SUM, stride=Affine(64, lane=1), col_major=Affine(0, lane=1)), store(SUM))
    assert classes(observed(made, {}), "argument", "affine-lane") == {"zero", "illegal", "alternating"}
