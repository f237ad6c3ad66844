"""Case lists drawn by several processes are the list that one draws."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from mmaspec.oracle.spec import spec_named
from mmaspec.programs.errors import BadInput
from mmaspec.strategies.enumerate import case_list
from mmaspec.suites.planning import drawing
from mmaspec.suites.planning.drawing import draw_spread
from mmaspec.suites.pool import Mapper, Progress, processes

SPEC = "amd-rdna3-wmma"
CAPS = spec_named(SPEC).default_caps


def silent(*_: int) -> None:
    """No progress."""


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("workers", [0, 1, 3])
def test_the_list_does_not_depend_on_who_draws_it(workers: int) -> None:
    seen = []
    found = draw_spread(SPEC, CAPS, "quick", 7, workers=workers, progress=lambda *at: seen.append(at), alone=0.0)
    assert found == case_list(SPEC, CAPS, "quick", 7)
    rows = len(spec_named(SPEC).rows(CAPS))
    assert seen == sorted(seen)
    assert (seen[0], seen[-1]) == ((0, rows), (rows, rows))


def die(_task: object) -> None:
    """What a process does that the system kills."""
    os._exit(9)


@contextmanager
def deadly(workers: int) -> Iterator[Mapper]:
    """Processes that draw the first row that they are given, and are killed over the second."""
    with processes(workers) as run:

        def spread(function: Callable[[Any], Any], tasks: Sequence[Any], progress: Progress) -> Iterator[Any]:
            yield from run(function, [tasks[0]], progress)
            yield from run(die, [tasks[1]], progress)

        yield spread


def test_rows_of_a_process_that_is_killed_are_drawn_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "processes", deadly)
    found = draw_spread(SPEC, CAPS, "quick", 7, workers=2, progress=silent, alone=0.0)
    assert found == case_list(SPEC, CAPS, "quick", 7)


def test_a_mistake_is_the_same_wherever_it_is_found() -> None:
    for alone in (0.0, 60.0):
        with pytest.raises(BadInput, match="no tier named"):
            draw_spread(SPEC, CAPS, "none", 7, workers=2, progress=silent, alone=alone)
