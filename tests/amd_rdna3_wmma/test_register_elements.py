"""Elements in the registers of the reference device, as mutants change them: every copy of one, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from mmaspec.oracle.amd_rdna3_wmma import SPEC
from mmaspec.suites.score.classes.registers import in_device

from .programs import BUILTINS, NARROW, OPERANDS, lanes_of, product

WIDTHS = {"f16": 16, "bf16": 16, "iu8": 8, "iu4": 4}


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("builtin", BUILTINS)
@pytest.mark.parametrize("name", ["a", "b", "c"])
def test_one_element_changes_in_all_of_its_copies(builtin: str, name: str) -> None:
    program = product(builtin)
    lanes, operands = lanes_of(builtin), builtin.split("_")[2]
    width = WIDTHS[operands] if name != "c" else 16 if builtin in NARROW else 32
    vgprs = OPERANDS[operands][1] * OPERANDS[operands][2] // 4 if name != "c" else 256 // lanes
    before = np.random.default_rng(3).integers(0, 1 << 32, (2, 1, lanes, vgprs), np.uint32)
    if name != "c":
        before = before[:, :, np.arange(lanes) % 16]
    seen: list[NDArray[np.uint64]] = []

    def change(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
        seen.append(bits)
        new = bits.copy()
        new[1, 0, 3, 5] ^= np.uint64(1)
        return new

    after = in_device(SPEC, program, name, change)(before)
    flipped = before ^ after
    assert not flipped[0].any()
    copies = 1 if name == "c" else lanes // 16
    assert sum(int(word).bit_count() for word in flipped.ravel()) == copies
    line, k = (3, 5) if name == "a" else (5, 3)
    group = lanes // 16
    places = [(line + 16 * copy, k * width // 32, k * width % 32) for copy in range(copies)]
    if name == "c":
        places = [(16 * (3 % group) + 5, 3 // group, 0)]
    for lane, vgpr, bit in places:
        assert flipped[1, 0, lane, vgpr] == 1 << bit
        assert seen[0][1, 0, 3, 5] == int(before[1, 0, lane, vgpr]) >> bit & (1 << width) - 1 or name != "c"
