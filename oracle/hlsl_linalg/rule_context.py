"""The argument of the rules of HLSL linear algebra: a program and caps."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TypeVar

from mmaspec.oracle.hlsl_linalg.touches import Touch, all_touches
from mmaspec.oracle.rule_context import RuleContext
from mmaspec.programs.hlsl_linalg.caps import LinalgCaps
from mmaspec.programs.hlsl_linalg.components import COMPONENTS
from mmaspec.programs.hlsl_linalg.program import LinalgProgram, Simple, simple_instructions

Kind = TypeVar("Kind")


class Context(RuleContext[LinalgProgram, LinalgCaps]):
    """A resolved program under the answers of a device."""

    def each(self, kind: type[Kind]) -> Iterator[tuple[Kind, int]]:
        """Every instruction of a kind (or of several, as a union), with the number of its passes."""
        return ((one, passes) for one, passes in self.instructions if isinstance(one, kind))

    @cached_property
    def instructions(self) -> tuple[tuple[Simple, int], ...]:
        """Every instruction once, in order, with the number of its passes."""
        return tuple(simple_instructions(self.program))

    def known(self, *components: str) -> bool:
        """Whether the text gives all of these component types a meaning; others are for LINALG-COMP-ENUM alone."""
        return all(self.caps.revision in COMPONENTS[name].revisions for name in components)

    @cached_property
    def touches(self) -> tuple[Touch, ...]:
        """What the program reads and writes, in the order of execution. Only of a valid program."""
        return tuple(all_touches(self.program, self.caps))
