"""Programs that only move data."""

from __future__ import annotations

from collections.abc import Callable

from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.builder.program import ProgramBuilder
from mmaspec.strategies.nv_coopmat2.features import Feature, has

Part = Callable[[ProgramBuilder], None]
"""Adds a few instructions, and what they need, to a program."""


def moved(*parts: Part, needs: tuple[Feature, ...] = ()) -> Callable[[DrawContext[CoopMatCaps]], Draft | None]:
    """A program of parts that only move data: every element is another one. None where a device lacks what it needs."""

    def build(context: DrawContext[CoopMatCaps]) -> Draft | None:
        if not has(context.caps, needs):
            return None
        builder = ProgramBuilder(context)
        for part in parts:
            part(builder)
        return builder.draft("distinct")

    return build
