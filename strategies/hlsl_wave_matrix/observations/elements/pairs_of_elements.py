"""The pairs of elements that meet in additions and operations with scalars, each once."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from mmaspec.programs.base import Place
from mmaspec.programs.formats import FORMATS, Format
from mmaspec.programs.hlsl_wave_matrix.program import Add, ScalarOperation
from mmaspec.strategies.axes.observation import Subject
from mmaspec.strategies.hlsl_wave_matrix.observations.access import Codes
from mmaspec.strategies.hlsl_wave_matrix.observations.scalars import scalar_codes

MOST = 2048
"""Pairs that are looked at, spread evenly over all in ascending order."""

Pairs = tuple[Format, Format, tuple[tuple[int, int], ...]]
"""Formats of object and operand, and the different pairs of their bits that meet."""


@lru_cache(maxsize=8)
def pairs_of(subject: Subject, place: Place, one: Add | ScalarOperation) -> Pairs | None:
    """The pairs that meet in an Add or a ScalarOperation, as far as their bits are known."""
    held = subject.held(one.matrix, place)
    if held is None:
        return None
    codes, known = held.certain_bits()
    if isinstance(one, Add):
        operand = subject.held(one.operand, place)
        if operand is None:
            return None
        fmt = operand.fmt
        bits, sure = operand.certain_bits()
        others = np.broadcast_to(bits, codes.shape)
        known = known & np.broadcast_to(sure, codes.shape)
    else:
        fmt = FORMATS[subject.program.matrix(one.matrix).element]
        values = scalar_codes(subject, one.value, fmt).reshape(-1, 1, 1, 1)
        others = np.broadcast_to(values, codes.shape)
    return held.fmt, fmt, _different(codes[known], others[known])


def _different(first: Codes, second: Codes) -> tuple[tuple[int, int], ...]:
    both = np.unique(first << np.uint64(32) | second)
    if both.size > MOST:
        both = both[np.linspace(0, both.size - 1, MOST).astype(np.int64)]
    return tuple((int(one) >> 32, int(one) & 0xFFFFFFFF) for one in both)
