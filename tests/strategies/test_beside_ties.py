"""The last item of near ties lies beside a tie of f32 by less than two last places of a double."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from mmaspec.programs.formats import format_named
from mmaspec.strategies.regimes.beside_ties import ROWS
from mmaspec.strategies.regimes.catalogue import draw

LAST = Fraction(1, 1 << 24)
"""Of 2^28 in double."""


def values(name: str, bits: Any) -> list[list[Fraction]]:
    """Of powers of two and small multiples, which doubles hold."""
    kind = {"f16": np.float16, "f32": np.float32}[name]
    words = bits.astype(np.uint16 if format_named(name).bits == 16 else np.uint32).view(kind)
    return [[Fraction(float(one)) for one in row] for row in words]


@pytest.mark.parametrize("factor", ["f16", "f32"])
def test_sums_lie_on_either_side_of_a_tie(triple: Any, factor: str) -> None:
    drawn = draw("near-tie", 7, triple(factor, "f32", 16, 2), 3)
    left, right = (values(factor, drawn[name][-1, 0, 0]) for name in ("A", "B"))
    assert not drawn["C"][-1].any()
    for row, factors in enumerate(left):
        sign, steps = ROWS[row % len(ROWS)]
        for column in zip(*right, strict=True):
            found = sum((a * b for a, b in zip(factors, column, strict=True)), Fraction(0))
            tie = (1 << 28) + (16 if sign > 0 else 48)
            assert found - tie == sign * (steps * LAST - LAST / 16)


def test_sums_of_16_bits_have_no_room_for_it(triple: Any) -> None:
    drawn = draw("near-tie", 7, triple("f16", "f16", 16, 2), 3)
    assert max(max(row) for row in values("f16", drawn["A"][-1, 0, 0])) < 1 << 14
