"""The numpy backend: one device per specification over one arithmetic unit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, TypeVar

from mmaspec.backends.numpy.units.unit import ArithmeticUnit
from mmaspec.backends.protocol import Description, Images, Refused
from mmaspec.programs.arguments import loaded_arguments
from mmaspec.programs.base import RunTime
from mmaspec.programs.errors import BadInput
from mmaspec.programs.profile import Profile
from mmaspec.programs.windows import piece

VERSION = "1"
LARGEST = 1 << 40
"""Bytes of the largest sparse buffer: any that a program may have, as only its windows are held."""


@dataclass(frozen=True, slots=True)
class Submitted:
    """A program to be checked, with its buffers, which hold the arguments that are read at run time."""

    program: Any
    inputs: Images


@dataclass(frozen=True, slots=True)
class Passed:
    """A program that broke no rule, with all that rules look at: run again, it need not be checked again."""

    device: ReferenceDevice
    caps: Any
    program: Any
    loaded: tuple[RunTime, ...]
    arguments: tuple[bytes, ...]

    @classmethod
    def of(cls, device: ReferenceDevice, program: Any, inputs: Images) -> Passed:
        """A program with these contents of its buffers."""
        loaded = loaded_arguments(program)
        return cls(device, device.caps, program, loaded, arguments_in(program, loaded, inputs))

    def holds(self, device: ReferenceDevice, program: Any, inputs: Images) -> bool:
        """Whether it is the very same program, on the same device, with the same arguments."""
        same = self.program is program and self.device is device and self.caps is device.caps
        return same and arguments_in(program, self.loaded, inputs) == self.arguments


def arguments_in(program: Any, loaded: tuple[RunTime, ...], inputs: Images) -> tuple[bytes, ...]:
    """The words that a program reads its arguments from, as the first item of the batch has them."""
    buffers = {buffer.name: buffer for buffer in program.buffers}
    return tuple(inputs[one.buffer][0, piece(buffers[one.buffer], one.offset, 4)].tobytes() for one in loaded)


class ReferenceDevice(Protocol):
    """A device that executes the programs of one specification."""

    caps: Any
    """The caps that it reports, and holds programs to."""

    def broken(self, submitted: Submitted) -> tuple[str, ...]:
        """The validity clauses that a program breaks, by the device's own checks."""
        ...

    def run(self, program: Any, inputs: Images) -> Images:
        """Execute a valid program; ``inputs`` stay as they are."""
        ...


Supports = Callable[[str, str, str], bool]
"""Formats of A, B and C -> whether there is arithmetic for them."""

Liberty = Literal["order", "subnormals", "nan", "small-integers", "int-overflow"]
"""What a document may leave to an arithmetic unit.

The order and the precision of sums; whether subnormals are flushed; whether a NaN is produced; whether small-integer
sums of floats are exact; what becomes of integer sums beyond the range.
"""

C = TypeVar("C")
"""The caps of a specification."""


@dataclass(frozen=True, slots=True)
class OwnVariant(Generic[C]):
    """A legal variant of one specification: another device, or other caps, where its document leaves that open."""

    name: str
    why: str
    """How it differs, and what allows it."""
    make: Callable[[ArithmeticUnit], ReferenceDevice] | None = None
    """Another device; None: the reference device."""
    caps: C | None = None
    """What it reports; None: what its device does."""
    rows: tuple[str, ...] = ("float",)
    """Tags of the caps rows where it differs from the others at all."""
    liberties: frozenset[Liberty] = frozenset()
    authority: Literal["profile", "document"] = "profile"
    """On whose authority it is legal: with "document" it breaks practice, and no document."""


@dataclass(frozen=True, slots=True)
class Device(Generic[C]):
    """The parts of the numpy backend for one specification: the ``DEVICE`` of its folder."""

    make: Callable[[ArithmeticUnit], ReferenceDevice]
    """What makes its device over an arithmetic unit."""
    offered: Callable[[C, Supports], C | None]
    """(caps, supports) -> the rows of the caps all of whose types are supported; None if there are none."""
    liberties: frozenset[Liberty] = frozenset()
    """What its document leaves open, so that a unit that differs there is legal."""
    variants: tuple[OwnVariant[C], ...] = ()
    """Legal variants of this specification alone."""


class NumpyBackend:
    """The embedded default; ``devices`` maps a specification's name to the maker of its device.

    A device is made when it is first asked for.
    """

    def __init__(
        self,
        unit: ArithmeticUnit,
        devices: Mapping[str, Callable[[ArithmeticUnit], ReferenceDevice]],
        *,
        name: str = "numpy",
        profile: Profile | None = None,
    ) -> None:
        self._unit, self._makers = unit, devices
        self._devices: dict[str, ReferenceDevice] = {}
        self._passed: Passed | None = None
        self._name = name
        self._profile = unit.profile if profile is None else profile

    def describe(self) -> Description:
        """It executes and validates, run-time rules included, takes sparse buffers, and borrows nothing."""
        return Description(
            name=self._name,
            version=VERSION,
            roles=("executes", "validates"),
            enforces="all",
            profile=self._profile,
            sparse=LARGEST,
        )

    def caps(self, spec: str) -> Any | None:
        """The device's caps."""
        return self._device(spec).caps if spec in self._makers else None

    def report(self, spec: str, caps: Any) -> None:
        """Report ``caps`` from now on, and hold programs to them, as another device would."""
        self._device(spec).caps = caps

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        """Check the program by the device's own rules, then execute it."""
        device = self._device(spec)
        if not (self._passed is not None and self._passed.holds(device, program, inputs)):
            self._passed = None
            if broken := device.broken(Submitted(program, inputs)):
                raise Refused(f"the program breaks {', '.join(broken)}", broken)
            self._passed = Passed.of(device, program, inputs)
        return device.run(program, inputs)

    def _device(self, spec: str) -> ReferenceDevice:
        if spec not in self._devices:
            if spec not in self._makers:
                known = ", ".join(sorted(self._makers)) or "none"
                raise BadInput(f"{self._name} has no device for {spec}, so caps({spec!r}) is None; it has: {known}")
            self._devices[spec] = self._makers[spec](self._unit)
        return self._devices[spec]
