"""Classes of which no case of the smoke lists proves a mistake: holes in the lists, not in devices."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources

import msgspec

FILE = "gaps.toml"


class Gap(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Classes of one specification that are missing for one reason."""

    spec: str
    why: str
    """What is missing."""
    classes: tuple[str, ...]
    """Class mutants by their text: ``group: axis=class``."""


class _File(msgspec.Struct, forbid_unknown_fields=True):
    gap: tuple[Gap, ...] = ()


@cache
def gaps() -> tuple[Gap, ...]:
    """All that are known."""
    text = resources.files(__package__ or "").joinpath(FILE).read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), _File).gap


def gaps_of(spec: str) -> dict[str, str]:
    """Class mutants of a specification that no case proves -> why."""
    return {text: gap.why for gap in gaps() if gap.spec == spec for text in gap.classes}
