"""What is told first of devices whose defect a person could tell from what fails (``leading.py``)."""

from __future__ import annotations

from mmaspec.suites.judging.blaming.between_items import ALONE, BETWEEN, STATE

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
