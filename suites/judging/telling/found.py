"""What a run found in a case, as the case file carries it: a replay confirms it, and makes nothing up."""

from __future__ import annotations

import dataclasses

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from mmaspec.backends.protocol import Description
from mmaspec.oracle.case import MAX_FOUND, Case
from mmaspec.programs.input_file import strictly
from mmaspec.programs.profile import Profile
from mmaspec.suites.judging.record import Element, Finding, Outcome


class Shown(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """What is wrong in the case of the file, where that was reduced from the listed one."""

    says: str
    place: str = ""
    element: Element | None = None


class Found(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """The finding of one run."""

    backend: str
    """Name of the backend under test."""
    version: str
    profile: Profile
    """What it was judged by."""
    outcome: Outcome
    finding: Finding
    """What is wrong in the case as listed, and why: all the run's evidence went into it."""
    here: Shown | None = None
    """What is wrong in this case; none where it is the listed one."""
    drawn: bool | None = None
    """Whether the program in the file is that of the listed case, and no smaller one; None: an earlier version."""
    contents: str = ""
    """ID of the contents of the case in the file, so that an edit is noticed; empty: an earlier version wrote it."""

    @property
    def shown(self) -> Finding:
        """The finding with what is wrong in the case of the file."""
        if self.here is None:
            return self.finding
        return replace(self.finding, says=self.here.says, place=self.here.place, element=self.here.element)


def found_by(
    description: Description,
    profile: Profile,
    outcome: Outcome,
    finding: Finding,
    here: Finding | None = None,
    *,
    drawn: bool = True,
) -> bytes:
    """What a run found, as text for the case file.

    ``here`` is the finding of the reduced case; ``drawn``: its program is the listed one.
    """
    shown = None if here is None else _shown(here)
    found = Found(
        backend=description.name,
        version=description.version,
        profile=profile,
        outcome=outcome,
        finding=finding,
        here=shown,
        drawn=drawn,
    )
    return msgspec.json.encode(found, order="deterministic")


def with_found(case: Case, found: bytes) -> Case:
    """The case with what a run found in it; without, where that is longer than any file may say."""
    told = replace(msgspec.json.decode(found, type=Found), contents=case.content_id)
    text = msgspec.json.encode(told, order="deterministic")
    return dataclasses.replace(case, found=text if len(text) <= MAX_FOUND else b"")


def edited(case: Case, found: Found) -> bool:
    """Whether this is not the case in which that was found: somebody has changed its program, values or caps since."""
    return found.contents not in ("", case.content_id)


def _shown(finding: Finding) -> Shown:
    return Shown(says=finding.says, place=finding.place, element=finding.element)


def found_in(case: Case, where: str = "") -> Found | None:
    """What a run found in a case from a file, if it says so. Raises ``BadInput``, which names ``where``."""
    if not case.found:
        return None
    with strictly(f"{where}: found" if where else "found", "a finding"):
        return msgspec.json.decode(case.found, type=Found)
