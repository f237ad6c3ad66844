"""A case hangs if it runs too long while the supervisor runs too: what stops both, such as sleep, is no hang."""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.suites.running.awake import Awake


def looks(*times: float) -> Iterator[float]:
    yield from times


def test_what_runs_on_is_over_its_limit() -> None:
    clock = looks(0.0, 0.5, 1.0, 1.5, 2.0)
    awake = Awake(lambda: next(clock))
    for running in ({"a"}, {"a", "b"}, {"a", "b"}):
        awake.look(running)
    assert awake.longest(0.9) == "a"
    assert not awake.longest(1.0)
    awake.look({"b"})
    assert awake.longest(0.9) == "b", "what has ended is forgotten"
    assert not awake.longest(1.1)


def test_a_case_that_begins_again_begins_at_nothing() -> None:
    clock = looks(0.0, 0.5, 1.0, 1.5)
    awake = Awake(lambda: next(clock))
    for running in ({"a"}, set(), {"a"}):
        awake.look(running)
    assert not awake.longest(0.1)


def test_time_in_which_nobody_looked_counts_as_one_second() -> None:
    clock = looks(0.0, 0.2, 3600.0)
    awake = Awake(lambda: next(clock))
    awake.look({"a"})
    awake.look({"a"})
    assert awake.seconds == 1.2
    assert not awake.longest(30.0)


def test_nothing_runs() -> None:
    clock = looks(0.0, 1.0)
    awake = Awake(lambda: next(clock))
    awake.look(())
    assert not awake.longest(0.0)
