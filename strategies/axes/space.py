"""The parameter space of a specification: its axes, their classes, and which of these cannot meet.

The files in ``axes/`` of a specification are written from its text, apart from whatever draws programs, so that what is
never drawn shows. Axes that several specifications have stand in a folder of their own (``strategies.axes.shared``).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from mmaspec.programs.errors import BadInput
from mmaspec.strategies.axes.shared import Sharing, adapted


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
    """Classes of two or three axes that no program has together, and why.

    Each is written ``axis=class``; ``axis=one|other`` stands for either.
    """

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
    """The parameter space of one specification, or the part of it that stands in one file."""

    group: dict[str, Group] = {}
    axis: dict[str, Axis] = {}
    impossible: tuple[Impossible, ...] = ()
    left_out: LeftOut = LeftOut()
    shared: Sharing | None = None
    """The axes that stand elsewhere, for several specifications."""

    def unknown(self, named: str) -> Iterator[str]:
        """The classes among ``axis=one|other`` that there are not."""
        axis, _, classes = named.partition("=")
        known = self.axis[axis].classes if axis in self.axis else {}
        yield from (f"{axis}={one}" for one in classes.split("|") if one not in known)


@cache
def space_of(spec: str) -> Space:
    """The parameter space of one of our specifications. Raises ``BadInput`` for one that cannot be read."""
    own = _read(spec, spec.replace("-", "_"))
    if own.shared is None:
        return own
    shared = adapted(_read(spec, own.shared.folder), own.shared, own.group)
    return replace(_joined(spec, shared, own), shared=own.shared)


def _read(spec: str, name: str) -> Space:
    """All files of one folder."""
    folder = resources.files(f"mmaspec.strategies.{name}").joinpath("axes")
    whole = Space()
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        where = f"{spec}, {name}/axes/{file.name}"
        try:
            part = msgspec.toml.decode(file.read_bytes(), type=Space)
        except msgspec.DecodeError as error:
            raise BadInput(f"{where}: {error}") from error
        whole = _joined(where, whole, part)
    return whole


def _joined(where: str, whole: Space, part: Space) -> Space:
    if twice := sorted({*(whole.axis.keys() & part.axis.keys()), *(whole.group.keys() & part.group.keys())}):
        raise BadInput(f"{where}: {twice[0]} is in another file too")
    return Space(
        group={**whole.group, **part.group},
        axis={**whole.axis, **part.axis},
        impossible=(*whole.impossible, *part.impossible),
        left_out=LeftOut(
            {**whole.left_out.fields, **part.left_out.fields},
            {**whole.left_out.values, **part.left_out.values},
            {**whole.left_out.clauses, **part.left_out.clauses},
        ),
        shared=part.shared or whole.shared,
    )
