"""How a counterfactual is made from a reference device that deviates: one constructor for every specification."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol, TypeVar

from mmaspec.backends.faults.fault import Fault
from mmaspec.backends.numpy.backend import NumpyBackend, ReferenceDevice
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.backends.numpy.units.unit import ArithmeticUnit
from mmaspec.programs.profile import PRACTICE

Deviating = Callable[[ArithmeticUnit], ReferenceDevice]
"""What makes a deviating device over an arithmetic unit."""


class Checking(ReferenceDevice, Protocol):
    """A reference device, which can leave out some of its checks."""

    unchecked: frozenset[str]


D = TypeVar("D", bound=Checking)


def _backend(name: str, spec: str, device: Deviating) -> NumpyBackend:
    return NumpyBackend(SequentialUnit(), {spec: device}, name=f"fault:{name}", profile=PRACTICE)


def _without(device: Callable[[ArithmeticUnit], D], clauses: frozenset[str], unit: ArithmeticUnit) -> D:
    made = device(unit)
    made.unchecked = clauses
    return made


def without(device: Callable[[ArithmeticUnit], D], *clauses: str) -> Callable[[ArithmeticUnit], D]:
    """The device that does not look at some validity clauses, and runs what then comes as well as it can."""
    return partial(_without, device, frozenset(clauses))


def fault(
    spec: str, name: str, clause: str, behaves_as_if: str, device: Deviating, rows: tuple[str, ...] = ()
) -> Fault:
    """A device that breaks one clause.

    ``behaves_as_if`` completes the sentence "behaves as if ..."; ``rows`` are tags of the caps rows where it shows
    (none: everywhere).
    """
    return Fault(name, spec, clause, behaves_as_if, partial(_backend, name, spec, device), rows)


def lenient(
    spec: str,
    reference: Callable[[ArithmeticUnit], Checking],
    name: str,
    clause: str,
    behaves_as_if: str,
    rows: tuple[str, ...] = (),
) -> Fault:
    """The reference device without the check of one validity clause."""
    return fault(spec, name, clause, behaves_as_if, without(reference, clause), rows)


class Misreporting(NumpyBackend):
    """A backend that runs everything as it should, and reports other caps than it has."""

    def __init__(self, name: str, spec: str, device: Deviating, change: Callable[[Any], Any]) -> None:
        super().__init__(SequentialUnit(), {spec: device}, name=f"fault:{name}", profile=PRACTICE)
        self._change = change

    def caps(self, spec: str) -> Any | None:
        """The caps, changed."""
        caps = super().caps(spec)
        return None if caps is None else self._change(caps)


def misreport(
    spec: str,
    reference: Deviating,
    name: str,
    clause: str,
    behaves_as_if: str,
    change: Callable[[Any], Any],
    rows: tuple[str, ...] = (),
) -> Fault:
    """The reference device that reports caps which break one clause: what ``change`` makes of its own."""
    make = partial(Misreporting, name, spec, reference, change)
    return Fault(name, spec, clause, behaves_as_if, make, rows, misreports=change)
