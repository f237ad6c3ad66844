"""Telling a wrong state from a wrong store of it: stores that diagnosis adds may be wrong as well."""

from __future__ import annotations

from dataclasses import replace

from mmaspec.oracle.spec import AnySpec
from mmaspec.programs.base import Program
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
