"""What executions of a case keep for each other: under every reading it is as if each step had been executed anew."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.hlsl_linalg.execution.again import Again, Asked
from mmaspec.oracle.judge import ByReading, expect_by_reading
from mmaspec.oracle.numerics.legal import Legal
from mmaspec.programs.base import Buffer
from mmaspec.programs.hlsl_linalg import (
    LinalgProgram,
    Load,
    Matrix,
    MultiplyVector,
    Vector,
    VectorLoad,
    VectorStore,
)
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.hlsl_linalg.arrays import PACKED
from mmaspec.strategies.hlsl_linalg.revisions import EARLIER
from mmaspec.strategies.recipe import materialise

from . import by_hand
from .test_arrays import looked_at

LATER = sorted(packed.name for packed in PACKED if packed.under != EARLIER)
PARTS = ("lo", "hi", "nan", "why", "moved", "bits", "ends")


def parts(expected: Defined) -> Iterator[tuple[str, Any]]:
    """Everything that is demanded, piece by piece, with a name for each."""
    for name in expected.images:
        yield f"image of {name}", expected.images[name]
        yield f"known of {name}", expected.known[name]
        yield f"owned of {name}", expected.owned[name]
    yield "consulted", sorted(expected.consulted)
    for step in expected.steps:
        yield f"points of {step.place}", (step.place, step.writes, sorted(step.points))
        yield from legal_parts(f"legal of {step.place}", step.legal)
    for number, region in enumerate(expected.regions):
        yield f"region {number}", (region.buffer, region.step)
        yield f"addresses of region {number}", region.addresses
        yield f"live of region {number}", region.live
        yield f"same of region {number}", np.array([]) if region.same is None else region.same
        yield from legal_parts(f"legal of region {number}", region.legal)
    for number, other in enumerate(expected.others):
        for name, part in parts(other):
            yield f"{name}, other {number}", part


def legal_parts(name: str, legal: Legal | None) -> Iterator[tuple[str, Any]]:
    if legal is not None:
        yield name, legal.fmt.name
        yield from ((f"{part} of {name}", getattr(legal, part)) for part in PARTS)


def demanded(by_reading: ByReading) -> list[tuple[str, Any]]:
    return [(f"{reading}: {name}", part) for reading, variant in by_reading.variants for name, part in parts(variant)]


def anew(self: Any, place: Any, instruction: Any, execute: Callable[..., Any]) -> Any:
    """A step that keeps nothing and puts nothing back."""
    return execute(self._run, place, instruction)


def differing(case: Case, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is demanded otherwise where every step is executed anew."""
    kept = demanded(expect_by_reading(case, PRACTICE))
    with monkeypatch.context() as patched:
        patched.setattr(Again, "step", anew)
        fresh = demanded(expect_by_reading(case, PRACTICE))
    assert [name for name, _ in kept] == [name for name, _ in fresh]
    return [
        name
        for (name, one), (_, other) in zip(kept, fresh, strict=True)
        if not (np.array_equal(one, other) if isinstance(one, np.ndarray) else one == other)
    ]


@pytest.mark.parametrize("name", LATER)
def test_what_is_kept_changes_nothing(name: str, monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    cases = looked_at(name, times)
    assert cases
    for _, recipe in cases:
        assert not differing(materialise(recipe), monkeypatch), recipe.id


def test_a_step_that_is_put_back_where_an_answer_differs_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison can fail: here answers are left out of what a step is kept by."""
    cases = [materialise(recipe) for name in LATER for _, recipe in looked_at(name, 1)]
    several = [case for case in cases if len(expect_by_reading(case, PRACTICE).variants) > 1]
    assert several
    with monkeypatch.context() as patched:
        patched.setattr(Asked, "answer", lambda self, question: question(self._readings))
        assert any(differing(case, monkeypatch) for case in several)


def test_where_many_conversions_may_be_left_out_all_are_or_none_is() -> None:
    """Seven products, of each of which the vector may be converted or not: more combinations than can be held."""
    products = tuple(MultiplyVector(f"y{number}", "M", "x") for number in range(7))
    program = LinalgProgram(
        buffers=(Buffer("in", 1024, 0), Buffer("out", 256, 0)),
        matrices=(Matrix("M", "F8_E4M3FN", 4, 8, "A", "Thread"),),
        vectors=(Vector("x", "F16", 8), *(Vector(one.vector, "F16", 4) for one in products)),
        body=(
            Load("M", "in", 0, 16),
            VectorLoad("x", "in", 512),
            *products,
            *(VectorStore(one.vector, "out", 32 * number) for number, one in enumerate(products)),
        ),
        threads=1,
    )
    rng = np.random.default_rng(5)
    numbers = rng.integers(1, 100, 512).astype(np.uint8), (rng.random(256) + 1).astype(np.float16)
    held = {"in": b"".join(one.tobytes() for one in numbers)}
    assert len(by_hand.expected(program, held).others) == 2
    fewer = replace(program, body=(*program.body[:4], *program.body[9:11]))
    assert len(by_hand.expected(fewer, held).others) == 8
