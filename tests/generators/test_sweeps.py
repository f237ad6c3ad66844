"""A sample of every exhaustive sweep comes out as stored, and a wrong answer would be seen."""

from __future__ import annotations

import numpy as np
import pytest

from mmaspec.generators import sweeps
from mmaspec.oracle.numerics.bulk import fixed_point


@pytest.mark.parametrize("sweep", sweeps.SWEEPS, ids=lambda sweep: sweep.name)
def test_sample(sweep):
    outcome = sweeps.run(sweep, sweep.sample)
    assert outcome.differing == 0
    assert outcome.count > 4000
    assert outcome.digest == sweeps.stored()[sweep.name]["sample"]


def test_every_sweep_has_both_digests():
    assert set(sweeps.stored()) == {sweep.name for sweep in sweeps.SWEEPS}
    for digests in sweeps.stored().values():
        assert {len(digest) for digest in digests.values()} == {64}
        assert set(digests) == {"whole", "sample"}


def test_a_wrong_engine_is_reported(monkeypatch, capsys):
    right = fixed_point.round_fixed

    def ties_away(fmt, x, mode):
        return right(fmt, x | np.int64(1), mode)

    monkeypatch.setattr(fixed_point, "round_fixed", ties_away)
    assert sweeps.main(["--sample", "--only", "boundaries"]) == 1
    assert "NOT as stored" in capsys.readouterr().out
