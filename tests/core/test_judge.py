"""The judge on bad data: each way to be wrong is seen, and nothing else is."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from mmaspec.oracle.expectation import Defined, Images, Step
from mmaspec.oracle.judge import Judgement, judge, poisoned
from mmaspec.oracle.memory import Memory
from mmaspec.oracle.numerics.legal import Legal, Reason
from mmaspec.oracle.wrong_elements import is_legal, legal_items
from mmaspec.programs.base import Buffer, Place
from mmaspec.programs.formats import format_named

F32 = format_named("f32")
OUT = {"out": Buffer("out", 64)}
ONE, NAN, MINUS_ZERO = 0x3F800000, 0x7FC00000, 0x80000000


def defined(legal: Legal, same: NDArray[np.int64] | None = None) -> Defined:
    """One store of ``legal`` (batch, 1, 1, n) to packed f32 elements of a buffer of 64 bytes."""
    memory = Memory([Buffer("out", 64)], batch=legal.shape[0])
    images = {name: image.copy() for name, image in memory.images.items()}
    known = {name: mask.copy() for name, mask in memory.known.items()}
    addresses = 4 * np.arange(legal.shape[-1]).reshape(1, 1, -1)
    memory.store("out", addresses, legal, step=0, same=same)
    steps = (Step(Place((0,)), "out", ("STORE",), None),)
    return Defined(images, known, memory.owned(), steps, memory.regions())


def answered(expected: Defined, bits: NDArray[np.uint64]) -> Images:
    """Images in which the elements hold ``bits`` (batch, n)."""
    image = expected.images["out"].copy()
    for element in range(bits.shape[1]):
        for byte in range(4):
            image[:, 64 + 4 * element + byte] = (bits[:, element] >> np.uint64(8 * byte)).astype(np.uint8)
    return {"out": image}


def held(legal: Legal, *bits: int) -> Judgement:
    expected = defined(legal)
    after = answered(expected, np.array([bits], np.uint64))
    return judge(expected, expected.images, after, OUT)


def moved(*bits: int) -> Legal:
    return Legal.from_bits(F32, np.array(bits, np.uint64).reshape(1, 1, 1, -1))


def between(lo: int, hi: int, *, nan: bool = False) -> Legal:
    shape = (1, 1, 1, 1)
    return Legal.interval(F32, np.full(shape, lo), np.full(shape, hi), np.full(shape, nan))


def test_right_bits_are_legal_and_counted() -> None:
    judgement = held(moved(ONE, NAN), ONE, NAN)
    assert not judgement.wrong
    assert judgement.judged == 2


@pytest.mark.parametrize("got", [ONE + 1, NAN, 0xFFC00000, 0])
def test_wrong_bits_are_found_with_their_place(got: int) -> None:
    judgement = held(moved(0, ONE), 0, got)
    (wrong,) = judgement.wrong
    assert (wrong.symptom, wrong.index, wrong.address, wrong.got) == ("value", (0, 0, 1), 4, got)


def test_what_another_run_stored_alike_is_settled_and_nothing_else() -> None:
    expected = defined(moved(ONE, 0))
    right, wrong = (answered(expected, np.array([[ONE, last]], np.uint64)) for last in (0, 5))
    stray = {"out": right["out"].copy()}
    stray["out"][0, -1] ^= 1
    assert not judge(expected, expected.images, right, OUT, settled=right).wrong
    assert [one.symptom for one in judge(expected, expected.images, wrong, OUT, settled=right).wrong] == ["value"]
    assert [one.symptom for one in judge(expected, expected.images, stray, OUT, settled=right).wrong] == ["touched"]


def test_nan_never_passes_for_a_number() -> None:
    assert held(between(-(1 << 30), 1 << 30), NAN).wrong


def test_number_never_passes_for_a_required_nan() -> None:
    assert held(moved(NAN), ONE).wrong
    assert not held(moved(NAN), 0xFF800001).wrong, "NaN payload and sign are free"


def test_sign_of_a_moved_zero_counts_and_of_a_computed_zero_does_not() -> None:
    assert held(moved(MINUS_ZERO), 0).wrong
    assert not held(between(0, 0), MINUS_ZERO).wrong


def test_ends_of_an_interval_belong_to_it() -> None:
    legal = between(ONE - 1, ONE + 1)
    assert not held(legal, ONE - 1).wrong
    assert not held(legal, ONE + 1).wrong
    assert held(legal, ONE + 2).wrong[0].distance == 1


def test_not_judged_is_neither_wrong_nor_counted() -> None:
    legal = moved(ONE, ONE).not_judged(np.array([[[[True, False]]]]), Reason.SPEC_SILENT)
    judgement = held(legal, 7, ONE)
    assert not judgement.wrong
    assert judgement.judged == 1


SAME = np.array([5, 5, 5, 2, 2, -1]).reshape(1, 1, 1, -1)
"""Three copies of one value, two of another, and an element by itself."""


def unlike(*bits: int, legal: Legal | None = None, same: NDArray[np.int64] = SAME) -> Judgement:
    free = between(-0x7F800000, 0x7F800000, nan=True).broadcast_to((len(bits) // 6, 1, 1, 6))
    expected = defined(free if legal is None else legal, np.broadcast_to(same, (len(bits) // 6, 1, 1, 6)))
    after = answered(expected, np.array(bits, np.uint64).reshape(-1, 6))
    judgement = judge(expected, expected.images, after, OUT)
    assert is_legal(expected, expected.images, after, OUT) == (not judgement.wrong)
    return judgement


def test_copies_of_one_value_are_alike_in_every_item() -> None:
    two, three = 0x40000000, 0x40400000
    assert not unlike(ONE, ONE, ONE, two, two, three, two, two, two, ONE, ONE, ONE).wrong
    (wrong,) = unlike(ONE, ONE, ONE, two, two, three, two, two, three, ONE, ONE, ONE).wrong
    assert (wrong.symptom, wrong.item, wrong.index, wrong.got, wrong.expected, wrong.count) == (
        "unlike", 1, (0, 0, 2), three, two, 1,
    )  # fmt: skip
    (wrong,) = unlike(ONE, two, three, two, two + 1, three).wrong
    assert (wrong.count, wrong.slight, wrong.nan_due) == (3, False, False)


@pytest.mark.parametrize("bits", [(NAN, ONE, ONE), (ONE, 0x7F800000, ONE), (0, MINUS_ZERO, 1), (0x807FFFFF, 3, 0)])
def test_what_moving_may_change_and_what_is_no_number_need_not_be_alike(bits: tuple[int, int, int]) -> None:
    assert not unlike(*bits, ONE, ONE, 0).wrong


def test_a_value_outside_its_legal_set_comes_before_one_unlike_its_copies() -> None:
    (wrong,) = unlike(ONE, ONE + 1, ONE, 0, 0, 0, legal=between(0, ONE).broadcast_to((1, 1, 1, 6))).wrong
    assert (wrong.symptom, wrong.index) == ("value", (0, 0, 1))
    (wrong,) = unlike(ONE, ONE - 1, ONE, 0, 0, 0, legal=between(0, ONE).broadcast_to((1, 1, 1, 6))).wrong
    assert (wrong.symptom, wrong.index) == ("unlike", (0, 0, 1))


def test_copies_are_compared_where_nothing_else_is_judged_but_not_where_overwritten() -> None:
    free = between(0, 1).broadcast_to((1, 1, 1, 6)).not_judged(np.ones((1, 1, 1, 6), np.bool_), Reason.SPEC_SILENT)
    assert [wrong.symptom for wrong in unlike(7 << 24, ONE, ONE, 0, 0, 0, legal=free).wrong] == ["unlike"]
    memory = Memory([Buffer("out", 64)], batch=1)
    memory.store("out", 4 * np.arange(6).reshape(1, 1, -1), free, step=0, same=SAME)
    memory.store("out", np.zeros((1, 1, 1), np.int64), moved(ONE), step=1)
    first, _ = memory.regions()
    assert first.same is SAME
    assert first.live.tolist() == [[[False, True, True, True, True, True]]]
    images = {name: image.copy() for name, image in memory.images.items()}
    known = {name: mask.copy() for name, mask in memory.known.items()}
    expected = Defined(images, known, memory.owned(), (), memory.regions())
    for bits, count in ((ONE, 0), (ONE + 1, 1)):
        after = answered(expected, np.array([[ONE, bits, ONE, 0, 0, 0]], np.uint64))
        assert sum(wrong.count for wrong in judge(expected, images, after, OUT).wrong) == count


@pytest.mark.parametrize("address", [-64, -1, 60, 64 + 63])
def test_changed_byte_outside_every_element_is_touched(address: int) -> None:
    expected = defined(moved(ONE))
    after = answered(expected, np.array([[ONE]], np.uint64))
    after["out"][0, 64 + address] ^= 1
    (wrong,) = judge(expected, expected.images, after, OUT).wrong
    assert (wrong.symptom, wrong.address, wrong.got ^ wrong.expected) == ("touched", address, 1)


def test_unwritten_element_is_wrong_under_some_poison() -> None:
    expected = defined(moved(ONE))
    results = [judge(expected, poisoned(expected, pattern), poisoned(expected, pattern), OUT) for pattern in (0, 1)]
    assert all(result.wrong for result in results)


def test_every_batch_item_is_judged() -> None:
    legal = Legal.from_bits(F32, np.full((3, 1, 1, 1), ONE, np.uint64))
    expected = defined(legal)
    after = answered(expected, np.array([[ONE], [ONE], [0]], np.uint64))
    judgement = judge(expected, expected.images, after, OUT)
    assert judgement.wrong[0].item == 2
    assert judgement.judged == 3


def test_wide_set_is_weak() -> None:
    assert held(between(-(1 << 30), 1 << 30), ONE).weak
    assert not held(between(ONE, ONE), ONE).weak


def test_an_item_with_unlike_copies_is_wrong_beside_one_with_a_wrong_value() -> None:
    ends = Legal.interval(F32, np.full((2, 1, 1, 6), 0), np.full((2, 1, 1, 6), ONE), np.zeros((2, 1, 1, 6), np.bool_))
    expected = defined(ends, np.broadcast_to(SAME, (2, 1, 1, 6)))
    bits = np.full((2, 6), ONE, np.uint64)
    assert legal_items(expected, expected.images, answered(expected, bits), OUT).all()
    bits[0, 0] += 1
    first = np.flatnonzero(SAME.ravel() == SAME.max())[0]
    bits[1, first] -= 1
    assert not legal_items(expected, expected.images, answered(expected, bits), OUT).any()
