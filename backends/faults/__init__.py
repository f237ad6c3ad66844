"""Counterfactuals, one folder per specification, and defects, which specifications share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches
from functools import cache

from mmaspec.backends.faults.defects.catalogue import defects_of
from mmaspec.backends.faults.fault import Fault
from mmaspec.programs.call_shapes import takes
from mmaspec.programs.errors import BadInput
from mmaspec.programs.specifications import SPECS, clauses_of, has, left_out, part

__all__ = ["Fault", "all_defects", "all_faults", "defects_of", "fault_named", "faults_of"]


@cache
def faults_of(spec: str) -> tuple[Fault, ...]:
    """The counterfactuals of one specification, in the order of its module; none for an unknown one, or without any.

    Raises ``BadInput`` for a third party's that is broken.
    """
    if spec not in SPECS or not has(spec, "faults"):
        return ()
    found: tuple[Fault, ...] = part(spec, "faults", "FAULTS", tuple, lambda faults: flaws(faults, spec))
    return found


def flaws(faults: Iterable[object], spec: str) -> Iterator[str]:
    """What is wrong with the counterfactuals of a specification as far as can be seen without making one."""
    known = clauses_of(spec)
    for fault in faults:
        if not isinstance(fault, Fault):
            yield f" has a {type(fault).__name__}; expected a Fault"
            continue
        if fault.spec != spec:
            yield f": fault {fault.name!r} is of {fault.spec!r}; expected {spec!r}"
        if fault.clause not in known:
            yield f": fault {fault.name!r} names {fault.clause!r}, which is no clause of the catalogue"
        if not takes(fault.make, 0):
            yield f": the make of fault {fault.name!r} is not a function without arguments"


@cache
def all_faults() -> tuple[Fault, ...]:
    """Every counterfactual, by specification; without those of third parties that are broken."""
    return tuple(_of_all(faults_of))


@cache
def all_defects() -> tuple[Fault, ...]:
    """Every defect that is no wrong reading of a clause, by specification."""
    return tuple(_of_all(defects_of))


def _of_all(of: Callable[[str], tuple[Fault, ...]]) -> Iterator[Fault]:
    for spec in SPECS:
        try:
            yield from of(spec)
        except BadInput:
            continue


def fault_named(name: str) -> Fault:
    """The counterfactual or defect called ``name``; ``BadInput`` with the nearest names if there is none."""
    found = {fault.name: fault for fault in (*all_faults(), *all_defects())}
    if name in found:
        return found[name]
    near = get_close_matches(name, found, n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else "`mmaspec faults` lists them"
    raise BadInput(f"no fault named {name!r}; {hint}{left_out(faults_of, defects_of)}")
