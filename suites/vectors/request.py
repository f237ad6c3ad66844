"""The plan behind a vector folder: that of a live run, with a file in the place of a device's answer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from mmaspec.backends.protocol import Description, Images
from mmaspec.oracle.errors import BadInput
from mmaspec.oracle.profile import PRACTICE
from mmaspec.oracle.spec import spec_named
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.plan import Plan
from mmaspec.suites.prepare import Wanted, prepare

MAX_CAPS = 1 << 20
"""Largest file of caps that is read, in bytes."""


@dataclass(frozen=True, slots=True)
class Reported:
    """Stands in for a device that is elsewhere: it says what it is and supports, and runs nothing."""

    spec: str
    reported: Any
    description: Description

    def describe(self) -> Description:
        """What the device said of itself."""
        return self.description

    def caps(self, spec: str) -> Any | None:
        """The caps that were reported for the one specification."""
        return self.reported if spec == self.spec else None

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        """Nothing can be run here."""
        raise NotImplementedError(f"a {spec} program cannot be run here")


def decode_caps(spec: str, data: bytes, where: str) -> Any:
    """Caps in the specification's own terms, or as a driver reports them, from JSON. Raises ``BadInput``."""
    found = spec_named(spec)
    try:
        caps: Any = found.recorded(data, where)
        if caps is None:
            caps = msgspec.json.decode(data, type=found.caps_type)
    except RecursionError as error:
        raise BadInput(f"{where}: nested too deeply for caps") from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BadInput(f"{where}: not caps of {spec}: {error}") from error
    if not found.rows(caps):
        raise BadInput(f"{where}: caps of {spec} without a single row")
    return caps


def read_caps(spec: str, path: Path | None) -> Any:
    """Caps from a file; the specification's default caps where there is none. Raises ``BadInput``."""
    if path is None:
        return spec_named(spec).default_caps
    try:
        size = path.stat().st_size
        if not path.is_file() or size > MAX_CAPS:
            raise BadInput(f"{path}: not a file of at most {MAX_CAPS} bytes")
        return decode_caps(spec, path.read_bytes(), str(path))
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror}") from error


NOBODY = Description(name="nobody yet", version="", profile=PRACTICE)
"""Stands for the device while vectors are written: what it will say of itself comes with its answers."""


def planned(wanted: Wanted, caps: Any, description: Description = NOBODY) -> tuple[Plan, tuple[Recipe, ...]]:
    """The plan and case list of one specification under these caps. Raises ``BadInput``."""
    (spec,) = wanted.specs
    return prepare(wanted, Reported(spec, caps, description))
