"""What executions of a case keep for each other: under every reading it is as if each step had been executed anew."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from msgspec import Struct

from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.hlsl_wave_matrix.again import Again, Execution
from mmaspec.oracle.judge import ByReading, expect_by_reading
from mmaspec.oracle.numerics.legal import Legal
from mmaspec.oracle.readings import Assignment, Readings
from mmaspec.programs.hlsl_wave_matrix.caps import DEFAULT_CAPS
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.recipe import materialise
from tests.case_lists import case_list

PARTS = ("lo", "hi", "nan", "why", "moved", "bits", "ends")
TEMPLATES = ("values", "overflow", "cast", "shared-places", "shared-product")


@cache
def cases() -> tuple[Case, ...]:
    """Cases of small matrices that depend on a reading, some of each of these templates."""
    found: list[Case] = []
    for template in TEMPLATES:
        some = [
            recipe
            for recipe in case_list("hlsl-wave-matrix", DEFAULT_CAPS, "smoke")
            if recipe.template == template and recipe.row.startswith("byte-16x16")
        ]
        several = (case for case in map(materialise, some) if len(demands(case).variants) > 1)
        found += [case for _, case in zip(range(2), several, strict=False)]
    return tuple(found)


def demands(case: Case) -> ByReading:
    return expect_by_reading(case, PRACTICE)


def legal_parts(name: str, legal: Legal | None) -> Iterator[tuple[str, Any]]:
    if legal is not None:
        yield from ((f"{part} of {name}", getattr(legal, part)) for part in PARTS)


def parts(expected: Defined) -> Iterator[tuple[str, Any]]:
    """Everything that is demanded, piece by piece, with a name for each."""
    yield "consulted", sorted(expected.consulted)
    for name, owned in expected.owned.items():
        yield f"owned of {name}", owned
    for step in expected.steps:
        yield f"points of {step.place}", (step.place, step.writes, step.points)
        yield from legal_parts(f"legal of {step.place}", step.legal)
    for number, region in enumerate(expected.regions):
        yield f"region {number}", (region.buffer, region.step)
        yield f"addresses of region {number}", region.addresses
        yield f"live of region {number}", region.live
        yield from legal_parts(f"legal of region {number}", region.legal)


def demanded(case: Case) -> list[tuple[str, Any]]:
    return [(f"{reading}: {name}", part) for reading, one in demands(case).variants for name, part in parts(one)]


def anew(_self: Again, _index: int, _instruction: Struct, execute: Execution) -> Any:
    """A step that keeps nothing and puts nothing back."""
    return execute()


def differing(case: Case, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is demanded otherwise where every step is executed anew."""
    kept = demanded(case)
    with monkeypatch.context() as patched:
        patched.setattr(Again, "step", anew)
        fresh = demanded(case)
    assert [name for name, _ in kept] == [name for name, _ in fresh]
    return [
        name
        for (name, one), (_, other) in zip(kept, fresh, strict=True)
        if not (np.array_equal(one, other) if isinstance(one, np.ndarray) else one == other)
    ]


def test_what_is_kept_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert {case.template for case in cases()} == set(TEMPLATES)
    for case in cases():
        assert not differing(case, monkeypatch), case.template


def test_a_step_that_is_put_back_where_an_answer_differs_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison can fail: here steps are put back whatever they were told."""

    def always(self: Readings, earlier: Assignment) -> bool:
        self.asked += earlier
        return True

    monkeypatch.setattr(Readings, "answered_alike", always)
    for case in cases():
        assert differing(case, monkeypatch), case.template
