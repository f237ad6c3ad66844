"""What a device may choose anew in each operation: one combination has to be met as a whole."""

from __future__ import annotations

import numpy as np
import pytest

from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.free_choices import MAX_ALTERNATIVES, with_alternatives
from mmaspec.oracle.judge import is_legal, judge, wrong_elements
from mmaspec.oracle.memory import Memory
from mmaspec.oracle.numerics.legal import full
from mmaspec.oracle.readings import Readings
from mmaspec.programs.base import Buffer
from mmaspec.programs.errors import BadInput
from mmaspec.programs.formats import FORMATS

BUFFER = Buffer("d", 64)
BUFFERS = {"d": BUFFER}
BYTE = FORMATS["u8"]


def executing(occasions, options=("1", "2")):
    """A program that stores what is chosen on each occasion, one byte for each; 0 is nothing at all."""

    def executed(readings):
        memory = Memory([BUFFER], 2)
        images, known = memory.initial(), memory.known
        for number in range(occasions):
            chosen = int(readings.decide(f"occasion {number}", options))
            where = np.array([[[number]]])
            mask = np.array([[[chosen > 0]]])
            memory.store("d", where, full(BYTE, (2, 1, 1, 1), chosen), number, mask=mask)
        return Defined(images, known, memory.owned(), (), memory.regions())

    return executed


def demanded(occasions, options=("1", "2")):
    return with_alternatives(Readings({}), executing(occasions, options))


def left(expected, *values):
    """What a device leaves that stores these bytes; None stores none."""
    after = {name: image.copy() for name, image in expected.images.items()}
    for number, value in enumerate(values):
        if value is not None:
            after["d"][:, BUFFER.base + number] = value
    return after


def test_every_combination_is_right_and_no_other():
    expected = demanded(2)
    assert len(expected.others) == 3
    for first in (1, 2, 3):
        for second in (1, 2, 3):
            after = left(expected, first, second)
            right = 3 not in (first, second)
            assert is_legal(expected, expected.images, after, BUFFERS) == right
            assert (not judge(expected, expected.images, after, BUFFERS).wrong) == right
            found = wrong_elements(expected, [(expected.images, after)], BUFFERS)
            assert bool(found.items.any()) != right


def test_what_another_run_left_does_not_say_which_combination_was_met():
    expected = demanded(1)
    after = left(expected, 2)
    found = judge(expected, expected.images, after, BUFFERS, settled=after)
    assert not found.wrong
    assert found.expected is expected.others[0]


def test_a_choice_may_be_to_store_nothing():
    expected = demanded(2, ("5", "0"))
    for first in (5, None):
        for second in (5, None):
            assert is_legal(expected, expected.images, left(expected, first, second), BUFFERS)
    assert not is_legal(expected, expected.images, left(expected, 6, None), BUFFERS)


def test_one_combination_is_for_the_whole_batch():
    expected = demanded(1)
    after = left(expected, 1)
    after["d"][1, BUFFER.base] = 2
    assert not is_legal(expected, expected.images, after, BUFFERS)
    first = expected.items(slice(0, 1))
    assert len(first.others) == 1
    assert is_legal(first, first.images, {"d": after["d"][:1]}, BUFFERS)


def test_what_is_wrong_is_told_by_the_combination_that_explains_most():
    expected = demanded(3)
    after = left(expected, 2, 2, 7)
    found = wrong_elements(expected, [(expected.images, after)], BUFFERS)
    assert [bool(flags.any()) for flags in found.regions] == [False, False, True]


def test_without_free_choices_there_are_no_others():
    assert demanded(0).others == ()


def test_a_choice_that_only_some_make_is_followed_up():
    def executed(readings):
        if readings.decide("whether", ("no", "yes")) == "yes":
            readings.decide("which", ("a", "b", "c"))
        memory = Memory([BUFFER], 1)
        return Defined(memory.initial(), memory.known, memory.owned(), (), memory.regions())

    assert len(with_alternatives(Readings({}), executed).others) == 3


def test_too_many_combinations_are_bad_input():
    assert len(demanded(6).others) == MAX_ALTERNATIVES - 1
    with pytest.raises(BadInput, match="free choices"):
        demanded(7)
