"""The tables of near misses of loads and stores: which access, what about it, and when."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mmaspec.strategies.grammar import NearMiss, joined
from mmaspec.strategies.hlsl_wave_matrix.near_misses.accesses import (
    no_element_stride,
    odd_alignment,
    odd_between,
    odd_offset,
    other_orientation,
    read_only,
    short_array_stride,
    short_element_stride,
    short_stride,
    shrinking_stride,
    unaligned,
    unaligned_stride,
)
from mmaspec.strategies.hlsl_wave_matrix.near_misses.ways import Way, in_ways

OFFSETS = (
    Way("load", "left", "1 byte on"),
    Way("load", "right", "2 bytes on"),
    Way("load", "accumulator", "3 bytes on"),
    Way("store", "accumulator", "2 bytes on"),
    Way("store", "left", "1 byte on"),
    Way("load", "left-col-acc", "2 bytes on"),
    Way("load", "right-row-acc", "1 byte on"),
    Way("store", "left-col-acc", "1 byte on"),
    Way("store", "right-row-acc", "2 bytes on"),
    Way("load", "left", "2 bytes on", "at run time"),
    Way("store", "accumulator", "1 byte on", "at run time"),
    Way("load", "right", "1 byte on", "last wave"),
    Way("store", "accumulator", "2 bytes on", "last wave"),
    Way("load", "accumulator", "2 bytes on", "first wave"),
    Way("load", "left", "3 bytes on", "last pass"),
    Way("store", "accumulator", "3 bytes on", "last pass"),
    Way("load", "right", "2 bytes on", "first pass"),
    Way("load", "left", "2 bytes on, no alignment given", alignment=0),
)
"""WM-LOAD-OFFSET-DWORD."""

STARTS = (
    Way("load", "left"),
    Way("load", "right"),
    Way("load", "accumulator"),
    Way("store", "accumulator"),
    Way("store", "right"),
    Way("load", "left-col-acc"),
    Way("store", "right-row-acc"),
    Way("load", "left", "by the view's address"),
    Way("store", "accumulator", "by the view's address"),
    Way("load", "right", when="at run time"),
    Way("store", "accumulator", when="at run time"),
    Way("load", "left", when="last wave"),
    Way("store", "accumulator", when="last wave"),
    Way("load", "right", when="first wave"),
    Way("load", "accumulator", when="last pass"),
    Way("store", "accumulator", when="last pass"),
    Way("load", "left", when="first pass"),
)
"""WM-ALIGN-COMBINED."""

STRIDES = (
    Way("load", "left", "stride a dword short", col_major=0, alignment=4),
    Way("load", "left", "stride a dword short", col_major=1, alignment=0),
    Way("load", "right", "stride a dword short", col_major=0, alignment=0),
    Way("load", "right", "stride a dword short", col_major=1, alignment=4),
    Way("load", "accumulator", "stride a dword short", col_major=0, alignment=0),
    Way("load", "accumulator", "stride a dword short", col_major=1, alignment=4),
    Way("store", "accumulator", "stride a dword short", col_major=0, alignment=4),
    Way("store", "accumulator", "stride a dword short", col_major=1, alignment=0),
    Way("store", "left", "stride a dword short", alignment=0),
    Way("store", "right", "stride a dword short", alignment=0),
    Way("load", "left", "stride 0"),
    Way("store", "accumulator", "stride 0"),
    Way("load", "right", "stride a dword short", "at run time", alignment=0),
    Way("store", "accumulator", "stride a dword short", "at run time", alignment=0),
    Way("load", "left", "stride a dword short", "last wave", alignment=0),
    Way("store", "accumulator", "stride a dword short", "last wave", alignment=0),
    Way("load", "right", "stride a dword short", "first wave", alignment=0),
    Way("load", "accumulator", "stride a dword short", "last pass", alignment=0),
    Way("store", "accumulator", "stride a dword short", "last pass", alignment=0),
    Way("load", "left", "stride a dword short", "first pass", alignment=0),
)
"""WM-LOAD-STRIDE-MIN."""

TURNS = (
    Way("load", "accumulator", "turned", "at run time", alignment=0, rows=("oblong",)),
    Way("store", "accumulator", "turned", "last wave", alignment=0, rows=("oblong",)),
    Way("load", "accumulator", "turned", "last pass", alignment=0, rows=("oblong",)),
)
"""WM-LOAD-STRIDE-MIN, by the orientation; only where rows and columns differ in length."""

STRIDE_MULTIPLES = (
    Way("load", "left", "1 byte over"),
    Way("load", "right", "4 bytes over"),
    Way("load", "accumulator", "2 bytes over"),
    Way("store", "accumulator", "1 byte over"),
    Way("store", "accumulator", "4 bytes over"),
    Way("store", "left", "2 bytes over"),
    Way("load", "left", "2 bytes over, no alignment given", alignment=0),
    Way("store", "accumulator", "3 bytes over, no alignment given", alignment=0),
    Way("load", "right", "4 bytes over", "at run time"),
    Way("store", "accumulator", "2 bytes over", "at run time"),
    Way("load", "left", "4 bytes over", "last wave"),
    Way("store", "accumulator", "4 bytes over", "last wave"),
    Way("load", "right", "2 bytes over", "first wave"),
    Way("load", "accumulator", "4 bytes over", "last pass"),
    Way("store", "accumulator", "2 bytes over", "last pass"),
    Way("load", "left", "1 byte over", "first pass"),
)
"""WM-ALIGN-STRIDE."""

ALIGNMENTS = (
    Way("load", "left", "alignment 1"),
    Way("load", "right", "alignment 2"),
    Way("load", "accumulator", "alignment 3"),
    Way("store", "accumulator", "alignment 2"),
    Way("load", "left", "alignment 6"),
    Way("load", "right", "alignment 12"),
    Way("load", "accumulator", "alignment 20"),
    Way("store", "accumulator", "alignment 24"),
    Way("store", "accumulator", "alignment 5"),
    Way("store", "right", "alignment 48"),
    Way("load", "left-col-acc", "alignment 12"),
    Way("store", "right-row-acc", "alignment 2"),
    Way("load", "left", "alignment 40", "in a loop"),
)
"""WM-ALIGN-POW2."""

TARGETS = (
    Way("store", "accumulator"),
    Way("store", "left"),
    Way("store", "right"),
    Way("store", "left-col-acc"),
    Way("store", "right-row-acc"),
    Way("store", "accumulator", "into what a load reads", alignment=0),
    Way("store", "accumulator", when="in a loop"),
    Way("store", "accumulator", when="in a branch"),
)
"""WM-STORE-TARGET."""

FRAGMENTS_IN_BUFFERS = (
    Way("load", "left-col-acc", "a byte short"),
    Way("load", "right-row-acc", "a byte short"),
    Way("store", "left-col-acc", "a byte short"),
    Way("store", "right-row-acc", "a byte short"),
    Way("load", "left-col-acc", "stride 0"),
    Way("store", "right-row-acc", "stride 0"),
    Way("load", "right-row-acc", "a byte short", "at run time"),
    Way("store", "left-col-acc", "a byte short", "last wave"),
    Way("load", "left-col-acc", "a byte short", "first wave"),
    Way("store", "right-row-acc", "a byte short", "last pass"),
    Way("load", "right-row-acc", "a byte short", "first pass"),
)
"""WM-FRAG-STRIDE-MIN, in byte-address buffers."""

FRAGMENTS_IN_ARRAYS = (
    Way("load", "left-col-acc", "in an array"),
    Way("load", "right-row-acc", "in an array"),
    Way("store", "left-col-acc", "in an array"),
    Way("store", "right-row-acc", "in an array"),
    Way("store", "left-col-acc", "in an array", "at run time"),
    Way("load", "right-row-acc", "in an array", "last wave"),
    Way("load", "left-col-acc", "in an array", "last pass"),
)
"""WM-FRAG-STRIDE-MIN, in arrays."""

ARRAY_STRIDES = (
    Way("load", "left", "an element short", col_major=0),
    Way("load", "left", "an element short", col_major=1),
    Way("load", "right", "an element short", col_major=0),
    Way("load", "right", "an element short", col_major=1),
    Way("load", "accumulator", "an element short", col_major=0),
    Way("load", "accumulator", "an element short", col_major=1),
    Way("store", "left", "an element short"),
    Way("store", "right", "an element short"),
    Way("store", "accumulator", "an element short", col_major=0),
    Way("store", "accumulator", "an element short", col_major=1),
    Way("load", "left", "stride 0"),
    Way("store", "accumulator", "stride 0"),
    Way("load", "right", "an element short", "at run time"),
    Way("store", "accumulator", "an element short", "at run time"),
    Way("load", "left", "an element short", "last wave"),
    Way("load", "accumulator", "an element short", "first wave"),
    Way("load", "accumulator", "an element short", "last pass"),
    Way("load", "right", "an element short", "first pass"),
)
"""WM-LOAD-GS-STRIDE-MIN."""

THIRD_ALONE = (
    Way("load", "left", "in the third pass", alignment=0),
    Way("load", "accumulator", "in the third wave", alignment=0),
    Way("load", "right", "in the second pass of the second wave", alignment=0),
)
"""WM-LOAD-STRIDE-MIN, in the last of three waves or passes alone, or of both."""

MIDDLE = (
    Way("load", "left", "in the second of three passes", alignment=0),
    Way("load", "right", "in the second of three, by wave", alignment=0),
)
"""WM-LOAD-OFFSET-DWORD, neither in the first nor in the last."""

THIRD_OF_FRAGMENTS = (
    Way("load", "left-col-acc", "in the third pass", alignment=0),
    Way("load", "right-row-acc", "in an array, in the third pass"),
)
"""WM-FRAG-STRIDE-MIN."""

THIRD_IN_ARRAYS = (
    Way("load", "right", "in an array, in the third pass"),
    Way("load", "left", "in an array, in the third wave"),
)
"""WM-LOAD-GS-STRIDE-MIN."""

ACCESS_NEAR_MISSES: Mapping[str, NearMiss] = MappingProxyType(
    {
        "WM-LOAD-OFFSET-DWORD": joined(in_ways(odd_offset, OFFSETS), in_ways(odd_between, MIDDLE)),
        "WM-LOAD-STRIDE-MIN": joined(
            in_ways(short_stride, STRIDES), in_ways(other_orientation, TURNS), in_ways(shrinking_stride, THIRD_ALONE)
        ),
        "WM-ALIGN-POW2": in_ways(odd_alignment, ALIGNMENTS),
        "WM-ALIGN-COMBINED": in_ways(unaligned, STARTS),
        "WM-ALIGN-STRIDE": in_ways(unaligned_stride, STRIDE_MULTIPLES),
        "WM-STORE-TARGET": in_ways(read_only, TARGETS),
        "WM-FRAG-STRIDE-MIN": joined(
            in_ways(short_element_stride, FRAGMENTS_IN_BUFFERS),
            in_ways(no_element_stride, FRAGMENTS_IN_ARRAYS),
            in_ways(shrinking_stride, THIRD_OF_FRAGMENTS),
        ),
        "WM-LOAD-GS-STRIDE-MIN": joined(
            in_ways(short_array_stride, ARRAY_STRIDES), in_ways(shrinking_stride, THIRD_IN_ARRAYS)
        ),
    }
)
"""Validity clause -> how to break it."""
