"""The plan of a vector folder: that of a live run, with a file instead of a device."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from mmaspec.backends.protocol import Description
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.planning.lists import listed
from mmaspec.suites.planning.plan import Plan
from mmaspec.suites.planning.prepare import Wanted, prepare


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


NOBODY = Description(name="nobody yet", version="", profile=PRACTICE)
"""Stands for the device while vectors are written: what it will say of itself comes with its answers."""


def planned(wanted: Wanted, caps: object, description: Description = NOBODY) -> tuple[Plan, tuple[Recipe, ...]]:
    """The plan and case list of one specification under these caps, with no explored case. Raises ``BadInput``."""
    (spec,) = wanted.specs
    return prepare(dataclasses.replace(wanted, explore=False), Reported(spec, caps, description), listed)
