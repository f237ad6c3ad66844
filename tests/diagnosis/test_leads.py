"""What is told first of devices whose defect a person could tell from what fails (``leading.py``)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mmaspec.backends.numpy.amd_rdna3_wmma.device import WmmaDevice
from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.intel_subgroup_mma.device import MadDevice
from mmaspec.oracle.amd_rdna3_wmma.blame import LIKE_FLAGS
from mmaspec.oracle.expect import resolve
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.oracle.register_kernels.blame import ASSIGNED
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.judging.blaming.blame import NAN_DUE
from mmaspec.suites.judging.blaming.elsewhere.between_items import ALONE, BETWEEN, STATE
from mmaspec.suites.judging.judge_case import CaseJudge
from mmaspec.suites.score.classes.proofs import smoke

from . import leading
from .blamed import findings, of_device

pytestmark = pytest.mark.exhaustive(every=2, alike="blamed")

RDNA3, INTEL = "amd-rdna3-wmma", "intel-subgroup-mma"


def test_what_other_items_of_the_batch_leave_is_no_clauses_matter() -> None:
    backend = of_device(INTEL, leading.TakesRowOfItemBefore)
    found = [one for template in ("product", "sums-wrap", "in-place") for one in findings(backend, INTEL, template, 3)]
    assert len(found) > 4
    assert {one.how for one in found} == {BETWEEN}
    assert [one.blamed for one in found] == [()] * len(found)
    assert all(one.says.startswith(STATE) for one in found)


def test_another_path_for_batches_is_a_matter_of_what_it_does() -> None:
    """Beside copies of itself the item is as wrong: nothing of its neighbours counts but that they are there."""
    found = findings(of_device(INTEL, leading.FlipsInLargeBatches), INTEL, "product", 3)
    assert found
    assert {one.blamed[0] for one in found} == {"ISGMMA-ACC-COL"}
    assert all(ALONE in one.only for one in found)


def test_a_row_of_zeros_has_nothing_to_do_with_the_range_of_sums() -> None:
    """Probes with zeros where the item has them show it: no sum leaves any range in them."""
    backend = of_device(INTEL, leading.ZeroRowsReturnZero)
    found = [
        one
        for template in ("sums-wrap", "wrapping-loops", "float-data")
        for one in findings(backend, INTEL, template, 2)
    ]
    assert len(found) > 3
    assert {one.blamed[0] for one in found if one.how != NAN_DUE} == {"ISGMMA-OP"}


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize(
    ("spec", "device", "clause"),
    [
        (INTEL, leading.InitialisedInFirstGroup, "ISGMMA-MEM-FREE"),
        (RDNA3, leading.InitialisedInFirstWave, "RDNA3-MEM-FREE"),
    ],
)
def test_initialisers_that_later_waves_do_not_execute_are_told(spec: str, device: type[Any], clause: str) -> None:
    backend = of_device(spec, device)
    found = [one for template in ("constants", "filled") for one in findings(backend, spec, template, 2)]
    assert len(found) > 2
    assert {one.blamed[0] for one in found} == {clause}
    assert [one.only for one in found] == [("one wave",)] * len(found)
    told = [one for one in found if ASSIGNED in one.instead]
    assert len(told) > 1


LAYOUT = {"RDNA3-CD-W32", "RDNA3-CD-W64", "RDNA3-CD-NOREP", "RDNA3-AB-ROWCOL", "RDNA3-MMA"}
"""What a value in the right registers does not break, in whichever half of them."""


@pytest.mark.exhaustive(every=4)
@pytest.mark.parametrize("device", [leading.InvertedOpsel, leading.WritesOtherHalf, leading.WritesHighAlways])
def test_results_in_the_other_half_acquit_the_layout(device: type[Any]) -> None:
    """With OPSEL the other way such a device is wrong as well, which says nothing for the flag."""
    backend = of_device(RDNA3, device)
    found = [one for template in ("zero-literal", "product") for one in findings(backend, RDNA3, template, 3)]
    assert len(found) > 3
    assert {one.blamed[0] for one in found} <= {"RDNA3-OPSEL-LOW", "RDNA3-OPSEL-HIGH"}
    assert not [one.blamed for one in found if not LAYOUT.isdisjoint(one.blamed)]
    told = {"results are in the low halves of their registers", "results are in the high halves of their registers"}
    assert not told.isdisjoint({one.pattern for one in found})
    for one in found:
        low = "RDNA3-OPSEL-LOW" in one.blamed[:1]
        wrong, there = ("low", "high") if low else ("high", "low")
        assert f" ({wrong} half of its register) is " in one.says
        assert f"in the {there} halves of their registers" in one.pattern or one.pattern not in told


def test_addends_of_the_other_half_acquit_the_layout() -> None:
    found = findings(of_device(RDNA3, leading.ReadsOtherHalf), RDNA3, "product", 4)
    assert len(found) > 2
    assert {one.blamed[0] for one in found} <= {"RDNA3-OPSEL-LOW", "RDNA3-OPSEL-HIGH"}
    assert not [one.blamed for one in found if not (LAYOUT - {"RDNA3-MMA"}).isdisjoint(one.blamed)]


def test_wrong_rows_of_c_in_high_halves_alone_acquit_the_layout() -> None:
    found = findings(of_device(RDNA3, leading.HighRowsExchanged), RDNA3, "product", 4)
    assert found
    assert {one.blamed[0] for one in found} == {"RDNA3-OPSEL-HIGH"}
    assert not [one.blamed for one in found if not (LAYOUT - {"RDNA3-MMA"}).isdisjoint(one.blamed)]


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("device", [leading.PackedResults, leading.PackedAddends])
def test_two_elements_in_a_register_are_no_wrong_product(device: type[Any]) -> None:
    found = findings(of_device(RDNA3, device), RDNA3, "product", 4)
    assert len(found) > 2
    assert {one.blamed[0] for one in found} == {"RDNA3-CD-UNPACKED"}
    assert not [one.blamed for one in found if not LAYOUT.isdisjoint(one.blamed)]


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize(
    ("spec", "device", "clause"),
    [(RDNA3, leading.AddendsInSequence, "RDNA3-CD-W32"), (INTEL, leading.UpperRowsTakeLower, "ISGMMA-ACC-COL")],
)
def test_addends_in_wrong_places_are_a_matter_of_the_layout(spec: str, device: type[Any], clause: str) -> None:
    """Without its addend the failure goes away, which says no more than that the addend was wrong."""
    found = [one for name in ("product", "each-row") for one in findings(of_device(spec, device), spec, name, 3)]
    assert len(found) > 1
    assert {one.blamed[0] for one in found} == {clause}
    assert all(one.pattern.startswith("without a product: ") for one in found)


def test_what_stands_beside_a_tied_result_is_no_wrong_product() -> None:
    backend = of_device(RDNA3, leading.TiedLeavesGarbage)
    found = [one for name in ("other-halves", "two-sums") for one in findings(backend, RDNA3, name, 3)]
    assert len(found) > 1
    assert {one.blamed[0] for one in found} == {"RDNA3-OPSEL-OTHER"}


def test_slots_counted_from_another_register_are_a_matter_of_slots() -> None:
    found = findings(of_device(RDNA3, leading.HighSlotsFromNext), RDNA3, "product", 4)
    assert found
    assert {one.blamed for one in found} == {("RDNA3-OPSEL-SLOT",)}


def test_a_flag_that_stays_on_is_not_told_as_one_that_is_ignored() -> None:
    """A counterfactual is no cause where the device is right and it is not: with the same flag in all calls."""
    backend = of_device(RDNA3, leading.KeepsOpsel)
    found = [one for name in ("halves-in-turn", "two-sums") for one in findings(backend, RDNA3, name, 2)]
    assert len(found) > 2
    assert {one.blamed[0] for one in found} == {"RDNA3-OPSEL-LOW"}
    assert {one.instead for one in found} == {LIKE_FLAGS}
    assert not [one.says for one in found if one.cause or one.candidates]


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize(("spec", "clause"), [(INTEL, "ISGMMA-OP"), (RDNA3, "RDNA3-MMA")])
def test_a_small_number_in_place_of_a_sum_that_overflows_is_no_question_of_accuracy(spec: str, clause: str) -> None:
    devices = {RDNA3: WmmaDevice, INTEL: MadDevice}
    backend = NumpyBackend(leading.OverflowIsOne(), {spec: devices[spec]}, name="one", profile=PRACTICE)
    found = [one for name in ("product-overflow-edge", "float-data") for one in findings(backend, spec, name, 3)]
    assert len(found) > 2
    assert {one.blamed[0] for one in found} == {clause}
    assert [one.practice_only for one in found] == [False] * len(found)


def test_zeros_that_many_mistakes_leave_are_put_down_to_none_of_them() -> None:
    """Of rows of zeros alone a device that left the accumulator out would make the same; beside others it would not."""
    backend = of_device(INTEL, leading.ZeroRowsReturnZero)
    recipe = next(one for one in smoke(INTEL) if one.template == "product" and one.row == "n8_i8_i8_i32")
    case = materialise(recipe)
    (left,) = (source for source in spec_named(INTEL).sources(resolve(case.program, case.words)) if source.role == "a")
    case = replace(case, values={**case.values, left.name: np.zeros_like(case.values[left.name])})
    judge = CaseJudge(backend, backend.describe(), PRACTICE, {case.identity: ()}, limit=0)
    found = judge.judge(case, case.identity, expect_by_reading(case, PRACTICE))[0].finding
    assert found is not None
    assert found.blamed[0] == "ISGMMA-OP"
    assert (found.cause, found.candidates) == ("", ())
