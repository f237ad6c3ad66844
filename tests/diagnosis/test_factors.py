"""What is blamed of devices that read a factor wrongly, or sum its products wrongly (``factoring.py``)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import Any

from mmaspec.backends.faults.intel_subgroup_mma import devices
from mmaspec.programs.profile import PRACTICE
from mmaspec.suites.judging.judge_case import CaseJudge
from mmaspec.suites.judging.record import Result
from mmaspec.suites.score.classes.proofs import smoke
from mmaspec.suites.verdict.fewest import by_fewest

from . import factoring
from .blamed import finding, listed, of_device, shortest

RDNA3, INTEL = "amd-rdna3-wmma", "intel-subgroup-mma"


def failing(spec: str, device: type[Any], templates: Sequence[str], most: int = 3, rows: str = "") -> list[Result]:
    """The results of the first so many failing cases of each template in the smoke list."""
    backend = of_device(spec, device)
    found: list[Result] = []
    for template in templates:
        some = shortest(one for one in smoke(spec) if one.template == template and rows in one.row and not one.target)
        judges = ((CaseJudge(backend, backend.describe(), PRACTICE, {one.id: ()}, limit=0), one) for one in some)
        results = (judge.judge_listed(one)[0] for judge, one in judges)
        found += islice((one for one in results if one.finding is not None), most)
    return found


def first(results: Sequence[Result]) -> Counter[str]:
    """How often which clause is blamed."""
    return Counter(one.finding.blamed[0] for one in results if one.finding is not None)


def test_wrong_rows_of_a_are_no_matter_of_the_layout_of_results() -> None:
    """The accumulator is added to the right rows, so that the product has others; without one it is rows of results."""
    results = failing(INTEL, factoring.EightRowsDealt, ("product", "chain", "rows", "forms", "reuse"))
    assert len(results) > 8
    with_addends = [one for one in results if one.finding and one.finding.pattern.startswith("of the product")]
    assert with_addends
    assert set(first(with_addends)) == {"ISGMMA-A-COLS"}
    assert set(first(by_fewest(results))) == {"ISGMMA-A-COLS"}


def test_copies_of_b_that_are_read_wrongly_are_no_matter_of_c_and_d() -> None:
    """Of cases without an addend the layout of D alone says as much; those with one say whose mistake it is."""
    results = failing(RDNA3, factoring.UpperCopiesOfBInPairs, ("product", "chain", "filled", "free"))
    assert len(first(results)) > 1
    assert set(first(by_fewest(results))) == {"RDNA3-AB-ROWCOL"}


def test_probes_that_are_wrong_before_as_well_show_that_range_is_no_matter() -> None:
    """In programs that call several functions the item may be right where the probes are wrong first."""
    backend = of_device(INTEL, factoring.BytesOfAExchanged)
    found = [finding(backend, one) for one in shortest(listed(backend, INTEL, "forms"))]
    assert {one.blamed for one in found if one is not None} == {("ISGMMA-K32-PACK-A",)}


def test_constants_that_stay_clear_no_clause_about_the_product() -> None:
    """Without the data that is loaded it is as wrong, as what is multiplied are constants: that acquits nothing."""
    results = failing(INTEL, factoring.LowestNibblesMultiplied, ("fills",), 1, "i4_i4")
    assert results
    assert all("ISGMMA-INT-EXACT" in one.finding.blamed for one in results if one.finding is not None)


def test_sums_that_are_wrong_at_their_ends_are_a_matter_of_range() -> None:
    """With other signs it goes away, and factors are read rightly: of the sums the narrowest clause is told first."""
    results = failing(RDNA3, factoring.LastPairInSixteenBits, ("clamped-loops", "sums-wrap"))
    assert len(first(results)) > 1
    assert set(first(by_fewest(results))) == {"RDNA3-IU-DOT-RANGE"}


def test_an_operand_of_another_wave_is_no_result_of_another_wave() -> None:
    """Waves may differ in one operand alone: then every result is another wave's as well."""
    results = failing(INTEL, devices.BroadcastsOfFirstSubGroup, ("product", "in-place", "chain"))
    assert len(results) > 5
    assert set(first(results)) == {"ISGMMA-A-COLS"}
    assert all(one.finding is not None and "A times the unit matrix" in one.finding.says for one in results)
