"""Profiles from the command line: a name, or a TOML file."""

from __future__ import annotations

from pathlib import Path

from mmaspec.programs.errors import BadInput
from mmaspec.programs.input_file import read_plain
from mmaspec.programs.profile import PROFILES, Profile, decode_profile
from mmaspec.suites.planning.prepare import check_pins

MAX_PROFILE = 1 << 20
"""Largest profile file that is read, in bytes."""


def profile_named(text: str) -> Profile:
    """The profile of that name, or in that file (``*.toml``). Raises ``BadInput``."""
    if text in PROFILES:
        return PROFILES[text]
    path = Path(text)
    if path.suffix != ".toml":
        raise BadInput(f"no profile named {text!r}; there are {', '.join(sorted(PROFILES))}, or give a .toml file")
    profile = decode_profile(read_plain(path, MAX_PROFILE), str(path))
    check_pins(profile, str(path))
    return profile
