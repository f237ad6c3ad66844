"""Programs that only move data."""

from __future__ import annotations

from collections.abc import Callable

from mmaspec.oracle.spec import Row
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.grammar import Draft
from mmaspec.strategies.nv_coopmat2.builder import Sketch

Part = Callable[[Sketch], None]
"""Adds a few instructions, and what they need, to a program."""


def moved(*parts: Part) -> Callable[[Choices, Row, CoopMatCaps], Draft]:
    """A program of parts that only move data: every element is another one."""

    def build(choices: Choices, row: Row, caps: CoopMatCaps) -> Draft:
        sketch = Sketch(choices, row, caps)
        for part in parts:
            part(sketch)
        return sketch.draft("distinct")

    return build
