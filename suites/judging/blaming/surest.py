"""Telling a wrong state from a wrong store of it: stores that diagnosis adds may be wrong as well."""

from __future__ import annotations

from dataclasses import replace

from mmaspec.oracle.spec import AnySpec
from mmaspec.programs.base import Place, Program
from mmaspec.programs.tree import at
from mmaspec.suites.judging.blaming.trial import Seen, Shows, Trial


def surest(
    spec: AnySpec, trial: Trial, program: Program, found: tuple[Seen, Shows]
) -> tuple[Trial, tuple[Seen, Shows]]:
    """The states as the surest kind of store shows them, and a trial that goes on with it.

    Where one kind of store shows more of them right than the other, the wrong ones are its own work. Where a constant
    in place of the first wrong state is not stored rightly either, in whatever pass, no state need be wrong at all.
    """
    trial, found = _other_kind(spec, trial, program, found)
    seen, shows = found
    first = seen.firsts(shows)[0]
    constant = None if first is None or spec.filled is None else spec.filled(program, first)
    if first is None or constant is None:
        return trial, found
    control = trial.states(constant, "a constant in place of a wrong state")
    if control is None or not _wrong_after(*control, first):
        return trial, found
    return replace(trial, blind=True), (replace(seen, blind=True), shows)


def _other_kind(
    spec: AnySpec, trial: Trial, program: Program, found: tuple[Seen, Shows]
) -> tuple[Trial, tuple[Seen, Shows]]:
    first = found[0].firsts(found[1])[0]
    if first is None or spec.instrumented_otherwise is None:
        return trial, found
    turned = replace(trial, unlike=at(program, first))
    other = turned.states(program, "another store after every instruction")
    if other is None or not other[0].items[0]:
        return trial, found
    later = other[0].firsts(other[1])[0]
    return (turned, other) if later is None or later.path > first.path else (trial, found)


def _wrong_after(seen: Seen, shows: Shows, place: Place) -> bool:
    """Whether the first item has something wrong in a state after an instruction, in any pass."""
    regions = zip(seen.expected.regions, seen.wrong.regions, strict=True)
    return any(
        wrong[0].any()
        for region, wrong in regions
        if region.buffer in shows and shows[region.buffer].path == place.path
    )
