"""Memory images: poison, scatter, what is known of each byte, which store owns it."""

from __future__ import annotations

import numpy as np
import pytest

from mmaspec.oracle.memory import Memory, gather, poison
from mmaspec.oracle.numerics.legal import Legal, Reason
from mmaspec.programs.base import GUARD, Buffer
from mmaspec.programs.errors import BadInput
from mmaspec.programs.formats import format_named

F32, U8, S32 = format_named("f32"), format_named("u8"), format_named("s32")


def test_poison_patterns_disagree_in_every_byte() -> None:
    first, second = poison(0, "out", 500), poison(1, "out", 500)
    assert (first != second).all()


def test_poison_depends_on_position_and_buffer() -> None:
    pattern = poison(0, "a", 4096)
    assert (pattern[:-64] != pattern[64:]).mean() > 0.9
    assert (pattern != poison(0, "b", 4096)).mean() > 0.9


def test_poison_of_long_buffers_does_not_repeat_at_strides() -> None:
    pattern = poison(0, "a", 1 << 20)
    assert pattern[:4096].tolist() == poison(0, "a", 4096).tolist()
    assert all((pattern[:-step] != pattern[step:]).mean() > 0.9 for step in (1 << 18, 1 << 19, 3 << 18))


def test_the_same_memory_again_holds_what_was_placed_and_nothing_that_was_stored() -> None:
    memory = Memory([Buffer("m", 8)], batch=1)
    memory.place("m", np.array([0]), np.array([[7]], np.uint64), S32)
    first, second = memory.again(), memory.again()
    first.store("m", np.array([0]), Legal.from_bits(S32, np.array([[9]], np.uint64)), step=0)
    assert first.load("m", np.array([0]), S32).bits.tolist() == [[9]]
    assert second.load("m", np.array([0]), S32).bits.tolist() == [[7]]
    assert (first.owned()["m"].sum(), second.owned()["m"].sum(), len(second.regions())) == (4, 0, 0)


def test_allocation_is_guard_view_guard() -> None:
    memory = Memory([Buffer("m", 10, base=32)], batch=3)
    assert memory.images["m"].shape == (3, 32 + 10 + GUARD)


def test_placed_data_is_little_endian_and_known() -> None:
    memory = Memory([Buffer("m", 8)], batch=1)
    memory.place("m", np.array([4]), np.array([[0x11223344]], np.uint64), S32)
    assert memory.images["m"][0, 64 + 4 : 64 + 8].tolist() == [0x44, 0x33, 0x22, 0x11]
    assert memory.known["m"][64:72].tolist() == [False] * 4 + [True] * 4


def test_loading_poison_is_not_judged() -> None:
    memory = Memory([Buffer("m", 8)], batch=2)
    loaded = memory.load("m", np.array([0]), S32)
    assert (loaded.why == Reason.INEXACT_RELOAD).all()


def test_access_outside_the_view_is_bad_input() -> None:
    memory = Memory([Buffer("m", 8)], batch=1)
    with pytest.raises(BadInput, match=r"bytes 5\.\.8 of a view of 8"):
        memory.load("m", np.array([5]), S32)


def test_later_store_owns_the_overlap() -> None:
    memory = Memory([Buffer("m", 8)], batch=1)
    first = Legal.from_bits(S32, np.array([[1, 2]], np.uint64))
    memory.store("m", np.array([0, 4]), first, step=0)
    memory.store("m", np.array([4]), Legal.from_bits(S32, np.array([[9]], np.uint64)), step=1)
    before, after = memory.regions()
    assert before.live.tolist() == [True, False]
    assert after.live.tolist() == [True]
    assert memory.load("m", np.array([4]), S32).bits.tolist() == [[9]]


def test_partial_overlap_takes_the_whole_element_out() -> None:
    memory = Memory([Buffer("m", 8)], batch=1)
    memory.store("m", np.array([0]), Legal.from_bits(S32, np.array([[1]], np.uint64)), step=0)
    memory.store("m", np.array([3]), Legal.from_bits(U8, np.array([[7]], np.uint64)), step=1)
    assert memory.regions()[0].live.tolist() == [False]
    assert memory.owned()["m"][64:68].tolist() == [True] * 4


def test_masked_elements_keep_their_bytes() -> None:
    memory = Memory([Buffer("m", 8)], batch=1)
    legal = Legal.from_bits(S32, np.array([[1, 2]], np.uint64))
    memory.store("m", np.array([0, -400]), legal, step=0, mask=np.array([True, False]))
    assert memory.regions()[0].live.tolist() == [True, False]
    assert not memory.owned()["m"][68:].any()


def test_reload_of_an_interval_is_not_judged_but_exact_results_are() -> None:
    memory = Memory([Buffer("m", 8)], batch=1)
    wide = Legal.interval(F32, np.array([[5, 7]]), np.array([[6, 7]]))
    memory.store("m", np.array([0, 4]), wide, step=0)
    loaded = memory.load("m", np.array([0, 4]), F32)
    assert loaded.why.tolist() == [[Reason.INEXACT_RELOAD, 0]]
    assert loaded.lo[0, 1] == 7


def test_reload_of_a_computed_zero_is_not_judged_since_its_sign_is_free() -> None:
    memory = Memory([Buffer("m", 4)], batch=1)
    memory.store("m", np.array([0]), Legal.interval(F32, np.array([[0]]), np.array([[0]])), step=0)
    assert memory.load("m", np.array([0]), F32).why.tolist() == [[Reason.INEXACT_RELOAD]]


def test_gather_reads_every_width() -> None:
    image = np.arange(16, dtype=np.uint8)[None]
    assert gather(image, np.array([1]), 1).tolist() == [[1]]
    assert gather(image, np.array([1]), 2).tolist() == [[0x0201]]
    assert gather(image, np.array([8]), 8).tolist() == [[0x0F0E0D0C0B0A0908]]
