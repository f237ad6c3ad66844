"""Stored into an array and loaded again: a device that takes the registers instead of the memory is found."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.hlsl_wave_matrix.device import WaveMatrixDevice
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.hlsl_wave_matrix import SPEC
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.programs.base import Literal
from mmaspec.programs.hlsl_wave_matrix.program import (
    Barrier,
    Fill,
    Load,
    Matrix,
    MultiplyAccumulate,
    SharedArray,
    Store,
)
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.judging.ask import ask, hold
from tests.case_lists import case_list

from .observing import classes, observed, program, store

KINDS = ("left", "right", "accumulator")


class Forwarding(WaveMatrixDevice):
    """A Load from where the last Store was gets the registers that were stored, whatever the orientations are."""

    kinds: tuple[str, str] = ("accumulator", "accumulator")

    def store(self, shader, store, matrix, loop) -> None:  # type: ignore[no-untyped-def]
        super().store(shader, store, matrix, loop)
        last = (matrix, self.arguments(shader, store, loop), shader.contents(matrix.name).copy())
        shader.__dict__.setdefault("last", {})[store.buffer] = last

    def load(self, shader, load, matrix, waves) -> NDArray[np.uint64]:  # type: ignore[no-untyped-def]
        good: NDArray[np.uint64] = super().load(shader, load, matrix, waves)
        last = shader.__dict__.get("last", {}).get(load.buffer)
        if last is None or (last[0].kind, matrix.kind) != self.kinds or last[2].shape != good.shape:
            return good
        there = all((x.start, x.stride) == (y.start, y.stride) for x, y in zip(last[1], waves, strict=True))
        bits: NDArray[np.uint64] = last[2]
        return bits.copy() if there else good


def _listed(template: str) -> Iterator[Case]:
    listed = case_list(SPEC.name, SPEC.default_caps, "smoke")
    yield from (materialise(one) for one in listed if one.template == template)


def _legal(device: NumpyBackend, case: Case) -> bool:
    by_reading = expect_by_reading(case, PRACTICE)
    assert isinstance(by_reading.first, Defined)
    return hold(case, by_reading, ask(device, case, by_reading.first)).legal


@pytest.mark.parametrize("kinds", [*product(KINDS, repeat=2)], ids="-to-".join)
def test_registers_instead_of_the_memory_are_found(kinds: tuple[str, str]) -> None:
    """In each pair of kinds: an accumulator is also loaded as a factor."""

    class Device(Forwarding):
        pass

    Device.kinds = kinds
    device = NumpyBackend(SequentialUnit(), {SPEC.name: Device})
    cases = [case for case in _listed("reloads") if kinds == _kinds(case)]
    assert cases
    assert not all(_legal(device, case) for case in cases)


def _kinds(case: Case) -> tuple[str, str]:
    """Of the first matrix that is stored into an array, and of the one that is loaded next."""
    program: Any = case.program
    first = next(one for one in program.body if isinstance(one, Store) and program.array(one.buffer))
    then = program.body[program.body.index(first) + 2]
    return program.matrix(first.matrix).kind, program.matrix(then.matrix).kind


def test_accumulators_are_reloaded_in_every_row_and_as_factors_of_products() -> None:
    rows = {case.row for case in _listed("reloads") if _kinds(case) == ("accumulator", "accumulator")}
    assert rows == {row.name for row in SPEC.rows(SPEC.default_caps)}
    fused = [*_listed("fused-products")]
    assert {_kinds(case) for case in fused} == {("accumulator", "left"), ("accumulator", "right")}
    for case in fused:
        loaded = {one.matrix for one in case.program.body if isinstance(one, Load) and one.buffer == "kept"}
        products = [one for one in case.program.body if isinstance(one, MultiplyAccumulate)]
        assert all(loaded & {one.left, one.right} for one in products)


@pytest.mark.parametrize(("ways", "overlap"), [((0, 0), "same"), ((0, 1), "transposed"), ((1, 0), "transposed")])
def test_what_is_seen_of_a_reload(ways: tuple[int, int], overlap: str) -> None:
    first, second = (Matrix(name, "accumulator", "f32", 16, 16) for name in "CD")
    array = SharedArray("array", "f32", 256)
    body = (
        Fill("C", Literal(0)),
        Store("C", "array", 0, 16, ways[0]),
        Barrier(),
        Load("D", "array", 0, 16, ways[1]),
        store(second),
    )
    found = observed(program((first, second), *body, arrays=(array,)), {})
    assert classes(found, "access-pair", "pair-overlap") == {overlap}
    names = ("row", "col")
    assert classes(found, "access-pair", "pair-orientations") == {"-".join(names[way] for way in ways)}


def test_a_fragment_has_no_orientation() -> None:
    fragment = Matrix("F", "left-col-acc", "f32", 16, 16)
    array = SharedArray("array", "f32", 256)
    body = (Fill("F", Literal(0)), Store("F", "array", 0, 1), Barrier(), Load("F", "array", 0, 1))
    found = observed(program((fragment,), *body, store(fragment), arrays=(array,)), {})
    assert classes(found, "access-pair", "pair-orientations") == {"none"}
