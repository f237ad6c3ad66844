"""The sum behind a wrong element: which products, which addend, what it is exactly, and what the device has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from msgspec import structs

from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import expect
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.profile import PRACTICE
from mmaspec.programs.tree import walk
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.judging.record import Element
from mmaspec.suites.verdict.worked import worked_out
from tests.case_lists import case_list

INTEL, RDNA3 = "intel-subgroup-mma", "amd-rdna3-wmma"


def cases(spec: str, rows: str) -> Iterator[tuple[Case, str]]:
    """Listed cases of one product with an addend, and the place of that."""
    for recipe in case_list(spec, spec_named(spec).default_caps, "quick"):
        if recipe.template == "product" and rows in recipe.row and not recipe.target:
            case = materialise(recipe)
            steps: Iterator[tuple[Any, Any, int]] = walk(case.program)
            yield case, next(str(place) for place, one, _ in steps if getattr(one, "d", "") == "d")


HALF = {number: int(np.float16(number).view(np.uint16)) for number in range(10)}
"""Small numbers as the bits of f16."""


def few_values(case: Case, bits_of: Callable[[int], int] = int) -> Case:
    """Zeros but for row 1 of A, column 2 of B and that element of C; of C in high halves it is 9."""
    values = {name: np.zeros_like(bits[:1]) for name, bits in case.values.items()}
    a, b, c, *others = sorted(values)
    values[a][..., 1, 3], values[a][..., 1, 5] = bits_of(2), bits_of(3)
    values[b][..., 3, 2], values[b][..., 5, 2] = bits_of(7), bits_of(1)
    for name, number in zip((c, *others), (5, 9), strict=False):
        values[name][..., 1, 2] = bits_of(number)
    return replace(case, batch=1, values=values)


def element_of(case: Case, number: int = 0) -> Element:
    """Element (1, 2) of a region of what is stored."""
    expected = expect(case, PRACTICE)
    assert isinstance(expected, Defined)
    region = expected.regions[number]
    return Element(
        buffer=region.buffer, address=int(region.addresses[0, 1, 2]), item=0, row=1, col=2,
        format=region.legal.fmt.name, got="0000002a", got_value="42",
    )  # fmt: skip


@pytest.mark.parametrize(("spec", "rows"), [(INTEL, "i8_i8_i32"), (RDNA3, "iu8_w32"), (RDNA3, "iu8_w64")])
def test_products_that_are_not_zero_are_told_with_the_addend(spec: str, rows: str) -> None:
    some = [(few_values(case), place) for case, place in cases(spec, rows) if len(case.values) == 3]
    told = {worked_out(case, element_of(case), place) for case, place in some}
    assert told == {
        "row 1 of A by column 2 of B: 2 x 7 (k = 3), 3 x 1 (k = 5); C 5; exact sum 22, the device has 42"
    }  # fmt: skip


@pytest.mark.parametrize("rows", ["f16_16x16x16_f16_w", "f16_16x16x16_f16_tied"])
def test_of_two_halves_the_summed_one_alone_has_a_sum(rows: str) -> None:
    """Beside it stands what C holds there, or anything; and the addend is that of the same half."""
    some = [(few_values(case, HALF.__getitem__), place) for case, place in cases(RDNA3, rows) if len(case.values) == 4]
    assert some
    for case, place in some:
        steps: Iterator[tuple[Any, Any, int]] = walk(case.program)
        high = next(bool(one.opsel) for _, one, _ in steps if getattr(one, "d", "") == "d")
        addend = 9 if high else 5
        assert f"; C {addend}; exact sum {17 + addend}, " in worked_out(case, element_of(case, int(high)), place)
        assert not worked_out(case, element_of(case, int(not high)), place)


def test_a_row_of_zeros_beside_an_addend_is_no_sum_of_the_other_half() -> None:
    """What is kept of C beside a sum is no sum, though C and no product would be the same."""
    for case, place in cases(RDNA3, "f16_16x16x16_f16_tied"):
        zeros = {name: np.zeros_like(bits[:1]) for name, bits in case.values.items()}
        blank = replace(case, batch=1, values=zeros)
        told = [worked_out(blank, element_of(blank, number), place) for number in (0, 1)]
        assert sum(map(bool, told)) == 1


def test_a_sum_that_is_not_what_is_demanded_there_is_not_told() -> None:
    """Another instruction than the one that is named wrote the element, or it is somewhere else."""
    case, place = next((few_values(case), place) for case, place in cases(INTEL, "i8_i8_i32") if len(case.values) == 3)
    element = element_of(case)
    for other in (structs.replace(element, address=element.address + 4), structs.replace(element, row=0)):
        assert not worked_out(case, other, place)
    assert not worked_out(case, element, "1")
    assert not worked_out(case, element, "")
