"""An instruction that changes what it only reads is named, not the later one that finds it changed."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
import pytest

from mmaspec.backends.numpy.amd_rdna3_wmma.device import WmmaDevice
from mmaspec.backends.numpy.hlsl_wave_matrix.device import WaveMatrixDevice
from mmaspec.backends.numpy.nv_coopmat2.device import CoopMat2Device
from mmaspec.programs.base import Place
from mmaspec.programs.tree import at
from mmaspec.suites.judging.blaming.blame import CLOBBERED
from mmaspec.suites.judging.recall import place_of
from mmaspec.suites.score.classes.proofs import smoke
from mmaspec.suites.verdict.attributes import noun

from .blamed import finding, findings, of_device


class ChangesC(WmmaDevice):
    """The lowest bits of C are inverted where D is another fragment."""

    def wmma(self, state: Any, step: Any) -> None:
        super().wmma(state, step)
        if step.c is not None and step.c != step.d:
            state.registers[step.c] = state.registers[step.c] ^ np.uint8(1)


class ChangesB(WaveMatrixDevice):
    """The lowest bits of the right matrix are inverted."""

    def product(self, shader: Any, product: Any, matrix: Any, addend: Any) -> Any:
        found = super().product(shader, product, matrix, addend)
        shader.matrices[product.right] = shader.contents(product.right) ^ np.uint64(1)
        return found


class ChangesA(CoopMat2Device):
    """A is zero afterwards, where it is not the result."""

    def step(self, running: Any, instruction: Any, loop: int) -> None:
        super().step(running, instruction, loop)
        if noun(instruction) == "mul-add" and instruction.a != instruction.result:
            running.matrices[instruction.a] = np.zeros_like(running.matrices[instruction.a])


class LateB(WmmaDevice):
    """From the third pass on a load of B reads what the pass before had to read."""

    def load(self, state: Any, step: Any) -> None:
        late = state.loop >= 2 and state.fragments[step.into].use == "b"
        super().load(replace(state, loop=state.loop - 1) if late else state, step)


def test_what_a_later_instruction_of_the_loop_writes_is_not_changed_by_the_ones_before_it() -> None:
    """The product reads B before the load behind it in the same pass: from the second pass on what that load wrote."""
    backend = of_device("amd-rdna3-wmma", LateB)
    found = findings(backend, "amd-rdna3-wmma", "loops", 4)
    assert len(found) > 3
    assert {one.blamed[0] for one in found} == {"RDNA3-TILE"}


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize(
    ("spec", "device", "product", "clause"),
    [
        ("amd-rdna3-wmma", ChangesC, "wmma", "RDNA3-MMA"),
        ("hlsl-wave-matrix", ChangesB, "multiply", "WM-M"),
        ("nv-coopmat2", ChangesA, "mul-add", "KHRCM-MULADD"),
    ],
)
def test_the_instruction_that_changes_an_operand_is_named(
    spec: str, device: type[Any], product: str, clause: str
) -> None:
    backend = of_device(spec, device)
    some = [
        one for one in smoke(spec) if not one.target and str(one.program).lower().count(product.replace("-", "")) > 1
    ]
    failing = ((one, found) for one in some[:40:3] if (found := finding(backend, one)) is not None)
    pairs = list(islice(failing, 3))
    named = [(one, found) for one, found in pairs if found.how == CLOBBERED]
    assert len(named) > len(pairs) // 2
    for recipe, found in named:
        assert found.blamed[0].startswith(clause)
        assert len(found.blamed) == 1
        assert product in noun(at(recipe.program, place_of(found.place) or Place(())))
        assert "which it only reads, is wrong from then on" in found.says
