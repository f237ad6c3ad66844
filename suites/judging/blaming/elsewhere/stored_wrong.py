"""Whether what stores the first wrong state is wrong itself, and the state need not be."""

from __future__ import annotations

from mmaspec.oracle.expectation import Region
from mmaspec.oracle.spec import AnySpec
from mmaspec.programs.base import Place, Program
from mmaspec.suites.judging.blaming.culprit import Culprit
from mmaspec.suites.judging.blaming.trial import Flags, Seen, Shows, Trial


def stored_wrong(spec: AnySpec, trial: Trial, program: Program, culprit: Culprit) -> bool:
    """Whether a constant in place of the first wrong state is not stored rightly either, in whatever pass.

    Not asked where a state of the same shape is right beside it: then its store is, too.
    """
    first, seen, shows = culprit.step.place, culprit.seen, culprit.shows
    constant = None if spec.filled is None or _right_beside(seen, shows, first) else spec.filled(program, first)
    found = None if constant is None else trial.states(constant, "a constant in place of a wrong state")
    return found is not None and any(wrong[0].any() for _, wrong in _stored_after(*found, first))


def _right_beside(seen: Seen, shows: Shows, first: Place) -> bool:
    """Whether some other state in the same body has the shape of the first wrong one, and is right in every pass."""
    shapes = {region.addresses.shape for region, _ in _stored_after(seen, shows, first)}
    for place in {shown.path: shown for shown in shows.values() if shown.path != first.path}.values():
        stored = _stored_after(seen, shows, place)
        alike = place.path[:-1] == first.path[:-1] and {region.addresses.shape for region, _ in stored} == shapes
        if alike and not any(wrong[0].any() for _, wrong in stored):
            return True
    return False


def _stored_after(seen: Seen, shows: Shows, place: Place) -> list[tuple[Region, Flags]]:
    """The stored states of an instruction, of every pass, with what is wrong in each."""
    regions = zip(seen.expected.regions, seen.wrong.regions, strict=True)
    return [pair for pair in regions if pair[0].buffer in shows and shows[pair[0].buffer].path == place.path]
