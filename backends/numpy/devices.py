"""The numpy backend's reference device for each specification."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, get_args

from mmaspec.backends.numpy.backend import Device, Liberty, ReferenceDevice
from mmaspec.backends.numpy.units.unit import ArithmeticUnit
from mmaspec.programs.call_shapes import takes
from mmaspec.programs.errors import BadInput
from mmaspec.programs.specifications import SPECS, has, part


def device_of(spec: str) -> Device[Any] | None:
    """The ``Device`` for a specification; None for an unknown one and one that the numpy backend cannot execute.

    Raises ``BadInput`` for a third party's that is broken.
    """
    if spec not in SPECS or not has(spec, "device"):
        return None
    found: Device[Any] = part(spec, "device", "DEVICE", Device, flaws)
    return found


def flaws(device: Device[Any]) -> Iterator[str]:
    """What is wrong with a device as far as can be seen without making it."""
    if not takes(device.make, 1):
        yield ".make is not a function of (unit)"
    if not takes(device.offered, 2):
        yield ".offered is not a function of (caps, supports)"
    if unknown := sorted(set(device.liberties) - set(get_args(Liberty))):
        yield f".liberties has {', '.join(unknown)}; there are {', '.join(get_args(Liberty))}"


@cache
def devices_at_hand() -> Mapping[str, Device[Any]]:
    """Specification -> what the numpy backend has for it, sorted; without those of third parties that are broken."""
    found = {}
    for spec in SPECS:
        try:
            device = device_of(spec)
        except BadInput:
            continue
        if device is not None:
            found[spec] = device
    return found


class _Makers(Mapping[str, Callable[[ArithmeticUnit], ReferenceDevice]]):
    """A mapping that imports the device of a specification when it is first used."""

    def __getitem__(self, spec: str) -> Callable[[ArithmeticUnit], ReferenceDevice]:
        found = device_of(spec)
        if found is None:
            raise KeyError(spec)
        return found.make

    def __iter__(self) -> Iterator[str]:
        return iter(devices_at_hand())

    def __len__(self) -> int:
        return len(devices_at_hand())


DEVICES: Mapping[str, Callable[[ArithmeticUnit], ReferenceDevice]] = _Makers()
"""Specification -> what makes its device over an arithmetic unit."""
