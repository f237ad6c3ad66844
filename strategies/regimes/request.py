"""The request to a data regime: the sources of one program, and the format of its accumulators."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from mmaspec.oracle.source import OperandRole, Source
from mmaspec.programs.formats import Format, format_named
from mmaspec.strategies.regimes.stream import ArrayShape, Stream


@dataclass(frozen=True)
class Request:
    """Data wanted for ``sources``, which are all floats or all integers.

    ``declared`` names the accumulator's format if it is known; ``products`` is how many products the
    program executes at most, each of which may add to the same sum.
    """

    regime: str
    seed: int
    sources: tuple[Source, ...]
    batch: int
    declared: str | None = None
    products: int = 0

    def stream(self, *key: object) -> Stream:
        """A random stream of its own for every key, so that dropping one source leaves the others as they are."""
        return Stream(self.seed, self.regime, *key)

    def shape(self, source: Source) -> ArrayShape:
        """``(batch, waves, passes, rows, cols)``."""
        return (self.batch, *source.shape)

    def of(self, *roles: OperandRole) -> tuple[Source, ...]:
        """The sources in one of these roles, in program order."""
        return tuple(source for source in self.sources if source.role in roles)

    @cached_property
    def accumulator(self) -> Format:
        """The format that sums accumulate in: as declared, else the narrowest addend's, else f32."""
        if self.declared is not None and format_named(self.declared).is_float:
            return format_named(self.declared)
        formats = [source.fmt for source in self.of("c")]
        return min(formats, key=lambda fmt: fmt.precision, default=format_named("f32"))

    @cached_property
    def depth(self) -> int:
        """K: how many terms one product adds, at most."""
        return max([s.shape[3] for s in self.of("a")] or [s.shape[2] for s in self.of("b")] or [1])

    @cached_property
    def chain(self) -> int:
        """The most different left factors that add to one sum."""
        return max(sum(source.shape[1] for source in self.of("a")), 1)

    @cached_property
    def repeats(self) -> int:
        """The most uses of each left factor."""
        return -(-max(self.products, self.chain) // self.chain)

    @property
    def terms(self) -> int:
        """The most terms of one sum over the whole chain."""
        return self.chain * self.repeats * self.depth
