"""What a device may choose anew in each operation: one combination has to be met as a whole."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.free_choices import MAX_ALTERNATIVES, with_alternatives
from mmaspec.oracle.judge import judge
from mmaspec.oracle.memory import Memory
from mmaspec.oracle.numerics.legal import full
from mmaspec.oracle.readings import Readings
from mmaspec.oracle.wrong_elements import is_legal, legal_items, wrong_elements
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


def test_each_item_of_a_batch_has_a_combination_of_its_own():
    expected = demanded(2)
    after = left(expected, 1, 2)
    after["d"][1, BUFFER.base : BUFFER.base + 2] = 2, 1
    assert is_legal(expected, expected.images, after, BUFFERS)
    assert not judge(expected, expected.images, after, BUFFERS).wrong
    after["d"][1, BUFFER.base] = 3
    assert not is_legal(expected, expected.images, after, BUFFERS)
    assert judge(expected, expected.images, after, BUFFERS).wrong
    assert legal_items(expected, expected.images, after, BUFFERS).tolist() == [True, False]
    assert wrong_elements(expected, [(expected.images, after)], BUFFERS).items.tolist() == [False, True]


def in_parts(occasions, parts, options=("1", "2")):
    """The same, where choices show in parts; ``parts`` gives the part of each."""
    readings = Readings({})
    plain = executing(occasions, options)

    def executed(chosen):
        decide = chosen.decide
        chosen.decide = lambda what, some: decide(what, some, parts[int(what.split()[1])])
        of = np.zeros(BUFFER.total, np.int64)
        of[BUFFER.base : BUFFER.base + occasions] = [0 if part is None else part for part in parts]
        return replace(plain(chosen), parts={"d": of})

    return with_alternatives(readings, executed)


def test_parts_are_combined_at_once_and_judged_apart():
    expected = in_parts(4, (0, 0, 1, 1))
    assert len(expected.others) == 3, "as many as one part has"
    for values in product((1, 2), repeat=4):
        assert is_legal(expected, expected.images, left(expected, *values), BUFFERS)
        for number in range(4):
            wrong = left(expected, *values[:number], 3, *values[number + 1 :])
            assert not is_legal(expected, expected.images, wrong, BUFFERS)
            found = wrong_elements(expected, [(expected.images, wrong)], BUFFERS)
            assert [bool(flags.any()) for flags in found.regions] == [at == number for at in range(4)]


def test_many_parts_are_no_more_combinations_than_one_has():
    expected = in_parts(12, tuple(range(12)))
    assert len(expected.others) == 1
    assert is_legal(expected, expected.images, left(expected, *[1, 2] * 6), BUFFERS)


def test_what_may_show_anywhere_is_combined_with_everything():
    expected = in_parts(4, (0, 0, 1, None))
    assert len(expected.others) == 15


def test_a_byte_that_one_part_may_not_leave_alone_is_wrong_whatever_the_others_leave():
    expected = in_parts(2, (0, 1), ("5", "0"))
    for values in product((5, None), repeat=2):
        assert is_legal(expected, expected.images, left(expected, *values), BUFFERS)
    assert not is_legal(expected, expected.images, left(expected, None, 6), BUFFERS)
    assert not is_legal(expected, expected.images, left(expected, None, None, 7), BUFFERS)


def test_what_is_wrong_is_told_by_the_combination_that_explains_most():
    expected = demanded(3)
    after = left(expected, 2, 2, 7)
    found = wrong_elements(expected, [(expected.images, after)], BUFFERS)
    assert [bool(flags.any()) for flags in found.regions] == [False, False, True]


def test_where_too_much_is_left_a_part_does_the_same_throughout():
    plain = executing(1)

    def executed(chosen):
        for number in range(1 if chosen.alike else 7):
            chosen.decide(f"occasion {number}", ("1", "2"), 0)
        return plain(chosen)

    found = with_alternatives(Readings({}), executed)
    assert len(found.others) == 1
    assert is_legal(found, found.images, left(found, 2), BUFFERS)


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
