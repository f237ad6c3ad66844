"""What ``check`` blames for planted defects that no catalogue has, and whether ``replay`` confirms it."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_args

import pytest

from mmaspec.backends.protocol import Backend
from mmaspec.backends.resolve import resolve
from mmaspec.oracle.spec import SPECS, spec_named

from .measuring import Measured, measure, row
from .planted import ADAPTER, DEVICES, TRIAL, Kind, Planted

QUICK = ("LowestBytesMultiplied",)
"""Those that are measured first; single cases of such devices stand beside this file."""
ENOUGH = 39
"""Of the forty, how many have to be blamed on the right clause."""
AUTHORITIES = ("document", "practice", "profile")

by_name = pytest.mark.parametrize("planted", [*DEVICES, TRIAL], ids=lambda planted: planted.name)


@cache
def measured(name: str, tier: str = "smoke") -> Measured:
    """Each device is measured once, whoever asks."""
    with TemporaryDirectory() as folder:
        return measure(next(each for each in DEVICES if each.name == name), Path(folder) / "run", "--tier", tier)


def test_every_specification_has_a_defect_of_every_kind() -> None:
    counted = Counter((planted.spec, planted.kind) for planted in DEVICES)
    assert counted == {(spec, kind): 1 for spec in SPECS for kind in get_args(Kind)}


@pytest.mark.parametrize("planted", [*DEVICES, TRIAL, ADAPTER], ids=lambda planted: planted.name)
def test_accepted_clauses_are_in_the_catalogue_and_can_be_tested(planted: Planted) -> None:
    catalogue = spec_named(planted.spec).catalogue.clause
    assert {clause for clause in planted.clauses if catalogue[clause].kind in "XMD"} == planted.clauses
    assert (planted.symptom == "value") == bool(planted.clauses)


@by_name
def test_the_device_says_what_it_is_and_what_it_can_do(planted: Planted) -> None:
    backend: Backend = resolve(planted.backend)
    assert backend.describe().name == planted.name
    assert backend.caps(planted.spec) is not None


@pytest.mark.long
@pytest.mark.parametrize("name", QUICK)
def test_a_planted_defect_is_blamed_rightly_and_confirmed(name: str) -> None:
    found = measured(name, "quick")
    assert found.right, row(found)
    assert found.confirmed, [replay.says for replay in found.replays]


@pytest.mark.long
def test_nearly_all_planted_defects_are_blamed_rightly() -> None:
    """In the quick list nothing is said that is not so; in smoke, where hundreds of cases fail, hardly anything."""
    every = [measured(planted.name, "quick") for planted in DEVICES]
    rows = [row(found) for found in every if not found.right]
    assert len(rows) <= len(DEVICES) - ENOUGH, "\n".join(rows)
    others = {found.planted.name: [each.says for each in found.replays] for found in every if not found.confirmed}
    assert not others


@pytest.mark.long
def test_hardly_anything_is_said_of_smoke_that_is_not_so() -> None:
    every = [measured(planted.name) for planted in DEVICES]
    rows = [row(found) for found in every if not found.mostly_right]
    assert len(rows) <= len(DEVICES) - ENOUGH, "\n".join(rows)
    others = {
        found.planted.name: [each.says for each in found.replays] for found in every if not found.mostly_confirmed
    }
    assert not others


@pytest.mark.long
@pytest.mark.parametrize("authority", AUTHORITIES)
def test_rows_exchanged_in_one_wave_size_fail_the_document(authority: str, tmp_path: Path) -> None:
    found = measure(TRIAL, tmp_path, "--authority", authority)
    assert found.right, row(found)
    assert found.confirmed, [replay.says for replay in found.replays]


@pytest.mark.long
@pytest.mark.parametrize("authority", AUTHORITIES)
def test_rows_exchanged_by_the_generated_adapter_fail_the_document(
    authority: str, rows_exchanged: str, tmp_path: Path
) -> None:
    found = measure(ADAPTER, tmp_path, "--authority", authority, backend=rows_exchanged)
    assert found.right, row(found)
    assert found.confirmed, [replay.says for replay in found.replays]
