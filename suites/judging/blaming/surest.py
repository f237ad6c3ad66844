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
    """The states as the kind of store shows them that shows more of them right: the wrong ones may be its own work."""
    first = found[0].firsts(found[1])[0]
    if first is None or spec.instrumented_otherwise is None:
        return trial, found
    turned = replace(trial, unlike=at(program, first))
    other = turned.states(program, "another store after every instruction")
    if other is None or not other[0].items[0]:
        return trial, found
    later = other[0].firsts(other[1])[0]
    return (turned, other) if later is None or later.path > first.path else (trial, found)


def stored_wrong(spec: AnySpec, trial: Trial, program: Program, first: Place) -> bool:
    """Whether a constant in place of the first wrong state is not stored rightly either, in whatever pass.

    Then no state need be wrong at all. False where that cannot be tried.
    """
    constant = None if spec.filled is None else spec.filled(program, first)
    found = None if constant is None else trial.states(constant, "a constant in place of a wrong state")
    if found is None:
        return False
    seen, shows = found
    regions = zip(seen.expected.regions, seen.wrong.regions, strict=True)
    mine = (wrong for region, wrong in regions if region.buffer in shows and shows[region.buffer].path == first.path)
    return any(wrong[0].any() for wrong in mine)
