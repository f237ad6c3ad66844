"""A sample of the small-scope exhaustion, and the same layouts as whole programs."""

from __future__ import annotations

import pytest

from mmaspec.backends.faults.nv_coopmat2.devices import MirrorEdgeRepeated
from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined, Undefined
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.base import Buffer, Literal
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps, FixedSize
from mmaspec.programs.nv_coopmat2.program import (
    CoopMatProgram,
    Layout,
    LoadTensor,
    Matrix,
    SetBlockSize,
    SetClampValue,
    SetDimension,
    SetStride,
    Slice,
    Splat,
    Store,
    StoreTensor,
)
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.recipe import Recipe, materialise
from mmaspec.suites.judging.ask import ask, hold
from mmaspec.suites.score import small_scope
from mmaspec.suites.score.small_scope import (
    FILL,
    SCOPES,
    SIDE,
    Small,
    demanded,
    drawn,
    joined,
    one_axis,
    run_part,
    stored,
)

CAPS = CoopMatCaps((FixedSize(SIDE, SIDE, SIDE, "u8", "u8", "u32", "u32"),))
"""A device with such a small matrix."""


@pytest.mark.parametrize("scope", SCOPES, ids=lambda scope: scope.name)
def test_sample(scope: small_scope.Scope) -> None:
    tally = joined([run_part(scope.name, part, scope.sample) for part in range(scope.sampled)])
    assert tally.differing == 0
    assert tally.cases - tally.undefined > 200
    assert tally.digest.hex() == stored()[scope.name]["sample"]


def test_every_scope_has_both_digests() -> None:
    assert set(stored()) == {scope.name for scope in SCOPES}
    for digests in stored().values():
        assert {name: len(digest) for name, digest in digests.items()} == {"whole": 64, "sample": 64}


def test_a_wrong_device_is_reported() -> None:
    assert run_part("one-axis", 0, 37, MirrorEdgeRepeated(SequentialUnit())).differing > 0


def case_of(small: Small, mode: int, *, store: bool) -> Case:
    """The layout in a program that loads through it, or stores."""
    calls = (
        SetBlockSize(small.block),
        SetDimension(small.dimension),
        SetStride(small.stride),
        Slice(small.offset, small.span),
        SetClampValue(FILL),
    )
    body = (
        (Splat("a", Literal(7)), StoreTensor("a", "out", 0, "t"))
        if store
        else (LoadTensor("a", "in", 0, "t", data="T"), Store("a", "out", 0, SIDE))
    )
    program = CoopMatProgram(
        buffers=(Buffer("in", 64), Buffer("out", 64)),
        matrices=(Matrix("a", "u8", SIDE, SIDE, 0),),
        body=body,
        layouts=(Layout("t", calls, len(small.dimension), mode),),
    )
    row = spec_named("nv-coopmat2").rows(CAPS)[0].name
    recipe = Recipe(
        spec="nv-coopmat2",
        revision=spec_named("nv-coopmat2").catalogue.revision,
        row=row,
        template="small-scope",
        program=program,
        caps=CAPS,
        words=(),
        regime="distinct",
        seed=1,
        batch=2,
        target="",
        labels=(),
    )
    return materialise(recipe)


def test_whole_programs_say_the_same() -> None:
    backend = NumpyBackend(SequentialUnit(), {"nv-coopmat2": small_scope.CoopMat2Device})
    backend.report("nv-coopmat2", CAPS)
    seen = {True: 0, False: 0}
    few = [*list(one_axis(1))[::97], *list(one_axis(0))[::211], *[s for n, s in zip(range(60), drawn(3), strict=False)]]
    for number, small in enumerate(few):
        store, mode = number % 3 == 0 and max(small.block) == 1, number % 5
        case = case_of(small, mode, store=store)
        by_reading = expect_by_reading(case, PRACTICE)
        defined = demanded(small, mode, store=store) is not None
        seen[defined] += 1
        if not defined:
            assert isinstance(by_reading.first, Undefined)
            continue
        assert isinstance(by_reading.first, Defined)
        assert hold(case, by_reading, ask(backend, case, by_reading.first)).legal
    assert min(seen.values()) > 20
