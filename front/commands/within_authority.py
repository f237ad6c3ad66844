"""``mmaspec replay --authority``: a case by itself, judged as far as an authority reaches."""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.commands.profile_file import profile_named
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.profile import PRACTICE, Profile
from mmaspec.suites.judging.single import Verdict
from mmaspec.suites.planning.prepare import Wanted, check_names
from mmaspec.suites.verdict.verdicts import fails


def judged_under(profile: str | None, authority: str) -> Profile | None:
    """The profile by which a case is judged; None: that of its run, or of the backend. Raises ``BadInput``."""
    asked = profile_named(profile) if profile is not None else None
    check_names(Wanted(profile=asked, authority=authority))
    return asked if authority == "profile" else PRACTICE


def within_authority(verdict: Verdict, authority: str) -> Verdict:
    """The verdict; inconclusive, where a failure breaks only what the authority leaves out."""
    if not verdict.failed or fails(verdict.result, authority):
        return verdict
    finding = verdict.result.finding
    clause = finding.blamed[0] if finding is not None and finding.blamed else ""
    basis = spec_named(verdict.result.spec).catalogue.clause[clause].basis if clause else "practice"
    why = f"does not count with --authority {authority}, as {clause or 'it'} is on {basis}"
    return Verdict(replace(verdict.result, outcome="inconclusive", why=why), f"{why}; {verdict.says}")
