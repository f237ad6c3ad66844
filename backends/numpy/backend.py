"""The numpy backend: one machine per specification over one arithmetic unit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from mmaspec.backends.numpy.units.unit import ArithmeticUnit
from mmaspec.backends.protocol import Description, Images, Refused
from mmaspec.programs.profile import Profile

VERSION = "1"


@dataclass(frozen=True, slots=True)
class Submitted:
    """A program to be checked, and its buffers: arguments that are read at run time lie there."""

    program: Any
    inputs: Images


class Machine(Protocol):
    """What executes the programs of one specification."""

    def caps(self) -> Any:
        """The caps it reports."""
        ...

    def broken(self, submitted: Submitted) -> tuple[str, ...]:
        """The validity clauses that a program breaks, by the machine's own checks."""
        ...

    def run(self, program: Any, inputs: Images) -> Images:
        """Execute a valid program; ``inputs`` stay as they are."""
        ...


class NumpyBackend:
    """The embedded default; ``machines`` maps a specification's name to the maker of its machine."""

    def __init__(
        self,
        unit: ArithmeticUnit,
        machines: Mapping[str, Callable[[ArithmeticUnit], Machine]],
        *,
        name: str = "numpy",
        profile: Profile | None = None,
    ) -> None:
        self._machines = {spec: make(unit) for spec, make in machines.items()}
        self._name = name
        self._profile = unit.profile if profile is None else profile

    def describe(self) -> Description:
        """It executes and validates, run-time rules included, and borrows nothing."""
        return Description(
            name=self._name, version=VERSION, roles=("executes", "validates"), enforces="all", profile=self._profile
        )

    def caps(self, spec: str) -> Any | None:
        """The machine's caps."""
        machine = self._machines.get(spec)
        return None if machine is None else machine.caps()

    def report(self, spec: str, caps: Any) -> None:
        """Report ``caps`` from now on, and hold programs to them, as another device would."""
        machine: Any = self._machines[spec]
        machine.caps = lambda: caps

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        """Check the program by the machine's own rules, then execute it."""
        machine = self._machines[spec]
        if broken := machine.broken(Submitted(program, inputs)):
            raise Refused(f"the program breaks {', '.join(broken)}", broken)
        return machine.run(program, inputs)
