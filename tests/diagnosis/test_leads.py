"""What is told first of devices whose defect a person could tell from what fails (``leading.py``)."""

from __future__ import annotations

from typing import Any

import pytest

from mmaspec.oracle.register_kernels.blame import ASSIGNED
from mmaspec.suites.judging.blaming.between_items import ALONE, BETWEEN, STATE
from mmaspec.suites.judging.blaming.blame import NAN_DUE

from . import leading
from .blamed import findings, of_device

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
