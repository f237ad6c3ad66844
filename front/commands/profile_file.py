"""Profiles from the command line: a name, or a TOML file."""

from __future__ import annotations

from pathlib import Path

import msgspec

from mmaspec.oracle.errors import BadInput
from mmaspec.oracle.profile import PROFILES, Profile
from mmaspec.oracle.spec import SPECS, spec_named


def profile_named(text: str) -> Profile:
    """The profile of that name, or in that file (``*.toml``). Raises ``BadInput``."""
    if text in PROFILES:
        return PROFILES[text]
    path = Path(text)
    if path.suffix != ".toml":
        raise BadInput(f"no profile named {text!r}; there are {', '.join(sorted(PROFILES))}, or give a .toml file")
    try:
        profile = msgspec.toml.decode(path.read_bytes(), type=Profile)
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror}") from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: not a profile: {error}") from error
    _check_pins(profile, path)
    return profile


def _check_pins(profile: Profile, path: Path) -> None:
    """Every pinned ambiguity and reading must exist."""
    known = {name: entry for spec in SPECS for name, entry in spec_named(spec).catalogue.ambiguity.items()}
    for pin in profile.pins:
        if pin.ambiguity not in known:
            raise BadInput(f"{path}: pins {pin.ambiguity!r}; there are {', '.join(sorted(known))}")
        if pin.reading not in known[pin.ambiguity].readings:
            options = ", ".join(sorted(known[pin.ambiguity].readings))
            raise BadInput(f"{path}: pins {pin.ambiguity} to {pin.reading!r}; there are {options}")
