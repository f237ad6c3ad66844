"""Why the class of an axis cannot be told from a case, or why no case has it: ``unseen.toml`` beside this module."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType

import msgspec
from msgspec import Struct


class _Unseen(Struct, frozen=True, forbid_unknown_fields=True):
    axis: dict[str, str] = {}
    """Axis -> reason."""
    classes: dict[str, dict[str, str]] = {}
    """Reason -> axis -> its classes, ``one|other``."""


@cache
def reasons() -> Mapping[str, str]:
    """Axis, ``axis=class`` or ``group/axis=class`` -> reason."""
    file = resources.files("mmaspec.strategies.hlsl_wave_matrix.observations").joinpath("unseen.toml")
    read = msgspec.toml.decode(file.read_bytes(), type=_Unseen)
    found = dict(read.axis)
    for reason, axes in read.classes.items():
        found.update({f"{axis}={one}": reason for axis, classes in axes.items() for one in classes.split("|")})
    return MappingProxyType(found)
