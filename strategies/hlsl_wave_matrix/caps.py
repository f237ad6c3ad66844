"""Random caps that the document allows: tables of answers to the query, as a driver could report them."""

from __future__ import annotations

from mmaspec.programs.hlsl_wave_matrix.caps import ACCUMULATORS, DIMENSIONS, Datatype, WaveMmaCaps, WaveMmaSupport
from mmaspec.strategies.choices import Choices

LANES = (4, 8, 16, 32, 64, 128)
"""The lanes that a wave can have in Direct3D."""
DEPTHS = (16, 32, 48, 64, 96, 128)
"""Values of K: multiples of 16."""


def random_caps(choices: Choices) -> WaveMmaCaps:
    """A range of lanes, and for some datatypes and sizes a K, accumulators and a required wave size of their own.

    Most tables have rows of different wave sizes. Rows that are not supported may say anything.
    """
    low = choices.integer(0, len(LANES) - 1)
    high = choices.integer(low, len(LANES) - 1)
    sizes = LANES[low : high + 1]
    common = choices.one_of((0, *sizes)) if choices.chance(30) else None
    rows = []
    for datatype in ACCUMULATORS:
        for m in DIMENSIONS:
            for n in DIMENSIONS:
                if choices.chance(35):
                    rows.append(_row(choices, datatype, m, n, (0, *sizes) if common is None else (common,)))
                elif choices.chance(20):
                    rows.append(WaveMmaSupport(datatype, m, n, False, choices.one_of((0, 24)), 0, 0))
    if not any(row.supported for row in rows):
        rows = [_row(choices, choices.one_of(tuple(ACCUMULATORS)), 16, 16, (0, *sizes))]
    return WaveMmaCaps(tuple(rows), (LANES[low], LANES[high]))


def _row(choices: Choices, datatype: Datatype, m: int, n: int, sizes: tuple[int, ...]) -> WaveMmaSupport:
    """A supported row."""
    flags = tuple(ACCUMULATORS[datatype])
    precision = choices.one_of((*flags, sum(flags))) if len(flags) > 1 else sum(flags)
    return WaveMmaSupport(datatype, m, n, True, choices.one_of(DEPTHS), precision, choices.one_of(sizes))
