"""The argument of the rules of HLSL linear algebra: a program and caps."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, TypeVar, overload

from mmaspec.oracle.hlsl_linalg.touches import Touch, all_touches
from mmaspec.oracle.rule_context import RuleContext
from mmaspec.programs.hlsl_linalg.caps import LinalgCaps
from mmaspec.programs.hlsl_linalg.components import COMPONENTS
from mmaspec.programs.hlsl_linalg.program import LinalgProgram, Simple, simple_instructions

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")


class Context(RuleContext[LinalgProgram, LinalgCaps]):
    """A resolved program under the answers of a device."""

    @overload
    def each(self, first: type[A], /) -> Iterator[tuple[A, int]]: ...
    @overload
    def each(self, first: type[A], second: type[B], /) -> Iterator[tuple[A | B, int]]: ...
    @overload
    def each(self, first: type[A], second: type[B], third: type[C], /) -> Iterator[tuple[A | B | C, int]]: ...
    @overload
    def each(
        self, first: type[A], second: type[B], third: type[C], fourth: type[D], /
    ) -> Iterator[tuple[A | B | C | D, int]]: ...
    def each(self, *kinds: type[Any]) -> Iterator[tuple[Any, int]]:
        """Every instruction of these kinds, in order, with the number of its passes."""
        return ((one, passes) for one, passes in self.instructions if isinstance(one, kinds))

    @cached_property
    def instructions(self) -> tuple[tuple[Simple, int], ...]:
        """Every instruction once, in order, with the number of its passes."""
        return tuple(simple_instructions(self.program))

    @property
    def source(self) -> bool:
        """Whether the device follows the text of 2025-09-19."""
        return self.caps.revision == "2025-09-19"

    def known(self, *components: str) -> bool:
        """Whether the text gives all of these component types a meaning; others are for LINALG-COMP-ENUM alone."""
        return all(self.caps.revision in COMPONENTS[name].revisions for name in components)

    @cached_property
    def touches(self) -> tuple[Touch, ...]:
        """What the program reads and writes, in the order of execution. Only of a valid program."""
        return tuple(all_touches(self.program, self.caps))
