"""Reductions into their own source: a device that reads what it wrote a moment ago is found, under each mask."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.nv_coopmat2.device import CoopMat2Device
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.oracle.nv_coopmat2 import SPEC
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.nv_coopmat2.program import REDUCE_COLUMN, REDUCE_ROW, REDUCE_ROW_AND_COLUMN, Reduce
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.nv_coopmat2.arrays.reductions import COMBINES
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.judging.ask import ask, hold
from tests.case_lists import case_list

LEAST = 5
"""Cases of each mask that have to show it."""


class Overwriting(CoopMat2Device):
    """A reduction into its source combines each line anew, from a matrix that is partly written."""

    mask = REDUCE_ROW

    def operate(self, running: Any, ins: Any) -> Any:
        good = super().operate(running, ins)
        if not (isinstance(ins, Reduce) and ins.result == ins.matrix and ins.mask == self.mask):
            return good
        fmt = FORMATS[running.program.matrix(ins.matrix).component]
        bits, name = running.matrices[ins.matrix].copy(), ins.combine.name
        with np.errstate(all="ignore"):
            for at in range(bits.shape[-1 if self.mask == REDUCE_ROW else -2]):
                if self.mask == REDUCE_ROW:
                    bits[..., at] = self.fold(fmt, bits, name)[..., 0]
                elif self.mask == REDUCE_COLUMN:
                    bits[..., at, :] = self.along_columns(fmt, bits, name)[..., 0, :]
                else:
                    bits[..., at, :] = self.everything(fmt, bits, name)[..., 0]
        return bits


def _listed() -> Iterator[Case]:
    every = case_list(SPEC.name, SPEC.default_caps, "smoke")
    yield from (materialise(one) for one in every if one.template == "reductions-in-place")


def _own(case: Case) -> list[Reduce]:
    return [one for one in case.program.body if isinstance(one, Reduce)]


@pytest.mark.parametrize("mask", [REDUCE_ROW, REDUCE_COLUMN, REDUCE_ROW_AND_COLUMN])
def test_values_that_were_just_written_are_found(mask: int) -> None:
    class Device(Overwriting):
        pass

    Device.mask = mask
    backend, found = NumpyBackend(SequentialUnit(), {SPEC.name: Device}), 0
    for case in _listed():
        by_reading = expect_by_reading(case, PRACTICE)
        assert isinstance(by_reading.first, Defined)
        found += not hold(case, by_reading, ask(backend, case, by_reading.first)).legal
    assert found >= LEAST


def test_each_mask_meets_each_function_and_each_kind_of_accumulator() -> None:
    met = {(one.mask, one.combine.name, case.row) for case in _listed() for one in _own(case)}
    assert all(one.result == one.matrix for case in _listed() for one in _own(case))
    masks, functions, kinds = (set(column) for column in zip(*met, strict=True))
    assert (len(masks), functions, len(kinds)) == (3, set(COMBINES), 5)
    assert {(mask, name) for mask, name, _ in met} == {(mask, name) for mask in masks for name in functions}
    assert {(mask, kind) for mask, _, kind in met} == {(mask, kind) for mask in masks for kind in kinds}
