"""The parameter space of a specification: its axes, their classes, and which of these cannot meet.

``axes.toml`` of a specification is written from its text, before and apart from whatever draws programs, so that what
is never drawn shows.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Literal

import msgspec
from msgspec import Struct

from mmaspec.programs.errors import BadInput


class Group(Struct, frozen=True, forbid_unknown_fields=True):
    """What has axes: a program, one load, one product."""

    says: str


class Class(Struct, frozen=True, forbid_unknown_fields=True, rename={"least": "from", "most": "to"}):
    """Values of an axis that the text treats alike, or one of its boundaries."""

    says: str
    least: int | None = None
    """Of a number."""
    most: int | None = None
    values: tuple[str, ...] = ()
    """Values of an enumeration, where the axis is one."""


class Axis(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, rename={"classes": "class"}):
    """One thing in which programs or their data differ.

    ``clauses`` are those that it exercises, ``fields`` those of program and caps structs that express it.
    """

    groups: tuple[str, ...]
    says: str
    kind: Literal["number", "choice", "data"]
    clauses: tuple[str, ...]
    fields: tuple[str, ...]
    classes: dict[str, Class]


class Impossible(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Two or three classes, each written ``axis=class``, that no program has together, and why."""

    together: tuple[str, ...]
    clause: str = ""
    """The validity clause, or the boundary of what is defined, that excludes it."""
    caps: str = ""
    """The field of the caps that does."""
    arithmetic: str = ""
    """Or the reason, where it lies in the things themselves."""


class LeftOut(Struct, frozen=True, forbid_unknown_fields=True):
    """Fields, values and clauses that no axis has, each with the reason."""

    fields: dict[str, str] = {}
    values: dict[str, str] = {}
    clauses: dict[str, str] = {}


class Space(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, rename={"left_out": "left-out"}):
    """The parameter space of one specification."""

    spec: str
    group: dict[str, Group]
    axis: dict[str, Axis]
    impossible: tuple[Impossible, ...] = ()
    left_out: LeftOut = LeftOut()

    def has(self, named: str) -> bool:
        """Whether there is such a class; it is named ``axis=class``."""
        axis, _, one = named.partition("=")
        return axis in self.axis and one in self.axis[axis].classes


@cache
def space_of(spec: str) -> Space:
    """The parameter space of one of our specifications. Raises ``BadInput`` for one that cannot be read."""
    package = f"mmaspec.strategies.{spec.replace('-', '_')}"
    text = resources.files(package).joinpath("axes.toml").read_bytes()
    try:
        return msgspec.toml.decode(text, type=Space)
    except msgspec.DecodeError as error:
        raise BadInput(f"{package}/axes.toml: {error}") from error
