"""Mistakes that small whole numbers, or a unit matrix, hide: what stands for them in blame."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mmaspec.backends.numpy.amd_rdna3_wmma.device import Registers, State, WmmaDevice
from mmaspec.backends.numpy.hlsl_wave_matrix.device import WaveMatrixDevice
from mmaspec.oracle.source import Source
from mmaspec.programs.amd_rdna3_wmma.program import Wmma
from mmaspec.programs.formats import format_named
from mmaspec.suites.judging.blaming.probes import ADDEND, LARGEST, LONE, lone
from mmaspec.suites.score.classes.proofs import smoke

from .blamed import finding, listed, of_device

pytestmark = pytest.mark.exhaustive(every=2, alike="blamed")


class SignOfOtherBeyondSixteen(WaveMatrixDevice):
    """Of factors with unlike signs B has that of A from the seventeenth k on: a unit matrix of 16 rows ends there."""

    def product_of(self, elements: Any, a: Any, b: Any, c: Any) -> Any:
        left, right, total = elements
        if left == right or {left, right} != {"u8", "s8"} or a.shape[-1] <= 16:
            return super().product_of(elements, a, b, c)
        first = super().product_of(elements, a[..., :16], b[..., :16, :], c)
        return super().product_of((left, left, total), a[..., 16:], b[..., 16:, :], first)


def test_a_factor_that_is_misread_for_the_last_k_alone_is_misread() -> None:
    spec = "hlsl-wave-matrix"
    backend = of_device(spec, SignOfOtherBeyondSixteen)
    found = [finding(backend, recipe) for recipe in listed(backend, spec, "multiply")]
    blamed = [one.blamed[0] for one in found if one is not None]
    assert blamed
    assert set(blamed) == {"WM-MUL-MIXSIGN"}


class ExchangesLanesOfC(WmmaDevice):
    """In wave64 the third and the fourth quarter of the lanes have each other's registers of C."""

    def addend(self, state: State, step: Wmma) -> Registers:
        found = super().addend(state, step)
        if state.program.wave_size != 64:
            return found
        lanes = np.arange(64)
        return found[..., np.where(lanes >= 32, lanes ^ 16, lanes), :]


def test_constants_do_not_make_a_layout_a_question_of_accuracy(one_in: Callable[[int], int]) -> None:
    """With constants that are no whole numbers every sum of many products has room for what the exchange changes."""
    spec = "amd-rdna3-wmma"
    backend = of_device(spec, ExchangesLanesOfC)
    some = [one for one in smoke(spec) if one.template == "neighbours" and one.row == "f32_16x16x16_f16_w64"]
    found = [one for one in (finding(backend, recipe) for recipe in some[:: one_in(3)]) if one is not None]
    assert found
    assert not [one.says for one in found if one.practice_only]


def test_lone_products_fit_eight_bits() -> None:
    half, single = format_named("f16"), format_named("f32")
    sources = [
        Source(role, role, fmt, "in", np.zeros((1, 1, 3, 16, 16), np.int64))
        for role, fmt in (("a", half), ("b", half), ("c", single))
    ]  # fmt: skip
    drawn = lone(sources, 5, "key")
    assert (np.count_nonzero(drawn["a"], axis=-1) <= 1).all()
    assert np.count_nonzero(drawn["a"]) > 5 * 3 * 8
    values = {name: drawn[name].astype(np.uint16).view(np.float16).astype(float) for name in "ab"}
    assert max(values["a"].max(), values["b"].max()) == LONE
    assert (np.matmul(values["a"], values["b"]) + ADDEND < LARGEST).all()
