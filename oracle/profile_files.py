"""Profiles as TOML, and those that come with the package (``profiles/*.toml``)."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from types import MappingProxyType

import msgspec

from mmaspec.oracle.errors import BadInput
from mmaspec.oracle.profile import PRACTICE, Profile


def decode_profile(data: bytes, where: str) -> Profile:
    """The profile in the text of a TOML file called ``where``. Raises ``BadInput``, which names it."""
    try:
        return msgspec.toml.decode(data, type=Profile)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BadInput(f"{where}: not a profile: {error}") from error


def _shipped() -> Mapping[str, Profile]:
    found = [PRACTICE]
    for file in resources.files("mmaspec.oracle").joinpath("profiles").iterdir():
        if file.name.endswith(".toml"):
            found.append(decode_profile(file.read_bytes(), file.name))
    return MappingProxyType({profile.name: profile for profile in sorted(found, key=lambda profile: profile.name)})


PROFILES = _shipped()
"""Profiles that can be named on the command line: practice, and those of ``profiles/``, by name."""
