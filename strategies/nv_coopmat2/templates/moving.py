"""Programs that only move data."""

from __future__ import annotations

from collections.abc import Callable

from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.builder.program import ProgramBuilder

Part = Callable[[ProgramBuilder], None]
"""Adds a few instructions, and what they need, to a program."""


def moved(*parts: Part) -> Callable[[DrawContext[CoopMatCaps]], Draft]:
    """A program of parts that only move data: every element is another one."""

    def build(context: DrawContext[CoopMatCaps]) -> Draft:
        builder = ProgramBuilder(context)
        for part in parts:
            part(builder)
        return builder.draft("distinct")

    return build
