"""What is said where values stand in wrong places."""

from __future__ import annotations

import numpy as np
import pytest

from mmaspec.backends.numpy.amd_rdna3_wmma.device import State, WmmaDevice
from mmaspec.programs.amd_rdna3_wmma.program import Wmma

from .blamed import findings, of_device

pytestmark = pytest.mark.exhaustive(every=2, alike="blamed")


class SwappedRows(WmmaDevice):
    """In wave64 two quarters of the lanes of an integer D are exchanged, unless D is C."""

    def wmma(self, state: State, step: Wmma) -> None:
        super().wmma(state, step)
        if state.program.wave_size == 64 and step.builtin.startswith("i32") and step.d != step.c:
            found = state.registers[step.d].copy()
            found[:, :, 32:64] = np.roll(found[:, :, 32:64], 16, axis=2)
            state.registers[step.d] = found


class EmptyRegister(WmmaDevice):
    """In wave64 the last register of D is not written."""

    def wmma(self, state: State, step: Wmma) -> None:
        super().wmma(state, step)
        if state.program.wave_size == 64:
            found = state.registers[step.d].copy()
            found[..., -1] = 0
            state.registers[step.d] = found


def test_few_wrong_rows_are_named() -> None:
    found = findings(of_device("amd-rdna3-wmma", EmptyRegister), "amd-rdna3-wmma", "neighbours")
    assert found
    assert all("rows 12 to 15" in one.says and not one.pattern for one in found)


def test_what_stands_in_wrong_places_says_more_than_a_product_without_its_addend() -> None:
    """Of a product of zeros nothing is left without C, whatever is exchanged in it."""
    found = findings(of_device("amd-rdna3-wmma", SwappedRows), "amd-rdna3-wmma", "neighbours")
    assert found
    assert {one.blamed[0] for one in found} == {"RDNA3-CD-W64"}
