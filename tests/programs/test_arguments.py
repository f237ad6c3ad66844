"""The values of arguments over waves and passes, against every wave and pass by itself."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mmaspec.programs.arguments import argument_values, extremes
from mmaspec.programs.base import Affine, Index, RunTime, at
from mmaspec.programs.errors import BadInput

STEPS = st.integers(-5, 5)
INDICES = STEPS | st.builds(Affine, STEPS, STEPS, STEPS, st.integers(0, 3), STEPS, STEPS)
COUNTS = st.integers(1, 7)


@given(INDICES, COUNTS, COUNTS)
@example(Affine(grid=2, row=3), 5, 1)
@example(Affine(grid=2, row=3, loop=1), 2, 3)
def test_every_wave_and_pass_counts(index: Index, waves: int, passes: int) -> None:
    everywhere = [at(index, wave, loop) for wave in range(waves) for loop in range(passes)]
    assert set(argument_values(index, waves, passes)) == set(everywhere)
    assert extremes(index, waves, passes) == (min(everywhere), max(everywhere))


@pytest.mark.parametrize(("index", "says"), [(RunTime("in", 4), "in is not resolved"), (Affine(grid=-1), "a grid -1")])
def test_what_has_no_value_is_bad_input(index: Index, says: str) -> None:
    for values in (argument_values, extremes):
        with pytest.raises(BadInput, match=says):
            list(values(index, 2, 2))
