"""A scene: one program that holds several rare classes, listed in the first row of the caps that can have it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mmaspec.oracle.spec import Row, spec_named
from mmaspec.programs.hlsl_linalg.caps import LinalgCaps
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.hlsl_linalg.arrays.workshop import CannotBeMade
from mmaspec.strategies.hlsl_linalg.revisions import LATER

SCENE = "scene"
"""The axis of a case: which scene it is."""
SPEC = "hlsl-linalg"

Build = Callable[[DrawContext[LinalgCaps]], Draft | None]
"""(context) -> the program; raises `CannotBeMade`, or gives None, where the device has none."""


def _any(_: Any) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Scene:
    """One program, and the rows that can have it."""

    build: Build
    tag: str
    """What a caps row must carry."""
    answers: Callable[[Any], bool] = _any
    """Whether the device's answer that the row stands for suits it."""
    under: str = LATER
    """The revision of the text whose programs it is one of."""

    def meets(self, row: Row[Any]) -> bool:
        """Whether a row can have it."""
        return {self.tag, self.under} <= row.tags and self.answers(row.entry.answer)


def array_of(name: str, focus: tuple[str, ...], scenes: Mapping[str, Scene]) -> Array:
    """The array whose cases are scenes: each once, whatever rows there are."""

    def build(context: DrawContext[Any], chosen: Chosen) -> Draft | None:
        try:
            return scenes[chosen[SCENE]].build(context)
        except CannotBeMade:
            return None

    def fits(row: Row[Any], caps: Any, axis: str, scene: str) -> bool:
        if axis != SCENE:
            return True
        fitting = (one.name for one in spec_named(SPEC).rows(caps) if scenes[scene].meets(one))
        return next(fitting, None) == row.name

    rows = tuple(dict.fromkeys(scene.tag for scene in scenes.values()))
    return Array(name, focus, {SCENE: tuple(scenes)}, build, rows=rows, fits=fits)
