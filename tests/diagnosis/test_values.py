"""What is blamed of devices whose mistakes hang on one value (``valued.py``)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import islice
from typing import Any

import pytest

from mmaspec.oracle.case import decode_case
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.amd_rdna3_wmma import Caps as AmdCaps
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.judging.judge_case import CaseJudge
from mmaspec.suites.judging.record import Finding
from mmaspec.suites.judging.telling.found import found_in
from mmaspec.suites.score.classes.proofs import smoke
from tests.case_lists import case_list

from . import valued
from .blamed import finding, listed, of_device, shortest

RDNA3, INTEL = "amd-rdna3-wmma", "intel-subgroup-mma"


def found(
    spec: str, device: type[Any], templates: Sequence[str], rows: str, most: int = 2, *, quick: bool = False
) -> list[Finding]:
    """The findings of the first so many failing cases of each template, in the rows whose names end so."""
    backend = of_device(spec, device)
    cases: list[Finding] = []
    for template in templates:
        some: Sequence[Recipe] = listed(backend, spec, template) if quick else smoke(spec)
        mine = shortest(one for one in some if one.template == template and one.row.endswith(rows) and not one.target)
        cases += islice(filter(None, map(partial(finding, backend), mine)), most)
    assert cases
    return cases


def blamed(findings: Sequence[Finding]) -> set[str]:
    return {one.blamed[0] for one in findings}


@pytest.mark.parametrize("rows", ["f16_16x16x16_f16_w32", "bf16_16x16x16_bf16_w64"])
def test_what_lies_in_the_other_half_of_c_is_a_matter_of_halves(rows: str) -> None:
    """Small whole numbers do not show it; with C in both halves the same sums are right."""
    assert blamed(found(RDNA3, valued.NanOfTheOtherHalf, ["product-specials"], rows)) == {"RDNA3-OPSEL-LOW"}


def test_empty_halves_are_not_where_small_results_went() -> None:
    """Zeros are legal for sums as small as these."""
    every = found(RDNA3, valued.DoublesTheSmallest, ["extremes", "float-data"], "f16_16x16x16_f16_w32", 3)
    assert blamed(every) == {"RDNA3-FP-ACC"}
    assert not [one.pattern for one in every if one.pattern]


def test_what_is_lost_beside_right_sums_is_a_matter_of_the_other_half() -> None:
    """Also where the caps have no builtin that leaves anything there, so that none can be tried."""
    spec = spec_named(RDNA3)
    caps = AmdCaps(builtins=("f16_16x16x16_f16_tied_w32",), instructions=())
    backend = of_device(RDNA3, valued.LosesLowHalves)
    some = [
        one for one in case_list(RDNA3, caps, "quick") if one.template in ("reuse", "filled", "free") and not one.target
    ]
    assert {row.name for row in spec.rows(caps)} == {one.row for one in some}
    every = [one for one in (finding(backend, recipe) for recipe in shortest(some)[:9]) if one is not None]
    assert every
    assert {one.blamed for one in every} == {("RDNA3-OPSEL-OTHER",)}
    assert all("(low half of its register)" in one.says and "the sums are right" in one.pattern for one in every)


def test_what_goes_away_with_another_addend_is_no_matter_of_factors() -> None:
    """With other signs no sum is -1: that says nothing of signs, as the same sum is right beside another addend."""
    templates = ["zero-filled", "signs-of-both-factors", "integer-data", "free", "inline-constants"]
    every = found(RDNA3, valued.MinusOneAndNothing, templates, "iu4_w32")
    assert blamed(every) == {"RDNA3-IU-ACC", "RDNA3-MMA"}
    assert not [one.blamed for one in every if {"RDNA3-IU-SIGN", "RDNA3-IU-DOT-RANGE"}.intersection(one.blamed)]


def test_the_one_value_of_an_addend_is_told_that_every_wrong_element_has() -> None:
    every = found(RDNA3, valued.LargestAddendStays, ["clamped-loops", "sums-wrap"], "iu8_w32", 6)
    assert "RDNA3-IU-ACC" in blamed(every)
    told = [one for one in every if "only where C is" in one.says]
    assert told
    assert all("only where C is 2147483647; " in one.says for one in told)


def test_an_item_that_another_reading_explains_is_no_sign_of_state() -> None:
    """Alone, an item of which sums wrap is right where the flag is ignored; beside others it is as wrong as it was."""
    every = found(RDNA3, valued.WrapsBelow, ["integer-data", "sums-clamp"], "iu4_w32")
    assert {name for one in every for name in one.blamed} <= {"RDNA3-IU-CLAMP", "RDNA3-IU-ACC", "RDNA3-MMA"}
    assert not [one.says for one in every if not one.blamed or "item alone" in one.says]


def test_no_one_value_is_told_where_wrong_elements_have_two() -> None:
    every = found(RDNA3, valued.BothEndsStay, ["clamped-loops", "sums-at-ends"], "iu8_w32")
    assert not [one.says for one in every if "only where C is" in one.says]


def test_nothing_about_factors_is_blamed_for_an_addend_at_the_end_of_its_range() -> None:
    """Clamp or not is a fair question there: the results are those of saturated sums."""
    every = found(RDNA3, valued.LargestAddendStays, ["sums-wrap", "integer-data", "sums-at-ends"], "iu8_w32")
    assert blamed(every) <= {"RDNA3-IU-ACC", "RDNA3-IU-NOCLAMP"}
    assert not [one.blamed for one in every if {"RDNA3-IU-SIGN", "RDNA3-IU-DOT-RANGE"}.intersection(one.blamed)]


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("rows", ["n8_bf16_bf16_f32", "n8_i8_i8_i32"])
def test_an_addend_that_is_lost_beside_zeros_is_no_lost_nan(rows: str) -> None:
    """In some of these cases it is NaN, which is due: numbers in its place are lost as well."""
    every = found(INTEL, valued.RowsOfZerosAreZero, ["fills", "float-data", "integer-data"], rows)
    assert blamed(every) == {"ISGMMA-OP"}


def test_the_largest_number_for_an_infinity_is_no_matter_of_places() -> None:
    """It is the neighbour of what was due: nothing but the sum is suspected."""
    every = found(RDNA3, valued.StopsBeforeInfinity, ["chain", "filled", "loops"], "f16_16x16x16_f16_w32")
    assert {one.blamed for one in every} == {("RDNA3-MMA",)}


def test_a_lost_last_bit_is_a_slight_error_of_sums_alone() -> None:
    """However far off a loop makes it in the end; no operand is in a wrong place, nor is a call's result."""
    every = found(INTEL, valued.LosesTheLastBit, ["product-window", "in-place", "tiles"], "bf16_bf16_bf16", quick=True)
    assert {one.blamed for one in every} == {("ISGMMA-OP",)}
    assert {one.how for one in every} == {"a slight error"}


def test_the_case_file_shows_the_mistake_that_the_finding_tells() -> None:
    """Of a device with two, the other one shows in smaller cases as well, but in another manner."""
    backend = of_device(RDNA3, valued.TwoMistakes)
    told = []
    for recipe in shortest(one for one in smoke(RDNA3) if one.template == "extremes" and "_f16_w" in one.row):
        judge = CaseJudge(backend, backend.describe(), PRACTICE, {recipe.id: ()})
        result, text = judge.judge_listed(recipe)
        found = None if result.finding is None else found_in(decode_case(text, "case.json"))
        if found is not None and found.finding.element is not None and found.shown.element is not None:
            told.append((found.finding.element.low_value, found.shown.element.low_value))
        if len(told) == 2:
            break
    assert any("inf" in whole for whole, _ in told)
    assert not [(whole, shown) for whole, shown in told if ("inf" in whole) != ("inf" in shown)]
