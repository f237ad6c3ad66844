"""Why some classes are never seen: the reasons, as data."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from types import MappingProxyType

import msgspec


def _reasons() -> Mapping[str, str]:
    file = resources.files("mmaspec.strategies.nv_coopmat2.observations").joinpath("unseen.toml")
    return MappingProxyType(msgspec.toml.decode(file.read_bytes(), type=dict[str, str]))


UNSEEN = _reasons()
"""Axis, ``axis=class`` or ``group/axis=class`` -> what is missing."""
