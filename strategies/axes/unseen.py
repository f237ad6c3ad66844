"""Why nobody can tell the classes of an axis, or no case has a class: ``unseen.toml`` beside the looks."""

from __future__ import annotations

from importlib import resources

from msgspec import Struct, toml


class _Because(Struct, frozen=True, forbid_unknown_fields=True):
    why: str
    of: tuple[str, ...]


class _Unseen(Struct, frozen=True, forbid_unknown_fields=True):
    because: tuple[_Because, ...]


def unseen_of(package: str) -> dict[str, str]:
    """Axis, ``axis=class`` or ``group/axis=class`` -> why, as the file in a package has it."""
    text = resources.files(package).joinpath("unseen.toml").read_bytes()
    found = toml.decode(text, type=_Unseen)
    return {name: one.why for one in found.because for name in one.of}
