"""The plan of a vector folder: that of a live run, with a file instead of a device."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from mmaspec.backends.protocol import Description
from mmaspec.oracle.caps_report import check_written
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.errors import BadInput
from mmaspec.programs.input_file import read_plain, strictly
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.planning.plan import Plan
from mmaspec.suites.planning.prepare import Wanted, prepare

MAX_CAPS = 1 << 20
"""Largest file of caps that is read, in bytes."""


@dataclass(frozen=True, slots=True)
class Reported:
    """The description and caps of a device that is elsewhere."""

    spec: str
    reported: Any
    description: Description

    def describe(self) -> Description:
        """The description of the device."""
        return self.description

    def caps(self, spec: str) -> Any | None:
        """The caps that were reported for the one specification."""
        return self.reported if spec == self.spec else None


def decode_caps(spec: str, data: bytes, where: str) -> Any:
    """Caps in the specification's own terms, or as a driver reports them, from JSON. Raises ``BadInput``."""
    found = spec_named(spec)
    with strictly(where, f"caps of {spec}"):
        caps: object = None if found.recorded is None else found.recorded(data, where)
        if caps is None:
            caps = msgspec.json.decode(data, type=found.caps_type)
    report = found.reported(caps)
    check_written(report, where)
    if not found.rows(report.usable):
        raise BadInput(f"{where}: caps of {spec} without a single row")
    return caps


def read_caps(spec: str, path: Path | None) -> Any:
    """Caps from a file; the specification's default caps where there is none. Raises ``BadInput``."""
    if path is None:
        return spec_named(spec).default_caps
    return decode_caps(spec, read_plain(path, MAX_CAPS), str(path))


NOBODY = Description(name="nobody yet", version="", profile=PRACTICE)
"""Stands for the device while vectors are written: what it will say of itself comes with its answers."""


def planned(wanted: Wanted, caps: object, description: Description = NOBODY) -> tuple[Plan, tuple[Recipe, ...]]:
    """The plan and case list of one specification under these caps, with no explored case. Raises ``BadInput``."""
    (spec,) = wanted.specs
    return prepare(dataclasses.replace(wanted, explore=False), Reported(spec, caps, description))
