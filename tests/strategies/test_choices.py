"""The counter-based driver and the random stream: golden draws, so that no library can change a case list."""

from __future__ import annotations

import numpy as np
import pytest

from mmaspec.strategies.choices import Counted
from mmaspec.strategies.regimes.stream import Stream


def test_golden_choices() -> None:
    choices = Counted("7/toy/1/row/template/0")
    drawn = [choices.integer(0, 999) for _ in range(6)]
    assert drawn == [11, 619, 346, 404, 353, 115]
    assert [choices.one_of("abcdef") for _ in range(6)] == ["c", "b", "f", "a", "e", "f"]
    assert [choices.weighted(((1, "x"), (9, "y"))) for _ in range(6)] == ["y", "y", "y", "x", "x", "y"]
    assert choices.integer(0, (1 << 63) - 1) == 2367015264894888180


def test_golden_stream() -> None:
    stream = Stream(1, "window", "A")
    assert [int(word) for word in stream.raw((2,))] == [6263612901606325132, 13084358223707362498]
    assert stream.below(100, (2, 3)).tolist() == [[42, 31, 13], [57, 87, 49]]
    assert stream.sign((4,)).tolist() == [1, -1, -1, -1]


def test_draws_keep_to_their_bounds() -> None:
    stream, shape = Stream("bounds"), (4096,)
    assert set(stream.between(-2, 2, shape).tolist()) == {-2, -1, 0, 1, 2}
    assert stream.below(1 << 32, shape).max() > 1 << 31
    assert 900 < stream.percent(25, shape).sum() < 1150
    assert not stream.percent(0, shape).any()
    assert stream.percent(100, shape).all()
    assert set(stream.sign(shape).tolist()) == {-1, 1}
    rows = stream.below(np.array([1, 10, 100]), (1000, 3)).max(axis=0)
    assert rows.tolist() == [0, 9, 99]


def test_keys_do_not_run_into_each_other() -> None:
    assert Stream("a", "bc").raw((1,)) != Stream("ab", "c").raw((1,))


@pytest.mark.parametrize("ask", [lambda c: c.integer(2, 1), lambda c: c.one_of(()), lambda c: c.weighted(())])
def test_impossible_requests_raise(ask: object) -> None:
    with pytest.raises(ValueError, match="no integer"):
        ask(Counted("x"))  # type: ignore[operator]
