"""The records of other devices in `examples/devices` are those that lists, scores and matrices go by."""

from __future__ import annotations

from pathlib import Path

import pytest

from mmaspec.backends.given_caps import decode_caps
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.hlsl_linalg.caps import SOURCE_CAPS
from mmaspec.programs.specifications import ours
from mmaspec.reports.clause_view import spec_view
from mmaspec.suites.verdict.model import SpecResult

DEVICES = Path(__file__).parents[2] / "examples" / "devices"


@pytest.mark.parametrize("name", [spec for spec in ours() if spec_named(spec).other_devices])
def test_every_other_device_has_a_record(name: str) -> None:
    spec = spec_named(name)
    found = [decode_caps(name, file.read_bytes(), file.name) for file in sorted(DEVICES.glob(f"{name}-*.json"))]
    assert found == list(spec.other_devices)


def test_no_record_is_of_another_specification() -> None:
    others = [spec for spec in ours() if spec_named(spec).other_devices]
    assert len(list(DEVICES.iterdir())) == sum(len(spec_named(spec).other_devices) for spec in others)


def test_a_report_says_which_text_was_tested() -> None:
    spec = spec_named("hlsl-linalg")
    assert spec.of(spec.default_caps).catalogue == spec.catalogue
    older = spec.of(SOURCE_CAPS).catalogue
    assert (older.revision, older.clause) == ("2025-09-19", spec.catalogue.clause)
    result = SpecResult(title=older.title, revision=older.revision, caps=None, clauses={})
    told = spec_view(spec.name, result, spec.catalogue).document
    assert told.startswith(spec.catalogue.publication["source"].named)
    assert told.endswith(spec.catalogue.document)  # where places of clauses of both texts are found
    assert (
        "4ad74d7"
        in spec_view(
            spec.name, SpecResult(title="", revision=spec.catalogue.revision, caps=None, clauses={}), spec.catalogue
        ).document
    )
