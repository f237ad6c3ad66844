"""An operand of Accumulate that the type of the accumulator does not have: it is converted first, or added as it is."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from mmaspec.oracle.hlsl_linalg.execution.arithmetic import Arithmetic
from mmaspec.oracle.numerics.legal import Legal
from mmaspec.oracle.readings import Readings
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.profile import PRACTICE, Profile

from .by_hand import ambiguities

BF16, F32 = FORMATS["bf16"], FORMATS["f32"]
NEAREST = replace(PRACTICE, name="nearest", rounding="nearest-even")
ULP = 2.0**-7
"""Of a bf16 from 1 to 2."""


def in_f32(*values: float) -> Legal:
    return Legal.from_bits(F32, np.array(values, np.float32).view(np.uint32).astype(np.uint64))


def bf16_bits(value: float) -> int:
    return int(np.array(value, np.float32).view(np.uint32)) >> 16


@pytest.mark.parametrize("profile", [PRACTICE, NEAREST], ids=lambda profile: profile.name)
def test_the_sum_may_be_that_of_either_neighbour_or_of_the_operand_itself(profile: Profile) -> None:
    arithmetic = Arithmetic(profile, Readings(ambiguities()))
    total = Legal.from_bits(BF16, np.array([bf16_bits(-1.0)], np.uint64))
    legal = arithmetic.add(total, in_f32(1 + ULP / 4))
    for value, expected in ((0.0, True), (ULP / 4, True), (ULP, True), (ULP * 2, False), (-ULP, False)):
        assert (not legal.illegal(np.array([bf16_bits(value)], np.uint64))[0]) is expected, value
