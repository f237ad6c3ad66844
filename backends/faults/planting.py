"""How a counterfactual is made from a reference device that deviates: one constructor for every specification."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from mmaspec.backends.faults.fault import Fault
from mmaspec.backends.numpy.backend import NumpyBackend, ReferenceDevice, Submitted
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.backends.numpy.units.unit import ArithmeticUnit
from mmaspec.backends.protocol import Images
from mmaspec.programs.profile import PRACTICE

Deviating = Callable[[ArithmeticUnit], ReferenceDevice]
"""What makes a deviating device over an arithmetic unit."""


class Checking(ReferenceDevice, Protocol):
    """A reference device, which can leave out some of its checks."""

    unchecked: frozenset[str]


@dataclass
class Lenient:
    """A device that runs what it should refuse as well as it can: where it breaks down, memory stays as it was.

    An exception would tell that something is wrong, and a device that accepts an invalid program says nothing.
    """

    device: Checking
    unchecked: frozenset[str]
    """The validity clauses that it does not look at."""

    @property
    def caps(self) -> Any:
        """Those of the device."""
        return self.device.caps

    @caps.setter
    def caps(self, caps: Any) -> None:
        self.device.caps = caps

    def broken(self, submitted: Submitted) -> tuple[str, ...]:
        """The clauses that a program breaks, without those."""
        self.device.unchecked = self.unchecked
        return self.device.broken(submitted)

    def run(self, program: Any, inputs: Images) -> Images:
        """Execute a program, valid or not."""
        try:
            return self.device.run(program, inputs)
        except Exception:
            self.device.unchecked = frozenset()
            if not self.device.broken(Submitted(program, inputs)):
                raise  # a valid program: it is our mistake
            return {name: image.copy() for name, image in inputs.items()}


def _backend(name: str, spec: str, device: Deviating) -> NumpyBackend:
    return NumpyBackend(SequentialUnit(), {spec: device}, name=f"fault:{name}", profile=PRACTICE)


def _without(device: Callable[[ArithmeticUnit], Checking], clauses: frozenset[str], unit: ArithmeticUnit) -> Lenient:
    return Lenient(device(unit), clauses)


def without(device: Callable[[ArithmeticUnit], Checking], *clauses: str) -> Callable[[ArithmeticUnit], Lenient]:
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
