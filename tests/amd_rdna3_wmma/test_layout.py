"""The register layouts against closed forms and against the loops of the document's sample."""

from __future__ import annotations

import numpy as np
import pytest

from mmaspec.oracle.amd_rdna3_wmma.addresses import accumulator_register, block_bits, operand_register, replicas, slot
from mmaspec.programs.amd_rdna3_wmma.program import Fragment

FORMS = [("half", 16, 16), ("short", 16, 16), ("int", 4, 8), ("int", 2, 4)]
"""Element and slots of the vectors of A and B, bits of an element."""


@pytest.mark.parametrize("lanes", [32, 64])
@pytest.mark.parametrize(("element", "slots", "size"), FORMS)
@pytest.mark.parametrize("use", ["a", "b"])
def test_operands_are_lines_by_lane_with_k_ascending(use: str, element: str, slots: int, size: int, lanes: int) -> None:
    fragment = Fragment("x", use, element, slots)  # type: ignore[arg-type]
    found = block_bits(fragment, lanes)
    assert found.shape == (lanes // 16, 16, 16)
    for copy in range(lanes // 16):
        for line in range(16):
            for k in range(16):
                cell = (copy, line, k) if use == "a" else (copy, k, line)
                assert found[cell] == ((line + 16 * copy) * 16 + k) * size


def test_the_sample_reads_operands_the_same_way() -> None:
    # a_frag[ele] = a[16 * lane + ele]; b_frag[ele] = b[16 * ele + lane], with lane modulo 16, in row-major matrices
    a = block_bits(Fragment("a", "a", "half", 16), 32)
    b = block_bits(Fragment("b", "b", "half", 16), 32)
    for thread in range(32):
        lane = thread % 16
        for ele in range(16):
            at = 8 * (thread * 32 + ele * 2)
            assert a[thread // 16].flat[16 * lane + ele] == at
            assert b[thread // 16].flat[16 * ele + lane] == at


def test_the_sample_stores_results_the_same_way() -> None:
    # r = ele * 2 + lIdx / 16; c[16 * r + lane]: the sample's vector has two slots a VGPR, of which the first counts
    seen = {}
    for thread in range(32):
        for ele in range(8):
            seen[ele * 2 + thread // 16, thread % 16] = (thread, ele)
    for (row, col), (lane, vgpr) in seen.items():
        place = accumulator_register(row, col, 32)
        assert (place.lane, place.vgpr, place.bit) == (lane, vgpr, 0)
    assert len(seen) == 256


@pytest.mark.parametrize("lanes", [32, 64])
def test_accumulators_stand_once_each_and_fill_every_register(lanes: int) -> None:
    per_vgpr = lanes // 16
    places = {}
    for lane in range(lanes):
        for vgpr in range(16 // per_vgpr):
            places[per_vgpr * vgpr + lane // 16, lane % 16] = (lane, vgpr)
    assert len(places) == 256
    for (row, col), (lane, vgpr) in places.items():
        found = accumulator_register(row, col, lanes)
        assert (found.lane, found.vgpr) == (lane, vgpr)
    fragment = Fragment("d", "cd", "float", 256 // lanes)
    bits = block_bits(fragment, lanes)
    assert bits.shape == (1, 16, 16)
    assert np.array_equal(np.sort(bits.ravel()), np.arange(256) * 32)


@pytest.mark.parametrize("lanes", [32, 64])
@pytest.mark.parametrize("element", ["half", "short"])
def test_sixteen_bits_stand_in_either_half_of_the_same_registers(element: str, lanes: int) -> None:
    """Two matrices side by side fill every slot; as in the sample's loop, slot 2v is the low half, 2v + 1 the high."""
    wide = block_bits(Fragment("d", "cd", "float", 256 // lanes), lanes)
    found = block_bits(Fragment("d", "cd", element, 512 // lanes), lanes)  # type: ignore[arg-type]
    assert found.shape == (1, 16, 32)
    assert np.array_equal(found[..., :16], wide)
    assert np.array_equal(found[..., 16:], wide + 16)
    assert np.array_equal(np.sort(found.ravel()), np.arange(512) * 16)
    for row, high in np.ndindex(16, 2):
        place = accumulator_register(row, 3, lanes, high=bool(high))
        assert slot(place, 16) == 2 * (row // (lanes // 16)) + high


def test_halves_bytes_and_nibbles_of_a_vgpr_ascend() -> None:
    assert [(operand_register(3, k, 16).vgpr, operand_register(3, k, 16).bit) for k in (0, 1, 14, 15)] == [
        (0, 0),
        (0, 16),
        (7, 0),
        (7, 16),
    ]
    assert [(operand_register(3, k, 8).vgpr, operand_register(3, k, 8).bit) for k in (0, 3, 4, 15)] == [
        (0, 0),
        (0, 24),
        (1, 0),
        (3, 24),
    ]
    assert [(operand_register(3, k, 4).vgpr, operand_register(3, k, 4).bit) for k in (0, 1, 7, 8, 15)] == [
        (0, 0),
        (0, 4),
        (0, 28),
        (1, 0),
        (1, 28),
    ]
    assert [replicas(lanes) for lanes in (32, 64)] == [2, 4]
