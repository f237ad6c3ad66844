"""Where elements stand in the vectors of a sub-group: against the document's sample, and as a whole."""

from __future__ import annotations

import numpy as np
import pytest

from mmaspec.oracle.intel_subgroup_mma.addresses import access_bits, block_bits, block_bytes, extent
from mmaspec.oracle.intel_subgroup_mma.functions import Signature, signatures
from mmaspec.programs.base import Affine, Buffer
from mmaspec.programs.intel_subgroup_mma.caps import FORMS
from mmaspec.programs.intel_subgroup_mma.program import Fragment, Load, MadProgram

from .programs import fragments, function, named

ALL = pytest.mark.parametrize("signature", signatures(), ids=named)


@pytest.mark.exhaustive(every=4)
@ALL
def test_matrices_have_the_shapes_of_the_product(signature: Signature) -> None:
    a, b, acc = fragments(signature)
    m, n, k = signature.rows, signature.size, FORMS[signature.form].k
    assert [extent(fragment, n) for fragment in (a, b, acc)] == [(m, k), (k, n), (m, n)]


@pytest.mark.exhaustive(every=4)
@ALL
def test_every_bit_of_every_vector_belongs_to_one_element(signature: Signature) -> None:
    for fragment in fragments(signature):
        bits = {"s4": 4, "u4": 4, "s8": 8, "u8": 8, "f16": 16, "bf16": 16}.get(fragment.holds, 32)
        taken = (block_bits(fragment, signature.size)[..., None] + np.arange(bits)).ravel()
        assert sorted(taken) == list(range(8 * block_bytes(fragment, signature.size)))


def test_the_sample_pairs_factors_the_same_way() -> None:
    # i8, M = 2, N = 8: work-item v of the sub-group broadcasts a.x (row 0) or a.y (row 1); its byte number e meets
    # byte e of component v of b, and the work-item that computes is the column.
    a, b, acc = fragments(function(8, "i8_i8_i32", 2))
    in_a, in_b, in_acc = (block_bits(fragment, 8) for fragment in (a, b, acc))
    for item in range(8):
        for row in range(2):
            assert in_acc[row, item] == 32 * (2 * item + row)
            for byte in range(4):
                assert in_a[row, 4 * item + byte] == 32 * (2 * item + row) + 8 * byte
        for component in range(8):
            for byte in range(4):
                assert in_b[4 * component + byte, item] == 32 * (8 * item + component) + 8 * byte


@pytest.mark.exhaustive(every=4)
@ALL
def test_a_work_items_part_of_a_meets_the_component_of_b_that_the_companion_says(signature: Signature) -> None:
    # Sub-groups of 8: the word of work-item w meets component w. Of 16: the low half of component w/2 for even w, the
    # high half for odd w.
    a, b, _ = fragments(signature)
    width = 32 if signature.size == 8 else 16
    in_a, in_b = block_bits(a, signature.size)[0], block_bits(b, signature.size)[:, 0]
    for k in range(FORMS[signature.form].k):
        item, within_a = divmod(int(in_a[k]), width * signature.rows)
        component, within_b = divmod(int(in_b[k]), 32)
        if signature.size == 8:
            assert (component, within_b) == (item, within_a)
        else:
            assert (component, within_b) == (item // 2, within_a + 16 * (item % 2))


def test_blocks_follow_each_other_by_sub_group_and_pass() -> None:
    fragment = Fragment("x", "b", "s4", "int", 8)
    program = MadProgram(8, (Buffer("m", 1 << 16),), (fragment,), (), waves=3)
    found = access_bits(program, Load("x", "m", Affine(1, wave=4, loop=2)), 3, range(2))
    assert found.shape == (3, 2, 64, 8)
    for wave in range(3):
        for loop in range(2):
            start = 8 * 256 * (1 + 4 * wave + 2 * loop)
            assert np.array_equal(found[wave, loop], block_bits(fragment, 8) + start)
