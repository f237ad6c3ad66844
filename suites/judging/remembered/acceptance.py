"""The acceptance of each case, cached, so that the next run need not compute its legal sets.

It is a function of case, profile and reading (and of the code), whatever a backend answers. So it is taken from the
results of a run, where it stands anyway.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from mmaspec.oracle.acceptance import Acceptance
from mmaspec.oracle.expect import default_readings
from mmaspec.oracle.readings import Assignment
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.profile import Profile
from mmaspec.suites.judging.cache import keep, kept
from mmaspec.suites.judging.record import Result
from mmaspec.suites.judging.remembered.answers import profile_identity

Accepted = Mapping[str, Mapping[Assignment, Acceptance]]
"""Case ID -> readings under which the sets were judged (none: the default ones) -> how much they accept."""

_Rows = dict[str, list[tuple[Assignment, Acceptance]]]


def acceptance_path(sensitivity: Path, profile: Profile) -> Path:
    """The cache file for the acceptance of a case list under a profile, beside its sensitivity."""
    list_and_code = sensitivity.stem.removeprefix("sensitivity-")
    return sensitivity.with_name(f"acceptance-{list_and_code}-{profile_identity(profile)}.json")


def read_acceptance(path: Path) -> dict[str, dict[Assignment, Acceptance]]:
    """The contents of the cache file; empty if it is missing or damaged."""
    try:
        rows = msgspec.json.decode(kept(path), type=_Rows)
    except (UnicodeDecodeError, msgspec.MsgspecError):
        return {}
    return {case: dict(found) for case, found in rows.items()}


def keep_acceptance(path: Path, profile: Profile, results: Iterable[Result]) -> None:
    """Add the acceptance in the results of a run under ``profile``; an error of writing is ignored.

    A failure does not say under which readings its sets were judged: those that come nearest to its bytes.
    """
    known = read_acceptance(path)
    fresh = {case: dict(found) for case, found in known.items()}
    for result in results:
        # Else no element was stored, or the sets were never asked.
        if result.finding is None and (result.share or result.unjudged):
            taken = Acceptance(result.share, result.widest, result.unjudged, result.judged, result.weak)
            fresh.setdefault(result.case, {})[judged_under(result, profile)] = taken
    if fresh != known:
        rows: _Rows = {case: sorted(found.items(), key=lambda entry: entry[0]) for case, found in fresh.items()}
        keep(path, msgspec.json.encode(dict(sorted(rows.items()))))


def judged_under(result: Result, profile: Profile) -> Assignment:
    """The readings whose sets a result speaks of, as ``hold`` chooses them; none for the default ones."""
    if not result.accepted:
        return ()
    defaults = default_readings(spec_named(result.spec), profile)
    if any(all(defaults[name] == reading for name, reading in one) for one in result.accepted):
        return ()
    return result.accepted[0]
